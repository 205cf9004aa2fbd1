// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_decode_damage.c - change, delete and double each byte of a stream of 10 000 frames
 *
 * Only the damaged frames may be lost. The report must have the damage at its place, then a gap
 * with the sequence numbers on both sides and the count. Frames at a distance do not affect each
 * other, so each pass damages one byte of every fifth frame. Frames longer than LONGEST raw
 * bytes are sampled behind that.
 *
 * With QUICK there are a fifth of the frames, but all bytes of them.
 *
 * A flag belongs to the frames on both sides. The number of damages that the check cannot see
 * (sum8 and the length byte miss one in 65536) must stay within the check's strength.
 */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "teststream.h"

#define FRAMES	10000
#define QUICK	2000
#define APART	5
#define LONGEST	80

enum damage { BIT, OTHER, DELETED, DOUBLED, DAMAGES };

FIXTURE(each_byte) {
	struct stream s;
	size_t frames;
	struct rng r;
	struct seen_list seen;
	uint8_t *bytes;			/* the damaged stream */
	size_t len;
	size_t *start;			/* offset of each frame in it, and its end */
	enum damage *how;
	bool *touched;			/* frames with a damaged byte */
	bool *flag;			/* frames with a damaged flag, shared with the next */
	bool *harmless;
	/* results */
	uint64_t damaged, unseen;
};

FIXTURE_VARIANT(each_byte) {
	enum devtrace_check check;
	uint32_t worth;			/* one damage in this many may be missed */
	uint32_t least;			/* as many more with QUICK */
};

FIXTURE_VARIANT_ADD(each_byte, sum8) {
	.check = DEVTRACE_CHECK_SUM8, .worth = 15000,
};
FIXTURE_VARIANT_ADD(each_byte, crc16) {
	.check = DEVTRACE_CHECK_CRC16, .worth = 1000000, .least = 1,
};
FIXTURE_VARIANT_ADD(each_byte, crc32) {
	.check = DEVTRACE_CHECK_CRC32, .worth = UINT32_MAX,
};

FIXTURE_SETUP(each_byte)
{
	self->frames = getenv("QUICK") ? QUICK : FRAMES;
	self->r.state = test_seed("each_byte");
	stream_init(&self->s, variant->check);
	stream_mixed(&self->s, &self->r, self->frames - 3);
	self->bytes = malloc(self->s.len + self->frames);
	self->start = calloc(self->frames + 1, sizeof(*self->start));
	self->how = calloc(self->frames, sizeof(*self->how));
	self->touched = calloc(self->frames, sizeof(bool));
	self->flag = calloc(self->frames, sizeof(bool));
	self->harmless = calloc(self->frames, sizeof(bool));
	ASSERT_TRUE(self->bytes && self->start && self->how && self->touched && self->flag &&
		    self->harmless);
}

FIXTURE_TEARDOWN(each_byte)
{
	free(self->bytes);
	free(self->start);
	free(self->how);
	free(self->touched);
	free(self->flag);
	free(self->harmless);
	seen_free(&self->seen);
	stream_free(&self->s);
}

typedef FIXTURE_DATA(each_byte) data;

/* Copy frame @i with byte @at damaged. */
static void damage_frame(data *t, size_t i, size_t at, enum damage how)
{
	const struct frame_info *f = &t->s.frames[i];
	const uint8_t *from = t->s.bytes + f->start;
	uint8_t *to = t->bytes + t->len;
	size_t n = f->end - f->start;

	memcpy(to, from, at + 1);
	to += at + 1;
	if (how == BIT)
		to[-1] ^= 1u << rng_below(&t->r, 8);
	else if (how == OTHER)
		to[-1] ^= 1 + rng_below(&t->r, 255);
	else if (how == DELETED)
		to--;
	else
		*to++ = from[at];
	memcpy(to, from + at + 1, n - at - 1);
	to += n - at - 1;
	t->len = (size_t)(to - t->bytes);
	t->how[i] = how;
	t->touched[i] = true;
	t->flag[i] = at == n - 1 && how != DOUBLED;
	/* A doubled flag is no damage. */
	t->harmless[i] = at == n - 1 && how == DOUBLED;
	t->damaged++;
}

static bool may_be_lost(const data *t, size_t i)
{
	return (t->touched[i] && !t->harmless[i]) || (i && t->flag[i - 1]);
}

/*
 * Check the items from *@k on that belong to the frames from @i up to *@next, the next one that
 * must be intact. If the check missed the damage, any items are accepted. Returns false if the
 * report is wrong.
 */
static bool lost_rightly(data *t, size_t i, size_t *k, size_t *next)
{
	uint64_t covered = 0, range;
	bool unseen = false;
	size_t j = i;

	while (j < t->frames && may_be_lost(t, j))
		j++;
	*next = j;
	for (; *k < t->seen.nr && t->seen.v[*k].offset < t->start[j]; ++*k) {
		const struct seen *s = &t->seen.v[*k];

		if (s->kind == DEVTRACE_ITEM_DAMAGE) {
			if (s->damage.offset != t->start[i] + covered &&
			    s->damage.offset != t->start[i] + covered + 1)
				return false;
			if (s->damage.reason == DEVTRACE_DAMAGE_CUT && i && j < t->frames)
				return false;
			covered = s->damage.offset + s->damage.bytes - t->start[i];
		} else {
			unseen = true;
		}
	}
	if (unseen) {
		t->unseen++;
		if (t->seen.v[*k].kind == DEVTRACE_ITEM_GAP)
			++*k;
		return true;
	}
	/* A damage may make a flag next to another, which is an empty frame. */
	range = t->start[j] - t->start[i];
	if (covered != range && covered != range - 1)
		return false;
	if (!i || j == t->frames)
		return true;
	/* Then comes the gap: the frames on both sides and the count. */
	if (*k == t->seen.nr || t->seen.v[*k].kind != DEVTRACE_ITEM_GAP)
		return false;
	if (t->seen.v[*k].gap.seq_before != t->s.frames[i - 1].seq ||
	    t->seen.v[*k].gap.seq_after != t->s.frames[j].seq ||
	    t->seen.v[*k].gap.count != j - i || t->seen.v[*k].gap.exact ||
	    t->seen.v[*k].gap.offset != t->start[j])
		return false;
	++*k;
	return true;
}

/* Compare all items with the damages. */
static bool all_right(data *t)
{
	uint64_t unseen = t->unseen;
	size_t k = 0, next;

	for (size_t i = 0; i < t->frames; i++) {
		if (may_be_lost(t, i)) {
			if (!lost_rightly(t, i, &k, &next)) {
				printf("# frame %zu, damage %d: not reported rightly\n", i,
				       t->how[i]);
				return false;
			}
			i = next - 1;
			continue;
		}
		/* A frame that passed by mistake may cause gaps later. */
		while (unseen != t->unseen && k < t->seen.nr &&
		       t->seen.v[k].kind == DEVTRACE_ITEM_GAP)
			k++;
		if (k == t->seen.nr || t->seen.v[k].digest != t->s.frames[i].digest ||
		    t->seen.v[k].offset != t->start[i] ||
		    t->seen.v[k].seq != t->s.frames[i].seq) {
			printf("# frame %zu: intact, and not what was delivered\n", i);
			return false;
		}
		k++;
	}
	return k == t->seen.nr;
}

/* One pass: damage byte @at of each frame i with i % APART == phase. */
static bool pass(data *t, size_t phase, size_t at, enum damage how, size_t only)
{
	memset(t->touched, 0, t->frames);
	memset(t->flag, 0, t->frames);
	memset(t->harmless, 0, t->frames);
	t->len = 0;
	t->seen.nr = 0;
	for (size_t i = 0; i < t->frames; i++) {
		const struct frame_info *f = &t->s.frames[i];
		size_t n = f->end - f->start, where = at;

		t->start[i] = t->len;
		if (only == i)
			where = rng_below(&t->r, (uint32_t)n);
		else if (only != SIZE_MAX || i % APART != phase)
			where = n;
		else if (at == LONGEST)
			where = n > LONGEST ? rng_below(&t->r, (uint32_t)n) : n - 1;
		/* A byte before the frame that opens the stream: the decoder finds it. */
		if (!i && !where && how == DOUBLED)
			where = n;
		if (where < n) {
			damage_frame(t, i, where, how);
		} else {
			memcpy(t->bytes + t->len, t->s.bytes + f->start, n);
			t->len += n;
		}
	}
	t->start[t->frames] = t->len;
	decode_pieces(&t->seen, t->bytes, t->len, 1 << 16, &t->r, NULL);
	return all_right(t);
}

TEST_F(each_byte, far_apart)
{
	for (size_t at = 0; at <= LONGEST; at++)
		for (size_t phase = 0; phase < APART; phase++)
			for (enum damage how = 0; how < DAMAGES; how++) {
				ASSERT_TRUE(pass(self, phase, at, how, SIZE_MAX))
					TH_LOG("byte %zu phase %zu damage %d", at, phase, how);
			}
	printf("# %llu frames damaged, %llu not noticed\n",
	       (unsigned long long)self->damaged, (unsigned long long)self->unseen);
	fflush(stdout);
	EXPECT_GT(self->damaged, 4 * 20 * self->frames);
	EXPECT_LE(self->unseen, self->damaged / variant->worth +
				(self->frames == QUICK ? variant->least : 0));
}

/* The same with a single damaged byte in the stream. */
TEST_F(each_byte, alone)
{
	for (int i = 0; i < 300; i++) {
		size_t only = rng_below(&self->r, self->frames);

		ASSERT_TRUE(pass(self, 0, 0, i % DAMAGES, only)) TH_LOG("frame %zu", only);
	}
	EXPECT_LE(self->unseen, 1);
}

TEST_HARNESS_MAIN
