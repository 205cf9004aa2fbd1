// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_checks.c - each check of a region, by the damage that it is there for
 *
 * test_persist.c damages regions at random; here one word at a time is wrong, and the checksum
 * over it is right, as a writer that errs or a forger would leave it.
 */
#include <stdio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "render.h"
#include "sums.h"

void ring_port_step(void)
{
}

/* A record of a size that cannot be, as memory of a ring that was damaged has it. */
TEST(a_sum_ends_at_a_record_that_makes_no_sense)
{
	static const u64 wrong[] = { 0, RING_UNITS_MAX + 1, ~0ULL >> 8 };
	const u64 type = (u64)DEVTRACE_T_USER << RING_TYPE_SHIFT;
	u64 two[2 * PERSIST_CHUNK] = { type | 5, 0, type | 6, 0 };
	struct persist_sum table[4] = { 0 };
	struct ring_place place = { 0 };
	struct sums s;
	u32 i;

	/* Or it would never end. */
	alarm(20);
	/* Two records without payload, then padding of that size. */
	for (i = 0; i < 3; i++) {
		two[4] = wrong[i];
		sums_begin(&s, table, 2 * PERSIST_CHUNK - 1, place);
		sums_add(&s, two, 2 * PERSIST_CHUNK);
		EXPECT_EQ(2, s.place.idx);
		EXPECT_EQ(4, s.place.pos);
	}
}

TEST_HARNESS_MAIN
