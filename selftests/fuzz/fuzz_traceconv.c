// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_traceconv.c - any bytes of a target
 *
 * The first byte selects how the input is cut, so that frames may end anywhere. The decoder must
 * know each frame of the output.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace-decode.h>
#include <devtrace.h>
#include "traceconv/traceconv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* out.c reads the board's clock, which stands still here. */
uint64_t devtrace_now(void)
{
	return 1;
}

static int on_item(const struct devtrace_item *item, void *arg)
{
	size_t pos = 0;
	struct devtrace_elem e;
	int ret;

	(void)arg;
	if (item->kind == DEVTRACE_ITEM_UNKNOWN)
		abort();
	if (item->kind != DEVTRACE_ITEM_EVENT)
		return 0;
	do
		ret = devtrace_elem_next(item->u.event.data, item->u.event.len, &pos, &e);
	while (ret > 0);
	if (ret)
		abort();
	return 0;
}

static int put(void *decoder, const void *bytes, size_t n)
{
	return devtrace_decoder_feed(decoder, bytes, n, NULL);
}

static void convert(const struct conv_dialect *dialect, const uint8_t *data, size_t size)
{
	static struct conv c;
	struct devtrace_decoder *d;
	size_t piece, pos, part;
	uint64_t arrival = 0;

	d = devtrace_decoder_new(on_item, NULL);
	if (!d)
		return;
	memset(&c, 0, sizeof(c));
	c.put = put;
	c.arg = d;
	c.load = 1;
	c.live = data[0] & 1;
	if (data[0] & 2)
		c.clock.rate = 32768;
	else if (!c.live)
		c.clock.rate = 1e6;
	conv_begin(&c, dialect);
	piece = data[0] >> 2 ? data[0] >> 2 : size;
	for (pos = 1; pos < size; pos += part) {
		part = piece < size - pos ? piece : size - pos;
		if (c.live)
			arrival += 1u + (uint64_t)data[pos] * 50000000;
		conv_feed(&c, data + pos, part, arrival);
	}
	conv_end(&c);
	if (c.err)
		abort();
	devtrace_decoder_finish(d);
	devtrace_decoder_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	convert(&conv_qs, data, size);
	convert(&conv_rkh, data, size);
	return 0;
}
