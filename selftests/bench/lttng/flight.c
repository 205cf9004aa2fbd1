// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight.c - the cost of an event in a lane, and in LTTng-UST in overwrite mode
 *
 *	DEVTRACE_DEVICE=FILE flight
 *
 * Prints the figures emit.lane.* of Documentation/performance.rst. Both write the same events
 * alternately in one process, TURN at a time; the median of their CPU times counts. The caller
 * has set up an LTTng session.
 *
 * It needs no module: see nodevice.h.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "flight_tp.h"
#include "../nodevice.h"

#define TYPE	100
#define TURN	20000
#define TURNS	101
#define ROUNDS		9

static char text[33];

/* Its length is hidden from the compiler. */
static const char *string(void)
{
	const char *s = text;

	__asm__ volatile("" : "+r" (s));
	return s;
}

#define LOOP(name, ...)					\
	static void name(void)				\
	{						\
		for (int i = 0; i < TURN; i++)		\
			__VA_ARGS__;			\
	}

LOOP(ours_args0, devtrace(TYPE))
LOOP(ours_pair, devtrace(TYPE, i, -i))
LOOP(ours_args6, devtrace(TYPE, i, -i, i, -i, i, -i))
LOOP(ours_string32, devtrace(TYPE, string()))
LOOP(theirs_args0, lttng_ust_tracepoint(devtrace_flight, args0))
LOOP(theirs_pair, lttng_ust_tracepoint(devtrace_flight, pair, i, -i))
LOOP(theirs_args6, lttng_ust_tracepoint(devtrace_flight, args6, i, -i, i, -i, i, -i))
LOOP(theirs_string32, lttng_ust_tracepoint(devtrace_flight, string32, string()))

/* Lengths and types alternate. */
static void ours_mixed(void)
{
	for (int i = 0; i < TURN; i += 4) {
		devtrace(TYPE);
		devtrace(TYPE + 1, i, -i);
		devtrace(TYPE + 2, i, -i, i, -i, i, -i);
		devtrace(TYPE + 3, string());
	}
}

static void theirs_mixed(void)
{
	for (int i = 0; i < TURN; i += 4) {
		lttng_ust_tracepoint(devtrace_flight, args0);
		lttng_ust_tracepoint(devtrace_flight, pair, i, -i);
		lttng_ust_tracepoint(devtrace_flight, args6, i, -i, i, -i, i, -i);
		lttng_ust_tracepoint(devtrace_flight, string32, string());
	}
}

/* Included in each event: reading the counter. */
static inline void counter(void)
{
#if defined(__x86_64__)
	uint64_t t = __builtin_ia32_rdtsc();
#else
	uint64_t t = devtrace_now();
#endif

	__asm__ volatile("" : : "r" (t) : "memory");
}

LOOP(only_counter, counter())

/* Included for each block: handing over. */
static inline void hand(void)
{
	if (hand_over(0))
		fail("nothing can be handed over");
}

LOOP(hand_overs, hand())

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median(uint64_t *took, size_t n)
{
	qsort(took, n, sizeof(*took), compare);
	return (double)took[n / 2] / TURN;
}

static uint64_t turn(void (*events)(void))
{
	uint64_t begin = ns(CLOCK_THREAD_CPUTIME_ID);

	events();
	return ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void against(const char *name, void (*ours)(void), void (*theirs)(void))
{
	static uint64_t a[TURNS], b[TURNS];
	double x, y;

	ours();
	theirs();
	for (int i = 0; i < TURNS; i++) {
		a[i] = turn(ours);
		b[i] = turn(theirs);
	}
	x = median(a, TURNS);
	y = median(b, TURNS);
	printf("emit.lane%s.ns %.1f ns\n", name, x);
	printf("emit.lane%s.vs_lttng_ust %.3f ratio\n", name, x / y);
	fprintf(stderr, "flight: an event%s: %.1f ns in a lane, %.1f ns with LTTng-UST\n", name, x, y);
}

/* The share of the clock. */
static void against_counter(void)
{
	static uint64_t a[TURNS], b[TURNS];
	double x, y;

	for (int i = 0; i < TURNS; i++) {
		a[i] = turn(ours_pair);
		b[i] = turn(only_counter);
	}
	x = median(a, TURNS);
	y = median(b, TURNS);
	printf("emit.lane.vs_counter %.2f ratio\n", x / y);
	fprintf(stderr, "flight: an event: %.1f ns, the counter alone: %.1f ns\n", x, y);
}

/* Handing over alone: the cost of a system call differs threefold between machines. */
static void hand_over_alone(void)
{
	static uint64_t took[TURNS];
	double x;

	for (int i = 0; i < TURNS; i++)
		took[i] = turn(hand_overs);
	x = median(took, TURNS);
	printf("emit.lane.call.ns %.0f ns\n", x);
	fprintf(stderr, "flight: to hand over a block: %.0f ns\n", x);
}

static const uint8_t *scanned;

static inline void scan_it(void)
{
	if (scan(scanned))
		fail("a block is not valid");
}

LOOP(scans, scan_it())

/* Check the newest block that was handed over. */
static double scan_alone(void (*events)(void))
{
	static uint64_t took[TURNS];

	events();
	scanned = newest_copy(0);
	for (int i = 0; i < TURNS; i++)
		took[i] = turn(scans);
	return median(took, TURNS);
}

static void scan_of_mixed(void)
{
	double alike = scan_alone(ours_pair), mixed = scan_alone(ours_mixed);

	printf("emit.lane.scan.ns %.0f ns\n", alike);
	printf("emit.lane.scan.mixed_vs_alike %.2f ratio\n", mixed / alike);
	fprintf(stderr, "flight: to check a block: %.0f ns, of mixed records %.0f ns\n", alike, mixed);
}

static pthread_barrier_t barrier;
static uint64_t alone[2][TURNS], both[2][TURNS];

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("no second CPU");
}

static void *thread(void *arg)
{
	const int me = *(int *)arg;

	pin(me);
	ours_pair();
	for (int i = 0; i < TURNS; i++) {
		for (int who = 0; who < 2; who++) {
			pthread_barrier_wait(&barrier);
			if (me == who)
				alone[me][i] = turn(ours_pair);
		}
		pthread_barrier_wait(&barrier);
		both[me][i] = turn(ours_pair);
	}
	return NULL;
}

/*
 * Two threads, each on its CPU with a lane, against each of them alone: two CPUs may differ in
 * speed.
 */
static double scaling_once(void)
{
	pthread_t threads[2];
	int me[2] = { 0, 1 };
	double ratio = 0;

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, &me[i]))
			fail("no thread");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		ratio += median(alone[i], TURNS) / median(both[i], TURNS);
	return ratio;
}

static int compare_ratios(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Other load slows the CPUs down for some tenths of a second: take the median of several rounds
 * at intervals.
 */
static void scaling(void)
{
	double ratio[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		ratio[i] = scaling_once();
		fprintf(stderr, "flight: two threads write %.2f times what one does\n", ratio[i]);
		usleep(200000);
	}
	qsort(ratio, ROUNDS, sizeof(ratio[0]), compare_ratios);
	printf("emit.lane.scaling %.2f ratio\n", ratio[ROUNDS / 2]);
}

int main(void)
{
	memset(text, 'x', sizeof(text) - 1);
	make_device();
	against("", ours_pair, theirs_pair);
	against(".args0", ours_args0, theirs_args0);
	against(".args6", ours_args6, theirs_args6);
	against(".string32", ours_string32, theirs_string32);
	against(".mixed", ours_mixed, theirs_mixed);
	against_counter();
	hand_over_alone();
	scan_of_mixed();
	scaling();
	if (calls || devtrace_errors())
		fail("events went by system calls");
	if (!handed)
		fail("nothing was handed over");
	return 0;
}
