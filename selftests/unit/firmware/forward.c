// SPDX-License-Identifier: GPL-2.0-only
/*
 * forward.c - the program that emits what firmware sends, for test_firmware.sh
 *
 *	firmware_forward [ELF] <records >stream
 *
 * Each record follows two bytes with its size. The device is that of fakedev.h. At the end the
 * images and events that the device got are written as a stream for traceinfo.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <devtrace/image.h>
#include "fakedev.h"
#include "teststream.h"

#define PID	700

static void forward(int *image)
{
	uint8_t head[2], record[65536];
	size_t size;
	int ret;

	while (fread(head, 1, sizeof(head), stdin) == sizeof(head)) {
		size = head[0] | (size_t)head[1] << 8;
		if (fread(record, 1, size, stdin) != size)
			errx(1, "the last record is not complete");
		ret = devtrace_image_emit(image, record, size);
		if (ret)
			errx(1, "devtrace_image_emit: %s", strerror(ret));
	}
}

static void put_event(struct stream *s, const struct fake_event *e)
{
	const uint8_t *bytes = e->bytes;
	struct body b = { .len = 0 };

	body_int(&b, bytes[2] | DEVTRACE_F_USER, 1);
	body_int(&b, bytes[1], 1);
	body_int(&b, 0, 2);
	body_int(&b, PID, 4);
	body_int(&b, s->ts += 1000, 8);
	body_bytes(&b, bytes + sizeof(struct devtrace_emit), e->size - sizeof(struct devtrace_emit));
	stream_frame(s, bytes[0], b.bytes, b.len);
}

int main(int argc, char **argv)
{
	struct stream s;
	int image = -1, ret;
	unsigned int i;

	fake_start(argv);
	fake_reset();
	if (argc > 1) {
		ret = devtrace_image(NULL, argv[1], &image);
		if (ret)
			errx(1, "%s: %s", argv[1], strerror(ret));
	}
	forward(&image);
	if (fake->nr > FAKE_EVENTS || fake->nr_dicts > FAKE_EVENTS)
		errx(1, "too many records");
	stream_init(&s, DEVTRACE_CHECK_SUM8);
	stream_info(&s, DEVTRACE_INFO_OPEN);
	stream_clock(&s);
	stream_proc(&s, PID, PID, "forward");
	for (i = 0; i < fake->nr_dicts; i++)
		stream_name(&s, fake->dicts[i].kind, PID, fake->dicts[i].value, fake->dicts[i].group,
			    fake->dicts[i].key, fake->dicts[i].name);
	for (i = 0; i < fake->nr; i++)
		put_event(&s, &fake->events[i]);
	fwrite(s.bytes, 1, s.len, stdout);
	stream_free(&s);
	return 0;
}
