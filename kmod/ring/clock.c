// SPDX-License-Identifier: GPL-2.0-only
/*
 * A history of what the trace clock was on other clocks
 *
 * About once a second, when an event is emitted, the other clocks are looked
 * at; if one of them is no longer where the last sample predicts it, a sample
 * is kept. Readers put the samples between the events as CLOCK frames, so that
 * a date is right even if the wall clock was set since. The history is bounded
 * and outlives the rings.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/suspend.h>

#include "clock.h"
#include "compat/compat_syscore.h"

#define SAMPLES		512
#define PERIOD_NS	NSEC_PER_SEC
#define KEEP_NS		(64ULL * NSEC_PER_SEC)
#define DRIFT_NS	(20 * NSEC_PER_USEC)

struct clock_state devtrace_clock_state;

static struct devtrace_control *clock_control;
static struct clock_sample *samples;
struct history devtrace_clock_samples;
static atomic_t taking = ATOMIC_INIT(0);

static bool clock_drifted(u64 was, u64 is, u64 passed)
{
	s64 d = (s64)(is - was - passed);

	return d > DRIFT_NS || d < -(s64)DRIFT_NS;
}

/**
 * devtrace_clock_now() - devtrace_clock() where a call does not matter
 *
 * Context: any, NMI included.
 * Return: trace clock, ns.
 */
notrace u64 devtrace_clock_now(void)
{
	return devtrace_clock();
}

/**
 * devtrace_clock_take() - look at the other clocks, keep a sample if they moved
 * @ts: trace clock, ns
 *
 * Context: any, NMI included; one caller at a time, others do without.
 */
notrace void devtrace_clock_take(u64 ts)
{
	struct clock_sample s;
	const struct clock_sample *last;
	unsigned long n;

	if (atomic_cmpxchg_acquire(&taking, 0, 1))
		return;
	WRITE_ONCE(devtrace_clock_state.next, ts + PERIOD_NS);

	s.ts = devtrace_clock_now();
	s.mono = ktime_get_mono_fast_ns();
	s.boot = ktime_get_boot_fast_ns();
	s.real = ktime_get_real_fast_ns();

	n = devtrace_clock_samples.nr;
	last = n != devtrace_clock_samples.oldest ? &samples[(n - 1) % SAMPLES] : NULL;
	if (!last || s.ts - last->ts > KEEP_NS ||
	    clock_drifted(last->mono, s.mono, s.ts - last->ts) ||
	    clock_drifted(last->boot, s.boot, s.ts - last->ts) ||
	    clock_drifted(last->real, s.real, s.ts - last->ts)) {
		samples[n % SAMPLES] = s;
		history_add(&devtrace_clock_samples, SAMPLES);
	}
	atomic_set_release(&taking, 0);
}

/**
 * devtrace_clock_sample() - sample number @n
 * @n: number, from history_oldest() of devtrace_clock_samples on; moved forward to the
 *	oldest there is
 * @s: filled in
 *
 * Return: false if there is none yet.
 */
bool devtrace_clock_sample(unsigned long *n, struct clock_sample *s)
{
	return history_get(&devtrace_clock_samples, SAMPLES, samples, sizeof(*s), n, s);
}

/* While suspended the raw clock stands still; boot time does not. */
static void update_suspended(void)
{
	u64 slept = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	u32 suspends = clock_control->suspends;
	unsigned long flags;

	WRITE_ONCE(devtrace_clock_state.suspended, slept);
	/* A program goes round until this is done: nothing may come between. */
	local_irq_save(flags);
	/* LMM(slept:A) */
	WRITE_ONCE(clock_control->suspends, suspends + 1);
	/* LMM(slept:B): odd before it changes; pairs with suspended:B. */
	smp_wmb();
	WRITE_ONCE(clock_control->suspended, slept);
	/* LMM(slept:C): changed before it is even; pairs with suspended:A. */
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
 * We come before the timekeeper here and after it in resume, because we are
 * registered later.
 */
static int clock_suspend(COMPAT_SYSCORE_ARG)
{
	counter_stop();
	return 0;
}

static void clock_resume(COMPAT_SYSCORE_ARG)
{
	update_suspended();
	counter_start();
}

static struct syscore_ops clock_syscore_ops = {
	.suspend	= clock_suspend,
	.resume		= clock_resume,
};

static struct syscore clock_syscore = {
	.ops	= &clock_syscore_ops,
};

/* Suspend to idle does not go through syscore. */
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
		update_suspended();
		counter_start();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block clock_pm_nb = {
	.notifier_call	= clock_pm,
};

/**
 * devtrace_clock_init() - start the clock
 * @control: the page that programs see, with what they read the clock by
 * @start: where the numbers of samples begin, for tests
 *
 * Return: 0, -ENOMEM, or what register_pm_notifier() returned.
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
	register_syscore(&clock_syscore);
	counter_start();
	devtrace_clock_take(devtrace_clock_now());
	return 0;
}

void devtrace_clock_exit(void)
{
	unregister_syscore(&clock_syscore);
	unregister_pm_notifier(&clock_pm_nb);
	counter_stop();
	kvfree(samples);
}
