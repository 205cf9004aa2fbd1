/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots: the events of lanes, as readers and statistics see them
 *
 * A lane has a slot while it is open. Each stream has a ring of blocks for the events of all lanes
 * that the stream wants; the events of one slot are a chain of runs in this ring. These functions
 * take events out of lanes into the rings, in one pass that checks, filters and counts them, and
 * let readers follow a slot.
 *
 * Invariants: Each event of a lane is judged once, when it is taken: for each stream it is stored,
 * filtered, or dropped and counted. An event of a slot that is taken later is never older than the
 * slot's floor. The kernel owns the rings: readers never look into a lane. Each stream in the table
 * that stores events has a ring of blocks if stream 0 has one.
 *
 * Locks: A lane's lock serializes taking from it. Inside it, slots_lock is taken, for at most one
 * copy of a block. Both are raw, held for a bounded time, and never held while user memory is
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
struct slot_part;
struct stream;

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

/**
 * struct slots - the events of lanes in one stream
 * @blocks: the ring of blocks; no memory before the first lane is made
 * @parts: what the stream knows of each slot, in chunks; see slot_priv.h
 * @nr: number of slots with memory in @parts and in @blocks; only grows
 * @dropped: number of events of all lanes that were dropped, by cause
 * @before: number of events that stream 0 had stored or dropped before the stream was created
 * @emitted: where the stream counts, for each CPU, the events that were emitted before it was
 *	created; NULL in stream 0
 * @stopped: drop events when they are taken; written with devtrace_lock held
 *
 * Protected by slots_lock, except for @nr, @stopped, blocks_records() and blocks_there().
 */
struct slots {
	struct block_ring	blocks;
	struct slot_part	*parts[SLOTS_MAX / SLOTS_CHUNK];
	unsigned int		nr;
	u64			dropped[SLOT_CAUSES];
	u64			before;
	u64 __percpu		*emitted;
	bool			stopped;
};

/* The events of lanes in stream 0. */
extern struct slots slots0;

static inline bool slots_is_lent(const u8 *page)
{
	return page >= slots_lent.at && page < slots_lent.at + (size_t)slots_lent.nr * BLOCK_BYTES;
}

/* Below: process context, or preemption off. */
int slot_get(struct lane *l);
void slot_open(struct lane *l);
void slot_put(struct lane *l);
struct lane *slot_lane(unsigned int slot);
struct lane *slot_lane_get(unsigned int slot);

unsigned int slots_nr(void);
unsigned int slots_nr_of(const struct slots *in);
void slots_changed_since(u64 *seen, unsigned long *slots, unsigned int nr);
void slot_view(const struct slots *in, unsigned int slot, struct slot_view *v);
bool slot_run(const struct slots *in, run_place_t place, struct run *r);
run_place_t slot_next(const struct slots *in, unsigned int slot, run_place_t after, struct run *r);
run_place_t slot_end(const struct slots *in, unsigned int slot, u64 *idx);
run_place_t slot_cleared(const struct slots *in, unsigned int slot, u64 *idx,
			 struct slot_view *v);
u64 slots_behind(const struct slots *in, unsigned int slot, run_place_t place, u64 idx);
u64 slots_bytes(const struct slots *in);

void slots_count_missed(struct slots *in, unsigned long n, bool stops);
u64 slot_missed(const struct slots *in, unsigned int slot, unsigned long n);
void slots_make_all(void);
int slots_add(struct stream *s);
void slots_leave(struct stream *s);
void slots_free(struct slots *in);
int slots_memory_alloc(struct slots_memory *m, u32 nr, bool lent);
void slots_memory_free(struct slots_memory *m);

/* Number of blocks in the ring, for the size of the stream. */
static inline u32 slots_blocks_for(unsigned long bytes)
{
	return max_t(unsigned long, bytes / BLOCK_BYTES, BLOCKS_MIN);
}

void slots_init(u32 start);
void slots_exit(void);

#endif /* DEVTRACE_SLOT_H */
