// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_stat.c - statistics of events in lanes are exact
 *
 * Programs emit a given number of events with the library, and then wait: their lanes hold
 * events that were not taken when statistics are requested. The events emitted, ioctl(2), all
 * netlink dumps, and the events of a new reader are compared.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "dumps.h"
#include "lanes.h"
#include "nl.h"
#include "workers.h"

#define OTHER		"other"
#define CHANGES		40		/* of the filter */

static struct nl nl, ear;

/* Dumps. */

static int dump(int cmd, nl_fn *fn, void *arg)
{
	nl_begin(&nl, cmd);
	return nl_dump(&nl, fn, arg);
}

/* Compare ioctl(2) and netlink for stream 0 without writers; 0, or the failing line. */
static int told(struct devtrace_stats *all, struct devtrace_stats *lanes, struct rows *rows)
{
	struct devtrace_stats s;
	unsigned int i;

	rows->nr = 0;
	if (dev_stats(DEVTRACE_STATS_ALL, all) || dev_stats(DEVTRACE_STATS_LANES, lanes) ||
	    dump(DEVTRACE_CMD_STATS_GET, add_row, rows))
		return __LINE__;
	if (lane_rows(rows, DEVTRACE_STREAM0) != 1)
		return __LINE__;
	s = sum_of(rows, DEVTRACE_STREAM0, false);
	if (!same(&s, all))
		return __LINE__;
	s = sum_of(rows, DEVTRACE_STREAM0, true);
	if (!same(&s, lanes))
		return __LINE__;
	for (i = 0; i < rows->nr; i++)
		if (!adds_up(&rows->v[i].s))
			return __LINE__;
	return adds_up(all) && adds_up(lanes) ? 0 : __LINE__;
}

/* LAG of our only reader; UINT64_MAX on failure. */
static void add_lag(const struct nl_reply *r, void *arg)
{
	uint64_t *lag = arg;

	if (nl_u32(r->a[DEVTRACE_A_PID]) == (uint32_t)getpid())
		*lag = nl_u64(r->a[DEVTRACE_A_LAG]);
}

static uint64_t lag(void)
{
	uint64_t n = UINT64_MAX;

	return dump(DEVTRACE_CMD_READER_GET, add_lag, &n) ? UINT64_MAX : n;
}

/* Number of events read from a thread. */
static uint64_t read_of(const struct tape *t, uint32_t tid)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < t->nev; i++)
		n += t->ev[i].tid == tid;
	return n;
}

/* A new reader; NULL for an invalid stream. */
static struct tape *read_all(void)
{
	struct tape *t = tape_all(64 << 10);

	if (t && tape_clean(t))
		return t;
	tape_free(t);
	return NULL;
}

static int stream_set(const char *stream, int attr, uint32_t v)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	nl_put_u32(&nl, attr, v);
	return nl_do(&nl, NULL, NULL);
}

static int set_up(const char *params)
{
	dev_seed();
	return workers_begin() || dev_load(params) || nl_open(&nl) ? -1 : 0;
}

static int tear_down(const pid_t *pids)
{
	workers_end(pids);
	nl_close(&nl);
	return dev_done();
}

FIXTURE(lane_stat) {
	pid_t	pids[PROGRAMS];
};

FIXTURE_SETUP(lane_stat)
{
	ASSERT_EQ(0, set_up("size=64K"));
}

FIXTURE_TEARDOWN(lane_stat)
{
	EXPECT_EQ(0, tear_down(self->pids));
}

/* A program with one thread that emits in the short form and ends. */
static int emit_and_end(int nr)
{
	pid_t pid = fork();
	int status, i;

	if (!pid) {
		for (i = 0; i < nr; i++)
			devtrace(TYPE, i, ~i);
		_exit(devtrace_errors() ? 1 : 0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? pid : -1;
}

/* Load the module anew, and open netlink again. */
static int load(const char *params)
{
	nl_close(&nl);
	return dev_load(params) || nl_open(&nl) ? -1 : 0;
}

#define MANY	100000

TEST_F(lane_stat, all_are_there_where_there_is_room)
{
	static struct rows rows;
	struct devtrace_stats all, lanes;
	struct by_type types = { .stored = { 0 } };
	struct by_thread thread = { 0 };
	struct tape *t;
	int pid;

	ASSERT_EQ(0, load("size=4M"));
	pid = emit_and_end(MANY);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, told(&all, &lanes, &rows));
	EXPECT_EQ(MANY, all.emitted);
	EXPECT_EQ(MANY, all.stored);
	EXPECT_EQ(0, all.overwritten);
	EXPECT_EQ(MANY, lanes.emitted);
	EXPECT_EQ(4 << 20, lanes.size);
	/* Two elements of 5 bytes, the head of a record, and little more. */
	EXPECT_LE(MANY * 14, lanes.used);
	EXPECT_GT(MANY * 16, lanes.used);
	ASSERT_EQ(0, dump(DEVTRACE_CMD_TYPE_GET, add_type, &types));
	EXPECT_EQ(MANY, types.stored[TYPE]);
	EXPECT_EQ(0, types.filtered[TYPE]);
	thread.tid = pid;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_PROCESS_GET, add_thread, &thread));
	EXPECT_EQ(MANY, thread.stored);
	EXPECT_EQ(MANY, thread.all);
	EXPECT_EQ(pid, thread.pid);
	t = read_all();
	ASSERT_NE(NULL, t);
	EXPECT_EQ(MANY, t->nev);
	EXPECT_EQ(MANY, read_of(t, pid));
	EXPECT_EQ(0, tape_lost(t, -1));
	tape_free(t);
}

TEST_F(lane_stat, what_is_stored_is_held_or_overwritten)
{
	static struct rows rows;
	struct devtrace_stats all, lanes;
	struct tape *t;

	ASSERT_LT(0, emit_and_end(MANY));
	ASSERT_EQ(0, told(&all, &lanes, &rows));
	EXPECT_EQ(MANY, all.emitted);
	EXPECT_EQ(MANY, all.stored);
	EXPECT_EQ(64 << 10, lanes.size);
	EXPECT_GE(lanes.size, lanes.used);
	t = read_all();
	ASSERT_NE(NULL, t);
	EXPECT_LT(0, t->nev);
	EXPECT_EQ(MANY, t->nev + all.overwritten);
	EXPECT_EQ(all.overwritten, tape_lost(t, -1));
	tape_free(t);
}

static void all_types_but(uint8_t types[32], uint8_t type)
{
	memset(types, 0xff, 32);
	/* Except the kernel's profile types. */
	memset(types + 128 / 8, 0, (192 - 128) / 8);
	types[type / 8] &= ~(1 << type % 8);
}

/* No filter, or one that refuses a program, a type, or severities that do not occur. */
static int change_filter(pid_t pid)
{
	const uint32_t p = pid;
	uint8_t types[32];
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	switch (dev_random() % 5) {
	case 0:
		nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &p, sizeof(p));
		break;
	case 1:
		all_types_but(types, TYPE + dev_random() % PROGRAMS);
		nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
		break;
	case 2:
		nl_put_u32(&nl, DEVTRACE_FA_SW_SEVERITY, 2);
		break;
	}
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

TEST_F(lane_stat, each_event_is_counted_once)
{
	static const bool by_lane[PROGRAMS] = { true, true, false, true };
	static struct rows rows;
	const uint32_t far = 1U << 30;
	struct devtrace_stats all, lanes;
	uint64_t emitted = 0, missing = 0, stored = 0, filtered = 0;
	struct by_type types = { .stored = { 0 } };
	struct by_thread thread = { 0 };
	unsigned int p, i;
	struct tape *t;
	int status;

	for (p = 0; p < PROGRAMS; p++) {
		self->pids[p] = start(p, by_lane[p]);
		ASSERT_LT(0, self->pids[p]);
		go_on(p, p ? far : 3001);
	}
	/* Each has emitted while nothing was filtered. */
	for (p = 0; p < PROGRAMS; p++) {
		while (!done_by(p)) {
			ASSERT_EQ(0, waitpid(self->pids[p], &status, WNOHANG));
			dev_sleep_ms(1);
		}
	}
	for (i = 0; i < CHANGES; i++) {
		ASSERT_EQ(0, change_filter(self->pids[i % PROGRAMS]));
		ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &all));
		EXPECT_TRUE(adds_up(&all));
		dev_sleep_ms(dev_random() % 20);
	}
	/* One is killed while it sleeps with events in its lanes, one while it emits. */
	ASSERT_TRUE(finished(0, self->pids[0]));
	for (p = 0; p < 2; p++) {
		while (!done_by(p))
			dev_sleep_ms(1);
		kill(self->pids[p], SIGKILL);
		ASSERT_EQ(self->pids[p], waitpid(self->pids[p], &status, 0));
		EXPECT_EQ(SIGKILL, status);
		self->pids[p] = 0;
	}
	while (!done_by(2) || !done_by(3))
		dev_sleep_ms(1);
	sh->stop = true;
	for (; p < PROGRAMS; p++) {
		ASSERT_EQ(self->pids[p], waitpid(self->pids[p], &status, 0));
		EXPECT_EQ(0, status);
		self->pids[p] = 0;
	}
	ASSERT_EQ(0, told(&all, &lanes, &rows));
	ASSERT_EQ(0, dump(DEVTRACE_CMD_TYPE_GET, add_type, &types));
	ASSERT_EQ(0, dump(DEVTRACE_CMD_PROCESS_GET, add_thread, &thread));
	for (p = 0; p < PROGRAMS; p++) {
		const uint64_t n = types.stored[TYPE + p] + types.filtered[TYPE + p];

		stored += types.stored[TYPE + p];
		filtered += types.filtered[TYPE + p];
		emitted += done_by(p);
		/* Each thread of the killed program may have emitted one more. */
		EXPECT_GE(done_by(p) + (p == 1 ? THREADS : 0), n) TH_LOG("program %u", p);
		missing += done_by(p) - (p == 1 ? 0 : n);
	}
	dev_say("%llu emitted, %llu by lanes, %llu filtered, %llu overwritten, %llu dropped",
		(unsigned long long)all.emitted, (unsigned long long)lanes.emitted,
		(unsigned long long)all.filtered, (unsigned long long)all.overwritten,
		(unsigned long long)dropped(&all));
	missing -= done_by(1);
	EXPECT_GE(dropped(&all), missing);
	EXPECT_LE(emitted, all.emitted);
	EXPECT_GE(emitted + THREADS, all.emitted);
	EXPECT_EQ(all.emitted, all.stored + all.filtered + dropped(&all));
	EXPECT_EQ(all.stored, stored);
	EXPECT_EQ(all.filtered, filtered);
	EXPECT_EQ(all.stored, thread.all);
	EXPECT_LT(0, lanes.stored);
	EXPECT_GT(all.stored, lanes.stored);
	t = read_all();
	ASSERT_NE(NULL, t);
	EXPECT_EQ(all.stored - all.overwritten, t->nev);
	EXPECT_EQ(all.overwritten + dropped(&all), tape_lost(t, -1));
	tape_free(t);
}

TEST_F(lane_stat, what_sleeps_in_lanes_is_counted)
{
	static struct rows rows;
	struct by_type types = { .stored = { 0 } };
	struct by_thread thread = { 0 };
	struct devtrace_stats all, lanes;

	self->pids[0] = start(0, true);
	go_on(0, 7);
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_EQ(0, dump(DEVTRACE_CMD_TYPE_GET, add_type, &types));
	EXPECT_EQ(THREADS * 7, types.stored[TYPE]);
	go_on(0, 7);
	ASSERT_TRUE(finished(0, self->pids[0]));
	thread.tid = sh->w[0][1].tid;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_PROCESS_GET, add_thread, &thread));
	EXPECT_EQ(14, thread.stored);
	EXPECT_EQ(THREADS * 14, thread.all);
	EXPECT_EQ(self->pids[0], thread.pid);
	EXPECT_STREQ("exe", thread.comm);
	go_on(0, 7);
	ASSERT_TRUE(finished(0, self->pids[0]));
	rows.nr = 0;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_STATS_GET, add_row, &rows));
	EXPECT_EQ(THREADS * 21, sum_of(&rows, DEVTRACE_STREAM0, true).stored);
	go_on(0, 7);
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_EQ(0, told(&all, &lanes, &rows));
	EXPECT_EQ(THREADS * 28, all.emitted);
	EXPECT_EQ(THREADS * 28, lanes.stored);
}

TEST_F(lane_stat, another_stream_counts_since_it_began)
{
	static struct rows rows;
	struct devtrace_stats all, lanes, other, other_lanes;
	uint8_t types[32] = { 0 };
	size_t nest;

	self->pids[0] = start(0, true);
	go_on(0, 500);
	ASSERT_TRUE(finished(0, self->pids[0]));
	/* It wants the second program's types alone. */
	types[(TYPE + 1) / 8] = 1 << (TYPE + 1) % 8;
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, OTHER);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 64 << 10);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	go_on(0, 700);
	self->pids[1] = start(1, true);
	go_on(1, 11);
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_TRUE(finished(1, self->pids[1]));

	ASSERT_EQ(0, told(&all, &lanes, &rows));
	EXPECT_EQ(THREADS * 1211, all.emitted);
	EXPECT_EQ(THREADS * 1211, lanes.emitted);
	EXPECT_EQ(1, lane_rows(&rows, OTHER));
	other = sum_of(&rows, OTHER, false);
	other_lanes = sum_of(&rows, OTHER, true);
	EXPECT_EQ(THREADS * 711, other.emitted);
	EXPECT_EQ(THREADS * 11, other.stored);
	EXPECT_EQ(THREADS * 700, other.filtered);
	EXPECT_EQ(THREADS * 711, other_lanes.emitted);
	EXPECT_EQ(THREADS * 11, other_lanes.stored);
	EXPECT_EQ(THREADS * 700, other_lanes.filtered);
	EXPECT_EQ(64 << 10, other_lanes.size);

	/* Types that stream 0 refuses from lanes are refused here too. */
	all_types_but(types, TYPE);
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	go_on(0, 13);
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_EQ(0, told(&all, &lanes, &rows));
	EXPECT_EQ(THREADS * 1224, all.emitted);
	EXPECT_EQ(THREADS * 13, all.filtered);
	other = sum_of(&rows, OTHER, false);
	EXPECT_EQ(THREADS * 724, other.emitted);
	EXPECT_EQ(THREADS * 713, other.filtered);
}

TEST_F(lane_stat, a_reader_lags_by_what_it_has_not_read)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();
	uint64_t first;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, lag());
	self->pids[0] = start(0, true);
	/* A few, in lanes not examined since. */
	go_on(0, 5);
	ASSERT_TRUE(finished(0, self->pids[0]));
	first = lag();
	EXPECT_LT(THREADS * 5 * 14, first);
	EXPECT_GT(4096, first);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_EQ(THREADS * 5, t->nev);
	EXPECT_EQ(0, lag());
	go_on(0, 1000);
	ASSERT_TRUE(finished(0, self->pids[0]));
	EXPECT_LT(THREADS * 1000 * 14, lag());
	EXPECT_GE(64 << 10, lag());
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_EQ(0, lag());
	/* A lane that is new to the reader. */
	self->pids[1] = start(1, true);
	go_on(1, 5);
	ASSERT_TRUE(finished(1, self->pids[1]));
	EXPECT_LT(THREADS * 5 * 14, lag());
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_EQ(0, lag());
	EXPECT_EQ(THREADS * 1010, t->nev);
	EXPECT_TRUE(tape_clean(t));
	tape_free(t);
	close(fd);
}

TEST_F(lane_stat, a_line_for_each_lane)
{
	struct lane_rows lanes = { .nr = 0 };
	static struct rows rows;
	struct devtrace_stats all, st;
	const struct lane_row *l;
	uint64_t overwritten = 0, begun;
	struct tape *t;
	int i;

	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	EXPECT_EQ(0, lanes.nr);
	sh->w[0][2].lane = DEVTRACE_LANE_MIN | DEVTRACE_LANE_NO_CALLS;
	self->pids[0] = start(0, true);
	for (i = 0; i < THREADS; i++)
		sh->w[0][i].want = 10 + i;
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	EXPECT_EQ(THREADS, lanes.nr);
	for (i = 0; i < THREADS; i++) {
		l = lane_of(&lanes, sh->w[0][i].tid);
		ASSERT_NE(NULL, l) TH_LOG("thread %d", i);
		EXPECT_EQ(self->pids[0], l->pid);
		EXPECT_STREQ("exe", l->comm);
		EXPECT_EQ(DEVTRACE_LANE_MIN, l->size);
		EXPECT_EQ(10 + i, l->stored);
		EXPECT_EQ(0, l->overwritten);
		EXPECT_EQ(0, l->dropped);
		EXPECT_EQ(i == 2 ? 2 : 1, l->state);
		EXPECT_LT(0, l->oldest);
		EXPECT_GE(l->now, l->oldest);
	}
	/* Numbers are unique and the smallest free ones. */
	t = read_all();
	ASSERT_NE(NULL, t);
	EXPECT_EQ(33, t->nev);
	tape_free(t);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &all));
	for (i = 0; i < THREADS; i++) {
		EXPECT_LE(all.nr_cpus, lanes.v[i].source);
		EXPECT_GT(all.nr_cpus + THREADS, lanes.v[i].source);
		EXPECT_NE(lanes.v[i].source, lanes.v[(i + 1) % THREADS].source);
	}

	/* More than the 64K ring holds. */
	for (i = 0; i < 2; i++)
		sh->w[0][i].want = 5000 * (i + 1);
	ASSERT_TRUE(finished(0, self->pids[0]));
	lanes.nr = 0;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	EXPECT_EQ(THREADS, lanes.nr);
	ASSERT_EQ(0, told(&all, &st, &rows));
	t = read_all();
	ASSERT_NE(NULL, t);
	for (i = 0; i < THREADS; i++) {
		l = lane_of(&lanes, sh->w[0][i].tid);
		ASSERT_NE(NULL, l) TH_LOG("thread %d", i);
		EXPECT_EQ(sh->w[0][i].done, l->stored + l->dropped);
		EXPECT_EQ(l->stored - l->overwritten, read_of(t, l->tid));
		overwritten += l->overwritten;
		if (l->stored == l->overwritten)
			EXPECT_EQ(0, l->oldest);
	}
	EXPECT_LT(0, overwritten);
	EXPECT_EQ(st.overwritten, overwritten);
	tape_free(t);

	/* They end and disappear; a new one begins at 0. */
	sh->stop = true;
	ASSERT_EQ(self->pids[0], waitpid(self->pids[0], &i, 0));
	self->pids[0] = 0;
	EXPECT_EQ(0, i);
	lanes.nr = 0;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	EXPECT_EQ(0, lanes.nr);
	sh->stop = false;
	memset(sh->w, 0, sizeof(sh->w));
	begun = dev_now();
	self->pids[1] = start(1, true);
	go_on(1, 3);
	ASSERT_TRUE(finished(1, self->pids[1]));
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	EXPECT_EQ(THREADS, lanes.nr);
	for (i = 0; i < THREADS; i++) {
		EXPECT_EQ(3, lanes.v[i].stored);
		EXPECT_EQ(0, lanes.v[i].overwritten);
		EXPECT_LE(begun, lanes.v[i].oldest);
	}
}

/* Time of the oldest event held, not of the one before, to which it is relative. */
TEST_F(lane_stat, the_oldest_is_one_that_is_held)
{
	struct lane_rows lanes = { .nr = 0 };
	uint64_t before;
	int i;

	self->pids[0] = start(0, true);
	go_on(0, 1);
	ASSERT_TRUE(finished(0, self->pids[0]));
	/* The dump takes them. Later events overwrite these in a 64K ring, */
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	lanes.nr = 0;
	self->pids[1] = start(1, true);
	go_on(1, 20000);
	ASSERT_TRUE(finished(1, self->pids[1]));
	before = dev_now();
	/* and these follow. */
	go_on(0, 1);
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	for (i = 0; i < THREADS; i++) {
		const struct lane_row *l = lane_of(&lanes, sh->w[0][i].tid);

		ASSERT_NE(NULL, l) TH_LOG("thread %d", i);
		EXPECT_EQ(2, l->stored);
		EXPECT_EQ(1, l->overwritten);
		EXPECT_LE(before, l->oldest);
		EXPECT_GE(l->now, l->oldest);
	}
}

/* An invalid lane is closed, and listed as long as it is mapped. */
TEST_F(lane_stat, a_closed_lane)
{
	int wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	struct lane_rows lanes = { .nr = 0 };
	struct lane bad;

	ASSERT_LE(0, wfd);
	ASSERT_EQ(0, lane_open(&bad, wfd, 0));
	lane_mark(&bad, TYPE, 1, 1);
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	ASSERT_EQ(1, lanes.nr);
	EXPECT_EQ(getpid(), lanes.v[0].tid);
	EXPECT_EQ(1, lanes.v[0].state);
	lane_block(&bad, bad.n)->used = DEVTRACE_LANE_BLOCK - 1;
	lanes.nr = 0;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	ASSERT_EQ(1, lanes.nr);
	EXPECT_EQ(0, lanes.v[0].state);
	EXPECT_EQ(1, lanes.v[0].stored);
	lane_close(&bad);
	lanes.nr = 0;
	ASSERT_EQ(0, dump(DEVTRACE_CMD_LANE_GET, add_lane, &lanes));
	EXPECT_EQ(0, lanes.nr);
	close(wfd);
}

struct marks {
	int	lanes, others;
	uint32_t percent;
};

static void count_marks(const struct nl_reply *r, void *arg)
{
	struct marks *m = arg;

	if (r->cmd != DEVTRACE_CMD_NTF_WATERMARK)
		return;
	m->percent = nl_u32(r->a[DEVTRACE_A_WATERMARK]);
	if (nl_u32(r->a[DEVTRACE_A_CPU]) == DEVTRACE_CPU_LANES)
		m->lanes++;
	else
		m->others++;
}

/* A 64K ring; block numbers start at 1 or shortly before they wrap. */
FIXTURE(mark) {
	pid_t	pids[PROGRAMS];
};

FIXTURE_VARIANT(mark) {
	const char *params;
};

FIXTURE_VARIANT_ADD(mark, from_zero) {
	.params = "size=64K",
};
FIXTURE_VARIANT_ADD(mark, before_wrap) {
	.params = "size=64K start=4294967000",
};

FIXTURE_SETUP(mark)
{
	ASSERT_EQ(0, set_up(variant->params));
	ASSERT_EQ(0, nl_open(&ear));
	ASSERT_EQ(0, nl_listen(&ear));
}

FIXTURE_TEARDOWN(mark)
{
	nl_close(&ear);
	EXPECT_EQ(0, tear_down(self->pids));
}

TEST_F(mark, lanes_pass_the_watermark)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC), tries;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct tape *t = tape_new();
	struct marks m = { 0 };

	ASSERT_LE(0, fd);
	ASSERT_LT(0, tape_drain(t, fd));
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_WATERMARK, 25));
	self->pids[0] = start(0, true);
	/* 14 bytes each, and the heads of runs: below 4 of 16 blocks, 15 KiB of 16. */
	go_on(0, 350);
	ASSERT_TRUE(finished(0, self->pids[0]));
	EXPECT_EQ(0, poll(&p, 1, 0));
	EXPECT_EQ(0, poll(&p, 1, 300));
	ASSERT_LE(0, nl_heard(&ear, count_marks, &m));
	EXPECT_EQ(0, m.lanes);
	EXPECT_EQ(0, m.others);
	go_on(0, 250);
	EXPECT_EQ(1, poll(&p, 1, 60000));
	ASSERT_TRUE(finished(0, self->pids[0]));
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_EQ(THREADS * 600, t->nev);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, poll(&p, 1, 100));
	/* A work sends it, perhaps later. */
	for (tries = 0; tries < 300 && !m.lanes; tries++) {
		ASSERT_LE(0, nl_heard(&ear, count_marks, &m));
		dev_sleep_ms(m.lanes ? 0 : 100);
	}
	EXPECT_EQ(1, m.lanes);
	EXPECT_EQ(0, m.others);
	EXPECT_EQ(25, m.percent);
	/* Without a mark, a single event wakes a reader. */
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_WATERMARK, 0));
	go_on(0, 1);
	EXPECT_EQ(1, poll(&p, 1, 60000));
	close(fd);
	tape_free(t);
}

TEST_HARNESS_MAIN
