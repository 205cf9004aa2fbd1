// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link.c - a driver that emits is loaded before, after and without devtrace.ko
 *
 * LIFE_CYCLES is the number of times that devtrace.ko is loaded and removed (default 20). Meanwhile
 * a driver emits on each CPU from a thread, a tasklet, an interrupt and, on boards with NMIs, an
 * NMI. Each event that the driver emits while it is connected is counted by devtrace.ko, and is
 * stored or lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define ENOUGH		20		/* minimum number of events while devtrace.ko is loaded */
#define POINTERS	"/sys/module/dttest/parameters/pointers"
/* Number of names that the driver gives after a write into POINTERS. */
#define NAMES		3

FIXTURE(link) {
	int cycles;
};

FIXTURE_SETUP(link)
{
	const char *c = getenv("LIFE_CYCLES");

	dev_seed();
	self->cycles = c && *c ? atoi(c) : 20;
	ASSERT_EQ(0, dev_unload());
	dev_log_begin();
}

FIXTURE_TEARDOWN(link)
{
	dev_nmi(0);
	EXPECT_FALSE(dev_log_has("BUG:"));
	EXPECT_FALSE(dev_log_has("WARNING:"));
	EXPECT_EQ(0, dev_done());
}

static bool emits_enough(uint64_t more)
{
	struct devtrace_stats st = { 0 };
	int tries;

	for (tries = 0; tries < 60000; tries++) {
		if (dev_stats(-1, &st))
			return false;
		if (st.emitted >= more)
			return true;
		usleep(1000);
	}
	return false;
}

static uint64_t all_counts(void)
{
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], sum = 0;
	int c, k;

	if (dev_writers_counts(counts))
		return 0;
	for (c = 0; c < DEV_CPUS; c++)
		for (k = 0; k < DTTEST_CLASSES; k++)
			sum += counts[c][k];
	return sum;
}

/* Remove devtrace.ko while a driver emits. A timer may use devtrace.ko for a moment: try again. */
static int remove_devtrace(void)
{
	int tries;

	for (tries = 0; tries < 3000; tries++) {
		if (!dev_unload_one("devtrace"))
			return 0;
		if (errno != EAGAIN && errno != EBUSY)
			return -1;
		usleep(1000);
	}
	return -1;
}

/* Run the driver for a moment. Check that all its events are counted, and stored or lost. */
static void account(struct __test_metadata *_metadata)
{
	struct devtrace_stats old, st;
	struct tape *t;
	uint64_t sum;

	ASSERT_EQ(0, dev_writers_run(false));
	sum = all_counts();
	ASSERT_EQ(0, dev_stats(-1, &old));
	ASSERT_EQ(0, dev_writers_run(true));
	ASSERT_TRUE(emits_enough(old.emitted + ENOUGH));
	ASSERT_EQ(0, dev_writers_run(false));
	sum = all_counts() - sum;
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(sum, st.emitted - old.emitted);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(st.emitted - st.filtered, t->nev + tape_lost(t, -1));
	tape_free(t);
}

enum when { BEFORE, AFTER, WITHOUT, WHENS };

/* The driver stays loaded while devtrace.ko is loaded and removed, and is loaded at any time. */
TEST_F_TIMEOUT(link, devtrace_comes_and_goes_under_a_driver, 6000)
{
	char params[32];
	enum when when;
	int i;

	ASSERT_EQ(0, dev_load_writers("max_len=0"));
	if (!dev_nmi(200))
		dev_say("no NMIs on this board");
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < self->cycles; i++) {
		when = i % WHENS;
		if (when == WITHOUT) {
			ASSERT_EQ(0, dev_unload_one("dttest"));
			ASSERT_EQ(0, dev_load_writers("max_len=0"));
			ASSERT_EQ(0, dev_writers_run(true));
			ASSERT_EQ(0, access("/sys/module/dttest", F_OK));
			ASSERT_NE(0, access("/sys/module/devtrace", F_OK));
		}
		snprintf(params, sizeof(params), "size=%dK", 8 << dev_random() % 4);
		ASSERT_EQ(0, dev_load_file("devtrace.ko", params));
		if (when == AFTER) {
			ASSERT_EQ(0, dev_unload_one("dttest"));
			ASSERT_EQ(0, dev_load_writers("max_len=0"));
			ASSERT_EQ(0, dev_writers_run(true));
		}
		ASSERT_TRUE(emits_enough(ENOUGH));
		if (i % 4 < 2) {
			account(_metadata);
			ASSERT_EQ(0, dev_writers_run(true));
		}
		ASSERT_EQ(0, remove_devtrace());
	}
	ASSERT_EQ(0, dev_unload_one("dttest"));
}

static int filter_types(struct nl *nl, bool drivers)
{
	uint8_t types[32] = { 0 };
	size_t nest;

	if (drivers)
		memset(types + DTTEST_TYPE / 8, 0xff, sizeof(types) - DTTEST_TYPE / 8);
	nl_begin(nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(nl, DEVTRACE_A_FILTER);
	nl_put(nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(nl, nest);
	return nl_do(nl, NULL, NULL);
}

/* A loaded driver gets each new filter, and a driver that is loaded later gets the last filter. */
TEST_F(link, a_driver_follows_the_filter)
{
	struct devtrace_stats old, st;
	static struct nl nl;
	uint64_t sum;
	int later;

	for (later = 0; later < 2; later++) {
		if (!later)
			ASSERT_EQ(0, dev_load_writers("max_len=0"));
		ASSERT_EQ(0, dev_load_file("devtrace.ko", "size=64K"));
		ASSERT_EQ(0, nl_open(&nl));
		ASSERT_EQ(0, filter_types(&nl, false));
		if (later)
			ASSERT_EQ(0, dev_load_writers("max_len=0"));

		ASSERT_EQ(0, dev_stats(-1, &old));
		sum = all_counts();
		ASSERT_EQ(0, dev_writers_run(true));
		ASSERT_TRUE(emits_enough(old.emitted + ENOUGH));
		ASSERT_EQ(0, dev_writers_run(false));
		ASSERT_EQ(0, dev_stats(-1, &st));
		EXPECT_EQ(0, st.stored);
		EXPECT_EQ(all_counts() - sum, st.filtered - old.filtered);

		ASSERT_EQ(0, filter_types(&nl, true));
		account(_metadata);
		nl_close(&nl);
		ASSERT_EQ(0, remove_devtrace());
		ASSERT_EQ(0, dev_unload_one("dttest"));
	}
}

/* Names that were given before devtrace.ko was loaded exist each time that it is loaded. */
TEST_F(link, a_driver_keeps_its_names)
{
	struct tape *t;
	int i;

	ASSERT_EQ(0, dev_load_writers("max_len=0"));
	ASSERT_EQ(0, dev_write_file(POINTERS, "1"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, dev_load_file("devtrace.ko", "size=64K"));
		/* The second time, the driver gives the same names again. */
		if (i == 1)
			ASSERT_EQ(0, dev_write_file(POINTERS, "1"));
		t = tape_all(4096);
		ASSERT_NE(NULL, t);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(NAMES, t->dicts);
		EXPECT_EQ(i == 1 ? 2 : 0, t->nev);
		tape_free(t);
		ASSERT_EQ(0, remove_devtrace());
	}
}

TEST_HARNESS_MAIN
