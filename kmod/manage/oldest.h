/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DEVTRACE_MANAGE_OLDEST_H
#define DEVTRACE_MANAGE_OLDEST_H

#include <linux/types.h>

#include "lane/blocks.h"

struct stream;

/* Return the time of a run's first event. Called with slots_lock held, so that the run exists. */
u64 run_oldest(const struct block_ring *b, run_place_t place, const struct run *r);
u64 stream_oldest(struct stream *s, int cpu);

#endif /* DEVTRACE_MANAGE_OLDEST_H */
