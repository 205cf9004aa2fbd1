/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of the events of a stream: see stream_stats.c */
#ifndef DEVTRACE_READ_STREAM_STATS_H
#define DEVTRACE_READ_STREAM_STATS_H

#include <linux/types.h>

struct devtrace_stats;
struct stream;

void stream_stats(struct stream *s, int cpu, struct devtrace_stats *st);
void stream_stats_taken(struct stream *s, int cpu, struct devtrace_stats *st);
u64 stream_emitted_on(int cpu);

#endif /* DEVTRACE_READ_STREAM_STATS_H */
