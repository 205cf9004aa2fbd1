// SPDX-License-Identifier: GPL-2.0-only
/* test_clear.c - the right to clear the buffer, the ways to do it, and the report to readers */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define USER	1234
#define GROUP	4321

FIXTURE(device) {
	int wfd;
};

FIXTURE_SETUP(device)
{
	char params[64];
	int i;

	dev_seed();
	snprintf(params, sizeof(params), "size=64K mode=0660 gid=%d", GROUP);
	ASSERT_EQ(0, dev_load(params));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	dev_sleep_ms(5);
}

FIXTURE_TEARDOWN(device)
{
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* Number of events that a new reader gets. */
static size_t events(void)
{
	struct tape *t = tape_all(65536);
	size_t n = t ? t->nev : SIZE_MAX;

	if (t && !tape_clean(t))
		n = SIZE_MAX;
	tape_free(t);
	return n;
}

TEST_F(device, truncating_clears_at_close)
{
	int fd = open(DEV_PATH, O_WRONLY | O_TRUNC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(100, events());
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(0, events());
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 2, 0));
	dev_sleep_ms(5);
	EXPECT_EQ(1, events());
}

/* Events of a lane, taken or not, and dropped ones. */
TEST_F(device, lanes_are_cleared_too)
{
	struct devtrace_stats st[2];
	struct lane l, later;
	struct tape *t;
	int rfd, fd, i;

	rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, rfd);
	t = tape_new();
	ASSERT_LT(0, tape_drain(t, rfd));
	ASSERT_EQ(100, t->nev);
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	for (i = 0; i < 40; i++)
		lane_mark(&l, DEVTRACE_T_USER, 2, i);
	ASSERT_EQ(0, lane_hand(&l));
	ASSERT_LT(0, tape_drain(t, rfd));
	ASSERT_EQ(140, t->nev);
	for (; i < 70; i++)
		lane_mark(&l, DEVTRACE_T_USER, 2, i);
	ASSERT_EQ(0, lane_hand(&l));
	for (; i < 75; i++)
		lane_mark(&l, DEVTRACE_T_USER, 2, i);
	ASSERT_EQ(0, dev_stats(-1, &st[0]));
	EXPECT_EQ(175, st[0].stored);
	fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(175, events());
	for (; i < 90; i++)
		lane_mark(&l, DEVTRACE_T_USER, 2, i);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(0, events());
	/* This is no loss of the buffer: the counts stay. */
	ASSERT_EQ(0, dev_stats(-1, &st[1]));
	EXPECT_EQ(190, st[1].stored);
	EXPECT_EQ(0, st[1].overwritten);
	/* A reader of some of them is told of the rest; this lane and a new one go on. */
	lane_mark(&l, DEVTRACE_T_USER, 3, 0);
	ASSERT_EQ(0, lane_open(&later, self->wfd, 0));
	lane_mark(&later, DEVTRACE_T_USER, 3, 1);
	ASSERT_LT(0, tape_drain(t, rfd));
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(142, t->nev);
	EXPECT_EQ(3, t->ev[140].tag);
	EXPECT_EQ(3, t->ev[141].tag);
	EXPECT_EQ(50, t->lost[l.head->source][DEVTRACE_LOST_CLEARED]);
	EXPECT_EQ(50, tape_lost(t, -1));
	EXPECT_EQ(2, events());
	/* After their end there is still something to clear. */
	lane_close(&l);
	lane_close(&later);
	EXPECT_EQ(2, events());
	fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(0, events());
	tape_free(t);
	close(rfd);
}

TEST_F(device, shells_clear_and_do_not)
{
	EXPECT_EQ(0, system("echo text > " DEV_PATH));
	EXPECT_EQ(101, events());
	EXPECT_EQ(0, system("echo text >> " DEV_PATH));
	EXPECT_EQ(102, events());
	EXPECT_EQ(0, system(": >> " DEV_PATH));
	EXPECT_EQ(102, events());
	EXPECT_EQ(0, system(": > " DEV_PATH));
	EXPECT_EQ(0, events());
}

/* trace(4): neither clears it, and open descriptors go on. */
TEST_F(device, truncate_and_unlink_do_not_clear)
{
	struct stat st;

	EXPECT_EQ(-1, ftruncate(self->wfd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, truncate(DEV_PATH, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(100, events());
	ASSERT_EQ(0, fstat(self->wfd, &st));
	ASSERT_EQ(0, unlink(DEV_PATH));
	EXPECT_EQ(-1, access(DEV_PATH, F_OK));
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 2, 0));
	/* As mknod(1) with the numbers in /sys. */
	ASSERT_EQ(0, mknod(DEV_PATH, st.st_mode, st.st_rdev));
	dev_sleep_ms(5);
	EXPECT_EQ(101, events());
	/* This node would stay after an unload, and prevent a new one. */
	EXPECT_EQ(0, unlink(DEV_PATH));
}

TEST_F(device, what_was_emitted_is_not_cleared)
{
	struct devtrace_dict d = { .kind = DEVTRACE_T_OBJ, .key = 1, .name = "x" };
	int fd, fd2, how;

	for (how = 0; how < 3; how++) {
		fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(how == 1, how == 0 ? dev_emit_mark(fd, DEVTRACE_T_USER, 1, 1) :
				    how == 1 ? write(fd, "x", 1) :
					       ioctl(fd, DEVTRACE_IOC_DICT, &d));
		EXPECT_EQ(0, close(fd));
	}
	dev_sleep_ms(5);
	EXPECT_EQ(102, events());
	/* the last close counts, not that of a duplicate */
	fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
	fd2 = dup(fd);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(102, events());
	EXPECT_EQ(0, close(fd2));
	EXPECT_EQ(0, events());
	/* O_TRUNC without write access has no effect */
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 2, 0));
	fd = open(DEV_PATH, O_RDONLY);
	EXPECT_EQ(0, close(fd));
	dev_sleep_ms(5);
	EXPECT_EQ(1, events());
}

TEST_F(device, by_ioctl)
{
	int fd = open(DEV_PATH, O_RDONLY);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
	EXPECT_EQ(0, events());
	close(fd);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 2, 0));
	EXPECT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
	EXPECT_EQ(0, events());
}

/* Become a user of the group, with exactly these capabilities. */
static int become_user(uint32_t caps)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { { 0 } };

	if (setgroups(0, NULL) || setresgid(GROUP, GROUP, GROUP))
		return -1;
	if (caps) {
		/* CAP_SYSLOG is 34, CAP_PERFMON 38: in the second word */
		d[1].permitted = d[1].effective = caps;
		d[0].permitted = d[0].effective = 1 << CAP_SETUID;
		/* keep them over the change */
		if (syscall(SYS_prctl, 8 /* PR_SET_KEEPCAPS */, 1, 0, 0, 0) ||
		    setresuid(USER, USER, USER))
			return -1;
		d[0].permitted = d[0].effective = 0;
		return syscall(SYS_capset, &h, d);
	}
	return setresuid(USER, USER, USER);
}

/* Exit status of a child with this user: a bit for each success. */
enum { OPENED = 1, WROTE = 2, CLOSED = 4, IOCTL = 8, CLEARED = 16 };

static int try_as_user(uint32_t caps)
{
	int status, fd, did = 0;
	pid_t pid = fork();

	if (!pid) {
		if (become_user(caps))
			_exit(64);
		fd = open(DEV_PATH, O_WRONLY);
		if (fd >= 0) {
			did |= OPENED;
			if (!dev_emit_mark(fd, DEVTRACE_T_USER, 3, 3))
				did |= WROTE;
			if (!ioctl(fd, DEVTRACE_IOC_CLEAR))
				did |= IOCTL;
			else if (errno != EPERM)
				_exit(65);
			close(fd);
		}
		fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
		if (fd >= 0) {
			if (!close(fd))
				did |= CLOSED;
			else if (errno != EPERM)
				_exit(66);
		}
		_exit(did);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(device, needs_more_than_write_access)
{
	EXPECT_EQ(OPENED | WROTE, try_as_user(0));
	dev_sleep_ms(5);
	EXPECT_EQ(101, events());
}

TEST_F(device, cap_syslog_will_do)
{
	EXPECT_EQ(OPENED | WROTE | IOCTL | CLOSED, try_as_user(1 << (CAP_SYSLOG - 32)));
	EXPECT_EQ(0, events());
}

TEST_F(device, cap_perfmon_will_do)
{
	EXPECT_EQ(OPENED | WROTE | IOCTL | CLOSED, try_as_user(1 << (38 - 32)));
	EXPECT_EQ(0, events());
}

#ifdef SYS_setresuid32
#define SET_UID	SYS_setresuid32
#define SET_GID	SYS_setresgid32
#else
#define SET_UID	SYS_setresuid
#define SET_GID	SYS_setresgid
#endif

struct other {
	int fd;		/* to close, or -1: to open */
	int err;
};

/* A thread may change its user alone; descriptors are shared. */
static void *as_user(void *arg)
{
	struct other *o = arg;

	if (syscall(SET_GID, GROUP, GROUP, GROUP) || syscall(SET_UID, USER, USER, USER)) {
		o->err = errno;
	} else if (o->fd < 0) {
		o->fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
		o->err = o->fd < 0 ? errno : 0;
	} else {
		o->err = close(o->fd) ? errno : 0;
	}
	return NULL;
}

/* The opener's rights count: root cannot be tricked into a clear by closing it. */
TEST_F(device, the_opener_decides_whoever_closes)
{
	struct other o = { .fd = -1 };
	pthread_t th;
	int status, fd;
	pid_t pid;

	ASSERT_EQ(0, pthread_create(&th, NULL, as_user, &o));
	pthread_join(th, NULL);
	ASSERT_EQ(0, o.err);
	EXPECT_EQ(-1, close(o.fd));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(100, events());
	/* it is closed all the same */
	EXPECT_EQ(-1, fcntl(o.fd, F_GETFD));

	/* exit without close: the buffer stays too */
	pid = fork();
	if (!pid) {
		if (become_user(0))
			_exit(1);
		fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
		_exit(fd < 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(100, events());

	o.fd = open(DEV_PATH, O_WRONLY | O_TRUNC);
	ASSERT_EQ(0, pthread_create(&th, NULL, as_user, &o));
	pthread_join(th, NULL);
	EXPECT_EQ(0, o.err);
	EXPECT_EQ(0, events());
}

TEST_F(device, readers_are_told_how_many)
{
	int fd[3], i;
	struct tape *t[3];
	uint8_t part[1000];
	size_t had;

	for (i = 0; i < 3; i++) {
		fd[i] = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
		ASSERT_LE(0, fd[i]);
		t[i] = tape_new();
	}
	/* one has read nothing, one some, one everything */
	ASSERT_EQ(sizeof(part), read(fd[1], part, sizeof(part)));
	tape_feed(t[1], part, sizeof(part));
	had = t[1]->nev;
	ASSERT_LT(0, had);
	ASSERT_LT(0, tape_drain(t[2], fd[2]));
	ASSERT_EQ(100, t[2]->nev);

	ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
	for (i = 0; i < 50; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 2, i));
	dev_sleep_ms(5);
	for (i = 0; i < 3; i++) {
		uint64_t cleared = 0, other = 0;
		int c, k;

		ASSERT_LT(0, tape_drain(t[i], fd[i]));
		EXPECT_TRUE(tape_clean(t[i]));
		for (c = 0; c < DEV_CPUS; c++)
			for (k = 0; k < DEVTRACE_LOST_CAUSES; k++)
				*(k == DEVTRACE_LOST_CLEARED ? &cleared : &other) +=
					t[i]->lost[c][k];
		EXPECT_EQ(0, other);
		EXPECT_EQ(150, t[i]->nev + cleared);
		/* frames made before may still come */
		EXPECT_LE(i == 0 ? 100 : i == 1 ? 90 - had : 0, cleared);
		EXPECT_GE(i == 2 ? 0 : 100, cleared);
		/* all new ones are present */
		EXPECT_EQ(2, t[i]->ev[t[i]->nev - 50].tag);
		EXPECT_EQ(0, t[i]->ev[t[i]->nev - 50].nr);
	}
	/* Events before the clear are unreachable, and not reported as lost. */
	for (i = 0; i < 3; i++) {
		size_t n = t[i]->nev;
		uint64_t lost = tape_lost(t[i], -1);

		ASSERT_EQ(0, lseek(fd[i], 0, i == 1 ? SEEK_DATA : SEEK_SET));
		ASSERT_LT(0, tape_drain(t[i], fd[i]));
		EXPECT_EQ(50, t[i]->nev - n);
		EXPECT_EQ(lost, tape_lost(t[i], -1));
		ASSERT_EQ(1, lseek(fd[i], 1, SEEK_SET));
		ASSERT_LT(0, tape_drain(t[i], fd[i]));
		EXPECT_EQ(100, t[i]->nev - n);
		tape_free(t[i]);
		close(fd[i]);
	}
}

/* Clear while all write and read: the counts still add up. */

struct live_reader {
	int fd;
	struct tape *t;
	pthread_t thread;
	bool failed;
};

static atomic_bool quiet;

static void *read_on(void *arg)
{
	struct live_reader *r = arg;
	bool last;

	do {
		last = quiet;
		if (tape_drain(r->t, r->fd) < 0)
			r->failed = true;
		if (!last)
			dev_sleep_ms(dev_random() % 20);
	} while (!last);
	return NULL;
}

TEST_F(device, events_read_lost_and_cleared_add_up)
{
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], want;
	struct devtrace_stats st;
	struct live_reader r[2];
	struct tape *t;
	int c, i, k;

	ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
	ASSERT_EQ(0, dev_load_writers(""));
	for (i = 0; i < 2; i++) {
		r[i] = (struct live_reader){
			.fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK), .t = tape_new(),
		};
		ASSERT_LE(0, r[i].fd);
		ASSERT_EQ(0, pthread_create(&r[i].thread, NULL, read_on, &r[i]));
	}
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < 100; i++) {
		dev_sleep_ms(dev_random() % 30);
		ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
	}
	ASSERT_EQ(0, dev_writers_run(false));
	ASSERT_EQ(0, dev_writers_counts(counts));
	dev_sleep_ms(20);
	quiet = true;
	for (i = 0; i < 2; i++)
		pthread_join(r[i].thread, NULL);
	for (i = 0; i < 2; i++)
		close(r[i].fd);
	for (c = 0; c < DEV_CPUS; c++) {
		for (want = 0, k = 0; k < DTTEST_CLASSES; k++)
			want += counts[c][k];
		if (!want)
			continue;
		for (i = 0; i < 2; i++)
			EXPECT_EQ(want, r[i].t->read[c] + tape_lost(r[i].t, c));
		ASSERT_EQ(0, dev_stats(c, &st));
		EXPECT_LE(want, st.emitted);
	}
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(tape_clean(r[i].t));
		EXPECT_FALSE(r[i].failed);
		for (want = 0, c = 0; c < DEV_CPUS; c++)
			want += r[i].t->lost[c][DEVTRACE_LOST_CLEARED];
		dev_say("reader %d: %zu read, %llu lost, %llu of them cleared", i,
			r[i].t->nev, (unsigned long long)tape_lost(r[i].t, -1),
			(unsigned long long)want);
		EXPECT_LT(0, want);
	}
	/* and a new reader finds only events after the last clear */
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	tape_free(t);
}

TEST_HARNESS_MAIN
