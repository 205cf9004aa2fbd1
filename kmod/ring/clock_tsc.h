/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC_RAW computed from the time-stamp counter
 *
 * While the TSC is the kernel's clocksource, CLOCK_MONOTONIC_RAW is a linear function of it. Its
 * two constants change only with the clocksource and at suspend:
 *
 *	raw = (tsc * mult + offset) >> 32
 *
 * in 128 bits. The result is exact to the last bit: the timekeeper adds the same products in pieces
 * and rounds nothing. clock_tsc.c derives the constants from the timekeeper and compares them at
 * each update.
 *
 * @seq is 0 while the constants may not be used: the TSC is not the clocksource, the machine is
 * about to be suspended, or the constants are being written. A reader then calls
 * ktime_get_raw_fast_ns(). So it never waits, and an NMI during a change does not use half-written
 * constants.
 *
 * The control page has a copy for programs, written in the same steps. A program orders its read of
 * the counter with LFENCE. On CPUs where LFENCE does not order RDTSC, @seq of the copy stays 0.
 *
 * One difference remains: on a CPU whose counter is behind the timekeeper's last reading, the
 * kernel returns the time of that reading, and this code the time of the counter. No program can
 * observe this difference: a CPU that has seen the timekeeper's update reads a greater counter
 * value than the timekeeper did. Otherwise the counters of the two CPUs would differ by more than
 * the latency of a message between them, and the kernel would mark the TSC unstable.
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
 * Return (tsc * mult + offset) >> 32; @c may change meanwhile. This is in assembly, because for a
 * 128-bit type gcc aligns the stack frame of every function that inlines this one.
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

/* Read CLOCK_MONOTONIC_RAW inline. Return false if the constants may not be used. */
static __always_inline bool clock_tsc_try(const struct devtrace_counter *c, u64 *ns)
{
	/*
	 * LMM(tsc_read:A): If the number is that of tsc_write:C, then the constants loaded
	 * below are those stored before it, or later ones.
	 */
	const u64 seq = smp_load_acquire(&c->seq);

	if (unlikely(!seq))
		return false;
	/* The second load of the number below rejects torn constants. */
	*ns = clock_tsc_ns(rdtsc_ordered(), c);
	/*
	 * LMM(tsc_read:B): If a constant comes from a later change, then the number loaded
	 * below has changed. Pairs with tsc_write:B.
	 */
	smp_rmb();
	return likely(READ_ONCE(c->seq) == seq);
}

/* Read CLOCK_MONOTONIC_RAW. Any context. */
static __always_inline u64 clock_tsc_raw(const struct devtrace_counter *c)
{
	u64 ns;

	return likely(clock_tsc_try(c, &ns)) ? ns : ktime_get_raw_fast_ns();
}

void clock_tsc_start(struct devtrace_counter *c, struct devtrace_counter *program);
void clock_tsc_stop(void);

#endif /* DEVTRACE_CLOCK_TSC_H */
