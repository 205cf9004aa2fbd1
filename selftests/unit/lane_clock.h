/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_clock.h - a clock for events in lanes that the test sets
 *
 * For inclusion once in a program that is linked with --wrap=clock_gettime.
 */
#ifndef LANE_CLOCK_H
#define LANE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "fakedev.h"

#if defined(__x86_64__)
/*
 * Both variants read the same value: with a multiplier of 0, (counter * 0 + offset) >> 32 are
 * the middle bits of the 128-bit offset.
 */
typedef uint64_t __attribute__((aligned(1), may_alias)) clock_word_t;

#define clock_ns (*(clock_word_t *)((char *)&fake_page()->counter.offset_lo + 4))

static inline void clock_by_counter(bool on)
{
	fake_page()->counter.mult = 0;
	fake_page()->counter.seq = on;
}
#else
static uint64_t clock_ns;	/* value of the clock */

static inline void clock_by_counter(bool on)
{
}
#endif

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
