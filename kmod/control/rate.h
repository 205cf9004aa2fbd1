/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * More events in a second than a trigger asks for, counted in one word
 *
 * The upper 40 bits say when the second began, in steps of 2^16 ns; below stands how many
 * events came since. After 834 days the steps begin again: so what counts is how far two
 * times are apart, not which one is greater. A count of 0: no second has begun yet.
 *
 * It compiles in user space too (selftests/unit/test_rate.c).
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
 * rate_next() - an event comes
 * @word: the word before
 * @now: trace clock, ns
 * @rate: so many events are not too many, less than 2^24 - 1
 *
 * Return: the word after it; @word itself if there were more than @rate in its second before.
 */
static inline u64 rate_next(u64 word, u64 now, u32 rate)
{
	const u64 begin = now >> RATE_STEP_SHIFT << RATE_COUNT_BITS;
	const u32 count = rate_count(word);
	const u64 since = (begin - (word - count)) >> RATE_COUNT_BITS;

	/* Another CPU may have begun a second that is newer than our clock. */
	if (!count || (since >= RATE_STEPS &&
		       since <= (~0ULL >> RATE_COUNT_BITS) - RATE_STEPS))
		return begin | 1;
	return count > rate ? word : word + 1;
}

#endif /* DEVTRACE_CONTROL_RATE_H */
