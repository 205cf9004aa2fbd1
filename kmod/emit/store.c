// SPDX-License-Identifier: GPL-2.0-only
/*
 * Store an event in all streams that want it
 *
 * This is the slow path, for events that streams or triggers besides stream 0 want, and for all
 * events while stream 0 may have to stop. Triggers see the complete event before any stream stores
 * it, so a stream also stores the event that started it. stop.h explains how a stream stops at the
 * exact event.
 *
 * The rings of streams that run are entered together. The clock is read once for all of them, after
 * their heads, so time never runs backwards in any of them. Then each ring gets its record.
 * A ring that must make room first reads the clock again.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "control_ops.h"
#include "emit.h"
#include "event.h"
#include "filter.h"
#include "payload.h"
#include "store.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"

/* Turns of a waiting loop; they take about ten times as long as storing an event. */
#define WAIT_TRIES	1000

static struct stream *stream_of(unsigned int id)
{
	/* Emitters have preemption off, even where RCU is not watching. */
	return rcu_dereference_sched_check(devtrace_streams[id], true);
}

/* Wait briefly while another CPU stores the event that fired; return the phase. */
static noinline notrace enum stop_phase wait_fired(const struct stop *st)
{
	enum stop_phase phase;
	int tries = 0;

	do {
		phase = stop_phase(st);
		if (phase != STOP_FIRING || READ_ONCE(st->cpu) == smp_processor_id())
			break;
		cpu_relax();
	} while (++tries < WAIT_TRIES);
	return phase;
}

/* Use up one of the events that the stream still stores; return false if none is left. */
static notrace bool stop_take_one(struct stop *st)
{
	return st->endless || atomic_dec_if_positive(&st->left) >= 0;
}

static bool too_late(const struct stop *st, u64 now)
{
	const u64 ts = READ_ONCE(st->ts);

	return st->ns && now - ts > st->ns && now > ts;
}

/* The stream has stored its last event: stop. */
static void stop_now(struct stream *s)
{
	atomic_cmpxchg(&s->stop.phase, STOP_COUNT, STOP_STOPPING);
	irq_work_queue(&s->kick);
}

/* Set the time of the event that fired. noinline: a test has a probe here. */
static noinline notrace void stop_fired_at(struct stream *s, u64 ts)
{
	struct stop *st = &s->stop;
	int tries = 0;

	WRITE_ONCE(st->ts, ts);
	/* A CPU that sees COUNT must read a later time than @ts, even if the clock is coarse. */
	while (devtrace_clock_now() <= ts && ++tries < WAIT_TRIES)
		cpu_relax();
	/*
	 * LMM(stop:C): If an emitter reads COUNT, then it reads this time. Pairs with stop_phase().
	 */
	atomic_set_release(&st->phase, STOP_COUNT);
	if (!atomic_read(&st->left))
		stop_now(s);
	else if (st->ns)
		irq_work_queue(&s->kick);
}

static void drop_event(struct stream *s, struct ring *r, unsigned int cause)
{
	ring_count_inc(&r->dropped[cause]);
	devtrace_wake_kick(s->id);
}

/* An event is dropped while another one fires: readers report it with the stop. */
static noinline notrace void note_early(struct stop *st)
{
	WRITE_ONCE(st->early, true);
	/*
	 * LMM(early:A): If a reader reads the count that the caller increments, or the record that
	 * it withdraws, then it reads that the loss is an early one. Pairs with early:B.
	 */
	smp_wmb();
}

/* Readers merge by time and CPU: do they show this CPU's event before the one that fired? */
static bool reads_before(const struct stop *st, u64 now)
{
	const u64 ts = READ_ONCE(st->ts);

	return now != ts ? now < ts : smp_processor_id() <= READ_ONCE(st->cpu);
}

/*
 * The phase was RUN before the clock was read, and has changed since. Return true if the event is
 * kept; set @took if it used up one of the events that the stream still stores.
 */
static noinline notrace bool is_kept(struct stop *st, u64 now, bool *took)
{
	switch (wait_fired(st)) {
	case STOP_RUN:
		return true;
	case STOP_FIRING:
		note_early(st);
		return false;
	default:
		if (reads_before(st, now))
			return true;
		*took = !too_late(st, now) && stop_take_one(st);
		return *took;
	}
}

/* Report a severe event. It is committed, unless it interrupted an incomplete event. */
static void tell_severe(struct ring *r)
{
	void (*told)(struct ring *r) = READ_ONCE(emit_severe_told);

	if (told)
		told(r);
}

/*
 * Commit a record of an event that used up one of those that the stream still stores, or whose
 * clock was read while the stream was about to stop. It may have to be withdrawn.
 */
static noinline notrace void store_judged(struct stream *s, struct ring *r,
					  struct ring_record *rec, u64 now, bool took)
{
	struct stop *st = &s->stop;

	if (took ? too_late(st, now) : !is_kept(st, now, &took))
		ring_void(rec);
	ring_leave(r);
	if (took && (!atomic_read(&st->left) || too_late(st, now)))
		stop_now(s);
}

/* Commit a record. The phase was RUN before the clock was read, or the event @took one. */
static __always_inline void store_commit(struct stream *s, struct ring *r,
					 struct ring_record *rec, u64 now, bool took)
{
	/*
	 * LMM(stop:B): If the phase loaded below is RUN, then this event's clock was read before
	 * the clock of the event that fires next. Pairs with stop:A.
	 */
	smp_mb();
	if (unlikely(took || stop_phase(&s->stop) != STOP_RUN))
		store_judged(s, r, rec, now, took);
	else
		ring_leave(r);
}

/* Store an event that fires or is severe, or in a stream that stops, or that does not fit. */
static void store_carefully(struct stream *s, const struct event *ev, bool fires)
{
	struct ring *r = this_cpu_ptr(s->rings);
	struct stop *st = &s->stop;
	struct ring_record *rec;
	enum stop_phase phase;
	bool took = false;
	u64 now;

	if (unlikely(ev->len >= READ_ONCE(r->too_long))) {
		emit_unfit(r);
		devtrace_wake_kick(s->id);
		return;
	}
	phase = stop_phase(st);
	if (unlikely(phase != STOP_RUN) && !fires) {
		if (phase == STOP_FIRING)
			phase = wait_fired(st);
		if (phase == STOP_COUNT)
			took = stop_take_one(st);
		if (!took && phase != STOP_RUN) {
			if (phase == STOP_FIRING)
				note_early(st);
			drop_event(s, r, RING_DROP_STOPPED);
			return;
		}
	}

	rec = emit_reserve(r, s->id, ev->type, ev->who, ev->len, &now);
	if (unlikely(!rec)) {
		if (took)
			atomic_inc(&st->left);
		return;
	}
	memcpy(rec->data, ev->data, ev->len);
	if (unlikely(fires)) {
		ring_leave(r);
		stop_fired_at(s, now);
	} else {
		store_commit(s, r, rec, now, took);
	}
	if (emit_is_severe(ev->who) && s == &devtrace_stream0)
		tell_severe(r);
}

/**
 * struct entered - a ring that store_all() has entered for an event
 * @s: its stream
 * @r: the ring of this CPU
 * @head: its head, loaded before the clock was read
 */
struct entered {
	struct stream	*s;
	struct ring	*r;
	u64		head;
};

/* Store an event in a ring that was entered, if store_entered() cannot reserve in one step. */
static noinline notrace void store_entered_slow(const struct entered *e, const struct event *ev)
{
	struct ring_record *rec;
	u64 now;

	rec = emit_reserve_entered(e->r, e->s->id, ev->type, ev->who, ev->len, &now);
	if (!rec)
		return;
	memcpy(rec->data, ev->data, ev->len);
	store_commit(e->s, e->r, rec, now, false);
}

/* Store an event that does not fire in rings that were entered while their streams ran. */
static __always_inline void store_entered(const struct entered *e, const struct entered *end,
					  const struct event *ev)
{
	const u32 type = ev->type, who = ev->who | current->pid, len = ev->len;
	const u8 *data = ev->data;
	struct ring_record *rec;
	unsigned int n = 0;
	u64 now;

	if (unlikely(!devtrace_clock_quick(&now))) {
		for (; e < end; e++)
			store_entered_slow(e, ev);
		return;
	}
	/* Readers need the sample before the event. */
	devtrace_clock_event(now);
	for (; e < end; e++) {
		rec = ring_try_reserve(e->r, len, type, e->head, now);
		if (unlikely(!rec)) {
			store_entered_slow(e, ev);
			continue;
		}
		rec->who = who;
		payload_copy(rec->data, data, len);
		store_commit(e->s, e->r, rec, now, false);
		n++;
	}
	emit_count_many(type, n);
}

/* store_carefully() in several streams; @fires: those that stop with this event */
static noinline notrace void store_rest(u32 streams, const struct event *ev, u32 fires)
{
	while (streams) {
		const unsigned int id = __ffs(streams);
		struct stream *s = stream_of(id);

		if (s)
			store_carefully(s, ev, fires & BIT(id));
		streams &= streams - 1;
	}
}

/* Readers of these streams wait, and an event was stored. */
static noinline notrace void store_wake(u32 streams)
{
	while (streams) {
		devtrace_wake_kick(__ffs(streams));
		streams &= streams - 1;
	}
}

/*
 * These streams stop without having stored the event that fired: it was filtered or found no room.
 */
static noinline notrace void store_fired(u32 streams)
{
	while (streams) {
		struct stream *s = stream_of(__ffs(streams));

		if (s && stop_phase(&s->stop) == STOP_FIRING &&
		    READ_ONCE(s->stop.cpu) == smp_processor_id())
			stop_fired_at(s, devtrace_clock_now());
		streams &= streams - 1;
	}
}

/*
 * Store an event that the streams and triggers in @set want. Any context, NMI included; preemption
 * off. @ev->who has the context.
 */
notrace void store_all(u32 set, const struct event *ev)
{
	struct entered in[DEVTRACE_STREAMS_MAX] COMPAT_UNINITIALIZED, *end = in;
	struct firing f = { 0 };
	u32 streams = set & FILTER_STREAMS, rest = 0;

	if (set & FILTER_TRIGGERS)
		control_event(set, ev, &f);
	if (!(set & FILTER_STREAM0))
		emit_not_wanted(ev->type);
	if (unlikely(f.streams || emit_is_severe(ev->who))) {
		rest = streams;
		streams = 0;
	}
	while (streams) {
		const unsigned int id = __ffs(streams);
		struct stream *s = stream_of(id);
		struct ring *r;

		streams &= streams - 1;
		if (unlikely(!s))
			continue;
		r = this_cpu_ptr(s->rings);
		if (unlikely(ev->len >= READ_ONCE(r->too_long) ||
			     stop_phase(&s->stop) != STOP_RUN)) {
			rest |= BIT(id);
			continue;
		}
		ring_enter(r);
		*end++ = (struct entered){ s, r, ring_load(&r->head) };
	}
	if (likely(end != in))
		store_entered(in, end, ev);
	if (unlikely(rest))
		store_rest(rest, ev, f.streams);
	streams = READ_ONCE(devtrace_waiting) & set & FILTER_STREAMS;
	if (unlikely(streams))
		store_wake(streams);
	if (unlikely(f.streams))
		store_fired(f.streams);
}
