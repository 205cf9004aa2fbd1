// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_poll.c - after POLLIN, read(2) returns data
 *
 * Two programs permanently emit events that the filter refuses, by system call or into lanes,
 * and some that it passes. Writers with lanes ignore the control page, so refused events are in
 * lanes until the kernel examines them. After poll(2) or epoll(7) returns POLLIN, a non-blocking
 * read must not return EAGAIN. Passed events wake a waiting reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "filter_model.h"
#include "lanes.h"
#include "nl.h"

#define TAKEN		DEVTRACE_T_USER
#define REFUSED		(DEVTRACE_T_USER + 1)
#define WRITERS		2
#define EVERY		50	/* one of this many events of a writer passes, if any */
#define LONG		60000	/* timeout in ms, reached only by a hang */

static int rounds(void)
{
	const char *env = getenv("DEVICE_ROUNDS");

	return env ? atoi(env) : 1000;
}

/* Pass only the type TAKEN. */
static int refuse(void)
{
	struct terms f = { .has_types = true };
	struct nl nl;
	int err;

	if (nl_open(&nl))
		return -1;
	f.types[TAKEN / 8] = 1 << TAKEN % 8;
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	model_put(&nl, &f);
	err = nl_do(&nl, NULL, NULL);
	nl_close(&nl);
	return err;
}

static void write_for_ever(bool lanes, uint32_t tag, uint32_t every)
{
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	struct lane l = { 0 };
	uint32_t nr;
	uint8_t type;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || (lanes && lane_open(&l, fd, 0)))
		_exit(1);
	for (nr = 1; ; nr++) {
		type = every && nr % every == 0 ? TAKEN : REFUSED;
		if (lanes)
			lane_mark(&l, type, tag, nr);
		else if (dev_emit_mark(fd, type, tag, nr))
			_exit(1);
	}
}

FIXTURE(flood) {
	int		fd, ep;
	struct tape	*t;
	pid_t		pids[WRITERS];
};

FIXTURE_VARIANT(flood) {
	bool		lanes;
};

FIXTURE_VARIANT_ADD(flood, by_calls) {
	.lanes = false,
};
FIXTURE_VARIANT_ADD(flood, by_lanes) {
	.lanes = true,
};

FIXTURE_SETUP(flood)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
	ASSERT_EQ(0, refuse());
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->ep = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, self->ep);
	self->t = tape_new();
	ASSERT_NE(NULL, self->t);
}

/* Start writers, which run until the teardown; true when they have begun. */
static bool start_writers(pid_t *pids, bool lanes, uint32_t every)
{
	struct devtrace_stats s;
	int i;

	for (i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			write_for_ever(lanes, i, every);
		if (pids[i] < 0)
			return false;
	}
	do {
		dev_sleep_ms(1);
		for (i = 0; i < WRITERS; i++)
			if (waitpid(pids[i], NULL, WNOHANG))
				return false;
		if (dev_stats(DEVTRACE_STATS_ALL, &s))
			return false;
	} while (!s.filtered);
	return true;
}

/* Stop them with SIGSTOP. */
static void stop_writers(const pid_t *pids)
{
	int i;

	for (i = 0; i < WRITERS; i++)
		kill(pids[i], SIGSTOP);
}

FIXTURE_TEARDOWN(flood)
{
	struct devtrace_stats s;
	int i;

	for (i = 0; i < WRITERS; i++) {
		if (self->pids[i] <= 0)
			continue;
		/* All of them are alive. */
		EXPECT_EQ(0, waitpid(self->pids[i], NULL, WNOHANG));
		kill(self->pids[i], SIGKILL);
		waitpid(self->pids[i], NULL, 0);
	}
	EXPECT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &s));
	EXPECT_LT(0, s.filtered);
	EXPECT_EQ(0, self->t->damages);
	EXPECT_EQ(0, self->t->gaps);
	dev_say("%llu events refused, %zu read", (unsigned long long)s.filtered, self->t->nev);
	tape_free(self->t);
	close(self->ep);
	close(self->fd);
	EXPECT_EQ(0, dev_done());
}

/* After POLLIN, a read of any size returns data. */
static bool gives(struct tape *t, int fd)
{
	static char buf[16384];
	ssize_t n = read(fd, buf, dev_random() & 1 ? sizeof(buf) : 1 + dev_random() % 500);

	if (n > 0)
		tape_feed(t, buf, n);
	return n > 0;
}

TEST_F_TIMEOUT(flood, poll_says_that_read_gives_something, 900)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	const int most = 4 * rounds();
	unsigned int looks = 0;
	int said = 0;

	ASSERT_TRUE(start_writers(self->pids, variant->lanes, EVERY));
	while (said < most) {
		/* Alternate between waiting and polling. */
		p.revents = 0;
		ASSERT_LE(0, poll(&p, 1, said & 1 ? 0 : LONG));
		looks++;
		if (!p.revents) {
			ASSERT_EQ(1, said & 1);
			continue;
		}
		ASSERT_EQ(POLLIN, p.revents);
		ASSERT_TRUE(gives(self->t, self->fd)) {
			TH_LOG("said %d times; errno %d", said, errno);
		}
		said++;
	}
	dev_say("%u looks, %d times something", looks, said);
	EXPECT_LT(0, self->t->nev);
}

#define HELD_NS		10000000	/* BUSY_NS in kmod/lane/take.c */

/*
 * A thread that claims to be writing delays the events of others by 10 ms: they exist, but
 * read(2) does not return them yet.
 */
TEST_F_TIMEOUT(flood, nothing_is_said_of_what_is_held_back, 900)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	int wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	unsigned int held = 0, quick = 0;
	struct lane l;
	uint64_t began;
	int i, n = rounds();

	ASSERT_LE(0, wfd);
	ASSERT_EQ(0, lane_open(&l, wfd, 0));
	l.head->busy = 1;
	ASSERT_TRUE(start_writers(self->pids, variant->lanes, 0));
	/* If a poll takes longer than the delay, try without the flood too. */
	for (i = 0; i < n || (!held && i < 20 * n); i++) {
		if (i == n)
			stop_writers(self->pids);
		began = dev_now();
		ASSERT_EQ(0, dev_emit_mark(wfd, TAKEN, 7, i));
		while (self->t->nev <= i) {
			ASSERT_LE(0, poll(&p, 1, 0));
			quick += dev_now() - began < HELD_NS;
			held += !p.revents;
			if (p.revents) {
				ASSERT_TRUE(gives(self->t, self->fd)) {
					TH_LOG("event %d; errno %d", i, errno);
				}
			}
		}
	}
	dev_say("%u looks before they could be given, %u in time for it", held, quick);
	lane_close(&l);
	close(wfd);
	/* With KCSAN each attempt of a reader takes a hundred times as long. */
	if (!held && !quick)
		SKIP(return, "a look takes longer here than events are held back");
	EXPECT_LT(0, held);
}

/* Our own events, one at a time. */
static void wait_for_ours(struct __test_metadata *_metadata, FIXTURE_DATA(flood) *self,
			  bool lanes, uint32_t events)
{
	struct epoll_event ev = { .events = events };
	int wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	struct lane l = { 0 };
	int i, n = rounds() / 4;

	ASSERT_LE(0, wfd);
	if (lanes)
		ASSERT_EQ(0, lane_open(&l, wfd, 0));
	ASSERT_LT(0, tape_drain(self->t, self->fd));
	ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_ADD, self->fd, &ev));
	for (i = 0; i < n; i++) {
		if (lanes)
			lane_mark(&l, TAKEN, 7, i);
		else
			ASSERT_EQ(0, dev_emit_mark(wfd, TAKEN, 7, i));
		while (self->t->nev == i) {
			ASSERT_EQ(1, epoll_wait(self->ep, &ev, 1, LONG));
			ASSERT_EQ(EPOLLIN, ev.events);
			ASSERT_TRUE(gives(self->t, self->fd));
			/* Read to the end: EPOLLET reports nothing else. */
			ASSERT_LE(0, tape_drain(self->t, self->fd));
		}
		ASSERT_EQ(i + 1, self->t->nev);
		ASSERT_EQ(7, self->t->ev[i].tag);
		ASSERT_EQ(i, self->t->ev[i].nr);
	}
	if (lanes)
		lane_close(&l);
	close(wfd);
}

TEST_F_TIMEOUT(flood, epoll_is_woken_by_what_is_taken, 900)
{
	ASSERT_TRUE(start_writers(self->pids, variant->lanes, 0));
	wait_for_ours(_metadata, self, !variant->lanes, EPOLLIN);
}

TEST_F_TIMEOUT(flood, epoll_tells_each_change_once, 900)
{
	ASSERT_TRUE(start_writers(self->pids, variant->lanes, 0));
	wait_for_ours(_metadata, self, !variant->lanes, EPOLLIN | EPOLLET);
}

TEST_F_TIMEOUT(flood, epoll_tells_ours_among_their_like, 900)
{
	ASSERT_TRUE(start_writers(self->pids, variant->lanes, 0));
	wait_for_ours(_metadata, self, variant->lanes, EPOLLIN | EPOLLET);
}

TEST_HARNESS_MAIN
