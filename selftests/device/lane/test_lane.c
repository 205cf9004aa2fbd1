// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane.c - events that a program stores in memory can be read with read(2)
 *
 * The test itself writes the lane (lanes.c). Each event must be read once, ordered by time among
 * events of rings and other lanes, or be reported as lost.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define TYPE	DEVTRACE_T_USER

FIXTURE(lane) {
	int		wfd;
	struct lane	l;
	int		source;
};

FIXTURE_SETUP(lane)
{
	ASSERT_EQ(0, dev_load(""));
	self->wfd = open(DEV_PATH, O_WRONLY);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	self->source = self->l.head->source;
}

FIXTURE_TEARDOWN(lane)
{
	close(self->wfd);
	if (self->l.head)
		lane_close(&self->l);
	EXPECT_EQ(0, dev_done());
}

TEST_F(lane, all_is_read_again_and_again)
{
	struct tape *t;
	int turn, i;

	for (i = 0; i < 1000; i++)
		lane_mark(&self->l, TYPE, 7, i);
	for (turn = 0; turn < 2; turn++) {
		t = tape_all(4096);
		ASSERT_NE(NULL, t);
		EXPECT_TRUE(tape_clean(t));
		ASSERT_EQ(1000, t->nev);
		EXPECT_EQ(0, tape_lost(t, -1));
		for (i = 0; i < 1000; i++) {
			EXPECT_EQ(7, t->ev[i].tag);
			EXPECT_EQ(i, t->ev[i].nr);
			EXPECT_EQ(self->source, t->ev[i].source);
			EXPECT_EQ(DEVTRACE_F_USER, t->ev[i].flags);
			EXPECT_EQ(getpid(), t->ev[i].tid);
		}
		tape_free(t);
	}
}

TEST_F(lane, what_was_overwritten_is_told)
{
	const int n = 50000;
	struct tape *t;
	size_t i;

	for (i = 0; i < n; i++)
		lane_mark(&self->l, TYPE, 7, i);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_LT(2000, t->nev);
	EXPECT_EQ(n, t->nev + tape_lost(t, self->source));
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(n - t->nev + i, t->ev[i].nr);
	tape_free(t);
}

/* The owner makes no calls, and the kernel takes nothing before blocks are overwritten. */
TEST_F(lane, what_nobody_took_is_told_as_dropped)
{
	const uint32_t n = 5000;
	struct devtrace_stats st;
	struct tape *t;
	uint32_t i;
	int turn;

	self->l.dev = -1;
	for (i = 0; i < n; i++)
		lane_mark(&self->l, TYPE, 7, i);
	for (turn = 0; turn < 2; turn++) {
		t = tape_all(65536);
		ASSERT_NE(NULL, t);
		EXPECT_TRUE(tape_clean(t));
		/* one of the two blocks is full */
		ASSERT_LT(180, t->nev);
		EXPECT_GT(2 * 288, t->nev);
		EXPECT_EQ(n - t->nev, t->lost[self->source][DEVTRACE_LOST_BUSY]);
		EXPECT_EQ(n - t->nev, tape_lost(t, -1));
		for (i = 0; i < t->nev; i++)
			EXPECT_EQ(n - t->nev + i, t->ev[i].nr);
		ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
		EXPECT_EQ(n, st.emitted);
		EXPECT_EQ(t->nev, st.stored);
		EXPECT_EQ(n - t->nev, st.dropped[DEVTRACE_LOST_BUSY]);
		EXPECT_EQ(0, st.overwritten);
		tape_free(t);
	}
}

TEST_F(lane, stands_between_events_of_rings_and_other_lanes)
{
	struct lane other;
	struct tape *t;
	size_t i;

	ASSERT_EQ(0, lane_open(&other, self->wfd, 0));
	for (i = 0; i < 900; i += 3) {
		lane_mark(&self->l, TYPE, 7, i);
		ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, 7, i + 1));
		lane_mark(&other, TYPE, 7, i + 2);
	}
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(900, t->nev);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i, t->ev[i].nr);
	tape_free(t);
	lane_close(&other);
}

/*
 * Payloads of all lengths up to PAYLOAD, with bytes that need an escape and their neighbours, by
 * the lane and by system call, with each kind of check.
 */
#define PAYLOAD		100
#define PAYLOADS	1000

TEST_F(lane, whatever_bytes_an_event_has)
{
	static const uint8_t bytes[] = {
		DEVTRACE_FLAG, DEVTRACE_ESCAPE, DEVTRACE_FLAG ^ DEVTRACE_ESCAPE_XOR,
		DEVTRACE_ESCAPE ^ DEVTRACE_ESCAPE_XOR, 0x7f, 0xfe, 0, 1,
	};
	static union event {
		struct devtrace_emit e;
		uint8_t bytes[sizeof(struct devtrace_emit) + PAYLOAD];
	} sent[PAYLOADS];
	uint32_t check, i, k, len, rare;
	struct tape *t;
	int fd;

	dev_seed();
	for (i = 0; i < PAYLOADS; i++) {
		/* Few of these bytes, or many. */
		rare = dev_random() % 2 ? 1 : 16;
		for (k = 0; k < PAYLOAD; k++)
			sent[i].e.data[k] = dev_random() % rare ? 'a' : bytes[dev_random() % 8];
		sent[i].e.type = TYPE;
		len = i % (PAYLOAD + 1);
		if (i % 2)
			lane_emit_at(&self->l, dev_now(), TYPE, sent[i].e.data, len);
		else
			ASSERT_EQ(0, dev_emit(self->wfd, &sent[i].e, len));
	}
	for (check = 0; check < 3; check++) {
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CHECK, &check));
		t = tape_new();
		ASSERT_NE(NULL, t);
		while (tape_drain(t, fd) > 0)
			;
		close(fd);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(0, tape_lost(t, -1));
		ASSERT_EQ(PAYLOADS, t->nev);
		for (i = 0; i < PAYLOADS; i++) {
			ASSERT_EQ(i % (PAYLOAD + 1), t->ev[i].len);
			ASSERT_EQ(0, memcmp(sent[i].e.data, t->data + t->ev[i].data, t->ev[i].len));
		}
		tape_free(t);
	}
}

/* The next lane has the same source number and continues. */
TEST_F(lane, what_it_left_is_there_when_it_is_gone)
{
	struct tape *t;
	uint32_t i, n = 0;

	for (i = 0; i < 20; i++) {
		for (; n < 37 * (i + 1); n++)
			lane_mark(&self->l, TYPE, 7, n);
		lane_close(&self->l);
		ASSERT_EQ(0, lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN << i % 3));
		ASSERT_EQ(self->source, self->l.head->source);
	}
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	ASSERT_EQ(n, t->nev);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(i, t->ev[i].nr);
		EXPECT_EQ(self->source, t->ev[i].source);
	}
	tape_free(t);
}

TEST_HARNESS_MAIN
