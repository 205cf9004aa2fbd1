/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC_RAW computed from the time-stamp counter
 *
 * While the TSC is the kernel's clocksource, CLOCK_MONOTONIC_RAW is a linear
 * function of it, whose two constants change only with the clocksource and by
 * suspend:
 *
 *	raw = (tsc * mult + offset) >> 32
 *
 * in 128 bits. That is no approximation: the timekeeper adds up the same
 * products in pieces and rounds nothing on the way, so the result is the same
 * to the last bit, for ever. clock_tsc.c takes the constants from the
 * timekeeper and compares them with it at each of its updates.
 *
 * @seq is 0 while the constants may not be used: the TSC is not the
 * clocksource, the machine is about to be suspended, or they are being
 * written. The reader then calls ktime_get_raw_fast_ns(), so it never waits,
 * and an NMI in the middle of a change sees nothing half-written.
 *
 * The control page has a copy for programs, which is written in the same steps. A
 * program orders its reading of the counter by LFENCE: where that is not known to
 * do so, the copy stays at 0.
 *
 * One difference: on a CPU whose counter is behind the timekeeper's last reading
 * the kernel returns the time of that reading, this code the counter's time. The
 * difference cannot be observed: a CPU that has seen the timekeeper's update reads
 * a later counter, or else the CPUs' counters are apart by more than a message
 * between them takes, and then the kernel marks the TSC unstable.
 */
#ifndef DEVTRACE_CLOCK_TSC_H
#define DEVTRACE_CLOCK_TSC_H

#include <linux/compiler.h>
#include <linux/devtrace.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/msr.h>

#define CLOCK_TSC_SHIFT	32

/*
 * (tsc * mult + offset) >> 32, from memory that may be written meanwhile. With the type
 * of 128 bits gcc wants a stack frame that is aligned for it, in whatever this is in.
 */
static __always_inline u64 clock_tsc_ns(u64 tsc, const struct devtrace_counter *c)
{
	u64 high;

	asm("mulq %[mult]\n\t"
	    "addq %[lo], %[tsc]\n\t"
	    "adcq %[hi], %[high]\n\t"
	    "shrdq %[shift], %[high], %[tsc]"
	    : [tsc] "+a" (tsc), [high] "=&d" (high)
	    : [mult] "m" (c->mult), [lo] "m" (c->offset_lo), [hi] "m" (c->offset_hi),
	      [shift] "i" (CLOCK_TSC_SHIFT)
	    : "cc");
	return tsc;
}

/* CLOCK_MONOTONIC_RAW, if it can be computed now; any context, calls nothing. */
static __always_inline bool clock_tsc_try(const struct devtrace_counter *c, u64 *ns)
{
	/* LMM(tsc_read:A): the number before the constants; pairs with tsc_write:C. */
	const u64 seq = smp_load_acquire(&c->seq);

	if (unlikely(!seq))
		return false;
	/* Torn constants are not used. */
	*ns = clock_tsc_ns(rdtsc_ordered(), c);
	/* LMM(tsc_read:B): the constants before the number; pairs with tsc_write:B. */
	smp_rmb();
	return likely(READ_ONCE(c->seq) == seq);
}

/* CLOCK_MONOTONIC_RAW; any context. */
static __always_inline u64 clock_tsc_raw(const struct devtrace_counter *c)
{
	u64 ns;

	return likely(clock_tsc_try(c, &ns)) ? ns : ktime_get_raw_fast_ns();
}

void clock_tsc_start(struct devtrace_counter *c, struct devtrace_counter *program);
void clock_tsc_stop(void);

#endif /* DEVTRACE_CLOCK_TSC_H */
