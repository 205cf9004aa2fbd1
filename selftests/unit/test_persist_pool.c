// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_pool.c - each check of blocks and lanes in a region, by the damage that it is for
 *
 * Blocks and lanes are written here word by word. Then one word is not what the module, or a
 * program, would have written.
 */
#include "kselftest_harness.h"
#include "persist_pool_image.h"

unsigned int ring_port_alloc_fails;

void ring_port_step(void)
{
}

#define SIZE	(1024 * 1024U)

/* The first words of the last one of four records of that lane. */
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

/* Two runs of three events of slot 0 in block 0. Return its bytes. */
static u32 two_runs(void)
{
	u32 fill;

	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	fill = put_run(0, fill, 0, 3, 3);
	slot_0(6, 0);
	return fill;
}

/* The same with a sum. */
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

/* A case: of how many slots the end is not known, and what is given. */
#define EXPECT_POOL(open, format, ...) do {				\
	char want_[8192];						\
									\
	snprintf(want_, sizeof(want_), format, __VA_ARGS__);		\
	EXPECT_STREQ(want_, image_says());				\
	EXPECT_EQ(said_events, account.given);				\
	EXPECT_EQ(open, account.open_ends);				\
} while (0)

/* Nothing of a block is given. */
#define EXPECT_NO_BLOCK() EXPECT_POOL(1, "%s", "lost(4:0,6,0-0)")

TEST(a_whole_pool)
{
	summed_runs();
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(0, account.unchecked);
	two_runs();
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(6, account.unchecked);
	/* With a sum over the first run alone. */
	sum_block(0, 1, HEAD + 3 * RECORD);
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(3, account.unchecked);
	/* A lane, of which nothing was taken, some, and all. */
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

/* Extents that lead elsewhere. */
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
	/* A page that is full: what stands where a header has no room is none. */
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
	/* For the module itself: a block as far as it is whole. */
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

/* The newest run has no sum: it must be whole. */
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
		case 1:		/* all were filtered: no such run is kept */
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
		case 7:		/* of the block that was there before */
			r->block--;
			break;
		case 8:		/* a type that no program emits */
			*(u32 *)(r + 1) = word(4, DEVTRACE_T_KERNEL, 1);
			break;
		}
		EXPECT_POOL(1, "%s lost(4:7,3,1002-0)", ev(0, 3));
		/* Its slot may be another one: nothing is known of any that has no event. */
		*slot_at(0, 0) = (struct persist_slot){ 0 };
		EXPECT_POOL(1, "%s", ev(0, 3));
	}
	/* What was given up is none, and what was filtered is no event. */
	two_runs();
	run_at(0, 0)->slot = SLOT_NONE;
	EXPECT_POOL(0, "lost(4:0,3,0-1003) %s", ev(3, 6));
	two_runs();
	*(u32 *)(run_at(0, second) + 1) = word(4, DEVTRACE_T_EMPTY, 1);
	run_at(0, second)->nr = 2;
	slot_0(5, 0);
	EXPECT_POOL(0, "%s %s", ev(0, 3), ev(4, 6));
	/* A CPU that there is, and one that there is not. */
	two_runs();
	run_at(0, second)->cpu = RINGS + 1;
	EXPECT_POOL(0, "%s 3:1003 3:1004 3:1005", ev(0, 3));
	run_at(0, second)->cpu = RINGS + 2 + 1;
	EXPECT_POOL(0, "%s", ev(0, 6));
	/* Times before and behind those that are allowed. */
	two_runs();
	run_at(0, second)->time = 1;
	EXPECT_POOL(0, "%s 4:1003 4:1003 4:1003", ev(0, 3));
	run_at(0, second)->time = 2 * TS;
	EXPECT_POOL(0, "%s 4:1005 4:1005 4:1005", ev(0, 3));
}

/* Each block has two sums. */
TEST(sums_of_a_block)
{
	const u32 one = HEAD + 3 * RECORD;
	u32 copy, fill, sum;

	for (copy = 0; copy < 2; copy++) {
		/* A damaged one may have covered anything; with crc 0 it was being written. */
		fill = two_runs();
		block_sum(0, copy)->crc = 1;
		EXPECT_NO_BLOCK();
		block_sum(0, copy)->crc = 0;
		block_sum(0, copy)->number = number_of(0);
		block_sum(0, copy)->fill = fill;
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(6, account.unchecked);
		/* The other one is right. */
		sum_block(0, !copy, one);
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(3, account.unchecked);
		block_sum(0, copy)->crc = 1;
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(3, account.unchecked);
		/* The greater fill counts, but the number before. */
		sum_block(0, copy, fill);
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(0, account.unchecked);
		store_block(0, !copy, (struct persist_block){
			.number = number_of(0) - head.nr_blocks, .fill = 4000 });
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(0, account.unchecked);
		/* Both of the lap before: this one has none. */
		*block_sum(0, copy) = *block_sum(0, !copy);
		EXPECT_POOL(0, "%s", ev(0, 6));
		EXPECT_EQ(6, account.unchecked);
	}
	/* Of other events; of more than the page; up to the midst of a run. */
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
	/* The page is lost: by a sum, a damaged sum, or what is there, it was in use. */
	fill = summed_runs();
	memset(page_at(0), 0, PERSIST_PAGE);
	EXPECT_NO_BLOCK();
	block_sum(0, 0)->number ^= 1;
	EXPECT_NO_BLOCK();
	memset(block_sum(0, 0), 0, sizeof(struct persist_block));
	EXPECT_POOL(0, "%s", "lost(4:0,6,0-0)");
	run_at(0, 0)->extent = 1;
	EXPECT_NO_BLOCK();
	/* The next block is not concerned. */
	fill = summed_runs();
	fill = put_run(1, 0, 0, 6, 3);
	sum_block(1, 0, fill);
	slot_0(9, 0);
	block_sum(0, 0)->sum ^= 1;
	EXPECT_POOL(1, "lost(4:0,6,0-1006) %s", ev(6, 9));
}

/* Each slot is described twice. */
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
		/* None is: what was cleared and dropped is not known. */
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
	/* How many lanes had memory elsewhere. */
	store_slot(0, 0, (struct persist_slot){ .nr = 1, .idx = 6, .outside = 1 });
	EXPECT_POOL(0, "%s", ev(0, 6));
	EXPECT_EQ(1, account.outside);
}

/* A slot without an event has nothing to do with the runs of another one. */
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
	/* The same one twice: the one with a sum counts, wherever it is. */
	two_runs();
	fill = put_run(1, 0, 0, 0, 3);
	run_at(1, 0)->lo = TS + 50;
	run_at(1, 0)->hi = TS + 50;
	sum_block(1, 0, fill);
	EXPECT_POOL(1, "%s %s", "4:1050 4:1050 4:1050", ev(3, 6));
	/* Its number and its length make no number. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	put_run(0, fill, 0, 3, 3);
	run_at(0, fill)->idx = ~0ULL - 1;
	sum_block(0, 0, fill + HEAD + 3 * RECORD);
	EXPECT_POOL(1, "%s", ev(0, 3));
	/* Without a sum, and not where the one before ended. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	put_run(0, fill, 0, 4, 3);
	slot_0(7, 0);
	EXPECT_POOL(1, "%s lost(4:7,4,1002-0)", ev(0, 3));
	/* With one there may be a gap. */
	sum_block(0, 0, fill + HEAD + 3 * RECORD);
	EXPECT_POOL(0, "%s lost(4:7,1,1002-1004) %s", ev(0, 3), ev(4, 7));
	/* Of another slot it follows none; each slot has its own. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	put_run(0, fill, 1, 3, 3);
	slot_0(3, 0);
	EXPECT_POOL(0, "%s lost(5:0,3,0-1003) 5:1003 5:1004 5:1005", ev(0, 3));
	/* Of two slots in turns. */
	use_image();
	fill = put_run(0, 0, 0, 0, 3);
	fill = put_run(0, fill, 1, 0, 3);
	fill = put_run(0, fill, 0, 3, 3);
	image_says();
	EXPECT_EQ(9, account.given);
	EXPECT_EQ(0, account.lost);
	EXPECT_EQ(0, account.open_ends);
	/* Before the slot was cleared: a sum, or no entry of the slot, lets it be. */
	two_runs();
	slot_0(6, 1);
	EXPECT_POOL(1, "lost(4:0,2,0-1003) %s", ev(3, 6));
	sum_block(0, 0, 2 * (HEAD + 3 * RECORD));
	EXPECT_POOL(0, "%s", ev(1, 6));
	/* Of damaged runs only those are missing that were not cleared. */
	use_image();
	for (fill = 0; fill < 3; fill++)
		sum_block(fill, 0, put_run(fill, 0, 0, 3 * fill, 3));
	block_sum(1, 0)->sum ^= 1;
	slot_0(9, 4);
	EXPECT_POOL(1, "lost(4:7,2,0-1006) %s", ev(6, 9));
	summed_runs();
	/* The newest event known is the entry's, or the run's. */
	slot_0(8, 0);
	EXPECT_POOL(0, "%s lost(4:7,2,1005-0)", ev(0, 6));
	slot_0(2, 0);
	EXPECT_POOL(0, "%s", ev(0, 6));
}

/* Whether that lane of four events is whole, or the last one makes no sense. */
#define EXPECT_LANE(whole) do {						\
	EXPECT_POOL(!(whole), "%s", ev(0, (whole) ? 4 : 3));		\
	EXPECT_EQ(!(whole), account.bad_lanes);				\
} while (0)

/* What a program may write, and what not: it may write anything. */
TEST(records_of_a_lane)
{
	u32 i;

	use_image();
	slot_0(0, 0);
	put_lane(0, 4, 0);
	for (i = 0; i < 256; i++) {
		const bool ok = !devtrace_type_is_transport(i) &&
				(i < DEVTRACE_T_KERNEL || i >= DEVTRACE_T_USER2);

		/* The text of the cause is no event: say_frame() leaves texts out. */
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
	/* Longer than the longest of the shortest form, and it would be there. */
	put_lane(0, 40, 0);
	for (i = DEVTRACE_LANE_SHORT + 1; i < DEVTRACE_LANE_CPU; i++) {
		lane_words(word(i, TYPE, 1), 0);
		EXPECT_LANE(false);
	}
	put_lane(0, 4, 0);
	/* Beyond what is complete, and half a word. */
	lane_words(word(6, TYPE, 1), 0);
	EXPECT_LANE(false);
	lane_words(word(4, TYPE, 1), 0);
	lane_page(0, 0)->used -= 2;
	EXPECT_LANE(false);
	lane_page(0, 0)->used -= 4;
	EXPECT_LANE(false);
}

/* Entries of lanes that were not written like that. */
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
	/* Nobody used lanes: whatever stands there means nothing. */
	use_image();
	lane_at(0)->crc = 1;
	run_at(0, 0)->extent = 1;
	EXPECT_POOL(0, "%s", "");
	EXPECT_EQ(0, account.bad_lanes);
	/* Somebody did: there is a slot, a lane, or a run. */
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

/* How many events of a lane came into runs is told twice: beside the lane, and by runs. */
TEST(taken)
{
	struct devtrace_lane_block *b = NULL;
	u32 i;

	/* By the runs, if the word beside the lane is damaged or behind them. */
	summed_runs();
	put_lane(2, 6, 6);
	lane_at(0)->taken ^= 1ULL << 40 | 0xff;
	EXPECT_POOL(0, "%s", ev(0, 8));
	lane_at(0)->taken = lane_told(4);
	EXPECT_POOL(0, "%s", ev(0, 8));
	/* By the word, if the newest run is gone, or all are damaged; by none. */
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
	/* Nor is it, if all runs were overwritten, or the newest one is not there. */
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
	/* Nor is it known by the runs before a damaged one: of another block, or another idx. */
	for (i = 0; i < 6; i++) {
		struct run *r;

		two_runs();
		/* The entry of the slot says so, or there is none. */
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
	/* All were taken, and more. */
	summed_runs();
	put_lane(2, 4, 10);
	EXPECT_POOL(0, "%s", ev(0, 6));
	/* Fewer than none. */
	summed_runs();
	put_lane(2, 4, -20);
	slot_0(0, 0);
	block_sum(0, 0)->sum ^= 1;
	EXPECT_POOL(2, "%s", "");
	EXPECT_EQ(1, account.bad_lanes);
	/* The runs are those of the lane before. */
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
	/* Of two blocks, the first one is taken in part, or whole and the second in part. */
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
	/* Behind what makes no sense nothing counts. */
	put_lane(2, 4, 4);
	memset(block_sum(0, 0), 0, 2 * sizeof(struct persist_block));
	put_run(0, 0, 0, 0, 4);
	slot_0(4, 0);
	lane_page(0, 0)->head.open = 3;
	lane_words(word(4, DEVTRACE_T_KERNEL, 1), 0);
	EXPECT_POOL(1, "%s", ev(0, 5));
	EXPECT_EQ(1, account.bad_lanes);
	/* So many that half of 2^32 were taken, as runs say. */
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

/* Marks of the event at each time from TS on. */
static u8 marks[8];

static void keep_marks(u8 type, const u8 *p, u32 len)
{
	if (type == TYPE && get_le(p + 8, 8) - TS < sizeof(marks))
		marks[get_le(p + 8, 8) - TS] = p[0];
}

/* An event that does not keep the time that it claims is marked, and no other one. */
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

/* Times, and losses, that cannot be. */
TEST(times_of_a_lane)
{
	const u64 ahead = 3600 * 1000000000ULL;

	/* Before the newest run, before the lane was made, far ahead of any clock. */
	summed_runs();
	put_lane(6, 2, 6);
	lane_page(0, 0)->time = 1;
	EXPECT_POOL(0, "%s 4:1005 4:1005", ev(0, 6));
	store_lane(0, (struct persist_lane){ .made = 2 * TS, .pages = 2, .tid = 7, .first = 2,
		   .taken = lane_told(6) });
	EXPECT_POOL(0, "%s 4:2000 4:2000", ev(0, 6));
	lane_page(0, 0)->time = ~0ULL;
	EXPECT_POOL(0, "%s 4:3600000000000 4:3600000000000", ev(0, 6));
	/* More were lost than there were ns. */
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

/* For want of memory only the newest are given; the others are counted. */
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

/* Lanes in each other's memory: each page belongs to the first lane that has it. */
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
	/* Behind the last page of a lane the next one may begin. */
	put_lane(0, 4, 0);
	image_says();
	EXPECT_EQ(4 + nr - 2, account.given);
}

TEST_HARNESS_MAIN
