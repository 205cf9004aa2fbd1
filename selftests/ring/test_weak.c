// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_weak.c - the ring on a machine with weak memory order
 *
 * The simulation of test_ring.c with loads and stores through weak.c: a missing barrier appears,
 * on any host, as a torn record, a wrong count or a wrong position. SEED=n test_weak repeats a
 * run. With QUICK half of it runs.
 */
#include <stdlib.h>

#include "kselftest_harness.h"

#include "sim.h"

#define ROUNDS	300
#define OPS	1500

const bool sim_weak = true;
unsigned int ring_port_alloc_fails;

/* The number of @n random runs to make. */
static unsigned int runs(unsigned int n)
{
	return getenv("QUICK") ? n / 2 : n;
}

FIXTURE(weak) { };

FIXTURE_SETUP(weak)
{
	sim_seed_from_env();
}

FIXTURE_TEARDOWN(weak)
{
}

TEST_F(weak, any_order)
{
	struct sim_config c;
	unsigned int i;

	for (i = 0; i < runs(ROUNDS); i++) {
		sim_random_config(&c, 8 << 10);
		if (c.overtake)
			c.overtake /= 4;
		sim_run(&c, OPS);
	}
	sim_print_totals();
	EXPECT_LT(runs(1000000), sim_totals.events);
	EXPECT_LT(10000, sim_totals.reads);
	EXPECT_LT(10000, sim_totals.lost);
}

/*
 * Position and index pass a quarter of their range with the same record or nearly so; or only
 * the index does, so that no store of the other epoch orders its own.
 */
TEST_F(weak, quarters_passed)
{
	struct sim_config c;
	unsigned int i;

	for (i = 0; i < runs(6000); i++) {
		sim_random_config(&c, RING_SIZE_MIN);
		c.pos = (sim_random(4) << 30) - RING_SIZE_MIN / RING_UNIT;
		if (i % 2)
			c.pos += 1 << 20;
		c.idx = (sim_random(4) << 30) - 60 - sim_random(8);
		c.len = 2;
		c.burst = 4;
		c.nest = 0;
		c.overtake = 200;
		c.peek = 2000;
		sim_run(&c, 100);
	}
	sim_print_totals();
	EXPECT_LT(100000U, sim_totals.events);
}

TEST_HARNESS_MAIN
