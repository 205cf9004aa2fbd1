/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of blocks: what programs emitted, in runs
 *
 * A run is a stretch of records of one lane, in the form that <linux/devtrace_lane.h>
 * describes, behind a header of ours. Runs stand in blocks of 4 KiB and do not cross
 * them, so that blocks can be moved to a ring of another size. Whole blocks are
 * overwritten, the oldest first, and each of their runs is counted then.
 *
 * Each lane has a number, its slot. The runs of a slot are a chain, in the order of
 * time: a slot has one lane at a time. A chain has no end: it goes on when the slot has
 * another lane.
 *
 * Invariants. Between @tail and @head are whole blocks of committed runs, but for those
 * that are counted as @pending. A run never changes once it is in its chain, but for
 * @next. A chain is in the order of places, so that the run that is overwritten is the
 * first one. For each slot, events committed = events held + events overwritten. Whatever
 * moment a page is looked at: the extents of its runs lead from its beginning to the newest,
 * and behind that stands the extent 0. A run that is not complete has SLOT_NONE.
 *
 * The caller serializes all calls but blocks_records() and blocks_there(), which a
 * reader may call at any time. A reader that is to be waited for before the memory is
 * freed that a change of size left has preemption off from blocks_records() to
 * blocks_there(). This file knows nothing of threads, files or locks, and runs on the
 * host too.
 */
#ifndef DEVTRACE_BLOCKS_H
#define DEVTRACE_BLOCKS_H

#include "lane_read.h"

#define BLOCK_BYTES	DEVTRACE_LANE_BLOCK
#define BLOCKS_MIN	4U
/* Slots, and as many of them as come at a time. */
#define SLOTS_MAX	4096U
#define SLOTS_CHUNK	64U
#define SLOT_NONE	0xffff

/* Where a run begins: block number times BLOCK_BYTES, and the offset; 0: nowhere. */
typedef u64 run_place_t;

/**
 * struct run - what stands before the records of a run
 * @time: to which the first record's time is relative
 * @lo: no event is older; one that says so gets this time
 * @hi: likewise, newer
 * @idx: events of the slot before this run
 * @next: the next run of the slot, 0: not yet
 * @tid: the thread
 * @tgid: its process
 * @slot: whose, SLOT_NONE: it was given up
 * @len: bytes of records
 * @extent: bytes that it takes, this header included
 * @nr: events, without those that were not wanted
 * @cpu: of the first event
 * @block: the lowest bits of the number of its block
 * @lane: events of the lane before this run, modulo 2^32
 *
 * A record that was not wanted has the type EMPTY. @block and @lane are for who reads a ring
 * that outlived a reset: of that nothing is left but its pages.
 */
struct run {
	u64		time;
	u64		lo;
	u64		hi;
	u64		idx;
	run_place_t	next;
	u32		tid;
	u32		tgid;
	u16		slot;
	u16		len;
	u16		extent;
	u16		nr;
	u16		cpu;
	u16		block;
	u32		lane;
};

/**
 * struct chain - the runs of a slot
 * @first: the oldest, 0: there is none
 * @last: the newest, likewise
 * @idx: events of all runs there ever were
 */
struct chain {
	run_place_t	first;
	run_place_t	last;
	u64		idx;
};

/* Bytes that are used; runs that are being written. */
struct block_state {
	u16	fill;
	u16	pending;
};

/**
 * struct block_pages - where blocks are, for readers: never changes while it is in use
 * @nr: how many, a power of two
 * @at: block n at n % @nr
 */
struct block_pages {
	u32	nr;
	u8	*at[];
};

/**
 * struct block_ring - a ring of blocks
 * @pages: where they are
 * @state: of each
 * @nr: how many, as @pages says
 * @tail_low: @tail for readers, as much of it as is loaded in one piece
 * @head: the block that is being filled
 * @tail: the oldest block
 * @chains: of the slots, in chunks, as far as they are in use
 * @stored: events that were committed
 * @overwritten: of these, in blocks that were overwritten
 */
struct block_ring {
	struct block_pages	*pages;
	struct block_state	*state;
	u32			nr;
	tail_low_t		tail_low;
	u64			head;
	u64			tail;
	struct chain		*chains[SLOTS_MAX / SLOTS_CHUNK];
	u64			stored;
	u64			overwritten;
};

/* Of a slot whose chunk is there. */
static inline struct chain *blocks_chain(const struct block_ring *b, unsigned int slot)
{
	return &b->chains[slot / SLOTS_CHUNK][slot % SLOTS_CHUNK];
}

static inline u64 blocks_number(run_place_t place)
{
	return place / BLOCK_BYTES;
}

static inline u8 *blocks_page(const struct block_ring *b, u64 number)
{
	return b->pages->at[number & (b->nr - 1)];
}

static inline struct block_state *blocks_state(const struct block_ring *b, u64 number)
{
	return &b->state[number & (b->nr - 1)];
}

void blocks_init(struct block_ring *b, u64 first);
struct run *blocks_reserve(struct block_ring *b, u32 len, run_place_t *place);
void blocks_commit(struct block_ring *b, struct run *r, run_place_t place, unsigned int slot,
		   u32 len, u32 nr);
void blocks_abandon(struct block_ring *b, struct run *r, run_place_t place);
bool blocks_run(const struct block_ring *b, run_place_t place, struct run *r);
bool blocks_evict(struct block_ring *b);
bool blocks_trim(struct block_ring *b, u32 nr, u32 most);
bool blocks_resize(struct block_ring *b, struct block_pages *pages, struct block_state *state,
		   u8 **spare);
u64 blocks_used(const struct block_ring *b);
u64 blocks_behind(const struct block_ring *b, unsigned int slot, run_place_t place, u64 idx);

/* The records behind the header at @place; to be believed as far as blocks_there(). */
static inline const u8 *blocks_records(const struct block_ring *b, run_place_t place)
{
	/* LMM(pages:B): an address dependency; pairs with pages:A. */
	const struct block_pages *pages = READ_ONCE(b->pages);

	return pages->at[blocks_number(place) & (pages->nr - 1)] + place % BLOCK_BYTES +
	       sizeof(struct run);
}

/**
 * blocks_there() - whether what was loaded from a run was not being overwritten
 * @b: the ring
 * @place: the run; where tail_low_t has 32 bits it was known to be there not longer ago
 *	than 2^31 blocks
 */
static inline bool blocks_there(const struct block_ring *b, run_place_t place)
{
	/* LMM(blocks:B): what was loaded before the tail; pairs with blocks:A. */
	smp_rmb();
	return (tail_low_t)(blocks_number(place) - READ_ONCE(b->tail_low)) <= (tail_low_t)~0ULL / 2;
}

#endif /* DEVTRACE_BLOCKS_H */
