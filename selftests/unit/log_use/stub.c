// SPDX-License-Identifier: GPL-2.0-only
/*
 * stub.c - in place of libdevtrace: it prints images and events
 *
 * "image NUMBER FILE" for each image that is registered, and "event HEX" for each event. So
 * programs of any compiler and machine can be examined without the library and a device.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <devtrace/emit.h>

struct devtrace_control devtrace_control = {
	.types = { ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u },
	.objects = { ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u },
	.severities = ~0u,
};

static uint32_t nr;

static void print_file(const void *address)
{
	unsigned long from, to, a = (unsigned long)address;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];
	int at;

	while (f && fgets(line, sizeof(line), f)) {
		at = 0;
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &at) >= 2 && at &&
		    a >= from && a < to) {
			fputs(line + at, stdout);
			break;
		}
	}
	if (f)
		fclose(f);
}

void devtrace_image_begin_(struct devtrace_image_ *image, unsigned char *first,
			   unsigned char *end)
{
	if (image->state || first == end)
		return;
	image->state = 1;
	image->number = nr << 24;
	printf("image %u ", nr++);
	print_file(first);
}

void devtrace_image_end_(struct devtrace_image_ *image)
{
	printf("end %u\n", image->number >> 24);
}

int devtrace_emit_event(const struct devtrace_emit *event, size_t size)
{
	size_t i;

	printf("event ");
	for (i = 0; i < size; i++)
		printf("%02x", ((const uint8_t *)event)[i]);
	printf("\n");
	return 0;
}

int devtrace_emit_str_(uint8_t *event, size_t size, const char *s, size_t len)
{
	event[size] = DEVTRACE_E_STR;
	memcpy(event + size + 1, s, len + 1);
	return devtrace_emit_event((const struct devtrace_emit *)event, size + len + 2);
}

size_t devtrace_cut_(uint8_t *event, size_t pos, size_t cut)
{
	(void)event;
	(void)cut;
	return pos;
}

int devtrace_refused_(unsigned int what, unsigned long long value)
{
	printf("refused %u %llu\n", what, value);
	return 0;
}

int devtrace_vtext_(uint8_t severity, const char *format, va_list args)
{
	uint8_t event[1024] = { DEVTRACE_T_TEXT, severity };
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	return devtrace_emit_str_(event, sizeof(struct devtrace_emit), text, strlen(text));
}

int devtrace_text_(uint8_t severity, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = devtrace_vtext_(severity, format, args);
	va_end(args);
	return r;
}
