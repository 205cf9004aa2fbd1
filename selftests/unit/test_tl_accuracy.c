// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tl_accuracy.c - how often tracelogger states the error of the wall clock
 *
 * A kernel whose error grows by 500 ppm, until a daemon sets the clock again. Readers let the
 * stated error grow likewise, so they must learn soon that it is small again.
 */
#include <sys/ioctl.h>
#include <linux/devtrace.h>

static int state_to_kernel(const struct devtrace_accuracy *a);

#define ioctl(fd, request, arg) state_to_kernel(arg)
#include "tracelogger/accuracy.c"
#undef ioctl
#include "kselftest_harness.h"

#define SECONDS	3600
#define MOST_US	200		/* the error after the daemon has set the clock */

static int64_t now_ns;
static int64_t set_ns;		/* when the daemon did that */
static struct devtrace_accuracy stated;
static int64_t stated_ns;
static unsigned int statements;

int64_t tl_now(void)
{
	return now_ns;
}

static int64_t ahead_ns;	/* of the wall clock */

int64_t tl_real(void)
{
	return now_ns + ahead_ns;
}

static int64_t kernel_error(void)
{
	return MOST_US * 1000 + (now_ns - set_ns) / 2000;
}

int accuracy_read(struct devtrace_accuracy *a)
{
	*a = (struct devtrace_accuracy){ .max = (uint64_t)kernel_error(), .source = "ntp" };
	return 0;
}

static int state_to_kernel(const struct devtrace_accuracy *a)
{
	stated = *a;
	stated_ns = now_ns;
	statements++;
	return 0;
}

/* A reader computes this */
static int64_t readers_error(void)
{
	return (int64_t)stated.max + (now_ns - stated_ns) / 2000;
}

/*
 * An hour with a daemon that sets the clock each @poll quarters of a second. How far off are
 * readers at most?
 */
static int64_t run(unsigned int poll)
{
	struct tl_run r = { .dev = 0 };
	int64_t most = 0;
	unsigned int i;

	statements = 0;
	now_ns = TL_NSEC;
	set_ns = now_ns;
	tl_accuracy(&r);
	for (i = 0; i < 4 * SECONDS; i++) {
		now_ns += TL_NSEC / 4;
		if (now_ns - set_ns >= poll * TL_NSEC / 4)
			set_ns = now_ns;
		tl_accuracy(&r);
		/* After a second, when tracelogger has looked again */
		if (now_ns - set_ns > TL_NSEC && readers_error() - kernel_error() > most)
			most = readers_error() - kernel_error();
	}
	return most;
}

TEST(readers_learn_that_the_clock_was_set)
{
	static const unsigned int polls[] = { 5, 9, 66, 257, 4099 };
	unsigned int i;

	for (i = 0; i < sizeof(polls) / sizeof(*polls); i++) {
		const int64_t most = run(polls[i]);

		TH_LOG("poll %u.%02u s: readers are off by %lld ns at most, %u statements", polls[i] / 4,
		       polls[i] % 4 * 25,
		       (long long)most, statements);
		/* A second, and what is not worth a statement */
		EXPECT_GE((MOST_US * 1000 + 500000) / SHARE + LEAST, most);
		/* Not more often than the clock is set, and each ten minutes */
		EXPECT_GE(4 * SECONDS / polls[i] + SECONDS / 600 + 1, statements);
	}
}

TEST(nothing_is_stated_while_the_error_grows_as_expected)
{
	run(8 * SECONDS);
	EXPECT_EQ(SECONDS / 600 + 1, statements);
}

/* Readers believe no statement that was made before a step. */
TEST(a_step_makes_a_statement)
{
	static const int64_t steps[] = { 2000000, -2000000, 400000, -86400 * TL_NSEC };
	struct tl_run r = { .dev = 0 };
	unsigned int i, before;

	run(8 * SECONDS);
	tl_accuracy(&r);
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		before = statements;
		ahead_ns += steps[i];
		now_ns += TL_NSEC;
		tl_accuracy(&r);
		/* 400 us may be the daemon's adjustment. */
		EXPECT_EQ(i != 2, statements - before) TH_LOG("%lld", (long long)steps[i]);
		now_ns += TL_NSEC;
		tl_accuracy(&r);
		EXPECT_EQ(before + (i != 2), statements);
	}
}

TEST_HARNESS_MAIN
