// SPDX-License-Identifier: GPL-2.0-only
/* test_ctl_filter.c - filters of libdevtrace-ctl, without a kernel */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ctl/ctl.h"
#include "kselftest_harness.h"

static uint64_t profile_of(const struct devtrace_filter *f)
{
	uint64_t set = 0;
	int i;

	for (i = 0; i < 64; i++)
		if (devtrace_filter_is_type(f, DEVTRACE_T_KERNEL + i))
			set |= 1ULL << i;
	return set;
}

TEST(profile_events_are_named)
{
	const uint64_t calls = 3, irq = 0xf << 2, softirq = 7ULL << 6 | 3ULL << 46;
	struct devtrace_filter f;
	bool sched = false, one = false;
	const char *name;
	unsigned int n;

	devtrace_filter_all(&f);
	EXPECT_TRUE(devtrace_filter_is_all(&f));
	EXPECT_EQ(profile_of(&f), 0);
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "syscalls", true), 0);
	EXPECT_EQ(profile_of(&f), calls);
	EXPECT_FALSE(devtrace_filter_is_all(&f));
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "sys_exit", false), 0);
	EXPECT_EQ(profile_of(&f), 1);
	/* "all" does not include them, neither on nor off. */
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "all", false), 0);
	EXPECT_EQ(profile_of(&f), 1);
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "kernel", false), 0);
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "all", true), 0);
	EXPECT_TRUE(devtrace_filter_is_all(&f));
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "kernel", true), 0);
	EXPECT_EQ(profile_of(&f), ~0ULL);
	devtrace_filter_any(&f, DEVTRACE_FA_TYPES);
	EXPECT_TRUE(devtrace_filter_is_all(&f));
	/* presets */
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "latency", true), 0);
	EXPECT_EQ(profile_of(&f) & (calls | irq | softirq), irq | softirq);
	EXPECT_TRUE(devtrace_filter_is_type(&f, DEVTRACE_T_SCHED_SWITCH));
	EXPECT_FALSE(devtrace_filter_is_type(&f, DEVTRACE_T_SCHED_FORK));
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "sys", true), -ENOENT);
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "", true), -ENOENT);
	EXPECT_EQ(devtrace_filter_group(&f, DEVTRACE_FA_OBJECTS, "syscalls", true), -ENOENT);
	/* A group comes before its types. */
	for (n = 0; (name = devtrace_filter_group_name(DEVTRACE_FA_TYPES, n)); n++) {
		EXPECT_FALSE(!strcmp(name, "sched_switch") && !sched);
		sched |= !strcmp(name, "sched");
		one |= !strcmp(name, "sched_switch");
	}
	EXPECT_TRUE(sched && one);
}

/* Ranges are compared with a bitmap. */
TEST(ranges)
{
	static bool map[65536];
	struct devtrace_filter f;
	const char *s = getenv("SEED");
	const unsigned int seed = s && *s ? strtoul(s, NULL, 0) : (unsigned int)time(NULL);
	unsigned int round, i, k;

	printf("# SEED=%u\n", seed);
	srand(seed);
	for (round = 0; round < 50; round++) {
		devtrace_filter_all(&f);
		memset(map, 1, sizeof(map));
		if (round & 1) {
			devtrace_filter_only(&f, DEVTRACE_FA_SIGNALS);
			memset(map, 0, sizeof(map));
		}
		for (i = 0; i < 40; i++) {
			unsigned int a = rand() % 100, b = a + rand() % 20;
			bool on = rand() & 1;

			if (!(rand() % 8))
				b = 65535;
			ASSERT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_SIGNALS, a, b, on), 0);
			memset(map + a, on, b - a + 1);
			for (k = 0; k < 65536; k++) {
				bool in = !f.signals.given;
				unsigned int r;

				for (r = 0; r < f.signals.nr; r++)
					in |= k >= f.signals.r[r].first && k <= f.signals.r[r].last;
				ASSERT_EQ(in, map[k]);
				if (k == 200)
					k = 65534;
			}
			for (k = 1; k < f.signals.nr; k++)
				ASSERT_GT(f.signals.r[k].first, f.signals.r[k - 1].last + 1);
		}
	}
	EXPECT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_SIGNALS, 5, 4, true), -EINVAL);
	EXPECT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_SIGNALS, 0, 65536, true), -EINVAL);
	EXPECT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_TYPES, 0, 65536, true), -EINVAL);
	EXPECT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_PIDS, 0, 1, true), -EINVAL);
}

/* Which types from 256 on pass, as few ranges as possible, and none if all or none of them pass. */
TEST(named_types)
{
	static bool map[65536];
	struct devtrace_filter f;
	unsigned int turn, k, first, last, nr, before;
	bool on, any, all;

	srand(1);
	devtrace_filter_all(&f);
	memset(map, true, sizeof(map));
	for (turn = 0; turn < 3000; turn++) {
		first = 250 + rand() % 60;
		last = first + rand() % 20;
		on = rand() & 1;
		if (!(rand() % 50)) {
			first = 0;
			last = 65535;
		}
		ASSERT_EQ(0, devtrace_filter_range(&f, DEVTRACE_FA_TYPES, first, last, on));
		memset(map + first, on, last - first + 1);
		any = false;
		all = true;
		before = 0;
		for (k = nr = 0; k < 65536; k++) {
			if (k < 256 && k != 84 && k != 255)
				continue;
			if (k >= 256) {
				any |= map[k];
				all &= map[k];
				nr += map[k] && !before;
				before = map[k];
			}
			if (k != 84)
				ASSERT_EQ(map[k], devtrace_filter_is_type(&f, k)) TH_LOG("%u", k);
		}
		ASSERT_EQ(any, devtrace_filter_is_type(&f, DEVTRACE_T_NAMED));
		ASSERT_EQ(any && !all, f.named.given);
		ASSERT_EQ(any && !all ? nr : 0, f.named.nr);
	}
	devtrace_filter_none(&f);
	EXPECT_EQ(0, f.named.given);
	for (k = 0; k < DEVTRACE_TERMS_MAX; k++)
		ASSERT_EQ(0, devtrace_filter_range(&f, DEVTRACE_FA_TYPES, 300 + 2 * k, 300 + 2 * k,
						   true));
	EXPECT_EQ(-ENOSPC, devtrace_filter_range(&f, DEVTRACE_FA_TYPES, 1000, 1000, true));
	EXPECT_EQ(0, devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "named", true));
	EXPECT_EQ(0, f.named.given);
	EXPECT_TRUE(devtrace_filter_is_type(&f, 1000));
}

TEST_HARNESS_MAIN
