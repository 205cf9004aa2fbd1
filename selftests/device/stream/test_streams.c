// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_streams.c - further streams: made, resized, stopped and removed while in use
 *
 * All requests go by netlink, with nl.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/devtrace_lane.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define NAME	"side"
#define SIDE	"/dev/trace-" NAME

static struct nl nl;

static int stream_new(const char *name, uint64_t size, int type)
{
	uint8_t types[32] = { 0 };
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	if (type >= 0) {
		types[type / 8] = 1 << type % 8;
		nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	}
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

/* A stream for exceptions of this severity and above. */
static int stream_new_severe(const char *name, uint64_t size, uint32_t level)
{
	uint8_t types[32] = { 0 };
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	types[DEVTRACE_T_EXC / 8] = 1 << DEVTRACE_T_EXC % 8;
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_put_u32(&nl, DEVTRACE_FA_HW_SEVERITY, level);
	nl_put_u32(&nl, DEVTRACE_FA_SW_SEVERITY, level);
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

static int stream_del(const char *name)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_DEL);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	return nl_do(&nl, NULL, NULL);
}

static int stream_set(const char *name, int attr, uint32_t v)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u32(&nl, attr, v);
	return nl_do(&nl, NULL, NULL);
}

static int stream_resize(const char *name, uint64_t size)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	return nl_do(&nl, NULL, NULL);
}

static int stream_clear(const char *name)
{
	nl_begin(&nl, DEVTRACE_CMD_CLEAR);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	return nl_do(&nl, NULL, NULL);
}

static int open_stream(const char *path)
{
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* An exception with two elements. */
static int emit_exc(int fd, uint8_t severity, uint32_t nr)
{
	uint8_t buf[sizeof(struct devtrace_emit) + 4 + 2 * 5] = {
		[0] = DEVTRACE_T_EXC, [1] = severity, [2] = DEVTRACE_F_CODE,
		[4] = 1, [5] = 2, [8] = DEVTRACE_E_U32,
		[9] = (uint8_t)nr, [10] = (uint8_t)(nr >> 8), [13] = DEVTRACE_E_U32,
	};

	return dev_emit(fd, (void *)buf, sizeof(buf) - sizeof(struct devtrace_emit));
}

FIXTURE(streams) {
	int out;		/* descriptor to emit */
};

FIXTURE_SETUP(streams)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&nl));
	self->out = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->out);
}

FIXTURE_TEARDOWN(streams)
{
	close(self->out);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

/* Yesterday's fault is still there, although stream 0 has wrapped many times. */
TEST_F(streams, severe_events_are_kept)
{
	struct devtrace_stats st;
	struct tape *t = tape_new();
	uint32_t i;
	size_t k;
	int fd;

	/* rings belong to CPUs: on another one the first event might stay */
	ASSERT_EQ(0, dev_pin(0));
	ASSERT_EQ(0, stream_new_severe(NAME, 64 << 10, 2));
	ASSERT_EQ(0, emit_exc(self->out, DEVTRACE_SEV_SET | DEVTRACE_SEV_HW | 3, 4711));
	for (i = 0; i < 20000; i++) {
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
		if (!(i % 100))
			ASSERT_EQ(0, emit_exc(self->out, DEVTRACE_SEV_SET | 1, i));
	}
	ASSERT_EQ(0, emit_exc(self->out, DEVTRACE_SEV_SET | 2, 4712));

	fd = open_stream(SIDE);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(2, t->nev);
	EXPECT_EQ(4711, t->ev[0].tag);
	EXPECT_EQ(4712, t->ev[1].tag);
	EXPECT_EQ(0, tape_lost(t, -1));
	close(fd);
	tape_free(t);

	/* Stream 0 has the second one; the first was overwritten. */
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_LT(0, st.overwritten);
	t = tape_all(4096);
	ASSERT_LT(0, t->nev);
	for (k = 0; k < t->nev; k++)
		EXPECT_FALSE(t->ev[k].type == DEVTRACE_T_EXC && t->ev[k].tag == 4711);
	EXPECT_EQ(4712, t->ev[t->nev - 1].tag);
	tape_free(t);
	EXPECT_EQ(0, stream_del(NAME));
}

struct blocked {
	pthread_t thread;
	int fd;
	struct tape *t;
	ssize_t last;
	short revents;
};

static void *read_to_end(void *arg)
{
	struct blocked *b = arg;
	struct pollfd p = { .fd = b->fd, .events = POLLIN };
	char buf[512];

	while ((b->last = read(b->fd, buf, sizeof(buf))) > 0)
		tape_feed(b->t, buf, b->last);
	poll(&p, 1, 0);
	b->revents = p.revents;
	return NULL;
}

/*
 * A reader of a removed stream gets the rest, then the end. A reader that is not woken waits
 * until the timeout.
 */
TEST_F_TIMEOUT(streams, removed_while_read, 120)
{
	struct blocked b[4];
	int i, round;

	for (round = 0; round < 10; round++) {
		ASSERT_EQ(0, stream_new(NAME, 4096, DEVTRACE_T_USER));
		for (i = 0; i < 4; i++) {
			b[i].t = tape_new();
			b[i].fd = open(SIDE, O_RDONLY | O_CLOEXEC);
			ASSERT_LE(0, b[i].fd);
			ASSERT_EQ(0, pthread_create(&b[i].thread, NULL, read_to_end, &b[i]));
		}
		for (i = 0; i < 10; i++)
			ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, round, i));
		ASSERT_EQ(0, stream_del(NAME));
		EXPECT_EQ(-1, open(SIDE, O_RDONLY));
		EXPECT_EQ(ENOENT, errno);
		for (i = 0; i < 4; i++) {
			ASSERT_EQ(0, pthread_join(b[i].thread, NULL));
			EXPECT_EQ(0, b[i].last);
			EXPECT_TRUE(b[i].revents & POLLHUP);
			EXPECT_EQ(10, b[i].t->nev);
			EXPECT_TRUE(tape_clean(b[i].t));
			close(b[i].fd);
			tape_free(b[i].t);
		}
	}
	/* Events go to stream 0 as before. */
	ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 99, 99));
}

TEST_F(streams, stream_0_stays)
{
	EXPECT_EQ(-EBUSY, stream_del(DEVTRACE_STREAM0));
	EXPECT_NE(0, nl.why[0]);
	EXPECT_EQ(-ENOENT, stream_del("nobody"));
	EXPECT_NE(0, nl.why[0]);
	EXPECT_EQ(-EEXIST, stream_new(DEVTRACE_STREAM0, 4096, -1));
	EXPECT_NE(0, nl.why[0]);
	ASSERT_EQ(0, stream_new(NAME, 1500, -1));
	/* The module reports it, not the driver core, which would fill the log. */
	dev_log_begin();
	EXPECT_EQ(-EEXIST, stream_new(NAME, 4096, -1));
	EXPECT_FALSE(dev_log_has("duplicate"));
	EXPECT_EQ(0, stream_del(NAME));
}

/* Sixteen in all. */
TEST_F(streams, there_is_an_end)
{
	char name[16];
	int i;

	for (i = 1; i < DEVTRACE_STREAMS_MAX; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		ASSERT_EQ(0, stream_new(name, 1024, DEVTRACE_T_USER));
	}
	EXPECT_EQ(-ENOSPC, stream_new("more", 1024, -1));
	EXPECT_NE(0, nl.why[0]);
	ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 5, 6));
	for (i = 1; i < DEVTRACE_STREAMS_MAX; i++) {
		char path[32];
		struct tape *t = tape_new();
		int fd;

		snprintf(path, sizeof(path), "/dev/trace-s%d", i);
		fd = open_stream(path);
		ASSERT_LE(0, fd);
		ASSERT_LT(0, tape_drain(t, fd));
		EXPECT_EQ(1, t->nev);
		close(fd);
		tape_free(t);
		snprintf(name, sizeof(name), "s%d", i);
		EXPECT_EQ(0, stream_del(name));
	}
}

static struct devtrace_state_item states[8];
static unsigned int nstates;
static size_t state_after[8];	/* events before it */

static void each(struct tape *t, const struct devtrace_item *i)
{
	if (i->kind != DEVTRACE_ITEM_STATE || nstates == 8)
		return;
	states[nstates] = i->u.state;
	state_after[nstates++] = t->nev;
}

/* Stops and starts are frames in the stream. */
TEST_F(streams, stopped_and_started)
{
	struct devtrace_stats st;
	struct tape *t = tape_new();
	int fd = open_stream(DEV_PATH), i;

	nstates = 0;
	t->each = each;
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED));
	for (i = 0; i < 7; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 2, i));
	/* also events of the kernel itself */
	ASSERT_EQ(5, write(self->out, "text\n", 5));
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 3, i));
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_FROZEN));
	EXPECT_EQ(-EBUSY, stream_clear(DEVTRACE_STREAM0));
	EXPECT_EQ(-1, ioctl(fd, DEVTRACE_IOC_CLEAR));
	EXPECT_EQ(EBUSY, errno);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(8, t->nev);
	EXPECT_EQ(1, t->ev[4].tag);
	EXPECT_EQ(3, t->ev[5].tag);
	ASSERT_EQ(3, nstates);
	EXPECT_EQ(DEVTRACE_STATE_STOPPED, states[0].state);
	EXPECT_EQ(5, state_after[0]);
	EXPECT_EQ(DEVTRACE_STATE_RUNNING, states[1].state);
	EXPECT_EQ(5, state_after[1]);
	EXPECT_EQ(DEVTRACE_STATE_FROZEN, states[2].state);
	EXPECT_EQ(8, state_after[2]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, states[i].by_trigger);
	EXPECT_EQ(8, tape_lost(t, -1));
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(8, st.dropped[DEVTRACE_LOST_STOPPED]);
	EXPECT_EQ(16, st.emitted);
	EXPECT_EQ(0, st.filtered);
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED));
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING));
	EXPECT_EQ(0, stream_clear(DEVTRACE_STREAM0));
	close(fd);
	tape_free(t);
}

/* Only a thaw gives up the contents of a frozen stream. A refusal changes nothing. */
TEST_F(streams, frozen_streams_do_not_start)
{
	static const char why[] = "stream is frozen: thaw it first, by setting its state to 1 (stopped)";
	struct devtrace_stats st;
	uint64_t size;
	int i;

	ASSERT_EQ(0, dev_stats(-1, &st));
	size = st.size;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE,
					i ? DEVTRACE_STATE_STOPPED : DEVTRACE_STATE_RUNNING));
		ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_FROZEN));
		nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
		nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
		nl_put_u64(&nl, DEVTRACE_A_SIZE, 8192);
		nl_put_u32(&nl, DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING);
		EXPECT_EQ(-EBUSY, nl_do(&nl, NULL, NULL));
		EXPECT_STREQ(why, nl.why);
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
		ASSERT_EQ(0, dev_stats(-1, &st));
		EXPECT_EQ(1 + i, st.dropped[DEVTRACE_LOST_STOPPED]);
		EXPECT_EQ(size, st.size);
		EXPECT_EQ(-EBUSY, stream_clear(DEVTRACE_STREAM0));
		ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED));
		EXPECT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING));
	}
}

static void count_marks(const struct nl_reply *r, void *arg)
{
	*(int *)arg += r->cmd == DEVTRACE_CMD_NTF_WATERMARK;
}

/* A reader is woken when half of a ring is unread, and not before. */
TEST_F(streams, watermark)
{
	int fd = open_stream(DEV_PATH), marks = 0, i, tries, cpus[DEV_CPUS];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct tape *t = tape_new();
	static struct nl ear;

	ASSERT_EQ(0, nl_open(&ear));
	ASSERT_EQ(0, nl_listen(&ear));
	ASSERT_LT(0, dev_online(cpus));
	ASSERT_EQ(0, dev_pin(cpus[0]));
	ASSERT_EQ(-ERANGE, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_WATERMARK, 100));
	EXPECT_NE(0, nl.why[0]);
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_WATERMARK, 50));
	ASSERT_LT(0, tape_drain(t, fd));
	/* 24 bytes each: less than half of 64 KiB. */
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	EXPECT_EQ(0, poll(&p, 1, 300));
	for (; i < 1800; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	EXPECT_EQ(1, poll(&p, 1, 60000));
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_EQ(1800, t->nev);
	EXPECT_EQ(0, poll(&p, 1, 100));
	/* A work sends it, perhaps later; without a watermark none is sent. */
	for (tries = 0; tries < 300; tries++) {
		ASSERT_LE(0, nl_heard(&ear, count_marks, &marks));
		if (marks)
			break;
		dev_sleep_ms(100);
	}
	EXPECT_LT(0, marks);
	ASSERT_EQ(0, stream_set(DEVTRACE_STREAM0, DEVTRACE_A_WATERMARK, 0));
	ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	EXPECT_EQ(1, poll(&p, 1, 60000));
	nl_close(&ear);
	close(fd);
	tape_free(t);
}

/* Cleared events do not count as overwritten, also after a resize. */
TEST_F(streams, cleared_and_then_resized)
{
	int fd = open_stream(DEV_PATH), i;
	struct tape *t = tape_new();

	ASSERT_LE(0, fd);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	ASSERT_EQ(0, stream_clear(DEVTRACE_STREAM0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 2, i));
	ASSERT_EQ(0, stream_resize(DEVTRACE_STREAM0, 16 << 10));
	dev_sleep_ms(20);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(3, t->nev);
	EXPECT_EQ(10, tape_lost(t, -1));
	for (i = 0; i < DEV_CPUS; i++)
		EXPECT_EQ(0, t->lost[i][DEVTRACE_LOST_OVERWRITTEN]);
	tape_free(t);
	close(fd);
}

static atomic_bool stop;

static void *lanes_come_and_go(void *arg)
{
	struct devtrace_lane_ask ask;
	int *out = arg;

	while (!stop) {
		int fd;

		memset(&ask, 0, sizeof(ask));
		ask.bytes = DEVTRACE_LANE_MIN;
		fd = ioctl(*out, DEVTRACE_IOC_LANE, &ask);
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

/* Lanes belong to the first stream; the order in another one does not depend on them. */
TEST_F(streams, in_order_while_lanes_come_and_go)
{
	const char *s = getenv("DEVICE_SECONDS");
	struct tape *t = tape_new();
	pthread_t th;
	uint64_t end;
	int fd;

	ASSERT_EQ(0, stream_new(NAME, 1 << 20, DTTEST_TYPE + DTTEST_TASK));
	ASSERT_EQ(0, dev_load_writers("heavy=15"));
	fd = open_stream(SIDE);
	ASSERT_LE(0, fd);
	stop = false;
	ASSERT_EQ(0, pthread_create(&th, NULL, lanes_come_and_go, &self->out));
	ASSERT_EQ(0, dev_writers_run(true));
	end = dev_now() + (s && *s ? atoi(s) : 10) * NSEC / 2;
	while (dev_now() < end) {
		ASSERT_LE(0, tape_some(t, fd, 1 << 20));
		EXPECT_EQ(0, t->backwards);
		t->nev = 0;
		t->ndata = 0;
	}
	ASSERT_EQ(0, dev_writers_run(false));
	stop = true;
	pthread_join(th, NULL);
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	tape_free(t);
	close(fd);
	EXPECT_EQ(0, stream_del(NAME));
}

struct reader_seen {
	int n;
	uint64_t lag, read, lost;
};

static void my_reader(const struct nl_reply *r, void *arg)
{
	struct reader_seen *s = arg;

	if (nl_u32(r->a[DEVTRACE_A_PID]) != (uint32_t)getpid())
		return;
	s->n++;
	s->lag += nl_u64(r->a[DEVTRACE_A_LAG]);
	s->read += nl_u64(r->a[DEVTRACE_A_READ]);
	s->lost += nl_u64(r->a[DEVTRACE_A_LOST]);
}

static int readers(struct reader_seen *s)
{
	memset(s, 0, sizeof(*s));
	nl_begin(&nl, DEVTRACE_CMD_READER_GET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	return nl_dump(&nl, my_reader, s);
}

/* Readers are listed with the numbers of events read and unread. */
TEST_F(streams, readers_are_known)
{
	struct tape *t = tape_new();
	struct reader_seen s;
	int fd, i;

	ASSERT_EQ(0, readers(&s));
	EXPECT_EQ(0, s.n);
	fd = open_stream(DEV_PATH);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	ASSERT_EQ(0, readers(&s));
	EXPECT_EQ(1, s.n);
	EXPECT_LE(100 * 24, s.lag);
	EXPECT_EQ(0, s.read);
	ASSERT_LT(0, tape_drain(t, fd));
	ASSERT_EQ(0, readers(&s));
	EXPECT_EQ(0, s.lag);
	EXPECT_EQ(100, s.read);
	EXPECT_EQ(0, s.lost);
	for (i = 0; i < 20000; i++)
		ASSERT_EQ(0, dev_emit_mark(self->out, DEVTRACE_T_USER, 1, i));
	ASSERT_LT(0, tape_drain(t, fd));
	ASSERT_EQ(0, readers(&s));
	EXPECT_EQ(t->nev, s.read);
	EXPECT_EQ(tape_lost(t, -1), s.lost);
	EXPECT_LT(0, s.lost);
	close(fd);
	ASSERT_EQ(0, readers(&s));
	EXPECT_EQ(0, s.n);
	tape_free(t);
}

#define CROWD	1500
#define LEAVE	10

/*
 * Readers closed during a dump hide no other reader: the first ones, in the first message, are
 * closed before the third message is made.
 */
TEST_F(streams, readers_that_go_hide_no_other)
{
	struct rlimit files = { 2 * CROWD, 2 * CROWD };
	struct reader_seen s = { 0 };
	static int fd[CROWD];
	int i, more;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < CROWD; i++)
		fd[i] = open_stream(DEV_PATH);
	nl_begin(&nl, DEVTRACE_CMD_READER_GET);
	ASSERT_EQ(0, nl_dump_begin(&nl));
	ASSERT_EQ(1, nl_dump_part(&nl, my_reader, &s));
	ASSERT_LE(LEAVE, s.n);
	ASSERT_GT(CROWD / 3, s.n);
	for (i = 0; i < LEAVE; i++)
		close(fd[i]);
	do {
		more = nl_dump_part(&nl, my_reader, &s);
	} while (more == 1);
	EXPECT_EQ(0, more);
	EXPECT_EQ(CROWD, s.n);
	for (i = LEAVE; i < CROWD; i++)
		close(fd[i]);
}

/* All other actions on a stream, at full speed. */
static void *torment(void *arg)
{
	const char *path = arg;
	static const int whences[] = { SEEK_SET, SEEK_END, SEEK_DATA, SEEK_CUR };
	char buf[256];
	unsigned int n = 0;

	while (!stop) {
		int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC), i;
		struct pollfd p = { .fd = fd, .events = POLLIN };
		void *page;

		if (fd < 0)
			continue;
		for (i = 0; i < 40 && !stop; i++, n++) {
			if (read(fd, buf, 1 + n % sizeof(buf)) < 0 && errno != EAGAIN)
				abort();
			lseek(fd, 0, whences[n % 4]);
			poll(&p, 1, 0);
			if (n % 16 == 3) {
				page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
				if (page == MAP_FAILED)
					abort();
				munmap(page, getpagesize());
			}
		}
		close(fd);
	}
	return NULL;
}

struct follower {
	pthread_t thread;
	struct tape *t;
	int fd;
};

static void *follow(void *arg)
{
	struct follower *f = arg;
	bool last;

	do {
		struct pollfd p = { .fd = f->fd, .events = POLLIN };

		poll(&p, 1, 20);
		last = stop;
		tape_drain(f->t, f->fd);
		/* Only the totals are needed. */
		f->t->nev = 0;
		f->t->ndata = 0;
	} while (!last);
	return NULL;
}

struct held {
	uint32_t cpu;
	uint64_t used, oldest;
};

static void note_held(const struct nl_reply *r, void *arg)
{
	struct held *h = arg;

	if (nl_u32(r->a[DEVTRACE_A_CPU]) != h->cpu)
		return;
	h->used = nl_u64(r->a[DEVTRACE_A_USED]);
	h->oldest = nl_u64(r->a[DEVTRACE_A_OLDEST]);
}

/* Also if the rest of the ring before its end was too small for an event. */
TEST_F(streams, say_how_old_their_oldest_event_is)
{
	struct held h = { 0 };
	uint64_t before = 0;
	int cpus[DEV_CPUS], fd;
	uint32_t i;

	ASSERT_LT(0, dev_online(cpus));
	ASSERT_EQ(0, dev_pin(cpus[0]));
	h.cpu = cpus[0];
	ASSERT_EQ(0, stream_new(NAME, 1024, -1));
	fd = open(DEV_PATH, O_WRONLY);
	ASSERT_LE(0, fd);
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, dev_emit_numbered(fd, 1, i, 100, 0));
		nl_begin(&nl, DEVTRACE_CMD_STATS_GET);
		nl_put_str(&nl, DEVTRACE_A_STREAM, NAME);
		ASSERT_EQ(0, nl_dump(&nl, note_held, &h));
		ASSERT_LT(0, h.used);
		ASSERT_LE(before, h.oldest) TH_LOG("with event %u", i);
		ASSERT_LT(0, h.oldest);
		before = h.oldest;
	}
	close(fd);
	ASSERT_EQ(0, dev_pin(-1));
	EXPECT_EQ(0, stream_del(NAME));
}

/* All sizes of rings during all other actions: each event is read or lost. */
TEST_F_TIMEOUT(streams, resized_against_everything, 240)
{
	static const char *const paths[] = { DEV_PATH, SIDE };
	static const char *const names[] = { DEVTRACE_STREAM0, NAME };
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], emitted[2] = { 0 };
	const char *s = getenv("DEVICE_SECONDS");
	int cpus[DEV_CPUS], n, i, k, resized = 0;
	pthread_t tormentors[2];
	struct follower f[2];
	uint64_t end;

	n = dev_online(cpus);
	ASSERT_LT(0, n);
	ASSERT_EQ(0, stream_new(NAME, 4096, DTTEST_TYPE + DTTEST_IRQ));
	ASSERT_EQ(0, dev_load_writers("heavy=15"));
	stop = false;
	for (i = 0; i < 2; i++) {
		f[i].t = tape_new();
		ASSERT_NE(NULL, f[i].t);
		/* Events stored during a resize are read a little later. */
		f[i].t->slack = 100000;
		f[i].fd = open_stream(paths[i]);
		ASSERT_LE(0, f[i].fd);
		ASSERT_EQ(0, pthread_create(&f[i].thread, NULL, follow, &f[i]));
		ASSERT_EQ(0, pthread_create(&tormentors[i], NULL, torment, (void *)paths[i]));
	}
	ASSERT_EQ(0, dev_writers_run(true));
	end = dev_now() + (s && *s ? atoi(s) : 10) * NSEC;
	while (dev_now() < end || resized < 8) {
		i = dev_random() % 2;
		ASSERT_EQ(0, stream_resize(names[i], 1024ULL << dev_random() % 11));
		if (!(dev_random() % 16))
			ASSERT_EQ(0, stream_clear(names[i]));
		resized++;
	}
	ASSERT_EQ(0, dev_writers_run(false));
	stop = true;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(f[i].thread, NULL));
		ASSERT_EQ(0, pthread_join(tormentors[i], NULL));
	}
	ASSERT_EQ(0, dev_writers_counts(counts));
	for (i = 0; i < n; i++) {
		for (k = 0; k < DTTEST_CLASSES; k++)
			emitted[0] += counts[cpus[i]][k];
		emitted[1] += counts[cpus[i]][DTTEST_IRQ];
	}
	for (i = 0; i < 2; i++) {
		uint64_t read = 0;

		for (k = 0; k < n; k++)
			read += f[i].t->read[cpus[k]];
		dev_say("%s: %llu emitted, %llu read, %llu lost; %d resizes", names[i],
			(unsigned long long)emitted[i], (unsigned long long)read,
			(unsigned long long)tape_lost(f[i].t, -1), resized);
		EXPECT_TRUE(tape_clean(f[i].t));
		EXPECT_EQ(emitted[i], read + tape_lost(f[i].t, -1));
		EXPECT_LT(0, read);
		close(f[i].fd);
		tape_free(f[i].t);
	}
	EXPECT_EQ(0, stream_del(NAME));
}

TEST_HARNESS_MAIN
