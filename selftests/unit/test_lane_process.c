// SPDX-License-Identifier: GPL-2.0-only
/* test_lane_process.c - ownership of lanes: handlers, forks, threads, the environment */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include "emit/emit_lane.h"
#include "lane_unit.h"

static void emit_in_lane(void)
{
	fake->in_lane = NULL;
	emit_plain();
	emit_plain();
}

/* A signal handler emits while the lane is being made. */
TEST_F(lane, setup_interrupted_by_event)
{
	fake->in_lane = emit_in_lane;
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(2, fake->nr);
	EXPECT_EQ(1, fake->asked);
	EXPECT_EQ(1, in_lane(0));
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(2, in_lane(0));
}

/* The event is unreadable memory: a handler of SIGSEGV leaves the emit. */
static sigjmp_buf back;

static void leave(int sig)
{
	emit_plain();
	siglongjmp(back, 1);
}

static __attribute__((noinline)) bool emit_what_cannot_be_read(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct devtrace_emit *bad;
	uint8_t *p;

	p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || munmap(p + page, page))
		return false;
	bad = (void *)(p + page - sizeof(*bad) - 100);
	bad->type = TYPE;
	if (!sigsetjmp(back, 1)) {
		devtrace_emit_event(bad, 1000);
		return false;
	}
	return true;
}

TEST_F(lane, handler_does_not_return)
{
	signal(SIGSEGV, leave);
	ASSERT_EQ(0, emit_plain());
	ASSERT_TRUE(emit_what_cannot_be_read());
	EXPECT_EQ(1, in_lane(0));
	EXPECT_EQ(1, fake->nr);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	EXPECT_EQ(4, fake->nr);
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(5, fake->nr);
	EXPECT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(5, fake->nr);
	EXPECT_EQ(1, in_lane(1));
}

TEST_F(lane, fork_gives_the_child_its_own)
{
	int status, bad;
	pid_t pid;

	ASSERT_EQ(0, emit_plain());
	pid = fork();
	if (!pid) {
		bad = emit_plain() || emit_plain();
		bad |= fake->asked != 2 || in_lane(1) != 2 || fake->nr;
		_exit(bad);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(2, in_lane(0));
	EXPECT_EQ(0, fake->nr);

	/* The second child gets no lane. */
	fake->lane_error = ENOSPC;
	pid = fork();
	if (!pid)
		_exit(emit_plain() || emit_plain() || fake->asked != 3 || fake->nr != 2);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(3, in_lane(0));
}

static volatile bool shared;

static __attribute__((noinline)) void vfork_and_emit(void)
{
	pid_t pid = vfork();

	if (!pid) {
		shared = true;
		emit_plain();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

TEST_F(lane, vfork_child_writes_its_parents)
{
	ASSERT_EQ(0, emit_plain());
	vfork_and_emit();
	if (!shared)
		SKIP(return, "vfork is fork here");
	EXPECT_EQ(2, in_lane(0));
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(3, in_lane(0));
	EXPECT_EQ(1, fake->asked);
}

/* If it asked for a lane, the lane would have its parent's id. */
TEST_F(lane, vfork_child_does_not_ask)
{
	vfork_and_emit();
	if (!shared)
		SKIP(return, "vfork is fork here");
	EXPECT_EQ(0, fake->asked);
	EXPECT_EQ(1, fake->nr);
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	EXPECT_EQ(1, fake->nr);
}

static pthread_key_t later;

static void emit_at_the_end(void *arg)
{
	emit_plain();
}

static void *emit_and_end(void *arg)
{
	emit_plain();
	/* Created after the library's key, so its destructor runs later. */
	pthread_setspecific(later, arg);
	return NULL;
}

TEST_F(lane, thread_gives_it_back)
{
	pthread_t thread;

	ASSERT_EQ(0, pthread_key_create(&later, emit_at_the_end));
	for (unsigned int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, emit_and_end, &later));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_EQ(i + 1, fake->asked);
		EXPECT_EQ(1, in_lane(i));
		EXPECT_EQ(i + 1, fake->nr);
		EXPECT_EQ(0, fake->lanes[i].mapped);
	}
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(3));
}

static pthread_barrier_t barrier;

static void *emit_many(void *arg)
{
	union {
		struct devtrace_emit event;
		uint8_t bytes[sizeof(out)];
	} mine;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS; i++)
		if (devtrace_emit_event(&mine.event, lane_event(seed, i, &mine.event)))
			return arg;
	return NULL;
}

TEST_F(lane, each_thread_has_its_own)
{
	pthread_t thread[4];
	uint64_t total;
	void *bad;

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, emit_many, &barrier));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &bad));
		EXPECT_EQ(0, (uintptr_t)bad);
	}
	ASSERT_EQ(4, fake->nr_lanes);
	for (int i = 0; i < 4; i++) {
		EXPECT_STREQ("", lane_verify(&fake->lanes[i], seed, &total) ?: "");
		EXPECT_EQ(ROUNDS, total);
	}
	EXPECT_EQ(0, fake->nr);
}

/*
 * Start a process with DEVTRACE_LANE as given: see main(). A negative @blocks means that calls
 * are forbidden.
 */
static int with_environment(const char *bytes, const char *blocks)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		/* Not the device of this process. */
		close(900);
		unsetenv("DEVTRACE_DEVICE");
		setenv("DEVTRACE_LANE", bytes, 1);
		execl("/proc/self/exe", "test_lane", "--environment", blocks, NULL);
		_exit(99);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int environment(int blocks)
{
	const uint32_t flags = blocks < 0 ? DEVTRACE_LANE_NO_CALLS : 0;

	fake_reset();
	fake_into_lanes(1);
	fake->lane_bytes = 2 * DEVTRACE_LANE_MIN;
	clock_ns = 1000;
	if (emit_plain())
		return 1;
	/* With lanes disabled, the program may be forbidden to ask for one. */
	if (!blocks)
		return fake->tids || fake->asked || fake->nr != 1 || devtrace_lane(DEVTRACE_LANE_MIN) != EPERM ||
		       emit_plain() || fake->asked || fake->nr != 2;
	/* A lane that the program asks for inherits the ban on calls. */
	if (flags && (devtrace_lane(DEVTRACE_LANE_MIN) || fake->lanes[1].flags != flags))
		return 1;
	return fake->nr || fake->nr_lanes != 1 + !!flags || fake->lanes[0].flags != flags ||
	       fake->lanes[0].nr != abs(blocks);
}

TEST_F(lane, environment_says_how)
{
	int status = with_environment("65536", "16");

	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		SKIP(return, "this program cannot be started anew");
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, with_environment("0x20000", "32"));
	EXPECT_EQ(0, with_environment("0", "0"));
	EXPECT_EQ(0, with_environment("nocalls", "-4"));
	EXPECT_EQ(0, with_environment("65536,nocalls", "-16"));
	EXPECT_EQ(0, with_environment("0,nocalls", "-4"));
	/* Invalid values are ignored. */
	EXPECT_EQ(0, with_environment("", "4"));
	EXPECT_EQ(0, with_environment("64K", "4"));
	EXPECT_EQ(0, with_environment("65536,", "4"));
	EXPECT_EQ(0, with_environment("65536,nocall", "4"));
	EXPECT_EQ(0, with_environment("99999999999999999999", "4"));
}

#define main harness_main

TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	const char *s = getenv("SEED");

	fake_start(argv);
	if (argc == 3 && !strcmp(argv[1], "--environment"))
		return environment(atoi(argv[2]));
	seed = s && *s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL);
	srand(seed);
	printf("# SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return harness_main(argc, argv);
}
