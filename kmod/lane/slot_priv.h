/* SPDX-License-Identifier: GPL-2.0-only */
/* The structures of slots, for take.c, slot.c and slot_stats.c */
#ifndef DEVTRACE_SLOT_PRIV_H
#define DEVTRACE_SLOT_PRIV_H

#include <linux/spinlock.h>
#include <linux/time64.h>

#include "slot.h"
#include "stream/past.h"

/* A store becomes visible to other CPUs within this time. */
#define MARGIN_NS	(10 * NSEC_PER_USEC)

/**
 * struct slot - the lane of a slot
 * @lane: the open lane, or NULL; read under RCU
 * @floor: no event that is taken later is older than this, trace clock ns
 * @begin_idx: number of events in stream 0 before the current lane
 * @begin_dropped: number of events that stream 0 dropped before the current lane, by cause
 * @before: place of the newest run of stream 0 before the current lane, or 0
 * @busy: see struct slot_view
 * @change: number of the first look after the slot's last change, see slot_change.c
 *
 * Protected by slots_lock.
 */
struct slot {
	struct lane __rcu	*lane;
	u64			floor;
	u64			begin_idx;
	u64			begin_dropped[SLOT_CAUSES];
	run_place_t		before;
	bool			busy;
	u64			change;
};

/**
 * struct slot_part - what one stream knows of a slot, beside the chain
 * @dropped: number of events dropped, by cause
 * @bad: how often the slot's lanes had invalid content
 * @cleared_idx: readers ignore events up to this number
 * @cleared_dropped: @dropped at the last clear
 * @cleared_bad: @bad at the last clear
 * @cleared: place of the newest run at the last clear
 * @missed: number of events missed before each change of state, see slots_count_missed()
 *
 * Protected by slots_lock.
 */
struct slot_part {
	u64			dropped[SLOT_CAUSES];
	u64			bad;
	u64			cleared_idx;
	u64			cleared_dropped[SLOT_CAUSES];
	u64			cleared_bad;
	run_place_t		cleared;
	u32			missed[STREAM_PASTS];
};

/* Protects the rings of blocks and the slots. */
extern raw_spinlock_t slots_lock;
extern struct slot *slots_chunks[SLOTS_MAX / SLOTS_CHUNK];
/* The number of slots. It only grows, and all slots below exist. Others read it by slots_nr(). */
extern unsigned int slots_made;
/* Number of the first block ever used. */
extern u64 slots_first_block;
/*
 * The events of lanes in each stream, or NULL. Changed with devtrace_lock and slots_lock held; read
 * with one of them held, or with preemption off: slots_leave() is followed by a quiet_wait().
 */
extern struct slots *slots_all[DEVTRACE_STREAMS_MAX];

static inline struct slot *slot_at(unsigned int slot)
{
	return &slots_chunks[slot / SLOTS_CHUNK][slot % SLOTS_CHUNK];
}

/* The caller knows that the stream has memory for the slot. */
static inline struct slot_part *slot_part(const struct slots *in, unsigned int slot)
{
	return &in->parts[slot / SLOTS_CHUNK][slot % SLOTS_CHUNK];
}

/* The next look of a reader, and the last changes: see slot_change.c. Protected by slots_lock. */
extern u64 slots_next_look, slots_newest_change, slots_chunk_changes[SLOTS_MAX / SLOTS_CHUNK];

void slot_note_change(unsigned int slot);

/* A slot has changed in a way that concerns readers. With slots_lock held. */
static inline void slot_changed(unsigned int slot)
{
	if (unlikely(slot_at(slot)->change != slots_next_look))
		slot_note_change(slot);
}

/* A stream drops @n events of a slot. With slots_lock held. */
static inline void slot_drop(struct slots *in, unsigned int slot, unsigned int cause, u64 n)
{
	slot_part(in, slot)->dropped[cause] += n;
	in->dropped[cause] += n;
	slot_changed(slot);
}

#endif /* DEVTRACE_SLOT_PRIV_H */
