// SPDX-License-Identifier: GPL-2.0-only
/*
 * dumps.c - the cost of netlink dumps, by number of entries
 *
 *	dumps readers N	by reader, with N descriptors open for reading
 *	dumps lanes N	by lane, with N lanes
 *	dumps streams N	the statistics of N streams, with 1000 lanes
 *
 * Prints `dump.WHAT.N cost`, in thousandths of a nanosecond per reader, per lane, or for all
 * streams; on a board whose clock advances one nanosecond per instruction, in thousandths of an
 * instruction. The shortest of several dumps excludes interrupts. Runs on a board with one CPU,
 * statically linked.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/devtrace.h>
#include <devtrace.h>

#include "../device/lanes.h"
#include "count.h"
#include "nl.h"

#define DUMPS		4
#define LANES		1000	/* while streams are dumped */

static struct nl nl;
static unsigned int told;

/* For lanes.c: the trace clock. */
uint64_t dev_now(void)
{
	return devtrace_now();
}

static void one(const struct nl_reply *r, void *arg)
{
	(void)r;
	(void)arg;
	told++;
}

/* Shortest of several dumps, each with @nr entries. */
static uint64_t dump(int cmd, unsigned int nr)
{
	uint64_t least = UINT64_MAX, begin, took;
	int err;

	for (int i = 0; i < DUMPS; i++) {
		told = 0;
		nl_begin(&nl, cmd);
		begin = now();
		err = nl_dump(&nl, one, NULL);
		took = now() - begin;
		if (err)
			errx(1, "dump: %s: %s", strerror(-err), nl.why);
		if (told != nr)
			errx(1, "a dump tells of %u, not of %u", told, nr);
		if (took < least)
			least = took;
	}
	return least;
}

static void open_readers(unsigned int nr)
{
	while (nr--)
		if (open("/dev/trace", O_RDONLY) < 0)
			err(1, "/dev/trace");
}

static void open_lanes(unsigned int nr)
{
	int fd = open("/dev/trace", O_WRONLY);
	struct lane l;

	if (fd < 0)
		err(1, "/dev/trace");
	for (unsigned int i = 0; i < nr; i++)
		if (lane_open(&l, fd, DEVTRACE_LANE_MIN))
			err(1, "lane %u", i);
	close(fd);
}

/* Add streams besides stream 0. */
static void add_streams(unsigned int nr)
{
	char name[16];
	int err;

	for (unsigned int i = 1; i < nr; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
		nl_put_str(&nl, DEVTRACE_A_STREAM, name);
		nl_put_u64(&nl, DEVTRACE_A_SIZE, 4096);
		err = nl_do(&nl, NULL, NULL);
		if (err)
			errx(1, "stream %s: %s: %s", name, strerror(-err), nl.why);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	const unsigned int nr = argc == 3 ? (unsigned int)atoi(argv[2]) : 0;
	uint64_t cost;

	if (!nr || (strcmp(what, "readers") && strcmp(what, "lanes") && strcmp(what, "streams"))) {
		fprintf(stderr, "usage: dumps readers | lanes | streams N\n");
		return 2;
	}
	if (devtrace_open() || nl_open(&nl))
		err(1, "cannot open the device and netlink");
	if (!strcmp(what, "readers")) {
		open_readers(nr);
		cost = dump(DEVTRACE_CMD_READER_GET, nr) * 1000 / nr;
	} else if (!strcmp(what, "lanes")) {
		open_lanes(nr);
		cost = dump(DEVTRACE_CMD_LANE_GET, nr) * 1000 / nr;
	} else {
		open_lanes(LANES);
		add_streams(nr);
		/* A row for the CPU, and one for lanes. */
		cost = dump(DEVTRACE_CMD_STATS_GET, 2 * nr) * 1000;
	}
	printf("dump.%s.%u %" PRIu64 "\n", what, nr, cost);
	nl_close(&nl);
	return 0;
}
