// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_seek.c - a reader goes elsewhere while lanes go
 *
 * What a reader is told is of what lies between its place and where it reads on: it is
 * told nothing of what was before the place that lseek(2) gave it, however that went,
 * and nothing comes before the frame that begins the stream.
 */
#include <fcntl.h>
#include <stdio.h>
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

/* Room for one lane: it goes as soon as it is dead and there is another. */
FIXTURE_SETUP(lane_seek)
{
	char params[64];

	snprintf(params, sizeof(params), "size=64K lane_process=%ld",
		 DEVTRACE_LANE_MIN + 2 * sysconf(_SC_PAGESIZE));
	ASSERT_EQ(0, dev_load(params));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN));
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->t = tape_new();
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

/* The lane dies, and goes because there is another. */
static int another(FIXTURE_DATA(lane_seek) *self)
{
	lane_close(&self->l);
	return lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN);
}

TEST_F(lane_seek, cleared_before_it_went)
{
	const int source = self->l.head->source;

	marks(self, 1, 60);
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CLEAR));
	marks(self, 1, 40);
	ASSERT_EQ(0, another(self));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(0, self->t->nev);
	EXPECT_EQ(60, self->t->lost[source][DEVTRACE_LOST_CLEARED]);
	EXPECT_EQ(40, self->t->lost[source][DEVTRACE_LOST_OVERWRITTEN]);
	EXPECT_EQ(100, tape_lost(self->t, -1));
}

/* As who opens it then. */
TEST_F(lane_seek, what_had_gone_is_not_told)
{
	static const struct { off_t to; int whence, events; } how[] = {
		{ 0, SEEK_END, 0 }, { 0, SEEK_SET, 7 }, { 1, SEEK_SET, 7 },
	};
	char buf[256];
	size_t i;

	for (i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		marks(self, 1, 1500);
		/* a cursor with events at hand */
		ASSERT_LT(0, read(self->fd, buf, sizeof(buf)));
		ASSERT_EQ(0, another(self));
		marks(self, 2, 7);
		ASSERT_LE(0, lseek(self->fd, how[i].to, how[i].whence));
		ASSERT_LE(0, tape_drain(self->t, self->fd));
		EXPECT_EQ(how[i].events, self->t->nev) TH_LOG("way %zu", i);
		EXPECT_EQ(0, tape_lost(self->t, -1)) TH_LOG("way %zu", i);
		tape_free(self->t);
		self->t = tape_new();
		/* the next round has a lane of its own */
		ASSERT_EQ(0, another(self));
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
	marks(self, 1, 10);
	ASSERT_EQ(0, another(self));
	EXPECT_LE(0, lseek(self->fd, 0, SEEK_CUR));
	EXPECT_EQ(-1, lseek(self->fd, 0, 99));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(DEVTRACE_ITEM_INFO, first);
	EXPECT_EQ(10, tape_lost(self->t, -1));
	/* nor before the frame that says how it is checked from there on */
	marks(self, 2, 10);
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	ASSERT_EQ(0, another(self));
	EXPECT_LE(0, lseek(self->fd, 0, SEEK_CUR));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(20, tape_lost(self->t, -1));
}

static void note_reason(struct tape *t, const struct devtrace_item *i)
{
	if (i->kind == DEVTRACE_ITEM_INFO && *(int *)t->arg < 0)
		*(int *)t->arg = i->u.info.reason;
}

/* That it goes elsewhere is more than that it is checked in another way. */
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

/* As in a ring: the oldest that is there is the first behind that time. */
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
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(n, self->t->nev + tape_lost(self->t, -1));
	ASSERT_LT(0, self->t->nev);
	first = self->t->ev[0].nr;
	/* it has wrapped, past what was written at that time */
	ASSERT_LT(n / 5, first);
	for (i = 0; i < 2; i++) {
		tape_free(self->t);
		self->t = tape_new();
		ASSERT_LT(0, lseek(self->fd, i ? 1 : before, SEEK_SET));
		ASSERT_LE(0, tape_drain(self->t, self->fd));
		EXPECT_TRUE(tape_clean(self->t));
		EXPECT_EQ(n - first, self->t->nev);
		EXPECT_EQ(first, self->t->ev[0].nr);
		EXPECT_EQ(0, tape_lost(self->t, -1));
	}
}

TEST_HARNESS_MAIN
