// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_decode.c - the decoder with streams that are complete, cut, joined, lack frames, or are
 * not streams
 */
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "decode/decode_priv.h"
#include "teststream.h"

static const char * const check_name[] = { "sum8", "crc16", "crc32" };

/* Under an emulator, and with QUICK, a tenth of the rounds. */
static size_t scaled(size_t n)
{
	return getenv("QUICK") ? n / 10 : n;
}

/* The list has the frames of the stream from @first on, in order, and nothing else. */
static bool all_seen(const struct seen_list *l, const struct stream *s, size_t first)
{
	if (l->nr != s->nr - first)
		return false;
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i].digest != s->frames[first + i].digest ||
		    l->v[i].offset != s->frames[first + i].start ||
		    l->v[i].seq != s->frames[first + i].seq)
			return false;
	return true;
}

static size_t count_kind(const struct seen_list *l, enum devtrace_item_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < l->nr; i++)
		n += l->v[i].kind == kind;
	return n;
}

static const struct seen *find_kind(const struct seen_list *l, enum devtrace_item_kind kind)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i].kind == kind)
			return &l->v[i];
	return NULL;
}

FIXTURE(checks) {
	struct stream s;
	struct seen_list seen;
	struct devtrace_totals totals;
	struct rng r;
};

FIXTURE_VARIANT(checks) {
	enum devtrace_check check;
};

FIXTURE_VARIANT_ADD(checks, sum8) { .check = DEVTRACE_CHECK_SUM8 };
FIXTURE_VARIANT_ADD(checks, crc16) { .check = DEVTRACE_CHECK_CRC16 };
FIXTURE_VARIANT_ADD(checks, crc32) { .check = DEVTRACE_CHECK_CRC32 };

FIXTURE_SETUP(checks)
{
	self->r.state = test_seed(check_name[variant->check]);
	stream_init(&self->s, variant->check);
}

FIXTURE_TEARDOWN(checks)
{
	stream_free(&self->s);
	seen_free(&self->seen);
}

TEST_F(checks, any_pieces)
{
	static const size_t pieces[] = { 1, 2, 7, 4096, 0, 0, 0, 1 << 20 };
	struct seen_list damaged = {}, again = {};
	struct devtrace_totals t;

	stream_mixed(&self->s, &self->r, scaled(10000));
	for (size_t i = 0; i < 8; i++) {
		struct seen_list l = {};

		decode_pieces(&l, self->s.bytes, self->s.len, pieces[i], &self->r, &t);
		EXPECT_TRUE(all_seen(&l, &self->s, 0));
		EXPECT_EQ(self->s.len, t.bytes);
		EXPECT_EQ(self->s.nr, t.frames);
		EXPECT_EQ(0, t.missing + t.damages + t.damaged_bytes);
		seen_free(&l);
	}

	/* The same with one random byte in 300, and a run of garbage. */
	for (size_t i = 0; i < self->s.len / 300; i++)
		self->s.bytes[rng_below(&self->r, self->s.len)] = (uint8_t)rng_next(&self->r);
	for (size_t i = 0; i < scaled(20000); i++)
		self->s.bytes[self->s.len / 2 + i] = 0x7d + (i % 3 ? 0 : 0xe2);
	decode_pieces(&damaged, self->s.bytes, self->s.len, self->s.len, &self->r, &self->totals);
	EXPECT_GT(count_kind(&damaged, DEVTRACE_ITEM_DAMAGE), scaled(100));
	EXPECT_EQ(self->totals.damages, count_kind(&damaged, DEVTRACE_ITEM_DAMAGE));
	for (size_t i = 0; i < 7; i++) {
		decode_pieces(&again, self->s.bytes, self->s.len, pieces[i], &self->r, &t);
		EXPECT_TRUE(seen_equal(&damaged, &again));
		EXPECT_EQ(0, memcmp(&t, &self->totals, sizeof(t)));
		seen_free(&again);
	}
	seen_free(&damaged);
}

/* Sequence numbers do not show multiples of 256. */
TEST_F(checks, missing_frames)
{
	static const uint64_t lost[] = { 1, 255, 256, 257, 512, 513, 25600, 1ull << 40 };

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		struct stream s;
		struct seen_list l = {};
		struct devtrace_totals t;
		size_t gaps = 0;
		uint64_t missing = 0, last;

		stream_init(&s, variant->check);
		stream_info(&s, DEVTRACE_INFO_OPEN);
		for (int k = 0; k < 10; k++)
			stream_number(&s, k);
		last = s.ts - 1000;
		stream_skip(&s, lost[i]);
		for (int k = 0; k < 10; k++)
			stream_number(&s, k);
		stream_clock(&s);
		stream_number(&s, 99);
		stream_info(&s, DEVTRACE_INFO_PERIODIC);
		decode_pieces(&l, s.bytes, s.len, 0, &self->r, &t);

		for (size_t k = 0; k < l.nr; k++) {
			const struct devtrace_gap *g = &l.v[k].gap;

			if (l.v[k].kind != DEVTRACE_ITEM_GAP)
				continue;
			gaps++;
			missing += g->count;
			EXPECT_EQ(l.v[k + 1].offset, g->offset);
			EXPECT_EQ(l.v[k + 1].seq, g->seq_after);
			if (g->exact) {
				/* found at the CLOCK frame */
				EXPECT_EQ(s.frames[21].start, g->offset);
				EXPECT_EQ(s.frames[20].seq, g->seq_before);
				EXPECT_EQ(0, g->count % 256);
				EXPECT_EQ(lost[i] % 256 ? last : 0, g->ts_before);
			} else {
				EXPECT_EQ(s.frames[11].start, g->offset);
				EXPECT_EQ(s.frames[10].seq, g->seq_before);
				EXPECT_EQ(lost[i] % 256, g->count);
				EXPECT_EQ(last, g->ts_before);
			}
		}
		EXPECT_EQ((lost[i] % 256 != 0) + (lost[i] > 255), gaps);
		EXPECT_EQ(lost[i], missing);
		EXPECT_EQ(lost[i], t.missing);
		EXPECT_EQ(0, t.damages);
		seen_free(&l);
		stream_free(&s);
	}
}

/* A multiple of 256 directly before INFO: only its counter shows the gap. */
TEST_F(checks, missing_before_info)
{
	const struct seen *g;

	stream_info(&self->s, DEVTRACE_INFO_OPEN);
	stream_number(&self->s, 1);
	stream_clock(&self->s);
	stream_skip(&self->s, 768);
	stream_info(&self->s, DEVTRACE_INFO_PERIODIC);
	stream_skip(&self->s, 3);
	stream_clock(&self->s);
	decode_pieces(&self->seen, self->s.bytes, self->s.len, 0, &self->r, &self->totals);
	ASSERT_EQ(7, self->seen.nr);
	g = &self->seen.v[3];
	EXPECT_EQ(DEVTRACE_ITEM_GAP, g->kind);
	EXPECT_TRUE(g->gap.exact && g->gap.count == 768 && g->gap.ts_before == 1000000);
	g = &self->seen.v[5];
	EXPECT_EQ(DEVTRACE_ITEM_GAP, g->kind);
	EXPECT_TRUE(!g->gap.exact && g->gap.count == 3);
	EXPECT_EQ(771, self->totals.missing);
}

/* The stream begins anywhere: one cut at most, no gap, and the check is detected. */
TEST_F(checks, begins_midway)
{
	size_t first = 0, odd = 0;

	stream_mixed(&self->s, &self->r, 400);
	for (size_t from = 1; from < self->s.frames[scaled(300)].start; from++) {
		struct seen_list l = {};
		size_t have;

		while (self->s.frames[first].start < from)
			first++;
		decode_pieces(&l, self->s.bytes + from, self->s.len - from,
			      self->s.len, &self->r, &self->totals);
		have = self->s.nr - first;
		/*
		 * An intact frame before the first flag: with sum8, the decoder accepts it only
		 * if it looks like an event, and a few do not.
		 */
		if (variant->check == DEVTRACE_CHECK_SUM8 &&
		    from == self->s.frames[first].start &&
		    self->totals.frames == have - 1) {
			odd++;
			seen_free(&l);
			continue;
		}
		ASSERT_GE(l.nr, have);
		ASSERT_LE(l.nr, have + 1);
		EXPECT_EQ(0, self->totals.missing);
		EXPECT_EQ(have, self->totals.frames);
		for (size_t i = 0; i < have; i++)
			ASSERT_EQ(self->s.frames[first + i].digest, l.v[l.nr - have + i].digest);
		if (self->s.frames[first].start != from &&
		    self->s.frames[first].start != from + 1) {
			ASSERT_EQ(have + 1, l.nr);
			EXPECT_EQ(DEVTRACE_ITEM_DAMAGE, l.v[0].kind);
			EXPECT_EQ(DEVTRACE_DAMAGE_CUT, l.v[0].damage.reason);
			EXPECT_EQ(0, l.v[0].damage.offset);
			EXPECT_EQ(self->s.frames[first].start - from, l.v[0].damage.bytes);
		}
		seen_free(&l);
	}
	EXPECT_LE(odd, 60);
}

/*
 * Bytes before the first flag that pass sum8 by chance, made on purpose: the decoder must reject
 * the end of a frame and accept a whole one.
 */
TEST_F(checks, first_looks_intact)
{
	static const struct {
		uint8_t type, flags, severity, source_high, element;
		bool believed;
	} first[] = {
		{ DEVTRACE_T_USER, DEVTRACE_F_USER, 0, 0, DEVTRACE_E_U8, true },
		{ DEVTRACE_T_USER, 0, DEVTRACE_SEV_SET | 7, 0, DEVTRACE_E_U8, true },
		/* the last lane of the largest machine, and late */
		{ DEVTRACE_T_USER, DEVTRACE_F_USER | DEVTRACE_F_LATE, 0, 0x2f, DEVTRACE_E_U8,
		  true },
		{ DEVTRACE_T_STATE + 1, 0, 0, 0, 0, false },	/* no such type */
		{ DEVTRACE_T_USER, 0x80, 0, 0, DEVTRACE_E_U8, false },
		{ DEVTRACE_T_USER, 0, 0x10, 0, DEVTRACE_E_U8, false },
		{ DEVTRACE_T_USER, 0, 0, 0x30, DEVTRACE_E_U8, false },
		{ DEVTRACE_T_USER, 0, 0, 0, DEVTRACE_E_U16, false },
	};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		uint8_t body[18] = { first[i].flags, first[i].severity, 0,
				     first[i].source_high, [16] = first[i].element };
		struct stream s;
		struct seen_list l = {};
		struct devtrace_totals t;

		stream_init(&s, DEVTRACE_CHECK_SUM8);
		s.seq = 77;
		stream_frame(&s, first[i].type, body, sizeof(body));
		s.check = variant->check;
		s.seq = first[i].believed ? 78 : 5;
		stream_number(&s, 1);
		stream_number(&s, 2);
		decode_pieces(&l, s.bytes, s.len, 0, &self->r, &t);
		EXPECT_EQ(3, l.nr);
		EXPECT_EQ(first[i].believed ? 3 : 2, t.frames);
		EXPECT_EQ(0, t.missing);
		EXPECT_EQ(first[i].believed ? DEVTRACE_ITEM_EVENT : DEVTRACE_ITEM_DAMAGE,
			  l.v[0].kind);
		if (!first[i].believed)
			EXPECT_EQ(DEVTRACE_DAMAGE_CUT, l.v[0].damage.reason);
		seen_free(&l);
		stream_free(&s);
	}
}

/* The stream ends anywhere: the decoder reports the cut and its size. */
TEST_F(checks, ends_midway)
{
	size_t whole = 0;

	stream_mixed(&self->s, &self->r, 100);
	for (size_t to = 0; to < self->s.len; to++) {
		struct seen_list l = {};

		if (self->s.frames[whole].end <= to)
			whole++;
		decode_pieces(&l, self->s.bytes, to, 0, &self->r, &self->totals);
		ASSERT_EQ(whole + (self->s.frames[whole].start != to), l.nr);
		if (l.nr > whole) {
			EXPECT_EQ(DEVTRACE_DAMAGE_CUT, l.v[whole].damage.reason);
			EXPECT_EQ(self->s.frames[whole].start, l.v[whole].damage.offset);
			EXPECT_EQ(to - self->s.frames[whole].start, l.v[whole].damage.bytes);
		}
		seen_free(&l);
	}
}

/* cat a b with a cut anywhere: b is complete, and no gap is reported. */
TEST_F(checks, joined)
{
	struct stream b;
	uint8_t *both;
	size_t whole = 0, by_chance = 0;

	stream_mixed(&self->s, &self->r, 100);
	stream_init(&b, (variant->check + rng_below(&self->r, 3)) % 3);
	stream_mixed(&b, &self->r, 50);
	both = malloc(self->s.len + b.len);
	ASSERT_NE(NULL, both);
	memcpy(both, self->s.bytes, self->s.len);
	for (size_t to = self->s.frames[3].start; to <= self->s.len; to++) {
		struct seen_list l = {};
		size_t cut, first;

		while (whole < self->s.nr && self->s.frames[whole].end <= to)
			whole++;
		cut = to - (whole ? self->s.frames[whole - 1].end : 0);
		memcpy(both, self->s.bytes, to);
		memcpy(both + to, b.bytes, b.len);
		decode_pieces(&l, both, to + b.len, to % 5 ? 1 << 20 : 1, &self->r, &self->totals);
		first = l.nr - b.nr;
		/* With sum8, the rest of a frame and an INFO frame may look intact together. */
		if (cut && variant->check == DEVTRACE_CHECK_SUM8 &&
		    l.v[whole].kind != DEVTRACE_ITEM_DAMAGE) {
			by_chance++;
			seen_free(&l);
			continue;
		}
		ASSERT_EQ(whole + (cut > 0), first);
		for (size_t i = 0; i < b.nr; i++) {
			ASSERT_EQ(b.frames[i].digest, l.v[first + i].digest);
			ASSERT_EQ(to + b.frames[i].start, l.v[first + i].offset);
		}
		if (cut) {
			EXPECT_EQ(DEVTRACE_DAMAGE_CUT, l.v[whole].damage.reason);
			EXPECT_EQ(to - cut, l.v[whole].damage.offset);
			EXPECT_EQ(cut, l.v[whole].damage.bytes);
		}
		EXPECT_EQ(0, self->totals.missing);
		seen_free(&l);
	}
	/* About 4000 joins, 100 of them with a length byte that is right by chance. */
	EXPECT_LE(by_chance, 6);
	free(both);
	stream_free(&b);
}

/* Joined, and the frame that opens the second stream is damaged. */
TEST_F(checks, joined_opening_lost)
{
	const struct seen *g;
	size_t from;

	stream_mixed(&self->s, &self->r, 600);
	from = self->s.len;
	self->s.sent = 0;
	/* The sequence numbers continue: only the counter shows it. */
	self->s.seq--;
	stream_info(&self->s, DEVTRACE_INFO_OPEN);
	stream_number(&self->s, 1);
	stream_clock(&self->s);
	memmove(self->s.bytes + from, self->s.bytes + self->s.frames[603].end,
		self->s.len - self->s.frames[603].end);
	self->s.len -= self->s.frames[603].end - from;
	decode_pieces(&self->seen, self->s.bytes, self->s.len, 0, &self->r, &self->totals);
	ASSERT_EQ(603 + 1 + 2, self->seen.nr);
	g = find_kind(&self->seen, DEVTRACE_ITEM_GAP);
	ASSERT_NE(NULL, g);
	EXPECT_TRUE(g->gap.count == 1 && !g->gap.exact);
}

/* The reader selects another check; the INFO frame that tells it may be lost. */
TEST_F(checks, check_changes)
{
	static const size_t late[] = { 3, 1, 0 };

	for (int to = 0; to < 3; to++) {
		for (int lost = 0; lost < 2; lost++) {
			struct stream s;
			struct seen_list l = {};
			struct devtrace_totals t;

			stream_init(&s, variant->check);
			stream_mixed(&s, &self->r, 20);
			s.check = to;
			stream_info(&s, DEVTRACE_INFO_CHECK);
			if (lost)
				s.bytes[s.len - 10] ^= 0x40;
			for (int i = 0; i < 20; i++)
				stream_number(&s, i);
			decode_pieces(&l, s.bytes, s.len, 0, &self->r, &t);
			if (!lost) {
				EXPECT_TRUE(all_seen(&l, &s, 0));
			} else if (to == (int)variant->check) {
				EXPECT_EQ(s.nr - 1, t.frames);
				EXPECT_EQ(1, t.missing);
			} else {
				EXPECT_EQ(s.nr - 1 - late[to], t.frames);
				EXPECT_EQ(1 + late[to], t.missing);
				EXPECT_EQ(1 + late[to], t.damages);
			}
			seen_free(&l);
			stream_free(&s);
		}
	}
}

/* The callback stops the decoder: each item comes once, and the bytes add up. */
struct stopper {
	struct seen_list list;
	struct rng *r;
};

static int stop_often(const struct devtrace_item *item, void *arg)
{
	struct stopper *s = arg;

	seen_add(item, &s->list);
	return rng_below(s->r, 3) ? 0 : 42;
}

TEST_F(checks, callback_stops)
{
	struct stopper stop = { .r = &self->r };
	struct devtrace_decoder *d;
	size_t pos = 0, used, n;
	int rc;

	stream_mixed(&self->s, &self->r, scaled(3000));
	for (size_t i = 0; i < self->s.len / 200; i++)
		self->s.bytes[rng_below(&self->r, self->s.len)] = (uint8_t)rng_next(&self->r);
	/* A cut at a join makes three items from one raw frame. */
	self->s.len -= 5;
	self->s.sent = 0;
	stream_mixed(&self->s, &self->r, 300);
	decode_pieces(&self->seen, self->s.bytes, self->s.len - 3, 1 << 20, &self->r,
		      &self->totals);

	d = devtrace_decoder_new(stop_often, &stop);
	ASSERT_NE(NULL, d);
	while (pos < self->s.len - 3) {
		n = 1 + rng_below(&self->r, 500);
		if (n > self->s.len - 3 - pos)
			n = self->s.len - 3 - pos;
		rc = devtrace_decoder_feed(d, self->s.bytes + pos, n, &used);
		ASSERT_TRUE(rc == 0 || rc == 42);
		ASSERT_LE(used, n);
		if (!rc)
			ASSERT_EQ(used, n);
		pos += used;
		EXPECT_EQ(pos, devtrace_decoder_totals(d)->bytes);
	}
	while (devtrace_decoder_finish(d))
		;
	EXPECT_TRUE(seen_equal(&self->seen, &stop.list));
	EXPECT_EQ(0, memcmp(&self->totals, devtrace_decoder_totals(d), sizeof(self->totals)));
	devtrace_decoder_free(d);
	seen_free(&stop.list);
}

/*
 * A stream begins behind bytes without a flag that are longer than any frame: the decoder keeps
 * enough to find it, in pieces of all sizes.
 */
TEST_F(checks, opening_behind_garbage)
{
	static const size_t lengths[] = { 3, 500, DT_RAW_MAX - 60, DT_RAW_MAX, 20000 };
	static const size_t pieces[] = { 1, 7, 511, 4096, 1 << 20 };

	stream_mixed(&self->s, &self->r, 5);
	for (size_t i = 0; i < 25; i++) {
		size_t garbage = lengths[i % 5], n = garbage + self->s.len, pos = 0, used;
		struct stopper stop = { .r = &self->r };
		uint8_t *bytes = malloc(n);
		struct devtrace_decoder *d = devtrace_decoder_new(stop_often, &stop);

		ASSERT_TRUE(bytes && d);
		memset(bytes, 0x55, garbage);
		memcpy(bytes + garbage, self->s.bytes, self->s.len);
		while (pos < n) {
			size_t now = n - pos < pieces[i / 5] ? n - pos : pieces[i / 5];
			uint8_t *copy = malloc(now);

			ASSERT_NE(NULL, copy);
			memcpy(copy, bytes + pos, now);
			devtrace_decoder_feed(d, copy, now, &used);
			free(copy);
			pos += used;
		}
		while (devtrace_decoder_finish(d))
			;
		ASSERT_EQ(self->s.nr + 1, stop.list.nr);
		EXPECT_EQ(DEVTRACE_DAMAGE_CUT, stop.list.v[0].damage.reason);
		EXPECT_EQ(garbage, stop.list.v[0].damage.bytes);
		for (size_t k = 0; k < self->s.nr; k++) {
			EXPECT_EQ(self->s.frames[k].digest, stop.list.v[k + 1].digest);
			EXPECT_EQ(garbage + self->s.frames[k].start, stop.list.v[k + 1].offset);
		}
		devtrace_decoder_free(d);
		seen_free(&stop.list);
		free(bytes);
	}
}

/* Random bytes, and intact frames with invalid bodies. */
TEST_F(checks, hostile)
{
	static uint8_t bytes[1 << 16];
	struct devtrace_decoder *d = devtrace_decoder_new(seen_add, &self->seen);
	struct body b;
	size_t n;

	ASSERT_NE(NULL, d);
	for (size_t round = 0; round < scaled(100); round++) {
		uint32_t mode = rng_below(&self->r, 3);

		for (n = 0; n < sizeof(bytes) - 20000;) {
			if (mode == 0) {
				bytes[n++] = (uint8_t)rng_next(&self->r);
			} else if (mode == 1) {
				bytes[n++] = 0x7d + rng_below(&self->r, 2);
			} else {
				uint32_t most = rng_below(&self->r, 9) ? 60 : 8100;
				uint32_t len = rng_below(&self->r, most);

				for (b.len = 0; b.len < len;)
					body_int(&b, rng_next(&self->r), 1);
				n += devtrace_frame_encode(bytes + n, sizeof(bytes) - n,
							   variant->check, (uint8_t)round,
							   (uint8_t)(54 + rng_below(&self->r, 20)),
							   b.bytes, b.len, true);
			}
		}
		devtrace_decoder_feed(d, bytes, n, NULL);
		self->seen.nr = 0;
	}
	devtrace_decoder_finish(d);
	/* The decoder still works. */
	stream_mixed(&self->s, &self->r, 10);
	self->seen.nr = 0;
	devtrace_decoder_feed(d, self->s.bytes, self->s.len, NULL);
	EXPECT_TRUE(self->seen.nr == self->s.nr);
	devtrace_decoder_free(d);
}

TEST_HARNESS_MAIN
