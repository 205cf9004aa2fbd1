// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_traceconv.c - conversion of a QS target's trace with all sizes, intact and damaged
 *
 * Each record of QS is encoded once, and the decoded events are compared with it. Then each byte
 * is damaged in turn: only encoded records may come out, and missing frames are counted exactly.
 */
#include <stdlib.h>
#include <time.h>
#include "common/qs.h"
#include "kselftest_harness.h"
#include "devtrace-decode.h"
#include "traceconv/traceconv.h"
#include "conv_got.h"
#include "qs_encode.h"
#include "teststream.h"

static void convert(struct got *g, const uint8_t *p, size_t n, const struct conv_sizes *sizes,
		    size_t piece, struct conv *c)
{
	got_convert(g, &conv_qs, p, n, sizes, piece, c);
}

static const struct {
	uint8_t record;
	const char *layout;
	uint8_t type;		/* type of the event */
} records[] = {
	{ 1, "OF", 1 }, { 2, "OF", 2 }, { 3, "OFF", 3 }, { 4, "TOF", 4 }, { 5, "TSOF", 5 },
	{ 6, "TSOFF", 6 }, { 7, "TSOF", 7 }, { 8, "TSOF", 8 }, { 9, "SOF", 9 },
	{ 10, "TOOs11", 10 }, { 11, "TOOs11", 11 }, { 12, "TSO", 12 }, { 13, "TSO", 13 },
	{ 14, "TOSO11QQ", 14 }, { 15, "TSO11QQ", 15 }, { 16, "TSO11Q", 16 }, { 17, "TSO11", 17 },
	{ 18, "TOO", 18 }, { 19, "TSO11QQ", 19 }, { 20, "TSO11QQ", 20 }, { 21, "TSO11Q", 21 },
	{ 22, "TSO11", 22 }, { 23, "TEZ", 23 }, { 24, "TOPP", 24 }, { 25, "TOP", 25 },
	{ 26, "TOZ11", 26 }, { 27, "TZ11", 27 }, { 28, "TEZ", 28 }, { 29, "TZ11", 29 },
	{ 30, "TZ11", 30 }, { 31, "C1", 31 }, { 32, "TOOCC1", 32 }, { 33, "OO1", 33 },
	{ 34, "TOO1", 34 }, { 35, "TOOCC1", 35 }, { 36, "TOOCC11", 36 }, { 37, "TOSO1", 37 },
	{ 38, "TZ11", 38 }, { 39, "T1", 39 }, { 40, "T1", 40 }, { 41, "T11", 41 },
	{ 42, "T11", 42 }, { 45, "TOSO11QQ", 45 }, { 46, "TSO11QQ", 46 }, { 47, "TOPP", 47 },
	{ 48, "T11", 48 }, { 49, "T11", 49 }, { 50, "T11", 50 }, { 51, "T11", 51 },
	{ 52, "T11", 52 }, { 53, "T1", 53 }, { 55, "OFF", 55 }, { 58, "", 82 },
	{ 59, "TF4", 83 }, { 65, "T1", 89 }, { 66, "1", 90 }, { 69, "T2$", 93 }, { 70, "", 94 },
	{ 71, "TO11", 71 }, { 72, "TO11", 72 }, { 73, "TO11", 73 }, { 74, "TO11", 74 },
	{ 75, "TO11", 75 }, { 76, "TO11", 76 }, { 77, "TO11", 77 }, { 78, "TO11", 78 },
	{ 79, "TO11", 79 }, { 80, "TO11", 80 }, { 81, "TOOs11", 81 },
};
#define RECORDS (sizeof(records) / sizeof(*records))

/*
 * S is a signal whose object follows, s one whose object comes first, Z one without an object.
 * Some values have a 7E or 7D.
 */
static uint64_t value(unsigned int i, unsigned int k, int bytes)
{
	uint64_t v = 0x7e11223344556677ull * (i + 1) + 0x7d010203ull * k;

	return bytes == 8 ? v : v & ((1ull << 8 * bytes) - 1);
}

static int size_in(const struct qs_target *t, char what)
{
	switch (what) {
	case 'S': case 's': case 'Z': return t->sig;
	case 'O': return t->obj;
	case 'F': return t->fun;
	case 'Q': return t->equeue;
	case 'P': return t->mpool;
	case 'E': return t->event;
	case 'C': return t->tick;
	default: return what - '0';
	}
}

static void one_record(struct qs_target *t, unsigned int i, struct body *want)
{
	static const uint8_t formats[9] = { [1] = 1, [2] = 3, [4] = 5, [8] = 0xe };
	const char *l = records[i].layout;
	unsigned int k = 0;

	want->len = 0;
	qs_begin(t, records[i].record);
	for (; *l; l++, k++) {
		uint64_t v;
		int size;

		if (*l == 'T') {
			qs_time(t);
			continue;
		}
		if (*l == '$') {
			qs_str(t, "mo}d~");
			body_int(want, DEVTRACE_E_STR, 1);
			body_string(want, "mo}d~");
			continue;
		}
		size = size_in(t, *l);
		v = value(i, k, size);
		qs_num(t, v, size);
		switch (*l) {
		case 'S':
			body_int(want, DEVTRACE_E_SIG, 1);
			body_int(want, v, 4);
			body_int(want, value(i, k + 1, t->obj), 8);
			break;
		case 's':
			body_int(want, DEVTRACE_E_SIG, 1);
			body_int(want, v, 4);
			body_int(want, value(i, 1, t->obj), 8);
			break;
		case 'Z':
			body_int(want, DEVTRACE_E_SIG, 1);
			body_int(want, v, 4);
			body_int(want, 0, 8);
			break;
		case 'O':
			body_int(want, DEVTRACE_E_OBJ, 1);
			body_int(want, v, 8);
			break;
		case 'F':
			body_int(want, DEVTRACE_E_FUN, 1);
			body_int(want, v, 8);
			break;
		default:
			body_int(want, formats[size], 1);
			body_int(want, v, size);
		}
	}
	qs_end(t);
}

/* An application record with an element of each type. */
static void user_record(struct qs_target *t, struct body *want)
{
	static const uint8_t plain[][2] = {
		{ 0x20, 1 }, { 0xb0, 1 }, { 0xf1, 1 }, { 0x52, 2 }, { 0x33, 2 }, { 0x74, 4 },
		{ 0xf5, 4 }, { 0x26, 4 }, { 0x47, 8 }, { 0x6d, 8 }, { 0x8e, 8 }, { 0x0f, 4 },
	};
	unsigned int i;

	want->len = 0;
	qs_begin(t, 100);
	qs_time(t);
	for (i = 0; i < sizeof(plain) / 2; i++) {
		qs_num(t, plain[i][0], 1);
		qs_num(t, value(i, 90, plain[i][1]), plain[i][1]);
		body_int(want, plain[i][0], 1);
		body_int(want, value(i, 90, plain[i][1]), plain[i][1]);
	}
	qs_num(t, 0x08, 1);
	qs_str(t, "word");
	body_int(want, 0x08, 1);
	body_string(want, "word");
	qs_num(t, 0x09, 1);
	qs_num(t, 3, 1);
	qs_num(t, 0x7d017e, 3);
	body_int(want, 0x09, 1);
	body_int(want, 3, 1);
	body_int(want, 0x7d017e, 3);
	qs_num(t, 0x0a, 1);
	qs_num(t, 0x44, t->sig);
	qs_num(t, 0x55, t->obj);
	body_int(want, 0x0a, 1);
	body_int(want, 0x44, 4);
	body_int(want, 0x55, 8);
	qs_num(t, 0x0b, 1);
	qs_num(t, 0x56, t->obj);
	body_int(want, 0x0b, 1);
	body_int(want, 0x56, 8);
	qs_num(t, 0x0c, 1);
	qs_num(t, 0x57, t->fun);
	body_int(want, 0x0c, 1);
	body_int(want, 0x57, 8);
	qs_end(t);
}

static void names(struct qs_target *t)
{
	qs_begin(t, 60);
	qs_num(t, 7, t->sig);
	qs_num(t, 0x33, t->obj);
	qs_str(t, "EAT_SIG");
	qs_end(t);
	qs_begin(t, 61);
	qs_num(t, 0x33, t->obj);
	qs_str(t, "&l_philo[0]");
	qs_end(t);
	qs_begin(t, 62);
	qs_num(t, 0x44, t->fun);
	qs_str(t, "&Philo_eating");
	qs_end(t);
	qs_begin(t, 63);
	qs_num(t, 100, 1);
	qs_str(t, "PHILO_STAT");
	qs_end(t);
	qs_begin(t, 54);
	qs_num(t, 3, 1);
	qs_num(t, 7, 1);
	qs_str(t, "CMD_STOP");
	qs_end(t);
}

static void answers(struct qs_target *t)
{
	int kind;

	qs_begin(t, 68);
	qs_time(t);
	qs_num(t, 4, 2);
	qs_num(t, 2, 1);
	qs_num(t, 2, 1);
	qs_num(t, 0xddccbbaa, 4);
	qs_end(t);
	for (kind = 0; kind < 5; kind++) {
		static const char *const now[] = { "OF", "1222", "O2222", "O222", "OOCCS1" };
		static const char *const old[] = { "OF", "OF", "OPP", "OQQ", "OCCS1" };
		const char *l = t->version >= 810 ? now[kind] : old[kind];

		qs_begin(t, 67);
		qs_time(t);
		qs_num(t, (unsigned int)kind, 1);
		for (; *l; l++)
			qs_num(t, 5, size_in(t, *l));
		qs_end(t);
	}
}

static struct qs_target *target(int bytes, int version)
{
	struct qs_target *t = calloc(1, sizeof(*t));

	t->version = version;
	t->obj = t->fun = bytes;
	t->time = bytes == 2 ? 2 : 4;
	t->sig = bytes == 8 ? 4 : bytes == 2 ? 1 : 2;
	t->equeue = bytes == 8 ? 2 : 1;
	t->mpool = bytes == 8 ? 4 : 2;
	t->event = 2;
	t->tick = bytes == 2 ? 2 : 4;
	return t;
}

static struct got g, g2;
static struct conv conv;
static struct body want[RECORDS + 1];

static void everything(struct qs_target *t, int big)
{
	unsigned int i;

	qs_target_info(t, 1, big);
	names(t);
	for (i = 0; i < RECORDS; i++)
		one_record(t, i, &want[i]);
	user_record(t, &want[RECORDS]);
	answers(t);
}

FIXTURE(target) {
	struct qs_target *t;
};

FIXTURE_VARIANT(target) {
	int bytes, version, big;
};

FIXTURE_VARIANT_ADD(target, qp73_of_32_bits) { .bytes = 4, .version = 734 };
FIXTURE_VARIANT_ADD(target, qp81_of_64_bits) { .bytes = 8, .version = 815 };
FIXTURE_VARIANT_ADD(target, qp73_of_16_bits_big_endian) { .bytes = 2, .version = 734, .big = 1 };
FIXTURE_VARIANT_ADD(target, qp81_of_32_bits_big_endian) { .bytes = 4, .version = 815, .big = 1 };

FIXTURE_SETUP(target)
{
	self->t = target(variant->bytes, variant->version);
	everything(self->t, variant->big);
}

FIXTURE_TEARDOWN(target)
{
	free(self->t);
}

TEST_F(target, every_record_comes_as_it_was_made)
{
	unsigned int i;
	int at = 6;

	convert(&g, self->t->out, self->t->len, NULL, 0, &conv);
	ASSERT_EQ(self->t->nr, g.nr);
	EXPECT_EQ(0, g.missing);
	EXPECT_EQ(0, g.damages);
	EXPECT_EQ(0, g.unknown);
	EXPECT_EQ(88, g.v[0].type);
	EXPECT_EQ(1, g.v[0].data[1]);
	EXPECT_EQ(variant->version, g.v[0].data[3] | g.v[0].data[4] << 8);
	EXPECT_STREQ("2026-01-02 03:04:05", (char *)g.v[0].data + 6);
	EXPECT_STREQ("EAT_SIG", g.v[1].name);
	EXPECT_EQ(7, g.v[1].value);
	EXPECT_EQ(0x33, g.v[1].key);
	EXPECT_STREQ("l_philo[0]", g.v[2].name);
	EXPECT_EQ(0x33, g.v[2].key);
	EXPECT_STREQ("Philo_eating", g.v[3].name);
	EXPECT_EQ(0x44, g.v[3].key);
	EXPECT_STREQ("PHILO_STAT", g.v[4].name);
	EXPECT_EQ(100, g.v[4].value);
	EXPECT_STREQ("CMD_STOP", g.v[5].name);
	EXPECT_EQ(3, g.v[5].value);
	EXPECT_EQ(7, g.v[5].group);
	for (i = 0; i < RECORDS; i++, at++) {
		EXPECT_EQ(records[i].type, g.v[at].type);
		ASSERT_EQ(want[i].len, g.v[at].len) TH_LOG("record %d", records[i].record);
		EXPECT_EQ(0, memcmp(want[i].bytes, g.v[at].data, want[i].len))
			TH_LOG("record %d", records[i].record);
	}
	EXPECT_EQ(100, g.v[at].type);
	ASSERT_EQ(want[RECORDS].len, g.v[at].len);
	EXPECT_EQ(0, memcmp(want[RECORDS].bytes, g.v[at].data, want[RECORDS].len));
	at++;
	EXPECT_EQ(92, g.v[at].type);
	EXPECT_EQ(0, memcmp("\x03\x04\x00\x01\x02\x01\x02\x09\x04\xaa\xbb\xcc\xdd", g.v[at].data, 13));
	for (at++, i = 0; i < 5; i++, at++)
		EXPECT_EQ(91, g.v[at].type);
	/* Times are ticks of 1 us; the first is 10. */
	EXPECT_EQ(10000, g.v[6 + 3].ts);
	EXPECT_EQ(variant->big ? DEVTRACE_INFO_BIG_ENDIAN : 0,
		  conv.big_endian ? DEVTRACE_INFO_BIG_ENDIAN : 0);
}

TEST_F(target, pieces_of_any_size_make_the_same_stream)
{
	size_t piece;
	int i;

	convert(&g, self->t->out, self->t->len, NULL, 0, &conv);
	for (piece = 1; piece < 8; piece++) {
		convert(&g2, self->t->out, self->t->len, NULL, piece, &conv);
		ASSERT_EQ(g.nr, g2.nr);
		for (i = 0; i < g.nr; i++)
			ASSERT_EQ(g.v[i].digest, g2.v[i].digest);
	}
}

/* True if the byte is in a record without a fixed length. */
static int no_length(const struct qs_target *t, size_t at)
{
	int i = 0;

	while (at >= t->ends[i])
		i++;
	return (i >= 1 && i <= 5) || g.v[i].type == 91 || g.v[i].type == 93 || g.v[i].type == 100;
}

TEST_F(target, every_damaged_byte_is_told_and_what_is_missing_is_exact)
{
	/* The user gives the sizes, as the first frame may be the damaged one. */
	const struct conv_sizes sizes = {
		.time = self->t->time, .sig = self->t->sig, .obj = self->t->obj,
		.fun = self->t->fun, .equeue = self->t->equeue, .mpool = self->t->mpool,
		.event = self->t->event, .tick = self->t->tick,
	};
	struct qs_target *t = self->t;
	static uint8_t bad[65536];
	uint64_t edge;
	size_t at, n;
	int kind, first, lost;

	convert(&g, t->out, t->len, &sizes, 0, &conv);
	for (at = 0; at < t->len; at++) {
		for (kind = 0; kind < GOT_SPOILS; kind++) {
			n = got_spoil(bad, t->out, t->len, at, kind);
			convert(&g2, bad, n, &sizes, 0, &conv);
			/*
			 * The sum does not detect a zero removed or doubled; a fixed length
			 * does.
			 */
			if (kind >= 4 && !t->out[at] && no_length(t, at))
				continue;
			lost = got_not_there(&g, &g2, &first);
			ASSERT_GE(lost, 0) {
				TH_LOG("byte %zu, %s: a record that was not made", at, got_spoils[kind]);
			}
			/* Frames before the first and after the last cannot be counted. */
			edge = first == 0 || first + lost == g.nr ? (uint64_t)lost : 0;
			ASSERT_TRUE(g2.missing == (uint64_t)lost || g2.missing + edge == (uint64_t)lost) {
				TH_LOG("byte %zu, %s: %d lost, %d told", at, got_spoils[kind], lost,
				       (int)g2.missing);
			}
			/* Missing frames imply a damage. */
			ASSERT_TRUE(!lost == !g2.damages || (!lost && g2.damages <= 1)) {
				TH_LOG("byte %zu, %s: %d lost, %d damages", at, got_spoils[kind], lost,
				       (int)g2.damages);
			}
		}
	}
}

TEST(gaps_are_told_where_they_are)
{
	struct qs_target *t = target(4, 734);
	int i;

	qs_target_info(t, 1, 0);
	for (i = 0; i < 40; i++) {
		one_record(t, 7, &want[0]);
		if (i == 10)
			t->seq += 3;
		if (i == 20)
			t->seq += 255;
	}
	convert(&g, t->out, t->len, NULL, 0, &conv);
	EXPECT_EQ(41, g.nr);
	EXPECT_EQ(258, g.missing);
	EXPECT_EQ(2, g.gaps);
	EXPECT_EQ(12, g.gap_at[0]);
	EXPECT_EQ(22, g.gap_at[1]);
	EXPECT_EQ(0, g.damages);
	EXPECT_EQ(258, conv.missing);
	free(t);
}

TEST(a_target_that_begins_anew_has_no_gap)
{
	struct qs_target *t = target(4, 815);

	qs_target_info(t, 1, 0);
	one_record(t, 7, &want[0]);
	one_record(t, 7, &want[0]);
	t->seq = 0;
	t->ticks = 0;
	t->obj = t->fun = 8;
	qs_target_info(t, 1, 0);
	one_record(t, 7, &want[0]);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	EXPECT_EQ(5, g.nr);
	EXPECT_EQ(0, g.missing);
	EXPECT_EQ(0, g.damages);
	EXPECT_EQ(1, conv.resets);
	EXPECT_EQ(want[0].len, g.v[4].len);
	EXPECT_LE(g.v[2].ts, g.v[4].ts);
	free(t);
}

/* The frame that announces the restart is missing: the clock shows the restart, and goes on. */
TEST(a_clock_that_goes_back_is_a_restart)
{
	struct qs_target *t = target(4, 734);
	int i;

	qs_target_info(t, 1, 0);
	t->ticks = 5000000;
	for (i = 0; i < 4; i++)
		one_record(t, 7, &want[0]);
	t->ticks = 1000;
	for (i = 0; i < 4; i++)
		one_record(t, 7, &want[0]);
	/* An interrupt's record before an older one is none */
	t->ticks -= 30;
	one_record(t, 7, &want[0]);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	ASSERT_EQ(10, g.nr);
	for (i = 2; i < 9; i++)
		EXPECT_EQ(i == 5 ? 0 : 10000, g.v[i].ts - g.v[i - 1].ts) TH_LOG("record %d", i);
	EXPECT_LE(g.v[8].ts, g.v[9].ts);
	EXPECT_EQ(1, conv.resets);
	EXPECT_EQ(0, g.missing);
	EXPECT_EQ(0, g.damages);
	free(t);
	/* Nor is a counter that wraps */
	t = target(4, 734);
	t->ticks = 0xffffffd8;
	for (i = 0; i < 6; i++)
		one_record(t, 7, &want[0]);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	ASSERT_EQ(6, g.nr);
	for (i = 1; i < 6; i++)
		EXPECT_EQ(10000, g.v[i].ts - g.v[i - 1].ts) TH_LOG("record %d", i);
	EXPECT_EQ(0, conv.resets);
	free(t);
}

TEST(a_target_that_is_too_old_or_too_new_is_named)
{
	static const struct { int version; const char *odd; } v[] = {
		{ 452, "QP 4.5.2 is older than 6.9, so some of its records may be read wrong" },
		{ 689, "QP 6.8.9 is older than 6.9, so some of its records may be read wrong" },
		{ 690, "" }, { 734, "" }, { 819, "" },
		{ 820, "QP 8.2.0 is newer than 8.1, so some of its records may be read wrong" },
	};
	int i;

	for (i = 0; i < 6; i++) {
		struct qs_target *t = target(4, v[i].version);

		qs_target_info(t, 1, 0);
		one_record(t, 7, &want[0]);
		qs_target_info(t, 0, 0);
		convert(&g, t->out, t->len, NULL, 0, &conv);
		EXPECT_STREQ(v[i].odd, conv.odd);
		EXPECT_EQ(*v[i].odd ? 1 : 0, g.notes) TH_LOG("%d: once", v[i].version);
		EXPECT_EQ(3, g.nr);
		free(t);
	}
}

TEST(an_information_of_another_layout_is_named)
{
	struct qs_target *t = target(4, 734);

	qs_begin(t, 64);
	qs_num(t, 0xff, 1);
	qs_num(t, 0, 4);
	qs_end(t);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	EXPECT_STREQ("its information has an unknown layout, of 5 bytes; records of QP 6.9 to 8.1 are known",
		     conv.odd);
	EXPECT_EQ(1, g.notes);
	EXPECT_EQ(1, g.damages);
	free(t);
}

/* QP 7.3 answers a query of an object of the application by its address alone. */
TEST(the_answer_of_an_object_of_the_application)
{
	struct qs_target *t = target(8, 734);

	qs_target_info(t, 1, 0);
	qs_begin(t, 67);
	qs_time(t);
	qs_num(t, 5, 1);
	qs_num(t, 0x1122334455667788, 8);
	qs_end(t);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	ASSERT_EQ(2, g.nr);
	EXPECT_EQ(0, g.damages);
	EXPECT_EQ(91, g.v[1].type);
	ASSERT_EQ(11, g.v[1].len);
	/* U8 5, OBJ */
	EXPECT_EQ(0, memcmp("\x01\x05\x0b\x88\x77\x66\x55\x44\x33\x22\x11", g.v[1].data, 11));
	free(t);
}

/* With wrong sizes, records do not fit and count as damages; none is invented. */
TEST(other_sizes_are_told)
{
	struct qs_target *t = target(8, 734);

	one_record(t, 7, &want[0]);
	one_record(t, 7, &want[0]);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	EXPECT_EQ(0, g.nr);
	EXPECT_EQ(2, g.damages);
	EXPECT_EQ(2, conv.layout);
	EXPECT_FALSE(conv.sized);
	free(t);
}

/* Bytes of a record's data, with these sizes; -1: it has a string, or is none. */
static int length_with(uint8_t record, const struct conv_sizes *s)
{
	const char *l = qs_layout(record);
	int n = 0;

	for (; l && *l && *l != 's'; l++)
		n += *l == 'T' ? s->time : *l == 'S' ? s->sig : *l == 'O' ? s->obj : *l == 'F' ? s->fun :
		     *l == 'Q' ? s->equeue : *l == 'P' ? s->mpool : *l == 'E' ? s->event :
		     *l == 'C' ? s->tick : *l - '0';
	return l && !*l && n ? n : -1;
}

/* From the lengths of all records and a few damaged ones, the sizes are found. */
TEST(sizes_that_fit_are_found)
{
	static const uint8_t pointers[] = { 2, 4, 8 };
	const char *given = getenv("SEED");
	const unsigned int seed = given && *given ? (unsigned int)atoi(given) :
				  (unsigned int)time(NULL);
	struct conv_sizes best, true_sizes;
	unsigned int state = seed, round, i;
	uint64_t fit, all, good;
	int record;

	TH_LOG("SEED=%u", seed);
	for (round = 0; round < 50; round++) {
		uint8_t *size = (uint8_t *)&true_sizes;

		for (i = 0; i < 8; i++) {
			state = state * 1103515245 + 12345;
			size[i] = i == 2 || i == 3 ? pointers[(state >> 16) % 3] :
				  (uint8_t)(1 << (state >> 16) % 3);
		}
		memset(&conv, 0, sizeof(conv));
		conv_begin(&conv, &conv_qs);
		true_sizes.block = conv.sizes.block;
		good = 0;
		for (record = 1; record < 82; record++) {
			if (length_with((uint8_t)record, &true_sizes) < 0)
				continue;
			for (i = 0; i < 3; i++)
				conv_guess_note(&conv, (uint8_t)record,
						(size_t)length_with((uint8_t)record, &true_sizes));
			conv_guess_note(&conv, (uint8_t)record, (state >> 8) % 60);
			good += 3;
		}
		if (!memcmp(&conv.sizes, &true_sizes, sizeof(true_sizes)))
			continue;
		ASSERT_TRUE(conv_guess(&conv, &best, &fit, &all));
		EXPECT_EQ(0, memcmp(&best, &true_sizes, sizeof(best)));
		EXPECT_LE(good, fit);
		EXPECT_EQ(good / 3 * 4, all);
	}
	/* No guess without frames, nor if all of them fit. */
	memset(&conv, 0, sizeof(conv));
	conv_begin(&conv, &conv_qs);
	EXPECT_FALSE(conv_guess(&conv, &best, &fit, &all));
	conv_guess_note(&conv, 43, conv.sizes.time);
	EXPECT_FALSE(conv_guess(&conv, &best, &fit, &all));
	/* One record leaves a choice: the fewest changes */
	conv_guess_note(&conv, 14, (size_t)length_with(14, &conv.sizes) + 6);
	ASSERT_TRUE(conv_guess(&conv, &best, &fit, &all));
	EXPECT_EQ(2, fit);
	true_sizes = conv.sizes;
	true_sizes.equeue = 4;
	EXPECT_EQ(0, memcmp(&best, &true_sizes, sizeof(best)));
}

TEST(memory_that_is_longer_than_an_element)
{
	static const struct {
		uint8_t size, number;
	} peeks[] = { { 1, 255 }, { 4, 64 }, { 2, 255 }, { 4, 255 } };
	struct qs_target *t = target(4, 815);
	unsigned int i, k;

	qs_target_info(t, 1, 0);
	for (i = 0; i < 4; i++) {
		qs_begin(t, 68);
		qs_time(t);
		qs_num(t, 7, 2);
		qs_num(t, peeks[i].size, 1);
		qs_num(t, peeks[i].number, 1);
		for (k = 0; k < peeks[i].size * peeks[i].number; k++)
			qs_num(t, k * 7 & 0xff, 1);
		qs_end(t);
	}
	convert(&g, t->out, t->len, NULL, 0, &conv);
	EXPECT_EQ(0, conv.damaged);
	EXPECT_EQ(0, g.missing);
	ASSERT_EQ(5, g.nr);
	for (i = 0; i < 4; i++) {
		struct devtrace_elem e;
		size_t pos = 0, wrong = 0, n = 0;

		EXPECT_EQ(92, g.v[i + 1].type);
		for (k = 0; k < 3; k++)
			ASSERT_EQ(1, devtrace_elem_next(g.v[i + 1].data, g.v[i + 1].len, &pos, &e));
		EXPECT_EQ(peeks[i].number, e.v.u);
		while (devtrace_elem_next(g.v[i + 1].data, g.v[i + 1].len, &pos, &e) == 1)
			for (k = 0; k < e.v.mem.len; k++)
				wrong += e.v.mem.p[k] != (uint8_t)(n++ * 7);
		EXPECT_EQ(peeks[i].size * peeks[i].number, n);
		EXPECT_EQ(0, wrong);
		EXPECT_EQ(0, e.width);
	}
	free(t);
}

TEST(unknown_records_are_text)
{
	struct qs_target *t = target(4, 734);

	qs_begin(t, 90);
	qs_num(t, 0xabcd, 2);
	qs_end(t);
	convert(&g, t->out, t->len, NULL, 0, &conv);
	ASSERT_EQ(1, g.nr);
	EXPECT_EQ(DEVTRACE_T_TEXT, g.v[0].type);
	EXPECT_STREQ("QS: unknown record 90: CD AB", (char *)g.v[0].data + 1);
	EXPECT_EQ(1, conv.unknown);
	free(t);
}

/*
 * A 16-bit counter at 1 MHz wraps after 66 ms; the target's clock is 40 ppm fast, delays are 100
 * us to 3 ms, and some seconds have no record.
 */
TEST(the_clock_is_tied_by_arrival)
{
	struct rng r = { .state = test_seed("test_traceconv") };
	struct conv_clock k = { .rate = 1000000, .bits = 16 };
	const uint64_t start = 5000000000ull;
	uint64_t now = start, last = 0;
	double worst = 0;
	int i;

	for (i = 0; i < 40000; i++) {
		uint64_t ticks, arrival, ts;

		now += 100000 + rng_below(&r, 4000000);
		if (i % 5000 == 4999)
			now += 3000000000ull + rng_below(&r, 100000000);
		ticks = (uint64_t)((double)(now - start) * 1.00004 / 1000);
		arrival = now + 100000 + rng_below(&r, 2900000);
		if (arrival < last)
			arrival = last;
		last = arrival;
		ts = conv_clock_time(&k, (uint32_t)ticks & 0xffff, arrival);
		ASSERT_LE(ts, arrival);
		if (i > 5000) {
			double off = (double)ts - (double)now;

			worst = off > worst ? off : -off > worst ? -off : worst;
		}
	}
	TH_LOG("drift %.2f ppm, worst %.0f ns, said %.0f ns", k.drift, worst, k.uncertainty);
	EXPECT_GT(k.drift, 39);
	EXPECT_LT(k.drift, 41);
	/* The smallest delay cannot be observed. */
	EXPECT_LT(worst, k.uncertainty + 100000 + 1000000);
	EXPECT_GT(k.uncertainty, 100000);
	EXPECT_LT(k.uncertainty, 4000000);
}

/* The reports in the stream: a live target with a clock 40 ppm fast, for a minute. */
static struct told {
	int	nr;
	char	last[128];
} told;

static int told_item(const struct devtrace_item *item, void *arg)
{
	struct told *t = arg;

	if (item->kind == DEVTRACE_ITEM_NOTE && !strcmp(item->u.note.name, "clock")) {
		t->nr++;
		snprintf(t->last, sizeof(t->last), "%s", item->u.note.value);
	}
	return 0;
}

TEST(the_drift_is_told)
{
	struct rng r = { .state = test_seed("test_traceconv") };
	struct qs_target *t = target(4, 815);
	double hz, drift, uncertainty;
	int i;

	memset(&conv, 0, sizeof(conv));
	memset(&told, 0, sizeof(told));
	conv.put = got_decode;
	conv.arg = devtrace_decoder_new(told_item, &told);
	conv.load = 77;
	conv.live = true;
	conv.clock.rate = 1000000;
	conv_begin(&conv, &conv_qs);
	qs_target_info(t, 1, 0);
	for (i = 0; i < 600; i++) {
		uint64_t now = i * 100000000ull;

		t->ticks = (uint64_t)((double)now * 1.00004 / 1000);
		qs_begin(t, 39);
		qs_time(t);
		qs_num(t, 1, 1);
		qs_end(t);
		conv_feed(&conv, t->out, t->len, 5000000000ull + now + 100000 + rng_below(&r, 2000000));
		t->len = 0;
		t->nr = 0;
	}
	conv_end(&conv);
	devtrace_decoder_finish(conv.arg);
	devtrace_decoder_free(conv.arg);
	TH_LOG("%d notes, the last: %s", told.nr, told.last);
	ASSERT_EQ(3, sscanf(told.last, "%lf Hz, drift %lf ppm, uncertainty %lf us", &hz, &drift,
			    &uncertainty));
	EXPECT_EQ(1000000, hz);
	EXPECT_GT(drift, 30);
	EXPECT_LT(drift, 50);
	EXPECT_GT(uncertainty, 100);
	EXPECT_LT(uncertainty, 4000);
	/* Not one per record. */
	EXPECT_LT(told.nr, 20);
	free(t);
}

TEST(a_rate_that_nobody_said_is_measured)
{
	struct conv_clock k = { .bits = 32 };
	uint64_t i;

	for (i = 0; i < 6000; i++)
		conv_clock_time(&k, (uint32_t)(i * 3277 / 100), 1000000000ull + i * 1000000);
	EXPECT_GT(k.rate, 32700);
	EXPECT_LT(k.rate, 32840);
	EXPECT_GE(k.last, 6900000000ull);
}

TEST_HARNESS_MAIN
