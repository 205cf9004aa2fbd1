// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_awake.c - a reader looks only into lanes that may have something new, and misses none
 *
 * Threads with lanes sleep until they are told to emit. An event that is complete before a read
 * begins is given by this read, in order and unmarked: the reader must know which of the threads
 * woke. So the tests compare after each read, and wait for nothing.
 *
 * DEVICE_ROUNDS is the number of events (default 1000). The order is random, from SEED.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define TYPE		DEVTRACE_T_USER
#define SLEEPERS	70	/* in two chunks of the kernel's slots */
#define RING		1000	/* tag of system calls */

/* A thread with a lane that emits when it is told. */
struct sleeper {
	pthread_t	thread;
	struct lane	l;
	uint32_t	me, next;
	int		told[2], done[2];
};

FIXTURE(lane_awake) {
	int		wfd, rfd, other;
	struct tape	*t, *t2;
	struct sleeper	*s;
	uint32_t	rings;
};

static int the_fd;

static void *sleeper(void *arg)
{
	struct sleeper *s = arg;
	char c = 1;

	if (lane_open(&s->l, the_fd, 0))
		return NULL;
	do {
		if (c == 'v' && !vfork()) {
			/* The child emits into the lane of its parent, which waits. */
			lane_mark(&s->l, TYPE, s->me, s->next++);
			if (write(s->done[1], &c, 1) == 1 && read(s->told[0], &c, 1) == 1) {
				lane_mark(&s->l, TYPE, s->me, s->next++);
				(void)!write(s->done[1], &c, 1);
			}
			(void)!read(s->told[0], &c, 1);
			_exit(0);
		}
		lane_mark(&s->l, TYPE, s->me, s->next++);
	} while (write(s->done[1], &c, 1) == 1 && read(s->told[0], &c, 1) == 1 && c);
	lane_close(&s->l);
	return s;
}

/* Tell the thread, and wait until it has emitted. */
static bool tell(struct sleeper *s, char c)
{
	return write(s->told[1], &c, 1) == 1 && read(s->done[0], &c, 1) == 1;
}

FIXTURE_SETUP(lane_awake)
{
	struct sleeper *s;
	char c;
	int i;

	dev_seed();
	ASSERT_EQ(0, dev_load("size=1M"));
	the_fd = self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	self->other = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->other);
	self->t = tape_new();
	self->t2 = tape_new();
	self->s = calloc(SLEEPERS, sizeof(*self->s));
	ASSERT_NE(NULL, self->s);
	for (i = 0; i < SLEEPERS; i++) {
		s = &self->s[i];
		s->me = i;
		ASSERT_EQ(0, pipe2(s->told, O_CLOEXEC));
		ASSERT_EQ(0, pipe2(s->done, O_CLOEXEC));
		ASSERT_EQ(0, pthread_create(&s->thread, NULL, sleeper, s));
		ASSERT_EQ(1, read(s->done[0], &c, 1));
	}
	tape_drain(self->t, self->rfd);
	ASSERT_EQ(SLEEPERS, self->t->nev);
}

FIXTURE_TEARDOWN(lane_awake)
{
	struct sleeper *s;
	char c = 0;
	void *ret;
	int i;

	for (i = 0; i < SLEEPERS; i++) {
		s = &self->s[i];
		EXPECT_EQ(1, write(s->told[1], &c, 1));
		pthread_join(s->thread, &ret);
		EXPECT_EQ(s, ret);
		close(s->told[0]);
		close(s->told[1]);
		close(s->done[0]);
		close(s->done[1]);
	}
	free(self->s);
	tape_free(self->t);
	tape_free(self->t2);
	close(self->rfd);
	close(self->other);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/*
 * A reader that waits makes the kernel watch the threads. This takes a moment; without it the
 * reader looks into all lanes, and the tests show nothing.
 */
static void begin_to_follow(int rfd)
{
	struct pollfd p = { .fd = rfd, .events = POLLIN };

	poll(&p, 1, 10);
	dev_sleep_ms(300);
}

/* Each thread's events are there, with their numbers in order, and none is marked late. */
static uint32_t wrong(const struct tape *t)
{
	uint32_t next[SLEEPERS] = { 0 }, wrong = 0;
	size_t i;

	for (i = 0; i < t->nev; i++) {
		wrong += !!(t->ev[i].flags & DEVTRACE_F_LATE);
		if (t->ev[i].tag < SLEEPERS)
			wrong += t->ev[i].nr != next[t->ev[i].tag]++;
	}
	return wrong;
}

TEST_F(lane_awake, each_that_wakes_is_found)
{
	const char *env = getenv("DEVICE_ROUNDS");
	uint32_t rounds = env ? atoi(env) : 1000, i, k;
	size_t n = SLEEPERS;

	begin_to_follow(self->rfd);
	for (i = 0; i < rounds; i++) {
		/* Also none, and several at once: some of them emit twice. */
		for (k = dev_random() % 4; k; k--, n++)
			ASSERT_TRUE(tell(&self->s[dev_random() % SLEEPERS], 1));
		if (dev_random() % 2) {
			ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, RING, self->rings++));
			n++;
		}
		tape_drain(self->t, self->rfd);
		ASSERT_EQ(n, self->t->nev) {
			TH_LOG("in round %u", i);
		}
		/* This reader finds lanes whose events the first one has taken. */
		if (dev_random() % 8)
			continue;
		tape_drain(self->t2, self->other);
		ASSERT_EQ(n, self->t2->nev) {
			TH_LOG("in round %u", i);
		}
	}
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(0, wrong(self->t));
	EXPECT_EQ(0, wrong(self->t2));
}

TEST_F(lane_awake, child_of_vfork_is_found)
{
	size_t n = SLEEPERS;
	char c = 1;
	int i;

	begin_to_follow(self->rfd);
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(tell(&self->s[i], 'v'));
		tape_drain(self->t, self->rfd);
		ASSERT_EQ(++n, self->t->nev);
		/* The parent waits for its child: it does not sleep as the others do. */
		dev_sleep_ms(10);
		tape_drain(self->t, self->rfd);
		ASSERT_TRUE(tell(&self->s[i], 1));
		tape_drain(self->t, self->rfd);
		ASSERT_EQ(++n, self->t->nev);
		/* The child ends, and the parent emits. */
		ASSERT_EQ(1, write(self->s[i].told[1], &c, 1));
		ASSERT_EQ(1, read(self->s[i].done[0], &c, 1));
		tape_drain(self->t, self->rfd);
		ASSERT_EQ(++n, self->t->nev);
	}
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(0, wrong(self->t));
}

/* Such an event has no place of its own any more: it comes with the next one, marked late. */
TEST_F(lane_awake, written_by_another_while_its_thread_sleeps)
{
	struct sleeper *s = self->s;
	size_t i, late = 0;
	uint64_t before;

	begin_to_follow(self->rfd);
	ASSERT_TRUE(tell(s, 1));
	dev_sleep_ms(10);
	for (i = 0; i < 3; i++)
		tape_drain(self->t, self->rfd);
	before = dev_now();
	ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, RING, 0));
	tape_drain(self->t, self->rfd);
	lane_mark_at(&s->l, before, TYPE, s->me, s->next++);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, RING, 1));
	tape_drain(self->t, self->rfd);
	ASSERT_TRUE(tell(s, 1));
	tape_drain(self->t, self->rfd);
	EXPECT_EQ(SLEEPERS + 5, self->t->nev);
	for (i = 0; i < self->t->nev; i++)
		late += !!(self->t->ev[i].flags & DEVTRACE_F_LATE);
	EXPECT_EQ(1, late);
	EXPECT_TRUE(tape_clean(self->t));
}

static void *follower(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };

	return poll(&p, 1, -1) == 1 ? arg : NULL;
}

/* The lane sleeps again before the kernel's timer looks at it. */
TEST_F(lane_awake, another_reader_has_taken_the_event)
{
	struct timespec until;
	pthread_t reader;
	int i, k;

	tape_drain(self->t2, self->other);
	begin_to_follow(self->rfd);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, pthread_create(&reader, NULL, follower, &self->other));
		/* Wait until it waits and the timer has stopped, or the test shows nothing. */
		dev_sleep_ms(300);
		ASSERT_TRUE(tell(&self->s[i], 1));
		for (k = 0; k < 10; k++)
			tape_drain(self->t, self->rfd);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 60;
		ASSERT_EQ(0, pthread_timedjoin_np(reader, NULL, &until)) {
			TH_LOG("the %d-th was not noticed", i + 1);
		}
		tape_drain(self->t2, self->other);
		ASSERT_EQ(SLEEPERS + i + 1, self->t2->nev);
	}
}

TEST_HARNESS_MAIN
