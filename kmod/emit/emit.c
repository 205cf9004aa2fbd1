// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the kernel emits events
 *
 * An emitter uses the ring of its CPU, with preemption off from reservation to commit. Nothing
 * here takes a lock, allocates memory or sleeps. Every event that is not stored is counted, by
 * cause.
 *
 * An event that other streams or triggers want besides stream 0 is built outside the rings: see
 * slots.c.
 *
 * All functions that an event of a driver or of the kernel passes through are notrace, here and in
 * the files used from here. Otherwise the function tracer would write an event of its own for each
 * call. That event wakes readers by an interrupt, the interrupt causes a profile event, and the
 * function tracer would trace that event again, without end.
 */
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "counts.h"
#include "emit.h"
#include "filter.h"
#include "slots.h"
#include "stream/rings.h"
#include "stream/wake.h"

/*
 * Nothing is wanted until filter_init(). So an event that is emitted earlier, by a driver in the
 * kernel's image, uses neither rings nor filters.
 */
unsigned long devtrace_wanted[256 / BITS_PER_LONG] __read_mostly;
EXPORT_SYMBOL_GPL(devtrace_wanted);
unsigned long devtrace_objects[256 / BITS_PER_LONG] __read_mostly;
EXPORT_SYMBOL_GPL(devtrace_objects);
/* An invalid severity byte has no bit, so the driver's test fails and reports it. */
u32 devtrace_severities __read_mostly;
EXPORT_SYMBOL_GPL(devtrace_severities);

u32 emit_severe __read_mostly;
void (*emit_severe_told)(struct ring *r) __read_mostly;

/* Count an event as dropped: it does not fit into this ring, or the ring has no memory. */
noinline notrace void emit_unfit(struct ring *r)
{
	ring_count_inc(&r->dropped[READ_ONCE(r->too_long) ? RING_DROP_TOOBIG :
							RING_DROP_NORING]);
}

static noinline notrace u32 emit_wants_of(const struct filter_table *t, unsigned int type, u32 who,
					  u32 key)
{
	u32 set = filter_wants(t, type, who, key);

	if (unlikely(t->has & FILTER_HAS_PROCESSES))
		set &= filter_wants_process(t, current, emit_in_task(preempt_count()));
	return set;
}

/**
 * emit_wants() - look up which streams and triggers want an event
 * @type: event type
 * @who: flags and severity
 * @data: payload: begins with code, object and signal if the flags say so
 *
 * Uses one table for the whole lookup: parts of two tables would make a filter that was never set.
 *
 * Context: any, preemption off until the event is stored; devtrace_proc_seen() done.
 */
notrace u32 emit_wants(unsigned int type, u32 who, const u8 *data)
{
	const struct filter_table *t = emit_table();
	u32 set = filter_wants_data(t, type, who, data);

	if (unlikely(t->has & FILTER_HAS_PROCESSES))
		set &= filter_wants_process(t, current, emit_in_task(preempt_count()));
	return set;
}

noinline notrace struct ring_record *emit_reserve_entered(struct ring *r, unsigned int id,
							  unsigned int type, u32 who,
							  unsigned int len, u64 *now)
{
	return __emit_reserve_entered(r, id, type, who, len, now);
}

/*
 * Reserve an event that is severe, or that streams or triggers besides stream 0 want. If !@fits,
 * drop and count it.
 */
static noinline notrace void *emit_kernel_beside(struct ring *r, u32 set, unsigned int type,
						 u32 who, unsigned int len, bool fits)
{
	if (fits)
		return emit_slot_reserve(r, set, type, who, len);
	emit_unfit(r);
	devtrace_wake_kick(0);
	preempt_enable_notrace();
	return NULL;
}

static __always_inline void *emit_kernel_payload(struct ring_record *rec)
{
	if (likely(rec))
		return rec->data;
	preempt_enable_notrace();
	return NULL;
}

/* Reserve room for any event and any filter set; preemption is off. */
static noinline notrace void *emit_kernel_any(unsigned int type, u32 who, unsigned int len, u32 key)
{
	struct ring *r = __this_cpu_read(devtrace_ring);
	bool quick, severe;
	u32 set;
	u64 now;

	/* Call this before the lookup, which uses the verdict on this thread. */
	devtrace_proc_seen(current);
	severe = emit_is_severe(who);
	if (unlikely(len >= READ_ONCE(r->gate)) || severe) {
		set = emit_wants_of(emit_table(), type, who, key);
		quick = set == READ_ONCE(devtrace_quick_set);
		/* Evaluate each condition once: a resize or a trigger may change it meanwhile. */
		if (unlikely(!quick || len >= READ_ONCE(r->too_long)) || severe)
			return emit_kernel_beside(r, set, type, who, len, !quick || severe);
	}
	ring_enter(r);
	return emit_kernel_payload(emit_reserve_entered(r, 0, type, who, len, &now));
}

/* Reserve room for an event after emit_try() has entered the ring and failed. */
static noinline notrace void *emit_kernel_entered(unsigned int type, u32 who, unsigned int len)
{
	struct ring *r = __this_cpu_read(devtrace_ring);
	u64 now;

	return emit_kernel_payload(emit_reserve_entered(r, 0, type, who, len, &now));
}

static noinline notrace void *emit_kernel_clock_due(struct ring_record *rec, u64 now)
{
	devtrace_clock_take(now);
	return rec->data;
}

/* This machine's NMIs must not touch a ring: drop the event, and count it. */
static noinline notrace void *emit_kernel_no_nmi(struct ring *r)
{
	ring_count_inc_nmi(&r->dropped[RING_DROP_BUSY]);
	preempt_enable_notrace();
	return NULL;
}

static __always_inline void *emit_kernel(unsigned int type, u32 who, unsigned int len, u32 key,
					 bool plain)
{
	struct ring_record *rec;
	struct ring *r;
	u32 others = 0;
	u64 now;

	preempt_disable_notrace();
	who |= emit_context();
	r = __this_cpu_read(devtrace_ring);
	if (RING_NO_NMI && unlikely(preempt_count() & NMI_MASK))
		return emit_kernel_no_nmi(r);
	if (unlikely(!quick_may(r, type, who, len, plain, &others)) ||
	    (!plain && emit_is_severe(who))) {
		if (others)
			return emit_slot_reserve(r, others, type, who, len);
		return emit_kernel_any(type, who, len, key);
	}
	rec = emit_try(r, type, who, len, &now);
	if (unlikely(!rec))
		return emit_kernel_entered(type, who, len);
	if (devtrace_clock_due(now))
		return emit_kernel_clock_due(rec, now);
	return rec->data;
}

/**
 * __devtrace_reserve() - reserve an event
 * @type: event type
 * @who: __DEVTRACE_PTR or 0: from the kernel, without severity, code, object and signal
 * @len: bytes of payload
 *
 * Return: where to write the payload, with preemption off until __devtrace_commit(); NULL if
 *	the event was dropped or filtered.
 */
notrace void *__devtrace_reserve(unsigned int type, u32 who, unsigned int len)
{
	return emit_kernel(type, who, len, 0, true);
}
EXPORT_SYMBOL_GPL(__devtrace_reserve);

/**
 * __devtrace_reserve_for() - reserve an event with a severity, a code, or object and signal
 * @type: event type
 * @who: __DEVTRACE_* flags and severity
 * @len: bytes of payload
 * @key: the code, or object | signal << 16
 *
 * Return: see __devtrace_reserve().
 */
notrace void *__devtrace_reserve_for(unsigned int type, u32 who, unsigned int len, u32 key)
{
	return emit_kernel(type, who, len, key, false);
}
EXPORT_SYMBOL_GPL(__devtrace_reserve_for);

/**
 * __devtrace_commit() - commit the event reserved last on this CPU
 */
notrace void __devtrace_commit(void)
{
	struct ring *r = __this_cpu_read(devtrace_ring);

	barrier();
	if (likely(ring_nest(r) == 1)) {
		ring_leave_last(r);
		wake_stream0();
	} else {
		emit_slot_commit(r);
	}
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(__devtrace_commit);
