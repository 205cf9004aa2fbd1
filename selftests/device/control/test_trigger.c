// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trigger.c - the effects of single triggers
 *
 * dtfire.ko emits one event in the requested context, so the test decides when a condition is
 * met. test_trigger_exact.c has triggers with several CPUs, test_trigger_refused.c refused ones.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <devtrace-ctl.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"
#include "trigger.h"
#include "trigger_fixture.h"

/* Wait half a minute for the next notification of this kind. */
static bool next(struct devtrace_ctl *monitor, int fd, enum devtrace_cmd cmd,
		 struct devtrace_ctl_change *c)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ret;

	for (;;) {
		ret = devtrace_ctl_next(monitor, c);
		if (ret < 0)
			return false;
		if (ret > 0 && c->cmd == cmd)
			return true;
		if (!ret && poll(&p, 1, 30000) <= 0)
			return false;
	}
}

#define NEXT(cmd, c)	ASSERT_TRUE(next(self->monitor, self->fd, DEVTRACE_CMD_NTF_##cmd, c))

/* Wait until trigger t has fired @n times. */
#define FIRED(n) do {								\
	struct devtrace_ctl_change c_;						\
	do {									\
		NEXT(FIRED, &c_);						\
		EXPECT_STREQ("t", c_.u.trigger.name);				\
	} while (c_.u.trigger.fired < (n));					\
	EXPECT_EQ(n, c_.u.trigger.fired);					\
} while (0)

#define GET()		OK(devtrace_ctl_trigger_get(self->ctl, "t", &self->t))

/* Wait until the stream is in this state. */
#define STATE(stream, state_, s) do {						\
	int tries_ = 3000;							\
	do {									\
		OK(devtrace_ctl_stream_get(self->ctl, stream, s));		\
	} while ((s)->state != (state_) && --tries_ && (dev_sleep_ms(10), 1));	\
	ASSERT_EQ(state_, (s)->state);						\
} while (0)

static const char * const contexts[] = { "task", "softirq", "irq", "nmi" };
static const int context_flag[] = {
	DEVTRACE_CTX_TASK, DEVTRACE_CTX_SOFTIRQ, DEVTRACE_CTX_IRQ, DEVTRACE_CTX_NMI,
};

/* Emit in each context; without an injector of NMIs, not in NMIs. */
static int fire_in(int i, uint32_t value)
{
	static int injected = -1;

	if (strcmp(contexts[i], "nmi"))
		return fire(contexts[i], FIRE_TYPE, 0, value, "x");
	if (injected < 0) {
		if (access("/sys/module/dtquiet", F_OK))
			dev_load_file("dtquiet.ko", "");
		injected = dev_nmi(100);
		if (!injected)
			dev_say("nobody injects NMIs here");
	}
	return injected ? fire("nmi", FIRE_TYPE, 0, value, "x") : 1;
}

TEST_F(trigger, each_action_from_each_context)
{
	struct devtrace_ctl_stream s;
	struct devtrace_ctl_change c;
	struct devtrace_filter f;
	struct record *r;
	int i, err;

	for (i = 0; i < 4; i++) {
		uint64_t before = dev_now();

		/* notify */
		self->t.action = DEVTRACE_ACTION_NOTIFY;
		NEW();
		err = fire_in(i, 1);
		if (err > 0) {
			OK(devtrace_ctl_trigger_del(self->ctl, "t"));
			break;
		}
		ASSERT_EQ(0, err);
		NEXT(FIRED, &c);
		EXPECT_EQ(1, c.u.trigger.fired);
		EXPECT_EQ(DEVTRACE_ACTION_NOTIFY, c.u.trigger.action);
		EXPECT_STREQ("", c.u.trigger.stream);
		r = record("trace");
		ASSERT_LT(0, r->t->nev);
		EXPECT_LE(before, c.u.trigger.fired_at);
		EXPECT_GE(r->t->ev[r->t->nev - 1].ts, c.u.trigger.fired_at);
		record_free(r);
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));

		/* stop: the firing event is the last one */
		OK(devtrace_ctl_clear(self->ctl, "trace"));
		self->t.action = DEVTRACE_ACTION_STOP;
		NEW();
		ASSERT_EQ(0, fire_in(i, 2));
		fire("task", FIRE_TYPE, 0, 3, "x");
		STATE("trace", DEVTRACE_STATE_STOPPED, &s);
		EXPECT_STREQ("t", s.reason);
		r = record("trace");
		ASSERT_EQ(1, r->t->nev);
		EXPECT_EQ(2, r->t->ev[0].tag);
		EXPECT_EQ(context_flag[i], r->t->ev[0].flags & DEVTRACE_F_CONTEXT);
		EXPECT_EQ(1, tape_lost(r->t, -1));
		/* a STATE frame with the reason follows it */
		ASSERT_LT(0, r->nstates);
		EXPECT_EQ(DEVTRACE_STATE_STOPPED, r->state[r->nstates - 1].state);
		EXPECT_STREQ("t", r->state[r->nstates - 1].trigger);
		EXPECT_EQ(r->t->ev[0].ts, r->state[r->nstates - 1].fired);
		EXPECT_EQ(1, r->state[r->nstates - 1].after);
		record_free(r);
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));

		/* start: the firing event is the first one */
		self->t.action = DEVTRACE_ACTION_START;
		NEW();
		ASSERT_EQ(0, fire_in(i, 4));
		STATE("trace", DEVTRACE_STATE_RUNNING, &s);
		EXPECT_STREQ("t", s.reason);
		r = record("trace");
		ASSERT_EQ(2, r->t->nev);
		EXPECT_EQ(4, r->t->ev[1].tag);
		record_free(r);
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));

		/* freeze: nothing clears the stream, and no trigger starts it */
		self->t.action = DEVTRACE_ACTION_FREEZE;
		NEW();
		ASSERT_EQ(0, fire_in(i, 5));
		STATE("trace", DEVTRACE_STATE_FROZEN, &s);
		EXPECT_EQ(-EBUSY, devtrace_ctl_clear(self->ctl, "trace"));
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));
		self->t.action = DEVTRACE_ACTION_START;
		NEW();
		ASSERT_EQ(0, fire_in(i, 6));
		GET();
		EXPECT_EQ(0, self->t.fired);
		STATE("trace", DEVTRACE_STATE_FROZEN, &s);
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));
		EXPECT_EQ(-EBUSY, devtrace_ctl_stream_state(self->ctl, "trace",
							    DEVTRACE_STATE_RUNNING));
		OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_STOPPED));
		OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING));

		/* filter, and back to the previous filter */
		self->t.action = DEVTRACE_ACTION_FILTER;
		devtrace_filter_range(&self->t.filter, DEVTRACE_FA_TYPES, 100, 110, false);
		NEW();
		ASSERT_EQ(0, fire_in(i, 7));
		NEXT(FILTER, &c);
		OK(devtrace_ctl_filter_get(self->ctl, "trace", &f, NULL));
		EXPECT_FALSE(devtrace_filter_is_type(&f, 105));
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));
		devtrace_filter_all(&self->t.filter);
		self->t.action = DEVTRACE_ACTION_RESTORE;
		NEW();
		ASSERT_EQ(0, fire_in(i, 8));
		NEXT(FILTER, &c);
		OK(devtrace_ctl_filter_get(self->ctl, "trace", &f, NULL));
		EXPECT_TRUE(devtrace_filter_is_all(&f));
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));
	}
	dev_nmi(0);
	EXPECT_LE(3, i);
}

TEST_F(trigger, the_nth_event)
{
	int i;

	self->t.nth = 3;
	NEW();
	for (i = 0; i < 9; i++)
		ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, i, "x"));
	FIRED(1);
	GET();
	EXPECT_FALSE(self->t.armed);
	EXPECT_EQ(3, self->t.seen);
	EXPECT_EQ(3, self->t.nth);
	/* armed: counts begin anew, except how often it fired */
	OK(devtrace_ctl_trigger_arm(self->ctl, "t", true));
	GET();
	EXPECT_TRUE(self->t.armed);
	EXPECT_EQ(0, self->t.seen);
	EXPECT_EQ(1, self->t.fired);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, i, "x"));
	/* armed again: the two events do not count */
	OK(devtrace_ctl_trigger_arm(self->ctl, "t", true));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, i, "x"));
	GET();
	EXPECT_EQ(1, self->t.fired);
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, i, "x"));
	FIRED(2);
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));

	/* each third event */
	self->t.rearm = true;
	NEW();
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, i, "x"));
	FIRED(3);
	GET();
	EXPECT_TRUE(self->t.armed);
	EXPECT_EQ(10, self->t.seen);
	/* disarmed: nothing counts */
	OK(devtrace_ctl_trigger_arm(self->ctl, "t", false));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, i, "x"));
	GET();
	EXPECT_FALSE(self->t.armed);
	EXPECT_EQ(3, self->t.fired);
	EXPECT_EQ(10, self->t.seen);
}

TEST_F(trigger, more_in_a_second_than)
{
	uint64_t begin, fired;
	int i, tries = 0;

	/* All within a second, unless the board is busy. */
	do {
		if (tries)
			OK(devtrace_ctl_trigger_del(self->ctl, "t"));
		devtrace_ctl_trigger_init(&self->t, "t");
		devtrace_filter_only(&self->t.when, DEVTRACE_FA_TYPES);
		devtrace_filter_range(&self->t.when, DEVTRACE_FA_TYPES, FIRE_TYPE, FIRE_TYPE,
				      true);
		self->t.rate = 20;
		self->t.rearm = true;
		NEW();
		begin = dev_now();
		for (i = 0; i < 20; i++)
			ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, i, "x"));
		GET();
		EXPECT_EQ(0, self->t.fired);
		for (i = 0; i < 20; i++)
			ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, i, "x"));
		GET();
	} while (dev_now() - begin > NSEC && ++tries < 10);
	if (tries == 10)
		SKIP(return, "this machine is too busy for 40 events in a second");
	EXPECT_EQ(1, self->t.fired);
	EXPECT_EQ(40, self->t.seen);
	EXPECT_EQ(20, self->t.rate);
	/* the same in another second */
	tries = 0;
	do {
		fired = self->t.fired;
		dev_sleep_ms(1100);
		begin = dev_now();
		for (i = 0; i < 21; i++)
			ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, i, "x"));
		GET();
	} while (dev_now() - begin > NSEC && ++tries < 10);
	if (tries == 10)
		SKIP(return, "this machine is too busy for 21 events in a second");
	fired++;
	FIRED(fired);
	/* at a low rate it never fires */
	dev_sleep_ms(1100);
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, i, "x"));
		dev_sleep_ms(70);
	}
	GET();
	EXPECT_EQ(fired, self->t.fired);
}

TEST_F(trigger, an_element)
{
	static const struct {
		struct devtrace_ctl_element e;
		uint32_t value;
		const char *text;
		bool meets;
	} cases[] = {
		{ { .index = 0, .compare = DEVTRACE_CMP_GT, .value = 5 }, 6, "x", true },
		{ { .index = 0, .compare = DEVTRACE_CMP_GT, .value = 5 }, 5, "x", false },
		{ { .index = 2, .compare = DEVTRACE_CMP_LT, .value = -5 }, 6, "x", true },
		{ { .index = 2, .compare = DEVTRACE_CMP_LT, .value = -5 }, 5, "x", false },
		{ { .index = 0, .compare = DEVTRACE_CMP_EQ, .value = 2, .mask = 6 }, 11, "x", true },
		{ { .index = 0, .compare = DEVTRACE_CMP_EQ, .value = 2, .mask = 6 }, 12, "x", false },
		{ { .index = 3, .compare = DEVTRACE_CMP_EQ, .is_string = true, .string = "bad" },
		  1, "bad", true },
		{ { .index = 3, .compare = DEVTRACE_CMP_EQ, .is_string = true, .string = "bad" },
		  1, "good", false },
		{ { .index = 3, .compare = DEVTRACE_CMP_NE, .is_string = true, .string = "bad" },
		  1, "good", true },
		{ { .index = 4, .compare = DEVTRACE_CMP_NE, .value = 1 }, 1, "x", false },
	};
	struct devtrace_ctl_trigger got;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		self->t.element = cases[i].e;
		self->t.element.given = true;
		NEW();
		ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, cases[i].value, cases[i].text));
		OK(devtrace_ctl_trigger_get(self->ctl, "t", &got));
		EXPECT_EQ(cases[i].meets, got.fired) TH_LOG("case %u", i);
		EXPECT_EQ(cases[i].meets, got.seen);
		EXPECT_TRUE(got.element.given);
		EXPECT_EQ(cases[i].e.index, got.element.index);
		EXPECT_EQ(cases[i].e.compare, got.element.compare);
		EXPECT_EQ(cases[i].e.is_string, got.element.is_string);
		EXPECT_EQ(cases[i].e.value, got.element.value);
		EXPECT_EQ(cases[i].e.mask, got.element.mask);
		EXPECT_STREQ(cases[i].e.string, got.element.string);
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));
	}
}

static void emit_code(int fd, uint32_t code)
{
	union {
		struct devtrace_emit e;
		uint8_t room[32];
	} u = { .e = { .type = DEVTRACE_T_EXC, .severity = DEVTRACE_SEV_SET,
		       .flags = DEVTRACE_F_CODE } };
	const uint32_t le = htole32(code);

	memcpy(u.e.data, &le, sizeof(le));
	if (dev_emit(fd, &u.e, sizeof(le)))
		abort();
}

/* Unlike a filter, a condition is not met if the event lacks the field. */
TEST_F(trigger, a_term_must_be_found)
{
	const unsigned int sw2 = DEVTRACE_SEV_SET | 2;
	const unsigned int hw1 = DEVTRACE_SEV_SET | DEVTRACE_SEV_HW | 1;
	const unsigned int hw3 = DEVTRACE_SEV_SET | DEVTRACE_SEV_HW | 3;
	int out;

	devtrace_filter_all(&self->t.when);
	devtrace_filter_severity(&self->t.when, 2, 0);
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, sw2, 1, "x"));
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, hw1, 1, "x"));
	GET();
	EXPECT_EQ(0, self->t.seen);
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, hw3, 1, "x"));
	GET();
	EXPECT_EQ(1, self->t.fired);
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));

	devtrace_filter_severity(&self->t.when, 0, 1);
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, hw3, 1, "x"));
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	GET();
	EXPECT_EQ(0, self->t.seen);
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, sw2, 1, "x"));
	GET();
	EXPECT_EQ(1, self->t.fired);
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));

	/* a code of a major, and the other codes of that major */
	out = open(DEV_PATH, O_WRONLY);
	ASSERT_LE(0, out);
	devtrace_filter_all(&self->t.when);
	OK(devtrace_filter_number(&self->t.when, DEVTRACE_FA_CODES, DEVTRACE_CODE(7, 1), true));
	self->t.nth = 2;
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	emit_code(out, DEVTRACE_CODE(7, 2));
	emit_code(out, DEVTRACE_CODE(8, 1));
	emit_code(out, DEVTRACE_CODE(7, 1));
	GET();
	EXPECT_EQ(1, self->t.seen);
	EXPECT_EQ(0, self->t.fired);
	emit_code(out, DEVTRACE_CODE(7, 1));
	GET();
	EXPECT_EQ(1, self->t.fired);
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));
	self->t.nth = 0;
	close(out);

	/* a major: our events have no code */
	devtrace_filter_all(&self->t.when);
	devtrace_filter_range(&self->t.when, DEVTRACE_FA_TYPES, 0, FIRE_TYPE - 1, false);
	OK(devtrace_filter_number(&self->t.when, DEVTRACE_FA_MAJORS, 7, true));
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	GET();
	EXPECT_EQ(0, self->t.seen);
}

TEST_F(trigger, one_that_stops_again_and_again)
{
	struct devtrace_ctl_stream s;
	int round;

	self->t.action = DEVTRACE_ACTION_STOP;
	self->t.events = 3;
	self->t.nth = 2;
	self->t.rearm = true;
	NEW();
	for (round = 1; round <= 3; round++) {
		struct record *r;
		int i;

		OK(devtrace_ctl_clear(self->ctl, "trace"));
		for (i = 0; i < 20; i++)
			ASSERT_EQ(0, fire(contexts[i % 3], FIRE_TYPE, 0, i, "x"));
		STATE("trace", DEVTRACE_STATE_STOPPED, &s);
		FIRED(round);
		/* two to fire, three more; later ones were not counted */
		r = record("trace");
		EXPECT_EQ(5, r->t->nev);
		record_free(r);
		GET();
		EXPECT_TRUE(self->t.armed);
		EXPECT_EQ(2 * round, self->t.seen);
		OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING));
	}
}

TEST_F(trigger, after_a_time)
{
	struct devtrace_ctl_stream s;
	struct record *r;
	uint64_t first;
	size_t i;

	self->t.action = DEVTRACE_ACTION_STOP;
	self->t.time = 100 * NSEC / 1000;
	for (;;) {
		NEW();
		do {
			ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, 1, "x"));
			OK(devtrace_ctl_stream_get(self->ctl, "trace", &s));
		} while (s.state == DEVTRACE_STATE_RUNNING);
		r = record("trace");
		ASSERT_LE(1, r->t->nev);
		if (r->t->nev > 1)
			break;
		/* The machine was too slow for a second event in that time: extend it. */
		record_free(r);
		self->t.time *= 4;
		ASSERT_GE(60 * NSEC, self->t.time);
		OK(devtrace_ctl_trigger_del(self->ctl, "t"));
		OK(devtrace_ctl_clear(self->ctl, "trace"));
		OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING));
	}
	first = r->t->ev[0].ts;
	for (i = 0; i < r->t->nev; i++)
		EXPECT_GE(first + self->t.time, r->t->ev[i].ts);
	record_free(r);

	/* without further events it stops too */
	OK(devtrace_ctl_trigger_arm(self->ctl, "t", true));
	OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING));
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	STATE("trace", DEVTRACE_STATE_STOPPED, &s);
}

/* Reports of stops to a reader, as letters: s stopped, r runs, l one event lost by a stop. */
struct stops_told {
	char said[16];
	uint64_t from, to, fired;	/* of the last loss, and of the last stop */
};

static void tell_stops(struct tape *t, const struct devtrace_item *i)
{
	struct stops_told *told = t->arg;
	const size_t n = strlen(told->said);

	if (n + 1 == sizeof(told->said))
		return;
	if (i->kind == DEVTRACE_ITEM_STATE) {
		told->said[n] = i->u.state.state == DEVTRACE_STATE_RUNNING ? 'r' : 's';
		if (told->said[n] == 's')
			told->fired = i->u.state.fired;
	} else if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.cause == DEVTRACE_LOST_STOPPED) {
		told->said[n] = i->u.lost.count == 1 ? 'l' : '?';
		told->from = i->u.lost.from;
		told->to = i->u.lost.to;
	}
}

#define EARLY(n)	ASSERT_EQ(0, dev_write_file("/sys/module/dtearly/parameters/more", n))
#define RUN()		OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING))
#define TOLD(what) do {								\
	ASSERT_LE(0, tape_drain(t, fd));					\
	EXPECT_STREQ(what, told.said);						\
} while (0)

/*
 * An event that interrupts the one that fires is lost by the stop: a reader is told so after the
 * stop, though the stream stores five more events. A command that cancels the stop completes it.
 */
TEST_F(trigger, an_event_while_another_fires)
{
	struct stops_told told = { .said = "", .from = UINT64_MAX };
	struct tape *t = tape_new();
	struct devtrace_ctl_stream s;
	int fd, i;

	if (dev_load_file("dtearly.ko", ""))
		SKIP(return, "this kernel has no probes");
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	t->each = tell_stops;
	t->arg = &told;
	self->t.action = DEVTRACE_ACTION_STOP;
	self->t.events = 5;
	NEW();
	/* All events are in one ring. */
	ASSERT_EQ(0, dev_pin(0));
	EARLY("1");
	ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, 1, "x"));
	TOLD("");
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, fire("task", FIRE_TYPE + 1, 0, i, "x"));
	STATE("trace", DEVTRACE_STATE_STOPPED, &s);
	TOLD("sl");
	EXPECT_GE(told.fired, told.from);
	EXPECT_LE(told.fired, told.to);
	RUN();
	TOLD("slr");

	OK(devtrace_ctl_trigger_arm(self->ctl, "t", true));
	ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, 1, "x"));
	RUN();
	TOLD("slr");

	OK(devtrace_ctl_trigger_arm(self->ctl, "t", true));
	EARLY("1");
	ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, 1, "x"));
	TOLD("slr");
	RUN();
	TOLD("slrslr");
	EXPECT_GE(told.to, told.from);
	dev_pin(-1);
	close(fd);
	tape_free(t);
	EXPECT_EQ(0, dev_unload_one("dtearly"));
}

/* After the removal of a stream, listeners get no more notifications about it. */
TEST_F(trigger, a_stream_that_goes_before_it_stops)
{
	struct devtrace_ctl_change c;
	bool gone = false;
	int fd, ret;

	self->t.action = DEVTRACE_ACTION_STOP;
	self->t.time = NSEC;
	strcpy(self->t.stream, "box");
	OK(devtrace_ctl_stream_new(self->ctl, "box", 4096, NULL, 0, DEVTRACE_STATE_RUNNING));
	fd = open("/dev/trace-box", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	NEW();
	ASSERT_EQ(0, fire("task", FIRE_TYPE, 0, 1, "x"));
	FIRED(1);
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));
	OK(devtrace_ctl_stream_del(self->ctl, "box"));
	/* Longer than until it would have stopped */
	dev_sleep_ms(2000);
	while ((ret = devtrace_ctl_next(self->monitor, &c)) > 0) {
		if (c.cmd == DEVTRACE_CMD_NTF_STREAM_DEL)
			gone = true;
		else
			EXPECT_FALSE(gone && c.cmd == DEVTRACE_CMD_NTF_STREAM_SET);
	}
	EXPECT_EQ(0, ret);
	EXPECT_TRUE(gone);
	close(fd);
}

TEST_F(trigger, a_stream_that_stays_has_its_filter_restored)
{
	struct devtrace_ctl_change c;
	struct devtrace_filter f;

	self->t.action = DEVTRACE_ACTION_FILTER;
	devtrace_filter_range(&self->t.filter, DEVTRACE_FA_TYPES, 100, 110, false);
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	NEXT(FILTER, &c);
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));
	EXPECT_EQ(-EBUSY, devtrace_ctl_stream_del(self->ctl, "trace"));
	devtrace_filter_all(&self->t.filter);
	self->t.action = DEVTRACE_ACTION_RESTORE;
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 2, "x"));
	NEXT(FILTER, &c);
	OK(devtrace_ctl_filter_get(self->ctl, "trace", &f, NULL));
	EXPECT_TRUE(devtrace_filter_is_all(&f));
}

TEST_F(trigger, a_filter_set_by_hand_wins)
{
	struct devtrace_ctl_trigger back;
	struct devtrace_ctl_change c;
	struct devtrace_filter hand, f;

	devtrace_filter_all(&hand);
	devtrace_filter_range(&hand, DEVTRACE_FA_TYPES, 30, 40, false);
	self->t.action = DEVTRACE_ACTION_FILTER;
	devtrace_filter_range(&self->t.filter, DEVTRACE_FA_TYPES, 100, 110, false);
	self->t.rearm = true;
	NEW();
	devtrace_ctl_trigger_init(&back, "back");
	devtrace_filter_only(&back.when, DEVTRACE_FA_TYPES);
	devtrace_filter_range(&back.when, DEVTRACE_FA_TYPES, FIRE_TYPE + 1, FIRE_TYPE + 1, true);
	back.action = DEVTRACE_ACTION_RESTORE;
	back.rearm = true;
	OK(devtrace_ctl_trigger_new(self->ctl, &back));

	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	NEXT(FILTER, &c);
	/* the second one changes nothing and does not restart the time */
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	FIRED(2);
	OK(devtrace_ctl_filter_set(self->ctl, "trace", &hand, NULL));
	ASSERT_EQ(0, fire("irq", FIRE_TYPE + 1, 0, 1, "x"));
	NEXT(FIRED, &c);
	EXPECT_STREQ("back", c.u.trigger.name);
	OK(devtrace_ctl_filter_get(self->ctl, "trace", &f, NULL));
	EXPECT_FALSE(devtrace_filter_is_type(&f, 35));

	/* from here on, the trigger restores this filter */
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	NEXT(FILTER, &c);
	OK(devtrace_ctl_filter_get(self->ctl, "trace", &f, NULL));
	EXPECT_TRUE(devtrace_filter_is_type(&f, 35));
	EXPECT_FALSE(devtrace_filter_is_type(&f, 105));
	ASSERT_EQ(0, fire("irq", FIRE_TYPE + 1, 0, 1, "x"));
	NEXT(FILTER, &c);
	OK(devtrace_ctl_filter_get(self->ctl, "trace", &f, NULL));
	EXPECT_FALSE(devtrace_filter_is_type(&f, 35));
	EXPECT_TRUE(devtrace_filter_is_type(&f, 105));
}

/* A trigger sees events that no stream stores. */
TEST_F(trigger, an_event_that_nobody_stores)
{
	struct devtrace_filter none;

	devtrace_filter_none(&none);
	OK(devtrace_ctl_filter_set(self->ctl, "trace", &none, NULL));
	NEW();
	ASSERT_EQ(0, fire("irq", FIRE_TYPE, 0, 1, "x"));
	FIRED(1);
}

TEST_F(trigger, a_stream_in_use_stays)
{
	OK(devtrace_ctl_stream_new(self->ctl, "box", 4096, NULL, 0, DEVTRACE_STATE_RUNNING));
	self->t.action = DEVTRACE_ACTION_STOP;
	strcpy(self->t.stream, "box");
	NEW();
	REFUSED(EBUSY, " t ", devtrace_ctl_stream_del(self->ctl, "box"));
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));
	OK(devtrace_ctl_stream_del(self->ctl, "box"));
	REFUSED(ENOENT, "stream", devtrace_ctl_trigger_new(self->ctl, &self->t));
}

TEST_HARNESS_MAIN
