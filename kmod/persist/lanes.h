/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the pool can be believed: see lanes.c
 */
#ifndef DEVTRACE_PERSIST_LANES_H
#define DEVTRACE_PERSIST_LANES_H

#include "layout.h"
#include "lane/blocks.h"

/**
 * struct persist_piece - records of one slot in a row, all of them whole
 * @from: where they are
 * @len: bytes
 * @time: to which the first one's time is relative
 * @lo: no event is older; one that says so gets this time
 * @hi: likewise, newer
 * @idx: events of the slot before
 * @nr: events, without those that were not wanted or are in @skip
 * @skip: so many at the beginning are in other pieces
 * @lane: events of the lane before; so many are behind: @lane_to
 * @tid: the thread
 * @slot: whose
 * @cpu: of the first
 * @checked: they have their sum
 * @open: they are in the lane itself
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
 * @first: of its pieces, in order
 * @nr: how many
 * @cleared: events that are not to be given
 * @end: events up to the newest that is known of
 * @drops: events that were not stored, by cause
 * @known: its entry is whole
 * @unknown: something newer than @end may be damaged
 */
struct persist_left {
	u32	first, nr;
	u64	cleared, end;
	u64	drops[6];
	bool	known, unknown;
};

/**
 * struct persist_lanes - what is left of all
 * @piece: by slot, in order
 * @nr: how many
 * @room: for so many
 * @left: of each slot
 * @open: lanes that have an entry
 * @damaged: blocks
 * @unknown: a block is damaged, and nobody knows what was in it
 * @outside: slots whose lane had other memory
 * @bad: lanes that make no sense
 */
struct persist_lanes {
	struct persist_piece	*piece;
	u32			nr, room;
	struct persist_left	*left;
	u32			open, damaged, outside, bad;
	bool			unknown;
};

/* Bytes up to the first run that is not complete, or @fill. */
u32 persist_block_fill(const u8 *page, u32 fill);
bool persist_block_sum(const u8 *page, u32 fill, u32 *sum);

int persist_check_lanes(const void *mem, const struct persist_header *h, u64 now,
			struct persist_lanes *l);
void persist_lanes_put(struct persist_lanes *l);

#endif /* DEVTRACE_PERSIST_LANES_H */
