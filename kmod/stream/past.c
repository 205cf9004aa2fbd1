// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a stream stopped and went on, and why
 *
 * The thread that moves a phase to STOPPING or STARTING owns the change and alone adds to
 * the past. Readers take no lock: see ring/history.h.
 *
 * With each change goes how many events each ring had missed by then because the stream was
 * stopped, so that a reader tells them between the two changes that they belong between. A
 * stop counts from what was missed before it began, and so has the number of the change
 * before it. Counting looks at all CPUs: it is done behind the change, by stream.c, with
 * devtrace_lock.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/string.h>

#include "past.h"
#include "ring/clock.h"
#include "stream.h"

/**
 * stream_add_past() - what a stream does from here on
 * @s: the stream
 * @state: enum devtrace_state
 * @ts: from when
 * @began: from when on events may not have been stored
 * @fired_at: time of the event that met the trigger, 0 without one
 * @trigger: its name, or empty
 *
 * Context: any, by whoever owns the change of phase.
 */
void stream_add_past(struct stream *s, u8 state, u64 ts, u64 began, u64 fired_at,
		     const char *trigger)
{
	struct stream_past *p = &s->past[s->pasts.nr % STREAM_PASTS];

	p->ts = ts;
	p->began = began;
	p->fired_at = fired_at;
	p->state = state;
	strscpy(p->trigger, trigger, sizeof(p->trigger));
	history_add(&s->pasts, STREAM_PASTS);
}

/* The number of the oldest change of state that is remembered. */
unsigned long stream_oldest_past(const struct stream *s)
{
	return history_oldest(&s->pasts);
}

/**
 * stream_past() - a change of state
 * @s: the stream
 * @n: its number, from stream_oldest_past() on; moved forward to the oldest that is
 *	remembered
 * @p: filled in
 *
 * Return: false if there is none yet.
 */
bool stream_past(struct stream *s, unsigned long *n, struct stream_past *p)
{
	return history_get(&s->pasts, STREAM_PASTS, s->past, sizeof(*p), n, p);
}

/**
 * stream_counted() - whether what was missed before a change of state is counted by now
 * @s: the stream
 * @n: the number of the change
 *
 * The counts may be read then; they were right if stream_remembers() says so afterwards.
 */
bool stream_counted(const struct stream *s, unsigned long n)
{
	/* LMM(missed:B): pairs with missed:A. */
	return (long)(n - smp_load_acquire(&s->counted)) < 0;
}

/* See stream_counted(). */
bool stream_remembers(const struct stream *s, unsigned long n)
{
	/* LMM(missed:D): the copy before the number of changes; pairs with missed:C. */
	smp_rmb();
	return READ_ONCE(s->pasts.nr) - n < STREAM_PASTS;
}

/**
 * stream_missed() - how many events of a ring were not stored before a change of state
 * @s: the stream
 * @n: the number of the change; stream_counted(), and stream_remembers() is to be asked
 * @cpu: whose ring
 *
 * Return: how many, since the stream was made; while a stream stops, those that the stop
 * makes it miss belong behind the change.
 */
u64 stream_missed(const struct stream *s, unsigned long n, unsigned int cpu)
{
	/* It may be overwritten meanwhile. */
	return data_race(s->missed[n % STREAM_PASTS * nr_cpu_ids + cpu]);
}

/**
 * stream_goes_on() - a stream that was stopped stores events again
 * @s: the stream, STARTING
 * @trigger: who wants it to
 *
 * Context: any.
 */
void stream_goes_on(struct stream *s, const char *trigger)
{
	const u64 now = devtrace_clock_now();

	stream_add_past(s, DEVTRACE_STATE_RUNNING, now, now, *trigger ? now : 0, trigger);
	/* The past before the events. */
	atomic_set_release(&s->stop.phase, STOP_RUN);
}
