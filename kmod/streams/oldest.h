/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DEVTRACE_STREAMS_OLDEST_H
#define DEVTRACE_STREAMS_OLDEST_H

#include <linux/types.h>

struct stream;

u64 stream_oldest(struct stream *s, int cpu);

#endif /* DEVTRACE_STREAMS_OLDEST_H */
