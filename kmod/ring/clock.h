/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace clock, and its relation to other clocks
 *
 * The trace clock is CLOCK_MONOTONIC_RAW plus the time spent suspended, in nanoseconds: linear in
 * the CPU's counter, equal on all CPUs, readable in NMI context, and readable by programs without a
 * system call. The kernel and programs compute the same value, so an event from a lane is in order
 * with the system calls before and after it.
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
 * @steps: the wall clock was set at this instant; the previous sample has the time before
 */
struct clock_sample {
	u64	ts;
	u64	mono;
	u64	boot;
	u64	real;
	bool	steps;
};

/*
 * Called by one CPU at a time when the wall clock is set. The timekeeper's lock is held, so the
 * callback must not read a clock. After setting the pointer to NULL, call quiet_wait().
 */
typedef void (*clock_told_t)(const struct clock_sample *before,
			     const struct clock_sample *after);
extern clock_told_t devtrace_clock_told;

/**
 * struct clock_state - clock data that the emit path reads, in one cache line
 * @tsc: constants that convert the TSC; written by clock_tsc.c
 * @suspended: time spent suspended, ns; written by update_suspended()
 * @next: trace clock when another sample is due, ns; 0: at the next event
 */
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
 * Read the trace clock without a function call, on x86-64. Return false if this is not possible
 * now; then call devtrace_clock().
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

/* On the emit path: is another sample due? */
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

u64 devtrace_clock_set_at(void);
int devtrace_clock_init(struct devtrace_control *control, u32 start);
void devtrace_clock_follow_suspend(void);
void devtrace_clock_exit(void);

#endif /* DEVTRACE_CLOCK_H */
