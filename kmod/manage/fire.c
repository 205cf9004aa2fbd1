// SPDX-License-Identifier: GPL-2.0-only
/*
 * Actions of a trigger on a stream, on the emit path
 *
 * The functions run in any context, NMI included. stream/stop.h explains how a stream stops
 * exactly; store.c and stream.c complete the stops and starts that begin here.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "emit/store.h"
#include "fire.h"
#include "stream/past.h"
#include "stream/stream.h"
#include "stream/table.h"

static struct stream *stream_of(unsigned int id)
{
	/* Preemption is off, which protects the stream even where RCU is not watching. */
	return rcu_dereference_sched_check(devtrace_streams[id], true);
}

/**
 * stream_fire_stop() - stop a stream by a trigger
 * @id: number of the stream
 * @to: STOPPED or FROZEN
 * @events: number of further events to store
 * @ns: if not 0, store no event that is more than this time newer than the event that fires. If
 *	@events is 0, store any number of events until then
 * @trigger: name of the trigger
 * @f: the stream's bit is set in it
 *
 * Context: any, NMI included; preemption off.
 * Return: false if the stream does not run.
 */
bool stream_fire_stop(unsigned int id, enum devtrace_state to, u64 events, u64 ns,
		      const char *trigger, struct firing *f)
{
	struct stream *s = stream_of(id);
	struct stop *st;

	if (!s)
		return false;
	st = &s->stop;
	/*
	 * LMM(stop:A): If an emitter reads RUN after it has read its clock, then it has read its
	 * clock before the event that fires reads the clock. Pairs with stop:B.
	 */
	if (atomic_cmpxchg(&st->phase, STOP_RUN, STOP_FIRING) != STOP_RUN)
		return false;
	WRITE_ONCE(st->cpu, smp_processor_id());
	st->began = devtrace_clock();
	/*
	 * If the stop has a time but no number of events, @left is 1 and never counted down: see
	 * stop_take_one().
	 */
	st->endless = ns && !events;
	atomic_set(&st->left, min_t(u64, events ?: st->endless, INT_MAX));
	st->ns = ns;
	WRITE_ONCE(st->to, to);
	strscpy(st->trigger, trigger, sizeof(st->trigger));
	f->streams |= BIT(id);
	return true;
}

/* Does a stream store events, without a stop in progress? Any context, preemption off. */
bool stream_runs(unsigned int id)
{
	const struct stream *s = stream_of(id);

	return s && stop_phase(&s->stop) == STOP_RUN;
}

/**
 * stream_fire_start() - start a stream by a trigger
 * @id: number of the stream
 * @trigger: name of the trigger
 *
 * A frozen stream is not started. A stream that is being stopped starts again afterwards.
 *
 * Context: any, NMI included; preemption off.
 * Return: false if the stream runs, or cannot be started.
 */
bool stream_fire_start(unsigned int id, const char *trigger)
{
	struct stream *s = stream_of(id);
	struct stop *st;

	if (!s || READ_ONCE(s->state) == DEVTRACE_STATE_FROZEN)
		return false;
	st = &s->stop;
	if (atomic_cmpxchg(&st->phase, STOP_STOPPED, STOP_STARTING) == STOP_STOPPED) {
		stream_goes_on(s, trigger);
		irq_work_queue(&s->kick);
		return true;
	}
	if (stop_phase(st) != STOP_STOPPING || READ_ONCE(st->to) == DEVTRACE_STATE_FROZEN ||
	    cmpxchg(&st->again, 0, 1))
		return false;
	strscpy(st->starter, trigger, sizeof(st->starter));
	/*
	 * LMM(stop:D): If stream_settle() reads 2, then it reads the name stored before it.
	 * Pairs with stream_settle().
	 */
	smp_store_release(&st->again, 2);
	irq_work_queue(&s->kick);
	return true;
}
