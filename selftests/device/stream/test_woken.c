// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_woken.c - a reader can neither delay the wakeup of another one nor cause constant wakeups
 *
 * One program reads with read(2) and sleeps. Another one has its own descriptor and permanently
 * makes calls that wake the readers of that descriptor, or writes into a lane.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define RARE	(DEVTRACE_T_USER + 1)
#define SIDE	"side"

FIXTURE(woken) {
	int	wfd, rfd;	/* of the program that does not sleep */
	int	tells;		/* a byte for each event of type RARE that the other one got */
	pid_t	pid;
};

FIXTURE_SETUP(woken)
{
	ASSERT_EQ(0, dev_load(""));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	self->tells = -1;
}

FIXTURE_TEARDOWN(woken)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
	close(self->tells);
	close(self->rfd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

static void read_for_ever(const char *path, int tell)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct tape *t = tape_new();
	char buf[4096];
	size_t seen = 0;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (t && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (tape_feed(t, buf, n); seen < t->nev; seen++)
			if (t->ev[seen].type == RARE && write(tell, "", 1) != 1)
				_exit(1);
	}
	_exit(1);
}

/* The state of a process, and its number of voluntary switches; or 0 and -1. */
static char state_of(pid_t pid)
{
	char path[64], buf[512], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (dev_read_file(path, buf, sizeof(buf)) < 0)
		return 0;
	p = strrchr(buf, ')');
	return p && p[1] ? p[2] : 0;
}

static long slept(pid_t pid)
{
	static const char what[] = "\nvoluntary_ctxt_switches:";
	char path[64], buf[4096], *p;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (dev_read_file(path, buf, sizeof(buf)) < 0)
		return -1;
	p = strstr(buf, what);
	return p ? atol(p + sizeof(what) - 1) : -1;
}

/* Wait until it has read everything and sleeps whenever we look. */
static void let_sleep(pid_t pid)
{
	int i;

	for (i = 0; i < 20; i++) {
		dev_sleep_ms(20);
		if (state_of(pid) != 'S')
			i = -1;
	}
}

static bool start_reader(FIXTURE_DATA(woken) *self, const char *path)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC | O_NONBLOCK))
		return false;
	self->pid = fork();
	if (!self->pid)
		read_for_ever(path, p[1]);
	close(p[1]);
	self->tells = p[0];
	if (self->pid < 0)
		return false;
	let_sleep(self->pid);
	return true;
}

/*
 * A stream for rare events and for kernel profile events that do not occur: while those are
 * enabled, readers may be woken up to 100 ms late, which makes a delay easier to cause.
 */
static int make_side(void)
{
	uint8_t types[32] = { 0 };
	struct nl nl;
	size_t nest;
	int err;

	if (nl_open(&nl))
		return -1;
	types[RARE / 8] |= 1 << RARE % 8;
	types[DEVTRACE_T_OOM_KILL / 8] |= 1 << DEVTRACE_T_OOM_KILL % 8;
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, SIDE);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 1 << 16);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
	err = nl_do(&nl, NULL, NULL);
	nl_close(&nl);
	return err;
}

#define CALLS	20000

static int do_check(int fd)
{
	return ioctl(fd, DEVTRACE_IOC_CHECK, &(uint32_t){ DEVTRACE_CHECK_SUM8 });
}

static int do_announce(int fd)
{
	return ioctl(fd, DEVTRACE_IOC_ANNOUNCE) < 0 ? -1 : 0;
}

static int do_seek(int fd)
{
	return lseek(fd, 0, SEEK_END) < 0 ? -1 : 0;
}

static const struct {
	const char	*name;
	int		(*fn)(int fd);
} calls[] = {
	{ "check", do_check }, { "announce", do_announce }, { "seek", do_seek },
};

#define ROUNDS	10
/* Shorter than the late wakeup with profile events. */
#define PAUSE	(90 * NSEC / 1000)

/*
 * Call until the other one has got an event. Returns 1 if it came without a pause between the
 * calls, 0 if the machine paused, -1 if it does not come.
 */
static int round_of_calls(FIXTURE_DATA(woken) *self)
{
	uint64_t began, last, now = 0, pause = 0;
	char c;

	let_sleep(self->pid);
	if (dev_emit_mark(self->wfd, RARE, 7, 0))
		return -1;
	began = dev_now();
	last = began;
	while (read(self->tells, &c, 1) != 1) {
		if (do_check(self->rfd))
			return -1;
		now = dev_now();
		pause = now - last > pause ? now - last : pause;
		last = now;
		if (now - began > 60 * NSEC)
			return -1;
	}
	dev_say("after %llu ms, the longest pause had %llu",
		(unsigned long long)(now - began) / 1000000, (unsigned long long)pause / 1000000);
	return pause < PAUSE;
}

/* The calls also affect readers of other streams. */
TEST_F(woken, soon_whatever_another_one_does_to_his_own)
{
	int i, ret = 0;

	ASSERT_EQ(0, make_side());
	ASSERT_TRUE(start_reader(self, "/dev/trace-" SIDE));
	for (i = 0; i < ROUNDS && !ret; i++)
		ret = round_of_calls(self);
	EXPECT_EQ(1, ret);
}

TEST_F(woken, seldom_by_what_another_one_does_to_his_own)
{
	long before, times;
	uint64_t began, ms;
	unsigned int k;
	int i;

	ASSERT_TRUE(start_reader(self, DEV_PATH));
	for (k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
		before = slept(self->pid);
		ASSERT_LE(0, before);
		began = dev_now();
		for (i = 0; i < CALLS; i++)
			ASSERT_EQ(0, calls[k].fn(self->rfd));
		ms = (dev_now() - began) / 1000000;
		times = slept(self->pid) - before;
		dev_say("%s: %d calls in %llu ms, it slept %ld times", calls[k].name, CALLS,
			(unsigned long long)ms, times);
		/* A timer of 4 ms, four times as often. */
		EXPECT_GE(100 + ms, times);
	}
}

/* Tell for each event of type RARE how long after it poll(2) returned, ns. */
static void tell_delays(int tell)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct tape *t = tape_new();
	uint64_t now, delay;
	char buf[4096];
	size_t seen = 0;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (t && poll(&p, 1, -1) == 1) {
		now = dev_now();
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			tape_feed(t, buf, n);
		for (; seen < t->nev; seen++) {
			delay = now > t->ev[seen].ts ? now - t->ev[seen].ts : 0;
			if (t->ev[seen].type == RARE &&
			    write(tell, &delay, sizeof(delay)) != sizeof(delay))
				_exit(1);
		}
	}
	_exit(1);
}

/*
 * An event that comes after a rest wakes at once, and not with the next timer of 4 ms. A busy
 * machine delays any reader, but not each time.
 */
TEST_F(woken, at_once_after_a_rest)
{
	uint64_t delay, least = UINT64_MAX;
	int i, p[2];

	ASSERT_EQ(0, pipe2(p, O_CLOEXEC));
	self->pid = fork();
	ASSERT_LE(0, self->pid);
	if (!self->pid)
		tell_delays(p[1]);
	close(p[1]);
	self->tells = p[0];
	let_sleep(self->pid);
	for (i = 0; i < 100 && least >= NSEC / 1000; i++) {
		dev_sleep_ms(20);
		ASSERT_EQ(0, dev_emit_mark(self->wfd, RARE, 7, i));
		ASSERT_EQ(sizeof(delay), read(self->tells, &delay, sizeof(delay)));
		least = delay < least ? delay : least;
	}
	dev_say("%llu us after event %d", (unsigned long long)least / 1000, i);
	EXPECT_GT(NSEC / 1000, least);
}

/* Events that follow wait for the timer: a reader wakes no more often than that runs. */
TEST_F(woken, seldom_however_often_one_emits)
{
	uint64_t began, ms;
	long before, times;
	int i;

	ASSERT_TRUE(start_reader(self, DEV_PATH));
	before = slept(self->pid);
	ASSERT_LE(0, before);
	began = dev_now();
	/* So few that no ring enters another block, which wakes readers, too. */
	for (i = 0; i < 400; i++) {
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 7, i));
		dev_sleep_ms(1);
	}
	ms = (dev_now() - began) / 1000000;
	times = slept(self->pid) - before;
	dev_say("%d events in %llu ms, it slept %ld times", i, (unsigned long long)ms, times);
	/* Some blocks, and once for each timer of 4 ms. */
	EXPECT_GE(50 + ms * 3 / 10, times);
}

/* While profile events are on, each wakeup makes events: lanes cause no more wakeups than rings. */
TEST_F(woken, seldom_by_lanes_while_profile_events_are_on)
{
	uint64_t began, ms;
	struct lane l;
	long times;
	int i;

	ASSERT_EQ(0, make_side());
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	ASSERT_TRUE(start_reader(self, DEV_PATH));
	times = slept(self->pid);
	ASSERT_LE(0, times);
	began = dev_now();
	for (i = 0; i < 1000; i++) {
		lane_mark(&l, DEVTRACE_T_USER, 7, i);
		while (dev_now() - began < (i + 1) * (2 * NSEC / 1000))
			;
	}
	ms = (dev_now() - began) / 1000000;
	times = slept(self->pid) - times;
	dev_say("%d events in %llu ms, it slept %ld times", i, (unsigned long long)ms, times);
	/* A timer of 100 ms, and a rest of 100 ms after each drain, twice as often. */
	EXPECT_GE(10 + ms * 4 / 100, times);
	lane_close(&l);
}

TEST_HARNESS_MAIN
