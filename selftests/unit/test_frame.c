// SPDX-License-Identifier: GPL-2.0-only
/* test_frame.c - framing and elements, compared with hand-written bytes */
#include <math.h>
#include <string.h>

#include "kselftest_harness.h"
#include "devtrace-decode.h"
#include "wire/frame.h"

static const uint8_t nine[] = "123456789";

TEST(check_values)
{
	struct dt_crc crc16, crc32;

	dt_crc_init(&crc16, DEVTRACE_CHECK_CRC16);
	dt_crc_init(&crc32, DEVTRACE_CHECK_CRC32);
	EXPECT_EQ(0x22, dt_check_value(DEVTRACE_CHECK_SUM8, NULL, nine, 9));
	EXPECT_EQ(0x906e, dt_check_value(DEVTRACE_CHECK_CRC16, NULL, nine, 9));
	EXPECT_EQ(0xcbf43926, dt_check_value(DEVTRACE_CHECK_CRC32, NULL, nine, 9));
	EXPECT_EQ(0x906e, dt_check_value(DEVTRACE_CHECK_CRC16, &crc16, nine, 9));
	EXPECT_EQ(0xcbf43926, dt_check_value(DEVTRACE_CHECK_CRC32, &crc32, nine, 9));
}

/* The fast variants equal the simple ones at all lengths. */
TEST(fast_checks)
{
	static uint8_t bytes[4096];
	struct dt_crc crc[2];

	dt_crc_init(&crc[0], DEVTRACE_CHECK_CRC16);
	dt_crc_init(&crc[1], DEVTRACE_CHECK_CRC32);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i < 2100 ? 0xff : (uint8_t)(i * i >> 3);
	for (size_t n = 0; n <= sizeof(bytes); n += n < 100 ? 1 : 37) {
		unsigned int sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += bytes[i];
		ASSERT_EQ((uint8_t)~sum, dt_check_value(DEVTRACE_CHECK_SUM8, NULL, bytes, n));
		for (int c = 1; c < DT_CHECKS; c++)
			ASSERT_EQ(dt_check_value(c, NULL, bytes, n),
				  dt_check_value(c, &crc[c - 1], bytes, n));
	}
}

/* The example of the QS manual: no length byte, sum8. */
TEST(qs_frame)
{
	static const uint8_t body[] = { 0x7d, 0x08, 0x01 };
	static const uint8_t wire[] = { 0x7d, 0x5e, 0x7d, 0x5d, 0x7d, 0x5d,
					0x08, 0x01, 0x7d, 0x5e, 0x7e };
	static const uint8_t plain[] = { 0x7e, 0x7d, 0x7d, 0x08, 0x01, 0x7e };
	uint8_t out[32];

	ASSERT_EQ(sizeof(wire), devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_SUM8,
						      0x7e, 0x7d, body, sizeof(body), false));
	EXPECT_EQ(0, memcmp(out, wire, sizeof(wire)));
	ASSERT_EQ(sizeof(plain), dt_unescape(out, sizeof(out), wire, sizeof(wire) - 1));
	EXPECT_EQ(0, memcmp(out, plain, sizeof(plain)));
	EXPECT_EQ(plain[5], dt_check_value(DEVTRACE_CHECK_SUM8, NULL, plain, 5));
}

/* QS streams begin with this frame. */
TEST(qs_empty_frame)
{
	static const uint8_t wire[] = { 0x01, 0x00, 0xfe, 0x7e };
	uint8_t out[8];

	ASSERT_EQ(4, devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_SUM8, 1, 0,
					   NULL, 0, false));
	EXPECT_EQ(0, memcmp(out, wire, 4));
}

TEST(encode_length_byte_and_crc)
{
	static const uint8_t body[] = { 0xaa, 0xbb };
	uint8_t out[32];
	uint32_t crc;

	ASSERT_EQ(10, devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_CRC32, 1, 100,
					    body, 2, true));
	EXPECT_EQ(3, out[4]);
	crc = dt_check_value(DEVTRACE_CHECK_CRC32, NULL, out, 5);
	EXPECT_EQ(crc & 0xff, out[5]);
	EXPECT_EQ(crc >> 24, out[8]);
	EXPECT_EQ(0x7e, out[9]);
	ASSERT_EQ(8, devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_CRC16, 1, 100,
					   body, 2, true));
	crc = dt_check_value(DEVTRACE_CHECK_CRC16, NULL, out, 5);
	EXPECT_EQ(crc & 0xff, out[5]);
	EXPECT_EQ(crc >> 8, out[6]);
}

TEST(encode_bounds)
{
	static uint8_t body[4016], out[2 * DEVTRACE_FRAME_MAX + 1];
	size_t n;

	memset(body, 0x7e, sizeof(body));
	for (int c = 0; c < DT_CHECKS; c++) {
		n = devtrace_frame_encode(out, sizeof(out), c, 0x7e, 0x7d, body,
					  sizeof(body), true);
		ASSERT_GT(n, 2 * sizeof(body));
		EXPECT_EQ(n, devtrace_frame_encode(out, n, c, 0x7e, 0x7d, body,
						   sizeof(body), true));
		out[n - 1] = 0x55;
		EXPECT_EQ(0, devtrace_frame_encode(out, n - 1, c, 0x7e, 0x7d, body,
						   sizeof(body), true));
		EXPECT_EQ(0x55, out[n - 1]);
	}
	EXPECT_EQ(0, devtrace_frame_encode(out, sizeof(out), 3, 0, 0, body, 1, true));
}

TEST(unescape_bounds)
{
	static const uint8_t bad[][3] = {
		{ 0x7d, 0x00, 0x00 }, { 0x7d, 0x7d, 0x5d }, { 0x01, 0x01, 0x7d },
		{ 0x7d, 0x7e, 0x5e }, { 0x7d, 0x5f, 0x00 },
	};
	static const uint8_t ok[] = { 1, 0x7d, 0x5d, 2, 0x7d, 0x5e };
	uint8_t out[8];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(DT_UNESCAPE_BAD, dt_unescape(out, sizeof(out), bad[i], 3));
	EXPECT_EQ(4, dt_unescape(out, 4, ok, sizeof(ok)));
	EXPECT_EQ(0x7e, out[3]);
	for (size_t room = 0; room < 4; room++)
		EXPECT_EQ(DT_UNESCAPE_LONG, dt_unescape(out, room, ok, sizeof(ok)));
	EXPECT_EQ(0, dt_unescape(out, sizeof(out), ok, 0));
}

static const uint8_t sample[] = {
	0x00, 0xfe,				/* I8 -2 */
	0xb0, 0x05,				/* ENUM group 3 */
	0x31, 0xfe,				/* U8, width 3 */
	0x02, 0x34, 0xff,			/* I16 */
	0xf3, 0x34, 0x12,			/* U16, hexadecimal */
	0x04, 0xfe, 0xff, 0xff, 0xff,		/* I32 -2 */
	0x05, 0x78, 0x56, 0x34, 0x92,		/* U32 */
	0x26, 0x00, 0x00, 0xc0, 0x3f,		/* F32 1.5, two digits */
	0x07, 0, 0, 0, 0, 0, 0, 0x02, 0xc0,	/* F64 -2.25 */
	0x08, 'h', 'i', 0,			/* STR */
	0x19, 2, 0xde, 0xad,			/* MEM, more follows */
	0x09, 0,				/* MEM, empty */
	0x0a, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80,
	0x0b, 1, 2, 3, 4, 5, 6, 7, 8,		/* OBJ */
	0x0c, 1, 2, 3, 4, 5, 6, 7, 0x88,	/* FUN */
	0x0d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x0f, 0xef, 0xbe, 0xad, 0xde,		/* X32 */
};

TEST(elements)
{
	struct devtrace_elem e[19];
	size_t pos = 0, n = 0;

	while (n < 19 && devtrace_elem_next(sample, sizeof(sample), &pos, &e[n]) == 1)
		n++;
	ASSERT_EQ(18, n);
	EXPECT_EQ(sizeof(sample), pos);
	EXPECT_EQ(-2, e[0].v.i);
	EXPECT_TRUE(e[1].is_enum && e[1].width == 3 && e[1].v.u == 5);
	EXPECT_FALSE(e[0].is_enum);
	EXPECT_TRUE(e[2].width == 3 && e[2].v.u == 0xfe);
	EXPECT_EQ((int16_t)0xff34, e[3].v.i);
	EXPECT_TRUE(e[4].width == 0xf && e[4].v.u == 0x1234);
	EXPECT_EQ(-2, e[5].v.i);
	EXPECT_EQ(0x92345678, e[6].v.u);
	EXPECT_TRUE(e[7].width == 2 && e[7].v.f == 1.5);
	EXPECT_TRUE(e[8].v.f == -2.25);
	EXPECT_TRUE(e[9].v.mem.len == 2 && !memcmp(e[9].v.mem.p, "hi", 3));
	EXPECT_EQ(4, e[9].size);
	EXPECT_TRUE(e[10].width == DEVTRACE_E_MEM_MORE >> 4 && e[10].v.mem.len == 2 &&
		    e[10].v.mem.p[1] == 0xad);
	EXPECT_TRUE(e[11].type == DEVTRACE_E_MEM && e[11].v.mem.len == 0);
	EXPECT_TRUE(e[12].v.sig.sig == 7 && e[12].v.sig.obj == 0x8000000000000001ull);
	EXPECT_EQ(0x0807060504030201ull, e[13].v.u);
	EXPECT_EQ(0x8807060504030201ull, e[14].v.u);
	EXPECT_EQ(-1, e[15].v.i);
	EXPECT_EQ(UINT64_MAX, e[16].v.u);
	EXPECT_EQ(0xdeadbeef, e[17].v.u);
	EXPECT_EQ(&sample[0], e[0].raw);
}

/* Cut anywhere, iteration ends with the last whole element, and never reads beyond. */
TEST(elements_cut)
{
	bool boundary[sizeof(sample) + 1] = { true };
	struct devtrace_elem e;
	size_t pos = 0;

	while (devtrace_elem_next(sample, sizeof(sample), &pos, &e) == 1)
		boundary[pos] = true;
	for (size_t n = 0; n <= sizeof(sample); n++) {
		uint8_t *copy = malloc(n ? n : 1);
		int r;

		ASSERT_NE(NULL, copy);
		memcpy(copy, sample, n);
		pos = 0;
		do
			r = devtrace_elem_next(copy, n, &pos, &e);
		while (r == 1);
		EXPECT_EQ(boundary[n] ? 0 : -1, r);
		EXPECT_EQ(boundary[n], pos == n);
		EXPECT_LE(pos, n);
		free(copy);
	}
	pos = sizeof(sample) + 1;
	EXPECT_EQ(-1, devtrace_elem_next(sample, sizeof(sample), &pos, &e));
}

TEST_HARNESS_MAIN
