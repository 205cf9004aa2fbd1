// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_record.c - the bytes that the three idioms emit
 *
 * The test compares them with bytes that were written by hand from the table of elements, and
 * decodes records of random elements and sizes. It prints its random seed; SEED=n sets it.
 */
#include <errno.h>
#include <float.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <devtrace.h>
#include <devtrace-decode.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define TYPE	100

FIXTURE(record) { };

FIXTURE_SETUP(record)
{
	fake_reset();
	errno = 1234;
}

FIXTURE_TEARDOWN(record)
{
	EXPECT_EQ(1234, errno);
}

/* The last event consists of exactly these bytes. */
#define BYTES(...)								\
	do {									\
		static const uint8_t want_[] = { __VA_ARGS__ };			\
		const struct fake_event *got_ = last_event();			\
		EXPECT_EQ(sizeof(want_), got_->size);				\
		EXPECT_EQ(0, memcmp(want_, got_->bytes, sizeof(want_)))		\
			dump(got_);						\
	} while (0)

static const struct fake_event *last_event(void)
{
	return &fake->events[(fake->nr - 1) % FAKE_EVENTS];
}

static void dump(const struct fake_event *e)
{
	size_t i;

	printf("# got");
	for (i = 0; i < e->size; i++)
		printf(" %02x", e->bytes[i]);
	printf("\n");
}

TEST_F(record, heads)
{
	DEVTRACE_RECORD(r, 0);

	ASSERT_TRUE(devtrace_begin_type(&r, TYPE));
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, 0, 0);
	ASSERT_TRUE(devtrace_begin(&r, 201, 0x1234, 0xabcd));
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(201, 0, DEVTRACE_F_OBJSIG, 0, 0x34, 0x12, 0xcd, 0xab);
	ASSERT_TRUE(devtrace_begin(&r, 201, 0, 0));
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(201, 0, DEVTRACE_F_OBJSIG, 0, 0, 0, 0, 0);
	ASSERT_TRUE(devtrace_begin_exc(&r, DEVTRACE_HW3, DEVTRACE_CODE(0x123456, 0x78)));
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(125, 0xf, DEVTRACE_F_CODE, 0, 0x78, 0x56, 0x34, 0x12);
	EXPECT_EQ(0, devtrace_errors());

	fake_want(TYPE, 0);
	EXPECT_FALSE(devtrace_begin_type(&r, TYPE));
	EXPECT_FALSE(devtrace_begin(&r, TYPE, 1, 1));
	fake_want(DEVTRACE_T_EXC, 0);
	EXPECT_FALSE(devtrace_begin_exc(&r, 0, 0));
}

#define RECORD(...)						\
	do {							\
		DEVTRACE_RECORD(r, 64);				\
		ASSERT_TRUE(devtrace_begin_type(&r, TYPE));	\
		__VA_ARGS__;					\
		EXPECT_EQ(0, devtrace_end(&r));			\
	} while (0)

TEST_F(record, numbers)
{
	RECORD(devtrace_i8(&r, -2); devtrace_u8(&r, 254));
	BYTES(100, 0, 0, 0, 0x00, 0xfe, 0x01, 0xfe);
	RECORD(devtrace_i16(&r, -2); devtrace_u16(&r, 0x1234));
	BYTES(100, 0, 0, 0, 0x02, 0xfe, 0xff, 0x03, 0x34, 0x12);
	RECORD(devtrace_i32(&r, -2); devtrace_u32(&r, 0x12345678));
	BYTES(100, 0, 0, 0, 0x04, 0xfe, 0xff, 0xff, 0xff, 0x05, 0x78, 0x56, 0x34, 0x12);
	RECORD(devtrace_i64(&r, -2); devtrace_u64(&r, 0x123456789abcdef0));
	BYTES(100, 0, 0, 0, 0x0d, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	      0x0e, 0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12);
	RECORD(devtrace_x8(&r, 1); devtrace_x16(&r, 2); devtrace_x32(&r, 3); devtrace_x64(&r, 4));
	BYTES(100, 0, 0, 0, 0xf1, 1, 0xf3, 2, 0, 0xf, 3, 0, 0, 0, 0xfe, 4, 0, 0, 0, 0, 0, 0, 0);
}

TEST_F(record, widths)
{
	RECORD(devtrace_i8_w(&r, 3, 1); devtrace_i8_w(&r, 8, 2); devtrace_u8_w(&r, 3, 3);
	       devtrace_u8_w(&r, 99, 4));
	/* 8 would make the I8 an ENUM, 15 the U8 a hexadecimal number */
	BYTES(100, 0, 0, 0, 0x30, 1, 0x70, 2, 0x31, 3, 0xe1, 4);
	RECORD(devtrace_i16_w(&r, 14, 1); devtrace_u16_w(&r, 1, 2));
	BYTES(100, 0, 0, 0, 0xe2, 1, 0, 0x13, 2, 0);
	RECORD(devtrace_i32_w(&r, 9, 1); devtrace_u32_w(&r, 9, 2));
	BYTES(100, 0, 0, 0, 0x94, 1, 0, 0, 0, 0x95, 2, 0, 0, 0);
	RECORD(devtrace_i64_w(&r, 9, 1); devtrace_u64_w(&r, 9, 2));
	BYTES(100, 0, 0, 0, 0x9d, 1, 0, 0, 0, 0, 0, 0, 0, 0x9e, 2, 0, 0, 0, 0, 0, 0, 0);
}

TEST_F(record, floats)
{
	/* 1.5 is 0x3fc00000 and 0x3ff8000000000000 */
	RECORD(devtrace_f32(&r, 1.5f); devtrace_f64(&r, 1.5));
	BYTES(100, 0, 0, 0, 0x06, 0, 0, 0xc0, 0x3f, 0x07, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f);
	RECORD(devtrace_f32_w(&r, 3, 1.5f); devtrace_f64_w(&r, 16, 1.5));
	BYTES(100, 0, 0, 0, 0x36, 0, 0, 0xc0, 0x3f, 0xf7, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f);
}

TEST_F(record, references)
{
	RECORD(devtrace_enum(&r, 0, 1); devtrace_enum(&r, 7, 255));
	BYTES(100, 0, 0, 0, 0x80, 1, 0xf0, 255);
	RECORD(devtrace_obj(&r, 0x1122334455667788));
	BYTES(100, 0, DEVTRACE_F_PTR, 0, 0x0b, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11);
	RECORD(devtrace_fun(&r, 0x1122334455667788));
	BYTES(100, 0, DEVTRACE_F_PTR, 0, 0x0c, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11);
	RECORD(devtrace_sig(&r, 0x12345678, 2));
	BYTES(100, 0, DEVTRACE_F_PTR, 0, 0x0a, 0x78, 0x56, 0x34, 0x12, 2, 0, 0, 0, 0, 0, 0, 0);
}

TEST_F(record, strings)
{
	static const char text[5] = { 'a', 'b', 'c', 'd', 'e' };

	RECORD(devtrace_str(&r, "ab"); devtrace_str(&r, ""); devtrace_str(&r, NULL));
	BYTES(100, 0, 0, 0, 8, 'a', 'b', 0, 8, 0, 8, '(', 'n', 'u', 'l', 'l', ')', 0);
	RECORD(devtrace_strn(&r, text, 5); devtrace_strn(&r, "xy", 5); devtrace_strn(&r, "xy", 1));
	BYTES(100, 0, 0, 0, 8, 'a', 'b', 'c', 'd', 'e', 0, 8, 'x', 'y', 0, 8, 'x', 0);
	RECORD(devtrace_mem(&r, text, 3); devtrace_mem(&r, NULL, 0));
	BYTES(100, 0, 0, 0, 9, 3, 'a', 'b', 'c', 9, 0);
}

/* The same, through a pointer that is opaque to the compiler. */
static __attribute__((noinline)) void put_from_afar(struct devtrace_record *r, int i, const char *s)
{
	devtrace_i32(r, i);
	devtrace_str(r, s);
	devtrace_u8(r, 7);
}

TEST_F(record, from_afar)
{
	RECORD(put_from_afar(&r, 1, "ab"));
	BYTES(100, 0, 0, 0, 4, 1, 0, 0, 0, 8, 'a', 'b', 0, 1, 7);
}

/* Buffers around the sizes at which they are split. */
TEST_F(record, pieces)
{
	static const size_t sizes[] = { 254, 255, 256, 257, 509, 510, 511, 765, 766, 3000 };
	uint8_t mem[3000];
	size_t i, j;

	for (j = 0; j < sizeof(mem); j++)
		mem[j] = j * 7 + j / 256;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct devtrace_elem e;
		size_t pos = 4, n = 0, pieces = 0;

		DEVTRACE_RECORD(r, 3100);

		devtrace_begin_type(&r, TYPE);
		devtrace_mem(&r, mem, sizes[i]);
		devtrace_i8(&r, 1);
		ASSERT_EQ(0, devtrace_end(&r));
		for (;;) {
			ASSERT_EQ(1, devtrace_elem_next(last_event()->bytes, last_event()->size,
							&pos, &e));
			ASSERT_EQ(DEVTRACE_E_MEM, e.type);
			ASSERT_EQ(0, memcmp(mem + n, e.v.mem.p, e.v.mem.len));
			n += e.v.mem.len;
			pieces++;
			if (!e.width)
				break;
			ASSERT_EQ(255, e.v.mem.len);
			ASSERT_EQ(DEVTRACE_E_MEM_MORE >> 4, e.width);
		}
		EXPECT_EQ(sizes[i], n);
		EXPECT_EQ((n + 254) / 255, pieces);
		EXPECT_EQ(last_event()->size - 2, pos);
	}
	EXPECT_EQ(0, devtrace_errors());
}

TEST_F(record, cut)
{
	DEVTRACE_RECORD(r, 8);		/* 12, as this event has no code */

	devtrace_begin(&r, TYPE, 1, 2);
	devtrace_i32(&r, 1);
	devtrace_u8(&r, 2);
	EXPECT_EQ(0, devtrace_errors());
	devtrace_u8(&r, 3);
	devtrace_u64(&r, 4);
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0, 4, 1, 0, 0, 0, 1, 2,
	      8, '[', '1', '1', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);
	EXPECT_EQ(1, devtrace_errors());
	EXPECT_EQ(EMSGSIZE, devtrace_error());

	/* After an element that did not fit, no further one is added. */
	devtrace_begin(&r, TYPE, 1, 2);
	devtrace_u64(&r, 1);
	devtrace_u8(&r, 2);
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0,
	      8, '[', '1', '1', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);

	/* A string is cut to fit, but not within a character. */
	devtrace_begin(&r, TYPE, 1, 2);
	devtrace_str(&r, "abcdefgh");
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0, 8, 'a', 'b', 'c', 'd', 'e', 'f', 0,
	      8, '[', '2', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);
	devtrace_begin(&r, TYPE, 1, 2);
	devtrace_str(&r, "abcd\xe2\x82\xac\xe2\x82\xac");
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0, 8, 'a', 'b', 'c', 'd', 0,
	      8, '[', '6', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);
	devtrace_begin(&r, TYPE, 1, 2);
	devtrace_u32(&r, 1);
	devtrace_str(&r, "abcd");
	devtrace_str(&r, "x");
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0, 5, 1, 0, 0, 0, 8, 'a', 0,
	      8, '[', '6', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);
	devtrace_begin(&r, TYPE, 1, 2);
	devtrace_mem(&r, "abcdefgh", 8);
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0, 9, 6, 'a', 'b', 'c', 'd', 'e', 'f',
	      8, '[', '2', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);

	/* The record can be reused. */
	devtrace_begin(&r, TYPE, 1, 2);
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0);
	EXPECT_EQ(6, devtrace_errors());
}

/* A negative size emits nothing, and writes nothing behind the record (see AddressSanitizer). */
TEST_F(record, negative_sizes)
{
	const ssize_t sizes[] = { -1, -2, -3, -480, INT32_MIN, -SSIZE_MAX, -SSIZE_MAX - 1 };
	volatile ssize_t n = -1;
	static const char mem[64];
	size_t i, room, calls = 0;

	for (i = 0; i < 4 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (room = 0; room < 64; room++) {
			uint8_t *buf = malloc(4 + room + DEVTRACE_CUT_ROOM);
			struct devtrace_record r = { buf, 0, 4 + room, 0 };

			n = sizes[i / 4];
			devtrace_begin_plain_(&r, TYPE);
			if (i & 1)
				devtrace_u32(&r, 1);
			devtrace_mem(&r, mem, n);
			devtrace_u8(&r, 1);
			devtrace_mem(&r, mem, i & 2 ? n : 1);
			devtrace_str(&r, "abc");
			EXPECT_EQ(EINVAL, devtrace_end(&r));
			free(buf);
			calls++;
		}
	}
	devtrace(TYPE, 1, DEVTRACE_MEM(mem, n), 2);
	EXPECT_EQ(calls + 1, devtrace_errors());
	EXPECT_EQ(EINVAL, devtrace_error());
	EXPECT_EQ(0, fake->nr);
}

/* The largest valid size is cut, and reported. */
TEST_F(record, largest_size)
{
	volatile size_t n = INT32_MAX;
	static const char mem[64] = "abcdef";
	DEVTRACE_RECORD(r, 8);		/* 12, as this event has no code */

	devtrace_begin_type(&r, TYPE);
	devtrace_mem(&r, mem, n);
	EXPECT_EQ(0, devtrace_end(&r));
	BYTES(100, 0, 0, 0, 9, 10, 'a', 'b', 'c', 'd', 'e', 'f', 0, 0, 0, 0, 8, '[', '2', '1', '4', '7',
	      '4', '8', '3', '6', '3', '7', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c', 'u', 't', ']', 0);
	EXPECT_EQ(EMSGSIZE, devtrace_error());
	/* Together with another cut size it overflows. */
	devtrace_begin_type(&r, TYPE);
	devtrace_mem(&r, mem, n);
	devtrace_mem(&r, mem, n);
	EXPECT_EQ(EINVAL, devtrace_end(&r));
	EXPECT_EQ(1, fake->nr);
}

static unsigned int seed;

static unsigned int rnd(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % below;
}

/* Put a random element. Returns its size if nothing is cut. */
static size_t put_random(struct devtrace_record *r, const char *text)
{
	size_t n = rnd(rnd(4) ? 20 : 1500);

	/* or one that barely fits or does not, in one piece or several */
	if (!r->cut && !rnd(4))
		n = r->end - r->pos < 1500 && r->end - r->pos > 16 ?
			r->end - r->pos - rnd(16) : rnd(3) + 254;
	switch (rnd(8)) {
	case 0:
		devtrace_u8(r, n);
		return 2;
	case 1:
		devtrace_i16(r, n);
		return 3;
	case 2:
		devtrace_x32(r, n);
		return 5;
	case 3:
		devtrace_f64(r, n);
		return 9;
	case 4:
		devtrace_sig(r, n, n);
		return 13;
	case 5:
		devtrace_enum(r, n, n);
		return 2;
	case 6:
		devtrace_strn(r, text, n);
		return n + 2;
	default:
		devtrace_mem(r, text, n);
		return n ? n + (n + 254) / 255 * 2 : 2;
	}
}

/*
 * Put random elements into records of random size. All elements of the output must be whole. If and
 * only if something is missing, the last element says so. AddressSanitizer checks the bounds.
 */
TEST_F(record, any)
{
	const char *given = getenv("SEED");
	char text[1600];
	int round;

	seed = given && *given ? strtoul(given, NULL, 0) : (unsigned int)time(NULL);
	TH_LOG("seed %u", seed);
	for (round = 0; round < 20000; round++) {
		size_t size = rnd(rnd(3) ? 60 : 2000), wanted = 0, pos = 4, n = 0, errors;
		uint8_t *buf = malloc(4 + size + DEVTRACE_CUT_ROOM);
		struct devtrace_record r = { buf, 0, 4 + size, 0 };
		struct devtrace_elem e = { };
		int i, elems = rnd(12), ret;

		memset(text, rnd(2) ? 'a' : '\xbf', sizeof(text));
		errors = devtrace_errors();
		devtrace_begin_plain_(&r, TYPE);
		for (i = 0; i < elems; i++)
			wanted += put_random(&r, text);
		ASSERT_LE(r.pos, r.end);
		ASSERT_EQ(wanted > size, r.cut > 0);
		ASSERT_EQ(0, devtrace_end(&r));
		free(buf);
		while ((ret = devtrace_elem_next(last_event()->bytes, last_event()->size,
						 &pos, &e)) == 1)
			n++;
		ASSERT_EQ(0, ret);
		ASSERT_EQ(wanted > size, devtrace_errors() - errors);
		if (wanted <= size) {
			ASSERT_EQ(wanted + 4, last_event()->size);
		} else {
			ASSERT_LE(1, n);
			ASSERT_EQ(DEVTRACE_E_STR, e.type);
			ASSERT_EQ(0, memcmp(e.v.mem.p + e.v.mem.len - 11, " bytes cut]", 11));
		}
	}
}

/* Short form. */

static int evaluated(int *n)
{
	return ++*n;
}

TEST_F(record, short_form)
{
	enum { RED, GREEN } colour = GREEN;
	char array[] = "array";
	const char *const constant = "c";
	volatile short vshort = -3;
	int n = 0;

	devtrace(TYPE);
	BYTES(100, 0, 0, 0);
	devtrace(TYPE, 1, 2u);
	BYTES(100, 0, 0, 0, 4, 1, 0, 0, 0, 5, 2, 0, 0, 0);
	devtrace(TYPE, (signed char)-1, (unsigned char)1, (short)-1, (unsigned short)1,
		 (long long)-1, 1ull, 1.5f, 1.5);
	BYTES(100, 0, 0, 0, 0, 0xff, 1, 1, 2, 0xff, 0xff, 3, 1, 0,
	      0xd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe, 1, 0, 0, 0, 0, 0, 0, 0,
	      6, 0, 0, 0xc0, 0x3f, 7, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f);
	devtrace(TYPE, (bool)2, array, constant, "x", colour, vshort, 1.5L);
	BYTES(100, 0, 0, 0, 1, 1, 8, 'a', 'r', 'r', 'a', 'y', 0, 8, 'c', 0, 8, 'x', 0,
	      5, 1, 0, 0, 0, 2, 0xfd, 0xff, 7, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f);
	if (sizeof(long) == 8) {
		devtrace(TYPE, 1l, 2ul);
		BYTES(100, 0, 0, 0, 0xd, 1, 0, 0, 0, 0, 0, 0, 0, 0xe, 2, 0, 0, 0, 0, 0, 0, 0);
	} else {
		devtrace(TYPE, 1l, 2ul);
		BYTES(100, 0, 0, 0, 4, 1, 0, 0, 0, 5, 2, 0, 0, 0);
	}
	devtrace(TYPE, (void *)0x1234, (const int *)0x5678);
	BYTES(100, 0, DEVTRACE_F_PTR, 0, 0xb, 0x34, 0x12, 0, 0, 0, 0, 0, 0,
	      0xb, 0x78, 0x56, 0, 0, 0, 0, 0, 0);
	devtrace(TYPE, (char)'x');
	EXPECT_EQ(CHAR_MIN < 0 ? 0 : 1, last_event()->bytes[4]);

	devtrace(TYPE, evaluated(&n));
	EXPECT_EQ(1, n);
	devtrace(TYPE + evaluated(&n));
	EXPECT_EQ(2, n);
	fake_want(TYPE, 0);
	devtrace(TYPE, evaluated(&n));
	EXPECT_EQ(2, n);
	EXPECT_EQ(0, devtrace_errors());
}

TEST_F(record, short_form_in_words)
{
	devtrace(TYPE, DEVTRACE_HEX((uint8_t)1), DEVTRACE_HEX((short)-1), DEVTRACE_HEX(3u),
		 DEVTRACE_HEX(4ull));
	BYTES(100, 0, 0, 0, 0xf1, 1, 0xf3, 0xff, 0xff, 0xf, 3, 0, 0, 0,
	      0xfe, 4, 0, 0, 0, 0, 0, 0, 0);
	devtrace(TYPE, DEVTRACE_MEM("\1\2", 2), DEVTRACE_STRN("abc", 2));
	BYTES(100, 0, 0, 0, 9, 2, 1, 2, 8, 'a', 'b', 0);
	devtrace(TYPE, DEVTRACE_OBJ(1), DEVTRACE_FUN(2), DEVTRACE_SIG(3, 4));
	BYTES(100, 0, DEVTRACE_F_PTR, 0, 0xb, 1, 0, 0, 0, 0, 0, 0, 0, 0xc, 2, 0, 0, 0, 0, 0, 0, 0,
	      0xa, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0);
	devtrace(TYPE, DEVTRACE_ENUM(0, 1), DEVTRACE_ENUM(7, 2));
	BYTES(100, 0, 0, 0, 0x80, 1, 0xf0, 2);
}

TEST_F(record, short_form_heads)
{
	devtrace_for(TYPE, 1, 2);
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0);
	devtrace_for(TYPE, 1, 2, (uint8_t)3, (uint8_t)4, (uint8_t)5, (uint8_t)6, (uint8_t)7,
		     (uint8_t)8, (uint8_t)9, (uint8_t)10);
	BYTES(100, 0, DEVTRACE_F_OBJSIG, 0, 1, 0, 2, 0, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8,
	      1, 9, 1, 10);
	devtrace_exc(DEVTRACE_SW1, DEVTRACE_CODE(1, 2));
	BYTES(125, 9, DEVTRACE_F_CODE, 0, 2, 1, 0, 0);
	devtrace_exc(DEVTRACE_HW2, DEVTRACE_CODE(1, 2), "why", (uint8_t)1);
	BYTES(125, 14, DEVTRACE_F_CODE, 0, 2, 1, 0, 0, 8, 'w', 'h', 'y', 0, 1, 1);
}

TEST_F(record, text)
{
	char longest[5000];
	size_t n;

	devtrace_text("%s %d", "abc", 12);
	BYTES(126, 0, 0, 0, 8, 'a', 'b', 'c', ' ', '1', '2', 0);
	devtrace_text_sev(DEVTRACE_SW3, "x\n");
	BYTES(126, 11, 0, 0, 8, 'x', 0);
	devtrace_puts("100 %s");
	BYTES(126, 0, 0, 0, 8, '1', '0', '0', ' ', '%', 's', 0);
	devtrace_puts_sev(DEVTRACE_HW1, "");
	BYTES(126, 13, 0, 0, 8, 0);
	devtrace_text("%s", "");
	BYTES(126, 0, 0, 0, 8, 0);

	/* All lengths around the limit. */
	memset(longest, 'y', sizeof(longest));
	for (n = 200; n < sizeof(longest); n += n < 260 || n > 3900 ? 1 : 100) {
		size_t kept;

		longest[n] = 0;
		devtrace_text("%s", longest);
		kept = strlen((char *)last_event()->bytes + 5);
		ASSERT_EQ(0, memcmp(last_event()->bytes + 5, longest, kept));
		ASSERT_EQ(n >= 3964, devtrace_errors());
		if (n < 3964) {
			ASSERT_EQ(n, kept);
			ASSERT_EQ(n + 6, last_event()->size);
			devtrace_puts(longest);
			ASSERT_EQ(0, devtrace_errors());
			ASSERT_EQ(n + 6, last_event()->size);
			longest[n] = 'y';
		} else {
			char mark[40];

			sprintf(mark, "[%zu bytes cut]", n - kept);
			ASSERT_STREQ(mark, (char *)last_event()->bytes + 5 + kept + 2);
			break;
		}
	}
	ASSERT_EQ(3964, n);
	EXPECT_EQ(EMSGSIZE, devtrace_error());
}

/* A text is cut between two characters, and all its bytes are counted. */
TEST_F(record, text_is_cut_between_characters)
{
	static const char *const characters[] = { "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	char text[5000], mark[40];
	const char *got;
	size_t c, before;

	for (c = 0; c < 3; c++) {
		const size_t len = strlen(characters[c]);

		for (before = 3963 - len - 1; before <= 3963; before++) {
			const size_t kept = before + len <= 3963 ? before + len : before;

			memset(text, 'y', sizeof(text) - 1);
			memcpy(text + before, characters[c], len);
			text[sizeof(text) - 1] = 0;
			devtrace_text("%s", text);
			got = (const char *)last_event()->bytes + 5;
			ASSERT_EQ(kept < before + len ? kept : 3963, strlen(got));
			ASSERT_EQ(0, memcmp(got, text, kept));
			sprintf(mark, "[%zu bytes cut]", sizeof(text) - 1 - strlen(got));
			ASSERT_STREQ(mark, got + strlen(got) + 2);
		}
	}
}

TEST_F(record, text_of_other_kinds)
{
	char line[1001];
	size_t n;

	/* One newline at the end is removed from a line of any length. */
	for (n = 1; n < sizeof(line); n += 37) {
		memset(line, 'y', n);
		strcpy(line + n - 1, "\n");
		devtrace_text("%s", line);
		ASSERT_EQ(n - 1, strlen((char *)last_event()->bytes + 5));
		devtrace_puts(line);
		ASSERT_EQ(n - 1, strlen((char *)last_event()->bytes + 5));
	}
	devtrace_puts(NULL);
	BYTES(126, 0, 0, 0, 8, '(', 'n', 'u', 'l', 'l', ')', 0);
	ASSERT_EQ(0, devtrace_errors());
	/* Not a character. */
	n = fake->nr;
	errno = 1234;
	EXPECT_EQ(EILSEQ, devtrace_text_(0, "%lc", (wint_t)0x7fffffff));
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(EILSEQ, devtrace_error());
	EXPECT_EQ(n, fake->nr);
}

/* QS names. */

static void function(void)
{
}

TEST_F(record, qs)
{
	int n = 0;

	QS_BEGIN_ID(QS_USER, 0)
	QS_END()
	BYTES(100, 0, 0, 0);
	QS_BEGIN_ID(QS_USER1, 3)
		QS_I8(0, -1);
		QS_U8(1, 2);
		QS_I16(2, 3);
		QS_U16(QS_HEX_FMT, 4);
		QS_I32(3, 5);
		QS_U32(4, 6);
	QS_END()
	BYTES(105, 0, DEVTRACE_F_OBJSIG, 0, 3, 0, 0, 0, 0, 0xff, 0x11, 2, 0x22, 3, 0,
	      0xf3, 4, 0, 0x34, 5, 0, 0, 0, 0x45, 6, 0, 0, 0);
	QS_BEGIN(QS_USER4 + 4)
		/* As an I16: the fourth bit of an I8's width says ENUM */
		QS_I8(9, -5);
		QS_I64(0, 1);
		QS_U64(0xf, 2);
		QS_F32(2, 1.5);
		QS_F64(3, 1.5f);
		QS_STR("s");
		QS_MEM("\7", 1);
		QS_ENUM(2, 1);
	QS_END();
	BYTES(124, 0, 0, 0, 0x92, 0xfb, 0xff, 0xd, 1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 2, 0, 0, 0, 0, 0, 0, 0,
	      0x26, 0, 0, 0xc0, 0x3f, 0x37, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 8, 's', 0, 9, 1, 7,
	      0xa0, 1);
	QS_BEGIN(QS_USER)
		QS_SIG(5, (void *)6);
		QS_OBJ((void *)7);
		QS_FUN((void (*)(void))8);
	QS_END()
	BYTES(100, 0, DEVTRACE_F_PTR, 0, 0xa, 5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
	      0xb, 7, 0, 0, 0, 0, 0, 0, 0, 0xc, 8, 0, 0, 0, 0, 0, 0, 0);

	fake_want(QS_USER, 0);
	QS_BEGIN_ID(QS_USER, 1)
		QS_U8(0, evaluated(&n));
	QS_END()
	EXPECT_EQ(0, n);
	EXPECT_EQ(4, fake->nr);

	QS_OBJ_DICTIONARY(&seed);
	QS_FUN_DICTIONARY(function);
	QS_SIG_DICTIONARY(SIGALRM, (void *)3);
	QS_USR_DICTIONARY(QS_USER3);
	QS_ENUM_DICTIONARY(1 + 1, 4);
	EXPECT_EQ(5, fake->nr_dicts);
	EXPECT_STREQ("seed", fake->dicts[0].name);
	EXPECT_EQ((uintptr_t)&seed, fake->dicts[0].key);
	EXPECT_STREQ("function", fake->dicts[1].name);
	EXPECT_EQ((uintptr_t)function, fake->dicts[1].key);
	EXPECT_STREQ("SIGALRM", fake->dicts[2].name);
	EXPECT_EQ(3, fake->dicts[2].key);
	EXPECT_EQ(SIGALRM, fake->dicts[2].value);
	EXPECT_STREQ("QS_USER3", fake->dicts[3].name);
	EXPECT_EQ(115, fake->dicts[3].value);
	EXPECT_STREQ("1 + 1", fake->dicts[4].name);
	EXPECT_EQ(4, fake->dicts[4].group);
	EXPECT_EQ(0, devtrace_errors());
}

/* QNX. */

#define CODE	(__M(0x123456) + 0x78)
#define HEAD(severity)	125, severity, DEVTRACE_F_CODE, 0, 0x78, 0x56, 0x34, 0x12
#define I(n)	4, n, 0, 0, 0
#define U(n)	5, n, 0, 0, 0

TEST_F(record, qnx)
{
	unsigned int u = 2;
	int n = 0;

	EXPECT_EQ(0, Trace0(CODE, _TRACE_HW_SEVERITY3));
	BYTES(HEAD(0xf));
	EXPECT_EQ(0, Trace1(CODE, _TRACE_HW_SEVERITY2, 1));
	BYTES(HEAD(0xe), I(1));
	EXPECT_EQ(0, Trace2(CODE, _TRACE_HW_SEVERITY1, 1, u));
	BYTES(HEAD(0xd), I(1), U(2));
	EXPECT_EQ(0, Trace3(CODE, _TRACE_HW_SEVERITY0, 1, u, (unsigned char)3));
	BYTES(HEAD(0xc), I(1), U(2), U(3));
	EXPECT_EQ(0, Trace4(CODE, _TRACE_SW_SEVERITY3, 1, u, 3, -1));
	BYTES(HEAD(0xb), I(1), U(2), I(3), 4, 0xff, 0xff, 0xff, 0xff);
	EXPECT_EQ(0, Trace5(CODE, _TRACE_SW_SEVERITY2, 1, u, 3, (short)4, 5l));
	BYTES(HEAD(0xa), I(1), U(2), I(3), I(4), I(5));
	EXPECT_EQ(0, Trace6(CODE, _TRACE_SW_SEVERITY1, 1, u, 3, 4, 5, 6ul));
	BYTES(HEAD(9), I(1), U(2), I(3), I(4), I(5), U(6));

	EXPECT_EQ(0, Trace0b(CODE, _TRACE_SW_SEVERITY0, 3, "abc"));
	BYTES(HEAD(8), 9, 3, 'a', 'b', 'c');
	EXPECT_EQ(0, Trace1b(CODE, _TRACE_SW_SEVERITY0, 1, 3, "abc"));
	BYTES(HEAD(8), I(1), 9, 3, 'a', 'b', 'c');
	EXPECT_EQ(0, Trace2b(CODE, _TRACE_SW_SEVERITY0, 1, 2, 0, NULL));
	BYTES(HEAD(8), I(1), I(2), 9, 0);
	EXPECT_EQ(0, Trace3b(CODE, _TRACE_SW_SEVERITY0, 1, 2, 3, 1, "a"));
	BYTES(HEAD(8), I(1), I(2), I(3), 9, 1, 'a');
	EXPECT_EQ(0, Trace4b(CODE, _TRACE_SW_SEVERITY0, 1, 2, 3, 4, 1, "a"));
	BYTES(HEAD(8), I(1), I(2), I(3), I(4), 9, 1, 'a');
	EXPECT_EQ(0, Trace5b(CODE, _TRACE_SW_SEVERITY0, 1, 2, 3, 4, 5, 1, "a"));
	BYTES(HEAD(8), I(1), I(2), I(3), I(4), I(5), 9, 1, 'a');
	EXPECT_EQ(0, Trace6b(CODE, _TRACE_SW_SEVERITY0, 1, 2, 3, 4, 5, 6, 1, "a"));
	BYTES(HEAD(8), I(1), I(2), I(3), I(4), I(5), I(6), 9, 1, 'a');
	EXPECT_EQ(0, devtrace_errors());

	fake_want(DEVTRACE_T_EXC, 0);
	EXPECT_EQ(0, Trace1(CODE, 0, evaluated(&n)));
	EXPECT_EQ(0, Trace1b(CODE, 0, evaluated(&n), 1, "a"));
	EXPECT_EQ(0, n);
	EXPECT_EQ(14, fake->nr);
	fake_want(DEVTRACE_T_EXC, 1);
	fake->emit_error = EMSGSIZE;
	EXPECT_EQ(-1, Trace1(CODE, 0, 1));
	EXPECT_EQ(-1, Trace1b(CODE, 0, 1, 1, "a"));
	EXPECT_EQ(2, devtrace_errors());
}

TEST_F(record, qnx_buffers)
{
	uint8_t mem[4500];
	int len;

	for (len = 0; len < (int)sizeof(mem); len++)
		mem[len] = len;
	for (len = 0; len < (int)sizeof(mem); len += len < 300 || len > 3900 ? 1 : 50) {
		struct devtrace_elem e;
		size_t pos = 8, n = 0;
		bool more = true;

		ASSERT_EQ(0, Trace6b(CODE, 0, 1, 2, 3, 4, 5, 6, len, mem));
		pos += 30;
		while (more) {
			ASSERT_EQ(1, devtrace_elem_next(last_event()->bytes, last_event()->size,
							&pos, &e));
			ASSERT_EQ(DEVTRACE_E_MEM, e.type);
			ASSERT_EQ(0, memcmp(mem + n, e.v.mem.p, e.v.mem.len));
			n += e.v.mem.len;
			more = e.width;
		}
		if (devtrace_errors()) {
			char mark[40];

			ASSERT_EQ(1, devtrace_elem_next(last_event()->bytes, last_event()->size,
							&pos, &e));
			sprintf(mark, "[%zu bytes cut]", len - n);
			ASSERT_STREQ(mark, (const char *)e.v.mem.p);
			ASSERT_EQ(last_event()->size, pos);
			ASSERT_LT(3890, n);
			break;
		}
		ASSERT_EQ(len, n);
		ASSERT_EQ(last_event()->size, pos);
	}
	ASSERT_EQ(1, devtrace_errors());
	EXPECT_EQ(-1, Trace0b(CODE, 0, -1, mem));
	EXPECT_EQ(EINVAL, devtrace_error());
}

TEST_F(record, qnx_trace_event)
{
	static const char mem[200], large[1000];
	int n = 0, type;

	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 0, 0, 0xfffff)));
	BYTES(100, 0, 0, 0, 5, 0xff, 0xff, 0x0f, 0);
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 7, 0, 9), 1, 2, 3, 4, 5, 6, 7));
	BYTES(100, 0, 0, 0, U(9), I(1), I(2), I(3), I(4), I(5), I(6), I(7));
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 1, 1, 9), 1, "abc", 3));
	BYTES(100, 0, 0, 0, U(9), I(1), 9, 3, 'a', 'b', 'c');
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(_TRACE_EXC, 2, 0, _TRACE_HW_SEVERITY1), CODE, 5));
	BYTES(HEAD(13), I(5));
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(_TRACE_EXC, 1, 1, _TRACE_SW_SEVERITY1), CODE, "a", 1));
	BYTES(HEAD(9), 9, 1, 'a');
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 7, 1, 9), 1, 2, 3, 4, 5, 6, 7, mem, 200));
	EXPECT_EQ(4 + 8 * 5 + 2 + 200, last_event()->size);
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 7, 1, 9), 1, 2, 3, 4, 5, 6, 7, large, 1000));
	EXPECT_EQ(4 + 8 * 5 + 4 * 2 + 1000, last_event()->size);
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(-1, TraceEvent(_TRACE_EVENT(TYPE, 0, 1, 9), mem, -1));
	/* Opcodes of the kernel's profile events and of the transport, constant or not */
	EXPECT_EQ(-1, TraceEvent(_TRACE_EVENT(DEVTRACE_T_KERNEL, 0, 0, 1)));
	EXPECT_EQ(-1, TraceEvent(_TRACE_EVENT(DEVTRACE_T_USER2 - 1, 1, 0, 1), 2));
	EXPECT_EQ(-1, TraceEvent(_TRACE_EVENT(DEVTRACE_T_CLOCK, 0, 0, 1)));
	for (type = DEVTRACE_T_KERNEL; type < DEVTRACE_T_USER2; type++)
		EXPECT_EQ(-1, TraceEvent(_TRACE_EVENT(type, 0, 0, 1)));
	EXPECT_EQ(EINVAL, devtrace_error());

	/* the code is evaluated once, and the filter applies to non-constant types */
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 0, 0, evaluated(&n))));
	BYTES(100, 0, 0, 0, U(1));
	fake_want(TYPE, 0);
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 0, 0, evaluated(&n))));
	EXPECT_EQ(2, n);
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 1, 0, 0), evaluated(&n)));
	EXPECT_EQ(2, n);
	EXPECT_EQ(8, fake->nr);
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
