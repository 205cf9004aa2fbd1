// SPDX-License-Identifier: GPL-2.0-only
/* test_lane_meanwhile.c - changes of the stream or the machine while lanes are written */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define TYPE	DEVTRACE_T_USER

FIXTURE(meanwhile) {
	int		wfd;
	struct lane	l;
};

FIXTURE_SETUP(meanwhile)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(meanwhile)
{
	if (self->wfd >= 0)
		close(self->wfd);
	if (self->l.head)
		lane_close(&self->l);
	EXPECT_EQ(0, dev_done());
}

static void write_marks(struct lane *l, uint32_t tag, int from, int n)
{
	while (n--)
		lane_mark(l, TYPE, tag, from++);
}

struct writing {
	struct lane	*l;
	atomic_bool	stop;
	int		cpu;
	int		dev;
	atomic_uint	nr;
	int		open;		/* 1: it has its lane, -1: failed */
};

/* The thread that asked for the lane hands it over. */
static void *keep_writing(void *arg)
{
	struct writing *w = arg;

	dev_pin(w->cpu);
	if (lane_open(w->l, w->dev, 0)) {
		__atomic_store_n(&w->open, -1, __ATOMIC_RELEASE);
		return NULL;
	}
	__atomic_store_n(&w->open, 1, __ATOMIC_RELEASE);
	while (!w->stop) {
		lane_mark(w->l, TYPE, 15, w->nr++);
		if (!(w->nr % 1000))
			sched_yield();
	}
	return NULL;
}

/* 0 when it has its lane. */
static int start_writing(pthread_t *th, struct writing *w)
{
	int open;

	if (pthread_create(th, NULL, keep_writing, w))
		return -1;
	while (!(open = __atomic_load_n(&w->open, __ATOMIC_ACQUIRE)))
		sched_yield();
	return open - 1;
}

static struct nl nl;

static int resize(uint64_t size)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	return nl_do(&nl, NULL, NULL);
}

/* Check that numbers read plus lost are those written, in order. */
static void drain_checked(struct tape *t, int fd, uint32_t *next, uint64_t *lost, int reads,
			  struct __test_metadata *_metadata)
{
	static char buf[65536];
	ssize_t n;
	size_t i;

	/* Limit the reads, as the writer may be faster. */
	while (reads-- && (n = read(fd, buf, sizeof(buf))) > 0)
		tape_feed(t, buf, n);
	for (i = 0; i < t->nev; i++) {
		EXPECT_EQ(*next + (t->ev[i].lost - *lost), t->ev[i].nr);
		*next = t->ev[i].nr + 1;
		*lost = t->ev[i].lost;
	}
	t->nev = 0;
	t->ndata = 0;
}

TEST_F(meanwhile, resized_and_cleared_while_it_is_written)
{
	struct writing w = { .l = &self->l, .cpu = -1, .dev = self->wfd };
	struct tape *t = tape_new();
	uint64_t lost = 0;
	uint32_t next = 0, was = 0;
	pthread_t th;
	int fd, i;

	ASSERT_EQ(0, nl_open(&nl));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, start_writing(&th, &w));
	for (i = 0; i < 20; i++) {
		/* wait for a complete unread event: a busy machine may stop the writer */
		while (w.nr < was + 2)
			sched_yield();
		EXPECT_EQ(0, i & 1 ? resize(i & 2 ? 16384 : 65536) :
				     ioctl(fd, DEVTRACE_IOC_CLEAR));
		drain_checked(t, fd, &next, &lost, 8, _metadata);
		was = w.nr;
	}
	w.stop = true;
	pthread_join(th, NULL);
	drain_checked(t, fd, &next, &lost, -1, _metadata);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(w.nr, t->read[self->l.head->source] + tape_lost(t, self->l.head->source));
	dev_say("%u written, %llu lost", w.nr, (unsigned long long)tape_lost(t, -1));
	EXPECT_LT(0, t->lost[self->l.head->source][DEVTRACE_LOST_CLEARED]);
	/* pthread_join() may return before the kernel has closed the lane. */
	while (self->l.head->state != DEVTRACE_LANE_CLOSED)
		sched_yield();
	tape_free(t);
	close(fd);
	nl_close(&nl);
}

/*
 * A reader is told of everything cleared behind its position, also in lanes that it has not
 * examined, and of nothing cleared before.
 */
TEST_F(meanwhile, cleared_before_anybody_looked)
{
	struct tape *t = tape_new();
	struct lane old, new;
	int fd, how, a, b;

	for (how = 0; how < 2; how++) {
		ASSERT_EQ(0, lane_open(&old, self->wfd, 0));
		write_marks(&old, 1, 0, 10);
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
		if (how) {
			ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
		} else {
			close(fd);
			fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
			ASSERT_LE(0, fd);
		}
		ASSERT_EQ(0, lane_open(&new, self->wfd, 0));
		write_marks(&old, 1, 0, 20);
		write_marks(&new, 2, 0, 30);
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
		write_marks(&new, 2, 30, 5);
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
		write_marks(&old, 1, 20, 3);
		write_marks(&new, 2, 35, 4);
		ASSERT_LE(0, tape_drain(t, fd));
		EXPECT_TRUE(tape_clean(t));
		a = old.head->source;
		b = new.head->source;
		EXPECT_EQ(3, t->read[a]);
		EXPECT_EQ(4, t->read[b]);
		EXPECT_EQ(20, t->lost[a][DEVTRACE_LOST_CLEARED]);
		EXPECT_EQ(35, t->lost[b][DEVTRACE_LOST_CLEARED]);
		EXPECT_EQ(55, tape_lost(t, -1));
		lane_close(&old);
		lane_close(&new);
		close(fd);
		tape_free(t);
		t = tape_new();
	}
	tape_free(t);
}

TEST_F(meanwhile, cpu_goes_away_under_its_writer)
{
	struct writing w = { .l = &self->l, .cpu = 1, .dev = self->wfd };
	struct tape *t = tape_new();
	uint64_t lost = 0;
	uint32_t next = 0;
	pthread_t th;
	int fd, i;

	if (!dev_can_switch(1)) {
		tape_free(t);
		SKIP(return, "no second CPU that can be taken away");
	}
	ASSERT_EQ(0, dev_switch(1, true));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, start_writing(&th, &w));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, dev_switch(1, i & 1));
		drain_checked(t, fd, &next, &lost, 8, _metadata);
	}
	w.stop = true;
	pthread_join(th, NULL);
	drain_checked(t, fd, &next, &lost, -1, _metadata);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(w.nr, t->read[self->l.head->source] + tape_lost(t, self->l.head->source));
	tape_free(t);
	close(fd);
}

TEST_HARNESS_MAIN
