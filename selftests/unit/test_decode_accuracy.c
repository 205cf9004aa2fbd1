// SPDX-License-Identifier: GPL-2.0-only
/* test_decode_accuracy.c - statements about the error of the wall clock */
#include <string.h>

#include "kselftest_harness.h"
#include "devtrace-decode.h"
#include "teststream.h"

#define SECOND	1000000000ull

FIXTURE(accuracy) {
	struct stream s;
	struct devtrace_decoder *d;
	unsigned int statements, others;
	struct devtrace_statement last;
};

static int note_item(const struct devtrace_item *item, void *arg)
{
	struct _test_data_accuracy *self = arg;

	if (item->kind == DEVTRACE_ITEM_ACCURACY) {
		self->statements++;
		self->last = item->u.accuracy;
	}
	self->others += item->kind == DEVTRACE_ITEM_UNKNOWN || item->kind == DEVTRACE_ITEM_DAMAGE ||
			item->kind == DEVTRACE_ITEM_GAP;
	return 0;
}

FIXTURE_SETUP(accuracy)
{
	stream_init(&self->s, DEVTRACE_CHECK_SUM8);
	self->d = devtrace_decoder_new(note_item, self);
	ASSERT_NE(NULL, self->d);
	stream_info(&self->s, DEVTRACE_INFO_OPEN);
}

FIXTURE_TEARDOWN(accuracy)
{
	devtrace_decoder_free(self->d);
	stream_free(&self->s);
}

static void feed(struct devtrace_decoder *d, struct stream *s)
{
	devtrace_decoder_feed(d, s->bytes, s->len, NULL);
	s->len = 0;
	s->nr = 0;
}

static void state(struct stream *s, const char *text)
{
	struct body b = { .len = 0 };

	body_int(&b, DEVTRACE_EMPTY_ACCURACY, 4);
	body_string(&b, text);
	stream_frame(s, DEVTRACE_T_EMPTY, b.bytes, b.len);
}

static void clock_at(struct stream *s, uint64_t ts, int64_t real)
{
	struct body b = { .len = 0 };

	body_int(&b, s->sent, 8);
	body_int(&b, ts, 8);
	body_int(&b, ts, 8);
	body_int(&b, ts, 8);
	body_int(&b, (uint64_t)real, 8);
	stream_frame(s, DEVTRACE_T_CLOCK, b.bytes, b.len);
}

static void note(struct devtrace_decoder *d, const char *name, const char *value)
{
	struct body b = { .len = 0 };
	uint8_t out[256];
	size_t n;

	body_int(&b, DEVTRACE_EMPTY_NOTE, 4);
	body_string(&b, name);
	body_string(&b, value);
	n = devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_CRC32, 0, DEVTRACE_T_EMPTY,
				  b.bytes, b.len, true);
	devtrace_decoder_feed(d, out, n, NULL);
}

TEST_F(accuracy, the_fields_are_those_of_the_text)
{
	state(&self->s, "18446744073709551615 999999999999 7 ffff ptp0");
	feed(self->d, &self->s);
	ASSERT_EQ(1, self->statements);
	EXPECT_EQ(UINT64_MAX, self->last.ts);
	EXPECT_EQ(DEVTRACE_ACCURACY_MAX, self->last.max);
	EXPECT_EQ(7, self->last.est);
	EXPECT_EQ(0xffff, self->last.status);
	EXPECT_STREQ("ptp0", self->last.source);
	EXPECT_EQ(0, self->others);
}

/* A decoder skips such a frame, as it skips any EMPTY frame. */
TEST_F(accuracy, a_text_in_another_form_is_padding)
{
	static const char *const texts[] = {
		"", " ", "1 2 3 4", "1 2 3 4 ", "1 2 3 4 NTP", "1 2 3 4 ntp ", "1 2 3 4 ntp x",
		"1  2 3 4 ntp", "-1 2 3 4 ntp", "1 1000000000000 3 4 ntp", "1 2 1000000000000 4 ntp",
		"1 2 3 10000 ntp", "1 2 3 g ntp", "1 2 3 4 123456789012", "0x1 2 3 4 ntp",
		"18446744073709551616 2 3 4 ntp", "1 2 3 4 n\xc3\xa4", "99999999999999999999 2 3 4 ntp",
	};
	static const uint8_t head[] = { DEVTRACE_EMPTY_ACCURACY, 0, 0, 0 };
	static const uint8_t open[] = { DEVTRACE_EMPTY_ACCURACY, 0, 0, 0, '1', ' ', '2', ' ', '3',
		' ', '4', ' ', 'n' };
	uint64_t max;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		state(&self->s, texts[i]);
		feed(self->d, &self->s);
		EXPECT_EQ(0, self->statements) {
			TH_LOG("'%s'", texts[i]);
		}
	}
	for (size_t n = 1; n <= sizeof(head); n++)
		stream_frame(&self->s, DEVTRACE_T_EMPTY, head, n);
	stream_frame(&self->s, DEVTRACE_T_EMPTY, open, sizeof(open));
	feed(self->d, &self->s);
	EXPECT_EQ(0, self->statements);
	EXPECT_EQ(0, self->others);
	EXPECT_EQ(DEVTRACE_SYNC_UNKNOWN, devtrace_decoder_error(self->d, 1, &max));
	EXPECT_EQ(NULL, devtrace_decoder_statement(self->d));
}

TEST_F(accuracy, an_old_stream_says_nothing)
{
	uint64_t max = 5;

	clock_at(&self->s, SECOND, 1);
	stream_number(&self->s, 1);
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_UNKNOWN, devtrace_decoder_error(self->d, SECOND, &max));
	EXPECT_EQ(5, max);
}

/* By 500 ppm in both directions, plus 20 us and more for the conversion. */
TEST_F(accuracy, the_error_grows_with_its_age)
{
	uint64_t max, later, earlier;

	clock_at(&self->s, 100 * SECOND, 1000);
	clock_at(&self->s, 164 * SECOND, 1000 + 64 * (int64_t)SECOND + 64000);
	state(&self->s, "164000000000 1000000 10 2001 ntp");
	feed(self->d, &self->s);
	ASSERT_EQ(DEVTRACE_SYNC_ERROR, devtrace_decoder_error(self->d, 164 * SECOND, &max));
	EXPECT_EQ(1000000 + 20000, max);
	devtrace_decoder_error(self->d, 174 * SECOND, &later);
	/* The wall clock gains 1 us per second. */
	EXPECT_EQ(1000000 + 10 * 500000 + 20000 + 1000, later);
	devtrace_decoder_error(self->d, 154 * SECOND, &earlier);
	EXPECT_EQ(later, earlier);
}

TEST_F(accuracy, never_or_no_longer_synchronised)
{
	uint64_t max;

	state(&self->s, "100 16000000000 16000000000 41 ntp");
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_NEVER, devtrace_decoder_error(self->d, 100, &max));
	state(&self->s, "200 1000 1000 1 ntp");
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_ERROR, devtrace_decoder_error(self->d, 200, &max));
	state(&self->s, "300 16000000000 16000000000 41 ntp");
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_LOST, devtrace_decoder_error(self->d, 300, &max));
	/* Another stream may be of another board. */
	self->s.sent = 0;
	self->s.seq = 1;
	stream_info(&self->s, DEVTRACE_INFO_OPEN);
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_UNKNOWN, devtrace_decoder_error(self->d, 300, &max));
}

TEST_F(accuracy, a_step_ends_a_statement)
{
	uint64_t max;

	clock_at(&self->s, SECOND, 1000);
	state(&self->s, "1000000000 1000 1000 1 ntp");
	clock_at(&self->s, 2 * SECOND, 1000 + (int64_t)SECOND);
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_ERROR, devtrace_decoder_error(self->d, 2 * SECOND, &max));
	clock_at(&self->s, 2 * SECOND + 1, 1001 + 4 * (int64_t)SECOND);
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_UNKNOWN, devtrace_decoder_error(self->d, 3 * SECOND, &max));
	/* The kernel repeats the one before it, for a reader that begins now. */
	state(&self->s, "1000000000 1000 1000 1 ntp");
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_UNKNOWN, devtrace_decoder_error(self->d, 3 * SECOND, &max));
	/* One after the step applies, though an older CLOCK frame comes once more. */
	state(&self->s, "2000000002 1000 1000 1 ntp");
	clock_at(&self->s, 2 * SECOND + 1, 1001 + 4 * (int64_t)SECOND);
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_ERROR, devtrace_decoder_error(self->d, 3 * SECOND, &max));
}

/* A reader that goes back to the time before a step may believe what was stated then. */
TEST_F(accuracy, before_a_step)
{
	uint64_t max;

	clock_at(&self->s, SECOND, 1000);
	clock_at(&self->s, SECOND + 1, 1001 + 4 * (int64_t)SECOND);
	stream_info(&self->s, DEVTRACE_INFO_SEEK);
	clock_at(&self->s, SECOND / 2, 1000 - (int64_t)SECOND / 2);
	state(&self->s, "400000000 1000 1000 1 ntp");
	feed(self->d, &self->s);
	EXPECT_EQ(DEVTRACE_SYNC_ERROR, devtrace_decoder_error(self->d, SECOND / 2, &max));
}

/* The head of a file of tracelogger precedes the INFO of its stream. */
TEST_F(accuracy, the_note_of_an_older_logger)
{
	uint64_t max;

	note(self->d, "clock", "exact to 1234 us");
	feed(self->d, &self->s);
	clock_at(&self->s, 50 * SECOND, 1000);
	feed(self->d, &self->s);
	ASSERT_EQ(DEVTRACE_SYNC_ERROR, devtrace_decoder_error(self->d, 50 * SECOND, &max));
	EXPECT_EQ(1234000 + 20000, max);
	/* The next file of the same stream. */
	note(self->d, "clock", "exact to 8 us");
	EXPECT_EQ(8000, devtrace_decoder_statement(self->d)->max);
	/* The kernel says more. */
	state(&self->s, "50000000000 500 500 1 ptp0");
	feed(self->d, &self->s);
	devtrace_decoder_error(self->d, 50 * SECOND, &max);
	EXPECT_EQ(500 + 20000, max);
	note(self->d, "clock", "exact to 9 us");
	devtrace_decoder_error(self->d, 50 * SECOND, &max);
	EXPECT_EQ(500 + 20000, max);
}

TEST_F(accuracy, other_notes_say_nothing)
{
	static const char *const values[] = {
		"exact to  us", "exact to 5 ms", "exact to 5 us ", "exact to 1000000000 us", "exact", "",
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		note(self->d, "clock", values[i]);
	note(self->d, "board", "not synchronized");
	EXPECT_EQ(NULL, devtrace_decoder_statement(self->d));
	note(self->d, "clock", "not synchronized");
	ASSERT_NE(NULL, devtrace_decoder_statement(self->d));
	EXPECT_EQ(DEVTRACE_ACCURACY_UNSYNC, devtrace_decoder_statement(self->d)->status);
}

TEST_HARNESS_MAIN
