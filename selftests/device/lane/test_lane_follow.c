// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_follow.c - a waiting reader gets events of lanes, and an idle system stays idle
 *
 * The program makes no system call to emit. The kernel examines lanes while their threads run,
 * and the scheduler tells it when one continues. While all of them sleep, its timer is stopped,
 * which the kernel's own trace shows. The delay of events is printed; the test is that they
 * arrive.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "libc.h"

#define TYPE		DEVTRACE_T_USER
#define TRACING		"/sys/kernel/tracing/"
#define EXPIRES		TRACING "events/timer/hrtimer_expire_entry/enable"
#define TIMER		"function=wake_timer_fn"

FIXTURE(lane_follow) {
	int		wfd, rfd;
	struct tape	*t;
};

FIXTURE_SETUP(lane_follow)
{
	ASSERT_EQ(0, dev_load(""));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	self->t = tape_new();
	ASSERT_NE(NULL, self->t);
}

FIXTURE_TEARDOWN(lane_follow)
{
	tape_free(self->t);
	close(self->rfd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* Read and wait until @n events have arrived. */
static bool wait_for(struct tape *t, int rfd, size_t n)
{
	struct pollfd p = { .fd = rfd, .events = POLLIN };

	while (t->nev < n) {
		if (poll(&p, 1, 60000) != 1)
			return false;
		tape_drain(t, rfd);
	}
	return t->nev == n;
}

TEST_F(lane_follow, events_come_without_a_call)
{
	uint64_t begin, took, most = 0;
	struct lane l;
	int i;

	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	for (i = 0; i < 20; i++) {
		while (tape_drain(self->t, self->rfd) > 0)
			;
		ASSERT_EQ(i, self->t->nev);
		lane_mark(&l, TYPE, 7, i);
		begin = dev_now();
		ASSERT_TRUE(wait_for(self->t, self->rfd, i + 1));
		took = dev_now() - begin;
		most = took > most ? took : most;
	}
	dev_say("the longest took %llu us", (unsigned long long)most / 1000);
	lane_close(&l);
}

/* A thread with a lane that sleeps until it is told to emit. */
struct sleeper {
	pthread_t	thread;
	pid_t		tid;
	int		wfd, told[2], done[2];
};

static void *sleeper(void *arg)
{
	struct sleeper *s = arg;
	struct lane l;
	char c;

	if (lane_open(&l, s->wfd, 0))
		return NULL;
	while (read(s->told[0], &c, 1) == 1 && c) {
		lane_mark(&l, TYPE, 7, 1);
		if (write(s->done[1], &c, 1) != 1)
			break;
	}
	lane_close(&l);
	return s;
}

static void *follower(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };

	return poll(&p, 1, -1) == 1 ? arg : NULL;
}

/* How often the timer fired since the trace was emptied; -1 on failure. */
static int fired(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[512];
	int n = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, TIMER);
	fclose(f);
	return n;
}

TEST_F(lane_follow, nobody_is_woken_while_all_sleep)
{
	struct sleeper s = { .wfd = self->wfd };
	pthread_t reader;
	int tries, none = 0;
	void *ret;
	char c = 1;

	mount("tracefs", TRACING, "tracefs", 0, NULL);
	if (access(EXPIRES, W_OK))
		SKIP(return, "this kernel has no trace of its timers");
	ASSERT_EQ(0, pipe(s.told));
	ASSERT_EQ(0, pipe(s.done));
	ASSERT_EQ(0, pthread_create(&s.thread, NULL, sleeper, &s));
	ASSERT_EQ(1, write(s.told[1], &c, 1));
	ASSERT_EQ(1, read(s.done[0], &c, 1));
	ASSERT_TRUE(wait_for(self->t, self->rfd, 1));

	ASSERT_EQ(0, pthread_create(&reader, NULL, follower, &self->rfd));
	ASSERT_LE(0, dev_write_file(EXPIRES, "1"));
	/* It stops after a while; a single quiet period may only be a stopped CPU ... */
	for (tries = 0; tries < 100 && none < 3; tries++) {
		ASSERT_TRUE(dev_empty_file(TRACING "trace"));
		dev_sleep_ms(100);
		none = fired() ? 0 : none + 1;
	}
	EXPECT_EQ(3, none);
	/* ... and stays stopped. */
	dev_sleep_ms(2000);
	EXPECT_EQ(0, fired());

	/* Only the scheduler knows about this event; the trace shows the timer. */
	ASSERT_EQ(1, write(s.told[1], &c, 1));
	ASSERT_EQ(1, read(s.done[0], &c, 1));
	pthread_join(reader, &ret);
	EXPECT_NE(NULL, ret);
	EXPECT_LT(0, fired());
	EXPECT_EQ(0, dev_write_file(EXPIRES, "0"));
	c = 0;
	ASSERT_EQ(1, write(s.told[1], &c, 1));
	pthread_join(s.thread, &ret);
	EXPECT_NE(NULL, ret);
	close(s.told[0]);
	close(s.told[1]);
	close(s.done[0]);
	close(s.done[1]);
}

/* Size of the kernel's table of threads with lanes. */
#define PLACES	1024

/* Stay if the id has the same table entry as @tid, or if @tid is 0; reports which. */
static void *sleeper_if_same(void *arg)
{
	struct sleeper *s = arg;
	char same = !s->tid || (gettid() - s->tid) % PLACES == 0;

	if (same)
		s->tid = gettid();
	return write(s->done[1], &same, 1) == 1 && same ? sleeper(arg) : NULL;
}

/* Ids are allocated in sequence. */
static bool start_same(struct sleeper *s, pid_t like)
{
	char same = 0;
	int tries;

	s->tid = like;
	if (pipe(s->told) || pipe(s->done))
		return false;
	for (tries = 0; tries < 100 * PLACES && !same; tries++) {
		if (pthread_create(&s->thread, NULL, sleeper_if_same, s) ||
		    read(s->done[0], &same, 1) != 1)
			return false;
		if (!same)
			pthread_join(s->thread, NULL);
	}
	return same;
}

/* True if an event of this thread wakes a waiting reader within a minute. */
static bool is_noticed(struct sleeper *s, int rfd)
{
	struct timespec until;
	pthread_t reader;
	char c = 1;

	if (pthread_create(&reader, NULL, follower, &rfd))
		return false;
	/* Wait until the reader waits and the timer has stopped, or the test shows nothing. */
	dev_sleep_ms(300);
	if (write(s->told[1], &c, 1) != 1 || read(s->done[0], &c, 1) != 1)
		return false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	return !pthread_timedjoin_np(reader, NULL, &until);
}

TEST_F(lane_follow, two_threads_that_share_a_place)
{
	struct sleeper s[2] = { { .wfd = self->wfd }, { .wfd = self->wfd } };
	size_t events = 0;
	char c = 0;
	int i;

	ASSERT_TRUE(start_same(&s[0], 0));
	ASSERT_TRUE(start_same(&s[1], s[0].tid));
	dev_say("threads %d and %d", s[0].tid, s[1].tid);
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(is_noticed(&s[i % 2], self->rfd));
		ASSERT_TRUE(wait_for(self->t, self->rfd, ++events));
	}
	/* The other thread is still known when one has ended. */
	ASSERT_EQ(1, write(s[1].told[1], &c, 1));
	pthread_join(s[1].thread, NULL);
	tape_drain(self->t, self->rfd);
	ASSERT_TRUE(is_noticed(&s[0], self->rfd));
	ASSERT_TRUE(wait_for(self->t, self->rfd, ++events));
	ASSERT_EQ(1, write(s[0].told[1], &c, 1));
	pthread_join(s[0].thread, NULL);
	for (i = 0; i < 2; i++) {
		close(s[i].told[0]);
		close(s[i].told[1]);
		close(s[i].done[0]);
		close(s[i].done[1]);
	}
}

struct one {
	struct sleeper	s;
	struct lane	l;
};

/* Emits when told, and ends without a notification: its lane stays mapped. */
static void *one_who_ends(void *arg)
{
	struct one *o = arg;
	char c;

	if (lane_open(&o->l, o->s.wfd, 0) || write(o->s.done[1], "", 1) != 1 ||
	    read(o->s.told[0], &c, 1) != 1)
		return NULL;
	lane_mark(&o->l, TYPE, 7, 1);
	syscall(SYS_exit, 0);
	return NULL;
}

/* The timer finds a closed lane. */
TEST_F(lane_follow, last_event_of_a_thread_that_ends_by_the_call)
{
	struct timespec until;
	struct one o;
	pthread_t reader;
	char c = 1;
	int i;

	if (!LIBC_JOINS_ANY_THREAD)
		SKIP(return, "this C library cannot join such a thread");
	for (i = 0; i < 10; i++) {
		o = (struct one){ .s.wfd = self->wfd };
		ASSERT_EQ(0, pipe(o.s.told));
		ASSERT_EQ(0, pipe(o.s.done));
		ASSERT_EQ(0, pthread_create(&o.s.thread, NULL, one_who_ends, &o));
		ASSERT_EQ(1, read(o.s.done[0], &c, 1));
		tape_drain(self->t, self->rfd);
		ASSERT_EQ(i, self->t->nev);
		ASSERT_EQ(0, pthread_create(&reader, NULL, follower, &self->rfd));
		/*
		 * Wait until the reader waits and the timer has stopped, or the test shows
		 * nothing.
		 */
		dev_sleep_ms(300);
		ASSERT_EQ(1, write(o.s.told[1], &c, 1));
		pthread_join(o.s.thread, NULL);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 60;
		ASSERT_EQ(0, pthread_timedjoin_np(reader, NULL, &until)) {
			TH_LOG("the %d-th was not noticed", i + 1);
		}
		tape_drain(self->t, self->rfd);
		ASSERT_EQ(i + 1, self->t->nev);
		lane_close(&o.l);
		close(o.s.told[0]);
		close(o.s.told[1]);
		close(o.s.done[0]);
		close(o.s.done[1]);
	}
}

TEST_HARNESS_MAIN
