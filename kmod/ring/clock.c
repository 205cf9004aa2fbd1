// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of the other clocks, for readers that convert trace clock times to dates
 *
 * About once a second an emitting CPU compares the other clocks with the values that the last
 * sample predicts. If one differs, it stores a new sample. Readers insert the samples between
 * the events as CLOCK frames, so a date is right even if the wall clock was set later. The
 * history is bounded and outlives the rings.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/suspend.h>
#include <linux/timekeeper_internal.h>

#include "clock.h"
#include "compat/compat_syscore.h"

#define SAMPLES		512
#define PERIOD_NS	NSEC_PER_SEC
#define KEEP_NS		(64ULL * NSEC_PER_SEC)
#define DRIFT_NS	(20 * NSEC_PER_USEC)
/* After a step of the wall clock, take no sample for this long. */
#define STEP_NS		NSEC_PER_MSEC
/* A sample is read again if it took longer, at most so many times. */
#define WINDOW_NS	(DRIFT_NS / 2)
#define READ_TRIES	4
/* Number of times that take_step() tries to become the sampler before it gives up. */
#define STEP_TRIES	100000

struct clock_state devtrace_clock_state;

static struct devtrace_control *clock_control;
static struct clock_sample *samples;
struct history devtrace_clock_samples;
static atomic_t taking = ATOMIC_INIT(0);
/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns, if it is known. Protected by the timekeeper's lock. */
static s64 real_ahead;
static bool real_known;
clock_told_t devtrace_clock_told;

static bool clock_drifted(u64 was, u64 is, u64 passed)
{
	s64 d = (s64)(is - was - passed);

	return d > DRIFT_NS || d < -(s64)DRIFT_NS;
}

/* devtrace_clock(), not inlined. Any context, NMI included. */
notrace u64 devtrace_clock_now(void)
{
	return devtrace_clock();
}

/* Trace clock when the wall clock was last set, ns; 0: it was not. */
static atomic64_t set_at = ATOMIC64_INIT(0);

/* Add a sample. The caller has set @taking, so it is the only writer. */
static notrace void add_sample(const struct clock_sample *s)
{
	samples[devtrace_clock_samples.nr % SAMPLES] = *s;
	history_add(&devtrace_clock_samples, SAMPLES);
}

/*
 * Read all clocks. A hypervisor or firmware may take the CPU away between two of them, for 100 ms
 * on a busy host, and all dates until the next sample would be wrong by that. So read them again
 * if they took long; if they always do, keep the reading that took least.
 */
static notrace void read_clocks(struct clock_sample *s)
{
	u64 least = U64_MAX;
	unsigned int i;

	for (i = 0; i < READ_TRIES && least > WINDOW_NS; i++) {
		const u64 ts = devtrace_clock_now();
		const u64 mono = ktime_get_mono_fast_ns();
		const u64 boot = ktime_get_boot_fast_ns();
		const u64 real = ktime_get_real_fast_ns();
		const u64 took = devtrace_clock_now() - ts;

		if (i && took >= least)
			continue;
		least = took;
		s->ts = ts + took / 2;
		s->mono = mono;
		s->boot = boot;
		s->real = real;
	}
}

/**
 * devtrace_clock_take() - read the other clocks, store a sample if one drifted
 * @ts: trace clock, ns
 *
 * Context: any, NMI included. If another caller is sampling, returns at once.
 */
notrace void devtrace_clock_take(u64 ts)
{
	struct clock_sample s;
	const struct clock_sample *last;
	unsigned long n;

	if (atomic_cmpxchg_acquire(&taking, 0, 1))
		return;
	/*
	 * If the sample is no longer due, another context has just taken it, for example one that
	 * handles a step of the wall clock.
	 */
	if (!devtrace_clock_due(ts))
		goto out;
	WRITE_ONCE(devtrace_clock_state.next, ts + PERIOD_NS);

	read_clocks(&s);
	s.steps = false;

	n = devtrace_clock_samples.nr;
	last = n != devtrace_clock_samples.oldest ? &samples[(n - 1) % SAMPLES] : NULL;
	if (!last || s.ts - last->ts > KEEP_NS ||
	    clock_drifted(last->mono, s.mono, s.ts - last->ts) ||
	    clock_drifted(last->boot, s.boot, s.ts - last->ts) ||
	    clock_drifted(last->real, s.real, s.ts - last->ts))
		add_sample(&s);
out:
	atomic_set_release(&taking, 0);
}

/*
 * Store two samples for a step of the wall clock, which was @was ns ahead of CLOCK_MONOTONIC and
 * now is @is ns ahead. The value of ktime_get_real_fast_ns() is not used, because here some kernels
 * return the time before the step, and others the time after it.
 *
 * Return: false if another context is sampling.
 */
static bool take_step(s64 was, s64 is)
{
	struct clock_sample before, after;
	unsigned int tries = 0;
	clock_told_t told;

	/* A sampler on another CPU finishes soon; one that we interrupted cannot. */
	while (atomic_cmpxchg_acquire(&taking, 0, 1)) {
		if (++tries == STEP_TRIES)
			return false;
		cpu_relax();
	}
	read_clocks(&before);
	before.real = before.mono + was;
	before.steps = false;
	after.ts = before.ts + 1;
	after.mono = before.mono + 1;
	after.boot = before.boot + 1;
	after.real = after.mono + is;
	after.steps = true;
	WRITE_ONCE(devtrace_clock_state.next, after.ts + STEP_NS);
	add_sample(&before);
	add_sample(&after);
	atomic64_set(&set_at, after.ts);
	told = READ_ONCE(devtrace_clock_told);
	if (told)
		told(&before, &after);
	atomic_set_release(&taking, 0);
	return true;
}

/* Return the trace clock when the wall clock was last set, ns; 0: it was not. Context: any. */
u64 devtrace_clock_set_at(void)
{
	return atomic64_read(&set_at);
}

/*
 * The timekeeper calls this at each tick and when the clock is set. Its lock is held and its
 * sequence count is odd, so only clocks such as ktime_get_raw_fast_ns() may be read.
 */
static int clock_updated(struct notifier_block *nb, unsigned long was_set, void *timekeeper)
{
	const struct timekeeper *tk = timekeeper;
	const s64 ahead = ktime_to_ns(tk->offs_real);

	if (likely(real_known && ahead == real_ahead))
		return NOTIFY_DONE;
	/*
	 * During suspend CLOCK_MONOTONIC stands still and the wall clock does not; this is not
	 * a step. The trace clock is adjusted later, and the first event after that takes a sample.
	 */
	if (real_known && ktime_to_ns(tk->offs_boot) == devtrace_clock_state.suspended &&
	    !take_step(real_ahead, ahead))
		WRITE_ONCE(devtrace_clock_state.next, 0);
	real_ahead = ahead;
	real_known = true;
	return NOTIFY_DONE;
}

static struct notifier_block clock_updated_nb = {
	.notifier_call	= clock_updated,
};

/**
 * devtrace_clock_sample() - copy sample number @n
 * @n: number, starting with history_oldest() of devtrace_clock_samples; set to the oldest
 *	sample if that one is overwritten
 * @s: filled in
 *
 * Return: false if no such sample exists yet.
 */
bool devtrace_clock_sample(unsigned long *n, struct clock_sample *s)
{
	return history_get(&devtrace_clock_samples, SAMPLES, samples, sizeof(*s), n, s);
}

/* Update the time spent suspended, by which boot time has advanced and the raw clock has not. */
static void update_suspended(void)
{
	u64 slept = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	u32 suspends = clock_control->suspends;
	unsigned long flags;

	WRITE_ONCE(devtrace_clock_state.suspended, slept);
	/* A program spins while the count is odd, so nothing may interrupt us here. */
	local_irq_save(flags);
	/* LMM(slept:A): the count is odd while the time changes. */
	WRITE_ONCE(clock_control->suspends, suspends + 1);
	/*
	 * LMM(slept:B): If a program reads either half of the new time, then it reads an odd or
	 * a later count afterwards. Pairs with suspended:B.
	 */
	smp_wmb();
	WRITE_ONCE(clock_control->suspended, slept);
	/*
	 * LMM(slept:C): If a program reads this even count, then it reads both halves of the
	 * new time. Pairs with suspended:A.
	 */
	smp_store_release(&clock_control->suspends, suspends + 2);
	local_irq_restore(flags);
}

#ifdef CONFIG_X86_64
static void counter_start(void)
{
	clock_tsc_start(&devtrace_clock_state.tsc, &clock_control->counter);
}

static void counter_stop(void)
{
	clock_tsc_stop();
}
#else
static void counter_start(void) { }
static void counter_stop(void) { }
#endif

/*
 * The timekeeper registered its suspend and resume functions before us. So this function runs
 * before the timekeeper is suspended, and our resume function runs after the timekeeper has
 * resumed.
 */
static int clock_suspend(COMPAT_SYSCORE_ARG)
{
	counter_stop();
	return 0;
}

static void clock_woke(void)
{
	update_suspended();
	counter_start();
	WRITE_ONCE(devtrace_clock_state.next, 0);
}

static void clock_resume(COMPAT_SYSCORE_ARG)
{
	clock_woke();
}

static struct syscore_ops clock_syscore_ops = {
	.suspend	= clock_suspend,
	.resume		= clock_resume,
};

static struct syscore clock_syscore = {
	.ops	= &clock_syscore_ops,
};

/* Suspend to idle calls this notifier, but no syscore operations. */
static int clock_pm(struct notifier_block *nb, unsigned long action, void *data)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		counter_stop();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		clock_woke();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block clock_pm_nb = {
	.notifier_call	= clock_pm,
};

static bool follows_suspend;

/*
 * Follow suspend and resume. Called after the timekeeper has registered its functions, which it
 * does as a device_initcall.
 */
void __init devtrace_clock_follow_suspend(void)
{
	register_syscore(&clock_syscore);
	follows_suspend = true;
}

/**
 * devtrace_clock_init() - start the clock
 * @control: the control page, which has the clock's constants for programs
 * @start: number of the first sample; tests set one that wraps soon
 *
 * Return: 0, -ENOMEM, or the error of register_pm_notifier().
 */
int devtrace_clock_init(struct devtrace_control *control, u32 start)
{
	int err;

	samples = kvcalloc(SAMPLES, sizeof(*samples), GFP_KERNEL);
	if (!samples)
		return -ENOMEM;
	clock_control = control;
	history_start(&devtrace_clock_samples, start);
	update_suspended();
	err = register_pm_notifier(&clock_pm_nb);
	if (err) {
		kvfree(samples);
		return err;
	}
	counter_start();
	devtrace_clock_take(devtrace_clock_now());
	pvclock_gtod_register_notifier(&clock_updated_nb);
	return 0;
}

void devtrace_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&clock_updated_nb);
	if (follows_suspend)
		unregister_syscore(&clock_syscore);
	unregister_pm_notifier(&clock_pm_nb);
	counter_stop();
	kvfree(samples);
}
