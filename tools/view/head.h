/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * head.h - facts from the beginning of a stream
 *
 * The plugin for babeltrace2 needs them before the first event. devtrace-convert checks by them
 * that an input is a stream, before it creates or truncates its output.
 */
#ifndef VIEW_HEAD_H
#define VIEW_HEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <devtrace-decode.h>

#define VIEW_HEAD_BLOCK	(64 * 1024)	/* bytes read at once */
#define VIEW_HEAD_MAX	(256 * 1024)	/* bytes of a head, after decompression */

/* Does a stream state the error of its dates? See dates.h. */
enum view_dates_state {
	VIEW_DATES_UNKNOWN,	/* the error of some dates is not known */
	VIEW_DATES_NEVER,	/* every statement said: not synchronized */
	VIEW_DATES_ERROR,	/* the error of every date is known */
};

struct view_head {
	bool		is_stream;
	bool		whole;	/* the input ends within the head */
	bool		is_file;	/* a regular file, not a device */
	bool		has_info, has_clock;
	uint8_t		boot[16];
	char		machine[65], release[65], stream[65];
	int64_t		epoch;	/* CLOCK_REALTIME minus the trace clock, ns, if has_clock */
	struct devtrace_totals totals;	/* of the head */
	/* set by view_head_error(). error: largest error of a date, in ns, with VIEW_DATES_ERROR */
	enum view_dates_state dates;
	uint64_t	error;
	char		source[12];	/* of the last synchronization */
};

/*
 * Read the head of a file or device. Return 0; or return -1 and set *@problem if the file cannot
 * be read.
 */
int view_head_read(struct view_head *h, const char *path, const char **problem);
/* Open a file or device such that reading does not wait. Return -1 and set *@problem on error. */
int view_head_open(const char *path, const char **problem);

/*
 * view/head_error.c: find the largest error of the dates of an input, for which all of it is read.
 * The dates of a device stay VIEW_DATES_UNKNOWN unless it ended within the head.
 */
void view_head_error(struct view_head *h, const char *path);

#endif
