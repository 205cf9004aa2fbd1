// SPDX-License-Identifier: GPL-2.0-only
/* test_losses.c - traceinfo finds the end of a stream that reports losses without end */
#include "kselftest_harness.h"
#include "traceinfo/traceinfo.h"

/* Rounds of losses of @n sources, after @once single ones: how many are needed. */
static unsigned int losses(unsigned int n, unsigned int once)
{
	struct ti_losses l = { 0 };
	unsigned int i;

	for (i = 0; i < once; i++)
		if (ti_losses_only(&l, 1000 + i, 0))
			return 0;
	for (i = 0; i < 1000 * n; i++)
		if (ti_losses_only(&l, i % n, 2))
			break;
	return i;
}

TEST(rounds_of_losses_end)
{
	unsigned int n, once;

	for (n = 1; n <= 300; n++)
		for (once = 0; once <= 20; once++) {
			EXPECT_LE(5 * n, losses(n, once)) TH_LOG("%u and %u once", n, once);
			EXPECT_GE(20 * n + 2 * once, losses(n, once))
				TH_LOG("%u and %u once", n, once);
		}
}

TEST(no_more_than_one_of_each_is_no_end)
{
	struct ti_losses l = { 0 };
	unsigned int i;

	for (i = 0; i < 100000; i++)
		ASSERT_FALSE(ti_losses_only(&l, i / 6, i % 6));
}

TEST(an_event_begins_anew)
{
	struct ti_losses l = { 0 };
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (i % 4 == 0)
			l.n = 0;
		ASSERT_FALSE(ti_losses_only(&l, 0, 0));
	}
}

TEST(another_cause_is_another_loss)
{
	struct ti_losses l = { 0 };
	unsigned int i, n = 0;

	for (i = 0; i < 100 && !n; i++)
		n = ti_losses_only(&l, 0, i % 2) ? i : 0;
	EXPECT_LE(9, n);
	EXPECT_GE(40, n);
}

TEST_HARNESS_MAIN
