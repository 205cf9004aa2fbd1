// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_missed.c - events missed during a stop are reported at their place
 *
 * A model has the events that each CPU and each lane missed during each stop. A reader that
 * opens the device later and a permanent one get the same: each loss between the two state
 * changes of its stop.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define CHANGES	400
/* Least number of changes that the stream remembers. */
#define KNOWN	30

/* Their owners go on writing while the stream is stopped. */
#define LANES	2

static struct nl nl;

/* Events missed after each state change; the first entry precedes all changes. */
struct between {
	int state;
	uint64_t ts;
	uint64_t missed[DEV_CPUS];
	uint64_t from, to;		/* times of the last loss reported */
};

struct account {
	struct between at[CHANGES];
	unsigned int n;
	uint64_t last;			/* time of the last event */
	bool clock, late_clock, wrong;
	bool forgotten;			/* the stream may have forgotten changes meanwhile */
	unsigned int changes;		/* in the model, including those behind a clear */
	unsigned int before;		/* value of @changes at the last drain */
};

static void each(struct tape *t, const struct devtrace_item *i)
{
	struct account *a = t->arg;
	struct between *b = &a->at[a->n];

	switch (i->kind) {
	case DEVTRACE_ITEM_CLOCK:
		a->clock = true;
		break;
	case DEVTRACE_ITEM_EVENT:
		a->last = i->u.event.ts;
		break;
	case DEVTRACE_ITEM_LOST:
		a->late_clock |= !a->clock;
		if (i->u.lost.cause != DEVTRACE_LOST_STOPPED)
			break;
		b->missed[i->u.lost.source] += i->u.lost.count;
		b->from = i->u.lost.from;
		b->to = i->u.lost.to;
		/* After the previous event; for a forgotten stop, after that of its CPU. */
		a->wrong |= (a->n && !a->forgotten && b->from < a->last) || b->to < b->from;
		break;
	case DEVTRACE_ITEM_STATE:
		a->late_clock |= !a->clock;
		a->forgotten = false;
		/* The loss reported before belongs to a time before this change. */
		a->wrong |= b->to > i->u.state.ts;
		if (a->n + 1 == CHANGES)
			break;
		a->at[++a->n].state = i->u.state.state;
		a->at[a->n].ts = i->u.state.ts;
		break;
	default:
		break;
	}
}

/* The reports to a reader from the beginning. */
static struct account *account_now(const char *path)
{
	struct account *a = calloc(1, sizeof(*a));
	struct tape *t = tape_new();
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	t->each = each;
	t->arg = a;
	if (fd < 0 || tape_drain(t, fd) < 0 || !tape_clean(t))
		a->wrong = true;
	close(fd);
	tape_free(t);
	return a;
}

static bool same_missed(const struct between *a, const struct between *b)
{
	return !memcmp(a->missed, b->missed, sizeof(a->missed));
}

/* Compare reports with the model, and print differences. */
static bool as_model(const struct account *told, const struct account *model)
{
	struct between before = { 0 };
	unsigned int i, k, cpu, skip;

	if (told->wrong || told->late_clock || told->n > model->n ||
	    told->n < (model->n < KNOWN ? model->n : KNOWN)) {
		dev_say("%u changes of %u, %s%s", told->n, model->n, told->wrong ? "wrong " : "",
			told->late_clock ? "before any clock" : "");
		return false;
	}
	/* The oldest changes are forgotten: their losses come before the others. */
	skip = model->n - told->n;
	for (i = 0; i <= skip; i++)
		for (cpu = 0; cpu < DEV_CPUS; cpu++)
			before.missed[cpu] += model->at[i].missed[cpu];
	for (k = 0; k <= told->n; k++) {
		const struct between *m = k ? &model->at[skip + k] : &before;
		const struct between *t = &told->at[k];

		if (same_missed(t, m) && (!k || t->state == m->state))
			continue;
		dev_say("change %u of %u, state %d for %d", k, told->n, t->state, m->state);
		for (cpu = 0; cpu < 4; cpu++)
			dev_say("CPU %u: %llu for %llu", cpu, (unsigned long long)t->missed[cpu],
				(unsigned long long)m->missed[cpu]);
		return false;
	}
	return true;
}

FIXTURE(missed) {
	int out, live;
	struct tape *tape;		/* of the permanent reader */
	struct account *told, *model;
	int cpus[DEV_CPUS], ncpus;
	struct lane lanes[LANES];
};

FIXTURE_SETUP(missed)
{
	int i;

	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&nl));
	self->out = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	self->live = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	self->told = calloc(1, sizeof(*self->told));
	self->model = calloc(1, sizeof(*self->model));
	self->tape = tape_new();
	self->tape->each = each;
	self->tape->arg = self->told;
	self->ncpus = dev_online(self->cpus);
	ASSERT_LE(0, self->out);
	ASSERT_LE(0, self->live);
	for (i = 0; i < LANES; i++)
		ASSERT_EQ(0, lane_open(&self->lanes[i], self->out, 0));
}

FIXTURE_TEARDOWN(missed)
{
	int i;

	for (i = 0; i < LANES; i++)
		lane_close(&self->lanes[i]);
	dev_pin(-1);
	close(self->out);
	close(self->live);
	tape_free(self->tape);
	free(self->told);
	free(self->model);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

/* Emit on one CPU: the stream stores the events or misses them. */
static int emit(const FIXTURE_DATA(missed) *self, int cpu, unsigned int n)
{
	struct between *b = &self->model->at[self->model->n];
	unsigned int i;

	if (dev_pin(self->cpus[cpu]))
		return -1;
	for (i = 0; i < n; i++)
		if (dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i))
			return -1;
	if (b->state != DEVTRACE_STATE_RUNNING)
		b->missed[self->cpus[cpu]] += n;
	return 0;
}

/* The same in a lane, as by a thread that does not check the state. */
static void emit_lane(FIXTURE_DATA(missed) *self, int lane, unsigned int n)
{
	struct between *b = &self->model->at[self->model->n];
	struct lane *l = &self->lanes[lane];
	unsigned int i;

	for (i = 0; i < n; i++)
		lane_mark(l, DEVTRACE_T_USER, 2, i);
	if (b->state != DEVTRACE_STATE_RUNNING)
		b->missed[l->head->source] += n;
}

static int change(const FIXTURE_DATA(missed) *self, int state)
{
	struct account *m = self->model;
	int err;

	/* Stopping a frozen stream thaws it. */
	if (state == DEVTRACE_STATE_RUNNING && m->at[m->n].state == DEVTRACE_STATE_FROZEN) {
		err = change(self, DEVTRACE_STATE_STOPPED);
		if (err)
			return err;
	}
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u32(&nl, DEVTRACE_A_STATE, state);
	if (state != m->at[m->n].state) {
		m->at[++m->n].state = state;
		m->changes++;
	}
	return nl_do(&nl, NULL, NULL);
}

/* Clear: reports begin anew, with the present state if it is stopped. */
static int clear(const FIXTURE_DATA(missed) *self)
{
	struct account *m = self->model;
	const int state = m->at[m->n].state;

	nl_begin(&nl, DEVTRACE_CMD_CLEAR);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	m->n = state != DEVTRACE_STATE_RUNNING;
	memset(m->at, 0, sizeof(m->at));
	m->at[m->n].state = state;
	return nl_do(&nl, NULL, NULL);
}

/* True if a new reader gets the reports of the model. */
static bool told_later(const FIXTURE_DATA(missed) *self)
{
	struct account *a = account_now(DEV_PATH);
	bool same = as_model(a, self->model);

	free(a);
	return same;
}

/* The loss is between stop and start, and has their times. */
TEST_F(missed, between_stop_and_start)
{
	struct account *a;
	uint64_t before, after;

	ASSERT_EQ(0, emit(self, 0, 5));
	before = dev_now();
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, emit(self, 0, 7));
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	after = dev_now();
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, emit(self, 0, 3));
	EXPECT_TRUE(told_later(self));
	a = account_now(DEV_PATH);
	ASSERT_EQ(2, a->n);
	EXPECT_LE(before, a->at[1].from);
	EXPECT_GE(after, a->at[1].to);
	EXPECT_EQ(a->at[2].ts, a->at[1].to);
	free(a);
}

/* The same for lanes, with separate losses per stop, also for a new reader. */
TEST_F(missed, by_lanes_in_two_stops)
{
	const unsigned int source = self->lanes[0].head->source;
	struct account *a;
	uint64_t before;

	emit_lane(self, 0, 3);
	before = dev_now();
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
	emit_lane(self, 0, 2);
	emit_lane(self, 1, 1);
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	emit_lane(self, 0, 4);
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_FROZEN));
	emit_lane(self, 0, 5);
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	emit_lane(self, 1, 1);
	EXPECT_TRUE(told_later(self));
	a = account_now(DEV_PATH);
	ASSERT_LE(4, a->n);
	EXPECT_EQ(2, a->at[1].missed[source]);
	EXPECT_EQ(0, a->at[2].missed[source]);
	EXPECT_EQ(5, a->at[3].missed[source]);
	EXPECT_LE(before, a->at[1].from);
	EXPECT_EQ(a->at[2].ts, a->at[1].to);
	free(a);
}

/* Frozen while stopped, then thawed: the losses of each have its times. */
TEST_F(missed, stopped_then_frozen)
{
	struct account *a;

	ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
	ASSERT_EQ(0, emit(self, 0, 2));
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_FROZEN));
	ASSERT_EQ(0, emit(self, self->ncpus - 1, 3));
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	EXPECT_TRUE(told_later(self));
	a = account_now(DEV_PATH);
	ASSERT_LE(2, a->n);
	EXPECT_EQ(a->at[2].ts, a->at[1].to);
	EXPECT_LE(a->at[2].ts, a->at[2].from);
	free(a);
}

/* A clear ends the reports of earlier losses and changes. */
TEST_F(missed, cleared_while_stopped)
{
	struct account *a;
	uint64_t before;

	ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
	ASSERT_EQ(0, emit(self, 0, 4));
	emit_lane(self, 0, 3);
	before = dev_now();
	ASSERT_EQ(0, clear(self));
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, emit(self, 0, 2));
	emit_lane(self, 1, 1);
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	EXPECT_TRUE(told_later(self));
	a = account_now(DEV_PATH);
	EXPECT_EQ(2, a->n);
	EXPECT_LE(before, a->at[1].from);
	free(a);
	ASSERT_EQ(0, clear(self));
	EXPECT_TRUE(told_later(self));
	ASSERT_EQ(0, emit(self, 0, 1));
	EXPECT_TRUE(told_later(self));
}

/* After lseek(2) into a stop: the state, and all losses of that stop. */
TEST_F(missed, after_a_seek_into_a_stop)
{
	struct account *a = calloc(1, sizeof(*a));
	struct tape *t = tape_new();
	uint64_t now;

	t->each = each;
	t->arg = a;
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
	ASSERT_EQ(0, emit(self, 0, 4));
	now = dev_now();
	ASSERT_EQ((off_t)now, lseek(self->live, now, SEEK_SET));
	ASSERT_EQ(0, emit(self, 0, 3));
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	ASSERT_LT(0, tape_drain(t, self->live));
	EXPECT_EQ(2, a->n);
	EXPECT_EQ(7, a->at[1].missed[self->cpus[0]]);
	EXPECT_FALSE(a->wrong);
	EXPECT_FALSE(a->late_clock);
	/* And everything from the beginning. */
	memset(a, 0, sizeof(*a));
	ASSERT_EQ(0, lseek(self->live, 0, SEEK_SET));
	ASSERT_LT(0, tape_drain(t, self->live));
	EXPECT_TRUE(as_model(a, self->model));
	tape_free(t);
	free(a);
}

/* The same into a frozen stop: these losses are as old as the stop. */
TEST_F(missed, after_a_seek_into_a_frozen_stop)
{
	struct account *a = calloc(1, sizeof(*a));
	struct tape *t = tape_new();
	uint64_t stopped, now;

	t->each = each;
	t->arg = a;
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
	stopped = dev_now();
	ASSERT_EQ(0, emit(self, 0, 4));
	ASSERT_EQ(0, change(self, DEVTRACE_STATE_FROZEN));
	now = dev_now();
	ASSERT_EQ((off_t)now, lseek(self->live, now, SEEK_SET));
	ASSERT_EQ(0, emit(self, 0, 3));
	ASSERT_LT(0, tape_drain(t, self->live));
	EXPECT_EQ(1, a->n);
	EXPECT_EQ(DEVTRACE_STATE_FROZEN, a->at[1].state);
	EXPECT_EQ(7, a->at[1].missed[self->cpus[0]]);
	EXPECT_GE(stopped, a->at[1].from);
	EXPECT_FALSE(a->wrong);
	tape_free(t);
	free(a);
}

/* After lseek(2) to a time, each later or current stop is reported with its losses. */
TEST_F(missed, after_a_seek_before_stops)
{
	const unsigned int cpu = self->cpus[0], lane = self->lanes[0].head->source;
	const unsigned int missed[2] = { 4, 5 };
	uint64_t before[2], within[2];
	struct account *a = calloc(1, sizeof(*a));
	struct tape *t = tape_new();
	unsigned int i, k;

	t->each = each;
	t->arg = a;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, emit(self, 0, 2));
		before[i] = dev_now();
		ASSERT_EQ(0, change(self, DEVTRACE_STATE_STOPPED));
		ASSERT_EQ(0, emit(self, 0, missed[i]));
		emit_lane(self, 0, 3 + i);
		within[i] = dev_now();
		ASSERT_EQ(0, change(self, DEVTRACE_STATE_RUNNING));
	}
	ASSERT_EQ(0, emit(self, 0, 1));
	for (i = 0; i < 5; i++) {
		const uint64_t to = i == 4 ? dev_now() : i % 2 ? within[i / 2] : before[i / 2];

		memset(a, 0, sizeof(*a));
		ASSERT_EQ((off_t)to, lseek(self->live, to, SEEK_SET));
		ASSERT_LT(0, tape_drain(t, self->live));
		EXPECT_EQ(i == 4 ? 0 : 4 - i / 2 * 2, a->n) TH_LOG("place %u", i);
		EXPECT_FALSE(a->wrong) TH_LOG("place %u", i);
		EXPECT_EQ(0, a->at[0].missed[cpu]) TH_LOG("place %u", i);
		for (k = i / 2; k < 2; k++) {
			const struct between *b = &a->at[1 + 2 * (k - i / 2)];

			EXPECT_EQ(missed[k], b->missed[cpu]) TH_LOG("place %u, stop %u", i, k);
			EXPECT_EQ(3 + k, b->missed[lane]) TH_LOG("place %u, stop %u", i, k);
		}
	}
	tape_free(t);
	free(a);
}

/* Read new data for the permanent reader. */
static int drain_live(const FIXTURE_DATA(missed) *self)
{
	struct account *a = self->told;

	a->forgotten = self->model->changes - a->before > KNOWN;
	a->before = self->model->changes;
	return tape_drain(self->tape, self->live);
}

/* Random changes on all CPUs, more than are remembered. */
TEST_F(missed, any_order)
{
	static const int states[] = {
		DEVTRACE_STATE_RUNNING, DEVTRACE_STATE_STOPPED, DEVTRACE_STATE_RUNNING,
		DEVTRACE_STATE_FROZEN,
	};
	unsigned int i, what;

	for (i = 0; i < 300; i++) {
		what = dev_random() % 8;
		if (what < 3) {
			ASSERT_EQ(0, change(self, states[dev_random() % 4]));
		} else if (what < 5) {
			ASSERT_EQ(0, emit(self, dev_random() % self->ncpus, dev_random() % 9));
		} else if (what < 7) {
			emit_lane(self, dev_random() % LANES, dev_random() % 9);
		} else if (self->model->at[self->model->n].state != DEVTRACE_STATE_FROZEN &&
			   !(dev_random() % 8)) {
			ASSERT_EQ(0, clear(self));
		} else if (dev_random() % 2) {
			ASSERT_TRUE(told_later(self));
		} else {
			ASSERT_LE(0, drain_live(self));
		}
	}
	ASSERT_TRUE(told_later(self));
	ASSERT_LE(0, drain_live(self));
	EXPECT_FALSE(self->told->wrong);
	EXPECT_FALSE(self->told->late_clock);
	EXPECT_TRUE(tape_clean(self->tape));
}

TEST_HARNESS_MAIN
