// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_streams.c - each stream gets the events of lanes that it wants
 *
 * A second stream, "side", has a filter of its own. An event in a lane is in each stream that wants
 * it, in order and with the same time. A stop, a clear or a filter of one stream changes no other
 * stream. The counts of each stream add up.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define TYPE	DEVTRACE_T_USER
#define OTHER	(DEVTRACE_T_USER + 1)
#define SIDE	"side"

static struct nl nl;

FIXTURE(lane_streams) {
	int		wfd, side;
	struct lane	l;
};

static void put_types(uint8_t first, uint8_t last)
{
	uint8_t types[32] = { 0 };
	int i;

	for (i = first; i <= last; i++)
		types[i / 8] |= 1 << i % 8;
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
}

static int side_new(uint64_t size, uint8_t first, uint8_t last)
{
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, SIDE);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	put_types(first, last);
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

static int side_del(void)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_DEL);
	nl_put_str(&nl, DEVTRACE_A_STREAM, SIDE);
	return nl_do(&nl, NULL, NULL);
}

static int set(const char *stream, int attr, uint32_t v)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	nl_put_u32(&nl, attr, v);
	return nl_do(&nl, NULL, NULL);
}

static int set_state(const char *stream, uint32_t state)
{
	return set(stream, DEVTRACE_A_STATE, state);
}

static int clear(const char *stream)
{
	nl_begin(&nl, DEVTRACE_CMD_CLEAR);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	return nl_do(&nl, NULL, NULL);
}

/* All types; @pid: not this process, unless 0 */
static int filter_not_pid(const char *stream, uint32_t pid)
{
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	if (pid)
		nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &pid, sizeof(pid));
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

static int open_stream(const char *stream)
{
	char path[64];

	snprintf(path, sizeof(path), "%s%s%s", DEV_PATH, stream ? "-" : "", stream ?: "");
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static struct devtrace_stats stats_of(int fd)
{
	struct devtrace_stats st = { .cpu = -1 };

	if (ioctl(fd, DEVTRACE_IOC_STATS, &st))
		memset(&st, 0xff, sizeof(st));
	return st;
}

static bool adds_up(const struct devtrace_stats *st)
{
	uint64_t n = st->stored + st->filtered;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		n += st->dropped[i];
	return n == st->emitted;
}

/* A new reader of a stream (NULL: stream 0) reads it all. */
static struct tape *tape_of(const char *stream)
{
	struct tape *t = tape_new();
	int fd = open_stream(stream);

	if (fd < 0 || tape_drain(t, fd) < 0)
		t->damages++;
	close(fd);
	return t;
}

FIXTURE_SETUP(lane_streams)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=1M"));
	ASSERT_EQ(0, nl_open(&nl));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	self->side = -1;
}

FIXTURE_TEARDOWN(lane_streams)
{
	lane_close(&self->l);
	close(self->wfd);
	if (self->side >= 0)
		close(self->side);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

/* Compare the events of the side stream with those of stream 0 that it wants. */
static unsigned int compare(struct __test_metadata *_metadata, const struct tape *all,
			    const struct tape *side, uint8_t first)
{
	size_t i, n = 0;

	EXPECT_TRUE(tape_clean(all));
	EXPECT_TRUE(tape_clean(side));
	for (i = 0; i < all->nev; i++) {
		const struct tape_event *a = &all->ev[i], *b = &side->ev[n];

		if (a->type < first)
			continue;
		ASSERT_LT(n, side->nev);
		EXPECT_EQ(a->type, b->type);
		EXPECT_EQ(a->tag, b->tag);
		EXPECT_EQ(a->nr, b->nr);
		EXPECT_EQ(a->ts, b->ts);
		EXPECT_EQ(a->tid, b->tid);
		EXPECT_EQ(a->source, b->source);
		EXPECT_EQ(a->flags, b->flags);
		n++;
	}
	EXPECT_EQ(n, side->nev);
	return n;
}

TEST_F(lane_streams, each_stream_gets_what_it_wants)
{
	struct tape *all, *side, *follows = tape_new();
	struct devtrace_stats st[2];
	unsigned int i;
	int fd;

	lane_mark(&self->l, OTHER, 1, 0);
	ASSERT_EQ(0, side_new(1 << 20, OTHER, OTHER));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	for (i = 1; i <= 5000; i++) {
		lane_mark(&self->l, i % 7 && i % 11 ? TYPE : OTHER, 1, i);
		/* A reader gets an event that is still in the lane. */
		if (i == 1001) {
			ASSERT_EQ(0, 1001 % 7 || 1001 % 11);
			ASSERT_LT(0, tape_drain(follows, self->side));
			ASSERT_LT(0, follows->nev);
			EXPECT_EQ(1001, follows->ev[follows->nev - 1].nr);
		}
	}
	ASSERT_LE(0, tape_drain(follows, self->side));
	all = tape_of(NULL);
	side = tape_of(SIDE);
	/* The event before the stream was created */
	ASSERT_LT(0, all->nev);
	EXPECT_EQ(0, all->ev[0].nr);
	all->ev[0].type = TYPE;
	i = compare(_metadata, all, side, OTHER);
	EXPECT_EQ(714 + 454 - 64, i);
	EXPECT_EQ(i, compare(_metadata, all, follows, OTHER));
	EXPECT_EQ(0, tape_lost(side, -1));
	fd = open_stream(NULL);
	st[0] = stats_of(fd);
	st[1] = stats_of(self->side);
	EXPECT_EQ(5001, st[0].emitted);
	EXPECT_EQ(5001, st[0].stored);
	EXPECT_EQ(5000, st[1].emitted);
	EXPECT_EQ(i, st[1].stored);
	EXPECT_EQ(5000 - i, st[1].filtered);
	close(fd);
	tape_free(all);
	tape_free(side);
	tape_free(follows);
}

/* The other stream gets events that stream 0 refuses by another term than the type. */
TEST_F(lane_streams, what_stream_0_refuses)
{
	struct devtrace_stats st[2];
	struct tape *side;
	unsigned int i;
	int fd;

	ASSERT_EQ(0, side_new(1 << 20, TYPE, OTHER));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	ASSERT_EQ(0, filter_not_pid(DEVTRACE_STREAM0, getpid()));
	for (i = 0; i < 3000; i++)
		lane_mark(&self->l, TYPE, 1, i);
	fd = open_stream(NULL);
	st[0] = stats_of(fd);
	st[1] = stats_of(self->side);
	EXPECT_EQ(3000, st[0].filtered);
	EXPECT_EQ(0, st[0].stored);
	EXPECT_EQ(3000, st[1].stored);
	EXPECT_EQ(0, st[1].filtered);
	/* and the other way round */
	ASSERT_EQ(0, filter_not_pid(DEVTRACE_STREAM0, 0));
	ASSERT_EQ(0, filter_not_pid(SIDE, getpid()));
	for (; i < 5000; i++)
		lane_mark(&self->l, TYPE, 1, i);
	st[0] = stats_of(fd);
	st[1] = stats_of(self->side);
	EXPECT_EQ(2000, st[0].stored);
	EXPECT_EQ(3000, st[0].filtered);
	EXPECT_EQ(3000, st[1].stored);
	EXPECT_EQ(2000, st[1].filtered);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(5000, st[i].emitted);
		EXPECT_TRUE(adds_up(&st[i]));
	}
	side = tape_of(SIDE);
	EXPECT_TRUE(tape_clean(side));
	ASSERT_EQ(3000, side->nev);
	for (i = 0; i < 3000; i++)
		EXPECT_EQ(i, side->ev[i].nr);
	tape_free(side);
	close(fd);
}

TEST_F(lane_streams, each_stream_stops_alone)
{
	struct tape *all, *side;
	struct devtrace_stats st;
	int i, fd;

	ASSERT_EQ(0, side_new(1 << 20, TYPE, OTHER));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	lane_mark(&self->l, TYPE, 1, 0);
	ASSERT_EQ(0, set_state(SIDE, DEVTRACE_STATE_STOPPED));
	lane_mark(&self->l, TYPE, 1, 1);
	lane_mark(&self->l, TYPE, 1, 2);
	ASSERT_EQ(0, set_state(SIDE, DEVTRACE_STATE_RUNNING));
	lane_mark(&self->l, TYPE, 1, 3);
	ASSERT_EQ(0, set_state(DEVTRACE_STREAM0, DEVTRACE_STATE_STOPPED));
	lane_mark(&self->l, TYPE, 1, 4);
	ASSERT_EQ(0, set_state(DEVTRACE_STREAM0, DEVTRACE_STATE_RUNNING));
	lane_mark(&self->l, TYPE, 1, 5);
	all = tape_of(NULL);
	side = tape_of(SIDE);
	ASSERT_EQ(5, all->nev);
	ASSERT_EQ(4, side->nev);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(i + (i > 3), all->ev[i].nr);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(i ? i + 2 : 0, side->ev[i].nr);
	EXPECT_EQ(1, tape_lost(all, -1));
	EXPECT_EQ(2, tape_lost(side, -1));
	EXPECT_TRUE(tape_clean(all));
	EXPECT_TRUE(tape_clean(side));
	fd = open_stream(NULL);
	st = stats_of(fd);
	EXPECT_EQ(6, st.emitted);
	EXPECT_EQ(1, st.dropped[DEVTRACE_LOST_STOPPED]);
	EXPECT_TRUE(adds_up(&st));
	st = stats_of(self->side);
	EXPECT_EQ(6, st.emitted);
	EXPECT_EQ(2, st.dropped[DEVTRACE_LOST_STOPPED]);
	EXPECT_TRUE(adds_up(&st));
	close(fd);
	tape_free(all);
	tape_free(side);
}

TEST_F(lane_streams, each_stream_is_cleared_alone)
{
	struct tape *all, *side, *follows = tape_new();
	unsigned int i;

	ASSERT_EQ(0, side_new(1 << 20, TYPE, OTHER));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	lane_mark(&self->l, TYPE, 1, 0);
	ASSERT_LT(0, tape_drain(follows, self->side));
	for (i = 1; i < 10; i++)
		lane_mark(&self->l, TYPE, 1, i);
	ASSERT_EQ(0, clear(SIDE));
	lane_mark(&self->l, TYPE, 1, 10);
	all = tape_of(NULL);
	side = tape_of(SIDE);
	ASSERT_LT(0, tape_drain(follows, self->side));
	EXPECT_EQ(11, all->nev);
	EXPECT_EQ(0, tape_lost(all, -1));
	ASSERT_EQ(1, side->nev);
	EXPECT_EQ(10, side->ev[0].nr);
	ASSERT_EQ(2, follows->nev);
	EXPECT_EQ(10, follows->ev[1].nr);
	EXPECT_EQ(9, tape_lost(follows, -1));
	EXPECT_TRUE(tape_clean(follows));
	tape_free(all);
	tape_free(side);
	tape_free(follows);
}

/* A stream of rare events keeps them, whatever else is written into the lane. */
TEST_F(lane_streams, rare_events_stay)
{
	const unsigned int noise = 1000, rare = 500;
	struct devtrace_stats st;
	struct tape *side;
	unsigned int i;

	ASSERT_EQ(0, side_new(64 << 10, OTHER, OTHER));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	for (i = 0; i < noise * rare; i++)
		lane_mark(&self->l, i % noise == 500 ? OTHER : TYPE, 1, i);
	st = stats_of(self->side);
	EXPECT_EQ(noise * rare, st.emitted);
	EXPECT_EQ(rare, st.stored);
	EXPECT_EQ(0, st.overwritten);
	EXPECT_TRUE(adds_up(&st));
	side = tape_of(SIDE);
	EXPECT_TRUE(tape_clean(side));
	EXPECT_EQ(0, tape_lost(side, -1));
	ASSERT_EQ(rare, side->nev);
	for (i = 0; i < rare; i++)
		EXPECT_EQ(i * noise + 500, side->ev[i].nr);
	tape_free(side);
}

/* A stream that is created, resized and removed, with its readers and with more lanes. */
TEST_F(lane_streams, come_and_go)
{
	struct devtrace_stats st;
	unsigned int i, k, n;
	static char buf[65536];
	struct lane more;
	struct tape *t;
	ssize_t got;

	for (k = 0; k < 3; k++) {
		ASSERT_EQ(0, side_new(256 << 10, TYPE, TYPE));
		self->side = open_stream(SIDE);
		ASSERT_LE(0, self->side);
		for (i = 0; i < 5000; i++)
			lane_mark(&self->l, TYPE, 1, i);
		ASSERT_EQ(0, lane_open(&more, self->wfd, 0));
		lane_mark(&more, TYPE, 2, 0);
		nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
		nl_put_str(&nl, DEVTRACE_A_STREAM, SIDE);
		nl_put_u64(&nl, DEVTRACE_A_SIZE, k % 2 ? 1 << 20 : 32 << 10);
		ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
		st = stats_of(self->side);
		EXPECT_EQ(5001, st.emitted);
		EXPECT_EQ(5001, st.stored);
		EXPECT_EQ(k % 2, !st.overwritten);
		ASSERT_EQ(0, side_del());
		/* The removed stream does not store this event. */
		lane_mark(&self->l, TYPE, 1, 5000);
		lane_close(&more);
		/* The rest, then end of file */
		t = tape_new();
		while ((got = read(self->side, buf, sizeof(buf))) > 0)
			tape_feed(t, buf, got);
		EXPECT_EQ(0, got);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(5001 - st.overwritten, t->nev);
		EXPECT_EQ(st.overwritten, tape_lost(t, -1));
		for (n = 0; n < t->nev; n++)
			EXPECT_FALSE(t->ev[n].tag == 1 && t->ev[n].nr == 5000);
		tape_free(t);
		close(self->side);
		self->side = -1;
	}
}

/* The thread overwrites events while its calls are not made: each stream counts them. */
TEST_F(lane_streams, overwritten_in_the_lane)
{
	struct devtrace_stats st[2];
	unsigned int i;
	int fd;

	ASSERT_EQ(0, side_new(1 << 20, TYPE, TYPE));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	self->l.dev = -1;
	for (i = 0; i < 3000; i++)
		lane_mark(&self->l, TYPE, 1, i);
	fd = open_stream(NULL);
	st[0] = stats_of(fd);
	st[1] = stats_of(self->side);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(3000, st[i].emitted);
		EXPECT_LT(0, st[i].dropped[DEVTRACE_LOST_BUSY]);
		EXPECT_TRUE(adds_up(&st[i]));
	}
	EXPECT_EQ(st[0].stored, st[1].stored);
	close(fd);
}

/* Writes into its lane, without a system call, once the main thread sleeps. */
struct writer {
	int		wfd;
	atomic_bool	failed, woken;
};

static bool main_thread_sleeps(int stat)
{
	char text[256] = "";
	const char *name_end;

	if (pread(stat, text, sizeof(text) - 1, 0) < 0)
		return false;
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

static void *writer(void *arg)
{
	struct writer *w = arg;
	struct lane l;
	char path[64];
	int stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	stat = open(path, O_RDONLY | O_CLOEXEC);
	if (stat < 0 || lane_open(&l, w->wfd, 0)) {
		atomic_store(&w->failed, true);
		return NULL;
	}
	while (!main_thread_sleeps(stat))
		;
	lane_mark(&l, TYPE, 3, 0);
	/* A lane that closes wakes readers, too. */
	while (!atomic_load(&w->woken))
		;
	lane_close(&l);
	close(stat);
	return NULL;
}

/* A reader of the side stream waits, and none of stream 0. */
TEST_F(lane_streams, a_waiting_reader_wakes)
{
	struct writer w = { .wfd = self->wfd };
	struct tape *t = tape_new();
	struct pollfd p = { .events = POLLIN };
	pthread_t thread;

	ASSERT_EQ(0, side_new(1 << 20, TYPE, TYPE));
	self->side = open_stream(SIDE);
	ASSERT_LE(0, self->side);
	p.fd = self->side;
	ASSERT_LE(0, tape_drain(t, self->side));
	ASSERT_EQ(0, pthread_create(&thread, NULL, writer, &w));
	EXPECT_EQ(1, poll(&p, 1, 20000));
	atomic_store(&w.woken, true);
	pthread_join(thread, NULL);
	EXPECT_FALSE(atomic_load(&w.failed));
	ASSERT_LE(0, tape_drain(t, self->side));
	ASSERT_EQ(1, t->nev);
	EXPECT_EQ(3, t->ev[0].tag);
	EXPECT_TRUE(tape_clean(t));
	tape_free(t);
}

TEST_HARNESS_MAIN
