// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wake readers by watermark and timer, never once per event
 *
 * devtrace_waiting has two bits for each stream: one says that a reader waits, the other that an
 * event was emitted since the reader began to wait. That event starts a timer. When the timer
 * fires, readers wake and read all events that have come meanwhile. A ring that enters another
 * block while the timer runs wakes readers at once.
 *
 * The timer fires at once if no event has woken a reader for LATENCY_NS, and otherwise when this
 * time has passed. So a reader sees an event that comes after a rest within microseconds, and a
 * stream of events wakes it at most once in LATENCY_NS.
 *
 * An emitter stores its event, then loads devtrace_waiting; a reader stores devtrace_waiting, then
 * looks for events. Full barriers on both sides would guarantee that one sees the other, but an
 * emitter's fast path has none. Instead, a reader that begins to wait starts the timer, too: when
 * it fires, the store is visible on all CPUs, and the reader looks once more. So an idle system is
 * woken once, not forever.
 *
 * If a stream has a watermark, its readers wait only for that: they wake when a ring enters another
 * block, and then check the amount.
 *
 * Waking a reader, and reading, cause kernel profile events. So while such types are on, readers
 * wake at most ten times a second: reading adds few events, and never more than were read.
 * cdev_read.c delays a reader that has drained the stream, so that it waits.
 *
 * A thread that writes into a lane calls nobody. So while readers wait, the timer also calls
 * wake_look(), which looks for such events, and asks for another call while more may come.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "profile_ops.h"
#include "stream.h"
#include "table.h"
#include "wake.h"

#define LATENCY_NS	(4 * NSEC_PER_MSEC)
#define LATENCY_PROFILE_NS (100 * NSEC_PER_MSEC)
/* A woken reader itself fills some blocks, which must not wake it again. */
#define PROFILE_BLOCKS	16
#define KICKED_SHIFT	16

u32 devtrace_waiting __read_mostly;

/* Streams whose readers began to wait since the timer fired; whose rings entered another block. */
static atomic_t wake_fresh = ATOMIC_INIT(0), wake_passed = ATOMIC_INIT(0);
static struct hrtimer wake_timer;
/* When the timer last woke readers for an event; CLOCK_MONOTONIC, ns. */
static atomic64_t wake_last = ATOMIC64_INIT(0);
static wake_look_t wake_look;
static DEFINE_PER_CPU(struct irq_work, wake_soon);
static DEFINE_PER_CPU(struct irq_work, wake_looks);
static DEFINE_PER_CPU(struct irq_work, wake_at_once);
static DEFINE_PER_CPU(unsigned int, wake_blocks);

/* Set and clear bits; return false if none changed. */
static bool change_waiting(u32 set, u32 clear)
{
	u32 old = READ_ONCE(devtrace_waiting), was;

	for (;;) {
		const u32 new = (old & ~clear) | set;

		if (new == old)
			return false;
		was = cmpxchg(&devtrace_waiting, old, new);
		if (was == old)
			return true;
		old = was;
	}
}

static noinline notrace void start_wake_timer(void)
{
	hrtimer_start(&wake_timer, READ_ONCE(devtrace_profile_on) ? LATENCY_PROFILE_NS : LATENCY_NS,
		      HRTIMER_MODE_REL_SOFT);
}

/* Start the timer, unless it runs: frequent calls do not postpone it. Any context but NMI. */
void wake_start(void)
{
	/* Ask the timer, not a flag: its setter may be preempted before it starts the timer. */
	if (!hrtimer_is_queued(&wake_timer))
		start_wake_timer();
}

/* The streams with readers in their wait queues. Any context but NMI. */
static notrace u32 streams_with_waiters(void)
{
	struct stream *s;
	unsigned int id;
	u32 ids = 0;

	/* A thread preempted in an RCU section would delay every grace period. */
	preempt_disable();
	for (id = 0; id < DEVTRACE_STREAMS_MAX; id++) {
		s = rcu_dereference_sched_check(devtrace_streams[id], true);
		/* A reader that begins to wait starts the timer itself: see wake:C. */
		if (s && waitqueue_active(&s->wait))
			ids |= BIT(id);
	}
	preempt_enable();
	return ids;
}

static enum hrtimer_restart wake_timer_fn(struct hrtimer *t)
{
	unsigned long ids;
	u32 waiters;
	bool again = false, found;
	unsigned int id;
	u32 kicked;

	/*
	 * LMM(wake:A): The timer is not queued any more, before we look for whom and for what it
	 * was started. Pairs with the full barriers before callers of wake_start() look at the
	 * timer, and with the scheduler's lock.
	 */
	smp_mb();
	kicked = READ_ONCE(devtrace_waiting) & GENMASK(31, KICKED_SHIFT);
	ids = atomic_xchg(&wake_fresh, 0) | atomic_xchg(&wake_passed, 0) | kicked >> KICKED_SHIFT;
	/* The readers look once more, and wait on if no event came. */
	change_waiting(0, kicked);
	/* A reader that begins to wait starts the timer itself: see wake:C. */
	waiters = streams_with_waiters();
	found = waiters && wake_look(&again);
	if (found)
		ids |= waiters;
	if (kicked || found)
		atomic64_set(&wake_last, ktime_get_ns());
	/* With PREEMPT_RT we can be preempted here, and waking takes a sleeping lock. */
	for_each_set_bit(id, &ids, DEVTRACE_STREAMS_MAX) {
		struct stream *s = stream_get(id);

		if (!s)
			continue;
		wake_up_interruptible_all(&s->wait);
		stream_put(s);
	}
	/* The same. */
	if (again && streams_with_waiters())
		wake_start();
	return HRTIMER_NORESTART;
}

/* An event came. */
static void wake_soon_fn(struct irq_work *w)
{
	const s64 since = ktime_get_ns() - atomic64_read(&wake_last);

	if (READ_ONCE(devtrace_profile_on))
		wake_start();
	else
		hrtimer_start(&wake_timer, since < LATENCY_NS ? LATENCY_NS - since : 0,
			      HRTIMER_MODE_REL_SOFT);
}

/* A thread runs that may write into a lane. */
static void wake_looks_fn(struct irq_work *w)
{
	wake_start();
}

static void wake_at_once_fn(struct irq_work *w)
{
	hrtimer_start(&wake_timer, 0, HRTIMER_MODE_REL_SOFT);
}

/*
 * An event was emitted: start the timer if a reader waits. Any context, NMI included; preemption
 * off.
 */
notrace void devtrace_wake_kick(unsigned int id)
{
	if (READ_ONCE(devtrace_waiting) & BIT(id) &&
	    change_waiting(BIT(id + KICKED_SHIFT), BIT(id)))
		irq_work_queue(this_cpu_ptr(&wake_soon));
}

/* Start the timer for waiting readers of all streams. Process context. */
void devtrace_wake_later(void)
{
	unsigned int id;

	preempt_disable();
	for (id = 0; id < DEVTRACE_STREAMS_MAX; id++)
		devtrace_wake_kick(id);
	preempt_enable();
}

/* A ring entered another block. Any context, NMI included; preemption off. */
notrace void devtrace_wake_full(unsigned int id)
{
	struct stream *s = rcu_dereference_sched_check(devtrace_streams[id], true);

	if (s && READ_ONCE(s->watermark)) {
		atomic_or(BIT(id), &wake_passed);
		irq_work_queue(&s->kick);
		irq_work_queue(this_cpu_ptr(&wake_at_once));
	} else if (READ_ONCE(devtrace_waiting) & BIT(id + KICKED_SHIFT)) {
		if (READ_ONCE(devtrace_profile_on) &&
		    this_cpu_inc_return(wake_blocks) % PROFILE_BLOCKS)
			return;
		irq_work_queue(this_cpu_ptr(&wake_at_once));
	}
}

/*
 * wake_look() may find something new. Any context but NMI; preemption off, and after a full barrier
 * or with the scheduler's lock.
 */
notrace void wake_look_soon(void)
{
	/* A reader that begins to wait starts the timer itself: see wake:C. */
	if (!hrtimer_is_queued(&wake_timer) && streams_with_waiters())
		irq_work_queue(this_cpu_ptr(&wake_looks));
}

/* A reader of the stream is about to look for events and then wait. */
void wake_prepare(struct stream *s)
{
	if (READ_ONCE(s->watermark) ||
	    READ_ONCE(devtrace_waiting) & (BIT(s->id) | BIT(s->id + KICKED_SHIFT)))
		return;
	if (change_waiting(BIT(s->id), 0)) {
		atomic_or(BIT(s->id), &wake_fresh);
		start_wake_timer();
	}
}

/* Wake the readers of a stream soon. Any context but NMI. */
void wake_again(struct stream *s)
{
	atomic_or(BIT(s->id), &wake_fresh);
	/* LMM(wake:B): if the timer is still queued, its callback reads this bit: see wake:A. */
	smp_mb__after_atomic();
	wake_start();
}

/* Wake the readers of all streams soon. Any context but NMI. */
void wake_again_all(void)
{
	atomic_or(GENMASK(DEVTRACE_STREAMS_MAX - 1, 0), &wake_fresh);
	/* LMM(wake:D): as wake:B. Pairs with wake:A. */
	smp_mb__after_atomic();
	wake_start();
}

void devtrace_wake_init(wake_look_t look)
{
	int cpu;

	wake_look = look;
	for_each_possible_cpu(cpu) {
		init_irq_work(per_cpu_ptr(&wake_soon, cpu), wake_soon_fn);
		init_irq_work(per_cpu_ptr(&wake_looks, cpu), wake_looks_fn);
		init_irq_work(per_cpu_ptr(&wake_at_once, cpu), wake_at_once_fn);
	}
	compat_hrtimer_setup(&wake_timer, wake_timer_fn, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_SOFT);
}

/* Called when no emitter and no reader is left. */
void devtrace_wake_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		irq_work_sync(per_cpu_ptr(&wake_soon, cpu));
		irq_work_sync(per_cpu_ptr(&wake_looks, cpu));
		irq_work_sync(per_cpu_ptr(&wake_at_once, cpu));
	}
	hrtimer_cancel(&wake_timer);
}
