// SPDX-License-Identifier: GPL-2.0-only
/*
 * binding_device.c - a libdevtrace.so whose device is that of fakedev.h
 *
 * A program in any language loads this library in place of the installed one. At its end the
 * events are printed: type, severity and flags, then the data, in hexadecimal.
 */
#include <stdio.h>
#include "fakedev.h"

static void __attribute__((constructor)) begin(int argc, char **argv)
{
	(void)argc;
	fake_start(argv);
	fake_reset();
}

static void __attribute__((destructor)) end(void)
{
	unsigned int n;
	size_t i;

	for (n = 0; n < fake->nr; n++) {
		const struct fake_event *e = &fake->events[n % FAKE_EVENTS];

		printf("%u %02x %02x ", e->bytes[0], e->bytes[1], e->bytes[2]);
		for (i = sizeof(struct devtrace_emit); i < e->size; i++)
			printf("%02x", e->bytes[i]);
		putchar('\n');
	}
	fflush(stdout);
}
