/* SPDX-License-Identifier: GPL-2.0-only */
/* Check the pool of lanes: see lanes.c */
#ifndef DEVTRACE_PERSIST_LANES_H
#define DEVTRACE_PERSIST_LANES_H

#include "check.h"
#include "layout.h"
#include "lane/blocks.h"

/**
 * struct persist_piece - consecutive valid records of one slot
 * @from: the first record
 * @time: base of the first record's relative time, ns
 * @lo: lower limit of times, ns; an older time is shown as this
 * @hi: upper limit of times, ns; a newer time is shown as this
 * @idx: number of the slot's events before this piece
 * @len: bytes of records
 * @nr: number of events, without those filtered or counted in @skip
 * @skip: number of events at the beginning that other pieces have, too
 * @lane: number of the lane's events before this piece, modulo 2^32
 * @lane_to: number of the lane's events up to the end of this piece, modulo 2^32
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
 * @cleared: number of events that were cleared and are not shown
 * @end: number of events up to the newest one known
 * @drops: number of events dropped since the last clear, by cause
 * @stops: events missed because of stops
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
 * @room: number of pieces that there is room for
 * @left: what is left of each slot, indexed by slot
 * @open: number of lanes with a valid entry
 * @damaged: number of damaged blocks and runs
 * @outside: number of slots whose lane had memory outside the region
 * @bad: number of lanes with an invalid entry or invalid content
 * @unknown: a block or entry is damaged, and it is unknown which slot had it
 */
struct persist_lanes {
	struct persist_piece	*piece;
	u32			nr, room;
	struct persist_left	*left;
	u32			open, damaged, outside, bad;
	bool			unknown;
};

/* Return the number of bytes of a block before its first incomplete run, at most @fill. */
u32 persist_block_fill(const u8 *page, u32 fill);
bool persist_block_sum(const u8 *page, u32 fill, u32 *sum);

int persist_check_lanes(const void *mem, const struct persist_header *h, u64 now,
			struct persist_lanes *l);
void persist_lanes_put(struct persist_lanes *l);

#endif /* DEVTRACE_PERSIST_LANES_H */
