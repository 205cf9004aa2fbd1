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
#include <unistd.h>
#include <devtrace.h>

#include "../device/lanes.h"
#include "count.h"

#define BATCH		580	/* two blocks of a lane */
#define BATCHES		101
#define READINGS	4

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
	struct lane *l = calloc(lanes, sizeof(*l));
	uint64_t total, bytes;
	int fd = open("/dev/trace", O_WRONLY);

	if (!l || fd < 0 || devtrace_open())
		err(1, "/dev/trace");
	for (int i = 0; i < lanes; i++)
		if (lane_open(&l[i], fd, DEVTRACE_LANE_MIN))
			err(1, "lane %d", i);
	for (int e = 0; e < events; e++)
		for (int i = 0; i < lanes; i++)
			lane_mark(&l[i], DEVTRACE_T_USER, i, e);

	total = read_all(READINGS, &bytes);
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
