// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_filter.c - lanes under filters, triggers, further streams and stops
 *
 * The writer here does what a library has to: it looks at the control page, and writes into
 * its lane, makes a system call, or does nothing. While it does so at full speed the
 * settings change. Whatever it emitted is read, told as lost, or counted as
 * filtered, once; and nothing that an acknowledged setting forbids has a time behind it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define TYPE	DEVTRACE_T_USER
#define OTHER	(DEVTRACE_T_USER + 1)
#define CHANGES	12

static struct nl nl;

FIXTURE(filter) {
	int		wfd;
	struct lane	l;
	const volatile struct devtrace_control *control;
};

FIXTURE_SETUP(filter)
{
	int fd;

	dev_seed();
	ASSERT_EQ(0, dev_load("size=1M"));
	ASSERT_EQ(0, nl_open(&nl));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	fd = open(DEV_PATH, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	self->control = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, self->control);
	close(fd);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
}

FIXTURE_TEARDOWN(filter)
{
	lane_close(&self->l);
	munmap((void *)self->control, sysconf(_SC_PAGESIZE));
	close(self->wfd);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

static bool bit(const volatile uint32_t *words, uint8_t type)
{
	return words[type / 32] >> type % 32 & 1;
}

/* May TYPE, and the other one, go into a lane? 0 to 3 */
static int lane_bits(FIXTURE_DATA(filter) *self)
{
	return bit(self->control->lanes, TYPE) | bit(self->control->lanes, OTHER) << 1;
}

/* Requests. */

static void put_types(int attr, int but, int only)
{
	size_t nest = nl_nest(&nl, attr);
	uint8_t types[32];
	int i;

	/* Not those of the kernel, which nobody wants unless he says so */
	memset(types, only < 0 ? 0xff : 0, sizeof(types));
	for (i = DEVTRACE_T_KERNEL; i < DEVTRACE_T_USER2; i++)
		types[i / 8] &= ~(1 << i % 8);
	if (but >= 0)
		types[but / 8] &= ~(1 << but % 8);
	if (only >= 0)
		types[only / 8] |= 1 << only % 8;
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
}

/* All types but this one; -1: all. */
static int filter_all_but(int type)
{
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	put_types(DEVTRACE_A_FILTER, type, -1);
	return nl_do(&nl, NULL, NULL);
}

/* Not of this process: a term about something else than types. */
static int filter_not_pid(uint32_t pid)
{
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &pid, sizeof(pid));
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

static int set_state(uint32_t state)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u32(&nl, DEVTRACE_A_STATE, state);
	return nl_do(&nl, NULL, NULL);
}

static int side_new(int type)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "side");
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 65536);
	put_types(DEVTRACE_A_FILTER, -1, type);
	return nl_do(&nl, NULL, NULL);
}

static int side_del(void)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_DEL);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "side");
	return nl_do(&nl, NULL, NULL);
}

static int trigger_new(int type, uint32_t action)
{
	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "t");
	put_types(DEVTRACE_A_WHEN, -1, type);
	nl_put_u32(&nl, DEVTRACE_A_ACTION, action);
	if (action != DEVTRACE_ACTION_NOTIFY)
		nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	return nl_do(&nl, NULL, NULL);
}

static int trigger_del(void)
{
	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_DEL);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "t");
	return nl_do(&nl, NULL, NULL);
}

TEST_F(filter, bits_of_the_control_page)
{
	EXPECT_LE(offsetof(struct devtrace_control, lanes) + 32, self->control->size);
	EXPECT_EQ(3, lane_bits(self));
	/* A type */
	EXPECT_EQ(0, filter_all_but(OTHER));
	EXPECT_EQ(1, lane_bits(self));
	EXPECT_EQ(0, filter_all_but(-1));
	EXPECT_EQ(3, lane_bits(self));
	/* Something that a lane does not say */
	EXPECT_EQ(0, filter_not_pid(1));
	EXPECT_EQ(0, lane_bits(self));
	EXPECT_TRUE(bit(self->control->types, TYPE));
	EXPECT_EQ(0, filter_all_but(-1));
	EXPECT_EQ(3, lane_bits(self));
	/* Another stream has no lanes */
	EXPECT_EQ(0, side_new(OTHER));
	EXPECT_EQ(1, lane_bits(self));
	EXPECT_TRUE(bit(self->control->types, OTHER));
	EXPECT_EQ(0, side_del());
	EXPECT_EQ(3, lane_bits(self));
	/* A trigger looks at events where they are stored */
	EXPECT_EQ(0, trigger_new(TYPE, DEVTRACE_ACTION_NOTIFY));
	EXPECT_EQ(2, lane_bits(self));
	EXPECT_EQ(0, trigger_del());
	EXPECT_EQ(3, lane_bits(self));
	/* and may stop the stream: then every event has to ask */
	EXPECT_EQ(0, trigger_new(TYPE, DEVTRACE_ACTION_STOP));
	EXPECT_EQ(0, lane_bits(self));
	EXPECT_EQ(0, trigger_del());
	EXPECT_EQ(3, lane_bits(self));
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_STOPPED));
	EXPECT_EQ(0, lane_bits(self));
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(3, lane_bits(self));
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_FROZEN));
	EXPECT_EQ(0, lane_bits(self));
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(3, lane_bits(self));
}

/* What was wanted when it was written can be read whatever is wanted now. */
TEST_F(filter, what_is_old_stays)
{
	struct tape *t;
	int i, how;

	for (how = 0; how < 3; how++) {
		for (i = 0; i < 100; i++)
			lane_mark(&self->l, TYPE, how, i);
		for (i = 0; i < 12; i++) {
			switch (how) {
			case 0:
				EXPECT_EQ(0, set_state(i & 1 ? DEVTRACE_STATE_RUNNING :
							       DEVTRACE_STATE_STOPPED));
				break;
			case 1:
				EXPECT_EQ(0, filter_all_but(i & 1 ? -1 : TYPE));
				break;
			default:
				EXPECT_EQ(0, filter_all_but(i & 1 ? OTHER : TYPE));
			}
			t = tape_all(65536);
			ASSERT_NE(NULL, t);
			EXPECT_EQ((how + 1) * 100, t->nev) TH_LOG("after %d changes", i + 1);
			EXPECT_EQ(0, tape_lost(t, -1));
			tape_free(t);
		}
		EXPECT_EQ(0, filter_all_but(-1));
	}
}

/* One that was written too late, with a time when it was not wanted. */
TEST_F(filter, what_comes_late_is_filtered)
{
	struct devtrace_stats st;
	struct tape *t;

	lane_mark(&self->l, TYPE, 1, 0);
	lane_mark(&self->l, OTHER, 1, 1);
	EXPECT_EQ(0, filter_all_but(TYPE));
	lane_mark(&self->l, TYPE, 1, 2);
	lane_mark(&self->l, OTHER, 1, 3);
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_STOPPED));
	lane_mark(&self->l, OTHER, 1, 4);
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(0, filter_all_but(-1));
	lane_mark(&self->l, TYPE, 1, 5);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	ASSERT_EQ(4, t->nev);
	EXPECT_EQ(0, t->ev[0].nr);
	EXPECT_EQ(1, t->ev[1].nr);
	EXPECT_EQ(3, t->ev[2].nr);
	EXPECT_EQ(5, t->ev[3].nr);
	tape_free(t);
	/* Counted once, whoever reads */
	tape_free(tape_all(65536));
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(2, st.filtered);
	EXPECT_EQ(6, st.emitted);
	EXPECT_EQ(4, st.stored);
}

/* At full speed. */

struct writing {
	FIXTURE_DATA(filter) *f;
	atomic_bool	stop;
	uint32_t	emitted, by_lane;
};

static void *keep_writing(void *arg)
{
	struct writing *w = arg;
	const volatile struct devtrace_control *c = w->f->control;
	uint32_t turn;

	for (turn = 0; !w->stop; turn++) {
		if (!(turn % 256))
			sched_yield();
		if (!bit(c->types, TYPE))
			continue;
		if (bit(c->lanes, TYPE)) {
			lane_mark(&w->f->l, TYPE, 1, w->emitted);
			w->by_lane++;
		} else {
			dev_emit_mark(w->f->wfd, TYPE, 1, w->emitted);
		}
		w->emitted++;
	}
	return NULL;
}

/* Times from which on, until which, there must be nothing. */
struct quiet {
	uint64_t	from, to;
};

struct reading {
	struct tape	*t;
	struct quiet	quiet[CHANGES];
	int		nquiet, next;
	uint64_t	forbidden, twice;
	uint8_t		*seen;
	size_t		room;
};

/* The writer may be faster: there is no waiting for the end while it runs. */
#define SOME	8

static void read_some(struct reading *r, int fd, int reads)
{
	static char buf[65536];
	ssize_t n;
	size_t i;

	while (reads-- && (n = read(fd, buf, sizeof(buf))) > 0)
		tape_feed(r->t, buf, n);
	for (i = 0; i < r->t->nev; i++) {
		const struct tape_event *e = &r->t->ev[i];
		int q;

		for (q = 0; q < r->nquiet; q++)
			r->forbidden += e->ts > r->quiet[q].from && e->ts < r->quiet[q].to;
		while (e->nr / 8 >= r->room) {
			r->seen = realloc(r->seen, 2 * r->room + 65536);
			memset(r->seen + r->room, 0, r->room + 65536);
			r->room = 2 * r->room + 65536;
		}
		r->twice += r->seen[e->nr / 8] >> e->nr % 8 & 1;
		r->seen[e->nr / 8] |= 1 << e->nr % 8;
	}
	r->t->nev = 0;
	r->t->ndata = 0;
}

enum what { TYPES, STOPS, FREEZES, TRIGGERS, STREAMS };

static int change(enum what what, bool quiet, int i)
{
	switch (what) {
	case TYPES:
		return filter_all_but(quiet ? TYPE : -1);
	case STOPS:
		return set_state(quiet ? DEVTRACE_STATE_STOPPED : DEVTRACE_STATE_RUNNING);
	case FREEZES:
		return set_state(quiet ? DEVTRACE_STATE_FROZEN : DEVTRACE_STATE_RUNNING);
	case TRIGGERS:
		return quiet ? trigger_new(i % 4 ? TYPE : OTHER, i % 3 ? DEVTRACE_ACTION_NOTIFY :
					   DEVTRACE_ACTION_START) : trigger_del();
	default:
		return quiet ? side_new(i % 4 ? TYPE : OTHER) : side_del();
	}
}

static void run(FIXTURE_DATA(filter) *self, enum what what, struct __test_metadata *_metadata)
{
	struct writing w = { .f = self };
	struct reading r = { .t = tape_new() };
	struct devtrace_stats st;
	uint64_t accounted;
	pthread_t th;
	int fd, i;

	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pthread_create(&th, NULL, keep_writing, &w));
	for (i = 0; i < CHANGES; i++) {
		struct quiet *q = &r.quiet[r.nquiet];

		EXPECT_EQ(0, change(what, true, i));
		q->from = dev_now();
		dev_sleep_ms(dev_random() % 3);
		if (!(i % 4))
			read_some(&r, fd, SOME);
		q->to = dev_now();
		EXPECT_EQ(0, change(what, false, i));
		r.nquiet += what <= FREEZES;
		dev_sleep_ms(dev_random() % 5);
		read_some(&r, fd, SOME);
	}
	w.stop = true;
	pthread_join(th, NULL);
	/* What a busy lane held back */
	dev_sleep_ms(20);
	read_some(&r, fd, -1);
	EXPECT_TRUE(tape_clean(r.t));
	EXPECT_EQ(0, r.forbidden);
	EXPECT_EQ(0, r.twice);
	EXPECT_EQ(0, dev_stats(-1, &st));
	accounted = tape_lost(r.t, -1) + st.filtered;
	for (i = 0; i < DEV_CPUS; i++)
		accounted += r.t->read[i];
	EXPECT_EQ(w.emitted, accounted);
	dev_say("%u events, %u of them into the lane, %llu lost, %llu filtered", w.emitted,
		w.by_lane, (unsigned long long)tape_lost(r.t, -1),
		(unsigned long long)st.filtered);
	EXPECT_LT(0, w.by_lane);
	EXPECT_GT(w.emitted + (what == TYPES), w.by_lane);
	free(r.seen);
	tape_free(r.t);
	close(fd);
}

TEST_F(filter, types_are_switched_while_it_is_written)
{
	run(self, TYPES, _metadata);
}

TEST_F(filter, stops_while_it_is_written)
{
	run(self, STOPS, _metadata);
}

TEST_F(filter, freezes_while_it_is_written)
{
	run(self, FREEZES, _metadata);
}

TEST_F(filter, triggers_come_and_go_while_it_is_written)
{
	run(self, TRIGGERS, _metadata);
}

TEST_F(filter, streams_come_and_go_while_it_is_written)
{
	run(self, STREAMS, _metadata);
}

TEST_HARNESS_MAIN
