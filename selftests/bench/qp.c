// SPDX-License-Identifier: GPL-2.0-only
/*
 * qp.c - the cost of a QS record in a QP program
 *
 *	DEVTRACE_DEVICE=FILE qp
 *
 *	qp.dispatch_ns <value> ns	QS_QEP_DISPATCH, as in QP/C, into a lane
 *	qp.filtered_ns <value> ns	the same, refused by the program's filter: by
 *					record or by QS-ID, the more expensive one
 *
 * Two loops run alternately: one with EVENTS records at as many places in the code, and one
 * without them. The result is the median of the differences of each pair. It fails if the
 * records do not arrive as expected. It needs no module: see nodevice.h.
 */
#define _GNU_SOURCE
#include "nodevice.h"
#include "qs_port.h"
#include "qs_pkg.h"

#define EVENTS	16
#define LOOPS	2000
#define TURNS	201

#define PRIO	5
#define SIG	7

static int philo;

static void eating(void)
{
}

/* Hides memory and i from the compiler between two records. */
#define FENCE(i)	__asm__ volatile("" : "+r"(i) : : "memory")

static inline __attribute__((always_inline)) void dispatch(int i)
{
	QS_BEGIN_PRE(QS_QEP_DISPATCH, PRIO)
		QS_TIME_PRE();
		QS_SIG_PRE(i);
		QS_OBJ_PRE(&philo);
		QS_FUN_PRE(&eating);
	QS_END_PRE()
}

#define RECORD(i)	do { dispatch(i); FENCE(i); } while (0)
#define NOTHING(i)	FENCE(i)
#define FOUR(x, i)	do { x(i); x(i); x(i); x(i); } while (0)
#define SIXTEEN(x, i)	do { FOUR(x, i); FOUR(x, i); FOUR(x, i); FOUR(x, i); } while (0)

#define LOOP(name, x)								\
__attribute__((noinline, aligned(64))) static void name(int loops)		\
{										\
	for (int i = 0; i < loops; i++) {					\
		int v = SIG;							\
										\
		SIXTEEN(x, v);							\
	}									\
}

LOOP(records, RECORD)
LOOP(nothing, NOTHING)

static double timed(void (*f)(int), int loops)
{
	const uint64_t begin = ns(CLOCK_THREAD_CPUTIME_ID);

	f(loops);
	return (double)(ns(CLOCK_THREAD_CPUTIME_ID) - begin) / ((double)loops * EVENTS);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(int loops)
{
	double difference[TURNS];
	int i;

	records(loops);
	for (i = 0; i < TURNS; i++)
		difference[i] = timed(records, loops) - timed(nothing, loops);
	qsort(difference, TURNS, sizeof(difference[0]), compare);
	return difference[TURNS / 2];
}

/* With the filter nothing may arrive, not even in the lane. */
static double measure_filtered(void)
{
	const unsigned int before = handed;
	double took = measure(20 * LOOPS);

	if (handed != before)
		fail("records that are filtered were emitted");
	return took;
}

int main(void)
{
	double by_record, by_id;

	make_device();
	QS_INIT(NULL);
	QS_GLB_FILTER(QS_QEP_DISPATCH);
	printf("qp.dispatch_ns %.1f ns\n", measure(LOOPS));
	if (!handed)
		fail("nothing was handed over");
	QS_LOC_FILTER(-PRIO);
	by_id = measure_filtered();
	QS_LOC_FILTER(PRIO);
	QS_GLB_FILTER(-QS_QEP_DISPATCH);
	by_record = measure_filtered();
	fprintf(stderr, "qp: filtered by its record %.3f ns, by its QS-ID %.3f ns\n", by_record,
		by_id);
	printf("qp.filtered_ns %.3f ns\n", by_record > by_id ? by_record : by_id);
	if (calls || devtrace_errors())
		fail("records went by system calls");
	return 0;
}
