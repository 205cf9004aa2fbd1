// SPDX-License-Identifier: GPL-2.0-only
/*
 * disabled.c - the cost of an event that is not recorded
 *
 *	emit.disabled.ns <value> ns		there is no device
 *	emit.filtered.user.ns <value> ns	the filter refuses its type, its
 *						severity or its object: the
 *						most expensive of the three
 *
 * Filters are set in a control page of this program, mapped where the library maps the device's.
 * Two loops run alternately: one with EVENTS events at as many places in the code, each with two
 * arguments, and one without them. The result is the median of the differences of each pair, so
 * that neither slow turns nor a drifting clock rate matter.
 *
 * It fails if the events are not disabled, or not compiled in.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>

#define EVENTS	16
#define LOOPS	50000
#define TURNS	201

#define TYPE	100
#define OBJECT	7

/* Hides memory and i from the compiler between two events. */
#define FENCE(i)	__asm__ volatile("" : "+r"(i) : : "memory")

#define PLAIN(i)	do { devtrace(TYPE, i, i); FENCE(i); } while (0)
#define SEVERE(i)	do { devtrace_exc(DEVTRACE_SW0, 1, i, i); FENCE(i); } while (0)
#define ABOUT(i)	do { devtrace_for(TYPE, OBJECT, 0, i, i); FENCE(i); } while (0)
#define NOTHING(i)	FENCE(i)
#define FOUR(x, i)	do { x(i); x(i); x(i); x(i); } while (0)
#define SIXTEEN(x, i)	do { FOUR(x, i); FOUR(x, i); FOUR(x, i); FOUR(x, i); } while (0)

#define LOOP(name, x)								\
__attribute__((noinline, aligned(64))) static void name(int loops)		\
{										\
	for (int i = 0; i < loops; i++) {					\
		int v = i;							\
										\
		SIXTEEN(x, v);							\
	}									\
}

LOOP(plain, PLAIN)
LOOP(severe, SEVERE)
LOOP(about, ABOUT)
LOOP(nothing, NOTHING)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
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

/* Nanoseconds per event. */
static double measure(void (*f)(int))
{
	double difference[TURNS];
	int i;

	for (i = 0; i < TURNS; i++)
		difference[i] = timed(f) - timed(nothing);
	qsort(difference, TURNS, sizeof(difference[0]), compare);
	if (difference[TURNS / 2] <= 0) {
		fprintf(stderr, "disabled: events cost nothing: are they there?\n");
		exit(1);
	}
	return difference[TURNS / 2];
}

static void must(int condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "disabled: %s\n", what);
		exit(1);
	}
}

/* A page like the device's, with everything wanted except the given values. */
static void filter(int type, int severity, int object)
{
	long size = sysconf(_SC_PAGESIZE);
	struct devtrace_control *c = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(c != MAP_FAILED, "no memory");
	c->version = DEVTRACE_WIRE_VERSION;
	c->size = sizeof(*c);
	memset(c->types, 0xff, sizeof(c->types));
	memset(c->objects, 0xff, sizeof(c->objects));
	c->severities = ~0u;
	if (type >= 0)
		c->types[type / 32] &= ~(1u << type % 32);
	if (severity >= 0)
		c->severities &= ~(1u << severity);
	if (object >= 0)
		c->objects[object / 32] &= ~(1u << object % 32);
	must(mremap(c, (size_t)size, (size_t)size, MREMAP_MAYMOVE | MREMAP_FIXED,
		    &devtrace_control) != MAP_FAILED, "no control page");
}

static double filtered(void)
{
	double type, severity, object;

	filter(TYPE, -1, -1);
	must(!devtrace_enabled(TYPE) && devtrace_enabled(TYPE + 1), "the type is on");
	type = measure(plain);
	filter(-1, DEVTRACE_SW0, -1);
	must(devtrace_enabled(DEVTRACE_T_EXC) &&
	     !devtrace_enabled_severity(DEVTRACE_T_EXC, DEVTRACE_SW0), "the severity is on");
	severity = measure(severe);
	filter(-1, -1, OBJECT);
	must(devtrace_enabled(TYPE) && !devtrace_enabled_for(TYPE, OBJECT), "the object is on");
	object = measure(about);
	fprintf(stderr, "disabled: by type %.3f ns, by severity %.3f ns, by object %.3f ns\n",
		type, severity, object);
	if (severity > type)
		type = severity;
	return object > type ? object : type;
}

int main(int argc, char **argv)
{
	(void)argc;
	/* The library reads it before main(). */
	if (!getenv("DEVTRACE_DEVICE") || *getenv("DEVTRACE_DEVICE")) {
		setenv("DEVTRACE_DEVICE", "", 1);
		execv("/proc/self/exe", argv);
		perror("/proc/self/exe");
		return 1;
	}
	must(devtrace_enabled(TYPE), "events are off before the first one");
	devtrace(TYPE);
	must(!devtrace_enabled(TYPE), "events are on without a device");
	printf("emit.disabled.ns %.3f ns\n", measure(plain));
	printf("emit.filtered.user.ns %.3f ns\n", filtered());
	return 0;
}
