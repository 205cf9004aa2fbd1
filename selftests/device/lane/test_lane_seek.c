// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_seek.c - a reader seeks while lanes end
 *
 * A reader is told about losses between its position and the next event. After lseek(2) it is
 * told nothing about the time before the new position, and nothing precedes the frame that
 * begins the stream. The position may be any event, also in the middle of a block that the
 * kernel took; and the lane may have been replaced by another one with the same number.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define TYPE	DEVTRACE_T_USER

FIXTURE(lane_seek) {
	int		wfd, fd;
	struct lane	l;
	struct tape	*t;
};

FIXTURE_SETUP(lane_seek)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN));
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->t = tape_new();
	ASSERT_NE(NULL, self->t);
}

FIXTURE_TEARDOWN(lane_seek)
{
	tape_free(self->t);
	lane_close(&self->l);
	close(self->fd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

static void marks(FIXTURE_DATA(lane_seek) *self, uint32_t tag, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		lane_mark(&self->l, TYPE, tag, i);
}

/* enough to overwrite everything before */
#define MANY	8000

/* Close the lane, whose events stay, and make another one with its number. */
static int another(FIXTURE_DATA(lane_seek) *self)
{
	const uint32_t source = self->l.head->source;

	lane_close(&self->l);
	if (lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN))
		return -1;
	return self->l.head->source == source ? 0 : -1;
}

static void again(FIXTURE_DATA(lane_seek) *self)
{
	tape_free(self->t);
	self->t = tape_new();
}

TEST_F(lane_seek, cleared_before_it_went)
{
	const int source = self->l.head->source;
	uint32_t i;

	marks(self, 1, 60);
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CLEAR));
	marks(self, 2, 40);
	ASSERT_EQ(0, another(self));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_TRUE(tape_clean(self->t));
	ASSERT_EQ(40, self->t->nev);
	for (i = 0; i < 40; i++) {
		EXPECT_EQ(2, self->t->ev[i].tag);
		EXPECT_EQ(i, self->t->ev[i].nr);
	}
	EXPECT_EQ(60, self->t->lost[source][DEVTRACE_LOST_CLEARED]);
	EXPECT_EQ(60, tape_lost(self->t, -1));
	/* cleared and overwritten events are reported separately */
	marks(self, 3, 50);
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CLEAR));
	marks(self, 4, MANY);
	ASSERT_EQ(0, another(self));
	again(self);
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_LT(0, self->t->nev);
	EXPECT_EQ(50, self->t->lost[source][DEVTRACE_LOST_CLEARED]);
	EXPECT_EQ(MANY, self->t->nev + self->t->lost[source][DEVTRACE_LOST_OVERWRITTEN]);
	EXPECT_EQ(50 + MANY, self->t->nev + tape_lost(self->t, -1));
}

/* Like a reader that opens the device now. */
TEST_F(lane_seek, what_had_gone_is_not_told)
{
	static const struct {
		off_t to;
		int whence;
		bool events, lost;
	} how[] = {
		{ 0, SEEK_END, false, false },
		{ 0, SEEK_SET, true, true },
		{ 1, SEEK_SET, true, false },
	};
	struct tape *t;
	char buf[256];
	size_t i;

	for (i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		marks(self, 1, 1500);
		/* a reader with events in its buffer */
		ASSERT_LT(0, read(self->fd, buf, sizeof(buf)));
		marks(self, 2, MANY);
		ASSERT_EQ(0, another(self));
		t = tape_all(65536);
		ASSERT_NE(NULL, t);
		ASSERT_LT(0, t->nev);
		ASSERT_LT(0, tape_lost(t, -1));
		ASSERT_LE(0, lseek(self->fd, how[i].to, how[i].whence));
		ASSERT_LE(0, tape_drain(self->t, self->fd));
		EXPECT_EQ(how[i].events ? t->nev : 0, self->t->nev) TH_LOG("way %zu", i);
		EXPECT_EQ(how[i].lost ? tape_lost(t, -1) : 0, tape_lost(self->t, -1))
			TH_LOG("way %zu", i);
		if (how[i].events)
			EXPECT_EQ(t->ev[0].nr, self->t->ev[0].nr) TH_LOG("way %zu", i);
		tape_free(t);
		again(self);
		ASSERT_LE(0, lseek(self->fd, 0, SEEK_SET));
	}
}

static void note_first(struct tape *t, const struct devtrace_item *i)
{
	if (*(int *)t->arg < 0)
		*(int *)t->arg = i->kind;
}

TEST_F(lane_seek, asking_tells_nothing)
{
	uint32_t check = DEVTRACE_CHECK_CRC32;
	int first = -1;

	self->t->each = note_first;
	self->t->arg = &first;
	marks(self, 1, MANY);
	ASSERT_EQ(0, another(self));
	EXPECT_LE(0, lseek(self->fd, 0, SEEK_CUR));
	EXPECT_EQ(-1, lseek(self->fd, 0, 99));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(DEVTRACE_ITEM_INFO, first);
	EXPECT_LT(0, tape_lost(self->t, -1));
	EXPECT_EQ(MANY, self->t->nev + tape_lost(self->t, -1));
	/* nor before the frame that announces another check */
	marks(self, 2, MANY);
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	ASSERT_EQ(0, another(self));
	EXPECT_LE(0, lseek(self->fd, 0, SEEK_CUR));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(2 * MANY, self->t->nev + tape_lost(self->t, -1));
}

static void note_reason(struct tape *t, const struct devtrace_item *i)
{
	if (i->kind == DEVTRACE_ITEM_INFO && *(int *)t->arg < 0)
		*(int *)t->arg = i->u.info.reason;
}

/* A seek takes precedence over a change of the check. */
TEST_F(lane_seek, behind_another_check)
{
	uint32_t check = DEVTRACE_CHECK_CRC16;
	int reason = -1;

	marks(self, 1, 10);
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(10, self->t->nev);
	self->t->each = note_reason;
	self->t->arg = &reason;
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(DEVTRACE_INFO_SEEK, reason);
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(20, self->t->nev);
}

/* As in a ring: the oldest event is the first one after that time. */
TEST_F(lane_seek, to_a_time_before_the_oldest)
{
	const uint32_t n = 10000;
	uint64_t before = 0;
	uint32_t i, first;

	for (i = 0; i < n; i++) {
		if (i == n / 5)
			before = dev_now();
		lane_mark(&self->l, TYPE, 1, i);
	}
	/* everything in the lane is taken now, and nothing is added */
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(n, self->t->nev + tape_lost(self->t, -1));
	ASSERT_LT(0, self->t->nev);
	first = self->t->ev[0].nr;
	/* it has wrapped, past the events of that time */
	ASSERT_LT(n / 5, first);
	for (i = 0; i < 2; i++) {
		again(self);
		ASSERT_LT(0, lseek(self->fd, i ? 1 : before, SEEK_SET));
		ASSERT_LE(0, tape_drain(self->t, self->fd));
		EXPECT_TRUE(tape_clean(self->t));
		EXPECT_EQ(n - first, self->t->nev);
		EXPECT_EQ(first, self->t->ev[0].nr);
		EXPECT_EQ(0, tape_lost(self->t, -1));
	}
}

/* At any place within a block: before it, after it, in the middle. */
TEST_F(lane_seek, to_the_time_of_any_event)
{
	const uint32_t n = 1200;
	uint64_t ts[1200];
	uint32_t i, nr;

	for (i = 0; i < n; i++) {
		lane_mark(&self->l, TYPE, 1, i);
		if (!(dev_random() % 64))
			ASSERT_EQ(0, lane_hand(&self->l));
	}
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	ASSERT_EQ(n, self->t->nev);
	for (i = 0; i < n; i++)
		ts[i] = self->t->ev[i].ts;
	for (i = 0; i < 200; i++) {
		nr = i < 4 ? i : i < 8 ? n - 1 - (i - 4) : dev_random() % n;
		again(self);
		/* every other time to a time between two events */
		ASSERT_LT(0, lseek(self->fd, ts[nr] - (i & 1), SEEK_SET));
		while (nr && ts[nr - 1] >= ts[nr] - (i & 1))
			nr--;
		ASSERT_LE(0, tape_drain(self->t, self->fd));
		EXPECT_TRUE(tape_clean(self->t));
		EXPECT_EQ(0, tape_lost(self->t, -1));
		ASSERT_EQ(n - nr, self->t->nev) TH_LOG("to number %u", nr);
		EXPECT_EQ(nr, self->t->ev[0].nr);
		EXPECT_EQ(n - 1, self->t->ev[self->t->nev - 1].nr);
	}
}

TEST_HARNESS_MAIN
