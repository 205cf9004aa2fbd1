// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ctl_wrong.c - wrong arguments to libdevtrace-ctl
 *
 * The library refuses them without asking the kernel: the handle here has no socket, so sending
 * a message would crash.
 */
#include <errno.h>
#include <string.h>
#include "ctl/ctl.h"
#include "kselftest_harness.h"

#define STREAM		"stream: a name has at most 31 bytes"
#define TRIGGER		"trigger: a name has at most 31 bytes"
#define TRACEPOINT	"a tracepoint is SYSTEM:EVENT, at most 63 bytes"

#define EXPECT_REFUSED(call, what) do {				\
	EXPECT_EQ(-EINVAL, call);				\
	EXPECT_STREQ(what, devtrace_ctl_error(ctl));		\
} while (0)

/* Each kind of name. */
TEST(long_names_are_refused)
{
	static const char name[] = "a-name-of-more-than-thirty-one-bytes";
	static struct devtrace_ctl handle, *const ctl = &handle;
	static struct devtrace_ctl_trigger t;
	struct devtrace_ctl_stream s;
	struct devtrace_filter f;
	char tracepoint[65];

	devtrace_filter_all(&f);
	EXPECT_REFUSED(devtrace_ctl_stream_get(ctl, name, &s), STREAM);
	EXPECT_REFUSED(devtrace_ctl_stream_new(ctl, name, 65536, &f, 0, 0), STREAM);
	EXPECT_REFUSED(devtrace_ctl_stream_resize(ctl, name, 65536), STREAM);
	EXPECT_REFUSED(devtrace_ctl_stream_state(ctl, name, 0), STREAM);
	EXPECT_REFUSED(devtrace_ctl_stream_watermark(ctl, name, 50), STREAM);
	EXPECT_REFUSED(devtrace_ctl_stream_del(ctl, name), STREAM);
	EXPECT_REFUSED(devtrace_ctl_clear(ctl, name), STREAM);
	EXPECT_REFUSED(devtrace_ctl_filter_get(ctl, name, &f, NULL), STREAM);
	EXPECT_REFUSED(devtrace_ctl_filter_set(ctl, name, &f, NULL), STREAM);
	EXPECT_REFUSED(devtrace_ctl_stats(ctl, name, NULL, NULL), STREAM);
	EXPECT_REFUSED(devtrace_ctl_readers(ctl, name, NULL, NULL), STREAM);
	EXPECT_REFUSED(devtrace_ctl_trigger_get(ctl, name, &t), TRIGGER);
	EXPECT_REFUSED(devtrace_ctl_trigger_arm(ctl, name, true), TRIGGER);
	EXPECT_REFUSED(devtrace_ctl_trigger_del(ctl, name), TRIGGER);
	memset(tracepoint, 'x', sizeof(tracepoint));
	tracepoint[64] = '\0';
	EXPECT_REFUSED(devtrace_ctl_profile_add(ctl, tracepoint), TRACEPOINT);
	EXPECT_REFUSED(devtrace_ctl_profile_del(ctl, tracepoint), TRACEPOINT);
	EXPECT_EQ(-EINVAL, devtrace_ctl_trigger_init(&t, name));
	EXPECT_STREQ("", t.name);
}

/* Values that are invalid for a term are refused and change nothing. */
TEST(filters_refuse_what_they_cannot_have)
{
	struct devtrace_filter f, before;
	unsigned int i;

	devtrace_filter_all(&f);
	ASSERT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_OBJECTS, 5, 9, false), 0);
	ASSERT_EQ(devtrace_filter_number(&f, DEVTRACE_FA_PIDS, 42, true), 0);
	before = f;
	/* 0 and the number after the last are no terms. */
	for (i = 0; i <= DEVTRACE_FA_MAX + 1; i++) {
		const bool ranges = i == DEVTRACE_FA_TYPES || i == DEVTRACE_FA_OBJECTS ||
				    i == DEVTRACE_FA_SIGNALS || i == DEVTRACE_FA_CPUS;
		const bool names = i == DEVTRACE_FA_COMMS || i == DEVTRACE_FA_NOT_COMMS;
		const bool numbers = i == DEVTRACE_FA_MAJORS || i == DEVTRACE_FA_NOT_MAJORS ||
				     i == DEVTRACE_FA_CODES || i == DEVTRACE_FA_NOT_CODES ||
				     i == DEVTRACE_FA_PIDS || i == DEVTRACE_FA_NOT_PIDS;

		EXPECT_EQ(devtrace_filter_range(&f, i, 3, 2, true), -EINVAL);
		EXPECT_EQ(devtrace_filter_range(&f, i, 0, 65536, false), -EINVAL);
		EXPECT_EQ(devtrace_filter_name(&f, i, "", true), -EINVAL);
		EXPECT_EQ(devtrace_filter_name(&f, i, "sixteen bytes ..", true), -EINVAL);
		EXPECT_NE(devtrace_filter_group(&f, i, "no such group", true), 0);
		if (!ranges) {
			EXPECT_EQ(devtrace_filter_range(&f, i, 1, 2, false), -EINVAL);
			EXPECT_EQ(devtrace_filter_only(&f, i), -EINVAL);
			EXPECT_NE(devtrace_filter_group(&f, i, "all", false), 0);
		}
		if (!names)
			EXPECT_EQ(devtrace_filter_name(&f, i, "init", true), -EINVAL);
		if (!numbers)
			EXPECT_EQ(devtrace_filter_number(&f, i, 1, true), -EINVAL);
	}
	EXPECT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_TYPES, 1, 65536, false), -EINVAL);
	EXPECT_EQ(devtrace_filter_any(&f, DEVTRACE_FA_NAMED), -EINVAL);
	EXPECT_EQ(devtrace_filter_any(&f, 0), -EINVAL);
	EXPECT_EQ(devtrace_filter_any(&f, DEVTRACE_FA_MAX + 1), -EINVAL);
	EXPECT_EQ(devtrace_filter_severity(&f, 5, 0), -EINVAL);
	EXPECT_EQ(devtrace_filter_severity(&f, 0, 5), -EINVAL);
	EXPECT_EQ(devtrace_filter_origins(&f, 0), -EINVAL);
	EXPECT_EQ(devtrace_filter_origins(&f, 4), -EINVAL);
	EXPECT_EQ(memcmp(&before, &f, sizeof(f)), 0);
}

TEST_HARNESS_MAIN
