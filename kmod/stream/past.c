// SPDX-License-Identifier: GPL-2.0-only
/*
 * The history of a stream's changes of state
 *
 * The thread that moves a phase to STOPPING or STARTING owns the change, and alone adds to the
 * history. Readers take no lock: see ring/history.h.
 *
 * Each change has a count for each ring: the number of events that the ring had missed before the
 * change because the stream was stopped. From these counts a reader computes the losses of a stop,
 * and reports them between the stop and the next start. Events that are missed because of a stop
 * belong after it, so a stop has the same counts as the change before it. stream_count_missed()
 * visits all CPUs to count, so it is called after the change, with devtrace_lock held.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/string.h>

#include "past.h"
#include "ring/clock.h"
#include "stream.h"

/**
 * stream_add_past() - record a change of state
 * @s: the stream
 * @p: the change
 *
 * Context: any; the caller owns the change of phase.
 */
void stream_add_past(struct stream *s, const struct stream_past *p)
{
	s->past[s->pasts.nr % STREAM_PASTS] = *p;
	history_add(&s->pasts, STREAM_PASTS);
}

/* Record that a command changed the state at the time @now. */
void stream_add_command(struct stream *s, u8 state, u64 now)
{
	const struct stream_past p = { .ts = now, .began = now, .state = state };

	stream_add_past(s, &p);
}

/* The number of the oldest change of state in the history. */
unsigned long stream_oldest_past(const struct stream *s)
{
	return history_oldest(&s->pasts);
}

/**
 * stream_past() - copy a change of state
 * @s: the stream
 * @n: its number, first that of stream_oldest_past(); if the change was overwritten, set to the
 *	number of the oldest one that is left
 * @p: filled in
 *
 * Return: false if change @n has not happened yet.
 */
bool stream_past(struct stream *s, unsigned long *n, struct stream_past *p)
{
	return history_get(&s->pasts, STREAM_PASTS, s->past, sizeof(*p), n, p);
}

/*
 * Are the events missed before change @n counted? If so, read the counts with stream_missed(); they
 * are valid if stream_remembers() returns true afterwards.
 */
bool stream_counted(const struct stream *s, unsigned long n)
{
	/* LMM(missed:B): pairs with missed:A. */
	return (long)(n - smp_load_acquire(&s->counted)) < 0;
}

/* See stream_counted(). */
bool stream_remembers(const struct stream *s, unsigned long n)
{
	/*
	 * LMM(missed:D): If the copied count has overwritten the count of change @n, then the
	 * number loaded below shows that. Pairs with missed:C.
	 */
	smp_rmb();
	return READ_ONCE(s->pasts.nr) - n < STREAM_PASTS;
}

/**
 * stream_missed() - number of events that a ring had missed before a change of state
 * @s: the stream
 * @n: the number of the change, for which stream_counted() returned true
 * @cpu: the ring's CPU
 *
 * Return: the number since the stream was created, valid only if stream_remembers() returns true
 *	afterwards. Events missed while the stream was stopping count after the stop.
 */
u64 stream_missed(const struct stream *s, unsigned long n, unsigned int cpu)
{
	/* The entry may be overwritten meanwhile. */
	return data_race(s->missed[n % STREAM_PASTS * nr_cpu_ids + cpu]);
}

/*
 * Let a stream that is STARTING store events again. @trigger: name of the trigger that started it,
 * or empty. Any context.
 */
void stream_goes_on(struct stream *s, const char *trigger)
{
	const u64 now = devtrace_clock_now();
	struct stream_past p = { .ts = now, .began = now, .state = DEVTRACE_STATE_RUNNING };

	if (*trigger)
		p.fired_at = now;
	strscpy(p.trigger, trigger, sizeof(p.trigger));
	stream_add_past(s, &p);
	/* stream_settle() has waited for all emitters that may set @early. */
	WRITE_ONCE(s->stop.early, false);
	/* If an emitter sees RUN, the history already has the change. */
	atomic_set_release(&s->stop.phase, STOP_RUN);
}
