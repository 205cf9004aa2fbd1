/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the ways into the rings
 *
 * As long as stream 0 wants everything, the gate of its rings is open: every event that
 * fits is shorter than the gate, and goes straight into the ring. Otherwise the gate is
 * closed: it is 0, no event is shorter than that, and so all take the way past
 * emit_wants(), at no price for those who have no filter. An event that stream 0 alone
 * wants goes on as before; one that other streams or triggers want too goes through
 * store_all().
 */
#ifndef DEVTRACE_EMIT_H
#define DEVTRACE_EMIT_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "filter.h"
#include "proc.h"
#include "ring/ring.h"
#include "stream/rings.h"
#include "stream/wake.h"

static __always_inline const struct filter_table *emit_table(void)
{
	/* Preemption is off, also where RCU cannot see it. */
	return rcu_dereference_sched_check(devtrace_table, true);
}

/**
 * struct emit_counts - events by type
 * @stored: in any stream
 * @filtered: stream 0 did not want them: devtrace_filtered
 *
 * Allocated: modules share 8 KiB of per-CPU memory that is not.
 */
struct emit_counts {
	unsigned long	stored[256];
	u64		filtered[256];
};

extern struct emit_counts __percpu *emit_counts;

int emit_init(void);
void emit_exit(void);

/*
 * Who is told when an event of severity 2 or above is committed, NULL: nobody; with the ring
 * of stream 0 on this CPU, in any context, preemption off. While there is somebody,
 * emit_severe has the bit of such a severity in @who, and these events take the long way.
 */
extern u32 emit_severe;
extern void (*emit_severe_told)(struct ring *r);
/* Levels 2 and 3, of hardware and of software, have this bit. */
#define EMIT_SEVERE		(2U << RING_WHO_SEV_SHIFT)

static __always_inline bool emit_is_severe(u32 who)
{
	return unlikely(who & READ_ONCE(emit_severe));
}

void emit_unfit(struct ring *r);
u32 emit_wants(unsigned int type, u32 who, const u8 *data);
void emit_not_wanted(unsigned int type);

/* Bit n: n is a severity byte; 0 is none given. */
#define EMIT_SEVERITIES		0xff01U

static __always_inline bool emit_in_task(unsigned int pc)
{
	/* Where it can be, one test. */
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

/* The record has its time and its length: say whose it is, and count it. */
static __always_inline void emit_count(struct ring_record *rec, unsigned int type, u32 who)
{
	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > RING_WHO_TID);
	rec->who = who | current->pid;
	this_cpu_inc(emit_counts->stored[type]);
	devtrace_proc_stored();
}

/* As emit_reserve(), in a ring that is entered. */
static __always_inline struct ring_record *
__emit_reserve_entered(struct ring *r, unsigned int id, unsigned int type, u32 who,
		       unsigned int len, u64 *now)
{
	struct ring_record *rec;
	bool crossed = false;

	rec = ring_reserve(r, len, type, now, &crossed);
	if (unlikely(!rec)) {
		ring_leave(r);
		/* There is a loss to be read. */
		devtrace_wake_kick(id);
		return NULL;
	}
	emit_count(rec, type, who | emit_context());
	devtrace_clock_event(*now);
	if (unlikely(crossed))
		devtrace_wake_full(id);
	return rec;
}

/* The same where a call does not matter. */
struct ring_record *emit_reserve_entered(struct ring *r, unsigned int id, unsigned int type,
					 u32 who, unsigned int len, u64 *now);

/*
 * Room on this CPU, in a ring of stream @id, for an event that fits, preemption off
 * and devtrace_proc_seen() done.
 * NULL: dropped and counted; otherwise ring_leave() is to follow.
 */
static inline struct ring_record *emit_reserve(struct ring *r, unsigned int id,
					       unsigned int type, u32 who, unsigned int len,
					       u64 *now)
{
	ring_enter(r);
	return emit_reserve_entered(r, id, type, who, len, now);
}

/*
 * The quick way, which most events of stream 0 take: nothing on it is a call, so that
 * no register has to be saved for one. Where there is something to be called, that is
 * done last, in place of what is left.
 *
 * Whether it may be taken: the thread is the one seen last, stream 0 alone wants the
 * event, and it fits. @who says the context too. @plain: it has no severity, code or
 * object.
 */
static __always_inline bool quick_may(const struct ring *r, unsigned int type, u32 who,
				      unsigned int len, bool plain)
{
	const struct filter_table *t;
	u32 set;

	/*
	 * First, before a verdict is read, which may be of another thread: an interrupt that
	 * emits makes this one known, too.
	 */
	if (unlikely(!devtrace_proc_known(current)))
		return false;
	barrier();
	if (unlikely(len >= READ_ONCE(r->gate))) {
		/* The gate is closed, or it does not fit. */
		t = emit_table();
		if (!plain && who & (RING_WHO_CODE | RING_WHO_OBJSIG) && t->has & FILTER_HAS_KEYS)
			return false;
		set = plain ? filter_wants_plain(t, type) : filter_wants(t, type, who, 0);
		if (likely(t->has & FILTER_HAS_PROCESSES) &&
		    !filter_known_process(t, !(who & RING_WHO_CTX), &set))
			return false;
		if (unlikely(set != READ_ONCE(devtrace_quick_set) || len >= READ_ONCE(r->too_long)))
			return false;
	}
	return true;
}

/*
 * Room in stream 0 for an event that quick_may() let pass, preemption off.
 * NULL: __emit_reserve_entered() is to follow. Otherwise devtrace_clock_event().
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

/* An event of stream 0 is committed. */
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
