// SPDX-License-Identifier: GPL-2.0-only
/*
 * log.c - the cost of DT_LOG() in a lane, and of a statement that is off
 *
 *	DEVTRACE_DEVICE=FILE log
 *
 *	emit.log.ns <value> ns			DT_LOG("... %d", i)
 *	emit.log.vs_lane <value> ratio		by devtrace(type, i, -i), which has as many bytes
 *	emit.log.off.ns <value> ns		its site is off
 *	ring.bytes_per_event.log <value> bytes	of a lane, for the one with an int
 *
 * The loops run alternately, TURN events at a time; the median of their CPU times counts. The loop
 * of statements that are off has an empty loop subtracted. It needs no module: see nodevice.h.
 */
#define _GNU_SOURCE
#include <devtrace/log.h>
#include "nodevice.h"

#define TYPE	100
#define TURN	20000
#define TURNS	201
#define OFF	16	/* statements in the loop of those that are off */

/* Hides memory and i from the compiler between two events. */
#define FENCE(i)	__asm__ volatile("" : "+r"(i) : : "memory")
#define FOUR(x)		do { x; x; x; x; } while (0)

#define LOOP(name, ...)								\
	__attribute__((noinline, aligned(64))) static void name(void)		\
	{									\
		for (int i = 0; i < TURN; i++)					\
			__VA_ARGS__;						\
	}

LOOP(logs, DT_LOG("pump %d runs dry", i))
LOOP(events, devtrace(TYPE, i, -i))
LOOP(nothing, { int v = i; FOUR(FOUR(FENCE(v))); })

LOOP(offs, {
	int v = i;

	FOUR(FOUR({ DT_LOG("off %d", v); FENCE(v); }));
})

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *took)
{
	qsort(took, TURNS, sizeof(*took), compare);
	return took[TURNS / 2];
}

static double turn(void (*loop)(void))
{
	uint64_t begin = ns(CLOCK_THREAD_CPUTIME_ID);

	loop();
	return (double)(ns(CLOCK_THREAD_CPUTIME_ID) - begin) / TURN;
}

static void sites(unsigned char off)
{
	memset(devtrace_sites_begin_, off, (size_t)(devtrace_sites_end_ - devtrace_sites_begin_));
}

int main(void)
{
	static double log[TURNS], event[TURNS], ratio[TURNS], off[TURNS];
	unsigned int blocks;

	make_device();
	logs();
	events();
	for (int i = 0; i < TURNS; i++) {
		log[i] = turn(logs);
		event[i] = turn(events);
		ratio[i] = log[i] / event[i];
	}
	blocks = handed;
	logs();
	printf("emit.log.ns %.1f ns\n", median(log));
	printf("emit.log.vs_lane %.2f ratio\n", median(ratio));
	printf("ring.bytes_per_event.log %.2f bytes\n",
	       (double)(handed - blocks) * DEVTRACE_LANE_BLOCK / TURN);
	sites(1);
	blocks = handed;
	for (int i = 0; i < TURNS; i++)
		off[i] = (turn(offs) - turn(nothing)) / OFF;
	printf("emit.log.off.ns %.2f ns\n", median(off));
	if (handed != blocks)
		fail("statements that are off emit events");
	fprintf(stderr, "log: DT_LOG: %.1f ns, devtrace: %.1f ns\n", log[TURNS / 2],
		median(event));
	if (calls || devtrace_errors())
		fail("events went by system calls");
	return 0;
}
