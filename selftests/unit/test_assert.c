// SPDX-License-Identifier: GPL-2.0-only
/* test_assert.c - a failed assertion: its event, its handler, and the end of the program */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include "fakedev.h"
#include "kselftest_harness.h"

FIXTURE(assertion) { };

FIXTURE_SETUP(assertion)
{
	fake_reset();
	errno = 1234;
}

FIXTURE_TEARDOWN(assertion)
{
}

static void leave(const char *file, unsigned int line)
{
	_exit(strcmp(file, __FILE__) || !line ? 1 : 7);
}

/* In a child: assert true, then false. Returns the status of the child. */
static int fails(devtrace_assert_fn *fn, int *line)
{
	int status;

	*line = __LINE__ + 7;
	if (!fork()) {
		const struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		devtrace_assert_handler(fn);
		devtrace_assert(errno == 1234);
		devtrace_assert(errno != 1234);
		_exit(0);
	}
	wait(&status);
	return status;
}

TEST_F(assertion, a_failed_assertion)
{
	const unsigned int before = fake->nr;
	int line, status = fails(NULL, &line);
	const struct fake_event *e = &fake->events[(fake->nr - 1) % FAKE_EVENTS];
	static const char file[] = __FILE__;

	EXPECT_EQ(SIGABRT, WTERMSIG(status));
	EXPECT_EQ(before + 1, fake->nr);
	ASSERT_EQ(4 + 3 + 1 + sizeof(file), e->size);
	EXPECT_EQ(DEVTRACE_T_ASSERT, e->bytes[0]);
	EXPECT_EQ(DEVTRACE_SW3, e->bytes[1]);
	EXPECT_EQ(DEVTRACE_E_U16, e->bytes[4]);
	EXPECT_EQ(line, e->bytes[5] | e->bytes[6] << 8);
	EXPECT_EQ(0, memcmp(e->bytes + 8, file, sizeof(file)));

	status = fails(leave, &line);
	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	EXPECT_EQ(before + 2, fake->nr);
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
