// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_stress.c - attach to everything and detach, while all CPUs work
 *
 * PROFILE_CYCLES says how often; without it the tests are skipped: an emulated board
 * attaches and detaches a few times a minute, and now and then stands still while its
 * kernel patches itself. What is asked after each detaching: that no event is younger
 * than it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define PARAM	"/sys/module/devtrace/parameters/profile"
#define LOADS	3

static pid_t loads[LOADS];

/* System calls, switches, wake-ups, timers, page faults, forks. */
static void load(void)
{
	char c = 0;
	int p[2];

	if (pipe(p))
		_exit(1);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			for (int i = 0; i < 20; i++)
				if (write(p[1], &c, 1) != 1 || read(p[0], &c, 1) != 1)
					_exit(1);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		usleep(200);
	}
}

static void loads_start(void)
{
	for (int i = 0; i < LOADS; i++) {
		loads[i] = fork();
		if (!loads[i])
			load();
	}
}

static void loads_stop(void)
{
	for (int i = 0; i < LOADS; i++) {
		kill(loads[i], SIGKILL);
		waitpid(loads[i], NULL, 0);
	}
}

FIXTURE(stress) {
	int unused;
};

FIXTURE_SETUP(stress)
{
	if (!getenv("PROFILE_CYCLES"))
		SKIP(return, "takes minutes on an emulated board: set PROFILE_CYCLES");
	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
	loads_start();
}

FIXTURE_TEARDOWN(stress)
{
	if (!getenv("PROFILE_CYCLES"))
		return;
	loads_stop();
	EXPECT_EQ(0, dev_done());
}

/* Profile events from a time on. */
static long events_since(uint64_t t0, uint64_t *first)
{
	int fd = open("/dev/trace", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();
	long n = 0;

	if (fd < 0 || lseek(fd, t0, SEEK_SET) < 0 || tape_drain(t, fd) < 0) {
		perror("# /dev/trace");
		n = -1;
	}
	for (size_t i = 0; i < t->nev; i++) {
		if (t->ev[i].type < DEVTRACE_T_KERNEL || t->ev[i].type >= DEVTRACE_T_USER2 ||
		    t->ev[i].ts < t0)
			continue;
		*first = t->ev[i].ts - t0;
		n++;
	}
	tape_free(t);
	close(fd);
	return n;
}

TEST_F(stress, no_event_comes_after_detaching)
{
	const char *c = getenv("PROFILE_CYCLES");
	uint64_t t0, first = 0;
	static const char *const lists[] = {
		"all", "syscalls", "sched,irq", "timer hrtimer work", "all -fault",
	};
	long cycles = 0, max = c ? atol(c) : 0, late;
	struct devtrace_stats st;
	uint64_t before;

	while (cycles < max) {
		const char *list = cycles % 2 ? lists[dev_random() % 5] : "all";

		ASSERT_EQ(0, dev_stats(-1, &st));
		before = st.stored;
		ASSERT_EQ(0, dev_write_file(PARAM, list)) {
			TH_LOG("%s: %s", list, strerror(errno));
		}
		ASSERT_EQ(0, dev_write_file(PARAM, "none"));
		t0 = dev_now();
		ASSERT_EQ(0, dev_stats(-1, &st));
		EXPECT_LT(before, st.stored);
		before = st.stored;
		usleep(dev_random() % 3000);
		ASSERT_EQ(0, dev_stats(-1, &st));
		EXPECT_EQ(before, st.stored);
		late = events_since(t0, &first);
		ASSERT_EQ(0, late) {
			TH_LOG("%ld events, %llu ns after %s was detached", late,
			       (unsigned long long)first, list);
		}
		cycles++;
	}
	dev_say("%ld times", cycles);
}

TEST_F(stress, the_module_goes_while_all_is_on)
{
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, dev_load("size=64K profile=all"));
		usleep(dev_random() % 20000);
		ASSERT_EQ(0, dev_unload());
	}
}

TEST_HARNESS_MAIN
