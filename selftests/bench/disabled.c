// SPDX-License-Identifier: GPL-2.0-only
/*
 * disabled.c - what an event costs a program when nobody wants it
 *
 *	emit.disabled.ns <value> ns
 *
 * There is no device, which is the same to the program as a type that is
 * filtered out. Timed in turns: a loop with EVENTS events at as many places in
 * the code, each with two arguments, and the same loop without them. Of each
 * pair of turns the difference is taken, of all differences the median, so
 * that neither a slow turn nor a drift of the clock rate counts.
 *
 * It fails if the events are not off, or were not compiled in.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>

#define EVENTS	16
#define LOOPS	50000
#define TURNS	201

/* The compiler must not know what is in memory or in i from one event to the next. */
#define FENCE(i)	__asm__ volatile("" : "+r"(i) : : "memory")

#define EVENT(i)	do { devtrace(100, i, i); FENCE(i); } while (0)
#define NOTHING(i)	FENCE(i)
#define FOUR(x, i)	do { x(i); x(i); x(i); x(i); } while (0)
#define SIXTEEN(x, i)	do { FOUR(x, i); FOUR(x, i); FOUR(x, i); FOUR(x, i); } while (0)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline, aligned(64))) static void with(int loops)
{
	for (int i = 0; i < loops; i++) {
		int v = i;

		SIXTEEN(EVENT, v);
	}
}

__attribute__((noinline, aligned(64))) static void without(int loops)
{
	for (int i = 0; i < loops; i++) {
		int v = i;

		SIXTEEN(NOTHING, v);
	}
}

static double timed(void (*f)(int))
{
	double start = now();

	f(LOOPS);
	return (now() - start) / ((double)LOOPS * EVENTS);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double difference[TURNS];
	int i;

	(void)argc;
	/* The library looks at it before main(). */
	if (!getenv("DEVTRACE_DEVICE") || *getenv("DEVTRACE_DEVICE")) {
		setenv("DEVTRACE_DEVICE", "", 1);
		execv("/proc/self/exe", argv);
		perror("/proc/self/exe");
		return 1;
	}
	if (!devtrace_enabled(100)) {
		fprintf(stderr, "disabled: events are off before the first one\n");
		return 1;
	}
	devtrace(100);
	if (devtrace_enabled(100)) {
		fprintf(stderr, "disabled: events are on without a device\n");
		return 1;
	}

	for (i = 0; i < TURNS; i++)
		difference[i] = timed(with) - timed(without);
	qsort(difference, TURNS, sizeof(difference[0]), compare);
	if (difference[TURNS / 2] <= 0) {
		fprintf(stderr, "disabled: events cost nothing: are they there?\n");
		return 1;
	}
	printf("emit.disabled.ns %.3f ns\n", difference[TURNS / 2]);
	return 0;
}
