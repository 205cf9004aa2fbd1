// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking from the timekeeper how it converts the TSC
 *
 * The timekeeper calls us at each of its updates: at ticks, when the
 * clocksource changes, around suspend. Each time the constants are worked out
 * again, a few instructions, and stored if they differ, so there is no change
 * that we could miss and no error that could build up.
 *
 * There are two copies: one that we read, and one in the control page.
 *
 * The calls come under the timekeeper's lock. That makes the notifier the only
 * writer while it is registered; before and after, start and stop are.
 *
 * In an update the vDSO's data is written before we are called, and the data of
 * ktime_get_raw_fast_ns() after. When the clocksource changes all other CPUs
 * stand still meanwhile (stop_machine()), so no program can tell.
 */
#include <linux/clocksource.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/spinlock.h>
#include <linux/timekeeper_internal.h>
#include <asm/cpufeature.h>

#include "clock_tsc.h"

static DEFINE_RAW_SPINLOCK(tsc_lock);
/* Under tsc_lock. */
static bool started;
/* Written while the notifier is not registered. The second may be NULL. */
static struct devtrace_counter *consts, *program_consts;
/* Of the notifier: the number that the constants had last. */
static u64 last_seq;

/* The constants may not be used from here on. */
static void clock_tsc_forbid(void)
{
	/* LMM(tsc_write:A) */
	WRITE_ONCE(consts->seq, 0);
	if (program_consts)
		WRITE_ONCE(program_consts->seq, 0);
	/* LMM(tsc_write:B): that before the constants change; pairs with tsc_read:B, now:B. */
	smp_wmb();
}

static void clock_tsc_allow(struct devtrace_counter *c, u64 mult, unsigned __int128 offset)
{
	c->mult = mult;
	c->offset_lo = offset;
	c->offset_hi = offset >> 64;
	/* LMM(tsc_write:C): the constants before their number; pairs with tsc_read:A, now:A. */
	smp_store_release(&c->seq, last_seq);
}

static int timekeeper_updated(struct notifier_block *nb, unsigned long was_set, void *data)
{
	unsigned __int128 offset;
	const struct tk_read_base *tkr = &((const struct timekeeper *)data)->tkr_raw;
	const struct devtrace_counter *c = consts;
	u64 mult;

	/* vDSO mode TSC: its counter is rdtsc_ordered(), nothing else. */
	if (tkr->clock->vdso_clock_mode != VDSO_CLOCKMODE_TSC ||
	    tkr->mask != CLOCKSOURCE_MASK(64) || tkr->shift > CLOCK_TSC_SHIFT) {
		if (c->seq)
			clock_tsc_forbid();
		return NOTIFY_DONE;
	}

	/* base + ((tsc - cycle_last) * mult + xtime_nsec >> shift), sorted by tsc. */
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
 * clock_tsc_start() - let the TSC be used where it can
 * @c: the constants, kept up to date from here on
 * @program: the same for programs
 *
 * Nothing if that is so already.
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
		/* Calls us once before it returns. */
		started = !pvclock_gtod_register_notifier(&timekeeper_nb);
	}
	raw_spin_unlock_irqrestore(&tsc_lock, flags);
}

/**
 * clock_tsc_stop() - let ktime_get_raw_fast_ns() be used instead
 *
 * The counter may do anything while the machine is suspended.
 *
 * Context: any but NMI.
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
