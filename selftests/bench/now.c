// SPDX-License-Identifier: GPL-2.0-only
/*
 * now.c - the cost of reading the trace clock for a program
 *
 *	now		clock.user.ns <value> ns: devtrace_now()
 *			clock.user.vs_clock_gettime <value> ratio: divided by
 *			clock_gettime(CLOCK_MONOTONIC_RAW)
 *	now insn	`now <cost>`: the same in thousandths of a nanosecond; on a
 *			board whose clock advances one nanosecond per
 *			instruction, of an instruction
 *
 * Without "insn" no device is needed: the library gets a control page of this program, which
 * permits the CPU's counter. On a CPU without such a counter, clock_gettime(2) is measured
 * twice.
 *
 * The two are measured alternately; the medians count.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>

#define READINGS	10000
#define TURNS		101

static uint64_t raw(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t nothing(void)
{
	return 0;
}

static uint64_t turn(uint64_t (*clock)(void))
{
	uint64_t begin = raw();

	for (int i = 0; i < READINGS; i++) {
		uint64_t t = clock();

		__asm__ volatile("" : : "r" (&t) : "memory");
	}
	return raw() - begin;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median(uint64_t *took)
{
	qsort(took, TURNS, sizeof(*took), compare);
	return (double)took[TURNS / 2] / READINGS;
}

static int fail(const char *what)
{
	fprintf(stderr, "now: %s\n", what);
	return 1;
}

/* A page like the device's, with a counter of some rate. */
static int fake_page(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct devtrace_control *c = mmap(NULL, size, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED)
		return fail("no memory");
	c->version = DEVTRACE_WIRE_VERSION;
	c->size = sizeof(*c);
	c->counter.seq = 1;
	c->counter.mult = UINT64_C(1) << 31;
	if (mremap(c, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, &devtrace_control) == MAP_FAILED)
		return fail("no control page");
	return 0;
}

int main(int argc, char **argv)
{
	static uint64_t ours[TURNS], theirs[TURNS], empty[TURNS];
	int insn = argc == 2 && !strcmp(argv[1], "insn");
	double a, b, loop;

	if (argc > 1 && !insn) {
		fprintf(stderr, "usage: now [insn]\n");
		return 2;
	}
	if (!insn && fake_page())
		return 1;
	if (!devtrace_now())
		return fail("there is no trace clock");
	for (int i = 0; i < TURNS; i++) {
		ours[i] = turn(devtrace_now);
		theirs[i] = turn(raw);
		empty[i] = turn(nothing);
	}
	loop = median(empty);
	a = median(ours) - loop;
	b = median(theirs) - loop;
	if (a <= 0 || b <= 0)
		return fail("a reading costs nothing: is it there?");
	if (insn) {
		printf("now %.0f\n", a * 1000);
	} else {
		printf("clock.user.ns %.1f ns\n", a);
		printf("clock.user.vs_clock_gettime %.3f ratio\n", a / b);
	}
	return 0;
}
