// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge.c - what events of lanes cost: to emit by the library, and to read
 *
 *	merge emit	by the macros, into a lane
 *	merge read N E	what cat does when N lanes have E events each, in turns
 *	merge room	how many bytes of a lane an event takes
 *
 * Prints `name cost`, in thousandths of a nanosecond an event; on a board whose clock
 * advances one nanosecond an instruction, in thousandths of an instruction. An event has
 * two 32-bit integers. Runs on a board of one CPU, statically linked.
 *
 * What interrupts take is kept out as in insn.c: by the median of many batches, and by
 * the shortest of several readings of the same piece.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <devtrace.h>

#include "../device/lanes.h"

#define BATCH		580	/* two blocks of a lane */
#define BATCHES		101
#define CHUNK		4096
#define READINGS	4
#define CHUNKS_MAX	65536

static uint64_t now(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
#endif
}

/* For lanes.c: the trace clock. */
uint64_t dev_now(void)
{
	return devtrace_now();
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
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

static void stats_of(struct devtrace_stats *s)
{
	int fd = open("/dev/trace", O_RDONLY);

	s->cpu = -1;
	if (fd < 0 || ioctl(fd, DEVTRACE_IOC_STATS, s))
		err(1, "cannot get statistics");
	close(fd);
}

static void measure_emit(void)
{
	struct devtrace_stats s;
	uint64_t cost;

	if (devtrace_lane(65536))
		errx(1, "no lane to be had: %s", strerror(devtrace_error()));
	median(true);		/* all pages of the lane are there */
	cost = median(true) - median(false);
	stats_of(&s);
	if (s.emitted < 2 * BATCH * BATCHES || devtrace_errors())
		errx(1, "of %d events %" PRIu64 " were emitted", 2 * BATCH * BATCHES,
		     (uint64_t)s.emitted);
	printf("lane.emit %" PRIu64 "\n", cost * 1000 / BATCH);
}

static void measure_read(int lanes, int events)
{
	static uint32_t best[CHUNKS_MAX];
	static char buf[CHUNK];
	struct lane *l = calloc(lanes, sizeof(*l));
	uint64_t total = 0;
	unsigned int chunks = 0;
	int null_fd = open("/dev/null", O_WRONLY);
	int fd = open("/dev/trace", O_WRONLY);

	if (!l || fd < 0 || devtrace_open())
		err(1, "/dev/trace");
	for (int i = 0; i < lanes; i++)
		if (lane_open(&l[i], fd, DEVTRACE_LANE_MIN))
			err(1, "lane %d", i);
	for (int e = 0; e < events; e++)
		for (int i = 0; i < lanes; i++)
			lane_mark(&l[i], DEVTRACE_T_USER, i, e);

	memset(best, 0xff, sizeof(best));
	for (int reading = 0; reading < READINGS; reading++) {
		int trace = open("/dev/trace", O_RDONLY | O_NONBLOCK);
		unsigned int i;

		for (i = 0; ; i++) {
			uint64_t begin = now(), took;
			ssize_t n = read(trace, buf, sizeof(buf));

			if (n < 0 && errno == EAGAIN)
				break;
			if (n <= 0 || write(null_fd, buf, n) != n)
				err(1, "cannot read");
			took = now() - begin;
			if (i == CHUNKS_MAX)
				errx(1, "more than %d pieces", CHUNKS_MAX);
			if (took < best[i])
				best[i] = took;
		}
		if (reading && i != chunks)
			errx(1, "two readings differ: %u and %u pieces", chunks, i);
		chunks = i;
		close(trace);
	}
	for (unsigned int i = 0; i < chunks; i++)
		total += best[i];
	printf("lane.read%d %" PRIu64 "\n", lanes, total * 1000 / ((uint64_t)lanes * events));
}

/* Full blocks alone: how many events the lane had room for. */
static void measure_room(void)
{
	struct devtrace_stats s;
	uint64_t bytes = 0;
	struct lane l;
	int fd = open("/dev/trace", O_WRONLY);

	if (fd < 0 || devtrace_open() || lane_open(&l, fd, 65536))
		err(1, "/dev/trace");
	for (int i = 0; l.n != l.page->first + 10; i++)
		lane_mark(&l, DEVTRACE_T_USER, 1, i);
	stats_of(&s);
	bytes = 10 * DEVTRACE_LANE_BLOCK;
	printf("lane.room %" PRIu64 "\n", bytes * 1000 / (uint64_t)(s.stored - 1));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "emit") && argc == 2) {
		measure_emit();
	} else if (!strcmp(what, "read") && argc == 4) {
		measure_read(atoi(argv[2]), atoi(argv[3]));
	} else if (!strcmp(what, "room") && argc == 2) {
		measure_room();
	} else {
		fprintf(stderr, "usage: merge emit | read LANES EVENTS | room\n");
		return 2;
	}
	return 0;
}
