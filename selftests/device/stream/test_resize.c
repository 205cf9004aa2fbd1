// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_resize.c - a stream that is resized while everybody emits loses what it has no room for
 *
 * A module emits from processes, softirqs, hard interrupts and, where the board can inject
 * them, NMIs on each CPU; programs emit by lanes and by system calls, and write lines. The
 * stream grows and shrinks meanwhile. Growing loses none. Shrinking loses the oldest, which
 * each reader is told of where they were; events read and lost add up to those emitted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"
#include "workers.h"

#define KIB	1024ULL

static struct nl nl;

static int resize(uint64_t size)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "trace");
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	return nl_do(&nl, NULL, NULL);
}

/* A child that writes a line each millisecond until it is killed. */
static pid_t start_lines(void)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	while (write(fd, "a line\n", 7) == 7)
		dev_sleep_ms(1);
	_exit(1);
}

FIXTURE(resize) {
	pid_t workers[PROGRAMS], lines;
	bool nmi, emitting;
};

FIXTURE_SETUP(resize)
{
	ASSERT_EQ(0, dev_load("size=256K"));
	ASSERT_EQ(0, dev_load_writers("max_len=40 burst=4 period_us=1500 pause_us=1500"));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, workers_begin());
	/* By lanes, and by system calls. */
	self->workers[0] = start(0, true);
	self->workers[1] = start(1, false);
	self->lines = start_lines();
	ASSERT_LT(0, self->lines);
	self->nmi = dev_nmi(50);
	self->emitting = true;
	dev_seed();
}

static void stop_emitters(FIXTURE_DATA(resize) *self)
{
	if (!self->emitting)
		return;
	self->emitting = false;
	if (self->nmi)
		dev_nmi(0);
	dev_writers_run(false);
	kill(self->lines, SIGKILL);
	workers_end(self->workers);
}

FIXTURE_TEARDOWN(resize)
{
	stop_emitters(self);
	nl_close(&nl);
	dev_unload_one("dttest");
	EXPECT_EQ(0, dev_done());
}

/* Everybody emits for a while. */
static void let_emit(unsigned int ms)
{
	go_on(0, 200);
	go_on(1, 20);
	dev_sleep_ms(ms);
}

/* Let at least @nr events be emitted: on a busy machine they are few in a given time. */
static void let_emit_events(unsigned int nr)
{
	struct devtrace_stats s = { .cpu = DEVTRACE_STATS_ALL };
	uint64_t until = 0;

	do {
		let_emit(20);
		if (dev_stats(DEVTRACE_STATS_ALL, &s))
			return;
		if (!until)
			until = s.emitted + nr;
	} while (s.emitted < until);
}

TEST_F(resize, growing_loses_none)
{
	struct devtrace_stats s = { .cpu = DEVTRACE_STATS_ALL };
	struct tape *t;
	uint64_t size;
	int cause;

	ASSERT_EQ(0, dev_writers_run(true));
	let_emit(20);
	for (size = 512 * KIB; size <= 16384 * KIB; size *= 2) {
		ASSERT_EQ(0, resize(size));
		let_emit(10);
	}
	stop_emitters(self);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &s));
	EXPECT_EQ(0, s.overwritten);
	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++) {
		EXPECT_EQ(0, s.dropped[cause])
			TH_LOG("%llu lost, cause %d", (unsigned long long)s.dropped[cause], cause);
	}
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_LT(1000, t->nev);
	EXPECT_EQ(s.emitted, t->nev);
	tape_free(t);
}

/* Each loss is of between two events of its source that were read. */
struct where {
	uint64_t last[DEV_CPUS];
	uint64_t from[DEV_CPUS], to[DEV_CPUS];
	uint64_t wrong, others;
};

static void look_where(struct tape *t, const struct devtrace_item *i)
{
	struct where *w = t->arg;

	if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.source < DEV_CPUS) {
		const struct devtrace_lost *l = &i->u.lost;

		w->others += l->cause != DEVTRACE_LOST_OVERWRITTEN;
		w->wrong += l->from < w->last[l->source] || l->to < l->from;
		w->to[l->source] = l->to;
	} else if (i->kind == DEVTRACE_ITEM_EVENT && i->u.event.source < DEV_CPUS) {
		const struct devtrace_event *e = &i->u.event;

		/* Events of lanes are of other sources, and have the number of their CPU. */
		if (e->type < DTTEST_TYPE || e->type > DTTEST_TYPE + DTTEST_USER)
			return;
		w->wrong += e->ts < w->to[e->source];
		w->last[e->source] = e->ts;
	}
}

TEST_F(resize, shrinking_tells_what_it_loses)
{
	struct devtrace_stats s = { .cpu = DEVTRACE_STATS_ALL };
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES];
	struct where w = { 0 };
	struct tape *t[2];
	unsigned int i, round;
	uint64_t emitted;
	int fd[2], cpu, class;

	ASSERT_EQ(0, resize(4096 * KIB));
	for (i = 0; i < 2; i++) {
		fd[i] = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd[i]);
		t[i] = tape_new();
		ASSERT_NE(NULL, t[i]);
	}
	t[0]->each = look_where;
	t[0]->arg = &w;
	ASSERT_EQ(0, dev_writers_run(true));
	for (round = 0; round < 6; round++) {
		/* More than one reader reads now and 16 KiB for each CPU hold */
		let_emit_events(3000 + 2 * 16 * KIB / sizeof(struct devtrace_wire_event));
		/* One reader is in the middle of the events, the other has read none. */
		ASSERT_LT(0, tape_some(t[0], fd[0], 3000));
		ASSERT_EQ(0, resize(16 * KIB));
		ASSERT_LT(0, tape_some(t[0], fd[0], 3000));
		ASSERT_EQ(0, resize(4096 * KIB));
	}
	stop_emitters(self);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &s));
	ASSERT_EQ(0, dev_writers_counts(counts));
	for (i = 0; i < 2; i++) {
		ASSERT_LE(0, tape_drain(t[i], fd[i]));
		EXPECT_TRUE(tape_clean(t[i]));
		EXPECT_LT(0, tape_lost(t[i], -1));
		EXPECT_EQ(s.emitted, t[i]->nev + tape_lost(t[i], -1));
		tape_free(t[i]);
		close(fd[i]);
	}
	for (emitted = 0, cpu = 0; cpu < DEV_CPUS; cpu++)
		for (class = 0; class < DTTEST_CLASSES; class++)
			emitted += counts[cpu][class];
	EXPECT_LE(emitted, s.emitted);
	/* None was dropped: those that are gone were the oldest. */
	EXPECT_EQ(0, w.others);
	EXPECT_EQ(0, w.wrong);
}

/* The longest event is what the size allows, and as long as before when it grows again. */
TEST_F(resize, a_long_event_fits_again)
{
	char line[1000];
	struct tape *t;
	int fd;

	stop_emitters(self);
	ASSERT_EQ(0, resize(1 * KIB));
	ASSERT_EQ(0, resize(256 * KIB));
	fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	memset(line, 'x', sizeof(line));
	ASSERT_EQ(sizeof(line), write(fd, line, sizeof(line)));
	close(fd);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	ASSERT_LT(0, t->nev);
	EXPECT_LT(sizeof(line), t->ev[t->nev - 1].len);
	tape_free(t);
}

TEST_HARNESS_MAIN
