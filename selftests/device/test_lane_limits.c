// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_limits.c - how much memory lanes may have, and what goes when it is needed
 *
 * Of a process, of a user, of all, and 4096 in number. Beyond that a program gets
 * ENOSPC, unless a lane is dead: the oldest of these goes, and a reader that has
 * it open is told how many events it did not read. Every place where memory is
 * allocated fails once, on a kernel that can do so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "inject.h"
#include "lanes.h"

#define TYPE	DEVTRACE_T_USER
#define MANY	4096

FIXTURE(limits) {
	int		wfd;
	uint32_t	whole;		/* what the smallest lane counts for */
};

FIXTURE_SETUP(limits)
{
	dev_seed();
	inject_begin();
	ASSERT_EQ(0, dev_load("size=256K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->whole = DEVTRACE_LANE_MIN + 2 * sysconf(_SC_PAGESIZE);
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

static int set_bytes(const char *name, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	return set(name, text);
}

/* As many bytes as asked for were had; 0: none, and errno. */
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
		{ 0, 64 << 10 },
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

	ASSERT_EQ(0, set("lane_process", "64M"));
	ASSERT_EQ(0, set("lane_user", "64M"));
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
		{ "1", DEVTRACE_LANE_MIN }, { "100K", 128 << 10 }, { "0x20000", 128 << 10 },
		{ "1G", DEVTRACE_LANE_MAX }, { "64K\n", 64 << 10 },
	};
	char text[64];
	int i;

	ASSERT_EQ(0, set("lane_process", "64M"));
	ASSERT_EQ(0, set("lane_user", "64M"));
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT_EQ(0, set("lane_size", good[i].text));
		EXPECT_EQ(good[i].got, try_size(self->wfd, 0)) TH_LOG("%s", good[i].text);
	}
	for (i = 1; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-1, set("lane_size", bad[i])) TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(64 << 10, try_size(self->wfd, 0));
	/* None, if the program leaves it to the administrator */
	EXPECT_EQ(0, set("lane_size", "0"));
	EXPECT_EQ(0, try_size(self->wfd, 0));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(DEVTRACE_LANE_MIN, try_size(self->wfd, DEVTRACE_LANE_MIN));

	close(self->wfd);
	ASSERT_EQ(0, dev_unload());
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "lane_all=%s", bad[i]);
		EXPECT_EQ(-1, dev_load_file("devtrace.ko", text)) TH_LOG("%s", text);
		EXPECT_EQ(EINVAL, errno);
	}
	ASSERT_EQ(0, dev_load("lane_size=32K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(DEVTRACE_LANE_MIN, try_size(self->wfd, 0));
}

/* Each of three lanes by its tag, or -1 for the stream. */
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

TEST_F(limits, oldest_dead_lane_goes_and_is_told)
{
	struct lane l[4];
	struct tape *t = tape_new();
	int fd, i, k, source[4];

	ASSERT_EQ(0, set_bytes("lane_process", 3 * self->whole));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
		source[i] = l[i].head->source;
		for (k = 0; k < 10; k++)
			lane_mark(&l[i], TYPE, i, k);
	}
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_EQ(30, t->nev);
	for (i = 0; i < 3; i++)
		for (k = 0; k < 100 * (i + 1); k++)
			lane_mark(&l[i], TYPE, i, 10 + k);
	/* All live: there is no room. */
	EXPECT_EQ(-1, lane_open(&l[3], self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(ENOSPC, errno);
	/* Two die, and not in the order in which they were made. */
	lane_close(&l[1]);
	lane_close(&l[0]);
	EXPECT_EQ(110, marks(0));
	EXPECT_EQ(210, marks(1));
	ASSERT_EQ(0, lane_open(&l[3], self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(110, marks(0));
	EXPECT_EQ(0, marks(1));
	EXPECT_EQ(310, marks(2));
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(30 + 100 + 300, t->nev);
	EXPECT_EQ(200, t->lost[source[1]][DEVTRACE_LOST_OVERWRITTEN]);
	EXPECT_EQ(200, tape_lost(t, -1));
	lane_close(&l[2]);
	lane_close(&l[3]);
	tape_free(t);
	close(fd);
}

/* What a reader had copied before it went is read; the rest is told. */
TEST_F(limits, lane_that_goes_under_a_reader)
{
	struct tape *t = tape_new();
	char buf[64];
	struct lane l;
	int fd, i;
	uint16_t source;

	ASSERT_EQ(0, set_bytes("lane_process", self->whole));
	ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
	source = l.head->source;
	for (i = 0; i < 1500; i++)
		lane_mark(&l, TYPE, 1, i);
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(sizeof(buf), read(fd, buf, sizeof(buf)));
		tape_feed(t, buf, sizeof(buf));
	}
	lane_close(&l);
	ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
	lane_close(&l);
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_LT(100, t->nev);
	EXPECT_GT(1000, t->nev);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i, t->ev[i].nr);
	EXPECT_EQ(1500, t->nev + t->lost[source][DEVTRACE_LOST_OVERWRITTEN]);
	tape_free(t);
	close(fd);
}

/* One that was open but did not look meanwhile has missed it as well. */
TEST_F(limits, lane_that_came_and_went)
{
	struct tape *t = tape_new();
	uint64_t cleared = 0;
	struct lane l;
	int fd, i, k;

	ASSERT_EQ(0, set_bytes("lane_process", self->whole));
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
	EXPECT_EQ(100, t->nev);
	EXPECT_EQ(200, tape_lost(t, -1));
	for (i = 0; i < DEV_CPUS; i++)
		cleared += t->lost[i][DEVTRACE_LOST_CLEARED];
	EXPECT_EQ(60, cleared);
	tape_free(t);
	close(fd);
}

/* How many lanes a user gets; they end with the process. */
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

	ASSERT_EQ(0, set_bytes("lane_process", 3 * self->whole));
	EXPECT_EQ(3, lanes_of(0, self->wfd));
	EXPECT_EQ(3, lanes_of(1234, self->wfd));
	/* What was never mapped is dead as well, once nobody has it. */
	EXPECT_EQ(3, lanes_of(1234, self->wfd));
	ASSERT_EQ(0, set_bytes("lane_process", 100 * self->whole));
	ASSERT_EQ(0, set_bytes("lane_user", 5 * self->whole));
	EXPECT_EQ(5, lanes_of(1234, self->wfd));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, lane_open(&l[i], self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(0, lanes_of(0, self->wfd));
	EXPECT_EQ(5, lanes_of(1235, self->wfd));
	/* There are five that live, and five of another user that are dead. */
	ASSERT_EQ(0, set_bytes("lane_all", 9 * self->whole));
	EXPECT_EQ(4, lanes_of(1236, self->wfd));
	ASSERT_EQ(0, set_bytes("lane_all", 5 * self->whole));
	EXPECT_EQ(0, lanes_of(1236, self->wfd));
	for (i = 0; i < 5; i++)
		lane_close(&l[i]);
	EXPECT_EQ(5, lanes_of(1236, self->wfd));
	EXPECT_EQ(0, set("lane_all", "0"));
	EXPECT_EQ(0, lanes_of(0, self->wfd));
}

TEST_F_TIMEOUT(limits, as_many_as_there_can_be, 1500)
{
	struct lane *l = calloc(MANY, sizeof(*l)), more;
	struct tape *t;
	int n, i;

	ASSERT_NE(NULL, l);
	ASSERT_EQ(0, set("lane_process", "1G"));
	ASSERT_EQ(0, set("lane_user", "1G"));
	ASSERT_EQ(0, set("lane_all", "1G"));
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
	/* One dies and goes. */
	lane_close(&l[17]);
	EXPECT_EQ(0, lane_open(&l[17], self->wfd, DEVTRACE_LANE_MIN));
	EXPECT_EQ(MANY - 1, marks(1));
	while (n--)
		lane_close(&l[n]);
	free(l);
}

/* Blocks are counted modulo 2^32. */
TEST_F(limits, numbers_of_blocks_begin_again)
{
	static const char * const starts[] = {
		"start=0xfffffff0 lane_size=32K", "start=0xfffffffe lane_size=32K",
		"start=0xffffffff lane_size=32K",
	};
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
		for (nr = 0; nr < 10000;) {
			/* up to more than the lane holds */
			for (k = dev_random() % 2800; k-- && nr < 10000;)
				lane_mark(&l, TYPE, 1, nr++);
			EXPECT_LE(0, tape_drain(t, fd));
		}
		EXPECT_GT(40, l.n);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(10000, t->nev + tape_lost(t, l.head->source));
		for (k = 0, next = 0; k < t->nev; k++) {
			EXPECT_LE(next, t->ev[k].nr);
			next = t->ev[k].nr + 1;
		}
		EXPECT_EQ(10000, next);
		EXPECT_LT(7000, t->nev);
		tape_free(t);
		close(fd);
		/* The last blocks, for who comes now, and since a time */
		t = tape_all(4096);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_LT(1700, t->nev);
		EXPECT_EQ(9999, t->ev[t->nev - 1].nr);
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
	ASSERT_EQ(0, set_bytes("lane_process", 2 * self->whole));
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
		/* None that could not be had is counted. */
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
	/* Those of the round before go. */
	ASSERT_EQ(0, set_bytes("lane_process", 3 * self->whole));
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
	SAY_PLACES(n, "reading lanes", 6);
}

TEST_HARNESS_MAIN
