/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the functions that emit for the kernel and for programs
 *
 * Each ring of stream 0 has a gate: events shorter than this length go directly into the ring.
 * While stream 0 wants everything, the gate is open: all events that fit into the ring are
 * shorter. Otherwise the gate is closed: it is 0, no event is shorter, and each event is looked up
 * with emit_wants(). So the lookup costs nothing while there is no filter. After the lookup, an
 * event that only stream 0 wants continues on the fast path. An event that other streams or
 * triggers want goes through store_all().
 */
#ifndef DEVTRACE_EMIT_H
#define DEVTRACE_EMIT_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "counts.h"
#include "filter.h"
#include "proc.h"
#include "ring/ring.h"
#include "stream/rings.h"
#include "stream/wake.h"

static __always_inline const struct filter_table *emit_table(void)
{
	/* Preemption is off, even where RCU is not watching. */
	return rcu_dereference_sched_check(devtrace_table, true);
}

/*
 * emit_severe_told is called when an event of severity level 2 or 3 is committed, with the ring
 * of stream 0 on this CPU; any context, preemption off. While it is not NULL, emit_severe is
 * EMIT_SEVERE, and events of these levels take the slow path.
 */
extern u32 emit_severe;
extern void (*emit_severe_told)(struct ring *r);
/* This bit is set in @who of an event of severity level 2 or 3, of hardware or of software. */
#define EMIT_SEVERE		(2U << RING_WHO_SEV_SHIFT)

static __always_inline bool emit_is_severe(u32 who)
{
	return unlikely(who & READ_ONCE(emit_severe));
}

void emit_unfit(struct ring *r);
u32 emit_wants(unsigned int type, u32 who, const u8 *data);

/* Severities that events may have: bit n is severity byte n, and bit 0 is "no severity". */
#define EMIT_SEVERITIES		0xff01U

static __always_inline bool emit_in_task(unsigned int pc)
{
	/* Without PREEMPT_RT, one test suffices. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return !(pc & (NMI_MASK | HARDIRQ_MASK)) && !in_serving_softirq();
	return !(pc & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
}

static __always_inline u32 emit_context(void)
{
	const unsigned int pc = preempt_count();

	if (likely(emit_in_task(pc)))
		return DEVTRACE_CTX_TASK << RING_WHO_CTX_SHIFT;
	if (pc & NMI_MASK)
		return DEVTRACE_CTX_NMI << RING_WHO_CTX_SHIFT;
	if (pc & HARDIRQ_MASK)
		return DEVTRACE_CTX_IRQ << RING_WHO_CTX_SHIFT;
	return DEVTRACE_CTX_SOFTIRQ << RING_WHO_CTX_SHIFT;
}

/* Store the thread and flags into a reserved record, and count it. */
static __always_inline void emit_count(struct ring_record *rec, unsigned int type, u32 who)
{
	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > RING_WHO_TID);
	rec->who = who | current->pid;
	this_cpu_inc(emit_counts->stored[type]);
	devtrace_proc_stored();
}

/* Count an event that was stored in @n rings. */
static __always_inline void emit_count_many(unsigned int type, unsigned int n)
{
	this_cpu_add(emit_counts->stored[type], n);
	this_cpu_add(devtrace_proc_last.stored, n);
}

/* The second half of emit_reserve(): the caller has entered the ring. */
static __always_inline struct ring_record *
__emit_reserve_entered(struct ring *r, unsigned int id, unsigned int type, u32 who,
		       unsigned int len, u64 *now)
{
	struct ring_record *rec;
	bool crossed = false;

	rec = ring_reserve(r, len, type, now, &crossed);
	if (unlikely(!rec)) {
		ring_leave(r);
		/* Readers have a loss to report. */
		devtrace_wake_kick(id);
		return NULL;
	}
	emit_count(rec, type, who | emit_context());
	devtrace_clock_event(*now);
	if (unlikely(crossed))
		devtrace_wake_full(id);
	return rec;
}

/* __emit_reserve_entered(), not inlined. */
struct ring_record *emit_reserve_entered(struct ring *r, unsigned int id, unsigned int type,
					 u32 who, unsigned int len, u64 *now);

/*
 * Reserve a record in @r, this CPU's ring of stream @id, for an event that fits. Preemption is
 * off, and devtrace_proc_seen() has been called. Return NULL if the event was dropped and
 * counted; otherwise ring_leave() must follow.
 */
static inline struct ring_record *emit_reserve(struct ring *r, unsigned int id,
					       unsigned int type, u32 who, unsigned int len,
					       u64 *now)
{
	ring_enter(r);
	return emit_reserve_entered(r, id, type, who, len, now);
}

/*
 * The fast path, which most events of stream 0 take, calls no function except in tail position,
 * so the compiler need not save registers.
 *
 * Return true if the event may take the fast path: this CPU saw the same thread last, only stream
 * 0 wants the event, and it fits. @who includes the context. @plain: the event has no severity,
 * code or object. If others want the event and no more has to be looked up, @others is set to the
 * filter set; the caller has set it to 0.
 */
static __always_inline bool quick_may(const struct ring *r, unsigned int type, u32 who,
				      unsigned int len, bool plain, u32 *others)
{
	const struct filter_table *t;
	u32 set;

	/*
	 * Check the thread before reading the cached filter result (verdict), which may belong to
	 * another thread. An interrupt that emits also updates the thread seen last.
	 */
	if (unlikely(!devtrace_proc_known(current)))
		return false;
	barrier();
	if (unlikely(len >= READ_ONCE(r->gate))) {
		/* The gate is closed, or the event does not fit. */
		t = emit_table();
		if (!plain && who & (RING_WHO_CODE | RING_WHO_OBJSIG) && t->has & FILTER_HAS_KEYS)
			return false;
		set = plain ? filter_wants_plain(t, type) : filter_wants(t, type, who, 0);
		if (likely(t->has & FILTER_HAS_PROCESSES) &&
		    !filter_known_process(t, !(who & RING_WHO_CTX), &set))
			return false;
		if (unlikely(set != READ_ONCE(devtrace_quick_set))) {
			*others = set;
			return false;
		}
		if (unlikely(len >= READ_ONCE(r->too_long)))
			return false;
	}
	return true;
}

/*
 * Reserve a record in stream 0 for an event that passed quick_may(), preemption off. If this
 * returns NULL, call __emit_reserve_entered() next; otherwise, devtrace_clock_event().
 */
static __always_inline struct ring_record *
emit_try(struct ring *r, unsigned int type, u32 who, unsigned int len, u64 *now)
{
	struct ring_record *rec;
	u64 head;

	ring_enter(r);
	head = ring_load(&r->head);
	if (unlikely(!devtrace_clock_quick(now)))
		return NULL;
	rec = ring_try_reserve(r, len, type, head, *now);
	if (likely(rec))
		emit_count(rec, type, who);
	return rec;
}

/* Call after an event of stream 0 is committed. */
static __always_inline void wake_stream0(void)
{
	if (unlikely(READ_ONCE(devtrace_waiting) & 1))
		devtrace_wake_kick(0);
}

static __always_inline void emit_commit(struct ring *r)
{
	ring_leave(r);
	wake_stream0();
}

#endif /* DEVTRACE_EMIT_H */
