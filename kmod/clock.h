/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace clock, and what it was on other clocks
 *
 * The trace clock is CLOCK_MONOTONIC_RAW plus the time spent suspended, in
 * nanoseconds: linear in the CPU's counter, the same on all CPUs, readable in
 * NMI context, and readable by programs without a system call.
 */
#ifndef DEVTRACE_CLOCK_H
#define DEVTRACE_CLOCK_H

#include <linux/timekeeping.h>
#include <linux/types.h>

/* One instant on four clocks, ns. */
struct clock_sample {
	u64	ts;
	u64	mono;
	u64	boot;
	u64	real;
};

extern u64 devtrace_suspended;
extern u64 devtrace_clock_next;

static __always_inline u64 devtrace_clock(void)
{
	return ktime_get_raw_fast_ns() + READ_ONCE(devtrace_suspended);
}

void devtrace_clock_take(u64 ts);

/* On the emit path: time for another sample? */
static __always_inline void devtrace_clock_event(u64 ts)
{
	if (unlikely(ts >= READ_ONCE(devtrace_clock_next)))
		devtrace_clock_take(ts);
}

unsigned long devtrace_clock_samples(void);
bool devtrace_clock_sample(unsigned long *n, struct clock_sample *s);

int devtrace_clock_init(u64 *control_suspended);
void devtrace_clock_exit(void);

#endif /* DEVTRACE_CLOCK_H */
