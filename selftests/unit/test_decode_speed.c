// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_decode_speed.c - the time to decode an event
 *
 * It prints one figure per check. The limit catches a broken decoder (a copy, search or
 * allocation per event), not a slow machine: typical figures are a tenth of it.
 */
#include <time.h>

#include "kselftest_harness.h"
#include "teststream.h"

#define EVENTS	200000
#define LIMIT	500.0

static int count(const struct devtrace_item *item, void *arg)
{
	if (item->kind == DEVTRACE_ITEM_EVENT)
		++*(uint64_t *)arg;
	return 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

FIXTURE(speed) {
	struct stream s;
};

FIXTURE_VARIANT(speed) {
	enum devtrace_check check;
	const char *name;
};

FIXTURE_VARIANT_ADD(speed, sum8) { .check = DEVTRACE_CHECK_SUM8, .name = "sum8" };
FIXTURE_VARIANT_ADD(speed, crc16) { .check = DEVTRACE_CHECK_CRC16, .name = "crc16" };
FIXTURE_VARIANT_ADD(speed, crc32) { .check = DEVTRACE_CHECK_CRC32, .name = "crc32" };

FIXTURE_SETUP(speed)
{
	stream_init(&self->s, variant->check);
}

FIXTURE_TEARDOWN(speed)
{
	stream_free(&self->s);
}

/* Events of two 32-bit integers, with INFO and CLOCK as the device sends them. */
TEST_F(speed, decode)
{
	double best = 1e9;

	stream_info(&self->s, DEVTRACE_INFO_OPEN);
	stream_proc(&self->s, 77, 70, "writer");
	stream_clock(&self->s);
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct body b;

		b.len = 0;
		body_int(&b, DEVTRACE_E_I32, 1);
		body_int(&b, i, 4);
		body_int(&b, DEVTRACE_E_U32, 1);
		body_int(&b, i * 3, 4);
		stream_event(&self->s, DEVTRACE_T_USER, b.bytes, b.len);
		if (i % 2000 == 1999) {
			stream_info(&self->s, DEVTRACE_INFO_PERIODIC);
			stream_clock(&self->s);
		}
	}
	for (int round = 0; round < 10; round++) {
		uint64_t events = 0;
		struct devtrace_decoder *d = devtrace_decoder_new(count, &events);
		double start, ns;

		ASSERT_NE(NULL, d);
		start = seconds();
		for (size_t pos = 0; pos < self->s.len; pos += 65536)
			devtrace_decoder_feed(d, self->s.bytes + pos,
					      self->s.len - pos < 65536 ? self->s.len - pos : 65536,
					      NULL);
		ns = (seconds() - start) * 1e9 / EVENTS;
		devtrace_decoder_free(d);
		ASSERT_EQ(EVENTS, events);
		if (ns < best)
			best = ns;
	}
	printf("# decode.%s.ns_per_event %.1f ns\n", variant->name, best);
	fflush(stdout);
	EXPECT_TRUE(best < LIMIT);
}

TEST_HARNESS_MAIN
