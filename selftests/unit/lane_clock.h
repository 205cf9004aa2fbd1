/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_clock.h - the clock that events of lanes get, as a test sets it
 *
 * Included once in a program that is linked with --wrap=clock_gettime.
 */
#ifndef LANE_CLOCK_H
#define LANE_CLOCK_H

#include <stdint.h>
#include <time.h>

static uint64_t clock_ns;	/* what the clock shows */

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_MONOTONIC_RAW)
		return __real_clock_gettime(id, t);
	t->tv_sec = clock_ns / 1000000000;
	t->tv_nsec = clock_ns % 1000000000;
	return 0;
}

#endif
