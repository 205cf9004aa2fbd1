/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detect more events per second than a trigger's rate, with one word of state
 *
 * The upper 40 bits of the word are the beginning of the current second, in steps of 2^16 ns. The
 * lower bits count the events since then; 0 means that no second has begun. The steps wrap after
 * 834 days, so times are compared by their distance.
 *
 * selftests/unit/test_rate.c compiles it in user space.
 */
#ifndef DEVTRACE_CONTROL_RATE_H
#define DEVTRACE_CONTROL_RATE_H

#ifdef __KERNEL__
#include <linux/time64.h>
#include <linux/types.h>
#else
#include "element_port_user.h"
#define NSEC_PER_SEC		1000000000L
#endif

#define RATE_STEP_SHIFT		16
#define RATE_COUNT_BITS		24
#define RATE_STEPS		((u64)NSEC_PER_SEC >> RATE_STEP_SHIFT)

static inline u32 rate_count(u64 word)
{
	return word & ((1U << RATE_COUNT_BITS) - 1);
}

/**
 * rate_next() - count an event
 * @word: the state
 * @now: trace clock, ns
 * @rate: maximum number of events per second that is allowed; less than 2^24 - 1
 *
 * Return: the new state; or @word itself if its second already had more than @rate events.
 */
static inline u64 rate_next(u64 word, u64 now, u32 rate)
{
	const u64 begin = now >> RATE_STEP_SHIFT << RATE_COUNT_BITS;
	const u32 count = rate_count(word);
	const u64 since = (begin - (word - count)) >> RATE_COUNT_BITS;

	/* If another CPU began a second after @now, the difference wraps: stay in that second. */
	if (!count || (since >= RATE_STEPS &&
		       since <= (~0ULL >> RATE_COUNT_BITS) - RATE_STEPS))
		return begin | 1;
	return count > rate ? word : word + 1;
}

#endif /* DEVTRACE_CONTROL_RATE_H */
