/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ways into the rings have in common
 *
 * As long as stream 0 wants everything, the limit of its rings is what fits, and an
 * event goes straight there. Otherwise the gate is closed: the limit is 0, no event
 * is shorter than that, and so all take the way past emit_wants(), at no price for
 * those who have no filter. What wants no more than to be stored in stream 0 goes on
 * as before; what other streams or triggers want too goes through store_all().
 */
#ifndef DEVTRACE_EMIT_H
#define DEVTRACE_EMIT_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "core.h"
#include "filter.h"
#include "proc.h"
#include "ring.h"
#include "trigger.h"

/*
 * The set of an event that stream 0 alone wants, and that needs no more than to be
 * stored; no set, while stream 0 may have to stop.
 */
extern u32 devtrace_easy;

/* By type, in any stream. */
DECLARE_PER_CPU(unsigned long[256], devtrace_stored);

u32 emit_context(unsigned int pc);
void emit_unfit(struct ring *r);
u32 emit_wants(unsigned int type, u32 who, const u8 *data);
void emit_not_wanted(unsigned int type);
void store_all(u32 set, const struct event *ev);

static __always_inline bool in_task_context(unsigned int pc)
{
	/* Where it can be, one test. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return !(pc & (NMI_MASK | HARDIRQ_MASK)) && !in_serving_softirq();
	return !(pc & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
}

static __always_inline u32 context(void)
{
	const unsigned int pc = preempt_count();

	if (likely(in_task_context(pc)))
		return DEVTRACE_CTX_TASK << RING_WHO_CTX_SHIFT;
	return emit_context(pc);
}

/*
 * Room on this CPU, in a ring of stream @id, for an event that fits, preemption off
 * and devtrace_proc_seen() done.
 * NULL: dropped and counted; otherwise ring_leave() is to follow.
 */
static __always_inline struct ring_record *
reserve_in(struct ring *r, unsigned int id, unsigned int type, u32 who, unsigned int len,
	   u64 *now)
{
	struct task_struct *task = current;
	struct ring_record *rec;
	bool crossed = false;

	ring_enter(r);
	rec = ring_reserve(r, len, type, now, &crossed);
	if (unlikely(!rec)) {
		ring_leave(r);
		/* There is a loss to be read. */
		devtrace_wake_kick(id);
		return NULL;
	}
	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > RING_WHO_TID);
	rec->who = who | context() | task->pid;
	this_cpu_inc(devtrace_stored[type]);
	devtrace_proc_stored();
	devtrace_clock_event(*now);
	if (unlikely(crossed))
		devtrace_wake_full(id);
	return rec;
}

/* The same in stream 0. */
static __always_inline struct ring_record *
reserve_fit(struct ring *r, unsigned int type, u32 who, unsigned int len)
{
	u64 now;

	return reserve_in(r, 0, type, who, len, &now);
}

/* An event of stream 0 is committed. */
static __always_inline void wake_stream0(void)
{
	if (unlikely(READ_ONCE(devtrace_waiting) & 1))
		devtrace_wake_kick(0);
}

static __always_inline void commit(struct ring *r)
{
	ring_leave(r);
	wake_stream0();
}

#endif /* DEVTRACE_EMIT_H */
