// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_size.c - the capacity of the buffer for events of lanes
 *
 * The memory for events of lanes has the size of the stream's buffers, when the module is loaded
 * and when the size is changed. A program that emits less than that at full speed loses nothing,
 * even with a small lane and without a reader.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define TYPE	DEVTRACE_T_USER
#define EVENTS	100000
#define FIRST	500		/* number emitted before the size is changed */
#define ROUNDS	10		/* with a new lane during the change */

static struct nl nl;

/* Events read: the first number, and consecutive ones. */
struct row {
	int32_t		first, next;
	uint64_t	n, wrong;
};

static void look_at(struct tape *t, const struct devtrace_item *i)
{
	const struct devtrace_event *e = &i->u.event;
	struct devtrace_elem nr, same;
	struct row *r = t->arg;
	size_t pos = 0;

	if (i->kind != DEVTRACE_ITEM_EVENT)
		return;
	if (e->type != TYPE || devtrace_elem_next(e->data, e->len, &pos, &nr) != 1 ||
	    devtrace_elem_next(e->data, e->len, &pos, &same) != 1 || pos != e->len ||
	    nr.type != DEVTRACE_E_I32 || same.v.i != ~nr.v.i) {
		r->wrong++;
		return;
	}
	if (!r->n++)
		r->first = nr.v.i;
	else
		r->wrong += nr.v.i != r->next;
	r->next = nr.v.i + 1;
	t->nev = 0;
	t->ndata = 0;
}

/* Read everything as a new reader; *@lost: events reported lost. */
static bool read_all(struct row *r, uint64_t *lost)
{
	struct tape *t = tape_new();
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool ok;

	*r = (struct row){ 0 };
	t->each = look_at;
	t->arg = r;
	ok = fd >= 0 && tape_drain(t, fd) > 0 && tape_clean(t) && !r->wrong;
	*lost = tape_lost(t, -1);
	tape_free(t);
	close(fd);
	return ok;
}

static int resize(uint64_t size)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	return nl_do(&nl, NULL, NULL);
}

static void emit(int32_t from, int32_t to)
{
	for (; from < to; from++)
		devtrace(TYPE, from, ~from);
}

FIXTURE(lane_size) {
	int none;
};

FIXTURE_VARIANT(lane_size) {
	const char *params;
	bool resized;
};

FIXTURE_VARIANT_ADD(lane_size, as_loaded) {
	.params = "size=4M",
};
FIXTURE_VARIANT_ADD(lane_size, at_run_time) {
	.params = "size=64K", .resized = true,
};

FIXTURE_SETUP(lane_size)
{
	ASSERT_EQ(0, dev_load(variant->params));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, devtrace_open());
}

FIXTURE_TEARDOWN(lane_size)
{
	/* its mapping holds the module */
	devtrace_lane(0);
	devtrace_close();
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

TEST_F(lane_size, all_is_read_afterwards)
{
	struct devtrace_stats st;
	struct row r;
	uint64_t lost;
	int turn;

	emit(0, FIRST);
	if (variant->resized)
		ASSERT_EQ(0, resize(4 << 20));
	emit(FIRST, EVENTS);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	dev_say("%llu events by the lane, %llu of %llu bytes are in use",
		(unsigned long long)st.stored, (unsigned long long)st.used,
		(unsigned long long)st.size);
	/* By lane, not by system call */
	EXPECT_EQ(EVENTS, st.stored);
	EXPECT_EQ(EVENTS, st.emitted);
	EXPECT_EQ(0, st.overwritten);
	EXPECT_EQ(4 << 20, st.size);
	for (turn = 0; turn < 2; turn++) {
		ASSERT_TRUE(read_all(&r, &lost));
		EXPECT_EQ(0, lost);
		EXPECT_EQ(0, r.first);
		EXPECT_EQ(EVENTS, r.n);
	}
	/* A smaller buffer keeps the newest; the others are reported. */
	ASSERT_EQ(0, resize(64 << 10));
	emit(EVENTS, EVENTS + 10);
	ASSERT_TRUE(read_all(&r, &lost));
	EXPECT_EQ(EVENTS + 10, r.next);
	EXPECT_LT(1000, r.n);
	EXPECT_EQ(EVENTS + 10, r.n + lost);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	EXPECT_EQ(64 << 10, st.size);
	EXPECT_EQ(r.n, st.stored - st.overwritten);
	EXPECT_EQ(lost, st.overwritten);
	/* A larger one holds all events from then on. */
	ASSERT_EQ(0, resize(1 << 20));
	emit(EVENTS + 10, EVENTS + 10000);
	ASSERT_TRUE(read_all(&r, &lost));
	EXPECT_EQ(st.overwritten, lost);
	EXPECT_EQ(EVENTS + 10000, r.n + lost);
}

/* In a child: the first event, and so the lane, comes within the time of a resize. */
static void emit_soon(uint64_t span, int said, int until)
{
	const uint64_t at = dev_now() + (span ? dev_random() % span : 0);
	char c = 0;

	if (devtrace_open())
		_exit(1);
	while (dev_now() < at)
		;
	emit(0, 1);
	if (write(said, &c, 1) != 1)
		_exit(2);
	_exit(read(until, &c, 1) != 0);
}

/* The memory for lanes gets the new size, even if it is allocated meanwhile. */
TEST(first_lane_comes_while_the_size_changes)
{
	struct devtrace_stats st;
	uint64_t began, span = 0;
	int round, said[2], until[2], status;
	pid_t pid;
	char c;

	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, dev_load("size=64K"));
		ASSERT_EQ(0, nl_open(&nl));
		ASSERT_EQ(0, pipe(said));
		ASSERT_EQ(0, pipe(until));
		pid = fork();
		if (!pid) {
			close(until[1]);
			dev_random_as((unsigned int)round);
			emit_soon(span, said[1], until[0]);
		}
		began = dev_now();
		ASSERT_EQ(0, resize(8 << 20));
		span = dev_now() - began;
		ASSERT_EQ(1, read(said[0], &c, 1));
		ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
		EXPECT_EQ(1, st.stored);
		EXPECT_EQ(8 << 20, st.size);
		close(until[1]);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		close(until[0]);
		close(said[0]);
		close(said[1]);
		nl_close(&nl);
	}
	dev_say("the size changes within %llu us", (unsigned long long)span / 1000);
	EXPECT_EQ(0, dev_done());
}

TEST_HARNESS_MAIN
