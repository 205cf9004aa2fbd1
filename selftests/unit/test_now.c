// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_now.c - the trace clock from the control page, without the module
 *
 * The page is that of fakedev.c; the test changes it like the kernel while the library reads.
 * Each test is a separate process that has not connected yet. Tests with a second thread end
 * after a number of changes, not after a time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define CHANGES	20000
#define STAYS	2000	/* of these changes, two stay for a while */

/* Two times that differ in each byte. */
#define ONE	UINT64_C(0x1111111111111111)
#define TWO	UINT64_C(0x2222222222222222)

static uint64_t raw(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* True if the clock is CLOCK_MONOTONIC_RAW plus @plus. */
static bool agrees(uint64_t plus)
{
	uint64_t before = raw() + plus;
	uint64_t now = devtrace_now();

	return before <= now && now <= raw() + plus;
}

FIXTURE(now) {
	struct devtrace_control *page;
};

FIXTURE_SETUP(now)
{
	fake_reset();
	self->page = fake_page();
	ASSERT_EQ(-1, devtrace_fd());
}

FIXTURE_TEARDOWN(now)
{
}

TEST_F(now, first_one_connects)
{
	errno = 1234;
	EXPECT_TRUE(agrees(0));
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(1, fake->opens);
	EXPECT_LE(0, devtrace_fd());
	EXPECT_TRUE(agrees(0));
	EXPECT_EQ(1, fake->opens);
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, devtrace_errors());
}

TEST_F(now, suspended_counts)
{
	self->page->suspended = ONE;
	EXPECT_TRUE(agrees(ONE));
	self->page->suspended = 5;
	EXPECT_TRUE(agrees(5));
}

TEST_F(now, zero_without_a_device)
{
	int i;

	fake->open_error = ENOENT;
	errno = 1234;
	for (i = 0; i < 10; i++)
		EXPECT_EQ(0, devtrace_now());
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(1, fake->opens);
	EXPECT_EQ(1, devtrace_errors());
	EXPECT_EQ(ENOENT, devtrace_error());

	fake->open_error = 0;
	ASSERT_EQ(0, devtrace_open());
	EXPECT_TRUE(agrees(0));
	devtrace_close();
	EXPECT_EQ(0, devtrace_now());
	ASSERT_EQ(0, devtrace_open());
	EXPECT_TRUE(agrees(0));
}

TEST_F(now, zero_if_the_page_cannot_be_read)
{
	fake->rdwr_error = EACCES;
	EXPECT_EQ(0, devtrace_now());
	EXPECT_EQ(2, fake->opens);
	EXPECT_LE(0, devtrace_fd());
	EXPECT_EQ(0, devtrace_now());
	EXPECT_EQ(2, fake->opens);
	EXPECT_EQ(0, devtrace_errors());
}

TEST_F(now, zero_with_an_unknown_page)
{
	fake_version(DEVTRACE_WIRE_VERSION + 1);
	EXPECT_EQ(0, devtrace_now());
	EXPECT_EQ(0, devtrace_now());
	EXPECT_EQ(1, fake->opens);
}

static uint64_t inner;

static void now_in_hook(void)
{
	fake->in_map = NULL;
	fake->in_open = NULL;
	inner = devtrace_now();
}

/* Another thread or a handler reads the clock before the page is mapped. */
TEST_F(now, asked_while_connecting)
{
	fake->in_map = now_in_hook;
	EXPECT_TRUE(agrees(0));
	EXPECT_NE(0, inner);
	EXPECT_EQ(1, fake->opens);
	devtrace_close();
	inner = 0;
	fake->in_open = now_in_hook;
	EXPECT_EQ(0, devtrace_open());
	/* The connection was still closed. */
	EXPECT_EQ(0, inner);
	EXPECT_TRUE(agrees(0));
}

static void close_in_map(void)
{
	fake->in_map = NULL;
	devtrace_close();
}

TEST_F(now, closed_while_connecting)
{
	fake->in_map = close_in_map;
	EXPECT_EQ(0, devtrace_now());
	EXPECT_EQ(-1, devtrace_fd());
	EXPECT_FALSE(devtrace_enabled(100));
}

static pthread_barrier_t barrier;

static void *first_now(void *arg)
{
	pthread_barrier_wait(&barrier);
	return (void *)(uintptr_t)(devtrace_now() != 0);
}

TEST_F(now, threads_connect_at_once)
{
	pthread_t thread[8];
	void *good;
	int i;

	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, first_now, NULL));
	for (i = 0; i < 8; i++) {
		pthread_join(thread[i], &good);
		EXPECT_EQ(1, (uintptr_t)good);
	}
}

TEST_F(now, after_fork)
{
	pid_t pid;
	int status;

	self->page->suspended = 7;
	ASSERT_TRUE(agrees(7));
	pid = fork();
	if (!pid)
		_exit(!agrees(7) || fake->opens != 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static volatile sig_atomic_t signals, backwards;
static volatile uint64_t latest;

static void on_alarm(int sig)
{
	uint64_t now = devtrace_now();

	backwards += now < latest;
	latest = now;
	signals++;
}

/* A handler reads the clock during a reading. */
TEST_F(now, signal_handlers)
{
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, off = { };
	unsigned int wrong = 0;

	ASSERT_TRUE(agrees(0));
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (signals < 500)
		wrong += !agrees(0);
	setitimer(ITIMER_REAL, &off, NULL);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, backwards);
}

static struct devtrace_control *changed;

/* Like update_suspended(). */
static void *change_suspended(void *arg)
{
	uint32_t n;
	int i;

	for (i = 0; i < CHANGES; i++) {
		n = changed->suspends;
		__atomic_store_n(&changed->suspends, n + 1, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		*(volatile __u64 *)&changed->suspended = i % 2 ? ONE : TWO;
		__atomic_store_n(&changed->suspends, n + 2, __ATOMIC_RELEASE);
	}
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELEASE);
	return NULL;
}

/* A 32-bit machine loads it in two halves, which must match. */
TEST_F(now, suspended_changes)
{
	uint64_t before, now, after, wrong = 0;
	bool done = false;
	pthread_t thread;

	self->page->suspended = ONE;
	ASSERT_TRUE(agrees(ONE));
	changed = self->page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, change_suspended, &done));
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		before = raw();
		now = devtrace_now();
		after = raw();
		wrong += !(before + ONE <= now && now <= after + ONE) &&
			 !(before + TWO <= now && now <= after + TWO);
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wrong);
}

#ifdef __x86_64__
/* Make the counter show this time, whatever its value. */
static void stand_at(struct devtrace_counter *c, uint64_t ns)
{
	c->mult = 0;
	c->offset_lo = ns << 32;
	c->offset_hi = ns >> 32;
}

static uint64_t tsc(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence\n\trdtsc" : "=a" (lo), "=d" (hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

TEST_F(now, by_the_counter)
{
	struct devtrace_counter *c = &self->page->counter;
	uint64_t before, now;

	ASSERT_EQ(0, devtrace_open());
	stand_at(c, ONE);
	c->seq = 1;
	EXPECT_EQ(ONE, devtrace_now());
	self->page->suspended = 3;
	EXPECT_EQ(ONE + 3, devtrace_now());
	/* The sum and the product use all 128 bits. */
	c->mult = UINT64_C(1) << 32;
	c->offset_lo = UINT64_MAX;
	c->offset_hi = TWO >> 32;
	before = tsc();
	now = devtrace_now() - 3 - (TWO >> 32 << 32) - UINT32_MAX;
	EXPECT_LE(before, now);
	EXPECT_GE(tsc(), now);
	c->mult = UINT64_C(1) << 33;
	before = tsc();
	now = devtrace_now() - 3 - (TWO >> 32 << 32) - UINT32_MAX;
	EXPECT_LE(2 * before, now);
	EXPECT_GE(2 * tsc(), now);
	/* The counter is disabled. */
	c->seq = 0;
	EXPECT_TRUE(agrees(3));
}

static unsigned long readings;

/* Like clock_tsc.c. */
static void *change_counter(void *arg)
{
	struct devtrace_counter *c = &changed->counter;
	unsigned long seen;
	uint64_t i;

	for (i = 0; i < CHANGES; i++) {
		__atomic_store_n(&c->seq, 0, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		stand_at(c, i % 2 ? ONE : TWO);
		__atomic_store_n(&c->seq, i + 1, __ATOMIC_RELEASE);
		if (i % STAYS > 1)
			continue;
		/* Now and then wait until the constants were used for a whole reading. */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		seen = __atomic_load_n(&readings, __ATOMIC_RELAXED);
		while (__atomic_load_n(&readings, __ATOMIC_RELAXED) - seen < 2)
			sched_yield();
	}
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELEASE);
	return NULL;
}

/* A mix of old and new constants must not give a time. */
TEST_F(now, counter_changes)
{
	uint64_t now, before, wrong = 0, counted[3] = { 0 };
	pthread_t thread;
	bool done = false;

	ASSERT_EQ(0, devtrace_open());
	changed = self->page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, change_counter, &done));
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		before = raw();
		now = devtrace_now();
		if (now == ONE)
			counted[0]++;
		else if (now == TWO)
			counted[1]++;
		else if (before <= now && now <= raw())
			counted[2]++;
		else
			wrong++;
		__atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED);
	}
	pthread_join(thread, NULL);
	TH_LOG("by the one %llu, by the other %llu, by neither %llu",
	       (unsigned long long)counted[0], (unsigned long long)counted[1],
	       (unsigned long long)counted[2]);
	EXPECT_EQ(0, wrong);
	EXPECT_LE(CHANGES / STAYS, counted[0]);
	EXPECT_LE(CHANGES / STAYS, counted[1]);
}
#else
/* The page describes the counter of another architecture. */
TEST_F(now, no_counter_of_ours)
{
	ASSERT_EQ(0, devtrace_open());
	self->page->counter.seq = 1;
	EXPECT_TRUE(agrees(0));
}
#endif

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
