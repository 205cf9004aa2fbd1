/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumps.h - statistics of streams, types, threads and lanes, by netlink
 *
 * The functions with an argument are callbacks for nl_dump(), called for each entry.
 */
#ifndef DUMPS_H
#define DUMPS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/devtrace.h>
#include "dev.h"
#include "nl.h"

/* DEVTRACE_CMD_STATS_GET: a stream and a CPU, or its lanes. */
struct row {
	char		stream[DEVTRACE_NAME_LEN];
	uint32_t	cpu;
	struct devtrace_stats s;
};

struct rows {
	struct row	v[2 * DEV_CPUS];
	unsigned int	nr;
};

void add_row(const struct nl_reply *r, void *rows);
uint64_t dropped(const struct devtrace_stats *s);	/* for all causes */
bool adds_up(const struct devtrace_stats *s);		/* emitted is the sum of the others */
bool same(const struct devtrace_stats *a, const struct devtrace_stats *b);
/* Sum of all rows of a stream, or only of its lanes. */
struct devtrace_stats sum_of(const struct rows *all, const char *stream, bool lanes);
int lane_rows(const struct rows *all, const char *stream);	/* number of such rows */

/* DEVTRACE_CMD_TYPE_GET */
struct by_type {
	uint64_t	stored[256], filtered[256];
};

void add_type(const struct nl_reply *r, void *by_type);

/* DEVTRACE_CMD_PROCESS_GET: thread @tid, and @all threads together. */
struct by_thread {
	uint32_t	tid, pid;
	uint64_t	stored, all;
	char		comm[16];
};

void add_thread(const struct nl_reply *r, void *by_thread);

/* DEVTRACE_CMD_LANE_GET; @nr may exceed the array. */
struct lane_row {
	uint32_t	source, tid, pid, state;
	uint64_t	size, stored, overwritten, dropped, oldest, now;
	char		comm[16];
};

struct lane_rows {
	struct lane_row	v[16];
	unsigned int	nr;
};

void add_lane(const struct nl_reply *r, void *lane_rows);
const struct lane_row *lane_of(const struct lane_rows *all, uint32_t tid);	/* or NULL */

#endif /* DUMPS_H */
