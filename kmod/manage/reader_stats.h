/* SPDX-License-Identifier: GPL-2.0-only */
/* The readers of a stream, and the position of each: see reader_stats.c */
#ifndef DEVTRACE_MANAGE_READER_STATS_H
#define DEVTRACE_MANAGE_READER_STATS_H

#include <linux/sched.h>
#include <linux/types.h>

struct stream;

/**
 * struct stream_reader - a descriptor that is open for reading
 * @pid: process that opened it
 * @comm: name of that process
 * @position: time of the last event that was made into a frame, trace clock ns
 * @lag: unread bytes of the rings
 * @read: number of events read
 * @lost: number of events reported lost
 */
struct stream_reader {
	pid_t	pid;
	char	comm[TASK_COMM_LEN];
	u64	position;
	u64	lag;
	u64	read;
	u64	lost;
};

/* devtrace_lock held. */
u64 stream_reader(struct stream *s, u64 serial, struct stream_reader *r);

#endif /* DEVTRACE_MANAGE_READER_STATS_H */
