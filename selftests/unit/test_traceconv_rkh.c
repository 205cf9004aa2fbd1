// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_traceconv_rkh.c - conversion of an RKH target's trace with all sizes, intact and damaged
 *
 * Each event of RKH is encoded once; the decoded events have the types and elements that
 * devtrace/rkh emits. Then each byte is damaged in turn.
 */
#include <stdlib.h>
#include <devtrace/rkh/rkhtrc_define.h>
#include "kselftest_harness.h"
#include "conv_got.h"
#include "rkh_encode.h"

/* Options of a target, as bits of the configuration record. */
#define SENDER	0x00001
#define QUE_LWM	0x00800
#define MP_LWM	0x01000
#define NSEQ	0x08000
#define TSTAMP	0x10000
#define CHK	0x20000
#define ALL	(SENDER | QUE_LWM | MP_LWM | NSEQ | TSTAMP | CHK)

/*
 * y symbol, f function, s signal, 1 2 4 numbers, p pool, o pool counted from 1, e elements,
 * E their minimum, b blocks, B their minimum, z size of blocks, v size of an event, t ticks,
 * r sender, $ string
 */
static const struct {
	uint8_t		group, event;
	const char	*layout;
} events[] = {
	{ 0, 0, "ybz" }, { 0, 1, "ybB" }, { 0, 2, "yb" },
	{ 1, 0, "yye" }, { 1, 1, "ye" }, { 1, 2, "yeE" }, { 1, 3, "yeE" }, { 1, 4, "y" },
	{ 1, 5, "y" }, { 1, 6, "y" },
	{ 2, 0, "y11" }, { 2, 1, "y1" }, { 2, 2, "yso1eE" }, { 2, 3, "ysro1eE" },
	{ 2, 4, "ysro1eE" }, { 2, 5, "y1" }, { 2, 6, "y1" }, { 2, 7, "ys" }, { 2, 8, "ys" },
	{ 3, 0, "yy" }, { 3, 1, "yy" }, { 3, 2, "yyy" }, { 3, 3, "yy" }, { 3, 4, "yy" },
	{ 3, 5, "yy" }, { 3, 6, "y11" }, { 3, 7, "y11" }, { 3, 8, "yy" }, { 3, 9, "y" },
	{ 3, 10, "ys" }, { 3, 11, "y" }, { 3, 12, "y" }, { 3, 13, "y" }, { 3, 14, "y" },
	{ 3, 15, "y" }, { 3, 16, "1yyf" }, { 3, 17, "ysy" },
	{ 4, 0, "ys" }, { 4, 1, "yytt" }, { 4, 2, "ytt" }, { 4, 3, "ysy" }, { 4, 4, "y" },
	{ 5, 0, "" }, { 5, 1, "" }, { 5, 2, "o4vb" }, { 5, 3, "vsp1bBy" }, { 5, 4, "so1" },
	{ 5, 5, "sp1bBy" }, { 5, 9, "f" }, { 5, 10, "frr" }, { 5, 13, "$2" },
	{ 7, 0, "" }, { 7, 1, "" }, { 7, 2, "" }, { 7, 3, "" }, { 7, 4, "" }, { 7, 5, "" },
	{ 7, 6, "" }, { 7, 7, "" }, { 7, 8, "" }, { 7, 9, "4$" },
};
#define EVENTS (sizeof(events) / sizeof(*events))

static uint64_t value(unsigned int i, unsigned int k, int bytes)
{
	uint64_t v = 0x7e11223344556677ull * (i + 1) + 0x7d010203ull * k;

	return bytes == 8 ? v : v & ((1ull << 8 * bytes) - 1);
}

static int size_in(const struct rkh_target *t, char what)
{
	switch (what) {
	case 'y':
	case 'f':
		return t->ptr;
	case 'r':
		return t->flags & SENDER ? t->ptr : 0;
	case 's': return t->sig;
	case 'o':
	case 'p': return 1;
	case 'e': return t->ne;
	case 'E':
		return t->flags & QUE_LWM ? t->ne : 0;
	case 'b': return t->nblk;
	case 'B':
		return t->flags & MP_LWM ? t->nblk : 0;
	case 'z': return t->bsize;
	case 'v': return t->es;
	case 't': return t->ntick;
	default: return what - '0';
	}
}

static void one_event(struct rkh_target *t, unsigned int i, struct body *want)
{
	static const uint8_t formats[5] = { [1] = 1, [2] = 3, [4] = 5 };
	const char *l = events[i].layout;
	unsigned int k = 0;

	want->len = 0;
	rkh_begin(t, events[i].group, events[i].event);
	for (; *l; l++, k++) {
		const int size = *l == '$' ? 0 : size_in(t, *l);
		const uint64_t v = size ? value(i, k, size) : 0;

		rkh_num(t, v, size);
		switch (*l) {
		case '$':
			rkh_str(t, "mo}d~");
			body_int(want, DEVTRACE_E_STR, 1);
			body_string(want, "mo}d~");
			break;
		case 's':
			body_int(want, DEVTRACE_E_SIG, 1);
			body_int(want, v, 4);
			body_int(want, 0, 8);
			break;
		case 'y':
		case 'r':
		case 'f':
			body_int(want, *l == 'f' ? DEVTRACE_E_FUN : DEVTRACE_E_OBJ, 1);
			body_int(want, v, 8);
			break;
		case 'o':
		case 'p':
			body_int(want, 0x80 | (*l == 'p' ? 6 : 7) << 4, 1);
			body_int(want, v, 1);
			break;
		default:
			body_int(want, size ? formats[size] : DEVTRACE_E_STR, 1);
			if (size)
				body_int(want, v, (unsigned int)size);
			else
				body_string(want, "-");
		}
	}
	rkh_end(t);
}

/* Names: OBJ SIG FUN TUSR, and those that are also events. */
static void names(struct rkh_target *t)
{
	static const char *const layouts[] = { [6] = "y", "s", "f", [11] = "1", [14] = "y", "yy",
					       "yy", "y", "1", "y", "y" };
	char name[] = "na~.me";
	int i;

	for (i = 6; i <= 20; i++) {
		const char *l = layouts[i];
		uint64_t key = 0x21;

		if (!l)
			continue;
		rkh_begin(t, 5, i);
		for (; *l; l++, key++)
			rkh_num(t, i == 11 ? 0 : key, size_in(t, *l));
		name[3] = (char)('a' + i);
		rkh_str(t, i == 6 ? "&table" : name);
		rkh_end(t);
	}
}
#define NAMES	11

static void user_event(struct rkh_target *t)
{
	rkh_begin(t, 6, 30);
	rkh_num(t, 0x31, 1);
	rkh_num(t, 7, 1);
	rkh_num(t, 11, 1);
	rkh_num(t, 9, t->sig);
	rkh_num(t, 9, 1);
	rkh_num(t, 0x42, t->ptr);
	rkh_num(t, 8, 1);
	rkh_num(t, 2, 1);
	rkh_num(t, 0x7d7e, 2);
	rkh_end(t);
}

static struct got g, g2;
static struct conv conv;
static struct body want[EVENTS];

static void everything(struct rkh_target *t)
{
	unsigned int i;

	rkh_tcfg(t);
	names(t);
	for (i = 0; i < EVENTS; i++)
		one_event(t, i, &want[i]);
	user_event(t);
}

FIXTURE(target) {
	struct rkh_target *t;
};

FIXTURE_VARIANT(target) {
	int bytes;
	uint32_t flags;
};

FIXTURE_VARIANT_ADD(target, of_32_bits) { .bytes = 4, .flags = ALL };
FIXTURE_VARIANT_ADD(target, of_16_bits) { .bytes = 2, .flags = ALL };
FIXTURE_VARIANT_ADD(target, of_64_bits) { .bytes = 8, .flags = ALL };
FIXTURE_VARIANT_ADD(target, without_what_is_optional) { .bytes = 4, .flags = CHK | NSEQ };
FIXTURE_VARIANT_ADD(target, without_a_number) { .bytes = 4, .flags = ALL & ~NSEQ };
FIXTURE_VARIANT_ADD(target, without_a_check) { .bytes = 4, .flags = ALL & ~CHK };

static struct rkh_target *new_target(int bytes, uint32_t flags)
{
	struct rkh_target *t = calloc(1, sizeof(*t));

	t->flags = flags;
	t->ptr = bytes;
	t->time = bytes == 2 ? 2 : 4;
	t->sig = bytes == 8 ? 4 : bytes == 2 ? 1 : 2;
	t->ntick = bytes == 2 ? 1 : 4;
	t->nblk = bytes == 8 ? 4 : 1;
	t->ne = bytes == 4 ? 2 : 1;
	t->es = bytes == 8 ? 4 : 2;
	t->bsize = bytes == 2 ? 1 : 2;
	t->hz = 10000;
	return t;
}

FIXTURE_SETUP(target)
{
	self->t = new_target(variant->bytes, variant->flags);
	everything(self->t);
}

FIXTURE_TEARDOWN(target)
{
	free(self->t);
}

static void convert(struct got *got, const uint8_t *p, size_t n, const struct conv_sizes *sizes,
		    size_t piece)
{
	got_convert(got, &conv_rkh, p, n, sizes, piece, &conv);
}

TEST_F(target, every_event_comes_as_it_was_made)
{
	unsigned int i;
	int at = 0, k;

	convert(&g, self->t->out, self->t->len, NULL, 0);
	EXPECT_EQ(0, g.missing);
	EXPECT_EQ(0, g.damages);
	EXPECT_EQ(0, g.unknown);
	EXPECT_LT(0, g.marks);
	EXPECT_EQ(242, g.v[at].type);
	EXPECT_EQ(variant->flags, (uint32_t)(g.v[at].data[4] | g.v[at].data[5] << 8 |
					     g.v[at].data[6] << 16));
	at++;
	EXPECT_EQ(DEVTRACE_T_OBJ, g.v[at].type);
	EXPECT_STREQ("table", g.v[at].name);
	EXPECT_EQ(0x21, g.v[at++].key);
	EXPECT_EQ(DEVTRACE_T_SIG, g.v[at].type);
	EXPECT_STREQ("na~hme", g.v[at].name);
	EXPECT_EQ(0x21, g.v[at++].value);
	EXPECT_EQ(DEVTRACE_T_FUN, g.v[at++].type);
	EXPECT_EQ(DEVTRACE_T_USR, g.v[at].type);
	EXPECT_EQ(100, g.v[at++].value);
	for (k = 174; k <= 180; k++, at += 2) {
		const bool owned = k == 175 || k == 176;
		const uint8_t *p;

		EXPECT_EQ(k == 178 ? DEVTRACE_T_ENUM : DEVTRACE_T_OBJ, g.v[at].type);
		EXPECT_EQ(k == 178 ? 0 : owned ? 0x22 : 0x21, g.v[at].key);
		if (k == 178) {
			/* The pool, the same pool counted from 1, and an event without a pool */
			EXPECT_EQ(6, g.v[at].group);
			EXPECT_EQ(0x21, g.v[at].value);
			EXPECT_EQ(7, g.v[at + 1].group);
			EXPECT_EQ(0x22, g.v[at + 1].value);
			EXPECT_STREQ(g.v[at].name, g.v[at + 1].name);
			EXPECT_EQ(7, g.v[at + 2].group);
			EXPECT_EQ(0, g.v[at + 2].value);
			EXPECT_STREQ("static", g.v[at + 2].name);
			at += 2;
		}
		p = g.v[at + 1].data;
		EXPECT_EQ(244, g.v[at + 1].type);
		EXPECT_EQ(k, p[1]);
		EXPECT_EQ(owned ? 0x22 : 0x21, p[3]);
		EXPECT_EQ(owned ? 0x21 : 0, p[g.v[at + 1].len - 8]);
	}
	for (i = 0; i < EVENTS; i++, at++) {
		const int te = events[i].group << 5 | events[i].event;

		EXPECT_EQ(DEVTRACE_RKH_TYPE(te), g.v[at].type);
		ASSERT_EQ(want[i].len, g.v[at].len) TH_LOG("event %d", te);
		EXPECT_EQ(0, memcmp(want[i].bytes, g.v[at].data, want[i].len))
			TH_LOG("event %d", te);
	}
	EXPECT_EQ(86, g.v[at].type);
	EXPECT_EQ(0, memcmp("\x31\7\x0a\x09\0\0\0\0\0\0\0\0\0\0\0\x0b\x42\0\0\0\0\0\0\0\x09\2\x7e\x7d",
			    g.v[at].data, 28));
	EXPECT_EQ(at + 1, g.nr);
	/* Ticks of 10 kHz, from the configuration unless the user sets a rate; the second is 10. */
	if (variant->flags & TSTAMP)
		EXPECT_EQ(1000000, g.v[at].ts - g.v[at - 1].ts);
	EXPECT_EQ(0x3400, conv.version);
}

TEST_F(target, pieces_of_any_size_make_the_same_stream)
{
	size_t piece;
	int i;

	convert(&g, self->t->out, self->t->len, NULL, 0);
	for (piece = 1; piece < 8; piece++) {
		convert(&g2, self->t->out, self->t->len, NULL, piece);
		ASSERT_EQ(g.nr, g2.nr);
		for (i = 0; i < g.nr; i++)
			ASSERT_EQ(g.v[i].digest, g2.v[i].digest);
	}
}

/* Frames with a name or string have no fixed length; the sum does not detect a zero. */
static bool no_length(const struct rkh_target *t, size_t at)
{
	int i = 0;

	while (at >= t->ends[i])
		i++;
	return i <= NAMES || i == t->nr - 1 || i == t->nr - 2 ||
	       (i > NAMES && events[i - NAMES - 1].layout[0] == '$');
}

static int frames_lost(const struct rkh_target *t, int first, int lost)
{
	int at = 1, frame = 1, gone = 0, k;

	/* Names of these kinds give two items: the name and an event. A pool has three names. */
	for (; frame < t->nr; frame++) {
		const int things = frame == 9 ? 4 : frame >= 5 && frame <= NAMES ? 2 : 1;

		for (k = 0; k < things; k++)
			if (at + k >= first && at + k < first + lost)
				break;
		gone += k < things;
		at += things;
	}
	return gone + (first == 0 && lost);
}

TEST_F(target, every_damaged_byte_is_told_and_what_is_missing_is_exact)
{
	const struct rkh_target *t = self->t;
	static uint8_t bad[65536];
	size_t at, n;
	int kind, first, lost, gone;

	/* Without a check damage is not detected, without a number no gap. */
	if ((variant->flags & (CHK | NSEQ)) != (CHK | NSEQ))
		return;
	convert(&g, t->out, t->len, NULL, 0);
	/* After the configuration: a damaged one gives all following frames wrong sizes. */
	for (at = t->ends[0]; at < t->len; at++) {
		for (kind = 0; kind < GOT_SPOILS; kind++) {
			n = got_spoil(bad, t->out, t->len, at, kind);
			convert(&g2, bad, n, NULL, 0);
			if (kind >= 4 && !t->out[at] && no_length(t, at))
				continue;
			lost = got_not_there(&g, &g2, &first);
			ASSERT_GE(lost, 0) {
				TH_LOG("byte %zu, %s: an event that was not made", at,
				       got_spoils[kind]);
			}
			gone = lost ? frames_lost(t, first, lost) : 0;
			/* Frames after the last cannot be counted. */
			ASSERT_TRUE(g2.missing == (uint64_t)gone || first + lost == g.nr) {
				TH_LOG("byte %zu, %s: %d lost, %d told", at, got_spoils[kind], gone,
				       (int)g2.missing);
			}
			ASSERT_TRUE(!lost || g2.damages) {
				TH_LOG("byte %zu, %s: %d lost, no damage", at, got_spoils[kind],
				       lost);
			}
		}
	}
}

TEST(a_damaged_configuration_configures_nothing)
{
	struct rkh_target *t = new_target(8, ALL);
	static uint8_t bad[65536];
	size_t at, n;
	int kind, i;

	everything(t);
	convert(&g, t->out, t->len, NULL, 0);
	for (at = 0; at < t->ends[0]; at++) {
		for (kind = 0; kind < GOT_SPOILS; kind++) {
			n = got_spoil(bad, t->out, t->len, at, kind);
			if (n == t->len && !memcmp(bad, t->out, n))
				continue;
			convert(&g2, bad, n, NULL, 0);
			if (g2.nr && g2.v[0].type == 242 &&
			    !memcmp(g.v[0].data, g2.v[0].data, g.v[0].len))
				continue;
			/* Sizes of another machine: this configuration is not accepted. */
			EXPECT_FALSE(conv.sized) TH_LOG("byte %zu, %s", at, got_spoils[kind]);
			for (i = 0; i < g2.nr; i++)
				EXPECT_NE(242, g2.v[i].type);
		}
	}
	free(t);
}

TEST(a_target_that_begins_anew_has_no_gap)
{
	struct rkh_target *t = new_target(4, ALL);

	rkh_tcfg(t);
	one_event(t, 0, &want[0]);
	t->seq = 0;
	t->ticks = 0;
	t->ptr = 8;
	rkh_tcfg(t);
	one_event(t, 0, &want[0]);
	convert(&g, t->out, t->len, NULL, 0);
	EXPECT_EQ(4, g.nr);
	EXPECT_EQ(0, g.missing);
	EXPECT_EQ(0, g.damages);
	EXPECT_EQ(1, conv.resets);
	EXPECT_EQ(0, memcmp(want[0].bytes, g.v[3].data, want[0].len));
	free(t);
}

TEST(a_target_of_another_version_is_named)
{
	static const struct { unsigned int version; const char *odd; } v[] = {
		{ 0x2413, "RKH 2.4.13 is older than 3, so some of its records may be read wrong" },
		{ 0x3000, "" }, { 0x3400, "" },
		{ 0x4001, "RKH 4.0.01 is newer than 3, so some of its records may be read wrong" },
	};
	int i;

	for (i = 0; i < 4; i++) {
		struct rkh_target *t = new_target(4, ALL);

		t->version = v[i].version;
		rkh_tcfg(t);
		rkh_tcfg(t);
		convert(&g, t->out, t->len, NULL, 0);
		EXPECT_STREQ(v[i].odd, conv.odd);
		EXPECT_EQ(*v[i].odd ? 1 : 0, g.notes) TH_LOG("%x: once", v[i].version);
		EXPECT_EQ(2, g.nr);
		free(t);
	}
	/* With a number and a stamp, as before 3.0.0 */
	{
		struct rkh_target *t = new_target(4, ALL);

		rkh_begin(t, 5, 12);
		rkh_num(t, 0x2413, 2);
		rkh_end(t);
		convert(&g, t->out, t->len, NULL, 0);
		EXPECT_NE(NULL, strstr(conv.odd, "its configuration has an unknown layout"));
		EXPECT_EQ(1, g.notes);
		EXPECT_EQ(1, g.damages);
		free(t);
	}
}

TEST(a_number_that_no_event_has_is_text)
{
	struct rkh_target *t = new_target(4, ALL);

	rkh_tcfg(t);
	rkh_begin(t, 0, 31);
	rkh_num(t, 0xabcd, 2);
	rkh_end(t);
	convert(&g, t->out, t->len, NULL, 0);
	ASSERT_EQ(2, g.nr);
	EXPECT_EQ(DEVTRACE_T_TEXT, g.v[1].type);
	EXPECT_STREQ("RKH: unknown event 31: CD AB", (char *)g.v[1].data + 1);
	free(t);
}

/* Its value and end are unknown: it does not become an element. */
TEST(a_code_that_no_element_has_is_text)
{
	struct rkh_target *t = new_target(4, ALL);
	int code;

	rkh_tcfg(t);
	for (code = 12; code < 16; code++) {
		rkh_begin(t, 6, 0);
		rkh_num(t, 0x01, 1);
		rkh_num(t, 9, 1);
		rkh_num(t, (uint64_t)code, 1);
		rkh_num(t, 0x67666564636261, 7);
		rkh_end(t);
	}
	convert(&g, t->out, t->len, NULL, 0);
	ASSERT_EQ(5, g.nr);
	for (code = 12; code < 16; code++)
		EXPECT_EQ(DEVTRACE_T_TEXT, g.v[code - 11].type);
	EXPECT_STREQ("RKH: an element of unknown type in event 192: 01 09 0C 61 62 63 64 65 66 67",
		     (char *)g.v[1].data + 1);
	EXPECT_EQ(0, g.damages);
	free(t);
}

/* The text has the first 32 bytes, with the longest words before them. */
TEST(the_text_of_a_long_record_is_cut)
{
	struct rkh_target *t = new_target(4, ALL);
	int i;

	rkh_tcfg(t);
	rkh_begin(t, 6, 0);
	rkh_num(t, 12, 1);
	for (i = 0; i < 60; i++)
		rkh_num(t, 0xab, 1);
	rkh_end(t);
	convert(&g, t->out, t->len, NULL, 0);
	ASSERT_EQ(2, g.nr);
	EXPECT_EQ(0, strncmp((char *)g.v[1].data + 1,
			     "RKH: an element of unknown type in event 192: 0C AB AB", 54));
	EXPECT_EQ(46 + 3 * 32 - 1, strlen((char *)g.v[1].data + 1));
	free(t);
}

/* The first frames are missing; the configuration arrived, so numbers began at 0. */
TEST(the_first_frames_are_missed)
{
	struct rkh_target *t = new_target(4, ALL);

	rkh_tcfg(t);
	t->seq = 3;
	one_event(t, 0, &want[0]);
	convert(&g, t->out, t->len, NULL, 0);
	EXPECT_EQ(2, g.nr);
	EXPECT_EQ(3, conv.missing);
	/* A configuration repeated while numbers continue is no restart, and loses nothing. */
	rkh_tcfg(t);
	one_event(t, 0, &want[0]);
	convert(&g, t->out, t->len, NULL, 0);
	EXPECT_EQ(4, g.nr);
	EXPECT_EQ(3, conv.missing);
	EXPECT_EQ(0, conv.resets);
	free(t);
}

/* Short in the target's format and long in an event: nothing is written behind its end. */
TEST(a_record_that_is_too_long_for_an_event_is_told)
{
	struct rkh_target *t = new_target(2, ALL);
	int i, k;

	for (k = 0; k < 3; k++) {
		rkh_tcfg(t);
		rkh_begin(t, 6, 0);
		/* Elements have 2 or 3 bytes in the target's format, 13 or 9 in the event. */
		for (i = 0; i < 420; i++) {
			rkh_num(t, (i + k) % 3 ? 11 : 9, 1);
			rkh_num(t, 1, (i + k) % 3 ? 1 : 2);
		}
		rkh_end(t);
		t->seq = 0;
	}
	one_event(t, 1, &want[1]);
	convert(&g, t->out, t->len, NULL, 0);
	ASSERT_EQ(7, g.nr);
	for (k = 0; k < 3; k++)
		EXPECT_EQ(DEVTRACE_T_TEXT, g.v[2 * k + 1].type);
	EXPECT_STREQ("this record is too long for an event", (char *)g.v[1].data + 1);
	EXPECT_EQ(193, g.v[6].type);
	EXPECT_EQ(0, conv.err);
	free(t);
}

TEST(other_sizes_are_told)
{
	struct rkh_target *t = new_target(8, ALL);

	one_event(t, 0, &want[0]);
	one_event(t, 0, &want[0]);
	convert(&g, t->out, t->len, NULL, 0);
	EXPECT_EQ(0, g.nr);
	EXPECT_EQ(2, conv.layout);
	free(t);
}

TEST_HARNESS_MAIN
