/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a ring: see ring_read.c */
#ifndef DEVTRACE_RING_READ_H
#define DEVTRACE_RING_READ_H

#include "ring.h"

/**
 * struct ring_view - the content of a ring at one instant
 * @tail: the oldest record
 * @commit: end of the complete records
 * @head: end of the newest reservation
 * @busy: a writer was active
 */
struct ring_view {
	struct ring_place tail, commit, head;
	bool	busy;
};

/* Context: process. */
void ring_view(const struct ring *r, struct ring_view *v);
bool ring_exists(const struct ring *r);
u64 ring_fetch(const struct ring *r, struct ring_place *at, u32 room,
	       u64 *buf, u32 *units);
void ring_oldest(const struct ring *r, struct ring_place *at, u64 *lost);
bool ring_anchor(const struct ring *r, u32 block, struct ring_place *p);
bool ring_find_step(const struct ring *r, u64 ts, u64 now, u32 *step, struct ring_place *at,
		    u64 *buf, u32 units);
bool ring_place_step(const struct ring *r, u64 idx, u32 *step, struct ring_place *at,
		     u64 *buf, u32 units);
void ring_clear(struct ring *r);

/* Return the full time stamp of a record. @word: its first word; @now: a time not before it, ns */
static inline u64 ring_ts(u64 word, u64 now)
{
	return now - ((now - word) & RING_TS_MASK);
}

#endif /* DEVTRACE_RING_READ_H */
