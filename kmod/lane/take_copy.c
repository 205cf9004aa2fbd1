// SPDX-License-Identifier: GPL-2.0-only
/*
 * Give streams besides stream 0 their copies of the events of lanes
 *
 * When take.c has copied a piece of a lane, each stream that wants some of the piece's events gets
 * a run with these events alone, in its own ring of blocks. A stream that wants rare events thus
 * keeps no other ones. The run is built in memory of the CPU and then stored under one lock, so it
 * always finds room.
 *
 * Invariants: A stream stores each event of a lane that its filter wants, or counts it as dropped.
 * The run of each stream has the same limits of its times as that of stream 0, so the floor of the
 * slot is valid for all streams. Numbers of events: an event that stream 0 refuses counts as one of
 * a CPU (devtrace_filtered). A stream that stores such an event counts it as one of its lanes
 * instead: see take_copy_alone().
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/proc.h"
#include "lane_copy.h"
#include "lane_wants.h"
#include "ring/clock.h"
#include "stream/rings.h"
#include "stream/table.h"
#include "stream/wake.h"
#include "take_copy.h"

/* @piece: what was copied from a lane while stream 0 is stopped; @run: records of one stream */
struct copies {
	u8	piece[BLOCK_BYTES];
	u8	run[BLOCK_BYTES];
};

static DEFINE_PER_CPU(struct copies *, copies);

static int alloc_copies(unsigned int cpu)
{
	if (!per_cpu(copies, cpu))
		per_cpu(copies, cpu) = kmalloc_node(sizeof(struct copies), GFP_KERNEL,
						    cpu_to_node(cpu));
	return per_cpu(copies, cpu) ? 0 : -ENOMEM;
}

/*
 * Allocate memory for copies, for streams besides stream 0. A CPU that uses this memory holds the
 * lock of a lane that slots_add() held since. Process context, devtrace_lock held. Return 0 or
 * -ENOMEM.
 */
int take_copy_prepare(void)
{
	return rings_need(alloc_copies);
}

/* Called when no lane is left. */
void take_copy_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu(copies, cpu));
}

/*
 * Copy a piece for take_copies() while stream 0 is stopped. Return the copy; NULL: no other stream
 * wants events of programs.
 */
const u8 *take_copy_out(const struct lane_judge *j, const struct lane_piece *piece)
{
	u8 *to;

	if (likely(!j->t->lane_streams))
		return NULL;
	to = __this_cpu_read(copies)->piece;
	lane_copy_out(to, piece->from, piece->len);
	return to;
}

static struct lane_group group_begin(const struct lane_piece *piece)
{
	return (struct lane_group){ .time = piece->time, .ev.cpu = piece->cpu };
}

/* Return all streams that want an event of the piece; set @time to that of its last event. */
static u32 streams_of(const struct lane_judge *j, const struct lane_piece *piece,
		      const u8 *records, u64 *time)
{
	struct lane_group g = group_begin(piece);
	u32 streams = 0, set;

	*time = g.time;
	while (lane_group_next(records, piece->len, &g) > 0) {
		set = lane_judge(j, &g.ev);
		if (set == FILTER_TRIGGERS)
			break;
		streams |= set;
		*time = g.time;
	}
	return streams;
}

/* Copy what a stream wants of the piece, and count it by type if @counts is set. */
static void copy_records(const struct lane_judge *j, const struct lane_piece *piece,
			 const u8 *records, u32 bit, struct lane_copy *c, bool counts)
{
	struct lane_group g = group_begin(piece);
	u32 set;

	while (lane_group_next(records, piece->len, &g) > 0) {
		set = lane_judge(j, &g.ev);
		if (set == FILTER_TRIGGERS)
			break;
		if (!(set & bit)) {
			lane_copy_skip(c);
			continue;
		}
		lane_copy_add(c, records, &g);
		if (counts)
			this_cpu_add(emit_counts->stored[g.ev.type], g.nr);
	}
}

/* Store a run, or drop it. Return true if the ring entered another block. With slots_lock held. */
static bool store_run(struct slots *in, const struct lane *l, const struct run *head,
		      const struct lane_copy *c, bool stopped)
{
	const u64 block = in->blocks.head;
	run_place_t place;
	struct run *r;

	r = stopped ? NULL : blocks_reserve(&in->blocks, c->len, &place);
	if (unlikely(!r)) {
		/* There is always room: no run is unfinished when the lock is free. */
		slot_drop(in, l->slot, stopped ? DEVTRACE_LOST_STOPPED : DEVTRACE_LOST_BUSY, c->nr);
		return false;
	}
	r->time = head->time;
	r->lo = head->lo;
	r->hi = head->hi;
	r->tid = head->tid;
	r->tgid = head->tgid;
	r->cpu = head->cpu;
	r->lane = head->lane;
	memcpy(r + 1, c->to, c->len);
	blocks_commit(&in->blocks, r, place, l->slot, c->len, c->nr);
	slot_changed(l->slot);
	return block != in->blocks.head;
}

/* Give a stream its copy. @head: members of the run that do not depend on the stream */
static void copy_for(unsigned int id, struct lane *l, const struct lane_judge *j,
		     const struct lane_piece *piece, const u8 *records, const struct run *head)
{
	struct slots *in = READ_ONCE(slots_all[id]);
	struct lane_copy c = {
		.to = __this_cpu_read(copies)->run, .time = piece->time, .cpu = piece->cpu,
	};
	bool stopped, full;

	/* A stream that is being removed has left. */
	if (!in)
		return;
	stopped = READ_ONCE(in->stopped);
	copy_records(j, piece, records, BIT(id), &c, !stopped);
	raw_spin_lock(&slots_lock);
	full = store_run(in, l, head, &c, stopped);
	raw_spin_unlock(&slots_lock);
	if (!stopped)
		devtrace_proc_count(l->tid, c.nr);
	if (full)
		devtrace_wake_full(id);
}

/**
 * take_copies() - give streams besides stream 0 their copies of a piece
 * @l: the lane, locked
 * @j: from lane_judge_begin()
 * @piece: the piece
 * @records: a copy of its records, which nobody changes
 * @now: trace clock after the copy was made, ns
 */
void take_copies(struct lane *l, const struct lane_judge *j, const struct lane_piece *piece,
		 const u8 *records, u64 now)
{
	struct run head = {
		.time = piece->time, .lo = l->floor, .tid = l->tid, .tgid = l->tgid,
		.cpu = piece->cpu, .lane = l->at.idx,
	};
	u64 time;
	u32 streams = streams_of(j, piece, records, &time) & ~FILTER_STREAM0;

	if (!streams)
		return;
	head.hi = take_latest(l, time, now);
	for (; streams; streams &= streams - 1)
		copy_for(__ffs(streams), l, j, piece, records, &head);
	devtrace_clock_event(now);
}

/*
 * Stream 0 refuses an event of a lane, and counts it as one of this CPU; the other @streams want
 * it. For these, it is an event of their lanes, and none of the CPU. Preemption is off.
 */
void take_copy_alone(u32 streams)
{
	for (; streams; streams &= streams - 1) {
		struct slots *in = READ_ONCE(slots_all[__ffs(streams)]);

		if (!in)
			continue;
		this_cpu_inc(*in->emitted);
		raw_spin_lock(&slots_lock);
		in->before--;
		raw_spin_unlock(&slots_lock);
	}
}

/* A thread overwrote @n events before they were taken: any stream may have wanted them. */
void take_copy_lost(const struct lane *l, u64 n)
{
	/* Preemption is off. */
	u32 streams = rcu_dereference_sched_check(devtrace_table, true)->lane_streams;

	raw_spin_lock(&slots_lock);
	for (; streams; streams &= streams - 1) {
		struct slots *in = slots_all[__ffs(streams)];

		if (in)
			slot_drop(in, l->slot, DEVTRACE_LOST_BUSY, n);
	}
	raw_spin_unlock(&slots_lock);
}
