// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rkh.c - RKH filters in a program, and the numbers of its events
 *
 * The device is that of fakedev.h, which refuses nothing: an event that does not arrive was
 * refused by the program. traceinfo/rkh.expected has the contents of each event.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* Timestamps of frames that qsgate sends */
#define RKH_CFG_TRC_SIZEOF_TSTAMP	16
#include "rkhtrc.h"
#include "fakedev.h"
#include "kselftest_harness.h"

struct evt {
	RKH_SIG_T e;
	uint8_t nref, pool;
};

struct ao {
	const char *name;
	uint8_t prio;
};

static const struct {
	unsigned int first, last, type;
} ranges[] = {
	/* RKH's numbers, and ours */
	{ 0x00, 0x02, 192 }, { 0x20, 0x26, 195 }, { 0x40, 0x48, 202 }, { 0x60, 0x71, 211 },
	{ 0x80, 0x84, 229 }, { 0xa0, 0xa5, 234 }, { 0xa9, 0xaa, 240 }, { 0xac, 0xad, 242 },
	{ 0xc0, 0xd8, 100 }, { 0xd9, 0xdd, 95 }, { 0xde, 0xdf, 86 }, { 0xe0, 0xe9, 245 },
};

static struct ao a = { "a", 0 }, b = { "b", 7 };
static struct evt one = { 1, 0, 1 }, big = { 4000, 0, 1 };
static struct evt completion = { (RKH_SIG_T)RKH_COMPLETION_EVENT, 0, 1 };

FIXTURE(rkh) {
	struct devtrace_rkh before;
};

FIXTURE_SETUP(rkh)
{
	fake_reset();
	RKH_TRC_OPEN();
	self->before = devtrace_rkh;
}

FIXTURE_TEARDOWN(rkh)
{
	devtrace_rkh = self->before;
	EXPECT_EQ(0, devtrace_errors());
}

/* True if the event arrives. */
static bool comes(unsigned int te)
{
	unsigned int nr = fake->nr;

	RKH_TRC_BEGIN_WOAOSIG(te)
		RKH_TRC_UI8(te);
	RKH_TRC_END()
	return fake->nr > nr;
}

static bool dispatch_comes(struct ao *ao, struct evt *evt)
{
	unsigned int nr = fake->nr;

	RKH_TR_SM_DCH(ao, evt, ao);
	return fake->nr > nr;
}

TEST_F(rkh, nothing_until_asked)
{
	unsigned int te;

	for (te = 0; te < 256; te++)
		EXPECT_FALSE(comes(te)) TH_LOG("event %#x", te);
	EXPECT_FALSE(dispatch_comes(&a, &one));
	RKH_TR_FWK_ASSERT("rkhsm", 12);
	EXPECT_EQ(1, fake->nr);
}

TEST_F(rkh, numbers)
{
	bool taken[256] = { false };
	unsigned int te;
	size_t i;

	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		for (te = ranges[i].first; te <= ranges[i].last; te++) {
			unsigned int type = ranges[i].type + te - ranges[i].first;

			ASSERT_TRUE(comes(te));
			EXPECT_EQ(type, fake->events[(fake->nr - 1) % FAKE_EVENTS].bytes[0])
				TH_LOG("event %#x", te);
			EXPECT_FALSE(taken[type]);
			taken[type] = true;
			/* None is a type of the transport, the kernel or QS */
			EXPECT_TRUE(type >= 192 || (type >= 95 && type < 125) || type == 86 ||
				    type == 87);
		}
	}
	EXPECT_EQ(0x44, RKH_TE_SMA_LIFO);
	EXPECT_EQ(0x71, RKH_TE_SM_DCH);
	EXPECT_EQ(0xb4, RKH_TE_FWK_ACTOR);
	EXPECT_EQ(0xe9, RKH_TE_UT_FAIL);
}

TEST_F(rkh, groups_and_events)
{
	unsigned int grp, te;

	/* Both filters apply */
	RKH_FILTER_OFF_GROUP(RKH_TG_SM);
	EXPECT_FALSE(comes(RKH_TE_SM_TRN));
	for (grp = 0; grp < RKH_TG_NGROUP; grp++) {
		RKH_FILTER_ON_EVENT(RKH_TRC_ALL_EVENTS);
		RKH_FILTER_OFF_GROUP_ALL_EVENTS(grp);
		for (te = 0; te < 256; te++)
			EXPECT_EQ(te >> 5 == grp, comes(te)) TH_LOG("group %u, %#x", grp, te);
		RKH_FILTER_ON_GROUP(grp);
		EXPECT_FALSE(comes(grp << 5));
		RKH_FILTER_OFF_GROUP(grp);
		EXPECT_TRUE(comes(grp << 5));
		RKH_FILTER_ON_GROUP_ALL_EVENTS(grp);
		RKH_FILTER_OFF_GROUP(grp);
		EXPECT_FALSE(comes(grp << 5));
	}
	RKH_FILTER_ON_EVENT(RKH_TRC_ALL_EVENTS);
	/* switches its group on too */
	RKH_FILTER_OFF_EVENT(RKH_TE_SM_TRN);
	EXPECT_TRUE(comes(RKH_TE_SM_TRN));
	EXPECT_FALSE(comes(RKH_TE_SM_DCH));
	RKH_FILTER_ON_GROUP(RKH_TRC_ALL_GROUPS);
	EXPECT_FALSE(comes(RKH_TE_SM_TRN));
	RKH_FILTER_OFF_GROUP(RKH_TRC_ALL_GROUPS);
	EXPECT_TRUE(comes(RKH_TE_SM_TRN));
	RKH_FILTER_ON_EVENT(RKH_TE_SM_TRN);
	EXPECT_FALSE(comes(RKH_TE_SM_TRN));
	EXPECT_TRUE(rkh_trc_isoff_(RKH_TE_SM_TRN) == 0);
}

TEST_F(rkh, active_objects)
{
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SIGNALS();
	EXPECT_FALSE(dispatch_comes(&a, &one));
	RKH_FILTER_OFF_SMA(&b);
	EXPECT_FALSE(dispatch_comes(&a, &one));
	EXPECT_TRUE(dispatch_comes(&b, &one));
	RKH_FILTER_OFF_ALL_SMA();
	EXPECT_TRUE(dispatch_comes(&a, &one));
	RKH_FILTER_ON_SMA(&b);
	EXPECT_FALSE(dispatch_comes(&b, &one));
	RKH_FILTER_ON_ALL_SMA();
	EXPECT_FALSE(dispatch_comes(&a, &one));
	EXPECT_FALSE(rkh_trc_symFil_isoff(RKHFilterSma, 7));
	/* invalid slot: ignored */
	rkh_trc_symFil(RKHFilterSma, 256, FILTER_OFF);
	rkh_trc_symFil(RKHFilterTrcEvt, 3, FILTER_OFF);
	rkh_trc_symFil(RKHFilterTrcEvt, 3, RKH_TRC_SET_ALL(FILTER_OFF));
	EXPECT_FALSE(dispatch_comes(&a, &one));
}

TEST_F(rkh, signals)
{
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	EXPECT_FALSE(dispatch_comes(&a, &one));
	/* Not a signal of the program. */
	EXPECT_TRUE(dispatch_comes(&a, &completion));
	RKH_FILTER_OFF_SIGNAL(4000);
	EXPECT_FALSE(dispatch_comes(&a, &one));
	EXPECT_TRUE(dispatch_comes(&a, &big));
	RKH_FILTER_OFF_ALL_SIGNALS();
	RKH_FILTER_ON_SIGNAL(4000);
	EXPECT_TRUE(dispatch_comes(&a, &one));
	EXPECT_FALSE(dispatch_comes(&a, &big));
	RKH_FILTER_ON_ALL_SIGNALS();
	EXPECT_FALSE(dispatch_comes(&a, &one));
}

/* The program cannot enable what the device's filter refuses. */
TEST_F(rkh, device_above)
{
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
	fake_want(DEVTRACE_RKH_TYPE(RKH_TE_SM_DCH), 0);
	EXPECT_FALSE(dispatch_comes(&a, &one));
	fake_want(DEVTRACE_RKH_TYPE(RKH_TE_SM_DCH), 1);
	/* The object of an active object is its priority plus 1. */
	fake_want_object(8, 0);
	EXPECT_FALSE(dispatch_comes(&b, &one));
	EXPECT_TRUE(dispatch_comes(&a, &one));
	EXPECT_EQ(1, fake->events[0].bytes[4] | fake->events[0].bytes[5] << 8);
	EXPECT_EQ(1, fake->events[0].bytes[6] | fake->events[0].bytes[7] << 8);
}

TEST_F(rkh, names)
{
	const struct devtrace_dict *own = fake->dicts + 1;
	static int q, t;

	RKH_TR_FWK_QUEUE(&q);
	RKH_TR_FWK_STATE(&a, &t);
	RKH_TR_FWK_EPOOL(3, "big");
	RKH_TR_FWK_SIG(RKH_TG_UT);
	rkh_trc_obj(RKH_TE_FWK_OBJ, (rui8_t *)&q, "plain");
	rkh_trc_sig(9, "NINE");
	rkh_trc_obj(RKH_TE_FWK_OBJ, (rui8_t *)&q, NULL);
	ASSERT_EQ(9, fake->nr_dicts);
	EXPECT_STREQ("q", own[0].name);
	EXPECT_EQ(DEVTRACE_T_OBJ, own[0].kind);
	EXPECT_EQ((uintptr_t)&q, own[0].key);
	EXPECT_STREQ("t", own[1].name);
	EXPECT_EQ(DEVTRACE_T_ENUM, own[2].kind);
	EXPECT_EQ(3, own[2].value);
	EXPECT_EQ(DEVTRACE_RKH_POOLS, own[2].group);
	/* RKH_EVT_T has the number of the pool plus 1. */
	EXPECT_EQ(4, own[3].value);
	EXPECT_EQ(DEVTRACE_RKH_POOLS_FROM_1, own[3].group);
	EXPECT_STREQ("big", own[3].name);
	EXPECT_EQ(0, own[4].value);
	EXPECT_EQ(DEVTRACE_RKH_POOLS_FROM_1, own[4].group);
	EXPECT_STREQ("static", own[4].name);
	EXPECT_EQ(DEVTRACE_T_SIG, own[5].kind);
	EXPECT_EQ(7, own[5].value);
	EXPECT_EQ(0, own[5].key);
	EXPECT_EQ(9, own[7].value);
	/* For three of these, an event tells their kind. */
	EXPECT_EQ(3, fake->nr);
	EXPECT_EQ(DEVTRACE_RKH_SYMBOL, fake->events[0].bytes[0]);
	EXPECT_EQ(RKH_TE_FWK_QUEUE, fake->events[0].bytes[5]);
}

/* The record tells the gate the sizes as the program has configured them. */
TEST_F(rkh, configuration)
{
	const struct fake_event *e;

	RKH_TRC_SEND_CFG(1000);
	ASSERT_EQ(1, fake->nr);
	e = &fake->events[0];
	EXPECT_EQ(242, e->bytes[0]);
	/* Behind version and options: 2 bytes for signals, 2 for stamps */
	EXPECT_EQ(0x22, e->bytes[sizeof(struct devtrace_emit) + 3 + 5 + 1]);
}

/* Whatever a program calls first, it tells once per process that its events are RKH's. */
TEST_F(rkh, says_whose_events)
{
	static int q;
	int way, status;
	pid_t child;

	for (way = 0; way < 6; way++) {
		fake_reset();
		child = fork();
		if (!child) {
			/* The second call tells nothing. */
			for (int i = 0; i < 2; i++) {
				if (way == 0)
					RKH_TRC_OPEN();
				else if (way == 1)
					RKH_FILTER_OFF_EVENT(RKH_TE_SM_TRN);
				else if (way == 2)
					RKH_FILTER_OFF_GROUP(RKH_TG_SM);
				else if (way == 3)
					RKH_FILTER_OFF_ALL_SMA();
				else if (way == 4)
					RKH_TRC_SEND_CFG(1000);
				else
					RKH_TR_FWK_ASSERT("rkhsm", 12);
			}
			_exit(0);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(1, fake->nr_dicts) TH_LOG("way %d", way);
		EXPECT_EQ(DEVTRACE_T_USR, fake->dicts[0].kind);
		EXPECT_EQ(244, fake->dicts[0].value);
		EXPECT_STREQ("RKH_SYMBOL", fake->dicts[0].name);
	}
	RKH_TR_FWK_QUEUE(&q);
	EXPECT_EQ(2, fake->nr_dicts);
}

/* The port has no data to send. */
TEST_F(rkh, no_stream)
{
	TRCQTY_T n = 9;
	uint8_t byte;

	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	EXPECT_TRUE(comes(RKH_TE_FWK_EN));
	EXPECT_EQ(NULL, rkh_trc_get());
	EXPECT_EQ(NULL, rkh_trc_get_block(&n));
	EXPECT_EQ(0, n);
	EXPECT_EQ(0, rkh_trc_getWholeBlock(&byte, 1));
	RKH_TRC_FLUSH();
	RKH_TRC_CLOSE();
	EXPECT_TRUE(comes(RKH_TE_FWK_EX));
}

int main(int argc, char **argv)
{
	fake_start(argv);
	return test_harness_run(argc, argv);
}
