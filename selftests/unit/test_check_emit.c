// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_check_emit.c - what traceinfo --check-emit reports about lanes
 *
 * It links this part of traceinfo with the library and the device of fakedev.c, which refuses
 * lanes as the kernel does if the data caches of the machine alias; no board has such caches.
 * selftests/device/tools/test_check_emit.sh tests the other reports.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <devtrace.h>
#include "fakedev.h"
#include "kselftest_harness.h"
#include "traceinfo/traceinfo.h"

#define EACH	"arrive; each takes a system call, because "

void *ti_alloc(void *old, size_t size)
{
	return realloc(old, size);
}

FIXTURE(check) {
	char	said[2048];
};

FIXTURE_SETUP(check)
{
	fake_reset();
	fake_into_lanes(1);
}

FIXTURE_TEARDOWN(check)
{
}

/* Capture the output; returns the exit status. */
static int check_emit(FIXTURE_DATA(check) *self, bool json)
{
	const struct ti_options opt = { .json = json };
	int out = dup(STDOUT_FILENO), fd = memfd_create("said", MFD_CLOEXEC), ret;
	ssize_t n;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ret = ti_check_emit(&opt);
	dup2(out, STDOUT_FILENO);
	n = pread(fd, self->said, sizeof(self->said) - 1, 0);
	self->said[n > 0 ? n : 0] = 0;
	close(out);
	close(fd);
	return ret;
}

TEST_F(check, lanes_are_there)
{
	EXPECT_EQ(0, check_emit(self, false));
	EXPECT_EQ(0, strncmp(self->said, "yes: ", 5)) TH_LOG("%s", self->said);
	EXPECT_NE(NULL, strstr(self->said, " arrive\n")) TH_LOG("%s", self->said);
	EXPECT_EQ(1, fake->asked);
}

TEST_F(check, caches_alias)
{
	fake->lane_error = ENODEV;
	EXPECT_EQ(0, check_emit(self, false));
	EXPECT_EQ(0, strncmp(self->said, "yes: ", 5)) TH_LOG("%s", self->said);
	EXPECT_NE(NULL, strstr(self->said, EACH "this machine's data caches have aliases\n"))
		TH_LOG("%s", self->said);
	EXPECT_EQ(1, fake->asked);
	/* Events do arrive. */
	devtrace_text("hello");
	EXPECT_EQ(1, fake->nr);
}

TEST_F(check, caches_alias_in_json)
{
	fake->lane_error = ENODEV;
	EXPECT_EQ(0, check_emit(self, true));
	EXPECT_NE(NULL, strstr(self->said, "\"arrives\":true,")) TH_LOG("%s", self->said);
	EXPECT_NE(NULL, strstr(self->said, "\"status\":\"ok\",")) TH_LOG("%s", self->said);
	EXPECT_NE(NULL, strstr(self->said, EACH "this machine's data caches have aliases\"}\n"))
		TH_LOG("%s", self->said);
}

/* Other errors may pass: a lane may be free a second later. */
TEST_F(check, no_lane_just_now)
{
	static const int errors[] = { EMFILE, ENFILE, ENOMEM, ENOSPC, EPERM };
	int i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fake->lane_error = errors[i];
		EXPECT_EQ(0, check_emit(self, false));
		EXPECT_NE(NULL, strstr(self->said, " arrive\n")) TH_LOG("%s", self->said);
	}
}

/* A user who may not read the device has no lane: this is reported first. */
TEST_F(check, may_not_read)
{
	fake->rdwr_error = EACCES;
	fake->lane_error = ENODEV;
	EXPECT_EQ(0, check_emit(self, false));
	EXPECT_NE(NULL, strstr(self->said, " may not read the device\n")) TH_LOG("%s", self->said);
	EXPECT_EQ(NULL, strstr(self->said, "caches")) TH_LOG("%s", self->said);
	EXPECT_EQ(0, fake->asked);
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
