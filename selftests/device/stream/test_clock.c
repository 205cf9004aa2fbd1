// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_clock.c - the trace clock agrees with the clock that programs read, on each CPU
 *
 * A program reads the trace clock (CLOCK_MONOTONIC_RAW plus `suspended` of the control page)
 * before and after each event: the timestamp must lie between. This must hold on each CPU, after
 * seconds, while the clocksource changes, and after suspend. Events emitted one after the other
 * on any CPUs must have increasing timestamps. The date of an event is the wall clock at its
 * time, even if the clock was set later.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define SOURCES		"/sys/devices/system/clocksource/clocksource0/"
#define CALLS		200000		/* of one writer, at most */
#define TURNS		5000
#define SWITCHES	20

struct call {
	uint64_t before, after;
};

struct writer {
	pthread_t	thread;
	int		cpu;
	uint32_t	n;
	struct call	*calls;
};

FIXTURE(clock) {
	int			cpu[DEV_CPUS], n;
	int			wfd;
	struct devtrace_control	*page;
	struct writer		w[DEV_CPUS];
	char			source[64];	/* the original one */
};

static int the_fd;
static const volatile struct devtrace_control *the_page;
static atomic_bool done;

/* dev_now() caches `suspended`, which may change here. */
static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec + the_page->suspended;
}

static bool clocksource(const char *file, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), SOURCES "%s", file);
	if (dev_read_file(path, buf, size) <= 0)
		return false;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

static int use_clocksource(const char *name)
{
	return dev_write_file(SOURCES "current_clocksource", name);
}

FIXTURE_SETUP(clock)
{
	int i;

	dev_seed();
	self->n = dev_online(self->cpu);
	ASSERT_LT(0, self->n);
	ASSERT_EQ(0, dev_load("size=16M"));
	self->wfd = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, self->wfd, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	the_fd = self->wfd;
	the_page = self->page;
	done = false;
	for (i = 0; i < self->n; i++) {
		self->w[i].cpu = self->cpu[i];
		self->w[i].n = 0;
		self->w[i].calls = malloc(CALLS * sizeof(struct call));
		ASSERT_NE(NULL, self->w[i].calls);
	}
	clocksource("current_clocksource", self->source, sizeof(self->source));
	dev_say("clocksource %s", self->source);
}

FIXTURE_TEARDOWN(clock)
{
	int i;

	dev_nmi(0);
	dev_writers_run(false);
	if (self->source[0])
		use_clocksource(self->source);
	for (i = 0; i < self->n; i++)
		free(self->w[i].calls);
	munmap(self->page, getpagesize());
	close(self->wfd);
	if (!access("/sys/module/dtquiet", F_OK)) {
		dev_sleep_ms(200);	/* wait for the last NMIs */
		dev_unload_one("dtquiet");
	}
	EXPECT_EQ(0, dev_done());
}

static bool emit_one(struct writer *w)
{
	struct call *c = &w->calls[w->n];

	if (w->n == CALLS)
		return false;
	c->before = now();
	if (dev_emit_mark(the_fd, DEVTRACE_T_USER, w->cpu, w->n))
		abort();
	c->after = now();
	w->n++;
	return true;
}

static void *emit_until_done(void *arg)
{
	struct writer *w = arg;

	if (dev_pin(w->cpu))
		abort();
	while (!done && emit_one(w))
		if (!(w->n % 64))
			usleep(dev_random() % 1000);
	return NULL;
}

static void start(struct writer *w, int n)
{
	done = false;
	while (n--)
		if (pthread_create(&w[n].thread, NULL, emit_until_done, &w[n]))
			abort();
}

static void stop(struct writer *w, int n)
{
	done = true;
	while (n--)
		pthread_join(w[n].thread, NULL);
}

/* Number of wrong events: missing, out of order, or not between their readings. */
static uint64_t wrong(const struct tape *t, const struct writer *w, int n)
{
	uint32_t next[DEV_CPUS] = { 0 };
	uint64_t early = 0, late = 0, disorder = 0, missing = 0, nearest = UINT64_MAX;
	size_t i;
	int k;

	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];
		const struct call *c;

		if (e->type != DEVTRACE_T_USER)
			continue;
		for (k = 0; k < n && w[k].cpu != e->tag; k++)
			;
		if (k == n || e->nr >= w[k].n)
			return UINT64_MAX;
		disorder += e->nr != next[k];
		next[k] = e->nr + 1;
		c = &w[k].calls[e->nr];
		early += e->ts < c->before;
		late += e->ts > c->after;
		if ((early || late) && early + late < 10)
			dev_say("cpu %d event %u: %lld ns after the read before, %lld before the one after",
				w[k].cpu, e->nr, (long long)(e->ts - c->before),
				(long long)(c->after - e->ts));
		if (c->after - c->before < nearest)
			nearest = c->after - c->before;
	}
	for (k = 0; k < n; k++)
		missing += next[k] != w[k].n;
	dev_say("%zu events, the closest reads %llu ns apart; %llu early, %llu late, %llu out of order, %llu writers' last missing",
		t->nev, (unsigned long long)nearest, (unsigned long long)early,
		(unsigned long long)late, (unsigned long long)disorder,
		(unsigned long long)missing);
	return early + late + disorder + missing;
}

TEST_F(clock, agrees_on_every_cpu)
{
	struct tape *t;
	int i;

	/* After seconds, an error of one in a million would be seen. */
	start(self->w, self->n);
	dev_sleep_ms(4000);
	stop(self->w, self->n);
	for (i = 0; i < self->n; i++)
		EXPECT_LT(100, self->w[i].n);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(0, wrong(t, self->w, self->n));
	tape_free(t);
}

static _Atomic uint32_t turn;
static struct pair {
	int cpu[2];
} pair;

static void *play(void *arg)
{
	const uint32_t mine = (uintptr_t)arg;
	uint32_t i;

	if (dev_pin(pair.cpu[mine]))
		abort();
	for (i = mine; i < TURNS; i += 2) {
		while (turn != i) {
			if (turn > TURNS)
				return NULL;
			/* The other may be on the same CPU of the host. */
			sched_yield();
		}
		if (dev_emit_mark(the_fd, DEVTRACE_T_USER, mine, i))
			abort();
		turn = i + 1;
	}
	return NULL;
}

/* Two threads on two CPUs emit in turns. */
TEST_F(clock, not_backwards_between_cpus)
{
	uint64_t backwards = 0, last = 0, disorder = 0, n = 0;
	pthread_t th[2];
	struct tape *t;
	size_t i;

	if (self->n < 2)
		SKIP(return, "there is but one CPU");
	pair.cpu[0] = self->cpu[0];
	pair.cpu[1] = self->cpu[self->n - 1];
	turn = 0;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&th[i], NULL, play, (void *)(uintptr_t)i));
	for (i = 0; i < 2; i++)
		pthread_join(th[i], NULL);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		if (e->type != DEVTRACE_T_USER)
			continue;
		disorder += e->nr != n;
		backwards += e->ts < last;
		last = e->ts;
		n = e->nr + 1;
	}
	EXPECT_EQ(TURNS, n);
	EXPECT_EQ(0, disorder);
	EXPECT_EQ(0, backwards);
	tape_free(t);
}

/*
 * Programs and interrupts emit on all CPUs meanwhile. No NMIs: during a change their timestamps
 * may be too late, as with the kernel's own clock (ring.rst).
 */
TEST_F(clock, clocksource_changes)
{
	char names[256], *name[16], now_is[64], *save;
	struct tape *t;
	int i, n = 0;

	if (!self->source[0] || !clocksource("available_clocksource", names, sizeof(names)))
		SKIP(return, "this kernel does not say what clocksources there are");
	for (name[0] = strtok_r(names, " ", &save); name[n] && n < 15;
	     name[n] = strtok_r(NULL, " ", &save))
		n++;
	if (n < 2)
		SKIP(return, "there is but one clocksource");
	ASSERT_EQ(0, dev_load_writers("max_len=0"));
	ASSERT_EQ(0, dev_writers_run(true));
	dev_say("%d clocksources", n);
	start(self->w, self->n);
	for (i = 0; i < SWITCHES; i++) {
		const char *to = name[i % n];

		ASSERT_EQ(0, use_clocksource(to));
		ASSERT_TRUE(clocksource("current_clocksource", now_is, sizeof(now_is)));
		ASSERT_STREQ(to, now_is);
		dev_sleep_ms(50 + dev_random() % 200);
	}
	ASSERT_EQ(0, use_clocksource(self->source));
	/* Errors of single changes would add up. */
	dev_sleep_ms(200);
	stop(self->w, self->n);
	ASSERT_EQ(0, dev_writers_run(false));
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(0, wrong(t, self->w, self->n));
	tape_free(t);
}

static int64_t boot_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

#define ALARM	"/sys/class/rtc/rtc0/wakealarm"
#define PM_TEST	"/sys/power/pm_test"

static bool file_has(const char *path, const char *word)
{
	char buf[128];

	return dev_read_file(path, buf, sizeof(buf)) > 0 && strstr(buf, word);
}

/*
 * Suspend to idle, woken by a real-time clock with its own interrupt. If the alarm comes too
 * early, the kernel refuses to suspend: try a later one.
 */
static bool suspend_to_idle(void)
{
	char count[32], when[16];
	int seconds;

	for (seconds = 3; seconds < 60; seconds *= 2) {
		snprintf(when, sizeof(when), "+%d", seconds);
		if (dev_write_file(ALARM, "0") ||
		    dev_read_file("/sys/power/wakeup_count", count, sizeof(count)) <= 0 ||
		    dev_write_file("/sys/power/wakeup_count", count) ||
		    dev_write_file(ALARM, when))
			return false;
		if (!dev_write_file("/sys/power/state", "freeze"))
			return true;
	}
	return false;
}

/*
 * Suspend everything but the machine itself: pm_test. Kernels for virtual machines lack it; with
 * DEVICE_SUSPEND=1 they are really suspended and woken by the real-time clock. QEMU cannot be
 * shut down properly after that.
 */
static bool suspend(void)
{
	bool ok;

	if (!access(PM_TEST, W_OK)) {
		ok = !dev_write_file(PM_TEST, "core") && !dev_write_file("/sys/power/state", "mem");
		dev_write_file(PM_TEST, "none");
		return ok;
	}
	return !dev_write_file(ALARM, "+4") && !dev_write_file("/sys/power/state", "mem");
}

static void sleeps(struct __test_metadata *_metadata, FIXTURE_DATA(clock) *self,
		   bool (*how)(void), bool stands_still)
{
	uint64_t was = self->page->suspended, trace[4];
	struct tape *t;
	int64_t boot;
	bool slept;

	start(self->w, self->n);
	dev_sleep_ms(100);
	trace[0] = now();
	boot = boot_now();
	trace[1] = now();
	slept = how();
	trace[2] = now();
	boot = boot_now() - boot;
	trace[3] = now();
	dev_sleep_ms(500);
	stop(self->w, self->n);
	ASSERT_TRUE(slept);
	dev_say("%lld ns suspended, %lld ns passed", (long long)(self->page->suspended - was),
		(long long)boot);
	EXPECT_LT(NSEC, boot);
	/* In suspend to idle the raw clock may go on. */
	if (stands_still)
		EXPECT_LT(NSEC / 2, self->page->suspended - was);
	/* both clocks include the suspend */
	EXPECT_LT((int64_t)(trace[2] - trace[1]) - 50000000, boot);
	EXPECT_GT((int64_t)(trace[3] - trace[0]) + 50000000, boot);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(0, wrong(t, self->w, self->n));
	tape_free(t);
}

/* The kernel tells whether suspend works; the result does not. */
TEST_F(clock, suspended)
{
	if (!file_has("/sys/power/mem_sleep", "deep"))
		SKIP(return, "this machine is suspended to idle at most");
	if (access(PM_TEST, W_OK) && !getenv("DEVICE_SUSPEND"))
		SKIP(return, "not without " PM_TEST ", or DEVICE_SUSPEND=1");
	sleeps(_metadata, self, suspend, true);
}

TEST_F(clock, suspended_to_idle)
{
	if (!file_has("/sys/class/rtc/rtc0/name", "pl031"))
		SKIP(return, "no real-time clock that wakes the machine by its own interrupt");
	if (!file_has("/sys/power/state", "freeze"))
		SKIP(return, "this kernel is not suspended to idle");
	sleeps(_metadata, self, suspend_to_idle, false);
}

/* Number of steps of the wall clock, and their direction. */
#define STEPS	4

/* Each step is between two readings of the trace clock. */
struct dates {
	uint64_t	before[STEPS], after[STEPS];
	int64_t		ahead[STEPS + 1];	/* wall clock minus trace clock, per step */
	int		n;
	uint64_t	events, wrong, undated;
};

static int64_t wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * (int64_t)NSEC + ts.tv_nsec;
}

static bool set_wall_clock(int64_t ns)
{
	const struct timespec ts = { .tv_sec = ns / (int64_t)NSEC, .tv_nsec = ns % (int64_t)NSEC };

	return !clock_settime(CLOCK_REALTIME, &ts);
}

static void check_date(struct tape *t, const struct devtrace_item *item)
{
	const struct devtrace_event *e = &item->u.event;
	struct dates *d = t->arg;
	int64_t real, off;
	int i = 0;

	if (item->kind != DEVTRACE_ITEM_EVENT)
		return;
	while (i < d->n && e->ts >= d->after[i])
		i++;
	/* During a step. */
	if (i < d->n && e->ts > d->before[i])
		return;
	d->events++;
	if (!devtrace_decoder_real(t->d, e->ts, &real)) {
		d->undated++;
		return;
	}
	off = real - (int64_t)e->ts - d->ahead[i];
	/* Readings take time, and the clock is slewed. */
	if (off > 100000000 || off < -100000000) {
		if (!d->wrong++)
			dev_say("an event of type %u, after %d steps, has a date %lld ns off",
				e->type, i, (long long)off);
	}
}

static void emit_all_ways(struct lane *l, int fd)
{
	if (dev_emit_mark(fd, DEVTRACE_T_USER, 1, 1) || write(fd, "text\n", 5) != 5)
		abort();
	lane_mark(l, DEVTRACE_T_USER, 1, 2);
}

/* The first event after a step has the new date, the last one before it the old date. */
TEST_F(clock, dates_are_those_of_their_time)
{
	/* A step of three years. A date after 2038 does not fit into 32 bits. */
	static const int64_t by[STEPS] = { 100000000, -100000000, -2, 3600 };
	struct dates late = { .n = 0 }, live;
	struct tape *t = tape_new(), *all;
	int i, k, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	const int64_t began = wall_clock() - (int64_t)now();
	struct lane l;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	ASSERT_EQ(0, dev_load_writers("max_len=0"));
	ASSERT_EQ(0, dev_writers_run(true));
	t->each = check_date;
	t->arg = &late;
	late.ahead[0] = began;
	for (i = 0; i < STEPS; i++) {
		emit_all_ways(&l, self->wfd);
		/* Once soon after a sample, once long after it. */
		dev_sleep_ms(i & 1 ? 20 : 1500);
		emit_all_ways(&l, self->wfd);
		late.before[i] = now();
		late.after[i] = UINT64_MAX;
		late.n = i + 1;
		ASSERT_TRUE(set_wall_clock(wall_clock() + by[i] * (int64_t)NSEC));
		late.after[i] = now();
		late.ahead[i + 1] = wall_clock() - (int64_t)now();
		emit_all_ways(&l, self->wfd);
		for (k = 0; k < 20; k++) {
			emit_all_ways(&l, self->wfd);
			ASSERT_LE(0, tape_drain(t, fd));
		}
	}
	dev_writers_run(false);
	EXPECT_TRUE(set_wall_clock(began + (int64_t)now()));
	live = late;
	late.events = 0;
	late.wrong = 0;
	late.undated = 0;
	all = tape_new();
	all->each = check_date;
	all->arg = &late;
	ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
	ASSERT_LT(0, tape_drain(all, fd));
	EXPECT_LT(STEPS * 60, live.events);
	EXPECT_LT(STEPS * 60, late.events);
	EXPECT_EQ(0, live.wrong);
	EXPECT_EQ(0, late.wrong);
	EXPECT_EQ(0, live.undated + late.undated);
	lane_close(&l);
	tape_free(t);
	tape_free(all);
	close(fd);
}

TEST_HARNESS_MAIN
