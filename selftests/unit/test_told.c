// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_told.c - which losses a restarted logger tells
 *
 * "hear" is a reader that opens the device. A restart goes through the text that the logger keeps.
 */
#include "kselftest_harness.h"
#include <string.h>
#include "tracelogger/told.h"

#define LOAD	7

static struct told told;

static void begin_boot(const char *boot)
{
	told_origin(&told, boot, "trace");
	told_open(&told);
}

static void restart(void)
{
	static char text[TOLD_TEXT];

	memset(text, 'x', sizeof(text));
	text[told_save(&told, text)] = 0;
	memset(&told, 0, sizeof(told));
	told_load(&told, text);
}

/* The receiver has acknowledged all; then a restarted logger opens the device. */
static void again(const char *boot)
{
	told_settle(&told);
	restart();
	begin_boot(boot);
}

/* Return how much of a loss is new at once. */
static uint64_t lose(uint16_t source, uint8_t cause, uint64_t count, uint64_t to, uint32_t load)
{
	struct devtrace_lost l = {
		.source = source, .cause = cause, .count = count, .to = to,
	};

	return told_lost(&told, &l, load) ? l.count : 0;
}

/* Return how many events are told as lost before this event. */
static uint64_t see(uint64_t ts, uint32_t load)
{
	struct devtrace_lost l;
	uint64_t n = 0;

	if (told_event(&told, ts, load))
		while (told_due(&told, &l))
			n += l.count;
	return n;
}

static void see_all(struct __test_metadata *_metadata, uint64_t from, uint64_t to)
{
	for (; from <= to; from++)
		EXPECT_EQ(see(from, LOAD), 0);
}

/* A first logger: 10 events were overwritten, it sends those from 11 to 20. */
static void first(struct __test_metadata *_metadata)
{
	memset(&told, 0, sizeof(told));
	begin_boot("a");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 10, 11, LOAD), 10);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_BUSY, 2, 11, LOAD), 2);
	see_all(_metadata, 11, 20);
	told_settle(&told);
}

/* The first logger, and one that is restarted. */
static void second(struct __test_metadata *_metadata)
{
	first(_metadata);
	again("a");
}

TEST(losses_are_told_once)
{
	second(_metadata);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 15, 16, LOAD), 0);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_BUSY, 2, 16, LOAD), 0);
	see_all(_metadata, 16, 25);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 4, 30, LOAD), 4);
}

TEST(only_events_that_were_not_sent_are_lost)
{
	second(_metadata);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 25, 26, LOAD), 0);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_BUSY, 5, 26, LOAD), 3);
	EXPECT_EQ(see(26, LOAD), 5);
	EXPECT_EQ(see(27, LOAD), 0);
}

TEST(sources_share_the_sum)
{
	struct devtrace_lost l;

	second(_metadata);
	lose(0, DEVTRACE_LOST_OVERWRITTEN, 22, 40, LOAD);
	lose(1, DEVTRACE_LOST_OVERWRITTEN, 12, 40, LOAD);
	ASSERT_TRUE(told_event(&told, 40, LOAD));
	ASSERT_TRUE(told_due(&told, &l));
	EXPECT_EQ(l.count, 7);
	EXPECT_EQ(l.from, 20);
	ASSERT_TRUE(told_due(&told, &l));
	EXPECT_EQ(l.count, 7);
	EXPECT_FALSE(told_due(&told, &l));
}

TEST(shares_of_a_sum_near_2_64)
{
	const uint64_t all = UINT64_MAX - 100 + 50 - 20;	/* 20 were heard before */
	struct devtrace_lost l;
	uint64_t one;

	second(_metadata);
	lose(0, DEVTRACE_LOST_OVERWRITTEN, UINT64_MAX - 100, 40, LOAD);
	lose(1, DEVTRACE_LOST_OVERWRITTEN, 50, 40, LOAD);
	ASSERT_TRUE(told_event(&told, 40, LOAD));
	ASSERT_TRUE(told_due(&told, &l));
	EXPECT_EQ(0, l.source);
	one = l.count;
	EXPECT_LE(one, all);
	EXPECT_GE(one, all - 50);
	if (one < all) {
		ASSERT_TRUE(told_due(&told, &l));
		EXPECT_EQ(all - one, l.count);
	}
	EXPECT_FALSE(told_due(&told, &l));
}

TEST(a_source_whose_events_are_there_has_no_share)
{
	struct devtrace_lost l;

	second(_metadata);
	lose(0, DEVTRACE_LOST_OVERWRITTEN, 18, 19, LOAD);
	lose(1, DEVTRACE_LOST_OVERWRITTEN, 9, 40, LOAD);
	see_all(_metadata, 19, 20);
	ASSERT_TRUE(told_event(&told, 40, LOAD));
	ASSERT_TRUE(told_due(&told, &l));
	EXPECT_EQ(l.source, 1);
	EXPECT_EQ(l.count, 9);
	EXPECT_FALSE(told_due(&told, &l));
}

TEST(a_restart_before_all_is_heard_changes_nothing)
{
	second(_metadata);
	lose(0, DEVTRACE_LOST_OVERWRITTEN, 18, 19, LOAD);
	lose(1, DEVTRACE_LOST_OVERWRITTEN, 9, 40, LOAD);
	lose(0, DEVTRACE_LOST_BUSY, 2, 19, LOAD);
	see_all(_metadata, 19, 20);
	again("a");
	lose(0, DEVTRACE_LOST_OVERWRITTEN, 18, 19, LOAD);
	lose(1, DEVTRACE_LOST_OVERWRITTEN, 9, 40, LOAD);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_BUSY, 2, 19, LOAD), 0);
	see_all(_metadata, 19, 20);
	EXPECT_EQ(see(40, LOAD), 9);
}

TEST(what_is_not_acknowledged_is_told_again)
{
	first(_metadata);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 4, 30, LOAD), 4);
	see_all(_metadata, 30, 31);
	told_rewind(&told);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 4, 30, LOAD), 4);
	see_all(_metadata, 30, 31);
	again("a");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 28, 34, LOAD), 0);
	/* 10 + 10 + 4 + 2 were heard; 28 is two more. */
	EXPECT_EQ(see(34, LOAD), 2);
}

TEST(frames_of_the_spool_that_come_again)
{
	first(_metadata);
	restart();
	told_origin(&told, "a", "trace");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 3, 14, LOAD), 0);
	see_all(_metadata, 14, 22);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 3, 26, LOAD), 3);
	told_settle(&told);
	begin_boot("a");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 27, 28, LOAD), 0);
	EXPECT_EQ(see(28, LOAD), 2);
}

TEST(each_stop_is_told_once)
{
	first(_metadata);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_STOPPED, 6, 25, LOAD), 6);
	see_all(_metadata, 26, 27);
	again("a");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_STOPPED, 6, 25, LOAD), 0);
	see_all(_metadata, 26, 27);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_STOPPED, 4, 35, LOAD), 4);
}

TEST(an_invalid_lane_is_told_once)
{
	struct devtrace_lost l = { .source = 9, .cause = DEVTRACE_LOST_LANE, .to = 18 };

	first(_metadata);
	EXPECT_TRUE(told_lost(&told, &l, LOAD));
	again("a");
	l.to = 99;
	EXPECT_FALSE(told_lost(&told, &l, LOAD));
}

TEST(a_clear_conceals_no_loss)
{
	second(_metadata);
	/* After the clear, 3 events were overwritten, and one had no room. */
	EXPECT_EQ(lose(0, DEVTRACE_LOST_BUSY, 1, 31, LOAD), 1);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 3, 31, LOAD), 0);
	EXPECT_EQ(see(31, LOAD), 3);
}

TEST(another_load_or_boot_begins_anew)
{
	second(_metadata);
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 15, 30, LOAD + 1), 15);
	again("b");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 5, 6, LOAD + 1), 5);
	see_all(_metadata, 6, 6);
}

TEST(the_previous_boot_and_this_one)
{
	first(_metadata);
	begin_boot("b");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 5, 6, LOAD), 5);
	see_all(_metadata, 6, 9);
	again("a");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 10, 11, LOAD), 0);
	see_all(_metadata, 11, 20);
	begin_boot("b");
	EXPECT_EQ(lose(0, DEVTRACE_LOST_OVERWRITTEN, 5, 6, LOAD), 0);
}

TEST(a_damaged_text_tells_nothing)
{
	static char text[TOLD_TEXT];
	size_t n, i;

	first(_metadata);
	n = told_save(&told, text);
	for (i = 0; i < n; i++) {
		char cut[TOLD_TEXT];

		memcpy(cut, text, i);
		cut[i] = 0;
		memset(&told, 0, sizeof(told));
		told_load(&told, cut);
		EXPECT_EQ(told.now.all[0].newest, 0);
	}
	memset(&told, 0, sizeof(told));
	told_load(&told, "7 20 20 99 0 0 1 a trace\n");
	EXPECT_EQ(told.now.all[0].newest, 0);
}

TEST_HARNESS_MAIN
