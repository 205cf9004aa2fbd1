// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_refused.c - a driver's types, objects, signals and severities out of range
 *
 * dtfire.ko makes its calls with variables. No such value becomes another event: each is counted
 * as a filtered event of type 0.
 */
#include <stdio.h>
#include <string.h>
#include <devtrace-ctl.h>
#include "dev.h"
#include "kselftest_harness.h"
#include "trigger.h"

#define SW2	(DEVTRACE_SEV_SET | 2)

static int by(const char *call, const unsigned int n[4])
{
	char line[128];

	snprintf(line, sizeof(line), "%s %u %u %u %u 7 x", call, n[0], n[1], n[2], n[3]);
	return dev_write_file("/sys/module/dtfire/parameters/emit", line);
}

struct counts {
	uint64_t refused, stored, filtered;
};

static int count(const struct devtrace_ctl_type *t, void *arg)
{
	struct counts *c = arg;

	if (!t->type)
		c->refused = t->filtered;
	else
		c->filtered += t->filtered;
	c->stored += t->stored;
	return 0;
}

FIXTURE(refused) {
	struct devtrace_ctl *ctl;
};

FIXTURE_SETUP(refused)
{
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, dev_load_file("dtfire.ko", ""));
	self->ctl = devtrace_ctl_open();
	ASSERT_NE(NULL, self->ctl);
}

FIXTURE_TEARDOWN(refused)
{
	devtrace_ctl_close(self->ctl);
	EXPECT_EQ(0, dev_done());
}

#define COUNTS(c) do {								\
	memset(&(c), 0, sizeof(c));						\
	ASSERT_EQ(0, devtrace_ctl_types(self->ctl, count, &(c)));		\
} while (0)

TEST_F(refused, what_is_out_of_range)
{
	static const struct {
		const char *call;
		unsigned int n[4];	/* type, severity, object, signal */
	} t[] = {
		{ "rec", { 300 } }, { "rec", { 256 } }, { "rec", { 0 } }, { "rec", { DEVTRACE_T_CLOCK } },
		{ "rec", { -1 } }, { "rec8", { DEVTRACE_T_PROC } },
		{ "for", { 356, 0, 1, 1 } }, { "for", { 100, 0, 65536, 1 } },
		{ "for", { 100, 0, 1, 65537 } },
		{ "begin", { 300, 0, 1, 1 } }, { "begin", { 356, 0, 1, 1 } },
		{ "begin", { 100, 0, 65536, 1 } },
		{ "begin", { 100, 0, 1, -1 } }, { "begin8", { DEVTRACE_T_CLOCK, 0, 1, 1 } },
		{ "exc", { 0, 2 } }, { "exc", { 0, 256 } }, { "exc", { 0, 256 + SW2 } },
		{ "exc", { 0, 16 + SW2 } }, { "exc", { 0, 32 + SW2 } }, { "exc", { 0, 224 + SW2 } },
		{ "exc8", { 0, 32 + SW2 } }, { "begin_exc", { 0, 64 + SW2 } },
		{ "rec", { DEVTRACE_T_KERNEL + 2 } }, { "rec8", { DEVTRACE_T_USER2 - 1 } },
		{ "for", { DEVTRACE_T_KERNEL, 0, 1, 1 } }, { "begin", { 130, 0, 1, 1 } },
		{ "begin8", { DEVTRACE_T_KERNEL, 0, 1, 1 } },
		{ "exc8", { 0, 1 } }, { "exc8", { 0, 7 } }, { "exc8", { 0, 31 } },
		{ "text", { 0, 2 } }, { "text", { 0, 40 } }, { "text", { 0, 256 + SW2 } },
		{ "begin_exc", { 0, 2 } }, { "begin_exc", { 0, 256 + SW2 } },
	};
	struct counts before, after;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		COUNTS(before);
		ASSERT_EQ(0, by(t[i].call, t[i].n));
		COUNTS(after);
		EXPECT_EQ(before.refused + 1, after.refused) {
			TH_LOG("%s type %u severity %u object %u signal %u", t[i].call, t[i].n[0],
			       t[i].n[1], t[i].n[2], t[i].n[3]);
		}
		EXPECT_EQ(before.stored, after.stored) TH_LOG("%s: stored", t[i].call);
		EXPECT_EQ(before.filtered, after.filtered) TH_LOG("%s: filtered", t[i].call);
	}
}

TEST_F(refused, what_is_not)
{
	static const struct {
		const char *call;
		unsigned int n[4];	/* type, severity, object, signal */
	} t[] = {
		{ "rec", { 100 } }, { "rec", { 255 } }, { "rec8", { 192 } }, { "for", { 71, 0, 65535, 65535 } },
		{ "begin", { 100, 0, 65535, 0 } }, { "begin8", { 255, 0, 0, 65535 } },
		{ "exc", { 0, SW2 } }, { "exc", { 0, 0 } }, { "exc8", { 0, 15 } }, { "exc8", { 0, 8 } },
		{ "text", { 0, 0 } }, { "text", { 0, 15 } }, { "begin_exc", { 0, 8 } },
	};
	struct devtrace_filter f;
	struct counts before, after;
	unsigned int wanted;
	size_t i;

	for (wanted = 0; wanted < 2; wanted++) {
		devtrace_filter_all(&f);
		if (!wanted)
			devtrace_filter_only(&f, DEVTRACE_FA_TYPES);
		ASSERT_EQ(0, devtrace_ctl_filter_set(self->ctl, "trace", &f, NULL));
		for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
			COUNTS(before);
			ASSERT_EQ(0, by(t[i].call, t[i].n));
			COUNTS(after);
			EXPECT_EQ(before.refused, after.refused) TH_LOG("%s, %zu", t[i].call, i);
			EXPECT_EQ(before.stored + wanted, after.stored) TH_LOG("%s, %zu", t[i].call, i);
			EXPECT_EQ(before.filtered + !wanted, after.filtered) {
				TH_LOG("%s, %zu", t[i].call, i);
			}
		}
	}
}

TEST_HARNESS_MAIN
