// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight.c - what an event costs in a lane, and what in LTTng-UST that overwrites
 *
 *	DEVTRACE_DEVICE=FILE flight
 *
 * Prints the figures emit.lane.* of Documentation/performance.rst. Both write the same
 * events in turns in one process, TURN at a time, and of their processor times the median
 * is taken. Whoever calls has set up a session of LTTng.
 *
 * There is no module: FILE, which must be empty and writable, becomes its control
 * page, and the memory of a lane is a file in memory. The library is the real one. In place
 * of the call that hands a block over is a pwrite(2) of the 4096 bytes of that block into
 * another file in memory: as the module does, the kernel is entered, and copies them into
 * memory of its own that was written before. (It does not look at each record; it has a
 * file to find, to lock and to account for.) How the clock follows from the CPU's counter
 * is measured here in place of taken from the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include <linux/devtrace_lane.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "flight_tp.h"

#define TYPE	100
#define TURN	20000
#define TURNS	101
#define ROUNDS		9
#define ROOM	65536		/* for a control page of any machine */
#define BLOCKS	2		/* as who does not say gets */
#define KEPT	256		/* as large as the session's buffers of a CPU */
#define FIRST	1u
#define LANES	64		/* that are given at all */

static unsigned int calls;	/* events that came by a system call */
static unsigned int nr_lanes, handed;
static struct fake {
	const uint8_t	*blocks;
	int		kept;
} lanes[LANES];

static void fail(const char *what)
{
	fprintf(stderr, "flight: %s\n", what);
	exit(1);
}

static uint64_t ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int give_lane(struct devtrace_lane_ask *ask)
{
	const size_t size = BLOCKS * DEVTRACE_LANE_BLOCK;
	unsigned int n = __atomic_fetch_add(&nr_lanes, 1, __ATOMIC_RELAXED);
	int fd = memfd_create("lane", MFD_CLOEXEC);
	static const uint8_t nothing[DEVTRACE_LANE_BLOCK];
	struct devtrace_lane_head *head;
	void *mem;

	if (n >= LANES || fd < 0 || ftruncate(fd, (off_t)size) < 0)
		fail("no memory for a lane");
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		fail("no memory for a lane");
	head = &((struct devtrace_lane_block *)mem)->head;
	head->open = FIRST - 1;
	head->blocks = BLOCKS;
	head->first = FIRST;
	head->state = DEVTRACE_LANE_OPEN;
	lanes[n].blocks = mem;
	lanes[n].kept = memfd_create("kept", MFD_CLOEXEC);
	for (int i = 0; i < KEPT; i++)
		if (pwrite(lanes[n].kept, nothing, sizeof(nothing),
			   (off_t)(i * sizeof(nothing))) != sizeof(nothing))
			fail("no memory for what is handed over");
	ask->bytes = (uint32_t)size;
	ask->source = n;
	return fd;
}

/* The block before the one that is open. */
static int hand_over(unsigned long n)
{
	const uint32_t number = ((const struct devtrace_lane_block *)lanes[n].blocks)->head.open - 1;

	__atomic_fetch_add(&handed, 1, __ATOMIC_RELAXED);
	return pwrite(lanes[n].kept, lanes[n].blocks + number % BLOCKS * DEVTRACE_LANE_BLOCK,
		      DEVTRACE_LANE_BLOCK, (off_t)(number % KEPT) * DEVTRACE_LANE_BLOCK) ==
	       DEVTRACE_LANE_BLOCK ? 0 : -1;
}

/* In place of the C library's, for the library as well. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) != DEVTRACE_IOC_MAGIC)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	if (request == DEVTRACE_IOC_LANE)
		return give_lane(arg);
	if (request == DEVTRACE_IOC_HAND)
		return hand_over((unsigned long)arg);
	/* The library asks so whether it is the device. */
	if (request == DEVTRACE_IOC_EMIT(0)) {
		errno = EINVAL;
		return -1;
	}
	calls++;
	return 0;
}

#if defined(__x86_64__)
/* raw = (tsc * mult + offset) >> 32, as it is now */
static void calibrate(struct devtrace_counter *c)
{
	uint64_t raw[2], tsc[2];
	unsigned __int128 offset;

	for (int i = 0; i < 2; i++) {
		raw[i] = ns(CLOCK_MONOTONIC_RAW);
		tsc[i] = __builtin_ia32_rdtsc();
		if (!i)
			usleep(100000);
	}
	c->mult = (uint64_t)((double)(raw[1] - raw[0]) / (double)(tsc[1] - tsc[0]) * 4294967296.0);
	offset = ((unsigned __int128)raw[1] << 32) - (unsigned __int128)tsc[1] * c->mult;
	c->offset_lo = (uint64_t)offset;
	c->offset_hi = (uint64_t)(offset >> 64);
	c->seq = 1;
}
#else
static void calibrate(struct devtrace_counter *c)
{
	c->seq = 0;
}
#endif

static void make_device(void)
{
	const char *name = getenv("DEVTRACE_DEVICE");
	struct devtrace_control *c;
	int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || ftruncate(fd, ROOM) < 0)
		fail("DEVTRACE_DEVICE is not a file to write");
	c = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (c == MAP_FAILED)
		fail("no control page");
	c->version = DEVTRACE_WIRE_VERSION;
	c->size = sizeof(*c);
	memset(c->types, 0xff, sizeof(c->types));
	memset(c->objects, 0xff, sizeof(c->objects));
	memset(c->lanes, 0xff, sizeof(c->lanes));
	c->severities = ~0u;
	calibrate(&c->counter);
	close(fd);
}

static char text[33];

/* The compiler does not know how long it is. */
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

/* What no event is without. */
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

/* How much of it is the clock. */
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
 * Two threads, each on a CPU and with a lane, against each of them alone: two CPUs are
 * not always equally fast.
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
 * What else runs on a machine makes its CPUs slower for some tenths of a second: of
 * several rounds some time apart the one in the middle.
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
	against_counter();
	scaling();
	if (calls || devtrace_errors())
		fail("events went by system calls");
	if (!handed)
		fail("nothing was handed over");
	return 0;
}
