/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The readers of a stream, and the place of each: see reader_stats.c
 */
#ifndef DEVTRACE_MANAGE_READER_STATS_H
#define DEVTRACE_MANAGE_READER_STATS_H

#include <linux/sched.h>
#include <linux/types.h>

struct stream;

/**
 * struct stream_reader - a descriptor that is open for reading
 * @pid: process that opened it
 * @comm: its name
 * @position: time of the event it gets next, trace clock ns
 * @lag: bytes of the rings it has not read
 * @read: events it was given
 * @lost: events reported lost to it
 */
struct stream_reader {
	pid_t	pid;
	char	comm[TASK_COMM_LEN];
	u64	position;
	u64	lag;
	u64	read;
	u64	lost;
};

/* The reader after the one with this number; 0 if there is none. devtrace_lock held. */
u64 stream_reader(struct stream *s, u64 serial, struct stream_reader *r);

#endif /* DEVTRACE_MANAGE_READER_STATS_H */
