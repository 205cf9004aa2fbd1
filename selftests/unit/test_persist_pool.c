// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_pool.c - each check of blocks and lanes in a region, with the damage that it
 * detects
 *
 * Blocks and lanes are written word by word, then one word is changed to a value that neither
 * the module nor a program writes.
 */
#include "kselftest_harness.h"
#include "persist_pool_image.h"

unsigned int ring_port_alloc_fails;

void ring_port_step(void)
{
}

#define SIZE	(1024 * 1024U)

/* Set the first words of the last of the lane's four records. */
static void lane_words(u32 first, u32 second)
{
	u32 *to = (u32 *)((u8 *)(lane_page(0, 0) + 1) + 3 * RECORD);

	to[0] = first;
	to[1] = second;
}

static void use_image(void)
{
	use_size(SIZE);
}

/* Write two runs of three events of slot 0 into block 0. Returns their size. */
static u32 two_runs(void)
{
	u32 fill;

	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	fill = put_run(0, fill, 0, 3, 3);
	slot_0(6, 0);
	return fill;
}

/* The same with a checksum. */
static u32 summed_runs(void)
{
	const u32 fill = two_runs();

	sum_block(0, 0, fill);
	return fill;
}

static const char *ev(u32 from, u32 to)
{
	return events_of(RINGS + 2, TS + from, TS + to);
}

/* A case: the number of slots without a known end, and the contents. */
#define EXPECT_POOL(open, format, ...) do {				\
	char want_[8192];						\
									\
	snprintf(want_, sizeof(want_), format, __VA_ARGS__);		\
	EXPECT_STREQ(want_, image_says());				\
	EXPECT_EQ(said_events, account.given);				\
	EXPECT_EQ(open, account.open_ends);				\
} while (0)

/* The block's events are all lost. */
#define EXPECT_NO_BLOCK() EXPECT_POOL(1, "%s", "lost(4:0,6,0-0)")

TEST(a_whole_pool)
{
	summed_runs();
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(0, account.unchecked);
	two_runs();
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(6, account.unchecked);
	/* A checksum over the first run only. */
	sum_block(0, 1, HEAD + 3 * RECORD);
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(3, account.unchecked);
	/* A lane with no events taken, some, and all. */
	use_image();
	slot_0(0, 0);
	put_lane(0, 4, 0);
	EXPECT_POOL(0, "%s", ev(0, 4));
	summed_runs();
	put_lane(4, 4, 6);
	EXPECT_POOL(0, "%s", ev(0, 8));
	put_lane(2, 4, 6);
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(0, account.bad_lanes);
}

/* Wrong extents. */
TEST(extents)
{
	u32 off, sum;
	struct run *r;

	/* Less than a header, not whole words, beyond the page. */
	two_runs();
	run_at(0, 0)->extent = HEAD - 8;
	EXPECT_NO_BLOCK();
	run_at(0, 0)->extent = HEAD + 3 * RECORD + 4;
	EXPECT_NO_BLOCK();
	use_image();
	off = put_run(0, 0, 0, 0, 3);
	off = put_run(0, off, 1, 0, (PERSIST_PAGE - off - 2 * HEAD - 24) / RECORD);
	put_run(0, off, 0, 3, 3);
	slot_0(6, 0);
	run_at(0, off)->extent = PERSIST_PAGE - off + 8;
	image_says();
	EXPECT_EQ(1, account.open_ends);
	EXPECT_EQ(3, account.lost);
	/* A full page: data at its end too short for a header is ignored. */
	use_image();
	off = put_run(0, 0, 1, 0, (PERSIST_PAGE - HEAD - 8) / RECORD);
	ASSERT_EQ(PERSIST_PAGE - 8, off);
	run_at(0, off)->extent = HEAD;
	r = run_at(1, 0);
	memset(page_at(0) + off, 0xff, 8);
	r->extent = 0;
	image_says();
	EXPECT_EQ(0, account.open_ends);
	EXPECT_EQ((PERSIST_PAGE - HEAD - 8) / RECORD, account.given);
	use_image();
	off = put_run(0, 0, 1, 0, (PERSIST_PAGE - HEAD - 56) / RECORD);
	memset(page_at(0) + off, 0xff, 56);
	image_says();
	EXPECT_EQ(0, account.open_ends);
	/* The module's functions: the block up to its last whole run. */
	off = two_runs();
	EXPECT_EQ(off, persist_block_fill(page_at(0), off));
	EXPECT_TRUE(persist_block_sum(page_at(0), off, &sum));
	EXPECT_FALSE(persist_block_sum(page_at(0), off - 8, &sum));
	EXPECT_FALSE(persist_block_sum(page_at(0), off + 8, &sum));
	EXPECT_EQ(off, persist_block_fill(page_at(0), off + 8));
	r = run_at(0, HEAD + 3 * RECORD);
	r->slot = SLOT_NONE;
	EXPECT_EQ(HEAD + 3 * RECORD, persist_block_fill(page_at(0), off));
	EXPECT_TRUE(persist_block_sum(page_at(0), off, &sum));
}

/* The newest run has no checksum: it must be complete. */
TEST(a_run_that_makes_no_sense)
{
	const u32 second = HEAD + 3 * RECORD;
	u32 i;

	for (i = 0; i < 9; i++) {
		struct run *r;
		u32 empty = word(0, DEVTRACE_T_EMPTY, 1);

		two_runs();
		sum_block(0, 0, second);
		r = run_at(0, second);
		switch (i) {
		case 0:
			r->slot = PERSIST_SLOTS_MAX;
			break;
		case 1:		/* all events filtered: such a run is not kept */
			r->nr = 0;
			r->len = 4;
			memcpy(r + 1, &empty, sizeof(empty));
			break;
		case 2:
			r->len = r->extent - HEAD + RECORD;
			r->nr = 4;
			put_records((u8 *)(r + 1), 4);
			break;
		case 3:
			r->lo = r->hi + 1;
			break;
		case 4:		/* half a record */
			r->len -= 2;
			r->nr = 2;
			break;
		case 5:
			r->nr = 4;
			break;
		case 6:
			r->nr = 2;
			break;
		case 7:		/* from the previous contents of the block */
			r->block--;
			break;
		case 8:		/* a type that programs cannot emit */
			*(u32 *)(r + 1) = word(4, DEVTRACE_T_KERNEL, 1);
			break;
		}
		EXPECT_POOL(1, "%s lost(4:7,3,1002-0)", ev(0, 3));
		/* The slot may be wrong too: nothing is known about slots without events. */
		*slot_at(0, 0) = (struct persist_slot){ 0 };
		EXPECT_POOL(1, "%s", ev(0, 3));
	}
	/* An abandoned run does not count, and filtered records are no events. */
	two_runs();
	run_at(0, 0)->slot = SLOT_NONE;
	EXPECT_POOL(0, "lost(4:0,3,0-1003) %s", ev(3, 6));
	two_runs();
	*(u32 *)(run_at(0, second) + 1) = word(4, DEVTRACE_T_EMPTY, 1);
	run_at(0, second)->nr = 2;
	slot_0(5, 0);
	EXPECT_POOL(0, "%s %s", ev(0, 3), ev(4, 6));
	/* An existing CPU, and one that does not exist. */
	two_runs();
	run_at(0, second)->cpu = RINGS + 1;
	EXPECT_POOL(0, "%s 3:1003 3:1004 3:1005", ev(0, 3));
	run_at(0, second)->cpu = RINGS + 2 + 1;
	EXPECT_POOL(0, "%s", ev(0, 6));
	/* Times before and after the allowed range. */
	two_runs();
	run_at(0, second)->time = 1;
	EXPECT_POOL(0, "%s 4:1003 4:1003 4:1003", ev(0, 3));
	run_at(0, second)->time = 2 * TS;
	EXPECT_POOL(0, "%s 4:1005 4:1005 4:1005", ev(0, 3));
}

/* Each block has two checksums. */
TEST(sums_of_a_block)
{
	const u32 one = HEAD + 3 * RECORD;
	u32 copy, fill, sum;

	for (copy = 0; copy < 2; copy++) {
		/* A damaged one may have covered any part; crc 0 means it was being written. */
		fill = two_runs();
		block_sum(0, copy)->crc = 1;
		EXPECT_NO_BLOCK();
		block_sum(0, copy)->crc = 0;
		block_sum(0, copy)->number = number_of(0);
		block_sum(0, copy)->fill = fill;
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(6, account.unchecked);
		/* The other one is intact. */
		sum_block(0, !copy, one);
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(3, account.unchecked);
		block_sum(0, copy)->crc = 1;
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(3, account.unchecked);
		/* The larger fill counts, but the number first. */
		sum_block(0, copy, fill);
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(0, account.unchecked);
		store_block(0, !copy, (struct persist_block){
			.number = number_of(0) - head.nr_blocks, .fill = 4000 });
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(0, account.unchecked);
		/* Both belong to the previous lap: the block has none. */
		*block_sum(0, copy) = *block_sum(0, !copy);
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(6, account.unchecked);
	}
	/* The checksum covers other events; more than the page; half a run. */
	fill = summed_runs();
	*((u8 *)(run_at(0, 0) + 1) + 5) ^= 1;
	EXPECT_NO_BLOCK();
	fill = summed_runs();
	persist_block_sum(page_at(0), fill, &sum);
	store_block(0, 0, (struct persist_block){ .number = number_of(0), .fill = fill - 8,
		    .sum = sum });
	EXPECT_NO_BLOCK();
	store_block(0, 0, (struct persist_block){ .number = number_of(0),
		    .fill = PERSIST_PAGE + 8, .sum = sum });
	EXPECT_NO_BLOCK();
	/* The page is lost: a checksum, a damaged one, or the contents show it was in use. */
	fill = summed_runs();
	memset(page_at(0), 0, PERSIST_PAGE);
	EXPECT_NO_BLOCK();
	block_sum(0, 0)->number ^= 1;
	EXPECT_NO_BLOCK();
	memset(block_sum(0, 0), 0, sizeof(struct persist_block));
	EXPECT_POOL(0, "%s", "lost(4:0,6,0-0)");
	run_at(0, 0)->extent = 1;
	EXPECT_NO_BLOCK();
	/* The next block is unaffected. */
	fill = summed_runs();
	fill = put_run(1, 0, 0, 6, 3);
	sum_block(1, 0, fill);
	slot_0(9, 0);
	block_sum(0, 0)->sum ^= 1;
	EXPECT_POOL(1, "lost(4:0,6,0-1006) %s", ev(6, 9));
}

/* Each slot has two entries. */
TEST(slots)
{
	u32 newer;

	for (newer = 0; newer < 2; newer++) {
		summed_runs();
		store_slot(0, !newer, (struct persist_slot){ .nr = 1, .idx = 6, .cleared = 2 });
		store_slot(0, newer, (struct persist_slot){ .nr = 2, .idx = 7, .cleared = 4,
			   .drops = { 9, 9, 1, 2 } });
		EXPECT_POOL(0, "%s lost(4:7,1,1005-0) lost(4:2,1,0-1005) lost(4:3,2,0-1005)",
			    ev(4, 6));
		slot_at(0, newer)->cleared ^= 1;
		EXPECT_POOL(0, "%s", ev(2, 6));
		/* Both damaged: what was cleared and dropped is unknown. */
		slot_at(0, !newer)->cleared ^= 1;
		EXPECT_POOL(1, "%s", ev(0, 6));
		memset(slot_at(0, newer), 0, sizeof(struct persist_slot));
		EXPECT_POOL(0, "%s", ev(0, 6));
	}
	/* The entry of another slot. */
	summed_runs();
	store_slot(1, 0, (struct persist_slot){ .nr = 1, .idx = 9 });
	*slot_at(0, 0) = *slot_at(1, 0);
	memset(slot_at(1, 0), 0, sizeof(struct persist_slot));
	EXPECT_POOL(0, "%s", ev(0, 6));
	/* Lanes with memory outside the region. */
	store_slot(0, 0, (struct persist_slot){ .nr = 1, .idx = 6, .outside = 1 });
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(1, account.outside);
}

/* A slot without events is independent of other slots' runs. */
TEST(a_slot_without_runs)
{
	two_runs();
	store_slot(1, 0, (struct persist_slot){ .nr = 1, .idx = 5, .cleared = 5 });
	EXPECT_POOL(0, "%s", ev(0, 6));
}

/* Runs of a slot that contradict each other. */
TEST(runs_of_a_slot)
{
	u32 fill;

	/* One begins before the other ends. */
	fill = summed_runs();
	fill = put_run(0, fill, 0, 5, 3);
	sum_block(0, 0, fill);
	slot_0(8, 0);
	EXPECT_POOL(1, "%s lost(4:7,2,1005-0)", ev(0, 6));
	/* The same run twice: the one with a checksum counts. */
	two_runs();
	fill = put_run(1, 0, 0, 0, 3);
	run_at(1, 0)->lo = TS + 50;
	run_at(1, 0)->hi = TS + 50;
	sum_block(1, 0, fill);
	EXPECT_POOL(1, "%s %s", "4:1050 4:1050 4:1050", ev(3, 6));
	/* Number plus length overflows. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	put_run(0, fill, 0, 3, 3);
	run_at(0, fill)->idx = ~0ULL - 1;
	sum_block(0, 0, fill + HEAD + 3 * RECORD);
	EXPECT_POOL(1, "%s", ev(0, 3));
	/* Without a checksum, and not adjacent to the previous run. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	put_run(0, fill, 0, 4, 3);
	slot_0(7, 0);
	EXPECT_POOL(1, "%s lost(4:7,4,1002-0)", ev(0, 3));
	/* With a checksum, a gap is allowed. */
	sum_block(0, 0, fill + HEAD + 3 * RECORD);
	EXPECT_POOL(0, "%s lost(4:7,1,1002-1004) %s", ev(0, 3), ev(4, 7));
	/* Each slot has its own numbering. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	put_run(0, fill, 1, 3, 3);
	slot_0(3, 0);
	EXPECT_POOL(0, "%s lost(5:0,3,0-1003) 5:1003 5:1004 5:1005", ev(0, 3));
	/* Alternating runs of two slots. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	fill = put_run(0, fill, 1, 0, 3);
	fill = put_run(0, fill, 0, 3, 3);
	image_says();
	EXPECT_EQ(9, account.given);
	EXPECT_EQ(0, account.lost);
	EXPECT_EQ(0, account.open_ends);
	/* Before the slot was cleared: valid with a checksum, or without an entry of the slot. */
	two_runs();
	slot_0(6, 1);
	EXPECT_POOL(1, "lost(4:0,2,0-1003) %s", ev(3, 6));
	sum_block(0, 0, 2 * (HEAD + 3 * RECORD));
	EXPECT_POOL(0, "%s", ev(1, 6));
	/* Events of damaged runs are missing unless they were cleared. */
	use_image();
	for (fill = 0; fill < 3; fill++)
		sum_block(fill, 0, put_run(fill, 0, 0, 3 * fill, 3));
	block_sum(1, 0)->sum ^= 1;
	slot_0(9, 4);
	EXPECT_POOL(1, "lost(4:7,2,0-1006) %s", ev(6, 9));
	summed_runs();
	/* The newest known event is that of the entry or of the run. */
	slot_0(8, 0);
	EXPECT_POOL(0, "%s lost(4:7,2,1005-0)", ev(0, 6));
	slot_0(2, 0);
	EXPECT_POOL(0, "%s", ev(0, 6));
}

/* Whether the lane of four events is intact, or its last event is invalid. */
#define EXPECT_LANE(whole) do {						\
	EXPECT_POOL(!(whole), "%s", ev(0, (whole) ? 4 : 3));		\
	EXPECT_EQ(!(whole), account.bad_lanes);				\
} while (0)

/* Records that a program should write, and others that it may write. */
TEST(records_of_a_lane)
{
	u32 i;

	use_image();
	slot_0(0, 0);
	put_lane(0, 4, 0);
	for (i = 0; i < 256; i++) {
		/* A type that is registered by name has a number, and thus flags. */
		const bool ok = !devtrace_type_is_transport(i) && i != DEVTRACE_T_NAMED &&
				(i < DEVTRACE_T_KERNEL || i >= DEVTRACE_T_USER2);

		/* The text of the cause is no event: say_frame() omits texts. */
		if (i == DEVTRACE_T_TEXT)
			continue;
		lane_words(word(4, i, 1), 0);
		EXPECT_LANE(ok);
		lane_words(word(DEVTRACE_LANE_FULL, i, 1), 0);
		EXPECT_LANE(ok);
		lane_words(word(DEVTRACE_LANE_FULL, TYPE, 1), i << 24);
		EXPECT_LANE(!i || i >> 3 == 1);
	}
	for (i = 0; i < 8; i++) {
		const u32 need = DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG;

		lane_words(word(DEVTRACE_LANE_FULL, TYPE, 1), 1U << (16 + i));
		EXPECT_LANE(1U << i & DEVTRACE_F_MASK_EMIT && !(1U << i & need));
	}
	/* Above the longest short form, even though the data is there. */
	put_lane(0, 40, 0);
	for (i = DEVTRACE_LANE_SHORT + 1; i < DEVTRACE_LANE_CPU; i++) {
		lane_words(word(i, TYPE, 1), 0);
		EXPECT_LANE(false);
	}
	put_lane(0, 4, 0);
	/* Beyond the completed part, and half a word. */
	lane_words(word(6, TYPE, 1), 0);
	EXPECT_LANE(false);
	lane_words(word(4, TYPE, 1), 0);
	lane_page(0, 0)->used -= 2;
	EXPECT_LANE(false);
	lane_page(0, 0)->used -= 4;
	EXPECT_LANE(false);
}

/* Invalid entries of lanes. */
TEST(lane_entries)
{
	const u32 last = ({ use_image(); head.nr_lanes - 1; });
	const struct persist_lane wrong[] = {
		{ .pages = 0 }, { .pages = 3 }, { .pages = 4 },
		{ .pages = 2, .slot = PERSIST_SLOTS_MAX },
	};
	struct persist_lane e;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		use_image();
		slot_0(0, 0);
		/* Nothing was written into it yet. */
		e = wrong[i];
		e.first = 1;
		store_lane(e.pages == 3 ? 0 : last, e);
		EXPECT_POOL(1, "%s", "");
		EXPECT_EQ(1, account.bad_lanes);
	}
	/* Damaged; not there; closed. */
	summed_runs();
	put_lane(6, 4, 6);
	lane_at(0)->tid ^= 1;
	EXPECT_POOL(1, "%s", ev(0, 6));
	EXPECT_EQ(1, account.bad_lanes);
	lane_at(0)->crc = 0;
	EXPECT_POOL(0, "%s", ev(0, 6));
	put_lane(6, 4, 6);
	lane_at(0)->taken = LANE_TOLD_CLOSED;
	EXPECT_POOL(0, "%s", ev(0, 6));
	/* Without any use of lanes, these bytes have no meaning. */
	use_image();
	lane_at(0)->crc = 1;
	run_at(0, 0)->extent = 1;
	EXPECT_POOL(0, "%s", "");
	EXPECT_EQ(0, account.bad_lanes);
	/* A slot, a lane or a run shows that lanes were used. */
	slot_0(0, 0);
	EXPECT_POOL(1, "%s", "");
	EXPECT_EQ(1, account.bad_lanes);
	memset(slot_at(0, 0), 0, sizeof(struct persist_slot));
	store_lane(1, (struct persist_lane){ .pages = 2, .taken = LANE_TOLD_CLOSED });
	EXPECT_POOL(1, "%s", "");
	lane_at(1)->crc = 0;
	put_run(1, 0, 0, 0, 3);
	EXPECT_POOL(1, "%s", ev(0, 3));
}

/* Two sources tell how many events of a lane were taken: its word, and the runs. */
TEST(taken)
{
	struct devtrace_lane_block *b = NULL;
	u32 i;

	/* The runs, if the word of the lane is damaged or older. */
	summed_runs();
	put_lane(2, 6, 6);
	lane_at(0)->taken ^= 1ULL << 40 | 0xff;
	EXPECT_POOL(0, "%s", ev(0, 8));
	lane_at(0)->taken = lane_told(4);
	EXPECT_POOL(0, "%s", ev(0, 8));
	/* The word, if the newest run is missing or all are damaged; or neither. */
	put_lane(2, 8, 8);
	slot_0(8, 0);
	EXPECT_POOL(0, "%s lost(4:7,2,1005-1008) %s", ev(0, 6), ev(8, 10));
	put_lane(2, 6, 6);
	lane_at(0)->taken = lane_told(6);
	block_sum(0, 0)->sum ^= 1;
	slot_0(6, 0);
	EXPECT_POOL(2 - 1, "lost(4:0,6,0-1006) %s", ev(6, 8));
	lane_at(0)->taken ^= 1ULL << 40;
	EXPECT_POOL(2, "%s", "lost(4:0,6,0-0)");
	/* Neither, if all runs were overwritten, or the newest one is missing. */
	use_image();
	put_lane(2, 6, 6);
	slot_0(6, 0);
	EXPECT_POOL(0, "lost(4:0,6,0-1006) %s", ev(6, 8));
	lane_at(0)->taken ^= 1ULL << 40;
	EXPECT_POOL(1, "%s", "lost(4:0,6,0-0)");
	summed_runs();
	put_lane(2, 6, 6);
	lane_at(0)->taken ^= 1ULL << 40;
	slot_0(7, 0);
	EXPECT_POOL(1, "%s lost(4:7,1,1005-0)", ev(0, 6));
	/* Runs before a damaged one do not tell it either: another block, or another idx. */
	for (i = 0; i < 6; i++) {
		struct run *r;

		two_runs();
		/* According to the entry of the slot, or without one. */
		if (i >= 3)
			memset(slot_at(0, 0), 0, sizeof(struct persist_slot));
		put_lane(2, 6, 6);
		r = run_at(0, HEAD + 3 * RECORD);
		lane_at(0)->taken ^= 1ULL << 40;
		r->block += i % 3 == 0;
		r->nr += i % 3 == 1;
		r->idx += i % 3 == 2;
		image_says();
		EXPECT_EQ(3, account.given);
	}
	/* All events were taken, and more. */
	summed_runs();
	put_lane(2, 4, 10);
	EXPECT_POOL(0, "%s", ev(0, 6));
	/* A negative number. */
	summed_runs();
	put_lane(2, 4, -20);
	slot_0(0, 0);
	block_sum(0, 0)->sum ^= 1;
	EXPECT_POOL(2, "%s", "");
	EXPECT_EQ(1, account.bad_lanes);
	/* The runs belong to the previous lane. */
	summed_runs();
	put_lane(0, 4, 0);
	lane_page(0, 0)->time = TS + 5;
	store_lane(0, (struct persist_lane){ .made = 1, .begin = 6, .pages = 2, .tid = 7,
		   .first = 2, .taken = 1 });
	EXPECT_POOL(0, "%s", ev(0, 10));
	/* Overwritten before they were taken. */
	summed_runs();
	put_lane(8, 4, 6);
	EXPECT_POOL(0, "%s 4:1008 4:1009 4:1010 4:1011 lost(4:2,2,0-1011)", ev(0, 6));
	/* Two blocks: the first is taken partly, or completely and the second partly. */
	for (i = 4; i < 8; i += 3) {
		use_image();
		put_run(0, 0, 0, 0, i);
		slot_0(i, 0);
		put_lane(2, 4, i);
		b = lane_page(0, 1);
		*b = (struct devtrace_lane_block){
			.time = TS + 5, .count = 6, .number = 3, .cpu = DEVTRACE_LANE_NO_CPU,
			.used = LANE_HEADER + 4 * RECORD,
		};
		put_records((u8 *)(b + 1), 4);
		lane_page(0, 0)->head.open = 3;
		EXPECT_POOL(0, "%s", ev(0, 10));
	}
	/* Events behind an invalid record do not count. */
	put_lane(2, 4, 4);
	memset(block_sum(0, 0), 0, 2 * sizeof(struct persist_block));
	put_run(0, 0, 0, 0, 4);
	slot_0(4, 0);
	lane_page(0, 0)->head.open = 3;
	lane_words(word(4, DEVTRACE_T_KERNEL, 1), 0);
	EXPECT_POOL(1, "%s", ev(0, 5));
	EXPECT_EQ(1, account.bad_lanes);
	/* According to the runs, more than half of 2^32 were taken. */
	summed_runs();
	for (i = 0; i < 2; i++)
		run_at(0, i * (HEAD + 3 * RECORD))->lane = (1U << 31) + 3 * i;
	sum_block(0, 0, 2 * (HEAD + 3 * RECORD));
	put_lane(2, 6, 6);
	lane_at(0)->taken ^= 1ULL << 40;
	b = lane_page(0, 0);
	b->number = 1 << 22;
	b->head.open = b->number;
	b->count += 1ULL << 31;
	*lane_page(0, 1) = (struct devtrace_lane_block){
		.number = b->number - 1, .count = b->count, .used = LANE_HEADER,
	};
	EXPECT_POOL(0, "%s", ev(0, 8));
}

/* Marks of the events, by time from TS on. */
static u8 marks[8];

static void keep_marks(u8 type, const u8 *p, u32 len)
{
	if (type == TYPE && get_le(p + 8, 8) - TS < sizeof(marks))
		marks[get_le(p + 8, 8) - TS] = p[0];
}

/* Exactly the events with an unreliable time are marked. */
TEST(marks_of_late_events)
{
	struct run *r;

	summed_runs();
	r = run_at(0, HEAD + 3 * RECORD);
	r->lo++;
	r->hi--;
	memset(block_sum(0, 0), 0, sizeof(struct persist_block));
	image_render(0, keep_marks);
	EXPECT_EQ(DEVTRACE_F_USER, marks[2]);
	EXPECT_EQ(DEVTRACE_F_USER | DEVTRACE_F_LATE, marks[4]);
	r->lo--;
	r->hi++;
	memset(marks, 0, sizeof(marks));
	image_render(0, keep_marks);
	EXPECT_EQ(DEVTRACE_F_USER, marks[4]);
	EXPECT_EQ(DEVTRACE_F_USER, marks[5]);
}

/* Impossible times and losses. */
TEST(times_of_a_lane)
{
	const u64 ahead = 3600 * 1000000000ULL;

	/* Before the newest run, before the lane was made, far ahead of the clock. */
	summed_runs();
	put_lane(6, 2, 6);
	lane_page(0, 0)->time = 1;
	EXPECT_POOL(0, "%s 4:1005 4:1005", ev(0, 6));
	store_lane(0, (struct persist_lane){ .made = 2 * TS, .pages = 2, .tid = 7, .first = 2,
		   .taken = lane_told(6) });
	EXPECT_POOL(0, "%s 4:2000 4:2000", ev(0, 6));
	lane_page(0, 0)->time = ~0ULL;
	EXPECT_POOL(0, "%s 4:3600000000000 4:3600000000000", ev(0, 6));
	/* More events lost than nanoseconds passed. */
	use_image();
	slot_0(0, 0);
	put_lane(4, 4, 4);
	store_lane(0, (struct persist_lane){ .made = ahead - 4, .pages = 2, .tid = 7, .first = 2,
		   .taken = lane_told(4) });
	image_says();
	EXPECT_EQ(4, account.given);
	store_lane(0, (struct persist_lane){ .made = ahead - 3, .pages = 2, .tid = 7, .first = 2,
		   .taken = lane_told(4) });
	EXPECT_POOL(1, "%s", "");
	EXPECT_EQ(1, account.bad_lanes);
	store_lane(0, (struct persist_lane){ .made = ahead + 1, .pages = 2, .tid = 7, .first = 2,
		   .taken = lane_told(4) });
	EXPECT_POOL(1, "%s", "");
	EXPECT_EQ(1, account.bad_lanes);
}

/* Without enough memory, the newest events are rendered and the others counted. */
TEST(the_newest_part)
{
	u32 k;

	use_image();
	for (k = 0; k < 4; k++)
		sum_block(k, 0, put_run(k, 0, 0, 3 * k, 3));
	*said = 0;
	image_render(2, say_frame);
	EXPECT_EQ(6, account.given);
	EXPECT_EQ(6, account.left_out);
	EXPECT_EQ(6, account.lost);
}

/* Lanes that overlap: each page belongs to the first lane that claims it. */
TEST(lanes_in_each_others_memory)
{
	u32 i, k, nr, pages;

	use_size(4 * SIZE);
	nr = 1;
	while (2 * nr <= head.nr_lanes * PERSIST_LANE_PAGES)
		nr *= 2;
	for (i = 0; i < nr; i++) {
		struct devtrace_lane_block *b = lane_page(0, i);

		*b = (struct devtrace_lane_block){
			.time = TS, .count = i, .number = i, .cpu = DEVTRACE_LANE_NO_CPU,
			.used = LANE_HEADER + RECORD,
		};
		put_records((u8 *)(b + 1), 1);
	}
	for (i = 0; i < nr; i += PERSIST_LANE_PAGES) {
		for (pages = nr; i & (pages - 1); pages /= 2)
			;
		k = i / PERSIST_LANE_PAGES;
		lane_page(k, 0)->head.open = i + pages - 1;
		store_lane(k, (struct persist_lane){ .made = 1, .slot = k, .pages = pages,
			   .first = i, .taken = lane_told(0) });
	}
	image_says();
	EXPECT_EQ(nr, account.given);
	EXPECT_EQ(nr / PERSIST_LANE_PAGES - 1, account.bad_lanes);
	EXPECT_EQ(1, account.open_ends);
	/* Adjacent lanes do not overlap. */
	put_lane(0, 4, 0);
	image_says();
	EXPECT_EQ(4 + nr - 2, account.given);
}

TEST_HARNESS_MAIN
