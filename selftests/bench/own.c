// SPDX-License-Identifier: GPL-2.0-only
/*
 * own.c - emit events through a program's own filters, to count instructions
 *
 *	DEVTRACE_DEVICE=FILE own none|type|object|refused EVENT TIMES
 *
 * none: no filter; type: another type is filtered; object: another object is; refused: this
 * object is, or this type if the event has no object. EVENT is plain: devtrace(type, a, b);
 * object: the same with an object and a signal; or nothing. events() emits it TIMES times, and
 * own.sh counts its instructions. It needs no module: see nodevice.h.
 */
#define _GNU_SOURCE
#include "nodevice.h"

#define TYPE	101
#define OBJECT	7

__attribute__((noinline)) static void events(char what, int times)
{
	int i;

	for (i = 0; i < times; i++) {
		if (what == 'p')
			devtrace(TYPE, i, times);
		else if (what == 'o')
			devtrace_for(TYPE, OBJECT, 9, i, times);
		__asm__ volatile("" : : "r"(i) : "memory");
	}
}

int main(int argc, char **argv)
{
	int err = 0;

	if (argc != 4 || !strchr("pon", argv[2][0]))
		return 2;
	make_device();
	devtrace_open();
	/* The first event gets the lane. */
	devtrace(TYPE, 0, 0);
	if (!strcmp(argv[1], "type"))
		err = devtrace_own_type(TYPE + 1, false);
	else if (!strcmp(argv[1], "object"))
		err = devtrace_own_object(OBJECT + 1, false);
	else if (!strcmp(argv[1], "refused"))
		err = argv[2][0] == 'p' ? devtrace_own_type(TYPE, false) :
					  devtrace_own_object(OBJECT, false);
	events(argv[2][0], atoi(argv[3]));
	return err || calls || devtrace_errors();
}
