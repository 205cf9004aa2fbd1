// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_filter.c - lanes with filters, triggers, further streams and stops
 *
 * The writer does what a library must do: it reads the control page, then writes into its lane,
 * makes a system call, or does nothing. Settings change while it runs at full speed. Each event
 * is read, reported as lost, or counted as filtered, exactly once; no event that an acknowledged
 * setting forbids has a later time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
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

/* Whether TYPE and OTHER may go into lanes, as bits. */
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

	/* Not the kernel's types, which nothing wants by default */
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

/* A term other than types: not this process. */
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

static int set_state_of(const char *stream, uint32_t state)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	nl_put_u32(&nl, DEVTRACE_A_STATE, state);
	return nl_do(&nl, NULL, NULL);
}

static int set_state(uint32_t state)
{
	return set_state_of(DEVTRACE_STREAM0, state);
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

static int trigger_new_for(const char *stream, int type, uint32_t action)
{
	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "t");
	put_types(DEVTRACE_A_WHEN, -1, type);
	nl_put_u32(&nl, DEVTRACE_A_ACTION, action);
	if (action != DEVTRACE_ACTION_NOTIFY)
		nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	return nl_do(&nl, NULL, NULL);
}

static int trigger_new(int type, uint32_t action)
{
	return trigger_new_for(DEVTRACE_STREAM0, type, action);
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
	/* A term of types */
	EXPECT_EQ(0, filter_all_but(OTHER));
	EXPECT_EQ(1, lane_bits(self));
	EXPECT_EQ(0, filter_all_but(-1));
	EXPECT_EQ(3, lane_bits(self));
	/* Another term: it is applied when events are taken */
	EXPECT_EQ(0, filter_not_pid(1));
	EXPECT_EQ(3, lane_bits(self));
	EXPECT_TRUE(bit(self->control->types, TYPE));
	EXPECT_EQ(0, filter_all_but(-1));
	EXPECT_EQ(3, lane_bits(self));
	/* Another stream gets copies of what is taken */
	EXPECT_EQ(0, side_new(OTHER));
	EXPECT_EQ(3, lane_bits(self));
	/* but its own state counts, too, for the types that it wants */
	EXPECT_EQ(0, set_state_of("side", DEVTRACE_STATE_STOPPED));
	EXPECT_EQ(1, lane_bits(self));
	EXPECT_TRUE(bit(self->control->types, OTHER));
	EXPECT_EQ(0, set_state_of("side", DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(3, lane_bits(self));
	EXPECT_EQ(0, trigger_new_for("side", TYPE, DEVTRACE_ACTION_STOP));
	EXPECT_EQ(0, lane_bits(self));
	EXPECT_EQ(0, trigger_del());
	EXPECT_EQ(3, lane_bits(self));
	EXPECT_EQ(0, set_state_of("side", DEVTRACE_STATE_STOPPED));
	EXPECT_EQ(0, side_del());
	EXPECT_EQ(3, lane_bits(self));
	/* nor does the next stream of this number have the state */
	EXPECT_EQ(0, side_new(OTHER));
	EXPECT_EQ(3, lane_bits(self));
	/* A type that stream 0 does not want */
	EXPECT_EQ(0, filter_all_but(OTHER));
	EXPECT_EQ(1, lane_bits(self));
	EXPECT_TRUE(bit(self->control->types, OTHER));
	EXPECT_EQ(0, filter_all_but(-1));
	EXPECT_EQ(0, side_del());
	EXPECT_EQ(3, lane_bits(self));
	/* A trigger needs events when they are emitted */
	EXPECT_EQ(0, trigger_new(TYPE, DEVTRACE_ACTION_NOTIFY));
	EXPECT_EQ(2, lane_bits(self));
	EXPECT_EQ(0, trigger_del());
	EXPECT_EQ(3, lane_bits(self));
	/* and may stop the stream: each event needs a system call */
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
	EXPECT_EQ(-EBUSY, set_state(DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_STOPPED));
	EXPECT_EQ(0, lane_bits(self));
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(3, lane_bits(self));
}

/* Old events stay readable, whatever the present filter. */
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

/* Events are filtered by the setting in force when taken, and taken before it changes. */
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
	EXPECT_EQ(1, tape_lost(t, -1));
	tape_free(t);
	/* Counted once, with any number of readers */
	tape_free(tape_all(65536));
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(1, st.filtered);
	EXPECT_EQ(1, st.dropped[DEVTRACE_LOST_STOPPED]);
	EXPECT_EQ(6, st.emitted);
	EXPECT_EQ(4, st.stored);
}

/* Events overwritten and dropped later leave the lane's time intact. */
TEST_F(filter, time_goes_on_behind_what_was_dropped)
{
	uint32_t i = 0, first = self->l.n + 1;
	struct tape *t;
	uint64_t ts;

	self->l.dev = -1;
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_STOPPED));
	/* More than it holds, and a part of another block. */
	while (self->l.n < first + self->l.nr || self->l.used < DEVTRACE_LANE_BLOCK / 2)
		lane_mark(&self->l, TYPE, 1, i++);
	EXPECT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
	ts = dev_now();
	lane_mark_at(&self->l, ts, TYPE, 1, i);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(1, t->nev);
	EXPECT_EQ(i, t->ev[0].nr);
	EXPECT_EQ(i, tape_lost(t, -1));
	EXPECT_EQ(ts, t->ev[0].ts);
	EXPECT_EQ(0, t->ev[0].flags & DEVTRACE_F_LATE);
	tape_free(t);
}

static void *writes_and_execs(void *arg)
{
	const int wfd = *(int *)arg;
	struct lane l;
	int i;

	if (lane_open(&l, wfd, 0))
		return NULL;
	for (i = 0; i < 10; i++)
		lane_mark(&l, TYPE, 7, i);
	execl("/bin/sh", "sh", "-c", ":", NULL);
	return NULL;
}

/* An exec by another thread than the first: the lane is closed when the id has changed. */
static int thread_execs(int wfd, int go)
{
	pthread_t th;
	char byte;

	if (read(go, &byte, 1) != 1 || pthread_create(&th, NULL, writes_and_execs, &wfd))
		return 1;
	pthread_join(th, NULL);
	return 2;
}

TEST_F(filter, last_of_a_thread_that_calls_exec)
{
	int i, k, n, go[2], status;
	struct tape *t;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pipe(go));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(thread_execs(self->wfd, go[0]));
		/* Refuse only our process, then only the child. */
		ASSERT_EQ(0, filter_not_pid(i ? pid : getpid()));
		ASSERT_EQ(1, write(go[1], "", 1));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		t = tape_all(65536);
		ASSERT_NE(NULL, t);
		for (k = 0, n = 0; k < t->nev; k++)
			n += t->ev[k].tag == 7;
		EXPECT_EQ(10, n) TH_LOG("filter %d", i);
		EXPECT_EQ(0, tape_lost(t, -1));
		tape_free(t);
		close(go[0]);
		close(go[1]);
	}
}

struct writing {
	FIXTURE_DATA(filter) *f;
	atomic_bool	stop;
	uint32_t	emitted, by_lane;
	atomic_uint	blocks, turns;
	uint64_t	time;		/* time of all events; 0: the current time */
};

static volatile sig_atomic_t alarms;

static void on_alarm(int nr)
{
	alarms++;
}

/* Send SIGALRM every half second: the first may come before the wait. */
static int signal_soon(void)
{
	const struct itimerval t = { { 0, 500000 }, { 0, 500000 } };
	struct sigaction sa = { .sa_handler = on_alarm };

	return sigaction(SIGALRM, &sa, NULL) ?: setitimer(ITIMER_REAL, &t, NULL);
}

static void *keep_writing(void *arg)
{
	struct writing *w = arg;
	const volatile struct devtrace_control *c = w->f->control;
	uint32_t turn;

	for (turn = 0; !w->stop; turn++) {
		atomic_store_explicit(&w->turns, turn, memory_order_relaxed);
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

/* A span of time without events. */
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

/* Limit the reads, as the writer may be faster than the reader. */
#define SOME	3

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
		return quiet ? set_state(DEVTRACE_STATE_FROZEN) :
		       set_state(DEVTRACE_STATE_STOPPED) ?: set_state(DEVTRACE_STATE_RUNNING);
	case TRIGGERS:
		return quiet ? trigger_new(i % 4 ? TYPE : OTHER, i % 3 ? DEVTRACE_ACTION_NOTIFY :
					   DEVTRACE_ACTION_START) : trigger_del();
	default:
		return quiet ? side_new(i % 4 ? TYPE : OTHER) : side_del();
	}
}

/* Wait for a complete turn: the writer's CPU may be stopped on a busy machine. */
static void a_turn(struct writing *w)
{
	const unsigned int was = w->turns;

	while (w->turns - was < 2)
		sched_yield();
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
		a_turn(&w);
		dev_sleep_ms(dev_random() % 3);
		if (!(i % 4))
			read_some(&r, fd, SOME);
		q->to = dev_now();
		EXPECT_EQ(0, change(what, false, i));
		r.nquiet += what <= FREEZES;
		a_turn(&w);
		dev_sleep_ms(dev_random() % 5);
		read_some(&r, fd, SOME);
	}
	w.stop = true;
	pthread_join(th, NULL);
	/* Events delayed by a busy lane */
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
	/* Only types that nothing wants, and further streams, need no system calls. */
	EXPECT_GT(w.emitted + (what == TYPES || what == STREAMS), w.by_lane);
	free(r.seen);
	tape_free(r.t);
	close(fd);
}

/* Neither counts nor events disappear with the lane. */
TEST_F(filter, counted_when_it_is_gone)
{
	struct devtrace_stats st[3];
	struct tape *t;
	int i;

	EXPECT_EQ(0, filter_all_but(TYPE));
	for (i = 0; i < 10000; i++)
		lane_mark(&self->l, i % 4 ? TYPE : OTHER, 1, i);
	ASSERT_EQ(0, dev_stats(-1, &st[0]));
	EXPECT_EQ(10000, st[0].emitted);
	EXPECT_EQ(7500, st[0].filtered);
	EXPECT_EQ(2500, st[0].stored);
	EXPECT_EQ(0, st[0].overwritten);
	/* events that were not taken */
	for (; i < 10100; i++)
		lane_mark(&self->l, i % 4 ? TYPE : OTHER, 1, i);
	lane_close(&self->l);
	ASSERT_EQ(0, dev_stats(-1, &st[1]));
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	ASSERT_EQ(0, dev_stats(-1, &st[2]));
	for (i = 1; i < 3; i++) {
		EXPECT_EQ(10100, st[i].emitted);
		EXPECT_EQ(7575, st[i].filtered);
		EXPECT_EQ(2525, st[i].stored);
		EXPECT_EQ(0, st[i].overwritten);
	}
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	ASSERT_EQ(2525, t->nev);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(4 * i, t->ev[i].nr);
	tape_free(t);
}

/* Write blocks full of the shortest records at full speed. */
static void *flood(void *arg)
{
	struct writing *w = arg;
	struct lane *l = &w->f->l;
	const uint32_t per_block = (DEVTRACE_LANE_BLOCK - sizeof(struct devtrace_lane_block)) / 4;
	const uint32_t word = (uint32_t)TYPE << DEVTRACE_LANE_TYPE_SHIFT;
	struct devtrace_lane_block *b;
	uint32_t i, k;

	for (i = 0; i < l->nr; i++)
		for (k = 0; k < per_block; k++)
			memcpy((uint8_t *)(lane_block(l, i) + 1) + 4 * k, &word, 4);
	while (!w->stop) {
		b = lane_block(l, ++l->n);
		__atomic_store_n(&l->head->open, l->n, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		b->time = w->time ?: dev_now();
		b->count = l->count;
		__atomic_store_n(&b->used, (uint16_t)DEVTRACE_LANE_BLOCK, __ATOMIC_RELEASE);
		__atomic_store_n(&b->number, l->n, __ATOMIC_RELEASE);
		l->count += per_block;
		w->blocks++;
	}
	return NULL;
}

/* Count and drop the events of type OTHER. */
static int others(struct tape *t)
{
	size_t i;
	int n = 0;

	for (i = 0; i < t->nev; i++)
		n += t->ev[i].type == OTHER;
	t->nev = 0;
	t->ndata = 0;
	return n;
}

/* Number of reads; each may take ten seconds on a slow machine. */
#define IN_FLOOD	8

/* A reader returns all the same, with the events of others. */
static void read_in_a_flood(FIXTURE_DATA(filter) *self, struct writing *w,
			    struct __test_metadata *_metadata)
{
	struct tape *t = tape_new();
	static char buf[16384];
	int fd, tries, was = 0, seen = 0;
	pthread_t th;
	ssize_t n;

	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pthread_create(&th, NULL, flood, w));
	while (!w->blocks)
		sched_yield();
	for (tries = 0; tries < 5000 && seen < IN_FLOOD; tries++) {
		if (was < IN_FLOOD)
			ASSERT_EQ(0, dev_emit_mark(self->wfd, OTHER, 1, was++));
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			tape_feed(t, buf, n);
		seen += others(t);
	}
	/* a signal ends the wait */
	ASSERT_EQ(0, fcntl(fd, F_SETFL, 0));
	ASSERT_EQ(0, signal_soon());
	do {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			tape_feed(t, buf, n);
		seen += others(t);
	} while (n > 0 && !alarms);
	EXPECT_TRUE(alarms || errno == EINTR);
	w->stop = true;
	pthread_join(th, NULL);
	dev_say("%u blocks, %d reads", (unsigned int)w->blocks, tries);
	EXPECT_EQ(IN_FLOOD, seen);
	EXPECT_EQ(0, t->damages);
	EXPECT_EQ(0, t->backwards);
	tape_free(t);
	close(fd);
}

/*
 * A lane that ignores the control page, and writes unwanted events faster than the kernel can
 * check them.
 */
TEST_F_TIMEOUT(filter, a_flood_of_what_nobody_wants, 900)
{
	struct writing w = { .f = self };

	lane_close(&self->l);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, DEVTRACE_LANE_MAX));
	EXPECT_EQ(0, filter_all_but(TYPE));
	read_in_a_flood(self, &w, _metadata);
}

/* The same with one event per look of a reader, always within the next record. */
TEST_F(filter, a_trickle_that_says_it_is_old)
{
	const uint64_t old = dev_now(), end = old + 60 * NSEC;
	bool given = false;
	struct tape *t = tape_new();
	static char buf[4096];
	int fd, tries;
	ssize_t n;

	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	self->l.head->busy = 1;
	lane_emit_at(&self->l, old, TYPE, NULL, 0);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, OTHER, 1, 1));
	for (tries = 0; !given && dev_now() < end; tries++) {
		lane_emit_at(&self->l, old, TYPE, NULL, 0);
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			tape_feed(t, buf, n);
		given = others(t);
	}
	dev_say("%d looks", tries);
	EXPECT_TRUE(given);
	EXPECT_TRUE(tape_clean(t));
	tape_free(t);
	close(fd);
}

/* A lane with a stopped clock: events of others would always be later. */
TEST_F(filter, a_flood_that_says_it_is_old)
{
	struct writing w = { .f = self, .time = dev_now() };

	lane_close(&self->l);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN));
	read_in_a_flood(self, &w, _metadata);
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
