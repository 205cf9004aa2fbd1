// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_limits.c - limits on the memory of lanes, and its use
 *
 * The limits are per process, per user, for all, and 4096 lanes. Beyond them a program gets
 * ENOSPC before memory is allocated. A lane that is gone no longer counts, and its events stay
 * as long as others. Each allocation fails once, on kernels that inject faults.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "inject.h"
#include "lanes.h"

#define TYPE	DEVTRACE_T_USER
#define MANY	4096

FIXTURE(limits) {
	int		wfd;
	uint32_t	whole;		/* bytes that count for the smallest lane */
};

FIXTURE_SETUP(limits)
{
	dev_seed();
	inject_begin();
	ASSERT_EQ(0, dev_load("size=256K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->whole = DEVTRACE_LANE_MIN;
}

FIXTURE_TEARDOWN(limits)
{
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

static int set(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/devtrace/parameters/%s", name);
	return dev_write_file(path, value);
}

/* Size of a new lane; 0 on failure, with errno. */
static uint32_t try_size(int wfd, uint32_t bytes)
{
	struct devtrace_lane_ask arg;
	int fd = lane_fd(wfd, bytes, &arg);

	if (fd < 0)
		return 0;
	close(fd);
	return arg.bytes;
}

TEST_F(limits, sizes)
{
	static const struct { uint32_t want, got; } good[] = {
		{ 0, DEVTRACE_LANE_MIN },
		{ DEVTRACE_LANE_MIN, DEVTRACE_LANE_MIN },
		{ DEVTRACE_LANE_MIN + 1, 2 * DEVTRACE_LANE_MIN },
		{ 100000, 128 << 10 },
		{ DEVTRACE_LANE_MAX - 1, DEVTRACE_LANE_MAX },
		{ DEVTRACE_LANE_MAX, DEVTRACE_LANE_MAX },
	};
	static const uint32_t bad[] = {
		1, DEVTRACE_LANE_MIN - 1, DEVTRACE_LANE_MAX + 1, 0x80000000, 0xffffffff,
	};
	int i;

	ASSERT_EQ(0, lane_no_limits());
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		EXPECT_EQ(good[i].got, try_size(self->wfd, good[i].want)) TH_LOG("%u", good[i].want);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(0, try_size(self->wfd, bad[i])) TH_LOG("%u", bad[i]);
		EXPECT_EQ(EINVAL, errno);
	}
}

TEST_F(limits, descriptors_that_give_none)
{
	struct devtrace_lane_ask arg;
	int fd = open(DEV_PATH, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, lane_fd(fd, 0, &arg));
	EXPECT_EQ(EBADF, errno);
	close(fd);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_LANE, (void *)1));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(limits, size_that_the_administrator_sets)
{
	static const char * const bad[] = { "", "x", "-1", "64Kx", "K" };
	static const struct { const char *text; uint32_t got; } good[] = {
		{ "1", DEVTRACE_LANE_MIN }, { "100K", 128 << 10 }, { "0x4000", 16 << 10 },
		{ "1G", DEVTRACE_LANE_MAX }, { "64K\n", 64 << 10 },
	};
	char text[64];
	int i;

	ASSERT_EQ(0, lane_no_limits());
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT_EQ(0, set("lane_size", good[i].text));
		EXPECT_EQ(good[i].got, try_size(self->wfd, 0)) TH_LOG("%s", good[i].text);
	}
	for (i = 1; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-1, set("lane_size", bad[i])) TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(64 << 10, try_size(self->wfd, 0));
	/* None, if the program leaves the size to the administrator */
	EXPECT_EQ(0, set("lane_size", "0"));
	EXPECT_EQ(0, try_size(self->wfd, 0));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(DEVTRACE_LANE_MIN, try_size(self->wfd, DEVTRACE_LANE_MIN));

	close(self->wfd);
	ASSERT_EQ(0, dev_unload());
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "lane_limits=%s", bad[i]);
		EXPECT_EQ(-1, dev_load_file("devtrace.ko", text)) TH_LOG("%s", text);
		EXPECT_EQ(EINVAL, errno);
	}
	ASSERT_EQ(0, dev_load("lane_size=32K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(32 << 10, try_size(self->wfd, 0));
}

/* Number of events with this tag; -1 for a wrong stream. */
static int marks(uint32_t tag)
{
	struct tape *t = tape_all(65536);
	int n = 0;
	size_t i;

	if (!t || !tape_clean(t))
		return -1;
	for (i = 0; i < t->nev; i++)
		n += t->ev[i].tag == tag;
	tape_free(t);
	return n;
}

/* The limits concern lanes in use, not their events. */
TEST_F(limits, lane_that_is_gone_counts_no_more)
{
	const int rounds = 300;
	struct lane l, other;
	int i, k, source;
	struct tape *t;

	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 2 * self->whole));
	ASSERT_EQ(0, lane_open(&other, self->wfd, DEVTRACE_LANE_MIN));
	source = other.head->source + 1;
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
		/* The smallest free number is used. */
		EXPECT_EQ(source, l.head->source);
		EXPECT_EQ(0, try_size(self->wfd, DEVTRACE_LANE_MIN));
		EXPECT_EQ(ENOSPC, errno);
		for (k = 0; k < 10; k++)
			lane_mark(&l, TYPE, 1, 10 * i + k);
		lane_close(&l);
	}
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(10 * rounds, t->nev);
	EXPECT_EQ(10 * rounds, t->read[source]);
	EXPECT_EQ(0, tape_lost(t, -1));
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i, t->ev[i].nr);
	tape_free(t);
	lane_close(&other);
}

struct one_lane {
	struct lane	l;
	pid_t		tid;
	int		dev, from, n;
};

static void *one_after_the_other(void *arg)
{
	struct one_lane *o = arg;
	int i;

	o->tid = gettid();
	if (lane_open(&o->l, o->dev, DEVTRACE_LANE_MIN))
		return NULL;
	for (i = 0; i < o->n; i++)
		lane_mark(&o->l, TYPE, 2, o->from + i);
	lane_close(&o->l);
	return NULL;
}

/*
 * A reader in the middle of a lane's events continues there when the lane is gone, and then with
 * the events of the next lane with this number, each event with its thread.
 */
TEST_F(limits, number_is_used_again_under_a_reader)
{
	struct one_lane o[3] = {
		{ .dev = self->wfd, .from = 0, .n = 1500 },
		{ .dev = self->wfd, .from = 1500, .n = 700 },
		{ .dev = self->wfd, .from = 2200, .n = 800 },
	};
	struct tape *t = tape_new();
	char buf[64];
	pthread_t th;
	int fd, i, k;

	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_create(&th, NULL, one_after_the_other, &o[i]));
		pthread_join(th, NULL);
		for (k = 0; k < 20; k++) {
			ASSERT_EQ(sizeof(buf), read(fd, buf, sizeof(buf)));
			tape_feed(t, buf, sizeof(buf));
		}
	}
	EXPECT_GT(1000, t->nev);
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	ASSERT_EQ(3000, t->nev);
	for (i = 0; i < t->nev; i++) {
		EXPECT_EQ(i, t->ev[i].nr);
		EXPECT_EQ(o[i < 1500 ? 0 : i < 2200 ? 1 : 2].tid, t->ev[i].tid);
		EXPECT_EQ(t->ev[0].source, t->ev[i].source);
	}
	tape_free(t);
	close(fd);
}

/* Whole blocks are overwritten, oldest first, of any lane; losses are counted per source. */
TEST_F(limits, oldest_goes_and_is_told)
{
	struct tape *t = tape_new();
	uint32_t next[3] = { 0 };
	uint64_t lost[3];
	struct lane l[3];
	int fd, i, k, source[3];

	close(self->wfd);
	ASSERT_EQ(0, dev_load("size=16K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
		source[i] = l[i].head->source;
		for (k = 0; k < 500; k++)
			lane_mark(&l[i], TYPE, i, k);
		if (i < 2)
			lane_close(&l[i]);
	}
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(i ? source[0] : source[2], source[i ? 2 : 0]);
	for (i = 0; i < 3; i++)
		lost[i] = 0;
	/* All had the same number in turn. */
	EXPECT_EQ(1500, t->nev + t->lost[source[0]][DEVTRACE_LOST_OVERWRITTEN]);
	EXPECT_LT(0, t->lost[source[0]][DEVTRACE_LOST_OVERWRITTEN]);
	EXPECT_EQ(tape_lost(t, -1), t->lost[source[0]][DEVTRACE_LOST_OVERWRITTEN]);
	for (i = 0; i < t->nev; i++) {
		k = t->ev[i].tag;
		ASSERT_GT(3, k);
		EXPECT_LE(next[k], t->ev[i].nr);
		lost[k] += t->ev[i].nr - next[k];
		next[k] = t->ev[i].nr + 1;
	}
	/* Oldest first: no lost event is newer than one that stayed. */
	EXPECT_EQ(500, next[2]);
	for (i = 1; i < 3; i++)
		EXPECT_TRUE(!lost[i] || !next[i - 1]);
	lane_close(&l[2]);
	tape_free(t);
	close(fd);
}

/* A reader that did not look meanwhile is told of lanes that came and went. */
TEST_F(limits, lanes_that_came_and_went)
{
	struct tape *t = tape_new();
	uint64_t cleared = 0;
	struct lane l;
	int fd, i, k;

	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, self->whole));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
		for (k = 0; k < 100; k++) {
			if (i == 1 && k == 60)
				ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
			lane_mark(&l, TYPE, i, k);
		}
		lane_close(&l);
	}
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(140, t->nev);
	EXPECT_EQ(160, tape_lost(t, -1));
	for (i = 0; i < DEV_CPUS; i++)
		cleared += t->lost[i][DEVTRACE_LOST_CLEARED];
	EXPECT_EQ(160, cleared);
	tape_free(t);
	close(fd);
}

/* Number of lanes that a user gets; they end with the process. */
static int lanes_of(uid_t uid, int wfd)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct devtrace_lane_ask arg;
		int n = 0;

		if (setgid(uid) || setuid(uid))
			_exit(255);
		while (n < 100 && lane_fd(wfd, DEVTRACE_LANE_MIN, &arg) >= 0)
			n++;
		_exit(errno == ENOSPC ? n : 254);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(limits, of_a_process_a_user_and_all)
{
	struct lane l[5];
	int i;

	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 3 * self->whole));
	EXPECT_EQ(3, lanes_of(0, self->wfd));
	EXPECT_EQ(3, lanes_of(1234, self->wfd));
	/* Lanes that were never mapped are gone with their descriptor. */
	EXPECT_EQ(3, lanes_of(1234, self->wfd));
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 100 * self->whole));
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_USER, 5 * self->whole));
	EXPECT_EQ(5, lanes_of(1234, self->wfd));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(0, lanes_of(0, self->wfd));
	EXPECT_EQ(5, lanes_of(1235, self->wfd));
	/* A user may use half of what root leaves: test_memory. */
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_ALL, 9 * self->whole));
	EXPECT_EQ(3, lanes_of(1236, self->wfd));
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_ALL, 5 * self->whole));
	EXPECT_EQ(0, lanes_of(1236, self->wfd));
	for (i = 0; i < 5; i++)
		lane_close(&l[i]);
	EXPECT_EQ(5, lanes_of(0, self->wfd));
	EXPECT_EQ(0, lane_limit(LANE_LIMIT_ALL, 0));
	EXPECT_EQ(0, lanes_of(0, self->wfd));
}

static int lanes_more(int wfd)
{
	struct devtrace_lane_ask arg;
	int n = 0;

	while (n < 100 && lane_fd(wfd, DEVTRACE_LANE_MIN, &arg) >= 0)
		n++;
	return errno == ENOSPC ? n : 254;
}

/* Number of lanes that users 0 and 1 of a user namespace get together. */
static int lanes_in_a_namespace(int wfd, int ready, int go)
{
	char byte = 0;
	int n;

	if (setgid(1234) || setuid(1234) || unshare(CLONE_NEWUSER))
		return 200;
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		return 201;
	if (setresuid(0, 0, 0))
		return 202;
	n = lanes_more(wfd);
	if (setresuid(1, 1, 1))
		return 203;
	return n + lanes_more(wfd);
}

/* Several users made by one user count as one. */
TEST_F(limits, of_a_user_namespace)
{
	char path[64], byte = 0;
	int ready[2], go[2], status;
	pid_t pid;

	ASSERT_EQ(0, lane_limit(LANE_LIMIT_USER, 5 * self->whole));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	fflush(stdout);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(ready[0]);
		close(go[1]);
		_exit(lanes_in_a_namespace(self->wfd, ready[1], go[0]));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
		EXPECT_EQ(0, dev_write_file(path, "0 100000 2"));
		EXPECT_EQ(1, write(go[1], &byte, 1));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 200)
		SKIP(return, "no user namespaces here");
	EXPECT_EQ(5, WEXITSTATUS(status));
}

#define ASKERS	200
#define ASKS	50

struct asking {
	pthread_barrier_t	there, go;
	atomic_int		had, refused, wrong, done;
	int			dev;
	int			fd[ASKERS];	/* of the successful ones */
};

static void *ask_for_the_largest(void *arg)
{
	struct devtrace_lane_ask ask;
	struct asking *a = arg;
	int i, fd;

	pthread_barrier_wait(&a->there);
	pthread_barrier_wait(&a->go);
	for (i = 0; i < ASKS; i++) {
		fd = lane_fd(a->dev, DEVTRACE_LANE_MAX, &ask);
		if (fd >= 0)
			a->fd[a->had++ % ASKERS] = fd;
		else if (errno == ENOSPC)
			a->refused++;
		else
			a->wrong++;
	}
	a->done++;
	return NULL;
}

/*
 * Failed requests allocate nothing meanwhile: concurrent requests together never exceed the
 * limit.
 */
TEST_F_TIMEOUT(limits, are_looked_at_before_memory_is_taken, 900)
{
	struct asking a = { .dev = self->wfd };
	long before, now, most;
	pthread_t th[ASKERS];
	int i, n;

	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 4 * DEVTRACE_LANE_MAX));
	/* The ring of blocks exists then. */
	ASSERT_EQ(DEVTRACE_LANE_MIN, try_size(self->wfd, DEVTRACE_LANE_MIN));
	pthread_barrier_init(&a.there, NULL, ASKERS + 1);
	pthread_barrier_init(&a.go, NULL, ASKERS + 1);
	for (n = 0; n < ASKERS; n++)
		ASSERT_EQ(0, pthread_create(&th[n], NULL, ask_for_the_largest, &a));
	pthread_barrier_wait(&a.there);
	before = dev_vmalloc_kb();
	ASSERT_LT(0, before);
	most = before;
	pthread_barrier_wait(&a.go);
	while (a.done < ASKERS) {
		now = dev_vmalloc_kb();
		most = now > most ? now : most;
		sched_yield();
	}
	for (i = 0; i < n; i++)
		pthread_join(th[i], NULL);
	dev_say("%d had one, %d were refused; %ld kB", a.had, a.refused, most - before);
	EXPECT_EQ(4, a.had);
	EXPECT_EQ(ASKERS * ASKS - 4, a.refused);
	EXPECT_EQ(0, a.wrong);
	EXPECT_GE(4 * DEVTRACE_LANE_MAX / 1024 + 512, most - before);
	for (i = 0; i < a.had && i < ASKERS; i++)
		close(a.fd[i]);
}

#define IDLE	100

struct idling {
	pthread_barrier_t	there, go, emitted, end;
	atomic_int		errors;
};

static void *emit_ten(void *arg)
{
	struct idling *s = arg;
	uint32_t i;

	pthread_barrier_wait(&s->there);
	pthread_barrier_wait(&s->go);
	for (i = 0; i < 10; i++)
		devtrace(TYPE, (uint32_t)3, i);
	s->errors += devtrace_errors();
	pthread_barrier_wait(&s->emitted);
	pthread_barrier_wait(&s->end);
	return NULL;
}

/* A separate program, as the library does not free everything. */
static int many_are_idle(void)
{
	long vmalloc, memory;
	pthread_t th[IDLE];
	struct idling s;
	int i;

	pthread_barrier_init(&s.there, NULL, IDLE + 1);
	pthread_barrier_init(&s.go, NULL, IDLE + 1);
	pthread_barrier_init(&s.emitted, NULL, IDLE + 1);
	pthread_barrier_init(&s.end, NULL, IDLE + 1);
	s.errors = 0;
	/* Allocations that are made once. */
	devtrace(TYPE, (uint32_t)3, (uint32_t)0);
	for (i = 0; i < IDLE; i++)
		if (pthread_create(&th[i], NULL, emit_ten, &s))
			return 1;
	pthread_barrier_wait(&s.there);
	memory = dev_kernel_memory();
	vmalloc = dev_vmalloc_kb();
	pthread_barrier_wait(&s.go);
	pthread_barrier_wait(&s.emitted);
	vmalloc = dev_vmalloc_kb() - vmalloc;
	memory = dev_kernel_memory() - memory;
	dev_say("%d idle threads: %ld kB of the kernel's memory, %ld kB of them lanes", IDLE,
		memory, vmalloc);
	/* They have lanes and do not use system calls. (Stacks of others come and go.) */
	if (s.errors || vmalloc < IDLE * DEVTRACE_LANE_MIN / 1024 / 2)
		return 2;
	if (memory > 2048 || vmalloc > IDLE * 12)
		return 3;
	if (marks(3) != 1 + 10 * IDLE)
		return 4;
	pthread_barrier_wait(&s.end);
	for (i = 0; i < IDLE; i++)
		pthread_join(th[i], NULL);
	return 0;
}

/* A thread that emits rarely uses little memory as long as it lives. */
TEST_F(limits, threads_that_are_idle)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(many_are_idle());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1 + 10 * IDLE, marks(3));
}

TEST_F_TIMEOUT(limits, as_many_as_there_can_be, 1500)
{
	struct lane *l = calloc(MANY, sizeof(*l)), more;
	struct tape *t;
	int n, i;

	ASSERT_NE(NULL, l);
	close(self->wfd);
	/* Each event has its own block. */
	ASSERT_EQ(0, dev_load("size=1M"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_no_limits());
	for (n = 0; n < MANY; n++) {
		if (lane_open(&l[n], self->wfd, DEVTRACE_LANE_MIN))
			break;
		lane_mark(&l[n], TYPE, 1, n);
	}
	if (n < MANY) {
		EXPECT_EQ(ENOMEM, errno) TH_LOG("lane %d", n);
		while (n--)
			lane_close(&l[n]);
		free(l);
		SKIP(return, "no memory for so many on this machine");
	}
	EXPECT_EQ(-1, lane_open(&more, self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(ENOSPC, errno);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(MANY, t->nev);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i, t->ev[i].nr);
	tape_free(t);
	/* A lane ends, and its event stays. */
	i = l[17].head->source;
	lane_close(&l[17]);
	EXPECT_EQ(0, lane_open(&l[17], self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(i, l[17].head->source);
	EXPECT_EQ(MANY, marks(1));
	while (n--)
		lane_close(&l[n]);
	free(l);
}

/* Block numbers wrap at 2^32. */
TEST_F(limits, numbers_of_blocks_begin_again)
{
	/* For lanes it is rounded down to bytes / 8; for blocks it is exact. */
	static const char * const starts[] = {
		"size=1K start=0xfffffff0", "size=1K start=0xfffffffe", "size=1K start=0xffffffff",
	};
	const uint32_t all = 50000;
	uint32_t nr, next;
	struct tape *t;
	struct lane l;
	int fd, i, k;

	for (i = 0; i < 3; i++) {
		close(self->wfd);
		ASSERT_EQ(0, dev_load(starts[i]));
		self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
		ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		t = tape_new();
		for (nr = 0; nr < all;) {
			/* up to more than the lane holds, and more than the ring */
			for (k = dev_random() % 5000; k-- && nr < all;)
				lane_mark(&l, TYPE, 1, nr++);
			EXPECT_LE(0, tape_drain(t, fd));
		}
		EXPECT_GT(all / 100, l.n);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(all, t->nev + tape_lost(t, l.head->source));
		for (k = 0, next = 0; k < t->nev; k++) {
			EXPECT_LE(next, t->ev[k].nr);
			next = t->ev[k].nr + 1;
		}
		EXPECT_EQ(all, next);
		EXPECT_LT(all / 20, t->nev);
		tape_free(t);
		close(fd);
		/* The last blocks, for a new reader, and from a time on */
		t = tape_all(4096);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_LT(400, t->nev);
		EXPECT_EQ(all - 1, t->ev[t->nev - 1].nr);
		tape_free(t);
		EXPECT_EQ(DEVTRACE_LANE_OPEN, l.head->state);
		lane_close(&l);
	}
}

/* Faults. */

TEST_F_TIMEOUT(limits, places_of_making_one, 900)
{
	struct devtrace_lane_ask arg;
	struct lane l;
	bool hit;
	int n, fd, k;

	NEEDS_FAULTS();
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 2 * self->whole));
	FOR_EACH_PLACE(n, hit) {
		inject_arm(n);
		fd = lane_fd(self->wfd, DEVTRACE_LANE_MIN, &arg);
		hit = inject_disarm();
		if (fd < 0) {
			ASSERT_TRUE(hit);
			EXPECT_TRUE(inject_fits(errno) || errno == ENFILE) TH_LOG("%d", errno);
		} else {
			close(fd);
		}
		/* Failed requests do not count. */
		ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
		for (k = 0; k < 3; k++)
			lane_mark(&l, TYPE, n, k);
		EXPECT_EQ(3, marks(n));
		lane_close(&l);
	}
	SAY_PLACES(n, "lane", 4);
}

TEST_F_TIMEOUT(limits, places_of_reading_them, 900)
{
	char buf[65536];
	struct tape *t;
	struct lane l[3];
	int n, i, fd;
	ssize_t got;
	bool hit;

	NEEDS_FAULTS();
	ASSERT_EQ(0, lane_limit(LANE_LIMIT_PROCESS, 3 * self->whole));
	FOR_EACH_PLACE(n, hit) {
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
		t = tape_new();
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
			lane_mark(&l[i], TYPE, 1, i);
		}
		inject_arm(n);
		got = read(fd, buf, sizeof(buf));
		hit = inject_disarm();
		if (got < 0) {
			ASSERT_TRUE(hit);
			EXPECT_TRUE(inject_fits(errno)) TH_LOG("%d", errno);
		} else {
			tape_feed(t, buf, got);
		}
		EXPECT_LE(0, tape_drain(t, fd));
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(3, t->nev);
		for (i = 0; i < t->nev; i++)
			EXPECT_EQ(i, t->ev[i].nr);
		for (i = 0; i < 3; i++)
			lane_close(&l[i]);
		tape_free(t);
		close(fd);
	}
	/* For places, order, and the copy: debugging doubles the first. */
	SAY_PLACES(n, "reading lanes", 3);
}

TEST_HARNESS_MAIN
