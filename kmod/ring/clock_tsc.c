// SPDX-License-Identifier: GPL-2.0-only
/*
 * Track how the timekeeper converts the TSC
 *
 * The timekeeper notifies us of each of its updates: at ticks, when the clocksource changes,
 * around suspend. Each notification recomputes the constants and stores them if they changed,
 * so no change is missed and no error accumulates.
 *
 * Two copies exist: one for the kernel, and one in the control page for programs.
 *
 * The timekeeper holds its lock while it notifies. So the notifier is the only writer while it is
 * registered; clock_tsc_start() and clock_tsc_stop() are the only writers before and after.
 *
 * An update writes the vDSO's data before it notifies, and the data of ktime_get_raw_fast_ns()
 * after. When the clocksource changes, stop_machine() halts all other CPUs meanwhile, so no
 * program can see that the two differ.
 */
#include <linux/clocksource.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/spinlock.h>
#include <linux/timekeeper_internal.h>
#include <linux/cpufeature.h>

#include "clock_tsc.h"

static DEFINE_RAW_SPINLOCK(tsc_lock);
/* Protected by tsc_lock. */
static bool started;
/* Written only while the notifier is not registered. program_consts may be NULL. */
static struct devtrace_counter *consts, *program_consts;
/* The last value of @seq that was not 0; written by the notifier. */
static u64 last_seq;

/* Tell readers that the constants may not be used. */
static void clock_tsc_forbid(void)
{
	/* LMM(tsc_write:A): the number is 0 while the constants change. */
	WRITE_ONCE(consts->seq, 0);
	if (program_consts)
		WRITE_ONCE(program_consts->seq, 0);
	/*
	 * LMM(tsc_write:B): If a reader reads a new constant, then it reads this 0 or a later
	 * number afterwards. Pairs with tsc_read:B and now:B.
	 */
	smp_wmb();
}

static void clock_tsc_allow(struct devtrace_counter *c, u64 mult, unsigned __int128 offset)
{
	c->mult = mult;
	c->offset_lo = offset;
	c->offset_hi = offset >> 64;
	/*
	 * LMM(tsc_write:C): If a reader reads this number, then it reads the constants that
	 * belong to it. Pairs with tsc_read:A and now:A.
	 */
	smp_store_release(&c->seq, last_seq);
}

static int timekeeper_updated(struct notifier_block *nb, unsigned long was_set, void *data)
{
	unsigned __int128 offset;
	const struct tk_read_base *tkr = &((const struct timekeeper *)data)->tkr_raw;
	const struct devtrace_counter *c = consts;
	u64 mult;

	/* In vDSO mode TSC, the clocksource reads rdtsc_ordered() and nothing else. */
	if (tkr->clock->vdso_clock_mode != VDSO_CLOCKMODE_TSC ||
	    tkr->mask != CLOCKSOURCE_MASK(64) || tkr->shift > CLOCK_TSC_SHIFT) {
		if (c->seq)
			clock_tsc_forbid();
		return NOTIFY_DONE;
	}

	/* base + ((tsc - cycle_last) * mult + xtime_nsec >> shift), as a linear function of tsc. */
	mult = (u64)tkr->mult << (CLOCK_TSC_SHIFT - tkr->shift);
	offset = (unsigned __int128)ktime_to_ns(tkr->base) << CLOCK_TSC_SHIFT;
	offset += (unsigned __int128)tkr->xtime_nsec << (CLOCK_TSC_SHIFT - tkr->shift);
	offset -= (unsigned __int128)tkr->cycle_last * mult;

	if (c->seq && c->mult == mult && c->offset_lo == (u64)offset &&
	    c->offset_hi == (u64)(offset >> 64))
		return NOTIFY_DONE;
	clock_tsc_forbid();
	last_seq++;
	clock_tsc_allow(consts, mult, offset);
	if (program_consts)
		clock_tsc_allow(program_consts, mult, offset);
	return NOTIFY_DONE;
}

static struct notifier_block timekeeper_nb = {
	.notifier_call	= timekeeper_updated,
};

/**
 * clock_tsc_start() - compute the clock from the TSC when possible
 * @c: the kernel's constants, kept up to date until clock_tsc_stop()
 * @program: the constants for programs
 *
 * Does nothing if already started.
 *
 * Context: any but NMI.
 */
void clock_tsc_start(struct devtrace_counter *c, struct devtrace_counter *program)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	if (!started) {
		consts = c;
		program_consts = boot_cpu_has(X86_FEATURE_LFENCE_RDTSC) ? program : NULL;
		/* Registering calls the notifier once. */
		started = !pvclock_gtod_register_notifier(&timekeeper_nb);
	}
	raw_spin_unlock_irqrestore(&tsc_lock, flags);
}

/*
 * Fall back to ktime_get_raw_fast_ns(): the TSC may stop or jump while the machine is suspended.
 * Any context but NMI.
 */
void clock_tsc_stop(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tsc_lock, flags);
	if (started) {
		pvclock_gtod_unregister_notifier(&timekeeper_nb);
		clock_tsc_forbid();
		started = false;
	}
	raw_spin_unlock_irqrestore(&tsc_lock, flags);
}
