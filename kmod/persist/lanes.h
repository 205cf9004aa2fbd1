/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checking the pool of lanes: see lanes.c
 */
#ifndef DEVTRACE_PERSIST_LANES_H
#define DEVTRACE_PERSIST_LANES_H

#include "check.h"
#include "layout.h"
#include "lane/blocks.h"

/**
 * struct persist_piece - consecutive valid records of one slot
 * @from: the first record
 * @time: base of the first record's relative time
 * @lo: earliest time allowed; an event that claims an older one gets this
 * @hi: latest time allowed; an event that claims a newer one gets this
 * @idx: events of the slot before this piece
 * @len: bytes of records
 * @nr: events, without those that were filtered or are counted in @skip
 * @skip: events at the beginning that other pieces already have
 * @lane: events of the lane before this piece, modulo 2^32
 * @lane_to: events of the lane up to the end of this piece, modulo 2^32
 * @tid: the thread
 * @slot: the slot
 * @cpu: CPU of the first event
 * @checked: the checksum is right
 * @open: the records are in the lane's own memory, not in a block
 */
struct persist_piece {
	const u8	*from;
	u64		time, lo, hi;
	u64		idx;
	u32		len, nr, skip;
	u32		lane, lane_to;
	u32		tid;
	u16		slot, cpu;
	bool		checked, open;
};

/**
 * struct persist_left - what is left of a slot
 * @first: index of its first piece
 * @nr: number of its pieces
 * @cleared: events that were cleared, not to be shown
 * @end: events up to the newest one known
 * @drops: events that were not stored, by cause
 * @stops: when those were missed that a stop made it miss
 * @known: its struct persist_slot is valid
 * @unknown: events newer than @end may be lost
 */
struct persist_left {
	u32	first, nr;
	u64	cleared, end;
	u64	drops[6];
	struct persist_stops stops;
	bool	known, unknown;
};

/**
 * struct persist_lanes - what is left of all lanes
 * @piece: pieces, sorted by slot and index
 * @nr: number of pieces
 * @room: pieces that there is room for
 * @left: by slot
 * @open: lanes with a valid entry
 * @damaged: blocks and runs that are damaged
 * @outside: slots whose lane had memory outside the region
 * @bad: lanes with an invalid entry or invalid content
 * @unknown: a block or entry is damaged, and its slots are not known
 */
struct persist_lanes {
	struct persist_piece	*piece;
	u32			nr, room;
	struct persist_left	*left;
	u32			open, damaged, outside, bad;
	bool			unknown;
};

/* Bytes of a block up to its first incomplete run, at most @fill. */
u32 persist_block_fill(const u8 *page, u32 fill);
bool persist_block_sum(const u8 *page, u32 fill, u32 *sum);

int persist_check_lanes(const void *mem, const struct persist_header *h, u64 now,
			struct persist_lanes *l);
void persist_lanes_put(struct persist_lanes *l);

#endif /* DEVTRACE_PERSIST_LANES_H */
