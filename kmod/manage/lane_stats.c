// SPDX-License-Identifier: GPL-2.0-only
/*
 * What became of the events of each lane that is open, and how far all of them are
 *
 * An event is counted when it is taken. So whoever asks takes everything first; what is
 * told then was true at one moment between the call and its return.
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

/* The counts of its slot since the lane is there; with slots_lock. */
static void stats_of(const struct lane *l, struct slot_stats *st)
{
	const struct chain *c = blocks_chain(&slots_blocks, l->slot);
	const struct slot *s = slot_at(l->slot);
	run_place_t first = c->first;
	struct run r;
	unsigned int i;

	st->stored = c->idx - s->begin_idx;
	st->overwritten = st->stored;
	/* The oldest runs may be of a lane that had the slot before. */
	if (s->before && blocks_run(&slots_blocks, s->before, &r))
		first = r.next;
	if (first && blocks_run(&slots_blocks, first, &r)) {
		st->overwritten = r.idx - s->begin_idx;
		st->oldest = run_oldest(first, &r);
	}
	for (i = 0; i < SLOT_CAUSES; i++)
		st->dropped[i] = s->dropped[i] - s->begin_dropped[i];
}

/* It said so when it asked for the lane, or its calls have been refused since. */
static bool makes_no_calls(const struct lane *l)
{
	return l->flags & DEVTRACE_LANE_NO_CALLS || READ_ONCE(lane_head(&l->mem)->no_calls);
}

/**
 * slot_stats() - what became of the events of an open lane
 * @slot: its number
 * @st: filled in
 *
 * Context: process.
 * Return: false if there is none.
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
	/* Of one that is closed the memory may be gone. */
	if (!l->closed) {
		st->state = DEVTRACE_LANE_OPEN + makes_no_calls(l);
		st->used = lane_untaken_bytes(&l->mem, &l->at);
	}
	raw_spin_unlock(&l->lock);
	rcu_read_lock();
	task = pid_task(l->pid, PIDTYPE_PID);
	if (task) {
		/* The name may change meanwhile: half of another one is good enough. */
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
