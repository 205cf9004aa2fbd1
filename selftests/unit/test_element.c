// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_element.c - comparisons of elements with constants, as triggers in the kernel do
 *
 * It has written cases; random numbers of each type, compared with the C compiler's results; and
 * random bytes, in which the library's decoder finds the elements. The payload ends where its
 * memory ends, so the sanitizer sees any access behind it.
 *
 *	test_element		a random seed, which is printed
 *	SEED=n test_element	this seed
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <devtrace-decode.h>
#include "element_port_user.h"
#include "ring/ring.h"
#include "control/element.h"
#include "emit/event.h"
#include "kselftest_harness.h"

#define ROUNDS	200000

/* Required by the ring's port, but unused here. */
unsigned int ring_port_alloc_fails;
void ring_port_step(void) { }
u64 ring_port_clock(void) { return 0; }
void ring_port_exchanged(const void *w, u64 old, u64 new) { }
void ring_port_released(const void *w, u64 v) { }

static u64 random_state;

static u64 rnd(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void seed(void)
{
	const char *s = getenv("SEED");
	u32 n = s && *s ? strtoul(s, NULL, 0) : (u32)time(NULL) * 2654435761u;

	printf("# SEED=%u\n", n);
	fflush(stdout);
	random_state = n;
}

/* On the heap, with the exact size. */
static bool meets(const struct element_test *t, u32 who, const void *bytes, u32 len)
{
	u8 *data = malloc(len ? len : 1);
	struct event ev = { .type = 100, .who = who, .len = len, .data = data };
	struct element_test given = *t;
	struct element_found found;
	struct element_range range;
	bool ret;

	if (len)
		memcpy(data, bytes, len);
	ret = element_meets(t, &ev);
	/* The same as a range. */
	given.given = true;
	element_range_of(&given, &range);
	element_find(&ev, t->index, &found);
	if (found.kind == ELEMENT_SIGNED && range.index == t->index &&
	    element_range_meets(&range, found.bits) != ret) {
		fprintf(stderr, "test_element: compare %u with %lld: as a range %d\n", t->compare,
			(long long)t->value, !ret);
		abort();
	}
	/* No range: no number of this kind meets the test. */
	if (found.kind == ELEMENT_SIGNED && range.index != t->index && ret) {
		fprintf(stderr, "test_element: a test that is met has no range\n");
		abort();
	}
	free(data);
	return ret;
}

static bool number(const void *bytes, u32 len, u32 index, u8 compare, s64 value)
{
	struct element_test t = {
		.given = true, .index = index, .compare = compare, .value = value, .mask = ~0ULL,
	};

	return meets(&t, 0, bytes, len);
}

#define NEVER	0

/* The set of EQ, NE, LT, LE, GT and GE that are true. */
static unsigned int outcomes(const struct element_test *t, u32 who, const void *bytes, u32 len)
{
	struct element_test each = *t;
	unsigned int set = 0;

	for (each.compare = 0; each.compare <= DEVTRACE_CMP_GE; each.compare++)
		set |= meets(&each, who, bytes, len) << each.compare;
	return set;
}

static unsigned int set_of(bool lt, bool gt, bool eq)
{
	return eq << DEVTRACE_CMP_EQ | !eq << DEVTRACE_CMP_NE | lt << DEVTRACE_CMP_LT |
	       (lt || eq) << DEVTRACE_CMP_LE | gt << DEVTRACE_CMP_GT |
	       (gt || eq) << DEVTRACE_CMP_GE;
}

#define BYTES(...)	((const u8[]){ __VA_ARGS__ }), sizeof((const u8[]){ __VA_ARGS__ })
#define SET(value_, mask_, ...) \
	outcomes(&(struct element_test){ .value = (value_), .mask = (mask_) }, 0, \
		 BYTES(__VA_ARGS__))

#define IS_EQ	set_of(false, false, true)
#define IS_LT	set_of(true, false, false)
#define IS_GT	set_of(false, true, false)
#define IS_NE	set_of(false, false, false)

TEST(numbers_are_signed_by_their_type)
{
	EXPECT_EQ(IS_EQ, SET(-1, ~0ULL, DEVTRACE_E_I8, 0xff));
	EXPECT_EQ(IS_EQ, SET(255, ~0ULL, DEVTRACE_E_U8, 0xff));
	EXPECT_EQ(IS_GT, SET(-1, ~0ULL, DEVTRACE_E_U8, 0xff));
	EXPECT_EQ(IS_EQ, SET(255, ~0ULL, DEVTRACE_E_ENUM(3), 0xff));
	EXPECT_EQ(IS_LT, SET(0, ~0ULL, DEVTRACE_E_I16 | 0x50, 0x00, 0x80));
	EXPECT_EQ(IS_EQ, SET(0x8000, ~0ULL, DEVTRACE_E_U16, 0x00, 0x80));
	EXPECT_EQ(IS_EQ, SET(-2, ~0ULL, DEVTRACE_E_I32, 0xfe, 0xff, 0xff, 0xff));
	EXPECT_EQ(IS_EQ, SET(0xfffffffeLL, ~0ULL, DEVTRACE_E_U32, 0xfe, 0xff, 0xff, 0xff));
	EXPECT_EQ(IS_EQ, SET(0x04030201, ~0ULL, DEVTRACE_E_X32, 1, 2, 3, 4));
	EXPECT_EQ(IS_EQ, SET(INT64_MIN, ~0ULL, DEVTRACE_E_I64, 0, 0, 0, 0, 0, 0, 0, 0x80));
	/* 64 bits unsigned: the constant is unsigned too */
	EXPECT_EQ(IS_EQ, SET(INT64_MIN, ~0ULL, DEVTRACE_E_U64, 0, 0, 0, 0, 0, 0, 0, 0x80));
	EXPECT_EQ(IS_GT, SET(5, ~0ULL, DEVTRACE_E_U64 | DEVTRACE_E_HEX, 0, 0, 0, 0, 0, 0, 0, 0x80));
	EXPECT_EQ(IS_LT, SET(-1, ~0ULL, DEVTRACE_E_OBJ, 0, 1, 2, 3, 4, 5, 6, 7));
	EXPECT_EQ(IS_EQ, SET(0x0706050403020100LL, ~0ULL, DEVTRACE_E_FUN, 0, 1, 2, 3, 4, 5, 6, 7));
	/* the number of a signal */
	EXPECT_EQ(IS_EQ, SET(7, ~0ULL, DEVTRACE_E_SIG, 7, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9));
}

TEST(a_mask_comes_first)
{
	EXPECT_EQ(IS_EQ, SET(0x20, 0x30, DEVTRACE_E_U8, 0xef));
	EXPECT_EQ(IS_EQ, SET(0xff, 0xff, DEVTRACE_E_I8, 0xff));
	EXPECT_EQ(IS_EQ, SET(0, 0x8, DEVTRACE_E_U32, 0xf7, 0xff, 0xff, 0xff));
	EXPECT_EQ(IS_EQ, SET(0x120, 0x130, DEVTRACE_E_U16, 0xef, 0xff));
	EXPECT_EQ(IS_EQ, SET(0x120, 0x130, DEVTRACE_E_I16, 0xef, 0xff));
	EXPECT_EQ(IS_EQ, SET(0x120, 0x130, DEVTRACE_E_I32, 0xef, 0xff, 0xff, 0xff));
	EXPECT_EQ(IS_EQ, SET(0x120, 0x130, DEVTRACE_E_X32, 0xef, 0xff, 0xff, 0xff));
	EXPECT_EQ(IS_EQ, SET(3, 3, DEVTRACE_E_I64, 7, 0, 0, 0, 0, 0, 0, 0x80));
	EXPECT_EQ(IS_EQ, SET(3, 3, DEVTRACE_E_U64, 7, 0, 0, 0, 0, 0, 0, 0x80));
	EXPECT_EQ(IS_EQ, SET(3, 3, DEVTRACE_E_OBJ, 7, 0, 0, 0, 0, 0, 0, 0x80));
	EXPECT_EQ(IS_EQ, SET(3, 3, DEVTRACE_E_SIG, 7, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9));
	/* a float has no bits to mask */
	EXPECT_EQ(NEVER, SET(0, 0xff, DEVTRACE_E_F32, 0, 0, 0, 0));
	EXPECT_EQ(NEVER, SET(0, 0xff, DEVTRACE_E_F64, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void put(u8 *p, u64 v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		p[i] = v >> 8 * i;
}

static unsigned int float_set(float f, s64 value)
{
	struct element_test t = { .value = value, .mask = ~0ULL };
	u8 b[5] = { DEVTRACE_E_F32 };
	u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	put(b + 1, bits, 4);
	return outcomes(&t, 0, b, sizeof(b));
}

static unsigned int double_set(double f, s64 value)
{
	struct element_test t = { .value = value, .mask = ~0ULL };
	u8 b[9] = { DEVTRACE_E_F64 | 0x20 };
	u64 bits;

	memcpy(&bits, &f, sizeof(bits));
	put(b + 1, bits, 8);
	return outcomes(&t, 0, b, sizeof(b));
}

TEST(floats_are_compared_exactly)
{
	EXPECT_EQ(IS_EQ, float_set(0.0f, 0));
	EXPECT_EQ(IS_EQ, float_set(-0.0f, 0));
	EXPECT_EQ(IS_GT, float_set(FLT_MIN / 4, 0));	/* denormal */
	EXPECT_EQ(IS_LT, float_set(-FLT_MIN / 4, 0));
	EXPECT_EQ(IS_EQ, float_set(1.0f, 1));
	EXPECT_EQ(IS_GT, float_set(1.5f, 1));
	EXPECT_EQ(IS_LT, float_set(1.5f, 2));
	EXPECT_EQ(IS_LT, float_set(-1.5f, -1));
	EXPECT_EQ(IS_GT, float_set(-1.5f, -2));
	EXPECT_EQ(IS_GT, float_set(INFINITY, INT64_MAX));
	EXPECT_EQ(IS_LT, float_set(-INFINITY, INT64_MIN));
	EXPECT_EQ(IS_NE, float_set(NAN, 0));
	EXPECT_EQ(IS_NE, double_set(-NAN, 0));
	EXPECT_EQ(IS_GT, double_set(INFINITY, INT64_MAX));
	EXPECT_EQ(IS_GT, double_set(0x1p63, INT64_MAX));
	EXPECT_EQ(IS_EQ, double_set(-0x1p63, INT64_MIN));
	EXPECT_EQ(IS_LT, double_set(-0x1p64, INT64_MIN));
	EXPECT_EQ(IS_EQ, double_set(0x1p62, 1LL << 62));
	EXPECT_EQ(IS_LT, double_set(0x1p53, (1LL << 53) + 1));
	EXPECT_EQ(IS_GT, double_set(0.1, 0));
	EXPECT_EQ(IS_LT, double_set(DBL_MAX * -1, INT64_MIN));
}

TEST(strings_are_equal_or_not)
{
	struct element_test t = { .is_string = true, .mask = ~0ULL, .string = "on" };
	struct element_test empty = { .is_string = true, .mask = ~0ULL };
	struct element_test longest = { .is_string = true, .mask = ~0ULL };
	struct element_test num = { .value = 0, .mask = ~0ULL };
	u8 b[65] = { DEVTRACE_E_STR };

	EXPECT_EQ(1 << DEVTRACE_CMP_EQ, outcomes(&t, 0, BYTES(DEVTRACE_E_STR, 'o', 'n', 0)));
	EXPECT_EQ(1 << DEVTRACE_CMP_NE, outcomes(&t, 0, BYTES(DEVTRACE_E_STR, 'o', 'f', 0)));
	EXPECT_EQ(1 << DEVTRACE_CMP_NE, outcomes(&t, 0, BYTES(DEVTRACE_E_STR, 'o', 0)));
	EXPECT_EQ(1 << DEVTRACE_CMP_NE, outcomes(&t, 0, BYTES(DEVTRACE_E_STR, 'o', 'n', 'e', 0)));
	EXPECT_EQ(1 << DEVTRACE_CMP_NE, outcomes(&t, 0, BYTES(DEVTRACE_E_STR, 0)));
	EXPECT_EQ(1 << DEVTRACE_CMP_EQ, outcomes(&empty, 0, BYTES(DEVTRACE_E_STR, 0)));
	/* a string without its end is absent */
	EXPECT_EQ(NEVER, outcomes(&t, 0, BYTES(DEVTRACE_E_STR, 'o', 'n')));
	EXPECT_EQ(NEVER, outcomes(&t, 0, BYTES(DEVTRACE_E_STR)));
	/* other types than the constant's */
	EXPECT_EQ(NEVER, outcomes(&t, 0, BYTES(DEVTRACE_E_U8, 'o')));
	EXPECT_EQ(NEVER, outcomes(&num, 0, BYTES(DEVTRACE_E_STR, 0)));
	EXPECT_EQ(NEVER, outcomes(&num, 0, BYTES(DEVTRACE_E_MEM, 0)));
	EXPECT_EQ(NEVER, outcomes(&t, 0, BYTES(DEVTRACE_E_MEM, 2, 'o', 'n')));

	memset(longest.string, 'x', 63);
	memset(b + 1, 'x', 63);
	EXPECT_EQ(1 << DEVTRACE_CMP_EQ, outcomes(&longest, 0, b, sizeof(b)));
}

TEST(the_element_is_found)
{
	static const u8 all[] = {
		DEVTRACE_E_U8, 1,
		DEVTRACE_E_STR, 'h', 'i', 0,
		DEVTRACE_E_MEM | DEVTRACE_E_MEM_MORE, 2, 0x01, 0x00,	/* one buffer */
		DEVTRACE_E_MEM, 1, 0x01,
		DEVTRACE_E_I16, 3, 0,
		DEVTRACE_E_MEM | DEVTRACE_E_MEM_MORE, 0,		/* cut off */
		DEVTRACE_E_SIG, 5, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
		DEVTRACE_E_U32, 6, 0, 0, 0,
	};
	struct element_test t = { .compare = DEVTRACE_CMP_EQ, .value = 2, .mask = ~0ULL };
	u32 i, len;

	EXPECT_TRUE(number(all, sizeof(all), 0, DEVTRACE_CMP_EQ, 1));
	EXPECT_TRUE(number(all, sizeof(all), 3, DEVTRACE_CMP_EQ, 3));
	EXPECT_TRUE(number(all, sizeof(all), 5, DEVTRACE_CMP_EQ, 5));
	EXPECT_TRUE(number(all, sizeof(all), 6, DEVTRACE_CMP_EQ, 6));
	for (i = 0; i < 6; i++)
		EXPECT_FALSE(number(all, sizeof(all), i == 2 ? 2 : 7 + i, DEVTRACE_CMP_NE, 99));
	EXPECT_FALSE(number(all, sizeof(all), ~0U, DEVTRACE_CMP_NE, 99));
	/* cut anywhere, the last element is absent */
	for (len = 0; len < sizeof(all); len++)
		EXPECT_FALSE(number(all, len, 6, DEVTRACE_CMP_NE, 99));

	/* code, object and signal are not elements */
	EXPECT_TRUE(meets(&t, RING_WHO_CODE, BYTES(9, 9, 9, 9, DEVTRACE_E_U8, 2)));
	EXPECT_TRUE(meets(&t, RING_WHO_OBJSIG, BYTES(9, 9, 9, 9, DEVTRACE_E_U8, 2)));
	EXPECT_TRUE(meets(&t, RING_WHO_OBJSIG | RING_WHO_CODE,
			  BYTES(9, 9, 9, 9, 8, 8, 8, 8, DEVTRACE_E_U8, 2)));
	EXPECT_FALSE(meets(&t, RING_WHO_CODE, BYTES(DEVTRACE_E_U8, 2)));
	EXPECT_FALSE(meets(&t, RING_WHO_OBJSIG | RING_WHO_CODE, BYTES(DEVTRACE_E_U8, 2, 0)));
	t.compare = 99;
	EXPECT_FALSE(meets(&t, 0, BYTES(DEVTRACE_E_U8, 2)));
}

/* Often near each other, so that all results occur. */
static s64 some_constant(void)
{
	switch (rnd() % 4) {
	case 0:
		return (s64)(rnd() % 9) - 4;
	case 1:
		return (s64)(1ULL << rnd() % 64) * (rnd() & 1 ? 1 : -1) + rnd() % 3 - 1;
	case 2:
		return (s64)rnd() >> rnd() % 64;
	default:
		return rnd();
	}
}

TEST(floats_are_what_the_compiler_says)
{
	unsigned int seen[4] = { 0 };
	int i;

	/* The reference must represent each s64 and double exactly. */
	ASSERT_LE(64, LDBL_MANT_DIG);
	seed();
	for (i = 0; i < ROUNDS; i++) {
		s64 c = some_constant();
		long double lc = c;
		u64 bits = rnd();
		double d = c;
		float f = c;

		switch (rnd() % 4) {
		case 0:		/* any bits at all */
			memcpy(&d, &bits, sizeof(d));
			memcpy(&f, &bits, sizeof(f));
			break;
		case 1:		/* a neighbour */
			d = nextafter(d, bits & 1 ? INFINITY : -INFINITY);
			f = nextafterf(f, bits & 1 ? INFINITY : -INFINITY);
			break;
		case 2:
			d += (double)(bits % 8) / 4 - 1;
			f += (float)(bits % 8) / 4 - 1;
			break;
		case 3:		/* random bits rarely make a NaN */
			if (bits % 64 == 0) {
				d = bits & 64 ? NAN : -NAN;
				f = bits & 64 ? NAN : -NAN;
			}
			break;
		}
		ASSERT_EQ(set_of(d < lc, d > lc, d == lc), double_set(d, c))
			TH_LOG("%a with %lld", d, (long long)c);
		ASSERT_EQ(set_of(f < lc, f > lc, f == lc), float_set(f, c))
			TH_LOG("%a with %lld", f, (long long)c);
		seen[d < lc ? 0 : d > lc ? 1 : d == lc ? 2 : 3]++;
	}
	for (i = 0; i < 4; i++)
		EXPECT_LT(10, seen[i]);
}

/* The expected result, from the elements that the library's decoder finds. */
static unsigned int by_library(const struct element_test *t, u32 who, const u8 *b, u32 len)
{
	u32 at = (who & RING_WHO_CODE ? 4 : 0) + (who & RING_WHO_OBJSIG ? 4 : 0);
	bool more = false, piece;
	struct devtrace_elem e;
	size_t pos = at;
	u32 index = 0;
	s64 v;

	if (at > len)
		return NEVER;
	while (devtrace_elem_next(b, len, &pos, &e) == 1) {
		piece = more && e.type == DEVTRACE_E_MEM;
		more = e.type == DEVTRACE_E_MEM && e.width == DEVTRACE_E_MEM_MORE >> 4;
		if (piece || index++ != t->index)
			continue;
		if (t->is_string) {
			if (e.type != DEVTRACE_E_STR)
				return NEVER;
			return strcmp((const char *)e.v.mem.p, t->string) ?
			       1 << DEVTRACE_CMP_NE : 1 << DEVTRACE_CMP_EQ;
		}
		switch (e.type) {
		case DEVTRACE_E_STR:
		case DEVTRACE_E_MEM:
			return NEVER;
		case DEVTRACE_E_F32:
		case DEVTRACE_E_F64: {
			long double c = t->value;

			return t->mask == ~0ULL ?
			       set_of(e.v.f < c, e.v.f > c, e.v.f == c) : NEVER;
		}
		case DEVTRACE_E_OBJ:
		case DEVTRACE_E_FUN:
		case DEVTRACE_E_U64: {
			u64 u = e.v.u & t->mask, c = t->value;

			return set_of(u < c, u > c, u == c);
		}
		case DEVTRACE_E_SIG:
			v = e.v.sig.sig & t->mask;
			break;
		case DEVTRACE_E_I8:
			v = (e.is_enum ? e.v.u : (u64)e.v.i) & t->mask;
			break;
		case DEVTRACE_E_I16:
		case DEVTRACE_E_I32:
		case DEVTRACE_E_I64:
			v = e.v.i & t->mask;
			break;
		default:
			v = e.v.u & t->mask;
		}
		return set_of(v < t->value, v > t->value, v == t->value);
	}
	return NEVER;
}

TEST(random_bytes_are_read_as_the_decoder_does)
{
	u32 met = 0, i, k;
	u8 b[64];

	seed();
	for (i = 0; i < ROUNDS; i++) {
		u32 len = rnd() % (sizeof(b) + 1);
		u32 who = (rnd() & 1 ? RING_WHO_CODE : 0) | (rnd() & 1 ? RING_WHO_OBJSIG : 0);
		struct element_test t = {
			.given = true, .is_string = !(rnd() & 7), .index = rnd() % 6,
			.value = some_constant(), .mask = rnd() & 1 ? ~0ULL : rnd(),
		};
		unsigned int want, got;

		for (k = 0; k < len; k++)
			b[k] = rnd() & 1 ? rnd() : rnd() & 0xf;
		t.string[0] = rnd() & 1 ? 0 : rnd() & 0xf;
		want = by_library(&t, who, b, len);
		got = outcomes(&t, who, b, len);
		ASSERT_EQ(want, got) {
			for (k = 0; k < len; k++)
				printf("%s%02x", k ? " " : "# ", b[k]);
			printf("\n");
			TH_LOG("element %u, who %#x, value %lld", t.index, who, (long long)t.value);
		}
		met += !!got;
	}
	printf("# %u of %u could be compared\n", met, ROUNDS);
	EXPECT_LT(ROUNDS / 50, met);
}

TEST_HARNESS_MAIN
