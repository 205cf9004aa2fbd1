// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_accuracy.c - statements about the error of the wall clock
 *
 * Each reader gets each statement at its place in time, and only valid ones are accepted.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

FIXTURE(accuracy) {
	int rfd, wfd;
};

FIXTURE_SETUP(accuracy)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K names=16"));
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(accuracy)
{
	close(self->rfd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

static int state(int fd, uint64_t max, uint32_t status, const char *source)
{
	struct devtrace_accuracy a = { .max = max, .est = max / 2, .status = status };

	memcpy(a.source, source, strnlen(source, sizeof(a.source)));
	return ioctl(fd, DEVTRACE_IOC_ACCURACY, &a) ? -errno : 0;
}

static int emit(int fd)
{
	const struct devtrace_emit e = { .type = DEVTRACE_T_USER };

	return ioctl(fd, DEVTRACE_IOC_EMIT(sizeof(e)), &e);
}

/* The statements that a reader saw, and the number of events before and after it. */
struct seen {
	unsigned int events, statements;
	unsigned int at[4];		/* events before statement i */
	struct devtrace_statement said[4];
};

static int see(const struct devtrace_item *item, void *arg)
{
	struct seen *s = arg;

	s->events += item->kind == DEVTRACE_ITEM_EVENT;
	if (item->kind == DEVTRACE_ITEM_ACCURACY && s->statements < 4) {
		s->at[s->statements] = s->events;
		s->said[s->statements++] = item->u.accuracy;
	}
	return 0;
}

static void read_all(int fd, struct seen *s)
{
	struct devtrace_decoder *d = devtrace_decoder_new(see, s);
	char buf[4096];
	ssize_t n;

	memset(s, 0, sizeof(*s));
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		devtrace_decoder_feed(d, buf, (size_t)n, NULL);
	devtrace_decoder_free(d);
}

TEST_F(accuracy, comes_at_its_place_to_each_reader)
{
	struct devtrace_stats stats = { .cpu = -1 };
	struct seen old, new;
	int fd;

	ASSERT_EQ(0, emit(self->wfd));
	ASSERT_EQ(0, ioctl(self->rfd, DEVTRACE_IOC_STATS, &stats));
	EXPECT_EQ(0, state(self->rfd, 1200000, 0x2001, "ntp"));
	ASSERT_EQ(0, emit(self->wfd));
	EXPECT_EQ(0, state(self->rfd, DEVTRACE_ACCURACY_MAX, 0x41, "ptp0"));
	ASSERT_EQ(0, emit(self->wfd));
	read_all(self->rfd, &old);
	EXPECT_EQ(3, old.events);
	ASSERT_EQ(2, old.statements);
	EXPECT_EQ(1200000, old.said[0].max);
	EXPECT_EQ(600000, old.said[0].est);
	EXPECT_EQ(0x2001, old.said[0].status);
	EXPECT_STREQ("ntp", old.said[0].source);
	EXPECT_LE(stats.now, old.said[0].ts);
	EXPECT_EQ(2, old.at[1]);
	EXPECT_EQ(DEVTRACE_ACCURACY_MAX, old.said[1].max);
	EXPECT_EQ(0x41, old.said[1].status);
	EXPECT_STREQ("ptp0", old.said[1].source);
	EXPECT_LT(old.said[0].ts, old.said[1].ts);
	/* A later reader gets the same. */
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	read_all(fd, &new);
	close(fd);
	EXPECT_EQ(0, memcmp(&old, &new, sizeof(old)));
	/* The statement that applies now follows an announcement. */
	EXPECT_LE(0, ioctl(self->rfd, DEVTRACE_IOC_ANNOUNCE));
	ASSERT_EQ(0, emit(self->wfd));
	read_all(self->rfd, &old);
	ASSERT_LE(1, old.statements);
	EXPECT_EQ(0x41, old.said[old.statements - 1].status);
	EXPECT_EQ(0, old.at[old.statements - 1]);
}

/* Set the wall clock ahead by so many seconds; it is set back in the end. */
static bool set_ahead(time_t seconds)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += seconds;
	return !clock_settime(CLOCK_REALTIME, &ts);
}

static void read_afresh(struct seen *s)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	read_all(fd, s);
	close(fd);
}

/* A reader that does not get the step must not get a statement from before it either. */
TEST_F(accuracy, does_not_hold_beyond_a_step)
{
	struct seen s;

	EXPECT_EQ(0, state(self->rfd, 1000, 1, "ntp"));
	ASSERT_EQ(0, emit(self->wfd));
	ASSERT_TRUE(set_ahead(100));
	ASSERT_EQ(0, emit(self->wfd));
	read_afresh(&s);
	EXPECT_EQ(2, s.events);
	EXPECT_EQ(1, s.statements);
	ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
	read_afresh(&s);
	EXPECT_EQ(0, s.statements);
	ASSERT_EQ(0, emit(self->wfd));
	read_afresh(&s);
	EXPECT_EQ(1, s.events);
	EXPECT_EQ(0, s.statements);
	EXPECT_EQ(0, state(self->rfd, 1000, 1, "ntp"));
	ASSERT_EQ(0, emit(self->wfd));
	read_afresh(&s);
	EXPECT_EQ(1, s.statements);
	ASSERT_TRUE(set_ahead(-100));
}

TEST_F(accuracy, every_field_is_checked)
{
	struct seen s;

	EXPECT_EQ(-EBADF, state(self->wfd, 1, 1, "ntp"));
	EXPECT_EQ(-EINVAL, state(self->rfd, DEVTRACE_ACCURACY_MAX + 1, 1, "ntp"));
	EXPECT_EQ(-EINVAL, state(self->rfd, ~0ULL, 1, "ntp"));
	EXPECT_EQ(-EINVAL, state(self->rfd, 1, 0x10000, "ntp"));
	EXPECT_EQ(-EINVAL, state(self->rfd, 1, 1, ""));
	EXPECT_EQ(-EINVAL, state(self->rfd, 1, 1, "NTP"));
	EXPECT_EQ(-EINVAL, state(self->rfd, 1, 1, "a b"));
	EXPECT_EQ(-EINVAL, state(self->rfd, 1, 1, "123456789012"));
	EXPECT_EQ(-1, ioctl(self->rfd, DEVTRACE_IOC_ACCURACY, (void *)1));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, state(self->rfd, DEVTRACE_ACCURACY_MAX, 0xffff, "a-z.0-9.123"));
	ASSERT_EQ(0, emit(self->wfd));
	read_all(self->rfd, &s);
	ASSERT_EQ(1, s.statements);
	EXPECT_STREQ("a-z.0-9.123", s.said[0].source);
	EXPECT_EQ(0xffff, s.said[0].status);
}

/* As root of a user namespace whose ids are those outside: state it. Return the result. */
static int as_root_of_a_namespace(int fd)
{
	if (unshare(CLONE_NEWUSER))
		return -ENOSYS;
	if (dev_write_file("/proc/self/setgroups", "deny") ||
	    dev_write_file("/proc/self/uid_map", "0 0 1") ||
	    dev_write_file("/proc/self/gid_map", "0 0 1") || geteuid())
		return -ESRCH;
	return state(fd, 1, 1, "ntp");
}

/* It cannot set the clock either. */
TEST_F(accuracy, root_of_a_user_namespace_may_not)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(-as_root_of_a_namespace(self->rfd));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == ENOSYS)
		SKIP(return, "the kernel has no user namespaces");
	EXPECT_EQ(EPERM, WEXITSTATUS(status));
}

TEST_F(accuracy, only_root_may_state_it)
{
	struct seen s;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(setuid(65534) ? 1 : state(self->rfd, 1, 1, "ntp") != -EPERM);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, emit(self->wfd));
	read_all(self->rfd, &s);
	EXPECT_EQ(1, s.events);
	EXPECT_EQ(0, s.statements);
}

TEST_HARNESS_MAIN
