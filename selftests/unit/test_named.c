// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_named.c - types registered by name: what the library sends, and what the decoder makes of it
 *
 * The bytes are written by hand from Documentation/wire-format.rst. The device is that of
 * fakedev.c: the number of a name is 256 plus the sum of its bytes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include <devtrace-decode.h>
#include "lane_unit.h"

#define AB	(256 + 'a' + 'b')	/* 0x1c3 */

FIXTURE(named) {
};

FIXTURE_SETUP(named)
{
	fake_reset();
	errno = 1234;
}

FIXTURE_TEARDOWN(named)
{
}

static const struct fake_event *event(void)
{
	return &fake->events[(fake->nr - 1) % FAKE_EVENTS];
}

#define EXPECT_EVENT(...) do {						\
	const uint8_t want_[] = { __VA_ARGS__ };			\
									\
	ASSERT_LT(0, fake->nr);						\
	EXPECT_EQ(sizeof(want_), event()->size);			\
	EXPECT_EQ(0, memcmp(want_, event()->bytes, sizeof(want_)));	\
} while (0)

TEST_F(named, each_form_has_the_number_as_its_code)
{
	int type = devtrace_type("ab");
	DEVTRACE_RECORD(r, 16);

	ASSERT_EQ(AB, type);
	devtrace_named(type, (uint8_t)7, "x");
	EXPECT_EVENT(84, 0, 0x08, 0, 0xc3, 1, 0, 0, 0x01, 7, 0x08, 'x', 0);
	devtrace_named(type);
	EXPECT_EVENT(84, 0, 0x08, 0, 0xc3, 1, 0, 0);
	devtrace_named_for(type, 0x102, 0x304, (uint8_t)7);
	EXPECT_EVENT(84, 0, 0x18, 0, 0xc3, 1, 0, 0, 2, 1, 4, 3, 0x01, 7);
	ASSERT_TRUE(devtrace_begin_named(&r, type));
	devtrace_u8(&r, 9);
	EXPECT_EQ(0, devtrace_end(&r));
	EXPECT_EVENT(84, 0, 0x08, 0, 0xc3, 1, 0, 0, 0x01, 9);
	ASSERT_TRUE(devtrace_begin_named_for(&r, type, 5, 6));
	devtrace_u8(&r, 9);
	EXPECT_EQ(0, devtrace_end(&r));
	EXPECT_EVENT(84, 0, 0x18, 0, 0xc3, 1, 0, 0, 5, 0, 6, 0, 0x01, 9);
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(0, devtrace_errors());
}

TEST_F(named, the_kernel_is_asked_once)
{
	char name[3] = "a?";
	int i, status;
	pid_t pid;

	for (i = 0; i < 200; i++) {
		name[1] = (char)(i % 100 + 1);
		EXPECT_EQ(256 + 'a' + i % 100 + 1, devtrace_type(name));
	}
	EXPECT_EQ(100, fake->nr_types);
	pid = fork();
	if (!pid)
		_exit(devtrace_type("a\x32") != 256 + 'a' + 0x32);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(100, fake->nr_types);
}

/* More names than the table has room for. */
TEST_F(named, a_full_table_only_costs_calls)
{
	char name[16];
	int i;

	for (i = 0; i < 400; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		EXPECT_LT(256, devtrace_type(name));
	}
	EXPECT_EQ(400, fake->nr_types);
	EXPECT_LT(256, devtrace_type("n0"));
	EXPECT_EQ(400, fake->nr_types);
	EXPECT_LT(256, devtrace_type("n399"));
	EXPECT_EQ(401, fake->nr_types);
}

static void *register_all(void *arg)
{
	long bad = 0;
	char name[16];
	int i, sum;
	char *p;

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n%d", (i * 7 + (int)(long)arg) % 100);
		for (sum = 256, p = name; *p; p++)
			sum += *p;
		bad += devtrace_type(name) != sum;
	}
	return (void *)bad;
}

TEST_F(named, threads_register_at_once)
{
	pthread_t threads[4];
	void *bad;
	long i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, register_all, (void *)(i * 29)));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
}

TEST_F(named, wrong_names_and_numbers_are_refused)
{
	static const int wrong[] = { -ENODEV, 0, 84, 255, 65536 };
	char name[70];
	unsigned int i;

	EXPECT_EQ(-EINVAL, devtrace_type(NULL));
	EXPECT_EQ(-EINVAL, devtrace_type(""));
	memset(name, 'x', sizeof(name));
	name[64] = 0;
	EXPECT_EQ(-ENAMETOOLONG, devtrace_type(name));
	EXPECT_EQ(0, fake->nr_types);
	name[63] = 0;
	EXPECT_EQ(256 + 63 * 'x', devtrace_type(name));
	fake->type_error = EDQUOT;
	EXPECT_EQ(-EDQUOT, devtrace_type("another"));
	EXPECT_EQ(EDQUOT, devtrace_error());
	EXPECT_EQ(4, devtrace_errors());
	EXPECT_EQ(1234, errno);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		devtrace_named(wrong[i], 1);
		devtrace_named_for(wrong[i], 1, 2, 3);
		EXPECT_EQ(4 + 2 * (i + 1), devtrace_errors()) TH_LOG("%d", wrong[i]);
	}
	EXPECT_EQ(0, fake->nr);
}

TEST_F(named, without_a_device_nothing_is_emitted)
{
	int evaluated = 0;

	fake->open_error = ENOENT;
	EXPECT_EQ(-ENODEV, devtrace_type("ab"));
	devtrace_named(-ENODEV, evaluated++);
	EXPECT_EQ(0, evaluated);
	EXPECT_EQ(1, devtrace_errors());
}

/* The module was loaded again, and another name has the number now. */
TEST_F(named, a_stale_number_is_discarded)
{
	int type = devtrace_type("ab"), other = devtrace_type("c");

	ASSERT_EQ(AB, type);
	devtrace_named(type, 1);
	EXPECT_EQ(1, fake->nr);
	fake->type_offset = AB - other;
	close(devtrace_fd());
	/* The first event after it finds the device gone, and connects. */
	devtrace(TYPE, 1);
	EXPECT_EQ(2, fake->nr);
	EXPECT_EQ(ESTALE, devtrace_error());
	devtrace_named(type, 2);
	devtrace_named(other, 2);
	EXPECT_EQ(2, fake->nr);
	/* Now it is the number of the other name. */
	EXPECT_EQ(AB, devtrace_type("c"));
	devtrace_named(AB, 3);
	EXPECT_EQ(3, fake->nr);
	EXPECT_EQ(AB + fake->type_offset, devtrace_type("ab"));
	devtrace_named(devtrace_type("ab"), 4);
	EXPECT_EQ(4, fake->nr);
}

TEST_F(named, the_program_filters_a_number)
{
	int type = devtrace_type("ab"), other = devtrace_type("c"), lanes;

	for (lanes = 0; lanes < 2; lanes++) {
		long before;

		fake_into_lanes(lanes);
		before = lanes ? in_lane(0) : (long)fake->nr;
		EXPECT_EQ(0, devtrace_own_type(type, false));
		devtrace_named(type, 1);
		devtrace_named(other, 1);
		EXPECT_EQ(before + 1, lanes ? in_lane(0) : (long)fake->nr);
		EXPECT_EQ(0, devtrace_own_type(type, true));
		devtrace_named(type, 1);
		EXPECT_EQ(before + 2, lanes ? in_lane(0) : (long)fake->nr);
	}
	EXPECT_EQ(EINVAL, devtrace_own_type(65536, false));
	EXPECT_EQ(0, devtrace_errors());
}

static struct devtrace_event got;

static int item(const struct devtrace_item *i, void *arg)
{
	if (i->kind == DEVTRACE_ITEM_EVENT)
		got = i->u.event;
	return 0;
}

/* Decode an event of a type with flags, and with this code. */
static bool decode(uint8_t type, uint8_t flags, uint32_t code)
{
	uint8_t body[32] = { flags }, frame[64];
	struct devtrace_decoder *d = devtrace_decoder_new(item, NULL);
	size_t n = 16;

	memset(&got, 0, sizeof(got));
	if (flags & DEVTRACE_F_CODE) {
		body[n++] = (uint8_t)code;
		body[n++] = (uint8_t)(code >> 8);
		body[n++] = (uint8_t)(code >> 16);
		body[n++] = (uint8_t)(code >> 24);
	}
	body[n++] = DEVTRACE_E_U8;
	body[n++] = 9;
	n = devtrace_frame_encode(frame, sizeof(frame), DEVTRACE_CHECK_CRC32, 1, type, body, n,
				  true);
	devtrace_decoder_feed(d, frame, n, NULL);
	devtrace_decoder_finish(d);
	devtrace_decoder_free(d);
	return got.type == type && got.len == 2;
}

TEST(decoder_gives_the_number)
{
	ASSERT_TRUE(decode(84, DEVTRACE_F_CODE, 256));
	EXPECT_EQ(256, got.number);
	EXPECT_EQ(0, got.flags);
	EXPECT_EQ(0, got.code);
	ASSERT_TRUE(decode(84, DEVTRACE_F_CODE, 65535));
	EXPECT_EQ(65535, got.number);
	/* No numbers of types: the code stays a code. */
	ASSERT_TRUE(decode(84, DEVTRACE_F_CODE, 255));
	EXPECT_EQ(84, got.number);
	EXPECT_EQ(255, got.code);
	EXPECT_EQ(DEVTRACE_F_CODE, got.flags);
	ASSERT_TRUE(decode(84, DEVTRACE_F_CODE, 0x10100));
	EXPECT_EQ(84, got.number);
	EXPECT_EQ(0x10100, got.code);
	ASSERT_TRUE(decode(84, 0, 0));
	EXPECT_EQ(84, got.number);
	ASSERT_TRUE(decode(125, DEVTRACE_F_CODE, 256));
	EXPECT_EQ(125, got.number);
	EXPECT_EQ(256, got.code);
}

int main(int argc, char **argv)
{
	fake_start(argv);
	return test_harness_run(argc, argv);
}
