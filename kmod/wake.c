// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wake readers by watermark and timer, never once per event
 *
 * devtrace_waiting tells whether nobody waits, a reader does, or an event has
 * come since it does. The first event after a reader began to wait starts a
 * timer; when it fires everything that came meanwhile is read at once. A ring
 * that passes into another block while the timer runs wakes at once.
 *
 * An emitter stores its event, then loads devtrace_waiting; a reader stores
 * devtrace_waiting, then looks for events. A full barrier on both sides would
 * make sure that one sees the other, but emitters do not pay for one. Instead,
 * the reader that begins the waiting starts the timer too: by the time it
 * fires the store is visible everywhere, and the reader looks once more. So an
 * idle system is woken once, not forever.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "compat.h"
#include "core.h"

#define LATENCY_NS	(4 * NSEC_PER_MSEC)

int devtrace_waiting __read_mostly;
DECLARE_WAIT_QUEUE_HEAD(devtrace_wait);

static struct hrtimer wake_timer;
static DEFINE_PER_CPU(struct irq_work, wake_soon);
static DEFINE_PER_CPU(struct irq_work, wake_at_once);

static enum hrtimer_restart wake_timer_fn(struct hrtimer *t)
{
	/* If no event came since, they look once more and go on waiting. */
	cmpxchg(&devtrace_waiting, DEVTRACE_KICKED, DEVTRACE_NOBODY);
	wake_up_interruptible_all(&devtrace_wait);
	return HRTIMER_NORESTART;
}

static void wake_soon_fn(struct irq_work *w)
{
	hrtimer_start(&wake_timer, ns_to_ktime(LATENCY_NS), HRTIMER_MODE_REL_SOFT);
}

static void wake_at_once_fn(struct irq_work *w)
{
	hrtimer_start(&wake_timer, 0, HRTIMER_MODE_REL_SOFT);
}

/**
 * devtrace_wake_kick() - an event was emitted while a reader waits
 *
 * Context: any, NMI included; preemption off.
 */
void devtrace_wake_kick(void)
{
	if (cmpxchg(&devtrace_waiting, DEVTRACE_WAITING, DEVTRACE_KICKED) == DEVTRACE_WAITING)
		irq_work_queue(this_cpu_ptr(&wake_soon));
}

/**
 * devtrace_wake_later() - as devtrace_wake_kick(), in process context
 */
void devtrace_wake_later(void)
{
	preempt_disable();
	devtrace_wake_kick();
	preempt_enable();
}

/**
 * devtrace_wake_full() - a ring passed into another block
 *
 * Context: any, NMI included; preemption off.
 */
void devtrace_wake_full(void)
{
	if (READ_ONCE(devtrace_waiting) == DEVTRACE_KICKED)
		irq_work_queue(this_cpu_ptr(&wake_at_once));
}

/* A reader is about to look for events and then to wait. */
void devtrace_wake_prepare(void)
{
	if (cmpxchg(&devtrace_waiting, DEVTRACE_NOBODY, DEVTRACE_WAITING) == DEVTRACE_NOBODY)
		hrtimer_start(&wake_timer, ns_to_ktime(LATENCY_NS),
			      HRTIMER_MODE_REL_SOFT);
}

/* Something other than an event is there to be read. */
void devtrace_wake_now(void)
{
	wake_up_interruptible_all(&devtrace_wait);
}

void devtrace_wake_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		init_irq_work(per_cpu_ptr(&wake_soon, cpu), wake_soon_fn);
		init_irq_work(per_cpu_ptr(&wake_at_once, cpu), wake_at_once_fn);
	}
	compat_hrtimer_setup(&wake_timer, wake_timer_fn, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_SOFT);
}

/* No emitter and no reader is left. */
void devtrace_wake_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		irq_work_sync(per_cpu_ptr(&wake_soon, cpu));
		irq_work_sync(per_cpu_ptr(&wake_at_once, cpu));
	}
	hrtimer_cancel(&wake_timer);
}
