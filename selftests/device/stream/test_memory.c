// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_memory.c - kernel memory that programs cause to be allocated
 *
 * Lanes: their memory is reserved before the allocation and given back after it was freed,
 * whatever happens to descriptors or copies of the mapping. A user leaves something for later
 * users, and root has a reserved part. Descriptors: each has bounded memory, with any number of
 * lanes. All memory is charged to the program's cgroup, and a program beyond its limit harms
 * none outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define TYPE	DEVTRACE_T_USER
#define USER	2000
/*
 * Documentation/security.rst: memory of a descriptor, per CPU, and per 64 concurrent lanes,
 * including the kernel's files and tables.
 */
#define BASE_KB	56
#define CPU_KB	12
#define CHUNK_KB	19
/* kmod/lane/blocks.h */
#define SLOTS	4096
#define CHUNK	64

FIXTURE(memory) {
	int wfd;
};

FIXTURE_SETUP(memory)
{
	struct rlimit files = { 20000, 20000 };

	dev_seed();
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, dev_load("size=256K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(memory)
{
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* The number after a word in a file, or -1. */
static long number_in(const char *path, const char *word)
{
	char buf[16384];
	const char *p;

	if (dev_read_file(path, buf, sizeof(buf)) <= 0)
		return -1;
	p = strstr(buf, word);
	return p ? atol(p + strlen(word)) : -1;
}

static long available_kb(void)
{
	return number_in("/proc/meminfo", "MemAvailable:");
}

/* Make and close a lane; the ring of blocks exists then. */
static bool any_number_of_lanes(int wfd)
{
	struct devtrace_lane_ask arg;
	int fd = lane_fd(wfd, 0, &arg);

	close(fd);
	return fd >= 0 && !lane_no_limits();
}

/* The memory of a lane exists as long as it counts, and at most as long as it is mapped. */
TEST_F_TIMEOUT(memory, goes_when_it_is_unmapped, 900)
{
	const int rounds = 64;
	int i, fd[rounds];
	struct lane l;
	long before;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 512 << 10));
	before = dev_vmalloc_kb();
	for (i = 0; i < rounds; i++) {
		struct devtrace_lane_ask arg;

		fd[i] = lane_fd(self->wfd, DEVTRACE_LANE_MAX, &arg);
		ASSERT_LE(0, fd[i]) TH_LOG("round %d: %s", i, strerror(errno));
		ASSERT_EQ(0, lane_map(&l, fd[i], arg.bytes));
		lane_mark(&l, TYPE, 1, i);
		munmap(l.blocks, l.bytes);
	}
	dev_say("%d descriptors of lanes that are gone: %ld kB", rounds, dev_vmalloc_kb() - before);
	EXPECT_GE(1024, dev_vmalloc_kb() - before);
	/* Mapping the descriptor again does not bring it back. */
	EXPECT_EQ(-1, lane_map(&l, fd[0], DEVTRACE_LANE_MAX));
	for (i = 0; i < rounds; i++)
		close(fd[i]);
}

TEST_F_TIMEOUT(memory, is_not_kept_by_a_child, 900)
{
	const int lanes = 32;
	struct lane l[lanes];
	long before, held;
	int i, status;
	pid_t pid;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	before = dev_vmalloc_kb();
	for (i = 0; i < lanes; i++) {
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MAX));
		lane_mark(&l[i], TYPE, 1, i);
	}
	held = dev_vmalloc_kb() - before;
	EXPECT_LE(lanes * DEVTRACE_LANE_MAX / 1024 - 512, held);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	for (i = 0; i < lanes; i++)
		lane_close(&l[i]);
	dev_say("%ld kB, then %ld kB beside a child", held, dev_vmalloc_kb() - before);
	EXPECT_GE(1024, dev_vmalloc_kb() - before);
	ASSERT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
}

/* A process that takes all lanes it gets, and holds them until it is killed. */
static pid_t holder(unsigned int uid, int wfd, uint32_t bytes, int *got)
{
	int p[2], n = 0;
	pid_t pid;

	if (pipe(p))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct devtrace_lane_ask arg;

		if (uid && (setgid(uid) || setuid(uid)))
			_exit(1);
		while (n < 10000 && lane_fd(wfd, bytes, &arg) >= 0)
			n++;
		if (errno != ENOSPC)
			n = -errno;
		if (write(p[1], &n, sizeof(n)) != sizeof(n))
			_exit(1);
		pause();
		_exit(0);
	}
	close(p[1]);
	if (pid < 0 || read(p[0], got, sizeof(*got)) != sizeof(*got))
		*got = -1;
	close(p[0]);
	return pid;
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* 16 of 64 lanes are root's. Each user leaves as much of the rest as he has. */
TEST_F_TIMEOUT(memory, a_user_leaves_something_to_others, 900)
{
	static const int share[] = { 24, 12, 6, 3, 1, 1, 0 };
	enum { USERS = sizeof(share) / sizeof(share[0]) };
	pid_t pid[USERS + 1];
	int i, got;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_ALL, 512 << 10));
	for (i = 0; i < USERS; i++) {
		pid[i] = holder(USER + i, self->wfd, DEVTRACE_LANE_MIN, &got);
		EXPECT_EQ(share[i], got) TH_LOG("user %d", i);
	}
	pid[USERS] = holder(0, self->wfd, DEVTRACE_LANE_MIN, &got);
	EXPECT_EQ(64 - 47, got);
	/* Lanes given back are available to others. */
	end(pid[0]);
	pid[0] = holder(USER + 100, self->wfd, DEVTRACE_LANE_MIN, &got);
	EXPECT_LT(0, got);
	for (i = 0; i <= USERS; i++)
		end(pid[i]);
}

/* The same for their numbers, of which there are 4096. */
TEST_F_TIMEOUT(memory, numbers_are_shared_as_well, 900)
{
	pid_t pid[3];
	int got;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	pid[0] = holder(USER, self->wfd, DEVTRACE_LANE_MIN, &got);
	EXPECT_EQ(3 * SLOTS / 4 / 2, got);
	pid[1] = holder(USER + 1, self->wfd, DEVTRACE_LANE_MIN, &got);
	EXPECT_EQ(3 * SLOTS / 4 / 4, got);
	end(pid[1]);
	pid[2] = holder(0, self->wfd, DEVTRACE_LANE_MIN, &got);
	EXPECT_EQ(SLOTS - 3 * SLOTS / 4 / 2, got);
	end(pid[2]);
	end(pid[0]);
}

#define ASKERS	200
#define ASKS	200

/* Requests the largest lane many times, and holds what it has until it is killed. */
static pid_t asker(unsigned int uid, int wfd, atomic_int *done)
{
	struct devtrace_lane_ask arg;
	pid_t pid = fork();
	int i;

	if (pid)
		return pid;
	if (setgid(uid) || setuid(uid))
		_exit(1);
	for (i = 0; i < ASKS; i++) {
		int fd = lane_fd(wfd, DEVTRACE_LANE_MAX, &arg);

		if (fd < 0 && errno != ENOSPC)
			_exit(2);
		/* Keep some, and close others. */
		if (fd >= 0 && dev_random() & 1)
			close(fd);
	}
	++*done;
	pause();
	_exit(3);
}

/* With default limits: five users at once. */
TEST_F_TIMEOUT(memory, of_many_who_ask_at_once, 900)
{
	long before, avail, least, now, most = 0;
	struct devtrace_lane_ask arg;
	int i, status, fd, gone = 0;
	pid_t pid[ASKERS];
	atomic_int *done;

	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, done);
	/* 16 MiB are above the limit of a lane. */
	EXPECT_EQ(-1, lane_fd(self->wfd, 16 << 20, &arg));
	EXPECT_EQ(EINVAL, errno);
	fd = lane_fd(self->wfd, 0, &arg);
	ASSERT_LE(0, fd);
	close(fd);
	fflush(stdout);
	before = dev_vmalloc_kb();
	avail = available_kb();
	least = avail;
	for (i = 0; i < ASKERS; i++) {
		pid[i] = asker(USER + i % 5, self->wfd, done);
		ASSERT_LT(0, pid[i]);
	}
	/* On one CPU they may be done already, and hold what they have. */
	do {
		now = dev_vmalloc_kb() - before;
		most = now > most ? now : most;
		now = available_kb();
		least = now < least ? now : least;
		for (i = 0, gone = 0; i < ASKERS; i++)
			gone += waitpid(pid[i], &status, WNOHANG) != 0;
		dev_sleep_ms(2);
	} while (*done + gone < ASKERS);
	/* No process was killed, and the only error was lack of room. */
	EXPECT_EQ(0, gone);
	/* 3/4 of the limit of all, and the stacks of the processes. */
	dev_say("%ld kB of lanes and stacks at the most, %ld kB less available", most,
		avail - least);
	EXPECT_GE(48 * 1024 + ASKERS * 20, most);
	EXPECT_LT(4 * 1024, most);
	/* In addition, memory that RCU frees, and the processes. */
	EXPECT_GE(128 * 1024, avail - least);
	/* Root's part is left. */
	fd = lane_fd(self->wfd, DEVTRACE_LANE_MAX, &arg);
	EXPECT_LE(0, fd);
	close(fd);
	for (i = 0; i < ASKERS; i++)
		end(pid[i]);
	munmap(done, sizeof(*done));
}

/* Memory of @n descriptors, each read once, like those of followers. */
static long of_descriptors(int n)
{
	int *fd = calloc(n, sizeof(*fd)), i;
	static char buf[65536];
	long before, took;

	before = dev_kernel_memory();
	for (i = 0; i < n; i++) {
		fd[i] = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd[i] < 0)
			return -1;
		while (read(fd[i], buf, sizeof(buf)) > 0)
			;
	}
	took = dev_kernel_memory() - before;
	for (i = 0; i < n; i++)
		close(fd[i]);
	free(fd);
	return took;
}

static long limit_kb(int lanes)
{
	return BASE_KB + sysconf(_SC_NPROCESSORS_CONF) * CPU_KB +
	       (lanes + CHUNK - 1) / CHUNK * CHUNK_KB;
}

TEST_F_TIMEOUT(memory, of_many_descriptors, 900)
{
	const int lanes = 400, descriptors = 500;
	struct lane l[lanes];
	long took;
	int i;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	for (i = 0; i < lanes; i++) {
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
		lane_mark(&l[i], TYPE, 1, i);
	}
	took = of_descriptors(descriptors);
	dev_say("%d descriptors beside %d lanes: %ld kB, each %ld of at most %ld", descriptors,
		lanes, took, took / descriptors, limit_kb(lanes));
	EXPECT_LT(descriptors * 16L, took);
	EXPECT_GE(descriptors * limit_kb(lanes), took);
	for (i = 0; i < lanes; i++)
		lane_close(&l[i]);
}

/* With the largest number of lanes ever open: numbers stay in use. */
TEST_F_TIMEOUT(memory, of_a_descriptor_at_the_most, 900)
{
	const int descriptors = 16;
	long took;
	pid_t pid;
	int got;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	pid = holder(0, self->wfd, DEVTRACE_LANE_MIN, &got);
	end(pid);
	if (got != SLOTS)
		SKIP(return, "no memory for so many lanes");
	took = of_descriptors(descriptors);
	dev_say("a descriptor where there were %d lanes: %ld kB of at most %ld", SLOTS,
		took / descriptors, limit_kb(SLOTS));
	EXPECT_GE(descriptors * limit_kb(SLOTS), took);
	EXPECT_LE(descriptors * 100L, took);
}

/* Cgroups. */

#define CGROUPS	"/tmp/cgroups"
#define SMALL	CGROUPS "/small"
#define OTHER	CGROUPS "/other"

static bool cgroups(void)
{
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL))
		return false;
	if (dev_write_file(CGROUPS "/cgroup.subtree_control", "+memory") || mkdir(SMALL, 0755) ||
	    mkdir(OTHER, 0755) || dev_write_file(SMALL "/memory.max", "12M")) {
		rmdir(SMALL);
		rmdir(OTHER);
		umount(CGROUPS);
		return false;
	}
	return true;
}

static void no_cgroups(void)
{
	for (int i = 0; i < 100 && (rmdir(SMALL) || rmdir(OTHER)) && errno == EBUSY; i++)
		dev_sleep_ms(20);
	umount(CGROUPS);
}

static long small_kb(void)
{
	char buf[64];

	if (dev_read_file(SMALL "/memory.current", buf, sizeof(buf)) <= 0)
		return -1;
	return atol(buf) / 1024;
}

/* Run this function in a process in @group. */
static pid_t in(const char *group, int (*fn)(int wfd), int wfd)
{
	char path[64], me[16];
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	snprintf(me, sizeof(me), "%d", getpid());
	_exit(dev_write_file(path, me) ? 100 : fn(wfd));
}

/* Wait for its end: exit status, or minus the signal. */
static int how_it_ended(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int canary(int wfd)
{
	static char here[1 << 20];

	memset(here, 1, sizeof(here));
	pause();
	return 0;
}

/* Exits with lanes open and events in them; one is read by its own descriptor. */
static int program(int wfd)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct lane l[16];
	char buf[4096];
	int i, k;

	for (i = 0; i < 16; i++) {
		if (lane_open(&l[i], wfd, DEVTRACE_LANE_MIN))
			return errno;
		for (k = 0; k < 300; k++)
			lane_mark(&l[i], TYPE, i, k);
	}
	return fd < 0 || read(fd, buf, sizeof(buf)) <= 0 ? 99 : 0;
}

static int lanes_without_end(int wfd)
{
	struct devtrace_lane_ask arg;

	while (lane_fd(wfd, DEVTRACE_LANE_MAX, &arg) >= 0)
		;
	return errno;
}

static int descriptors_without_end(int wfd)
{
	static char buf[4096];
	int fd;

	while ((fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) >= 0)
		if (read(fd, buf, sizeof(buf)) < 0 && errno != EAGAIN)
			break;
	return errno;
}

/* Open a lane of each size, and descriptors; wait to be killed. */
static int has_some(int wfd)
{
	struct devtrace_lane_ask arg;
	int i;

	for (i = 0; i < 8; i++)
		if (lane_fd(wfd, DEVTRACE_LANE_MAX, &arg) < 0)
			return errno;
	for (i = 0; i < 32; i++)
		if (open(DEV_PATH, O_RDONLY | O_CLOEXEC) < 0)
			return errno;
	raise(SIGSTOP);
	return 0;
}

static int rounds(void)
{
	const char *n = getenv("DEVICE_ROUNDS");

	return n ? atoi(n) : 100;
}

TEST_F_TIMEOUT(memory, in_a_small_cgroup, 900)
{
	static int (*const hostile[])(int) = { lanes_without_end, descriptors_without_end };
	struct lane l[128];
	int i, how, status;
	pid_t bird, pid;
	long some;

	ASSERT_TRUE(any_number_of_lanes(self->wfd));
	if (!cgroups())
		SKIP(return, "no cgroups with memory here");
	bird = in(OTHER, canary, self->wfd);
	/* A reader has places for all of them. */
	for (i = 0; i < 128; i++)
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
	/* One after the other: memory is given back before the next one needs it. */
	for (i = 0; i < rounds(); i++) {
		how = how_it_ended(in(SMALL, program, self->wfd));
		ASSERT_EQ(0, how) TH_LOG("round %d", i);
	}
	dev_say("%d programs with lanes in 12 MB; then %ld kB are charged", i, small_kb());
	EXPECT_EQ(0, number_in(SMALL "/memory.events", "oom_kill "));
	EXPECT_GT(6 * 1024, small_kb());

	/* 2 MiB of lanes, and descriptors, are charged. */
	some = small_kb();
	pid = in(SMALL, has_some, self->wfd);
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	some = small_kb() - some;
	dev_say("8 lanes of 256 KiB and 32 descriptors: %ld kB are charged", some);
	EXPECT_LE(2048 + 32 * 32, some);
	end(pid);

	/* A program without bounds gets an error or is killed, but no other is killed. */
	for (i = 0; i < 2; i++) {
		how = how_it_ended(in(SMALL, hostile[i], self->wfd));
		EXPECT_TRUE(how == ENOMEM || how == -SIGKILL) TH_LOG("%d: %d", i, how);
	}
	EXPECT_EQ(0, waitpid(bird, &status, WNOHANG));
	EXPECT_EQ(0, number_in(OTHER "/memory.events", "oom_kill "));
	end(bird);
	for (i = 0; i < 128; i++)
		lane_close(&l[i]);
	no_cgroups();
}

#define FILE_MAX	"/proc/sys/fs/file-max"

/* Take all files that users may have; root may have more. */
static int touch_without_files(const struct lane *l)
{
	const struct rlimit r = { 1 << 20, 1 << 20 };
	pid_t pid;

	if (setrlimit(RLIMIT_NOFILE, &r) || setgid(65534) || setuid(65534))
		return 101;
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	if (errno != ENFILE)
		return 102;
	pid = fork();
	if (!pid) {
		/* A page that cannot be mapped would fault without end. */
		alarm(60);
		for (uint32_t i = 0; i < l->bytes; i += 4096)
			if (*(volatile const unsigned char *)(l->blocks + i))
				_exit(103);
		_exit(0);
	}
	return how_it_ended(pid);
}

/* A child's zeroed pages for its parent's lane must not need a file. */
TEST_F(memory, of_a_child_where_no_file_is_left)
{
	char before[32] = "", few[32], buf[64];
	struct lane l;
	pid_t pid;

	ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
	ASSERT_LT(0, dev_read_file(FILE_MAX, before, sizeof(before)));
	ASSERT_LT(0, dev_read_file("/proc/sys/fs/file-nr", buf, sizeof(buf)));
	snprintf(few, sizeof(few), "%ld", atol(buf) + 500);
	ASSERT_EQ(0, dev_write_file(FILE_MAX, few));
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(touch_without_files(&l));
	EXPECT_EQ(0, how_it_ended(pid));
	EXPECT_EQ(0, dev_write_file(FILE_MAX, before));
	lane_close(&l);
}

TEST_HARNESS_MAIN
