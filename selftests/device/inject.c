// SPDX-License-Identifier: GPL-2.0-only
/* inject.c - fault injection in the kernel; see inject.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "inject.h"

static int nth_fd = -1;
static char lacks[128];

bool inject_begin(void)
{
	static const char * const settings[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
	};
	char path[128];
	int i;

	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0) {
		if (errno != ENOENT)
			snprintf(lacks, sizeof(lacks), "fail-nth: %s", strerror(errno));
		return false;
	}
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", settings[i][0]);
		if (dev_write_file(path, settings[i][1])) {
			snprintf(lacks, sizeof(lacks), "%s: %s", settings[i][0], strerror(errno));
			close(nth_fd);
			nth_fd = -1;
			return false;
		}
	}
	return true;
}

bool inject_can(void)
{
	return nth_fd >= 0;
}

const char *inject_lacks(void)
{
	return lacks;
}

void inject_arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	while (pwrite(nth_fd, text, len, 0) != len)
		;
}

/*
 * The query copies as well and may itself be the place that failed; but it copies a number that
 * was read before.
 */
bool inject_disarm(void)
{
	int err = errno;
	char text[16] = "";
	bool hit = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	inject_arm(0);
	errno = err;
	return hit;
}

bool inject_fits(int err)
{
	return err == ENOMEM || err == EFAULT;
}
