/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_unit.h - common code for tests of lanes without the module
 *
 * The device is that of fakedev.c, whose lanes are shared memory; lane_parse.c reads the lanes
 * and the blocks handed over. Each test is a separate process that has not connected yet. The
 * test sets the clock, so times are exact; test_now.c tests the clock of the CPU's counter.
 */
#ifndef LANE_UNIT_H
#define LANE_UNIT_H

#include "fakedev.h"
#include "lane_clock.h"
#include "lane_parse.h"
#include "kselftest_harness.h"

#define TYPE	100
#define ROUNDS	6000

static uint64_t seed;

static union {
	struct devtrace_emit event;
	uint8_t bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
} out;

/* Emit event number @n, as lane_verify() expects it. */
static __attribute__((unused)) int emit(uint64_t n)
{
	struct lane_call call;

	lane_prepare(seed, n, &out.event, &call);
	return lane_emit(&out.event, &call);
}

static __attribute__((unused)) int emit_plain(void)
{
	static const struct devtrace_emit event = { .type = TYPE };

	return devtrace_emit_event(&event, sizeof(event));
}

/* Number of events in this lane; -1 if it is invalid. */
static __attribute__((unused)) long in_lane(unsigned int n)
{
	uint64_t total;

	if (n >= fake->nr_lanes)
		return 0;
	return lane_parse(&fake->lanes[n], &total, NULL, NULL) ? -1 : (long)total;
}

static struct lane_record newest;

static __attribute__((unused)) bool keep_newest(const struct lane_record *r, void *arg)
{
	newest = *r;
	return true;
}

/* The last event of the first lane. */
static __attribute__((unused)) const struct lane_record *last(void)
{
	uint64_t total;

	memset(&newest, 0, sizeof(newest));
	lane_parse(&fake->lanes[0], &total, keep_newest, NULL);
	return &newest;
}

FIXTURE(lane) {
};

/* Stay on this CPU, since records may tell the CPU. */
static __attribute__((unused)) void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

FIXTURE_SETUP(lane)
{
	pin();
	fake_reset();
	fake_into_lanes(1);
	clock_ns = 1000;
	clock_by_counter(true);
	ASSERT_EQ(-1, devtrace_fd());
}

FIXTURE_TEARDOWN(lane)
{
}

#endif
