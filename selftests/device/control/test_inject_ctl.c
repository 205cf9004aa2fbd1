// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_inject_ctl.c - each allocation and each copy in control requests fails once
 *
 * Like test_inject.c, for requests by netlink and by the module parameter of kernel profile
 * events. A request is done completely or not at all: streams, filters and triggers are as
 * before if it was refused, and as requested if not. Listeners are told of each change, or that
 * they missed one. Events stay unchanged. The next request succeeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "inject.h"
#include "nl.h"

#define EVENTS	200
#define SIDE	"/dev/trace-side"

static struct nl nl, monitor;

/* The state of all objects, serialized. */
struct state {
	size_t len;
	uint8_t b[8192];
};

static void note(struct state *s, const void *p, size_t len)
{
	if (len > sizeof(s->b) - s->len)
		abort();
	memcpy(s->b + s->len, p, len);
	s->len += len;
}

static void note_entry(const struct nl_reply *r, void *arg)
{
	struct state *s = arg;
	int i;

	note(s, &r->cmd, sizeof(r->cmd));
	for (i = 0; i <= DEVTRACE_A_MAX; i++) {
		/* Times and counts change without a request. */
		if (r->a[i] && i != DEVTRACE_A_PAD && i != DEVTRACE_A_SINCE &&
		    i != DEVTRACE_A_GENERATION && i != DEVTRACE_A_USED)
			note(s, r->a[i], r->a[i]->nla_len);
	}
}

/* True if stream "side" has anything to read. */
static bool any_on_the_side(void)
{
	struct tape *t = tape_new();
	int fd = open(SIDE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool any = fd >= 0 && tape_drain(t, fd) >= 0 && t->nev;

	if (fd >= 0)
		close(fd);
	tape_free(t);
	return any;
}

static bool state_get(struct state *s)
{
	static const int cmds[] = {
		DEVTRACE_CMD_STREAM_GET, DEVTRACE_CMD_FILTER_GET, DEVTRACE_CMD_TRIGGER_GET,
	};
	uint8_t any = any_on_the_side();

	s->len = 0;
	note(s, &any, sizeof(any));
	for (int i = 0; i < 3; i++) {
		nl_begin(&nl, cmds[i]);
		if (nl_dump(&nl, note_entry, s))
			return false;
	}
	return true;
}

static bool same(const struct state *a, const struct state *b)
{
	return a->len == b->len && !memcmp(a->b, b->b, a->len);
}

/* A filter with each kind of term that needs memory. */
static void put_filter(int attr, uint16_t object)
{
	const struct devtrace_range ranges[] = { { 1, 5 }, { object, object + 300 } };
	const uint32_t numbers[] = { 3, 4, 4000000 };	/* ids of no process here */
	const char comms[2][16] = { "one", "two" };
	uint8_t types[32];
	size_t nest = nl_nest(&nl, attr);

	/* Kernel profile events would arrive on their own. */
	memset(types, 0xff, sizeof(types));
	memset(types + DEVTRACE_T_KERNEL / 8, 0, 64 / 8);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_put(&nl, DEVTRACE_FA_OBJECTS, ranges, sizeof(ranges));
	nl_put(&nl, DEVTRACE_FA_SIGNALS, ranges, sizeof(ranges));
	nl_put(&nl, DEVTRACE_FA_NOT_MAJORS, numbers, sizeof(numbers));
	nl_put(&nl, DEVTRACE_FA_NOT_PIDS, numbers, sizeof(numbers));
	nl_put(&nl, DEVTRACE_FA_NOT_COMMS, comms, sizeof(comms));
	nl_nest_end(&nl, nest);
}

static void side(int cmd)
{
	nl_begin(&nl, cmd);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "side");
}

static void stream_new(void)
{
	side(DEVTRACE_CMD_STREAM_NEW);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 4096);
	put_filter(DEVTRACE_A_FILTER, 20);
}

static void stream_stopped(void)
{
	stream_new();
	nl_put_u32(&nl, DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED);
}

static void stream_del(void)
{
	side(DEVTRACE_CMD_STREAM_DEL);
}

static void stream_set(int attr, uint32_t v)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u32(&nl, attr, v);
}

static void stream_stop(void)
{
	stream_set(DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED);
}

static void stream_freeze(void)
{
	stream_set(DEVTRACE_A_STATE, DEVTRACE_STATE_FROZEN);
}

static void stream_run(void)
{
	stream_set(DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING);
}

static void stream_resize(uint64_t size)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
}

/* The events fit into the old and the new size. */
static void stream_grow(void)
{
	stream_resize(512 << 10);
	nl_put_u32(&nl, DEVTRACE_A_WATERMARK, 50);
}

static void stream_shrink(void)
{
	stream_resize(64 << 10);
	nl_put_u32(&nl, DEVTRACE_A_WATERMARK, 0);
}

static void stream_get(void)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_GET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
}

static void clear(void)
{
	side(DEVTRACE_CMD_CLEAR);
}

static void filter_set(void)
{
	side(DEVTRACE_CMD_FILTER_SET);
	put_filter(DEVTRACE_A_FILTER, 1000);
}

static void filter_back(void)
{
	side(DEVTRACE_CMD_FILTER_SET);
	put_filter(DEVTRACE_A_FILTER, 20);
}

/* Kernel profile events of a process that does not exist: renamed kworkers are filtered. */
static void filter_profile(void)
{
	const uint32_t nobody = 4000000;
	uint8_t types[32] = { 0 };
	size_t nest;

	side(DEVTRACE_CMD_FILTER_SET);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	types[DEVTRACE_T_TASK_RENAME / 8] |= 1 << DEVTRACE_T_TASK_RENAME % 8;
	types[DEVTRACE_T_SCHED_EXEC / 8] |= 1 << DEVTRACE_T_SCHED_EXEC % 8;
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_put(&nl, DEVTRACE_FA_PIDS, &nobody, sizeof(nobody));
	nl_nest_end(&nl, nest);
}

static void filter_get(void)
{
	side(DEVTRACE_CMD_FILTER_GET);
}

static void trigger(int cmd)
{
	nl_begin(&nl, cmd);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "t");
}

/* The trigger stops a stream, so emitters evaluate it. */
static void trigger_stop(void)
{
	size_t nest;

	trigger(DEVTRACE_CMD_TRIGGER_NEW);
	put_filter(DEVTRACE_A_WHEN, 30000);
	nest = nl_nest(&nl, DEVTRACE_A_ELEMENT);
	nl_put_u32(&nl, DEVTRACE_EA_INDEX, 0);
	nl_put_u32(&nl, DEVTRACE_EA_COMPARE, DEVTRACE_CMP_EQ);
	nl_put_str(&nl, DEVTRACE_EA_STRING, "nobody emits this");
	nl_nest_end(&nl, nest);
	nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_STOP);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "side");
}

static void trigger_filter(void)
{
	trigger(DEVTRACE_CMD_TRIGGER_NEW);
	put_filter(DEVTRACE_A_WHEN, 30000);
	nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_FILTER);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	put_filter(DEVTRACE_A_FILTER, 7);
}

static void trigger_del(void)
{
	trigger(DEVTRACE_CMD_TRIGGER_DEL);
}

static void trigger_get(void)
{
	trigger(DEVTRACE_CMD_TRIGGER_GET);
}

static void trigger_disarm(void)
{
	trigger(DEVTRACE_CMD_TRIGGER_SET);
	nl_put(&nl, DEVTRACE_A_ARMED, "\0", 1);
}

static void trigger_arm(void)
{
	trigger(DEVTRACE_CMD_TRIGGER_SET);
	nl_put(&nl, DEVTRACE_A_ARMED, "\1", 1);
}

static void count(const struct nl_reply *r, void *arg)
{
	++*(int *)arg;
}

static int emitted, out = -1;

static void emit(void)
{
	if (dev_emit_mark(out, DEVTRACE_T_USER, 1, emitted++))
		abort();
}

/* All emitted events are in stream 0, once. */
static bool events_are_there(void)
{
	struct tape *t = tape_all(1 << 16);
	bool ok = t && t->nev == emitted && tape_clean(t) && !tape_lost(t, -1);
	int i;

	for (i = 0; ok && i < emitted; i++)
		ok = t->ev[i].tag == 1 && t->ev[i].nr == i;
	if (t)
		tape_free(t);
	return ok;
}

/* An action is a request or one of these functions. */
static bool act(void (*make)(void))
{
	if (make == emit) {
		emit();
		return true;
	}
	make();
	return !nl_do(&nl, NULL, NULL);
}

/* Empty the socket, so that the next notification is not lost. */
static void hear_all(void)
{
	while (nl_heard(&monitor, NULL, NULL) < 0)
		;
}

/* Preparations, the request, and the action that undoes it, or NULL. */
struct request {
	const char *name;
	void (*before[2])(void), (*make)(void), (*undo)(void);
};

static const struct request requests[] = {
	{ "stream-new", { NULL }, stream_new, stream_del },
	{ "stream-new, stopped", { NULL }, stream_stopped, stream_del },
	{ "stream-del", { stream_new }, stream_del, stream_new },
	{ "stream-set, stopped", { NULL }, stream_stop, stream_run },
	{ "stream-set, frozen", { stream_stop }, stream_freeze, stream_stop },
	{ "stream-set, running", { stream_stop }, stream_run, stream_stop },
	{ "stream-set, more", { NULL }, stream_grow, stream_shrink },
	{ "stream-set, less", { stream_grow }, stream_shrink, stream_grow },
	{ "stream-get", { NULL }, stream_get, NULL },
	{ "clear", { stream_new, emit }, clear, emit },
	{ "filter-set", { stream_new }, filter_set, filter_back },
	{ "filter-set, profile", { stream_new }, filter_profile, filter_back },
	{ "filter-set, no profile", { stream_new, filter_profile }, filter_back, filter_profile },
	{ "filter-get", { stream_new }, filter_get, NULL },
	{ "trigger-new, stop", { stream_new }, trigger_stop, trigger_del },
	{ "trigger-new, filter", { NULL }, trigger_filter, trigger_del },
	{ "trigger-del", { stream_new, trigger_stop }, trigger_del, trigger_stop },
	{ "trigger-set, disarmed", { stream_new, trigger_stop }, trigger_disarm, trigger_arm },
	{ "trigger-set, armed", { trigger_filter, trigger_disarm }, trigger_arm, trigger_disarm },
	{ "trigger-get", { trigger_filter }, trigger_get, NULL },
};

FIXTURE(control) {
	struct state before, after, now;
};

FIXTURE_SETUP(control)
{
	dev_seed();
	if (!inject_begin())
		return;
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_open(&monitor));
	ASSERT_EQ(0, nl_listen(&monitor));
	out = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, out);
	while (emitted < EVENTS)
		emit();
}

FIXTURE_TEARDOWN(control)
{
	if (!inject_can())
		return;
	close(out);
	nl_close(&nl);
	nl_close(&monitor);
	EXPECT_EQ(0, dev_done());
}

#define HAVE(state)	ASSERT_TRUE(state_get(state))

TEST_F_TIMEOUT(control, requests, 2000)
{
	const struct request *r;
	int n, i, err, replies, heard, in_spite, worded, left_out;
	bool hit, sent, done, without;

	NEEDS_FAULTS();
	for (r = requests; r < requests + sizeof(requests) / sizeof(*requests); r++) {
		for (i = 0; i < 2 && r->before[i]; i++)
			ASSERT_TRUE(act(r->before[i])) TH_LOG("%s: %s", r->name, nl.why);
		HAVE(&self->before);
		ASSERT_TRUE(act(r->make)) TH_LOG("%s: %s", r->name, nl.why);
		HAVE(&self->after);
		ASSERT_EQ(!r->undo, same(&self->before, &self->after)) TH_LOG("%s", r->name);
		if (r->undo)
			ASSERT_TRUE(act(r->undo)) TH_LOG("%s: %s", r->name, nl.why);
		in_spite = worded = left_out = 0;
		FOR_EACH_PLACE(n, hit) {
			HAVE(&self->now);
			ASSERT_TRUE(same(&self->before, &self->now)) {
				TH_LOG("%s, place %d: not undone", r->name, n);
			}
			hear_all();
			r->make();
			replies = 0;
			inject_arm(n);
			err = nl_send(&nl, NLM_F_ACK);
			hit = inject_disarm();
			sent = !err;
			if (sent)
				err = nl_answers(&nl, count, &replies);
			worded += err < 0 && nl.why[0];
			/* Profile events that are not available are left out and named. */
			without = !err && hit && nl.why[0];
			left_out += without;
			heard = nl_heard(&monitor, NULL, NULL);
			HAVE(&self->now);
			done = !same(&self->before, &self->now);
			if (done && !without)
				EXPECT_TRUE(same(&self->after, &self->now)) {
					TH_LOG("%s, place %d: half done", r->name, n);
				}
			if (!err) {
				in_spite += hit;
				EXPECT_TRUE(without || done == !!r->undo) TH_LOG("%s, place %d", r->name, n);
				EXPECT_EQ(!r->undo, replies) TH_LOG("%s, place %d", r->name, n);
			} else {
				ASSERT_TRUE(hit);
				/* Sent, but the reply is lost: done or not. */
				EXPECT_TRUE(inject_fits(-err) || err == -ENOBUFS) {
					TH_LOG("%s, place %d: %d", r->name, n, err);
				}
				EXPECT_TRUE(!done || (sent && err == -ENOBUFS)) {
					TH_LOG("%s, place %d: done and refused", r->name, n);
				}
			}
			if (done)
				EXPECT_TRUE(heard > 0 || heard == -ENOBUFS) {
					TH_LOG("%s, place %d: nobody told", r->name, n);
				}
			EXPECT_TRUE(events_are_there()) TH_LOG("%s, place %d", r->name, n);
			if (!done)
				ASSERT_TRUE(act(r->make)) {
					TH_LOG("%s, after place %d: %s", r->name, n, nl.why);
				}
			if (r->undo)
				ASSERT_TRUE(act(r->undo)) {
					TH_LOG("%s, undone after place %d: %s", r->name, n, nl.why);
				}
		}
		SAY_PLACES(n, r->name, 4);
		dev_say("done in spite of %d of them, %d in part; refused in words %d times",
			in_spite, left_out, worded);
		/* The state at the beginning. */
		act(trigger_del);
		act(stream_del);
		ASSERT_TRUE(act(stream_run));
		ASSERT_TRUE(act(stream_shrink));
	}
}

static int whole(int cmd)
{
	int n = 0;

	nl_begin(&nl, cmd);
	return nl_dump(&nl, count, &n) ? -1 : n;
}

TEST_F_TIMEOUT(control, dumps, 500)
{
	static const struct { int cmd; const char *name; } dumps[] = {
		{ DEVTRACE_CMD_STREAM_GET, "stream-get" },
		{ DEVTRACE_CMD_FILTER_GET, "filter-get" },
		{ DEVTRACE_CMD_TRIGGER_GET, "trigger-get" },
		{ DEVTRACE_CMD_STATS_GET, "stats-get" },
		{ DEVTRACE_CMD_TYPE_GET, "type-get" },
		{ DEVTRACE_CMD_PROCESS_GET, "process-get" },
		{ DEVTRACE_CMD_READER_GET, "reader-get" },
		{ DEVTRACE_CMD_DICT_GET, "dict-get" },
	};
	static struct nl d;
	char name[32];
	int n, i, err, got, fd;
	bool hit;

	NEEDS_FAULTS();
	ASSERT_TRUE(act(stream_new));
	ASSERT_TRUE(act(trigger_stop));
	/* A reader, for the lists. */
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, name, sizeof(name)));
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "object-%d", i);
		ASSERT_EQ(0, dev_name(out, DEVTRACE_T_OBJ, 0, 0, i + 1, name));
	}
	for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		FOR_EACH_PLACE(n, hit) {
			ASSERT_EQ(0, nl_open(&d));
			nl_begin(&d, dumps[i].cmd);
			got = 0;
			inject_arm(n);
			err = nl_send(&d, NLM_F_DUMP);
			if (!err)
				err = nl_answers(&d, count, &got);
			hit = inject_disarm();
			/* An abandoned dump leaves nothing behind. */
			nl_close(&d);
			if (err) {
				ASSERT_TRUE(hit);
				EXPECT_TRUE(inject_fits(-err) || err == -ENOBUFS) {
					TH_LOG("%s, place %d: %d", dumps[i].name, n, err);
				}
			} else {
				EXPECT_EQ(whole(dumps[i].cmd), got) {
					TH_LOG("%s, place %d", dumps[i].name, n);
				}
			}
			EXPECT_LT(0, whole(dumps[i].cmd));
		}
		SAY_PLACES(n, dumps[i].name, 5);
	}
	close(fd);
	ASSERT_TRUE(act(trigger_del));
	ASSERT_TRUE(act(stream_del));
	EXPECT_TRUE(events_are_there());
}

static uint64_t stored(void)
{
	struct devtrace_stats s;

	return dev_stats(-1, &s) ? 0 : s.stored;
}

static bool profile_is(const char *what)
{
	char buf[4096] = "";

	return dev_read_file(DEV_PROFILE, buf, sizeof(buf)) > 0 && !strcmp(buf, what);
}

TEST_F_TIMEOUT(control, profile, 1000)
{
	static const char wanted[] = "irq,sched_switch,syscalls";
	char on[4096] = "";
	uint64_t before;
	bool hit;
	int n;

	NEEDS_FAULTS();
	ASSERT_EQ(0, dev_write_file(DEV_PROFILE, wanted));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, on, sizeof(on)));
	ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "none"));
	ASSERT_FALSE(profile_is(on));
	FOR_EACH_PLACE(n, hit) {
		inject_arm(n);
		if (dev_write_file(DEV_PROFILE, wanted)) {
			EXPECT_TRUE(inject_fits(errno)) TH_LOG("place %d: %d", n, errno);
			hit = inject_disarm();
			ASSERT_TRUE(hit);
			ASSERT_EQ(0, dev_write_file(DEV_PROFILE, wanted));
		} else {
			hit = inject_disarm();
		}
		EXPECT_TRUE(profile_is(on)) TH_LOG("place %d", n);
		ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "none"));
	}
	SAY_PLACES(n, "profile on", 21);
	FOR_EACH_PLACE(n, hit) {
		ASSERT_EQ(0, dev_write_file(DEV_PROFILE, wanted));
		inject_arm(n);
		if (dev_write_file(DEV_PROFILE, "none")) {
			EXPECT_TRUE(inject_fits(errno)) TH_LOG("place %d: %d", n, errno);
			hit = inject_disarm();
			ASSERT_TRUE(hit);
			ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "none"));
		} else {
			hit = inject_disarm();
		}
		EXPECT_TRUE(profile_is("none\n")) TH_LOG("place %d", n);
		before = stored();
		dev_sleep_ms(5);
		EXPECT_EQ(before, stored()) TH_LOG("place %d", n);
	}
	SAY_PLACES(n, "profile off", 10);
}

/* The module is unloaded completely or not at all. */
TEST_F_TIMEOUT(control, unloading, 1000)
{
	bool hit;
	int n;

	NEEDS_FAULTS();
	close(out);
	nl_close(&monitor);
	FOR_EACH_PLACE(n, hit) {
		nl_close(&nl);
		ASSERT_EQ(0, dev_load("size=4K profile=irq"));
		ASSERT_EQ(0, nl_open(&nl));
		ASSERT_TRUE(act(stream_new)) TH_LOG("%s", nl.why);
		ASSERT_TRUE(act(trigger_stop)) TH_LOG("%s", nl.why);
		inject_arm(n);
		if (dev_unload_one("devtrace")) {
			EXPECT_TRUE(inject_fits(errno)) TH_LOG("place %d: %d", n, errno);
			hit = inject_disarm();
			ASSERT_TRUE(hit);
			EXPECT_EQ(0, dev_unload_one("devtrace"));
		} else {
			hit = inject_disarm();
		}
		EXPECT_EQ(-1, access(DEV_PATH, F_OK)) TH_LOG("place %d", n);
		EXPECT_EQ(-1, access(SIDE, F_OK)) TH_LOG("place %d", n);
	}
	SAY_PLACES(n, "rmmod", 12);
}

TEST_HARNESS_MAIN
