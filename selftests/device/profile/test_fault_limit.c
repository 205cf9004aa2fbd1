// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fault_limit.c - a user whose programs crash in a loop does not wash out other events
 *
 * Each crash is recorded, or counted: the events and the counts add up to the crashes, for each
 * user. Crashes of another user and of root are recorded meanwhile.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define LIMITED	"/sys/module/devtrace_profile/parameters/faults_limited"
#define MARK	"before the crashes"
/* More than the ring has room for. */
#define CRASHES	4000
#define FEW	20
/* A number in the upper half of the range. */
#define USER	3000000000U
#define OTHER	4321

static volatile int *volatile nowhere;

/* So many programs of a user crash, one behind the other; how many did. */
static int crashes(uid_t user, int n)
{
	const struct rlimit none = { 0, 0 };
	int status, nr = 0;
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, &status, 0);
		return WIFEXITED(status) && !WEXITSTATUS(status) ? n : -1;
	}
	setrlimit(RLIMIT_CORE, &none);
	if (user && setresuid(user, user, user))
		_exit(1);
	while (nr < n) {
		pid = fork();
		if (!pid)
			*nowhere = 1;
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
			_exit(1);
		nr++;
	}
	_exit(0);
}

static unsigned long limited(void)
{
	char text[32] = "";
	int fd = open(LIMITED, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1UL;
	close(fd);
	return strtoul(text, NULL, 10);
}

/* The faults that a reader got from the stream since it was opened. */
struct told {
	int fd;
	struct tape *t;
	size_t seen;
	unsigned long crashes, limits, user, several;
};

static uint32_t element(struct tape *t, const struct tape_event *e, int n)
{
	struct devtrace_elem el = { 0 };
	size_t pos = 0;

	while (devtrace_elem_next(t->data + e->data, e->len, &pos, &el) == 1)
		if (!n--)
			return el.v.u;
	return -1U;
}

static bool look(struct told *w)
{
	if (tape_drain(w->t, w->fd) < 0 || !tape_clean(w->t) || tape_lost(w->t, -1))
		return false;
	for (; w->seen < w->t->nev; w->seen++) {
		const struct tape_event *e = &w->t->ev[w->seen];

		if (e->type != DEVTRACE_T_FAULT)
			continue;
		w->crashes += DEVTRACE_CODE_MAJOR(e->code) == DEVTRACE_FAULT_SIGNAL;
		if (DEVTRACE_CODE_MAJOR(e->code) != DEVTRACE_FAULT_LIMIT)
			continue;
		w->limits++;
		if (DEVTRACE_CODE_MINOR(e->code))
			w->several += element(w->t, e, 0);
		else if (element(w->t, e, 0) == USER)
			w->user += element(w->t, e, 1);
	}
	return true;
}

static bool begin(struct told *w, const char *param)
{
	if (dev_load(param))
		return false;
	w->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	w->t = tape_new();
	return w->fd >= 0 && w->t;
}

/* Until all that was not recorded is told; it is told once a second. */
static bool all_told(struct told *w, unsigned long before)
{
	unsigned int i;

	for (i = 0; i < 600; i++) {
		if (!look(w) || w->user + w->several > limited() - before)
			return false;
		if (w->user + w->several == limited() - before)
			return true;
		dev_sleep_ms(100);
	}
	return false;
}

FIXTURE(limit) {
	struct told w;
};

FIXTURE_SETUP(limit)
{
	memset(&self->w, 0, sizeof(self->w));
}

FIXTURE_TEARDOWN(limit)
{
	tape_free(self->w.t);
	close(self->w.fd);
	EXPECT_EQ(0, dev_done());
}

TEST_F(limit, others_stay_and_the_count_is_exact)
{
	unsigned long before;
	struct told *w = &self->w;
	int fd;

	ASSERT_TRUE(begin(w, "size=64K profile=none faults=1"));
	before = limited();
	fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(sizeof(MARK) - 1, write(fd, MARK, sizeof(MARK) - 1));
	close(fd);
	ASSERT_EQ(CRASHES, crashes(USER, CRASHES));
	/* A reader that comes now finds what was there before. */
	ASSERT_TRUE(all_told(w, before));
	EXPECT_LT(0, w->limits);
	EXPECT_EQ(0, w->several);
	EXPECT_EQ(CRASHES, w->crashes + w->user);
	EXPECT_GT(CRASHES / 2, w->crashes);
	ASSERT_LT(0, w->t->nev);
	EXPECT_EQ(DEVTRACE_T_TEXT, w->t->ev[0].type);
}

TEST_F(limit, each_user_has_room_of_its_own)
{
	struct told *w = &self->w;
	unsigned long recorded, before;

	ASSERT_TRUE(begin(w, "size=1M profile=none faults=1"));
	before = limited();
	ASSERT_EQ(400, crashes(USER, 400));
	ASSERT_TRUE(all_told(w, before));
	EXPECT_LT(0, w->user);
	recorded = w->crashes;
	ASSERT_EQ(FEW, crashes(OTHER, FEW));
	ASSERT_TRUE(look(w));
	EXPECT_EQ(recorded + FEW, w->crashes);
	/* Root is not limited. */
	ASSERT_EQ(400, crashes(0, 400));
	ASSERT_TRUE(look(w));
	EXPECT_EQ(recorded + FEW + 400, w->crashes);
}

/* A count that is not reported before faults are off is reported when they are on again. */
TEST_F(limit, counts_outlive_the_filter)
{
	struct told *w = &self->w;
	unsigned long before;

	ASSERT_TRUE(begin(w, "size=1M profile=none faults=1"));
	before = limited();
	ASSERT_EQ(400, crashes(USER, 400));
	ASSERT_EQ(0, system("tracectl profile -faults"));
	ASSERT_LT(before, limited());
	ASSERT_EQ(0, system("tracectl profile +faults"));
	ASSERT_TRUE(all_told(w, before));
	EXPECT_EQ(400, w->crashes + w->user);
}

TEST_HARNESS_MAIN
