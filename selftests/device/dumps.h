/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumps.h - what netlink tells of streams, types, threads and lanes
 *
 * The functions with an argument are for nl_dump(), which gives them each line of it.
 */
#ifndef DUMPS_H
#define DUMPS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/devtrace.h>
#include "dev.h"
#include "nl.h"

/* DEVTRACE_CMD_STATS_GET: a stream and a CPU, or lanes. */
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
uint64_t dropped(const struct devtrace_stats *s);	/* by any cause */
bool adds_up(const struct devtrace_stats *s);		/* what was emitted is accounted for */
bool same(const struct devtrace_stats *a, const struct devtrace_stats *b);
/* All rows of a stream together, or only what is told of lanes. */
struct devtrace_stats sum_of(const struct rows *all, const char *stream, bool lanes);
int lane_rows(const struct rows *all, const char *stream);	/* how many rows that are */

/* DEVTRACE_CMD_TYPE_GET */
struct by_type {
	uint64_t	stored[256], filtered[256];
};

void add_type(const struct nl_reply *r, void *by_type);

/* DEVTRACE_CMD_PROCESS_GET: of the thread @tid, and @all of them together. */
struct by_thread {
	uint32_t	tid, pid;
	uint64_t	stored, all;
	char		comm[16];
};

void add_thread(const struct nl_reply *r, void *by_thread);

/* DEVTRACE_CMD_LANE_GET; @nr may be more than there is room for. */
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
