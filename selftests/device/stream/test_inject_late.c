// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_inject_late.c - later allocations of a loaded module fail once
 *
 * Like test_inject_ctl.c: tracepoints added by name, for which the kernel makes counters, and a
 * CPU that comes online, for which rings are made. After a refusal the object does not exist;
 * otherwise it works; and the next attempt always succeeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "inject.h"
#include "nl.h"

/* prctl(PR_SET_NAME) causes its events, and little else. */
#define TRACEPOINT	"task:task_rename"
#define FIRST		(DEVTRACE_T_USER2 - DEVTRACE_TRACEPOINTS_MAX)
#define SIDE		"/dev/trace-side"

static struct nl nl;

FIXTURE(late) {
	int cpus[DEV_CPUS], ncpus;
};

FIXTURE_SETUP(late)
{
	dev_seed();
	if (!inject_begin())
		return;
	self->ncpus = dev_online(self->cpus);
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&nl));
}

FIXTURE_TEARDOWN(late)
{
	if (!inject_can())
		return;
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

static void make(int cmd)
{
	nl_begin(&nl, cmd);
	nl_put_str(&nl, DEVTRACE_A_TRACEPOINT, TRACEPOINT);
}

/* Stream 0 wants only this type; 0: none. */
static void make_want(unsigned int type)
{
	uint8_t map[32] = { 0 };
	size_t nest;

	if (type)
		map[type / 8] = 1 << type % 8;
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, map, sizeof(map));
	nl_nest_end(&nl, nest);
}

static int add(void)
{
	make(DEVTRACE_CMD_PROFILE_ADD);
	return nl_do(&nl, NULL, NULL);
}

static int del(void)
{
	make(DEVTRACE_CMD_PROFILE_DEL);
	return nl_do(&nl, NULL, NULL);
}

static int want(unsigned int type)
{
	make_want(type);
	return nl_do(&nl, NULL, NULL);
}

struct added {
	unsigned int type;	/* 0: it does not exist */
	bool attached;
};

static void added_one(const struct nl_reply *r, void *arg)
{
	struct added *a = arg;

	if (!r->a[DEVTRACE_A_NAME] || strcmp(nl_data(r->a[DEVTRACE_A_NAME]), TRACEPOINT))
		return;
	a->type = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_TYPE]);
	a->attached = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_ATTACHED]);
}

static struct added added(void)
{
	struct added a = { 0 };

	nl_begin(&nl, DEVTRACE_CMD_PROFILE_GET);
	if (nl_dump(&nl, added_one, &a))
		abort();
	return a;
}

/* Number of its events when it occurs once on each CPU. */
static int events_of(unsigned int type)
{
	struct tape *t = tape_new();
	int fd, n = 0, cpus[DEV_CPUS], ncpus = dev_online(cpus);
	size_t i;

	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0)
		abort();
	for (int c = 0; c < ncpus; c++) {
		dev_pin(cpus[c]);
		prctl(PR_SET_NAME, "renamed");
	}
	dev_pin(-1);
	if (tape_drain(t, fd) < 0)
		abort();
	for (i = 0; i < t->nev; i++)
		n += t->ev[i].type == type && t->ev[i].tid == (uint32_t)getpid();
	tape_free(t);
	close(fd);
	return n;
}

/*
 * Send a request with the nth place failing; returns 0 or the kernel's error. *@hit: a place
 * failed.
 */
static int request(int n, bool *hit)
{
	int err;

	inject_arm(n);
	err = nl_send(&nl, NLM_F_ACK);
	*hit = inject_disarm();
	return err ? err : nl_answers(&nl, NULL, NULL);
}

TEST_F_TIMEOUT(late, tracepoints, 2000)
{
	struct added a;
	bool hit;
	int n, err, without = 0;

	NEEDS_FAULTS();
	err = add();
	if (err == -EOPNOTSUPP)
		SKIP(return, "%s", nl.why);
	ASSERT_EQ(0, err) TH_LOG("%s", nl.why);
	ASSERT_EQ(0, want(added().type));
	ASSERT_EQ(self->ncpus, events_of(added().type));
	ASSERT_EQ(0, want(0));
	ASSERT_EQ(0, del());

	FOR_EACH_PLACE(n, hit) {
		make(DEVTRACE_CMD_PROFILE_ADD);
		err = request(n, &hit);
		a = added();
		if (err) {
			ASSERT_TRUE(hit);
			EXPECT_TRUE(inject_fits(-err) || err == -ENOBUFS) TH_LOG("place %d: %d", n, err);
			/* Sent, but the reply is lost: done or not. */
			EXPECT_TRUE(!a.type || err == -ENOBUFS) TH_LOG("place %d", n);
		} else {
			EXPECT_LE(FIRST, a.type) TH_LOG("place %d", n);
		}
		if (!a.type)
			ASSERT_EQ(0, add()) TH_LOG("after place %d: %s", n, nl.why);
		ASSERT_EQ(0, del()) TH_LOG("after place %d: %s", n, nl.why);
	}
	SAY_PLACES(n, "profile-add", 5);

	ASSERT_EQ(0, add());
	FOR_EACH_PLACE(n, hit) {
		a = added();
		make_want(a.type);
		err = request(n, &hit);
		if (err) {
			ASSERT_TRUE(hit);
			EXPECT_TRUE(inject_fits(-err) || err == -ENOBUFS) TH_LOG("place %d: %d", n, err);
		}
		/* A type that is not available is left out and named; others come from each CPU. */
		if (!err && nl.why[0]) {
			EXPECT_TRUE(hit);
			EXPECT_FALSE(added().attached) TH_LOG("place %d: %s", n, nl.why);
			without++;
		}
		EXPECT_EQ(added().attached ? self->ncpus : 0, events_of(a.type)) {
			TH_LOG("place %d", n);
		}
		ASSERT_EQ(0, want(0)) TH_LOG("after place %d: %s", n, nl.why);
		EXPECT_EQ(0, events_of(a.type)) TH_LOG("place %d", n);
		ASSERT_EQ(0, want(a.type)) TH_LOG("after place %d: %s", n, nl.why);
		EXPECT_EQ(self->ncpus, events_of(a.type)) TH_LOG("after place %d", n);
		ASSERT_EQ(0, want(0)) TH_LOG("after place %d: %s", n, nl.why);
	}
	SAY_PLACES(n, "filter-set, a tracepoint", 11);
	dev_say("left out %d times", without);
	EXPECT_LT(0, without);

	FOR_EACH_PLACE(n, hit) {
		a = added();
		ASSERT_EQ(0, want(a.type)) TH_LOG("before place %d: %s", n, nl.why);
		make(DEVTRACE_CMD_PROFILE_DEL);
		err = request(n, &hit);
		if (err) {
			ASSERT_TRUE(hit);
			EXPECT_TRUE(inject_fits(-err) || err == -ENOBUFS) TH_LOG("place %d: %d", n, err);
		}
		/* It exists and works, or it does not exist. */
		EXPECT_EQ(added().type ? self->ncpus : 0, events_of(a.type)) TH_LOG("place %d", n);
		if (!added().type)
			ASSERT_EQ(0, add()) TH_LOG("after place %d: %s", n, nl.why);
	}
	SAY_PLACES(n, "profile-del", 9);
}

/* The CPU was offline since the load: its rings are made now, or it stays offline. */
TEST_F_TIMEOUT(late, a_cpu_that_comes, 2000)
{
	int last, n, k, wfd, stayed = 0;
	struct tape *t;
	bool hit;

	NEEDS_FAULTS();
	if (self->ncpus < 2)
		SKIP(return, "one CPU");
	last = self->cpus[self->ncpus - 1];
	ASSERT_EQ(0, dev_switch(last, false));
	FOR_EACH_PLACE(n, hit) {
		nl_close(&nl);
		ASSERT_EQ(0, dev_load("size=4K"));
		ASSERT_EQ(0, nl_open(&nl));
		nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
		nl_put_str(&nl, DEVTRACE_A_STREAM, "side");
		nl_put_u64(&nl, DEVTRACE_A_SIZE, 4096);
		ASSERT_EQ(0, nl_do(&nl, NULL, NULL)) TH_LOG("%s", nl.why);
		inject_arm(n);
		if (dev_switch(last, true)) {
			EXPECT_TRUE(inject_fits(errno)) TH_LOG("place %d: %d", n, errno);
			hit = inject_disarm();
			ASSERT_TRUE(hit);
			ASSERT_EQ(0, dev_switch(last, true)) TH_LOG("after place %d", n);
			stayed++;
		} else {
			hit = inject_disarm();
		}
		/* Both streams have the events of this CPU. */
		wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
		ASSERT_LE(0, wfd);
		ASSERT_EQ(0, dev_pin(last)) TH_LOG("place %d: it is not there", n);
		for (k = 0; k < 10; k++)
			ASSERT_EQ(0, dev_emit_mark(wfd, DEVTRACE_T_USER, 1, k));
		dev_pin(self->cpus[0]);
		close(wfd);
		for (k = 0; k < 2; k++) {
			int fd = open(k ? SIDE : DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

			ASSERT_LE(0, fd);
			t = tape_new();
			ASSERT_LT(0, tape_drain(t, fd));
			EXPECT_EQ(10, t->read[last]) TH_LOG("place %d, stream %d", n, k);
			EXPECT_TRUE(tape_clean(t));
			EXPECT_EQ(0, tape_lost(t, -1));
			tape_free(t);
			close(fd);
		}
		ASSERT_EQ(0, dev_switch(last, false));
	}
	ASSERT_EQ(0, dev_switch(last, true));
	dev_pin(-1);
	SAY_PLACES(n, "a CPU comes", 22);
	dev_say("it stayed away %d times", stayed);
	EXPECT_LT(0, stayed);
}

TEST_HARNESS_MAIN
