/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots: events of lanes, as readers and statistics see them
 *
 * A lane has a slot as long as it is open; its events are in the chain of that slot, in
 * one ring of blocks for all. These functions take events out of lanes into the ring
 * (one pass that checks, filters and counts), and let readers follow a slot.
 *
 * Invariants. Each event of a lane is judged once, when it is taken: stored, filtered,
 * or dropped and counted. No event of a slot that is taken later is older than the
 * slot's floor. The ring belongs to the kernel: no reader looks into a lane.
 *
 * Locks. A lane's own lock serializes taking from it; the lock of the ring is taken
 * within, for a few instructions. Both are raw, held for a bounded time, and never
 * while user memory is touched. Lanes are found under RCU, and kept by a reference: who
 * loses its CPU while it looks at one holds up neither a lock nor a grace period. See
 * "Who waits for whom" in Documentation/ring.rst.
 */
#ifndef DEVTRACE_SLOT_H
#define DEVTRACE_SLOT_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "blocks.h"

struct lane;

/* Why an event of a lane was not stored; the same numbers as enum devtrace_cause. */
#define SLOT_CAUSES	DEVTRACE_LOST_CAUSES

/**
 * struct slot_view - a slot at one moment
 * @idx: events that were ever stored
 * @floor: no event that is stored later is older, trace clock ns
 * @dropped: events that were not stored, by cause
 * @bad: how often its lane made no sense
 * @busy: its thread is in the middle of an event, and is waited for
 */
struct slot_view {
	u64	idx;
	u64	floor;
	u64	dropped[SLOT_CAUSES];
	u64	bad;
	bool	busy;
};

/* Of a ring of blocks, on its way; see blocks_resize(). */
struct slots_memory {
	struct block_pages	*pages;
	struct block_state	*state;
	u8			**spare;
};

/**
 * struct slots_lent - pages for blocks that are not ours; with devtrace_lock
 * @at: they, one behind the other
 * @nr: how many
 * @on: a ring that is made gets them
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

/* With slots_lock, but for what readers may do without: see blocks.h. */
extern struct block_ring slots_blocks;

static inline const struct block_ring *slots_ring(void)
{
	return &slots_blocks;
}

/* Process context, or preemption off, for all of these. */
int slot_get(struct lane *l);
void slot_open(struct lane *l);
void slot_put(struct lane *l);
struct lane *slot_lane(unsigned int slot);
struct lane *slot_lane_get(unsigned int slot);

unsigned int slots_nr(void);
void slot_refresh(unsigned int slot, struct slot_view *v);
void slot_view(unsigned int slot, struct slot_view *v);
bool slot_run(run_place_t place, struct run *r);
run_place_t slot_next(unsigned int slot, run_place_t after, struct run *r);
run_place_t slot_end(unsigned int slot, u64 *idx);
run_place_t slot_cleared(unsigned int slot, u64 *idx, struct slot_view *v);
u64 slots_behind(unsigned int slot, run_place_t place, u64 idx);
u64 slots_bytes(void);

void slots_count_missed(unsigned long n, bool stops);
u64 slot_missed(unsigned int slot, unsigned long n);
void slots_clear(void);
void slots_make(unsigned long bytes);
int slots_memory_alloc(struct slots_memory *m, u32 nr);
void slots_memory_free(struct slots_memory *m);

/* How many blocks the ring of a stream of this size has. */
static inline u32 slots_blocks_for(unsigned long bytes)
{
	return max_t(unsigned long, bytes / BLOCK_BYTES, BLOCKS_MIN);
}

void slots_init(u32 start);
void slots_exit(void);

#endif /* DEVTRACE_SLOT_H */
