// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the functions that depend on their arguments only
 *
 * Part of devtrace in a kernel's own tree, with CONFIG_DEVTRACE_KUNIT_TEST. The functions need no
 * ring and no device, and the tests change none.
 */
#include <kunit/test.h>
#include <linux/crc-ccitt.h>
#include <linux/crc32.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "read/wire.h"
#include "ring/elem.h"
#include "ring/history.h"
#include "ring/ring_memory.h"
#include "ring/size.h"

static void test_elements_of_fixed_size(struct kunit *test)
{
	static const struct {
		u8	format;
		int	size;
	} cases[] = {
		{ DEVTRACE_E_I8, 1 }, { DEVTRACE_E_U8 | DEVTRACE_E_HEX, 1 },
		{ DEVTRACE_E_I16, 2 }, { DEVTRACE_E_U16, 2 },
		{ DEVTRACE_E_I32, 4 }, { DEVTRACE_E_U32, 4 }, { DEVTRACE_E_X32, 4 },
		{ DEVTRACE_E_I64, 8 }, { DEVTRACE_E_U64, 8 },
		{ DEVTRACE_E_F32, 4 }, { DEVTRACE_E_F64, 8 },
		{ DEVTRACE_E_OBJ, 8 }, { DEVTRACE_E_FUN, 8 }, { DEVTRACE_E_SIG, 12 },
	};
	const u8 value[16] = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const int size = cases[i].size;

		KUNIT_EXPECT_EQ_MSG(test, elem_size(cases[i].format, value, size), size,
				    "format %#x", cases[i].format);
		KUNIT_EXPECT_EQ_MSG(test, elem_size(cases[i].format, value, size - 1), -1,
				    "format %#x", cases[i].format);
	}
}

static void test_strings_and_buffers(struct kunit *test)
{
	const u8 text[] = { 'a', 'b', 0, 'c' };
	const u8 mem[] = { 3, 1, 2, 3 };

	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_STR, text, 4), 3);
	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_STR, text, 3), 3);
	/* A string that does not end within the event */
	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_STR, text, 2), -1);
	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_STR, text, 0), -1);
	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_MEM, mem, 4), 4);
	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_MEM, mem, 3), -1);
	KUNIT_EXPECT_EQ(test, elem_size(DEVTRACE_E_MEM, mem, 0), -1);
}

static void test_sizes(struct kunit *test)
{
	static const struct {
		const char *text;
		int	err;
		u64	bytes;
	} cases[] = {
		{ "65536", 0, 65536 }, { "64K", 0, 65536 }, { "0x10k\n", 0, 16384 },
		{ "1M", 0, 1 << 20 }, { "2G", 0, 2ULL << 30 }, { "010", 0, 8 },
		{ "18446744073709551615", 0, U64_MAX },
		{ "", -EINVAL }, { "K", -EINVAL }, { "+1", -EINVAL }, { "-1", -EINVAL },
		{ "1KB", -EINVAL }, { "1 K", -EINVAL }, { "1\n\n", -EINVAL },
		{ "0x10000000000000400", -ERANGE }, { "16777217T", -ERANGE },
	};
	unsigned int i;
	u64 bytes;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bytes = 0;
		KUNIT_EXPECT_EQ_MSG(test, devtrace_size_parse(cases[i].text, &bytes),
				    cases[i].err, "'%s'", cases[i].text);
		KUNIT_EXPECT_EQ_MSG(test, bytes, cases[i].bytes, "'%s'", cases[i].text);
	}
}

static void test_ring_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ring_size_round(1024), 1024UL);
	KUNIT_EXPECT_EQ(test, ring_size_round(1025), 2048UL);
	KUNIT_EXPECT_EQ(test, ring_size_round(3 << 20), 4UL << 20);
	/* 0: no such ring */
	KUNIT_EXPECT_EQ(test, ring_size_round(1023), 0UL);
	KUNIT_EXPECT_EQ(test, ring_size_round(1ULL << 40), 0UL);
}

static void test_history(struct kunit *test)
{
	unsigned int entries[4], got;
	unsigned long n;
	struct history h;
	u32 i;

	/* The numbers of the entries wrap. */
	history_start(&h, -2);
	n = history_oldest(&h);
	KUNIT_EXPECT_FALSE(test, history_get(&h, 4, entries, sizeof(*entries), &n, &got));
	for (i = 0; i < 7; i++) {
		entries[h.nr % 4] = 100 + i;
		history_add(&h, 4);
	}
	/* The first entries are overwritten, so this returns the oldest. */
	KUNIT_ASSERT_TRUE(test, history_get(&h, 4, entries, sizeof(*entries), &n, &got));
	KUNIT_EXPECT_EQ(test, n, history_oldest(&h));
	for (; history_has(&h, n); n++) {
		KUNIT_ASSERT_TRUE(test, history_get(&h, 4, entries, sizeof(*entries), &n, &got));
		KUNIT_EXPECT_EQ(test, got, (unsigned int)(102 + n));
	}
	KUNIT_EXPECT_EQ(test, n, 5UL);
}

/* Remove the escapes of the frame at the beginning of the buffer. Return its length, or -1. */
static int pure_unescape(const struct wire *w, u8 *frame)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->head && w->buf[i] != DEVTRACE_FLAG; i++) {
		if (w->buf[i] == DEVTRACE_ESCAPE)
			frame[n++] = w->buf[++i] ^ DEVTRACE_ESCAPE_XOR;
		else
			frame[n++] = w->buf[i];
	}
	return i == w->head - 1 ? n : -1;
}

static bool is_checked(const u8 *frame, unsigned int n, u8 check)
{
	unsigned int i;
	u8 sum = 0;

	switch (check) {
	case DEVTRACE_CHECK_CRC16:
		n -= 2;
		return get_unaligned_le16(frame + n) == (u16)~crc_ccitt(0xffff, frame, n);
	case DEVTRACE_CHECK_CRC32:
		n -= 4;
		return get_unaligned_le32(frame + n) == ~crc32_le(~0, frame, n);
	default:
		for (i = 0; i < n; i++)
			sum += frame[i];
		return sum == 0xff;
	}
}

/* Frames of all lengths, whose bytes need an escape in each place, and with each check */
static void test_frames(struct kunit *test)
{
	static const u8 checks[] = {
		DEVTRACE_CHECK_SUM8, DEVTRACE_CHECK_CRC16, DEVTRACE_CHECK_CRC32
	};
	static const u8 checks_len[] = { 1, 2, 4 };
	struct wire *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u8 *frame = kunit_kzalloc(test, WIRE_FRAME_ROOM, GFP_KERNEL);
	unsigned int c, len, i;
	u8 *body;

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_NOT_NULL(test, frame);
	for (c = 0; c < ARRAY_SIZE(checks); c++) {
		for (len = 0; len <= DEVTRACE_PAYLOAD_MAX; len++) {
			memset(w, 0, offsetof(struct wire, buf));
			wire_init(w, "test");
			w->check = checks[c];
			body = wire_body(w);
			for (i = 0; i < len; i++)
				body[i] = i % 3 == len % 3 ? DEVTRACE_FLAG + i % 2 : i;
			wire_send(w, DEVTRACE_T_USER, len);
			KUNIT_ASSERT_EQ(test, pure_unescape(w, frame),
					(int)len + 3 + checks_len[c]);
			KUNIT_EXPECT_EQ(test, frame[0], 1);
			KUNIT_EXPECT_EQ(test, frame[1], DEVTRACE_T_USER);
			KUNIT_EXPECT_EQ(test, frame[2 + len], (u8)DEVTRACE_BODY_LEN(len));
			KUNIT_EXPECT_TRUE(test, is_checked(frame, 3 + len + checks_len[c],
							   checks[c]));
			for (i = 0; i < len; i++)
				if (frame[2 + i] !=
				    (u8)(i % 3 == len % 3 ? DEVTRACE_FLAG + i % 2 : i))
					KUNIT_FAIL(test, "byte %u of %u", i, len);
		}
	}
}

static void test_types(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, devtrace_type_is_emittable(DEVTRACE_T_USER));
	KUNIT_EXPECT_TRUE(test, devtrace_type_is_emittable(DEVTRACE_T_EXC));
	KUNIT_EXPECT_FALSE(test, devtrace_type_is_emittable(DEVTRACE_T_EMPTY));
	KUNIT_EXPECT_FALSE(test, devtrace_type_is_emittable(DEVTRACE_T_SCHED_SWITCH));
	KUNIT_EXPECT_TRUE(test, devtrace_type_is_profile(DEVTRACE_T_SCHED_SWITCH));
	KUNIT_EXPECT_TRUE(test, devtrace_severity_is_valid(DEVTRACE_HW3));
	KUNIT_EXPECT_TRUE(test, devtrace_severity_is_valid(0));
	KUNIT_EXPECT_FALSE(test, devtrace_severity_is_valid(1));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_elements_of_fixed_size),
	KUNIT_CASE(test_strings_and_buffers),
	KUNIT_CASE(test_sizes),
	KUNIT_CASE(test_ring_sizes),
	KUNIT_CASE(test_history),
	KUNIT_CASE(test_frames),
	KUNIT_CASE(test_types),
	{ }
};

static struct kunit_suite suite = {
	.name		= "devtrace",
	.test_cases	= cases,
};

kunit_test_suite(suite);
