/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures of slots, for take.c and slot.c
 */
#ifndef DEVTRACE_SLOT_PRIV_H
#define DEVTRACE_SLOT_PRIV_H

#include <linux/spinlock.h>
#include <linux/time64.h>

#include "slot.h"
#include "stream/past.h"

/* Within it a store becomes visible to others. */
#define MARGIN_NS	(10 * NSEC_PER_USEC)

/**
 * struct slot - beside its chain
 * @lane: the lane that is open, or NULL
 * @floor: see above
 * @dropped: see struct slot_view
 * @bad: likewise
 * @cleared_idx: events up to this one are not to be read
 * @cleared_dropped: @dropped when it was cleared
 * @cleared_bad: @bad then
 * @cleared: the newest run when it was cleared
 * @begin_idx: events of the slot before its lane was there
 * @begin_dropped: @dropped then
 * @before: the newest run then, or 0
 * @missed: with each change of state of stream 0: see slots_count_missed()
 * @busy: see struct slot_view
 */
struct slot {
	struct lane __rcu	*lane;
	u64			floor;
	u64			dropped[SLOT_CAUSES];
	u64			bad;
	u64			cleared_idx;
	u64			cleared_dropped[SLOT_CAUSES];
	u64			cleared_bad;
	run_place_t		cleared;
	u64			begin_idx;
	u64			begin_dropped[SLOT_CAUSES];
	run_place_t		before;
	u32			missed[STREAM_PASTS];
	bool			busy;
};

/* Of the ring and of the slots, but for @lane. */
extern raw_spinlock_t slots_lock;
extern struct slot *slots_chunks[SLOTS_MAX / SLOTS_CHUNK];
/* Events of all lanes that were not stored. */
extern u64 slots_dropped[SLOT_CAUSES];
/* The number of the first block that there ever was. */
extern u64 slots_first_block;

static inline struct slot *slot_at(unsigned int slot)
{
	return &slots_chunks[slot / SLOTS_CHUNK][slot % SLOTS_CHUNK];
}

#endif /* DEVTRACE_SLOT_PRIV_H */
