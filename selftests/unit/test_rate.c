// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rate.c - more events per second than a trigger's rate
 *
 * The result must not depend on the uptime, also where the 40-bit time wraps, after 834 days.
 */
#include "element_port_user.h"
#include "control/rate.h"
#include "kselftest_harness.h"

/* Required by the ring's port, but unused here. */
unsigned int ring_port_alloc_fails;
void ring_port_step(void) { }
u64 ring_port_clock(void) { return 0; }
void ring_port_exchanged(const void *w, u64 old, u64 new) { }
void ring_port_released(const void *w, u64 v) { }

#define SEC	1000000000ULL
#define WRAP	0x0100000000000000ULL
#define RATE	10

static const u64 begins[] = {
	0, SEC / 2, 5 * SEC, WRAP - 2 * SEC, WRAP - SEC / 2, WRAP - 1, WRAP, WRAP + SEC / 2,
	WRAP + 100 * SEC, 3 * WRAP / 2, 2 * WRAP - SEC / 2, 77 * WRAP + 12345678,
};

#define EACH_BEGIN(i)	for (i = 0; i < sizeof(begins) / sizeof(*begins); i++)

/* Like a trigger; true for the event that fires. */
static bool comes(u64 *word, u64 now)
{
	const u64 old = *word;

	*word = rate_next(old, now, RATE);
	return *word != old && rate_count(*word) > RATE;
}

/* Number of firings for events at equal intervals. */
static int fire(u64 *word, u64 begin, int events, u64 apart)
{
	int i, n = 0;

	for (i = 0; i < events; i++)
		n += comes(word, begin + i * apart);
	return n;
}

TEST(one_fires_in_a_second_for_years)
{
	size_t i;
	u64 word;

	EACH_BEGIN(i) {
		word = 0;
		EXPECT_EQ(0, fire(&word, begins[i], RATE, 1000));
		EXPECT_EQ(1, fire(&word, begins[i] + 20000, 100, 1000));
		/* The next second, and some later ones */
		EXPECT_EQ(0, fire(&word, begins[i] + SEC + SEC / 10, RATE, 1000));
		EXPECT_EQ(1, fire(&word, begins[i] + SEC + SEC / 5, 1, 0));
		EXPECT_EQ(10, fire(&word, begins[i] + 3 * SEC, 1000, SEC / 100));
	}
}

TEST(none_fires_of_few_for_years)
{
	size_t i;
	u64 word;

	EACH_BEGIN(i) {
		word = 0;
		EXPECT_EQ(0, fire(&word, begins[i], 1000, SEC / RATE));
		/* Long after the last, and less than a second after in wrapped time */
		EXPECT_EQ(0, fire(&word, begins[i] + WRAP / 3, 1000, SEC / RATE));
		EXPECT_EQ(0, fire(&word, begins[i] + WRAP / 3 * 2, 1000, SEC / RATE));
	}
}

/* Its clock is behind that of the CPU that began the second. */
TEST(an_event_of_a_cpu_that_is_behind_counts)
{
	size_t i;
	u64 word;

	EACH_BEGIN(i) {
		word = 0;
		if (begins[i] < SEC)
			continue;
		EXPECT_EQ(0, fire(&word, begins[i], 1, 0));
		EXPECT_EQ(0, fire(&word, begins[i] - 1000000, RATE - 1, 1000));
		EXPECT_EQ(1, fire(&word, begins[i] - 1000000, 1, 0));
	}
}

TEST_HARNESS_MAIN
