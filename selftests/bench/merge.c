// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge.c - the cost of emitting events into lanes with the library, and of reading them
 *
 *	merge emit	with the macros, into a lane: the average, including handing over;
 *			and the event that hands over
 *	merge read N E	like cat, with E events in each of N lanes, interleaved
 *	merge open N	opening the device for reading, and the first read, with an event in
 *			each of N lanes
 *	merge follow N	a reader that waits, when one of N threads emits an event and the others
 *			sleep: its processor time; and a read(2) that finds nothing
 *	merge room	bytes of the buffer for an event of a lane, and bytes of a lane
 *
 * Prints `name cost`, in thousandths of a nanosecond per event; on a board whose clock advances
 * one nanosecond per instruction, in thousandths of an instruction. An event has two 32-bit
 * integers. Runs on a board with one CPU, statically linked.
 *
 * As in insn.c, the median of many batches, and the shortest of several readings of the same
 * piece, exclude interrupts.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <devtrace.h>

#include "../device/lanes.h"
#include "count.h"

#define BLOCK		288	/* events per block of a lane */
#define BATCH		(2 * BLOCK)
#define BATCHES		101
#define READINGS	4
#define OPENINGS	16
#define FOLLOWED	32
#define STEP		300	/* ns between two events to be read */

/* For lanes.c: the trace clock. */
uint64_t dev_now(void)
{
	return devtrace_now();
}

static uint64_t median(bool emits)
{
	static uint64_t took[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t begin = now();

		for (int i = 0; i < BATCH; i++) {
			if (emits)
				devtrace(DEVTRACE_T_USER, i, batch);
			__asm__ volatile("" : : "r"(i), "r"(batch) : "memory");
		}
		took[batch] = now() - begin;
	}
	qsort(took, BATCHES, sizeof(took[0]), compare);
	return took[BATCHES / 2];
}

/* @cpu: DEVTRACE_STATS_LANES, or DEVTRACE_STATS_ALL */
static void stats_of(struct devtrace_stats *s, int cpu)
{
	int fd = open("/dev/trace", O_RDONLY);

	s->cpu = cpu;
	if (fd < 0 || ioctl(fd, DEVTRACE_IOC_STATS, s))
		err(1, "cannot get statistics");
	close(fd);
}

/* The most expensive event of a block's: the one that hands over. */
static uint64_t dearest(bool emits)
{
	static uint64_t took[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		took[batch] = 0;
		for (int i = 0; i < BLOCK; i++) {
			uint64_t begin = now(), t;

			if (emits)
				devtrace(DEVTRACE_T_USER, i, batch);
			__asm__ volatile("" : : "r"(i), "r"(batch) : "memory");
			t = now() - begin;
			if (t > took[batch])
				took[batch] = t;
		}
	}
	qsort(took, BATCHES, sizeof(took[0]), compare);
	return took[BATCHES / 2];
}

static void measure_emit(void)
{
	const uint64_t all = 2 * BATCH * BATCHES + BLOCK * BATCHES;
	struct devtrace_stats s;
	uint64_t cost, worst;

	if (devtrace_lane(DEVTRACE_LANE_MIN))
		errx(1, "no lane to be had: %s", strerror(devtrace_error()));
	median(true);		/* fill the buffer */
	cost = median(true) - median(false);
	worst = dearest(true) - dearest(false);
	/* With a second stream they are emitted by system call. */
	stats_of(&s, DEVTRACE_STATS_ALL);
	if (s.stored != all || !s.overwritten || devtrace_errors())
		errx(1, "of %" PRIu64 " events %" PRIu64 " were stored, %" PRIu64 " overwritten",
		     all, (uint64_t)s.stored, (uint64_t)s.overwritten);
	printf("lane.emit %" PRIu64 "\n", cost * 1000 / BATCH);
	printf("lane.worst %" PRIu64 "\n", worst * 1000);
}

/* Times are set, not read: see await_time(). They are in the past. */
static void measure_read(int lanes, int events)
{
	struct lane *l = calloc(lanes, sizeof(*l));
	const uint64_t nr = (uint64_t)lanes * events;
	uint64_t total, bytes, at;
	int fd = open("/dev/trace", O_WRONLY);

	if (!l || fd < 0 || devtrace_open())
		err(1, "/dev/trace");
	for (int i = 0; i < lanes; i++)
		if (lane_open(&l[i], fd, DEVTRACE_LANE_MIN))
			err(1, "lane %d", i);
	at = await_time(nr * STEP);
	for (int e = 0; e < events; e++)
		for (int i = 0; i < lanes; i++, at += STEP)
			lane_mark_at(&l[i], at, DEVTRACE_T_USER, i, e);

	total = read_all(READINGS, &bytes);
	printf("lane.read%d %" PRIu64 "\n", lanes, total * 1000 / nr);
	fprintf(stderr, "lane.read%d: %" PRIu64 " instructions, %" PRIu64 " bytes\n", lanes,
		total, bytes);
}

/* The shortest of several; objects made at the first open exist already. */
static void measure_open(int lanes)
{
	struct lane *l = calloc(lanes, sizeof(*l));
	uint64_t least[2] = { UINT64_MAX, UINT64_MAX };
	int fd = open("/dev/trace", O_WRONLY);
	static char buf[CHUNK];

	if (!l || fd < 0)
		err(1, "/dev/trace");
	for (int i = 0; i < lanes; i++) {
		if (lane_open(&l[i], fd, DEVTRACE_LANE_MIN))
			err(1, "lane %d", i);
		lane_mark(&l[i], DEVTRACE_T_USER, i, 0);
	}
	for (int i = 0; i < OPENINGS; i++) {
		uint64_t t[3];
		int reader;

		t[0] = now();
		reader = open("/dev/trace", O_RDONLY | O_NONBLOCK);
		t[1] = now();
		if (reader < 0 || read(reader, buf, sizeof(buf)) <= 0)
			err(1, "cannot read");
		t[2] = now();
		close(reader);
		for (int k = 0; k < 2; k++)
			if (t[k + 1] - t[k] < least[k])
				least[k] = t[k + 1] - t[k];
	}
	printf("lane.open%d %" PRIu64 "\n", lanes, least[0] * 1000);
	printf("lane.first%d %" PRIu64 "\n", lanes, least[1] * 1000);
}

static int follow_told[2], follow_fd;

/* Has a lane, and emits an event for each byte that it is told. */
static void *follow_thread(void *arg)
{
	struct lane l;
	char c;

	if (lane_open(&l, follow_fd, DEVTRACE_LANE_MIN))
		err(1, "no lane to be had");
	lane_mark(&l, DEVTRACE_T_USER, 0, 0);
	/* All but the one that is told sleep here for ever. */
	while (arg && read(follow_told[0], &c, 1) == 1)
		lane_mark(&l, DEVTRACE_T_USER, 1, c);
	for (;;)
		pause();
	return NULL;
}

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* Read until there is nothing more; return what the last read(2) took. */
static uint64_t follow_drain(int reader)
{
	static char buf[CHUNK];
	uint64_t begin;
	ssize_t n;

	do {
		begin = now();
		n = read(reader, buf, sizeof(buf));
	} while (n > 0);
	if (errno != EAGAIN)
		err(1, "cannot read");
	return now() - begin;
}

static void measure_follow(int threads)
{
	uint64_t took[FOLLOWED], least = UINT64_MAX, look;
	struct pollfd p = { .events = POLLIN };
	pthread_attr_t small;
	pthread_t t;
	char c = 1;

	follow_fd = open("/dev/trace", O_WRONLY);
	p.fd = open("/dev/trace", O_RDONLY | O_NONBLOCK);
	if (follow_fd < 0 || p.fd < 0 || pipe(follow_told) || pthread_attr_init(&small) ||
	    pthread_attr_setstacksize(&small, 32768))
		err(1, "/dev/trace");
	for (int i = 0; i < threads; i++)
		if (pthread_create(&t, &small, follow_thread, i ? NULL : &c))
			errx(1, "thread %d", i);
	/* It follows from the first poll(2) on, and soon the kernel watches the threads. */
	for (int i = 0; i < 50; i++) {
		follow_drain(p.fd);
		poll(&p, 1, 20);
	}
	for (int i = 0; i < FOLLOWED; i++) {
		if (write(follow_told[1], &c, 1) != 1)
			err(1, "cannot tell");
		took[i] = cpu_time();
		if (poll(&p, 1, -1) != 1)
			err(1, "poll");
		follow_drain(p.fd);
		took[i] = cpu_time() - took[i];
		look = follow_drain(p.fd);
		least = look < least ? look : least;
	}
	qsort(took, FOLLOWED, sizeof(took[0]), compare);
	printf("lane.follow%d %" PRIu64 "\n", threads, took[FOLLOWED / 2] * 1000);
	printf("lane.look%d %" PRIu64 "\n", threads, least * 1000);
}

/* In a full buffer; and the default size of a lane. */
static void measure_room(void)
{
	struct devtrace_lane_ask ask;
	struct devtrace_stats s;
	int fd = open("/dev/trace", O_WRONLY);

	if (fd < 0 || lane_fd(fd, 0, &ask) < 0)
		err(1, "/dev/trace");
	printf("lane.bytes %" PRIu64 "\n", (uint64_t)ask.bytes * 1000);
	do {
		for (int i = 0; i < BATCH; i++)
			devtrace(DEVTRACE_T_USER, i, -i);
		stats_of(&s, DEVTRACE_STATS_LANES);
	} while (s.overwritten < s.stored / 2 && !devtrace_errors());
	if (devtrace_errors())
		errx(1, "events were not emitted");
	printf("lane.room %" PRIu64 "\n", (uint64_t)(s.used * 1000 / (s.stored - s.overwritten)));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "emit") && argc == 2) {
		measure_emit();
	} else if (!strcmp(what, "read") && argc == 4) {
		measure_read(atoi(argv[2]), atoi(argv[3]));
	} else if (!strcmp(what, "open") && argc == 3) {
		measure_open(atoi(argv[2]));
	} else if (!strcmp(what, "follow") && argc == 3) {
		measure_follow(atoi(argv[2]));
	} else if (!strcmp(what, "room") && argc == 2) {
		measure_room();
	} else {
		fprintf(stderr, "usage: merge emit | read LANES EVENTS | open LANES | follow THREADS | room\n");
		return 2;
	}
	return 0;
}
