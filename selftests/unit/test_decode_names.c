// SPDX-License-Identifier: GPL-2.0-only
/* test_decode_names.c - names, threads, clocks, and bodies that do not match their type */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "kselftest_harness.h"
#include "decode/decode_priv.h"
#include "teststream.h"

FIXTURE(names) {
	struct stream s;
	struct seen_list seen;
	struct devtrace_decoder *d;
};

FIXTURE_SETUP(names)
{
	stream_init(&self->s, DEVTRACE_CHECK_CRC32);
	self->d = devtrace_decoder_new(seen_add, &self->seen);
	ASSERT_NE(NULL, self->d);
}

FIXTURE_TEARDOWN(names)
{
	devtrace_decoder_free(self->d);
	stream_free(&self->s);
	seen_free(&self->seen);
}

/* Decode the frames added to the stream, and empty it. */
static void feed(struct devtrace_decoder *d, struct stream *s)
{
	devtrace_decoder_feed(d, s->bytes, s->len, NULL);
	s->len = 0;
}

static bool is(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

TEST_F(names, found)
{
	struct devtrace_decoder *d = self->d;
	struct stream *s = &self->s;

	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 1));
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 1, "kernel object");
	stream_name(s, DEVTRACE_T_OBJ, 70, 0, 0, 1, "object of 70");
	stream_name(s, DEVTRACE_T_FUN, 0, 0, 0, 1, "function");
	stream_name(s, DEVTRACE_T_SIG, 0, 9, 0, 0, "kernel any");
	stream_name(s, DEVTRACE_T_SIG, 0, 9, 0, 5, "kernel 5");
	stream_name(s, DEVTRACE_T_SIG, 70, 9, 0, 0, "70 any");
	stream_name(s, DEVTRACE_T_ENUM, 0, 3, 1, 0, "three");
	stream_name(s, DEVTRACE_T_USR, 70, 101, 0, 0, "record");
	feed(d, s);
	EXPECT_TRUE(is("kernel object", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 1)));
	EXPECT_TRUE(is("object of 70", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 70, 0, 0, 1)));
	EXPECT_TRUE(is("kernel object", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 71, 0, 0, 1)));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 2));
	EXPECT_TRUE(is("function", devtrace_decoder_name(d, DEVTRACE_T_FUN, 5, 0, 0, 1)));
	EXPECT_TRUE(is("70 any", devtrace_decoder_name(d, DEVTRACE_T_SIG, 70, 9, 0, 5)));
	EXPECT_TRUE(is("kernel 5", devtrace_decoder_name(d, DEVTRACE_T_SIG, 1, 9, 0, 5)));
	EXPECT_TRUE(is("kernel any", devtrace_decoder_name(d, DEVTRACE_T_SIG, 1, 9, 0, 6)));
	EXPECT_TRUE(is("three", devtrace_decoder_name(d, DEVTRACE_T_ENUM, 0, 3, 1, 0)));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_ENUM, 0, 3, 2, 0));
	EXPECT_TRUE(is("record", devtrace_decoder_name(d, DEVTRACE_T_USR, 70, 101, 0, 0)));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_USR, 0, 101, 0, 0));

	/* An image of the kernel is never one of a process. */
	stream_name(s, DEVTRACE_T_IMAGE, 0, 0, 0, 0, "1f3a");
	stream_name(s, DEVTRACE_T_IMAGE, 70, 1, 0, 0, "77aa");
	stream_name(s, DEVTRACE_T_IMAGE, 70, 1, 1, 0, "/bin/pumpd");
	feed(d, s);
	EXPECT_TRUE(is("1f3a", devtrace_decoder_name(d, DEVTRACE_T_IMAGE, 0, 0, 0, 0)));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_IMAGE, 70, 0, 0, 0));
	EXPECT_TRUE(is("77aa", devtrace_decoder_name(d, DEVTRACE_T_IMAGE, 70, 1, 0, 0)));
	EXPECT_TRUE(is("/bin/pumpd", devtrace_decoder_name(d, DEVTRACE_T_IMAGE, 70, 1, 1, 0)));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_IMAGE, 0, 1, 0, 0));

	/* A new name replaces the old one. */
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 1, "renamed");
	feed(d, s);
	EXPECT_TRUE(is("renamed", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 1)));

	/* A new stream has its own names. */
	s->sent = 0;
	stream_info(s, DEVTRACE_INFO_OPEN);
	feed(d, s);
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 1));
}

static int last_tgid(const struct devtrace_item *item, void *arg)
{
	if (item->kind == DEVTRACE_ITEM_EVENT)
		*(uint32_t *)arg = item->u.event.tgid;
	return 0;
}

/* An event of thread 0. */
static void stream_idle(struct stream *s, uint16_t source)
{
	struct devtrace_wire_event e = {
		.flags = DEVTRACE_CTX_IRQ,
		.source = htole16(source),
		.ts = htole64(s->ts++),
	};

	stream_frame(s, DEVTRACE_T_USER, &e, sizeof(e));
}

/* Each CPU has an idle thread, and all have id 0; a lane has none. */
TEST_F(names, idle_threads)
{
	struct devtrace_decoder *d = self->d;
	struct stream *s = &self->s;
	uint32_t tgid = 99;

	EXPECT_EQ(NULL, devtrace_decoder_proc(d, 0, NULL));
	s->nr_cpus = 4096;
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_idle(s, 4096);
	feed(d, s);
	EXPECT_EQ(NULL, devtrace_decoder_proc(d, 0, NULL));
	stream_idle(s, 1);
	feed(d, s);
	EXPECT_TRUE(is("swapper/1", devtrace_decoder_proc(d, 0, &tgid)));
	EXPECT_EQ(0, tgid);
	stream_idle(s, 4095);
	feed(d, s);
	EXPECT_TRUE(is("swapper/4095", devtrace_decoder_proc(d, 0, NULL)));
	stream_idle(s, 0);
	feed(d, s);
	EXPECT_TRUE(is("swapper/0", devtrace_decoder_proc(d, 0, NULL)));
	/* A single name for all of them, as an older kernel sends it, is ignored. */
	stream_proc(s, 0, 0, "swapper/7");
	stream_idle(s, 10);
	feed(d, s);
	EXPECT_TRUE(is("swapper/10", devtrace_decoder_proc(d, 0, NULL)));
	/* A new stream. */
	s->sent = 0;
	s->nr_cpus = 0;
	stream_info(s, DEVTRACE_INFO_OPEN);
	feed(d, s);
	EXPECT_EQ(NULL, devtrace_decoder_proc(d, 0, NULL));
	stream_idle(s, 65535);
	feed(d, s);
	EXPECT_TRUE(is("swapper/65535", devtrace_decoder_proc(d, 0, NULL)));
}

TEST_F(names, threads)
{
	uint32_t tgid = 99, of_event = 99;
	struct devtrace_decoder *d = devtrace_decoder_new(last_tgid, &of_event);
	struct stream *s = &self->s;

	ASSERT_NE(NULL, d);
	EXPECT_EQ(NULL, devtrace_decoder_proc(d, 77, &tgid));
	EXPECT_EQ(0, tgid);
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_number(s, 1);			/* an event of thread 77 */
	feed(d, s);
	EXPECT_EQ(0, of_event);
	stream_proc(s, 77, 70, "one");
	stream_number(s, 1);
	feed(d, s);
	EXPECT_EQ(70, of_event);
	EXPECT_TRUE(is("one", devtrace_decoder_proc(d, 77, &tgid)));
	EXPECT_EQ(70, tgid);
	/* Another thread in the same cache entry. */
	stream_proc(s, 77 + 16, 71, "other");
	stream_number(s, 1);
	feed(d, s);
	EXPECT_EQ(70, of_event);
	/* The id is reused. */
	stream_proc(s, 77, 77, "two");
	stream_number(s, 1);
	feed(d, s);
	EXPECT_EQ(77, of_event);
	EXPECT_TRUE(is("two", devtrace_decoder_proc(d, 77, NULL)));
	EXPECT_TRUE(is("other", devtrace_decoder_proc(d, 93, NULL)));
	s->sent = 0;
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_number(s, 1);
	feed(d, s);
	EXPECT_EQ(0, of_event);
	devtrace_decoder_free(d);
}

/* With many names, memory stays bounded, and names in use stay. */
TEST_F(names, bounded)
{
	struct devtrace_decoder *d = self->d;
	struct stream *s = &self->s;
	char name[32];

	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 1ull << 60, "asked for");
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 1ull << 61, "not asked for");
	for (uint32_t i = 0; i < 3 * DT_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, i, name);
		stream_proc(s, i, i, name);
		if (i % 1000)
			continue;
		feed(d, s);
		s->nr = 0;
		self->seen.nr = 0;
		ASSERT_TRUE(is("asked for", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0,
								  1ull << 60)));
	}
	feed(d, s);
	EXPECT_EQ(DT_NAMES_MAX, d->names.count);
	EXPECT_EQ(DT_NAMES_MAX, d->names.size);
	EXPECT_EQ(DT_NAMES_MAX, d->procs.count);
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 1ull << 61));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 1000));
	for (uint32_t i = 3 * DT_NAMES_MAX - DT_NAMES_MAX / 2; i < 3 * DT_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		ASSERT_TRUE(is(name, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, i)));
		ASSERT_TRUE(is(name, devtrace_decoder_proc(d, i, NULL)));
	}
	/* A name longer than the limit. */
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 7,
		    "0123456789012345678901234567890123456789012345678901234567890123456789");
	feed(d, s);
	EXPECT_TRUE(is("012345678901234567890123456789012345678901234567890123456789012",
		       devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 7)));
}

static void clock_frame(struct stream *s, uint64_t ts, uint64_t mono, int64_t real)
{
	struct body b = {};

	body_int(&b, s->sent, 8);
	body_int(&b, ts, 8);
	body_int(&b, mono, 8);
	body_int(&b, mono, 8);
	body_int(&b, (uint64_t)real, 8);
	stream_frame(s, DEVTRACE_T_CLOCK, b.bytes, b.len);
}

TEST_F(names, clocks)
{
	struct devtrace_decoder *d = self->d;
	struct stream *s = &self->s;
	int64_t real;
	uint64_t mono;

	EXPECT_FALSE(devtrace_decoder_real(d, 5, &real));
	EXPECT_FALSE(devtrace_decoder_mono(d, 5, &mono));
	stream_info(s, DEVTRACE_INFO_OPEN);
	clock_frame(s, 1000, 500, 100000);
	clock_frame(s, 2000, 1500, 50000);	/* the clock was set back */
	clock_frame(s, 3000, 2500, -7);
	feed(d, s);
	EXPECT_TRUE(devtrace_decoder_real(d, 1999, &real) && real == 100999);
	EXPECT_TRUE(devtrace_decoder_real(d, 2000, &real) && real == 50000);
	EXPECT_TRUE(devtrace_decoder_real(d, 2999, &real) && real == 50999);
	EXPECT_TRUE(devtrace_decoder_real(d, 3004, &real) && real == -3);
	EXPECT_TRUE(devtrace_decoder_real(d, 900, &real) && real == 99900);
	EXPECT_TRUE(devtrace_decoder_mono(d, 2999, &mono) && mono == 2499);

	/* More clocks than are kept: the newest stay. */
	for (uint64_t i = 4; i < 204; i++)
		clock_frame(s, i * 1000, i * 1000 - 500, (int64_t)i);
	feed(d, s);
	EXPECT_TRUE(devtrace_decoder_real(d, 203001, &real) && real == 204);
	EXPECT_TRUE(devtrace_decoder_real(d, 150001, &real) && real == 151);
	EXPECT_TRUE(devtrace_decoder_real(d, 139999, &real) && real == 140 - 1);

	/* After a seek, older clocks are ignored. */
	stream_info(s, DEVTRACE_INFO_SEEK);
	feed(d, s);
	EXPECT_FALSE(devtrace_decoder_real(d, 5, &real));
	clock_frame(s, 1000, 500, 100000);
	feed(d, s);
	EXPECT_TRUE(devtrace_decoder_real(d, 203001, &real) && real == 302001);

	/* So they are if the clock goes back without a seek. */
	clock_frame(s, 900, 400, 7);
	feed(d, s);
	EXPECT_TRUE(devtrace_decoder_real(d, 1000, &real) && real == 107);
	EXPECT_TRUE(devtrace_decoder_real(d, 890, &real) && real == -3);
	/* Extreme values must not overflow. */
	clock_frame(s, UINT64_MAX, UINT64_MAX, INT64_MAX);
	feed(d, s);
	EXPECT_TRUE(devtrace_decoder_real(d, 1, &real));
}

/* Intact frames whose body does not match their type. */
TEST_F(names, bad_bodies)
{
	static const struct {
		uint8_t type;
		size_t good;		/* the only valid length */
	} all[] = {
		{ DEVTRACE_T_CLOCK, 40 }, { DEVTRACE_T_LOST, 28 },
		{ DEVTRACE_T_STATE, 25 },
		{ DEVTRACE_T_PROC, 17 }, { DEVTRACE_T_OBJ, 21 }, { DEVTRACE_T_ENUM, 21 },
		{ DEVTRACE_T_SIG, 21 }, { DEVTRACE_T_FUN, 21 }, { DEVTRACE_T_USR, 21 },
	};
	struct stream *s = &self->s;
	struct seen *last;
	uint8_t body[64] = {};

	stream_info(s, DEVTRACE_INFO_OPEN);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t len = 0; len < sizeof(body); len++) {
			stream_frame(s, all[i].type, body, len);
			feed(self->d, s);
			last = &self->seen.v[self->seen.nr - 1];
			if (len == all[i].good) {
				EXPECT_NE(DEVTRACE_ITEM_DAMAGE, last->kind);
			} else {
				ASSERT_EQ(DEVTRACE_ITEM_DAMAGE, last->kind);
				EXPECT_EQ(DEVTRACE_DAMAGE_BODY, last->damage.reason);
			}
		}
	}
	/* Unterminated strings. */
	memset(body, 'x', sizeof(body));
	stream_frame(s, DEVTRACE_T_PROC, body, 30);
	stream_frame(s, DEVTRACE_T_OBJ, body, 30);
	stream_frame(s, DEVTRACE_T_STATE, body, 30);
	/* Events too short for their optional fields. */
	memset(body, 0, sizeof(body));
	for (size_t len = 0; len < 16; len++)
		stream_frame(s, DEVTRACE_T_USER, body, len);
	body[0] = DEVTRACE_F_CODE;
	for (size_t len = 16; len < 20; len++)
		stream_frame(s, DEVTRACE_T_USER, body, len);
	body[0] = DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG;
	for (size_t len = 20; len < 24; len++)
		stream_frame(s, DEVTRACE_T_USER, body, len);
	self->seen.nr = 0;
	feed(self->d, s);
	EXPECT_EQ(3 + 16 + 4 + 4, self->seen.nr);
	for (size_t i = 0; i < self->seen.nr; i++)
		EXPECT_EQ(DEVTRACE_DAMAGE_BODY, self->seen.v[i].damage.reason);

	/* Events with optional fields but invalid elements are delivered unchanged. */
	memset(body, 0x77, sizeof(body));
	body[0] = 0;
	stream_frame(s, DEVTRACE_T_USER, body, 16);
	stream_frame(s, DEVTRACE_T_USER, body, 17);
	stream_frame(s, DEVTRACE_T_USER, body, 64);
	self->seen.nr = 0;
	feed(self->d, s);
	/* The invalid frames leave a gap first. */
	ASSERT_EQ(4, self->seen.nr);
	EXPECT_EQ(DEVTRACE_ITEM_GAP, self->seen.v[0].kind);
	for (size_t i = 1; i < 4; i++)
		EXPECT_EQ(DEVTRACE_ITEM_EVENT, self->seen.v[i].kind);
	EXPECT_EQ(body_digest(DEVTRACE_T_USER, body, 64), self->seen.v[3].digest);
}

struct last_state {
	struct devtrace_item	item;
	char			trigger[32];
};

static int last_state(const struct devtrace_item *item, void *arg)
{
	struct last_state *last = arg;

	last->item = *item;
	if (item->kind == DEVTRACE_ITEM_STATE)
		snprintf(last->trigger, sizeof(last->trigger), "%s", item->u.state.trigger);
	return 0;
}

/* A stop and start of the stream changes nothing else. */
TEST_F(names, states)
{
	struct last_state last = {};
	struct devtrace_decoder *d = devtrace_decoder_new(last_state, &last);
	const struct devtrace_state_item *got = &last.item.u.state;
	struct stream *s = &self->s;
	uint64_t ts;

	ASSERT_NE(NULL, d);
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_number(s, 1);
	ts = s->ts;
	stream_state(s, DEVTRACE_STATE_STOPPED, 4711, "fault");
	feed(d, s);
	ASSERT_EQ(DEVTRACE_ITEM_STATE, last.item.kind);
	EXPECT_EQ(DEVTRACE_STATE_STOPPED, got->state);
	EXPECT_EQ(1, got->by_trigger);
	EXPECT_EQ(ts, got->ts);
	EXPECT_EQ(4711, got->fired);
	EXPECT_STREQ("fault", last.trigger);
	stream_state(s, DEVTRACE_STATE_RUNNING, 0, "");
	feed(d, s);
	ASSERT_EQ(DEVTRACE_ITEM_STATE, last.item.kind);
	EXPECT_EQ(DEVTRACE_STATE_RUNNING, got->state);
	EXPECT_EQ(0, got->by_trigger);
	EXPECT_EQ(0, got->fired);
	EXPECT_STREQ("", last.trigger);
	/* An unknown state is delivered. */
	stream_state(s, 200, 0, "");
	feed(d, s);
	ASSERT_EQ(DEVTRACE_ITEM_STATE, last.item.kind);
	EXPECT_EQ(200, got->state);
	EXPECT_EQ(1, devtrace_decoder_totals(d)->events);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->damages);
	devtrace_decoder_free(d);
}

static int last_item(const struct devtrace_item *item, void *arg)
{
	*(struct devtrace_item *)arg = *item;
	return 0;
}

/* The last INFO frame tells which sources are lanes, for all frames after it. */
TEST_F(names, lanes)
{
	static const uint8_t late[16] = {
		DEVTRACE_F_USER | DEVTRACE_F_LATE, 0, 0x01, 0x10, [8] = 5,
	};
	struct devtrace_item last = {};
	struct devtrace_decoder *d = devtrace_decoder_new(last_item, &last);
	struct stream *s = &self->s;
	struct body b = {};

	ASSERT_NE(NULL, d);
	EXPECT_EQ(-1, devtrace_decoder_lane(d, 0));
	EXPECT_EQ(-1, devtrace_decoder_lane(d, UINT16_MAX));
	stream_info(s, DEVTRACE_INFO_OPEN);
	feed(d, s);
	ASSERT_EQ(DEVTRACE_ITEM_INFO, last.kind);
	EXPECT_EQ(2, last.u.info.nr_cpus);
	EXPECT_EQ(4098, last.u.info.nr_sources);
	EXPECT_EQ(-1, devtrace_decoder_lane(d, 1));
	EXPECT_EQ(0, devtrace_decoder_lane(d, 2));
	EXPECT_EQ(4095, devtrace_decoder_lane(d, 4097));
	EXPECT_EQ(UINT16_MAX - 2, devtrace_decoder_lane(d, UINT16_MAX));

	stream_frame(s, DEVTRACE_T_USER, late, sizeof(late));
	feed(d, s);
	ASSERT_EQ(DEVTRACE_ITEM_EVENT, last.kind);
	EXPECT_EQ(DEVTRACE_F_USER | DEVTRACE_F_LATE, last.u.event.flags);
	EXPECT_EQ(4095, devtrace_decoder_lane(d, last.u.event.source));
	body_int(&b, 4097, 2);
	body_int(&b, DEVTRACE_LOST_LANE, 2);
	body_int(&b, 0, 8);
	body_int(&b, 5, 8);
	body_int(&b, 7, 8);
	stream_frame(s, DEVTRACE_T_LOST, b.bytes, b.len);
	feed(d, s);
	ASSERT_EQ(DEVTRACE_ITEM_LOST, last.kind);
	EXPECT_EQ(DEVTRACE_LOST_LANE, last.u.lost.cause);
	EXPECT_EQ(0, last.u.lost.count);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->lost);

	/* A machine with another number of CPUs, or a module without lanes. */
	s->nr_cpus = 4097;
	stream_info(s, DEVTRACE_INFO_PERIODIC);
	feed(d, s);
	EXPECT_EQ(-1, devtrace_decoder_lane(d, 4096));
	EXPECT_EQ(0, devtrace_decoder_lane(d, 4097));
	s->nr_cpus = 0;
	stream_info(s, DEVTRACE_INFO_PERIODIC);
	feed(d, s);
	EXPECT_EQ(0, last.u.info.nr_cpus);
	EXPECT_EQ(-1, devtrace_decoder_lane(d, 4097));
	EXPECT_EQ(0, devtrace_decoder_totals(d)->missing + devtrace_decoder_totals(d)->damages);
	devtrace_decoder_free(d);
}

/* The reasons of damages. */
TEST_F(names, reasons)
{
	static const uint8_t escape[] = { 1, 2, 0x7d, 0x7d, 0x5d, 5, 6, 0x7e };
	static const uint8_t shorts[] = { 1, 2, 3, 0x7e };
	static const uint8_t flags[] = { 0x7e, 0x7e, 0x7e };
	struct devtrace_decoder *d = self->d;
	static uint8_t big[3 * DEVTRACE_FRAME_MAX];
	struct stream *s = &self->s;
	uint8_t body[16] = {};

	stream_info(s, DEVTRACE_INFO_OPEN);
	feed(d, s);
	self->seen.nr = 0;
	devtrace_decoder_feed(d, flags, 3, NULL);
	EXPECT_EQ(0, self->seen.nr);
	devtrace_decoder_feed(d, escape, sizeof(escape), NULL);
	devtrace_decoder_feed(d, shorts, sizeof(shorts), NULL);
	memset(big, 0x11, sizeof(big));
	big[DEVTRACE_FRAME_MAX + 1] = 0x7e;
	devtrace_decoder_feed(d, big, DEVTRACE_FRAME_MAX + 2, NULL);
	big[DEVTRACE_FRAME_MAX + 1] = 0x11;
	big[sizeof(big) - 1] = 0x7e;
	devtrace_decoder_feed(d, big, sizeof(big), NULL);
	big[DEVTRACE_FRAME_MAX] = 0x7e;
	devtrace_decoder_feed(d, big, DEVTRACE_FRAME_MAX + 1, NULL);
	stream_frame(s, DEVTRACE_T_USER, body, 16);
	s->bytes[5] ^= 1;
	feed(d, s);
	/* Without a length byte the check is right, but the frame is not. */
	s->len = devtrace_frame_encode(s->bytes, s->room, s->check, 9, DEVTRACE_T_USER, body, 16,
				       false);
	feed(d, s);
	ASSERT_EQ(7, self->seen.nr);
	EXPECT_EQ(DEVTRACE_DAMAGE_ESCAPE, self->seen.v[0].damage.reason);
	EXPECT_EQ(8, self->seen.v[0].damage.bytes);
	EXPECT_EQ(DEVTRACE_DAMAGE_SHORT, self->seen.v[1].damage.reason);
	EXPECT_EQ(DEVTRACE_DAMAGE_LONG, self->seen.v[2].damage.reason);
	EXPECT_EQ(DEVTRACE_FRAME_MAX + 2, self->seen.v[2].damage.bytes);
	EXPECT_EQ(DEVTRACE_DAMAGE_LONG, self->seen.v[3].damage.reason);
	EXPECT_EQ(sizeof(big), self->seen.v[3].damage.bytes);
	EXPECT_EQ(DEVTRACE_DAMAGE_CHECK, self->seen.v[4].damage.reason);
	EXPECT_EQ(DEVTRACE_DAMAGE_CHECK, self->seen.v[5].damage.reason);
	EXPECT_EQ(DEVTRACE_DAMAGE_BODY, self->seen.v[6].damage.reason);
}

/* Padding frames are counted but not delivered; a QS stream begins with one. */
TEST_F(names, empty_frames)
{
	struct stream *s = &self->s;

	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_frame(s, DEVTRACE_T_EMPTY, NULL, 0);
	stream_frame(s, DEVTRACE_T_EMPTY, "pad", 3);
	stream_number(s, 1);
	stream_clock(s);
	feed(self->d, s);
	EXPECT_EQ(3, self->seen.nr);
	EXPECT_EQ(5, devtrace_decoder_totals(self->d)->frames);
	EXPECT_EQ(0, devtrace_decoder_totals(self->d)->missing);
}

static void add_note(struct stream *s, enum devtrace_check check, const void *body, size_t len)
{
	const enum devtrace_check own = s->check;

	s->check = check;
	s->seq--;
	s->sent--;
	stream_frame(s, DEVTRACE_T_EMPTY, body, len);
	s->check = own;
}

/* Notes may be anywhere and do not affect sequence numbers or totals. */
TEST_F(names, notes)
{
	static const uint8_t note[] = "\2\0\0\0board\0007}~";
	static const uint8_t half[] = { DEVTRACE_EMPTY_NOTE, 0, 0, 0, 'a', 0, 'b' };
	struct devtrace_decoder *d = self->d;
	struct stream *s = &self->s;
	unsigned int notes = 0, i;

	for (i = 0; i < 3; i++) {
		s->check = i;
		s->seq = 1;
		s->sent = 0;
		add_note(s, DEVTRACE_CHECK_CRC32, note, sizeof(note));
		stream_info(s, DEVTRACE_INFO_OPEN);
		add_note(s, DEVTRACE_CHECK_CRC32, note, sizeof(note));
		stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 5, "five");
		add_note(s, DEVTRACE_CHECK_CRC32, note, sizeof(note));
		stream_clock(s);
	}
	feed(d, s);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->damages);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->missing);
	EXPECT_EQ(18, devtrace_decoder_totals(d)->frames);
	for (i = 0; i < self->seen.nr; i++)
		notes += self->seen.v[i].kind == DEVTRACE_ITEM_NOTE;
	EXPECT_EQ(9, notes);
	EXPECT_TRUE(is("five", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 5)));
	/* An incomplete note counts as padding, with a sequence number. */
	stream_frame(s, DEVTRACE_T_EMPTY, half, sizeof(half));
	stream_frame(s, DEVTRACE_T_EMPTY, half, 4);
	stream_clock(s);
	feed(d, s);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->damages);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->missing);
	/* A damaged note affects no other frame. */
	add_note(s, DEVTRACE_CHECK_CRC32, note, sizeof(note));
	s->bytes[s->len - 5] ^= 1;
	stream_clock(s);
	feed(d, s);
	EXPECT_EQ(1, devtrace_decoder_totals(d)->damages);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->missing);
}

/* The load belongs to the open stream; names belong to one load. */
TEST_F(names, load)
{
	static const uint8_t first[] = { DEVTRACE_EMPTY_LOAD, 0, 0, 0, 0xef, 0xcd, 0xab, 0x89 };
	static const uint8_t second[] = { DEVTRACE_EMPTY_LOAD, 0, 0, 0, 2, 0, 0, 0, 99 };
	static const uint8_t other[] = { DEVTRACE_EMPTY_LOAD + 1, 0, 0, 0, 3, 0, 0, 0 };
	struct devtrace_decoder *d = self->d;
	struct stream *s = &self->s;

	stream_info(s, DEVTRACE_INFO_OPEN);
	feed(d, s);
	EXPECT_EQ(0, devtrace_decoder_load(d));
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 5, "five");
	stream_frame(s, DEVTRACE_T_EMPTY, first, sizeof(first));
	stream_clock(s);
	feed(d, s);
	EXPECT_EQ(0x89abcdef, devtrace_decoder_load(d));
	/* Not a load in this version of the format. */
	stream_frame(s, DEVTRACE_T_EMPTY, other, sizeof(other));
	stream_frame(s, DEVTRACE_T_EMPTY, second, 7);
	stream_info(s, DEVTRACE_INFO_PERIODIC);
	stream_frame(s, DEVTRACE_T_EMPTY, first, sizeof(first));
	feed(d, s);
	EXPECT_EQ(0x89abcdef, devtrace_decoder_load(d));
	EXPECT_TRUE(is("five", devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 5)));
	/* The opening frame was lost. */
	stream_frame(s, DEVTRACE_T_EMPTY, second, sizeof(second));
	feed(d, s);
	EXPECT_EQ(2, devtrace_decoder_load(d));
	EXPECT_EQ(NULL, devtrace_decoder_name(d, DEVTRACE_T_OBJ, 0, 0, 0, 5));
	/* An older module. */
	s->seq = 1;
	s->sent = 0;
	stream_info(s, DEVTRACE_INFO_OPEN);
	feed(d, s);
	EXPECT_EQ(0, devtrace_decoder_load(d));
	EXPECT_EQ(0, devtrace_decoder_totals(d)->damages);
	EXPECT_EQ(0, devtrace_decoder_totals(d)->missing);
	for (size_t i = 0; i < self->seen.nr; i++)
		EXPECT_NE(DEVTRACE_ITEM_UNKNOWN, self->seen.v[i].kind);
}

/* The largest possible frame, with each byte escaped. */
TEST_F(names, largest)
{
	static uint8_t body[sizeof(struct devtrace_wire_event) + DEVTRACE_PAYLOAD_MAX];
	struct stream *s = &self->s;

	memset(body, 0x7e, sizeof(body));
	body[0] = 0;
	for (int check = 0; check < 3; check++) {
		s->check = check;
		s->seq = 0x7d;
		s->sent = 0;
		stream_info(s, DEVTRACE_INFO_OPEN);
		stream_frame(s, 0x7e, body, sizeof(body));
		EXPECT_GT(s->len, 2 * DEVTRACE_PAYLOAD_MAX);
		self->seen.nr = 0;
		feed(self->d, s);
		ASSERT_EQ(2, self->seen.nr);
		EXPECT_EQ(s->frames[s->nr - 1].digest, self->seen.v[1].digest);
	}
}

TEST_HARNESS_MAIN
