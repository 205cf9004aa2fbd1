// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of open lanes
 *
 * The kernel counts an event when it takes the event from the lane. So a request first takes all
 * events. The counts that a call returns were all valid at one instant during the call.
 */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "lane/blocks.h"
#include "lane/lane.h"
#include "lane/lane_read.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "lane/take.h"
#include "lane_stats.h"
#include "oldest.h"

/* Fill in the counts of the slot since the lane was opened. With slots_lock held. */
static void stats_of(const struct lane *l, struct slot_stats *st)
{
	const struct chain *c = blocks_chain(&slots0.blocks, l->slot);
	const struct slot_part *part = slot_part(&slots0, l->slot);
	const struct slot *s = slot_at(l->slot);
	run_place_t first = c->first;
	struct run r;
	unsigned int i;

	st->stored = c->idx - s->begin_idx;
	st->overwritten = st->stored;
	/* Skip the oldest runs if they belong to the slot's previous lane. */
	if (s->before && blocks_run(&slots0.blocks, s->before, &r))
		first = r.next;
	if (first && blocks_run(&slots0.blocks, first, &r)) {
		st->overwritten = r.idx - s->begin_idx;
		st->oldest = run_oldest(&slots0.blocks, first, &r);
	}
	for (i = 0; i < SLOT_CAUSES; i++)
		st->dropped[i] = part->dropped[i] - s->begin_dropped[i];
}

/* Does the lane's thread make no system calls, as requested or because of a seccomp(2) filter? */
static bool makes_no_calls(const struct lane *l)
{
	return l->flags & DEVTRACE_LANE_NO_CALLS || READ_ONCE(lane_head(&l->mem)->no_calls);
}

/*
 * Fill in the statistics of the open lane of a slot; false: it has no open lane. Process context.
 */
bool slot_stats(unsigned int slot, struct slot_stats *st)
{
	struct task_struct *task;
	struct lane *l;
	bool there;

	memset(st, 0, sizeof(*st));
	l = slot_lane_get(slot);
	if (!l)
		return false;
	slot_take(l);
	st->slot = slot;
	st->tid = l->tid;
	st->tgid = l->tgid;
	st->size = l->bytes;
	raw_spin_lock(&l->lock);
	/* Do not read the memory of a closed lane: it may be freed already. */
	if (!l->closed) {
		st->state = DEVTRACE_LANE_OPEN + makes_no_calls(l);
		st->used = lane_untaken_bytes(&l->mem, &l->at);
	}
	raw_spin_unlock(&l->lock);
	rcu_read_lock();
	task = pid_task(l->pid, PIDTYPE_PID);
	if (task) {
		/* The name may change meanwhile; a mixture of two names does no harm here. */
		data_race(memcpy(st->comm, task->comm, sizeof(st->comm)));
	}
	rcu_read_unlock();
	st->comm[sizeof(st->comm) - 1] = 0;
	raw_spin_lock(&slots_lock);
	there = rcu_access_pointer(slot_at(slot)->lane) == l;
	if (there)
		stats_of(l, st);
	raw_spin_unlock(&slots_lock);
	lane_put(l);
	return there;
}
