// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz_replay.c - replay the corpora of the kernel fuzzers
 *
 * The inputs are ../fuzz/corpus-dev and corpus-nl, beside this program or in $DEVTRACE_CORPORA;
 * the kernel needs no coverage. After each input, all its changes can be undone, each stream can
 * be cleared, and exactly the events emitted then are read; at the end nothing holds the module.
 * The kernel reports other errors.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "../../fuzz/in.h"

FIXTURE(corpus) {
	int unused;
};

FIXTURE_VARIANT(corpus) {
	const struct in_target *target;
};

FIXTURE_VARIANT_ADD(corpus, device) { .target = &in_device };
FIXTURE_VARIANT_ADD(corpus, netlink) { .target = &in_netlink };

FIXTURE_SETUP(corpus)
{
	ASSERT_EQ(0, dev_load("size=4K"));
	ASSERT_EQ(0, in_setup());
}

/* in_setup() leaves two sockets open, which hold nothing. */
FIXTURE_TEARDOWN(corpus)
{
	EXPECT_EQ(0, dev_done());
}

TEST_F_TIMEOUT(corpus, leaves_streams_that_work, 400)
{
	const char *dir = getenv("DEVTRACE_CORPORA");
	static uint8_t input[IN_MAX];
	struct dirent **files;
	char path[PATH_MAX];
	const char *bad;
	int i, n, fd, bads = 0;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%s", dir ?: ".", variant->target->corpus);
	n = scandir(path, &files, NULL, alphasort);
	ASSERT_LT(2, n) TH_LOG("%s: no inputs", path);
	for (i = 0; i < n; i++) {
		if (files[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", dir ?: ".", variant->target->corpus,
			 files[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		len = read(fd, input, sizeof(input));
		close(fd);
		ASSERT_LT(0, len);
		variant->target->run(input, len);
		bad = in_check();
		if (bad && bads++ < 10)
			dev_say("%s: %s", path, bad);
	}
	dev_say("%d inputs", n - 2);
	EXPECT_EQ(0, bads);
}

TEST_HARNESS_MAIN
