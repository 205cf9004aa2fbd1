/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace clock, and what it was on other clocks
 *
 * The trace clock is CLOCK_MONOTONIC_RAW plus the time spent suspended, in
 * nanoseconds: linear in the CPU's counter, the same on all CPUs, readable in
 * NMI context, and readable by programs without a system call. How it is read
 * is the machine's matter; what is read agrees with what programs read, so that
 * an event sorts between the system calls around it.
 */
#ifndef DEVTRACE_CLOCK_H
#define DEVTRACE_CLOCK_H

#include <linux/cache.h>
#include <linux/devtrace.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include "history.h"

#ifdef CONFIG_X86_64
#include "clock_tsc.h"
#endif

/**
 * struct clock_sample - one instant on four clocks, ns
 * @ts: trace clock
 * @mono: CLOCK_MONOTONIC
 * @boot: CLOCK_BOOTTIME
 * @real: CLOCK_REALTIME
 * @steps: the wall clock was set at this instant; the sample before has the old time
 */
struct clock_sample {
	u64	ts;
	u64	mono;
	u64	boot;
	u64	real;
	bool	steps;
};

/*
 * Called when the wall clock is set, by one CPU at a time, with the lock of the timekeeper:
 * it must not read a clock. After setting it to NULL call quiet_wait().
 */
typedef void (*clock_told_t)(const struct clock_sample *before,
			     const struct clock_sample *after);
extern clock_told_t devtrace_clock_told;

/* All that the emit path reads, in one cache line. */
struct clock_state {
#ifdef CONFIG_X86_64
	struct devtrace_counter	tsc;
#endif
	u64			suspended;
	u64			next;
} ____cacheline_aligned;

extern struct clock_state devtrace_clock_state;

static __always_inline u64 devtrace_clock(void)
{
#ifdef CONFIG_X86_64
	const u64 raw = clock_tsc_raw(&devtrace_clock_state.tsc);
#else
	const u64 raw = ktime_get_raw_fast_ns();
#endif

	return raw + READ_ONCE(devtrace_clock_state.suspended);
}

/*
 * The same where nothing has to be called for it. False: devtrace_clock() is to be
 * asked. On other machines than x86-64 that is what this does.
 */
static __always_inline bool devtrace_clock_quick(u64 *ts)
{
#ifdef CONFIG_X86_64
	if (unlikely(!clock_tsc_try(&devtrace_clock_state.tsc, ts)))
		return false;
	*ts += READ_ONCE(devtrace_clock_state.suspended);
#else
	*ts = devtrace_clock();
#endif
	return true;
}

u64 devtrace_clock_now(void);
void devtrace_clock_take(u64 ts);

/* On the emit path: time for another sample? */
static __always_inline bool devtrace_clock_due(u64 ts)
{
	return unlikely(ts >= READ_ONCE(devtrace_clock_state.next));
}

static __always_inline void devtrace_clock_event(u64 ts)
{
	if (devtrace_clock_due(ts))
		devtrace_clock_take(ts);
}

extern struct history devtrace_clock_samples;

bool devtrace_clock_sample(unsigned long *n, struct clock_sample *s);

int devtrace_clock_init(struct devtrace_control *control, u32 start);
void devtrace_clock_exit(void);

#endif /* DEVTRACE_CLOCK_H */
