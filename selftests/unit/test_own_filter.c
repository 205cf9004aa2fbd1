// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_own_filter.c - the program's own filter, for events in lanes and by system call
 *
 * Each test runs with lanes and without, since the path of an event differs. The device is that
 * of fakedev.h, which refuses nothing.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include "lane_unit.h"

static bool lanes;	/* this variant has lanes */

static long arrived(void)
{
	return lanes ? in_lane(0) + (long)fake->nr : (long)fake->nr;
}

/* True if events of this type arrive, in each form. */
static bool type_comes(unsigned int type)
{
	const struct devtrace_emit e = { .type = (uint8_t)type };
	long before = arrived();

	if (devtrace_emit_event(&e, sizeof(e)))
		return false;
	return arrived() == before + 1;
}

static bool comes(unsigned int object, unsigned int sig)
{
	DEVTRACE_RECORD(r, 16);
	long before = arrived();

	if (!devtrace_begin(&r, TYPE, (uint16_t)object, (uint16_t)sig))
		return false;
	devtrace_u32(&r, 1);
	if (devtrace_end(&r))
		return false;
	return arrived() == before + 1;
}

FIXTURE(own) {
};

FIXTURE_VARIANT(own) {
	bool lanes;
};

FIXTURE_VARIANT_ADD(own, lane) {
	.lanes = true,
};

FIXTURE_VARIANT_ADD(own, call) {
	.lanes = false,
};

FIXTURE_SETUP(own)
{
	pin();
	lanes = variant->lanes;
	fake_reset();
	fake_into_lanes(lanes);
	clock_ns = 1000;
	clock_by_counter(true);
}

FIXTURE_TEARDOWN(own)
{
	EXPECT_EQ(0, devtrace_errors());
}

static bool is_programs(unsigned int type)
{
	return type && type != 54 && !(type >= 58 && type <= 70) && !(type >= 128 && type < 192);
}

TEST_F(own, types)
{
	unsigned int type;

	EXPECT_TRUE(type_comes(TYPE));
	EXPECT_EQ(0, devtrace_own_type(TYPE, false));
	EXPECT_FALSE(type_comes(TYPE));
	EXPECT_TRUE(type_comes(TYPE + 1));
	EXPECT_FALSE(comes(3, 4));
	EXPECT_EQ(0, devtrace_own_type(DEVTRACE_ALL, false));
	for (type = 0; type < 256; type++)
		if (is_programs(type))
			EXPECT_FALSE(type_comes(type)) TH_LOG("type %u", type);
	for (type = 0; type < 256; type++)
		EXPECT_EQ(is_programs(type) ? 0 : EINVAL, devtrace_own_type(type, true))
			TH_LOG("type %u", type);
	for (type = 0; type < 256; type++)
		if (is_programs(type))
			EXPECT_TRUE(type_comes(type)) TH_LOG("type %u", type);
	EXPECT_EQ(EINVAL, devtrace_own_type(65536, false));
	EXPECT_EQ(EINVAL, devtrace_own_type(-2, false));
}

/* Strings have a separate path, and the first event connects. */
TEST_F(own, before_there_is_a_connection)
{
	EXPECT_EQ(0, devtrace_own_type(TYPE, false));
	devtrace(TYPE, "a string", 1, "the last");
	devtrace(TYPE, "alone");
	EXPECT_EQ(0, arrived());
	EXPECT_EQ(-1, devtrace_fd());
	EXPECT_TRUE(type_comes(TYPE + 1));
	devtrace(TYPE, "alone");
	EXPECT_EQ(1, arrived());
	EXPECT_EQ(0, devtrace_own_type(TYPE, true));
	devtrace(TYPE, "alone");
	EXPECT_EQ(2, arrived());
}

TEST_F(own, groups)
{
	EXPECT_EQ(0, devtrace_own_type(DEVTRACE_ALL, false));
	EXPECT_EQ(0, devtrace_own_group("SM", true));
	EXPECT_TRUE(type_comes(1));
	EXPECT_TRUE(type_comes(57));
	EXPECT_FALSE(type_comes(10));
	EXPECT_EQ(0, devtrace_own_group("USER", true));
	EXPECT_TRUE(type_comes(255));
	EXPECT_EQ(0, devtrace_own_group("USER1", false));
	EXPECT_FALSE(type_comes(105));
	EXPECT_TRUE(type_comes(104));
	EXPECT_TRUE(type_comes(110));
	EXPECT_EQ(EINVAL, devtrace_own_group("KERNEL", true));
	EXPECT_EQ(EINVAL, devtrace_own_group("sm", true));
	EXPECT_EQ(EINVAL, devtrace_own_group(NULL, true));
}

TEST_F(own, objects)
{
	EXPECT_TRUE(comes(3, 9));
	EXPECT_EQ(0, devtrace_own_object(3, false));
	EXPECT_FALSE(comes(3, 9));
	EXPECT_TRUE(comes(4, 9));
	EXPECT_TRUE(comes(0, 9));
	EXPECT_TRUE(type_comes(TYPE));
	EXPECT_EQ(0, devtrace_own_object(DEVTRACE_ALL, false));
	EXPECT_FALSE(comes(4, 9));
	EXPECT_FALSE(comes(65535, 9));
	/* The event has no object. */
	EXPECT_TRUE(type_comes(TYPE));
	EXPECT_EQ(0, devtrace_own_object(65535, true));
	EXPECT_TRUE(comes(65535, 9));
	EXPECT_EQ(0, devtrace_own_object(DEVTRACE_ALL, true));
	EXPECT_TRUE(comes(3, 9));
	EXPECT_EQ(EINVAL, devtrace_own_object(0, false));
	EXPECT_EQ(EINVAL, devtrace_own_object(65536, false));
	EXPECT_EQ(EINVAL, devtrace_own_object(-2, false));
}

TEST_F(own, signals)
{
	EXPECT_EQ(0, devtrace_own_signal(9, false));
	EXPECT_FALSE(comes(3, 9));
	EXPECT_TRUE(comes(3, 10));
	EXPECT_TRUE(comes(9, 0));
	EXPECT_EQ(EINVAL, devtrace_own_signal(70000, false));
	EXPECT_TRUE(devtrace_own_wants(TYPE, 9, 0));
	EXPECT_FALSE(devtrace_own_wants(TYPE, 9, 9));
}

TEST_F(own, objects_by_name)
{
	char name[16];
	int i;

	EXPECT_EQ(ENOENT, devtrace_own_object_name("motor", false));
	EXPECT_EQ(0, devtrace_dict_obj(3, "motor"));
	EXPECT_EQ(0, devtrace_dict_obj(70000, "far"));
	EXPECT_EQ(0, devtrace_own_object_name("motor", false));
	EXPECT_FALSE(comes(3, 0));
	EXPECT_TRUE(comes(4, 0));
	EXPECT_EQ(ENOENT, devtrace_own_object_name("far", false));
	EXPECT_EQ(EINVAL, devtrace_own_object_name(NULL, false));
	/* The name belongs to another object from now on. */
	EXPECT_EQ(0, devtrace_dict_obj(4, "motor"));
	EXPECT_EQ(0, devtrace_own_object_name("motor", false));
	EXPECT_FALSE(comes(4, 0));
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		EXPECT_EQ(0, devtrace_dict_obj(100 + i, name));
	}
	EXPECT_EQ(0, devtrace_own_object_name("n200", true));
	EXPECT_EQ(ENOENT, devtrace_own_object_name("n299", true));
}

/* The program cannot enable what the device's filter refuses. */
TEST_F(own, device_above)
{
	EXPECT_EQ(0, devtrace_own_type(TYPE, true));
	fake_want(TYPE, 0);
	EXPECT_TRUE(type_comes(TYPE + 1));
	EXPECT_FALSE(comes(3, 4));
	fake_want(TYPE, 1);
	EXPECT_TRUE(comes(3, 4));
}

TEST_F(own, child_keeps_them)
{
	pid_t pid;
	int status;

	EXPECT_TRUE(type_comes(TYPE));
	EXPECT_EQ(0, devtrace_own_type(TYPE, false));
	pid = fork();
	if (!pid) {
		unsigned int before = fake->nr;

		devtrace(TYPE, 1);
		_exit(fake->nr != before || devtrace_own_wants(TYPE, 0, 0));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

int main(int argc, char **argv)
{
	fake_start(argv);
	return test_harness_run(argc, argv);
}
