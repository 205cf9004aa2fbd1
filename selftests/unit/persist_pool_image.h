/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * persist_pool_image.h - blocks, runs, slots and lanes of a region, written word by word
 */
#ifndef PERSIST_POOL_IMAGE_H
#define PERSIST_POOL_IMAGE_H

#include "persist_image.h"
#include "lanes.h"

#define RINGS	2
#define TS	1000
#define TYPE	100
/* Bytes of a record: a word and a payload of 4 bytes. */
#define RECORD	8
#define HEAD	((u32)sizeof(struct run))

/* The run at this offset of the @k-th block. */
static inline struct run *run_at(u32 k, u32 off)
{
	return (void *)(image + head.blocks + k * PERSIST_PAGE + off);
}

static inline u8 *page_at(u32 k)
{
	return (u8 *)run_at(k, 0);
}

static inline u32 word(u32 len, u32 type, u32 ns)
{
	return len | type << DEVTRACE_LANE_TYPE_SHIFT | ns << DEVTRACE_LANE_NS_SHIFT;
}

/* Write records of @nr events, one per nanosecond. */
static inline void put_records(u8 *to, u32 nr)
{
	const u32 w = word(4, TYPE, 1);

	for (; nr; nr--, to += RECORD)
		memcpy(to, &w, sizeof(w));
}

/* Number of the block in the @k-th pages. */
static inline u64 number_of(u32 k)
{
	return 2 * head.nr_blocks + k;
}

/* Write a run of events number @idx on of a slot, from time TS + @idx on. Returns its end. */
static inline u32 put_run(u32 k, u32 off, u32 slot, u64 idx, u32 nr)
{
	struct run *r = run_at(k, off);

	*r = (struct run){
		.time = TS + idx - 1, .lo = TS + idx, .hi = TS + idx + nr - 1, .idx = idx,
		.tid = 7, .tgid = 7, .slot = slot, .len = nr * RECORD,
		.extent = HEAD + nr * RECORD, .nr = nr, .cpu = DEVTRACE_LANE_NO_CPU,
		.block = number_of(k), .lane = idx,
	};
	put_records((u8 *)(r + 1), nr);
	return off + r->extent;
}

static inline struct persist_block *block_sum(u32 k, u32 copy)
{
	return (struct persist_block *)(image + head.block_sums) + 2 * k + copy;
}

static inline void store_block(u32 k, u32 copy, struct persist_block s)
{
	s.crc = PERSIST_CRC(&s);
	*block_sum(k, copy) = s;
}

static inline void sum_block(u32 k, u32 copy, u32 fill)
{
	struct persist_block s = { .number = number_of(k), .fill = fill };

	persist_block_sum(page_at(k), fill, &s.sum);
	store_block(k, copy, s);
}

static inline struct persist_slot *slot_at(u32 slot, u32 copy)
{
	return (struct persist_slot *)(image + head.slots) + 2 * slot + copy;
}

static inline void store_slot(u32 slot, u32 copy, struct persist_slot s)
{
	s.slot = slot;
	s.crc = PERSIST_CRC(&s);
	*slot_at(slot, copy) = s;
}

/* Set slot 0, whose runs got @idx events in all. */
static inline void slot_0(u64 idx, u64 cleared)
{
	store_slot(0, 0, (struct persist_slot){ .nr = 1, .idx = idx, .cleared = cleared });
}

static inline struct persist_lane *lane_at(u32 i)
{
	return (struct persist_lane *)(image + head.lanes) + i;
}

static inline void store_lane(u32 i, struct persist_lane e)
{
	e.crc = PERSIST_CRC(&e);
	*lane_at(i) = e;
}

static inline struct devtrace_lane_block *lane_page(u32 i, u32 page)
{
	return (void *)(image + head.lane_pages +
			((u64)i * PERSIST_LANE_PAGES + page) * PERSIST_PAGE);
}

/*
 * Make a lane of slot 0 with two blocks: @nr events from number @count on, @taken of all taken.
 */
static inline void put_lane(u64 count, u32 nr, u32 taken)
{
	struct devtrace_lane_block *b = lane_page(0, 0);

	store_lane(0, (struct persist_lane){ .made = 1, .pages = 2, .tid = 7, .first = 2,
		   .taken = lane_told(taken) });
	*b = (struct devtrace_lane_block){
		.time = TS + count - 1, .count = count, .number = 2, .cpu = DEVTRACE_LANE_NO_CPU,
		.used = LANE_HEADER + nr * RECORD, .head = { .open = 2 },
	};
	put_records((u8 *)(b + 1), nr);
}

static inline void use_size(u64 size)
{
	const struct persist_info empty = { .nr = 1 };
	struct persist_info *to;
	u32 i;

	image_begin(size, RINGS);
	for (i = 0; i < RINGS; i++) {
		to = (void *)(image + head.rings + i * head.stride + PERSIST_INFO_AT);
		*to = empty;
		to->crc = PERSIST_CRC(to);
	}
}

#endif /* PERSIST_POOL_IMAGE_H */
