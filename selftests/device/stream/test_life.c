// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_life.c - loading and unloading the module under load, and steps of the wall clock
 *
 * LIFE_CYCLES is the number of load cycles (default 20). Several processes open the device,
 * emit, read, map, send netlink requests and close, without knowing whether the module is
 * loaded. The events emitted between load and unload are those that the module counts and those
 * that can be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define USERS		3
#define ENOUGH		20		/* least number of events per cycle */
#define STEPS		5
#define MARKS		64
#define LIMIT_NS	300000000LL	/* largest error of a date, see mark() */

/* Shared by the processes. */
struct life {
	atomic_int pause, resting, bad;
	atomic_ulong emitted;		/* in this cycle */
	atomic_ulong opened, refused;
};

FIXTURE(life) {
	struct life *l;
	pid_t users[USERS];
	int cycles;
};

static bool no_device(int err)
{
	return err == ENOENT || err == ENXIO || err == ENODEV;
}

/*
 * The descriptor holds devtrace.ko but not its control part, which may be unloaded after the
 * family was found. Then the family does not exist, or refuses requests.
 */
static bool no_control(int err)
{
	return err == -ENOENT || err == -EPROTONOSUPPORT;
}

static void use(struct life *l, int fd, uint32_t who, uint32_t *nr)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static struct nl nl;
	char buf[300];
	void *page;
	int i, err, n = 1 + dev_random() % 8;

	for (i = 0; i < n; i++) {
		/* Counted while the open descriptor holds the module. */
		if (dev_emit_mark(fd, DEVTRACE_T_USER, who, ++*nr))
			l->bad = errno;
		else
			l->emitted++;
	}
	switch (dev_random() % 4) {
	case 0:
		if (read(fd, buf, sizeof(buf)) < 0 && errno != EAGAIN)
			l->bad = errno;
		break;
	case 1:
		poll(&p, 1, 1);
		break;
	case 2:
		page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
		if (page == MAP_FAILED)
			l->bad = errno;
		else
			munmap(page, getpagesize());
		break;
	default:
		if (nl_open(&nl))
			break;
		nl_begin(&nl, DEVTRACE_CMD_STATS_GET);
		err = nl_dump(&nl, NULL, NULL);
		if (err && !no_control(err))
			l->bad = -err;
		nl_close(&nl);
		break;
	}
}

static void user(struct life *l, uint32_t who)
{
	uint32_t nr = 0;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dev_random_as(who);
	for (;;) {
		if (l->pause) {
			l->resting++;
			while (l->pause)
				usleep(1000);
			l->resting--;
		}
		fd = open(DEV_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0) {
			l->opened++;
			use(l, fd, who, &nr);
			close(fd);
		} else {
			l->refused++;
			if (!no_device(errno))
				l->bad = errno;
		}
		usleep(dev_random() % 3000);
	}
}

FIXTURE_SETUP(life)
{
	const char *c = getenv("LIFE_CYCLES");
	int i;

	dev_seed();
	self->cycles = c && *c ? atoi(c) : 20;
	ASSERT_EQ(0, dev_unload());
	self->l = mmap(NULL, sizeof(*self->l), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	ASSERT_NE(MAP_FAILED, self->l);
	for (i = 0; i < USERS; i++) {
		self->users[i] = fork();
		ASSERT_LE(0, self->users[i]);
		if (!self->users[i])
			user(self->l, i);
	}
}

FIXTURE_TEARDOWN(life)
{
	int i;

	for (i = 0; i < USERS; i++) {
		kill(self->users[i], SIGKILL);
		waitpid(self->users[i], NULL, 0);
	}
	EXPECT_EQ(0, self->l->bad) TH_LOG("%s", strerror(self->l->bad));
	munmap(self->l, sizeof(*self->l));
	EXPECT_EQ(0, dev_done());
}

static bool used_enough(struct life *l)
{
	int tries;

	for (tries = 0; tries < 60000 && l->emitted < ENOUGH; tries++)
		usleep(1000);
	return l->emitted >= ENOUGH;
}

/* Events written, by users and a driver, are those counted and those read. */
static void account(struct __test_metadata *_metadata, struct life *l, bool driver)
{
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], sum;
	struct devtrace_stats st;
	struct tape *t;
	int c, k;

	l->pause = 1;
	ASSERT_TRUE(dev_wait_for(&l->resting, USERS));
	sum = l->emitted;
	if (driver) {
		ASSERT_EQ(0, dev_load_writers("max_len=0"));
		ASSERT_EQ(0, dev_writers_run(true));
		dev_sleep_ms(5);
		ASSERT_EQ(0, dev_writers_run(false));
		ASSERT_EQ(0, dev_writers_counts(counts));
		for (c = 0; c < DEV_CPUS; c++)
			for (k = 0; k < DTTEST_CLASSES; k++)
				sum += counts[c][k];
		ASSERT_EQ(0, dev_unload_one("dttest"));
	}
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(sum, st.emitted);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(sum, t->nev + tape_lost(t, -1));
	tape_free(t);
	l->pause = 0;
	ASSERT_TRUE(dev_wait_for(&l->resting, 0));
}

TEST_F_TIMEOUT(life, the_module_comes_and_goes_under_its_users, 3000)
{
	struct life *l = self->l;
	uint64_t busy = 0;
	char params[64];
	int i, tries;

	for (i = 0; i < self->cycles; i++) {
		/* The module is unloaded: there are no descriptors, and everything is counted. */
		l->emitted = 0;
		snprintf(params, sizeof(params), "size=%dK", 1 << dev_random() % 8);
		ASSERT_EQ(0, dev_load_file("devtrace.ko", params));
		ASSERT_EQ(0, dev_load_rest(""));
		ASSERT_TRUE(used_enough(l));
		if (i % 2)
			account(_metadata, l, i % 8 == 7);
		for (tries = 0; tries < 30000; tries++) {
			if (!dev_unload_one("devtrace"))
				break;
			ASSERT_TRUE(errno == EAGAIN || errno == EBUSY);
			busy++;
			usleep(dev_random() % 1000);
		}
		ASSERT_GT(30000, tries);
		ASSERT_EQ(0, l->bad);
	}
	dev_say("%d lives; opened %llu times, not there %llu times, in use %llu times", i,
		(unsigned long long)l->opened, (unsigned long long)l->refused,
		(unsigned long long)busy);
	EXPECT_LT(0, l->refused);
}

/* The wall clock. */
FIXTURE(wall) {
	int64_t ahead;		/* wall clock minus CLOCK_MONOTONIC at the begin */
	int fd, reader;
	/* Wall clock before and after each mark, and its allowed error. */
	int64_t before[MARKS], after[MARKS], allowed[MARKS];
	int64_t last;		/* CLOCK_MONOTONIC of the previous mark */
	bool sure[MARKS];
	int n;
};

static int64_t clock_ns(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * (int64_t)NSEC + t.tv_nsec;
}

static int set_real(int64_t ns)
{
	const struct timespec t = { .tv_sec = ns / (int64_t)NSEC, .tv_nsec = ns % (int64_t)NSEC };

	return clock_settime(CLOCK_REALTIME, &t);
}

static int set_tick(long tick)
{
	struct timex t = { .modes = ADJ_TICK, .tick = tick };

	return adjtimex(&t) < 0 ? -1 : 0;
}

FIXTURE_SETUP(wall)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	self->fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	self->reader = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->reader);
	self->last = clock_ns(CLOCK_MONOTONIC);
	self->ahead = clock_ns(CLOCK_REALTIME) - self->last;
	self->n = 0;
}

FIXTURE_TEARDOWN(wall)
{
	set_tick(10000);
	EXPECT_EQ(0, set_real(self->ahead + clock_ns(CLOCK_MONOTONIC)));
	close(self->reader);
	close(self->fd);
	EXPECT_EQ(0, dev_done());
}

/*
 * Emit a mark, whose date must be right if @sure. While the clock is a tenth too fast, a date is
 * wrong by a tenth of the time since the last sample, which no event triggers if the board stood
 * still.
 */
static int mark(FIXTURE_DATA(wall) *self, bool sure)
{
	const int n = self->n;
	int64_t now;
	int ret;

	if (n == MARKS)
		return -1;
	now = clock_ns(CLOCK_MONOTONIC);
	self->before[n] = clock_ns(CLOCK_REALTIME);
	ret = dev_emit_mark(self->fd, DEVTRACE_T_USER, 0, n);
	self->after[n] = clock_ns(CLOCK_REALTIME);
	self->allowed[n] = LIMIT_NS + (now - self->last) / 10;
	self->sure[n] = sure;
	self->last = now;
	self->n++;
	return ret;
}

struct dates {
	const FIXTURE_DATA(wall) *wall;
	int checked, wrong;
	int64_t worst;
};

static void look_at_date(struct tape *t, const struct devtrace_item *i)
{
	struct dates *d = t->arg;
	struct tape_event *e = &t->ev[t->nev - 1];
	int64_t real, off;

	if (i->kind != DEVTRACE_ITEM_EVENT || !t->nev || e->nr >= (uint32_t)d->wall->n ||
	    !d->wall->sure[e->nr])
		return;
	d->checked++;
	if (!devtrace_decoder_real(t->d, e->ts, &real)) {
		d->wrong++;
		return;
	}
	off = real < d->wall->before[e->nr] ? d->wall->before[e->nr] - real :
	      real > d->wall->after[e->nr] ? real - d->wall->after[e->nr] : 0;
	d->wrong += off > d->wall->allowed[e->nr];
	if (off > d->worst)
		d->worst = off;
}

static struct tape *dated_tape(struct dates *d, const FIXTURE_DATA(wall) *wall)
{
	struct tape *t = tape_new();

	memset(d, 0, sizeof(*d));
	d->wall = wall;
	if (t) {
		t->arg = d;
		t->each = look_at_date;
	}
	return t;
}

/* For a permanent reader and for a new one. */
static void check_dates(struct __test_metadata *_metadata, FIXTURE_DATA(wall) *self,
			struct tape *live, struct dates *at_once)
{
	int sure = 0, i, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct dates later;
	struct tape *t = dated_tape(&later, self);

	ASSERT_LE(0, fd);
	for (i = 0; i < self->n; i++)
		sure += self->sure[i];
	dev_sleep_ms(20);
	ASSERT_LE(0, tape_drain(live, self->reader));
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(live));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(self->n, live->nev);
	EXPECT_EQ(self->n, t->nev);
	EXPECT_EQ(sure, at_once->checked);
	EXPECT_EQ(sure, later.checked);
	dev_say("%d dates; the worst %lld us off for the reader before, %lld us for one after", sure,
		(long long)at_once->worst / 1000, (long long)later.worst / 1000);
	EXPECT_EQ(0, at_once->wrong);
	EXPECT_EQ(0, later.wrong);
	tape_free(t);
	close(fd);
}

/*
 * The clock is sampled once a second, with an event: an event within a second of a step may have
 * the old date; later ones have the new one.
 */
TEST_F(wall, dates_follow_when_the_clock_is_set)
{
	static const int64_t steps[STEPS] = { 3600, -7200, 40000000, -13, 25 };
	struct dates at_once;
	struct tape *live = dated_tape(&at_once, self);
	int i, k;

	ASSERT_NE(NULL, live);
	ASSERT_EQ(0, mark(self, true));
	for (i = 0; i < STEPS; i++) {
		ASSERT_EQ(0, set_real(clock_ns(CLOCK_REALTIME) + steps[i] * (int64_t)NSEC));
		dev_sleep_ms(1100);
		ASSERT_EQ(0, mark(self, false));
		for (k = 0; k < 3; k++)
			ASSERT_EQ(0, mark(self, true));
		/* Half of the steps are between two reads. */
		if (i % 2)
			ASSERT_LE(0, tape_drain(live, self->reader));
	}
	check_dates(_metadata, self, live, &at_once);
	tape_free(live);
}

/* A tenth too fast: after six seconds the error is twice the allowed one. */
TEST_F(wall, dates_follow_when_the_clock_is_slewed)
{
	struct dates at_once;
	struct tape *live = dated_tape(&at_once, self);
	int i;

	ASSERT_NE(NULL, live);
	ASSERT_EQ(0, set_tick(11000));
	for (i = 0; i < 60; i++) {
		dev_sleep_ms(100);
		ASSERT_EQ(0, mark(self, true));
		if (i == 20)
			ASSERT_LE(0, tape_drain(live, self->reader));
	}
	check_dates(_metadata, self, live, &at_once);
	tape_free(live);
}

TEST_HARNESS_MAIN
