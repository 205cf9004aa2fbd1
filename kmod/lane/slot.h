/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots: the events of lanes, as readers and statistics see them
 *
 * A lane has a slot while it is open. Its events are in the chain of that slot, in one ring of
 * blocks for all lanes. These functions take events out of lanes into the ring, in one pass that
 * checks, filters and counts them, and let readers follow a slot.
 *
 * Invariants: Each event of a lane is judged once, when it is taken: stored, filtered, or
 * dropped and counted. An event of a slot that is taken later is never older than the slot's
 * floor. The kernel owns the ring: readers never look into a lane.
 *
 * Locks: A lane's lock serializes taking from it. Inside it, the ring's lock is taken for a few
 * instructions. Both are raw, held for a bounded time, and never held while user memory is
 * accessed. Code finds a lane under RCU and takes a reference, so a thread that is preempted while
 * it uses a lane delays neither a lock nor a grace period. See "Who waits for whom" in
 * Documentation/ring.rst.
 */
#ifndef DEVTRACE_SLOT_H
#define DEVTRACE_SLOT_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "blocks.h"

struct lane;

/* Causes of a drop, numbered as in enum devtrace_cause. */
#define SLOT_CAUSES	DEVTRACE_LOST_CAUSES

/**
 * struct slot_view - a snapshot of a slot
 * @idx: number of events stored so far
 * @floor: no event that is stored later is older than this, trace clock ns
 * @dropped: number of events dropped, by cause
 * @bad: how often the lane had invalid content
 * @busy: its thread has begun an event, and readers wait for it
 */
struct slot_view {
	u64	idx;
	u64	floor;
	u64	dropped[SLOT_CAUSES];
	u64	bad;
	bool	busy;
};

/* Memory for a ring of blocks: see blocks_resize(). */
struct slots_memory {
	struct block_pages	*pages;
	struct block_state	*state;
	u8			**spare;
};

/**
 * struct slots_lent - borrowed pages for blocks; protected by devtrace_lock
 * @at: the first page, the others follow it
 * @nr: number of pages
 * @on: true: a new ring of blocks uses these pages
 */
struct slots_lent {
	u8	*at;
	u32	nr;
	bool	on;
};

extern struct slots_lent slots_lent;

static inline bool slots_is_lent(const u8 *page)
{
	return page >= slots_lent.at && page < slots_lent.at + (size_t)slots_lent.nr * BLOCK_BYTES;
}

/* Protected by slots_lock, except for blocks_records() and blocks_there(). */
extern struct block_ring slots_blocks;

static inline const struct block_ring *slots_ring(void)
{
	return &slots_blocks;
}

/* Below: process context, or preemption off. */
int slot_get(struct lane *l);
void slot_open(struct lane *l);
void slot_put(struct lane *l);
struct lane *slot_lane(unsigned int slot);
struct lane *slot_lane_get(unsigned int slot);

unsigned int slots_nr(void);
void slots_changed_since(u64 *seen, unsigned long *slots, unsigned int nr);
void slot_view(unsigned int slot, struct slot_view *v);
bool slot_run(run_place_t place, struct run *r);
run_place_t slot_next(unsigned int slot, run_place_t after, struct run *r);
run_place_t slot_end(unsigned int slot, u64 *idx);
run_place_t slot_cleared(unsigned int slot, u64 *idx, struct slot_view *v);
u64 slots_behind(unsigned int slot, run_place_t place, u64 idx);
u64 slots_bytes(void);

void slots_count_missed(unsigned long n, bool stops);
u64 slot_missed(unsigned int slot, unsigned long n);
void slots_make(unsigned long bytes);
int slots_memory_alloc(struct slots_memory *m, u32 nr);
void slots_memory_free(struct slots_memory *m);

/* Number of blocks in the ring, for the size of the stream. */
static inline u32 slots_blocks_for(unsigned long bytes)
{
	return max_t(unsigned long, bytes / BLOCK_BYTES, BLOCKS_MIN);
}

void slots_init(u32 start);
void slots_exit(void);

#endif /* DEVTRACE_SLOT_H */
