/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of blocks: events of programs, in runs
 *
 * A run is a header of the kernel and then records of one lane, in the format of
 * <linux/devtrace_lane.h>. A run lies within one block of 4 KiB, so that blocks can be moved to a
 * ring of another size. Whole blocks are evicted, the oldest first; the events of their runs count
 * as overwritten.
 *
 *	block:	| run | records | run | records | ... | extent 0 |  free
 *
 * Each lane has a slot, and a slot has one lane at a time. The runs of a slot form a chain, ordered
 * by time. The next lane of the slot continues the chain.
 *
 * Invariants: Between @tail and @head are whole blocks of committed runs, except for those counted
 * in @pending. A run in its chain does not change, except for @next. A chain is ordered by place,
 * so its first run is evicted first. For each slot, events committed = events held + events
 * overwritten. At any instant, a reader that adds the extents of a page's runs gets from the
 * beginning of the page to its newest run, and then finds extent 0. An incomplete run has SLOT_NONE
 * as its slot.
 *
 * The caller serializes all calls except blocks_records() and blocks_there(), which a reader may
 * call at any time. If a resize must wait for a reader before it frees the old memory, the reader
 * disables preemption from blocks_records() to blocks_there(). This file uses no threads, files or
 * locks, so selftests/lane runs it in user space.
 */
#ifndef DEVTRACE_BLOCKS_H
#define DEVTRACE_BLOCKS_H

#include "lane_read.h"

#define BLOCK_BYTES	DEVTRACE_LANE_BLOCK
#define BLOCKS_MIN	4U
/* Number of slots, and of slots allocated at a time. */
#define SLOTS_MAX	4096U
#define SLOTS_CHUNK	64U
#define SLOT_NONE	0xffff

/* Place of a run: block number * BLOCK_BYTES + offset; 0: none. */
typedef u64 run_place_t;

/**
 * struct run - the header before the records of a run
 * @time: base of the first record's relative time, ns
 * @lo: lower limit of the events' times, ns; readers replace an older time by this
 * @hi: upper limit of the events' times, ns
 * @idx: number of the slot's events before this run
 * @next: the next run of the slot; 0: none yet
 * @tid: the thread
 * @tgid: its process
 * @slot: the slot; SLOT_NONE: not committed
 * @len: bytes of records
 * @extent: size including this header, bytes
 * @nr: number of events, without filtered ones
 * @cpu: CPU of the first event
 * @block: low bits of the block's number
 * @lane: number of the lane's events before this run, modulo 2^32
 *
 * A filtered record has the type EMPTY. @block and @lane serve to read the pages after a reset,
 * when only the pages are left.
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
 * @first: the oldest run; 0: none
 * @last: the newest run; 0: none
 * @idx: number of events of all runs so far
 */
struct chain {
	run_place_t	first;
	run_place_t	last;
	u64		idx;
};

/* @fill: bytes in use; @pending: uncommitted runs. */
struct block_state {
	u16	fill;
	u16	pending;
};

/**
 * struct block_pages - pages of the blocks, for readers; constant while in use
 * @nr: number of pages, a power of two
 * @at: block n is in page n % @nr
 */
struct block_pages {
	u32	nr;
	u8	*at[];
};

/**
 * struct block_ring - a ring of blocks
 * @pages: the pages; replaced by blocks_resize(), see pages:A
 * @state: state of each block
 * @nr: number of blocks, as in @pages
 * @tail_low: low bits of @tail, for readers; as many bits as one load reads
 * @head: number of the block being filled
 * @tail: number of the oldest block
 * @chains: chains of the slots, in chunks
 * @stored: number of events committed
 * @overwritten: number of events that were evicted
 *
 * The caller's lock protects all members; only @pages and @tail_low are also read without it.
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

/* The caller knows that the chunk of the slot exists. */
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

/* The records after the header at @place; valid if blocks_there() returns true afterwards. */
static inline const u8 *blocks_records(const struct block_ring *b, run_place_t place)
{
	/* LMM(pages:B): an address dependency; pairs with pages:A. */
	const struct block_pages *pages = READ_ONCE(b->pages);

	return pages->at[blocks_number(place) & (pages->nr - 1)] + place % BLOCK_BYTES +
	       sizeof(struct run);
}

/*
 * Was the run there while its words were loaded? If so, no word was overwritten. With a tail_low_t
 * of 32 bits, the answer is right only if the run was there at most 2^31 blocks ago.
 */
static inline bool blocks_there(const struct block_ring *b, run_place_t place)
{
	/*
	 * LMM(blocks:B): If a word that was loaded above comes from a run that overwrites this
	 * one, then the tail loaded below has passed this run's block. Pairs with blocks:A.
	 */
	smp_rmb();
	return (tail_low_t)(blocks_number(place) - READ_ONCE(b->tail_low)) <= (tail_low_t)~0ULL / 2;
}

#endif /* DEVTRACE_BLOCKS_H */
