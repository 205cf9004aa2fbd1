// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_sum.c - the counts of threads add up to the events stored
 *
 * Threads compete for the CPUs, timers interrupt them and emit, programs emit by lanes, by
 * system calls and as text, into two streams. When all are quiet, the sum over all threads
 * equals the sum over all streams. Some threads rename themselves all the time: an interrupt may
 * write the name at the place that the thread is about to write.
 *
 * PROFILE_CYCLES is the number of cycles (default 20). There are fewer threads than entries in
 * the table, so none is evicted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "dumps.h"
#include "nl.h"
#include "workers.h"

#define SIDE	"side"
#define LOADS	9
#define EACH	50000		/* least number of events per cycle */

static struct nl nl;

/* System calls without end; with @renames, under changing names. */
static void calls(bool renames)
{
	char c = 0, name[16];
	unsigned int n = 0;
	int p[2];

	if (pipe(p))
		_exit(1);
	while (write(p[1], &c, 1) == 1 && read(p[0], &c, 1) == 1) {
		if (!renames)
			continue;
		snprintf(name, sizeof(name), "name %u", n++);
		prctl(PR_SET_NAME, name);
	}
	_exit(1);
}

/* The timer interrupts the running thread, which then yields to us. */
static void sleeps(unsigned int us)
{
	const struct itimerspec t = {
		.it_interval.tv_nsec = us * 1000, .it_value.tv_nsec = us * 1000,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t n;

	if (fd < 0 || timerfd_settime(fd, 0, &t, NULL))
		_exit(1);
	while (read(fd, &n, sizeof(n)) == sizeof(n))
		;
	_exit(1);
}

static void text(void)
{
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);

	while (write(fd, "hello\n", 6) == 6)
		usleep(10);
	_exit(1);
}

static pid_t load(int i)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (i < 4)
		calls(i < 2);
	if (i < 8)
		sleeps(70 + 30 * i);
	text();
	_exit(1);
}

static int side_new(void)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, SIDE);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 64 << 10);
	return nl_do(&nl, NULL, NULL);
}

/* Sum over all streams; 0 on failure. */
static uint64_t stored(void)
{
	static struct rows rows;

	rows.nr = 0;
	nl_begin(&nl, DEVTRACE_CMD_STATS_GET);
	if (nl_dump(&nl, add_row, &rows))
		return 0;
	return sum_of(&rows, DEVTRACE_STREAM0, false).stored + sum_of(&rows, SIDE, false).stored;
}

FIXTURE(sum) {
	pid_t	loads[LOADS], pids[PROGRAMS];
};

FIXTURE_SETUP(sum)
{
	dev_seed();
	ASSERT_EQ(0, workers_begin());
	ASSERT_EQ(0, dev_load("size=256K"));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, side_new());
	for (int i = 0; i < LOADS; i++)
		self->loads[i] = load(i);
	for (int p = 0; p < 2; p++)
		self->pids[p] = start(p, !p);
}

FIXTURE_TEARDOWN(sum)
{
	for (int i = 0; i < LOADS; i++) {
		if (self->loads[i] <= 0)
			continue;
		kill(self->loads[i], SIGKILL);
		waitpid(self->loads[i], NULL, 0);
	}
	workers_end(self->pids);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

TEST_F_TIMEOUT(sum, threads_stored_what_streams_hold, 24 * 3600)
{
	const char *c = getenv("PROFILE_CYCLES");
	long max = c && *c ? atol(c) : 20;
	struct by_thread threads;
	uint64_t all = 0, before;

	for (long i = 0; i < max; i++) {
		before = stored();
		ASSERT_TRUE(dev_profile("all"));
		for (int p = 0; p < 2; p++)
			go_on(p, 100 + dev_random() % 900);
		while (stored() < before + EACH)
			dev_sleep_ms(1);
		for (int p = 0; p < 2; p++)
			ASSERT_TRUE(finished(p, self->pids[p]));
		ASSERT_TRUE(dev_profile("none"));
		kill(self->loads[LOADS - 1], SIGSTOP);
		waitpid(self->loads[LOADS - 1], NULL, WUNTRACED);
		all = stored();
		memset(&threads, 0, sizeof(threads));
		nl_begin(&nl, DEVTRACE_CMD_PROCESS_GET);
		ASSERT_EQ(0, nl_dump(&nl, add_thread, &threads));
		ASSERT_EQ(all, threads.all) TH_LOG("cycle %ld", i);
		ASSERT_EQ(all, stored());
		kill(self->loads[LOADS - 1], SIGCONT);
	}
	for (int i = 0; i < LOADS; i++)
		EXPECT_EQ(0, waitpid(self->loads[i], NULL, WNOHANG));
	dev_say("%ld cycles, %llu events", max, (unsigned long long)all);
}

TEST_HARNESS_MAIN
