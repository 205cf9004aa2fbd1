/* SPDX-License-Identifier: GPL-2.0-only */
/* steps.h - operations that kmod/ makes in several steps, without concurrency */
#ifndef STEPS_H
#define STEPS_H

#include "ring_memory.h"
#include "ring_resize.h"
#include "ring_read.h"

static inline void all_of_find(const struct ring *r, u64 ts, u64 now, struct ring_place *at,
			       u64 *buf, u32 units)
{
	u32 step = 0;

	while (!ring_find_step(r, ts, now, &step, at, buf, units))
		;
}

/* Number of records from @idx on that are gone. */
static inline u64 all_of_place(const struct ring *r, u64 idx, struct ring_place *at, u64 *buf,
			       u32 units)
{
	u32 step = 0;

	while (!ring_place_step(r, idx, &step, at, buf, units))
		;
	return at->idx > idx ? at->idx - idx : 0;
}

static inline void all_of_resize(struct ring *r, unsigned long size, struct ring_memory *m)
{
	static struct ring_move move;

	ring_shrink_limit(r, size);
	ring_resize_prepare(r, size, m, &move);
	while (!ring_resize_copy(r, &move, RING_MOVE_UNITS))
		;
	while (!ring_resize_move(r, &move, RING_MOVE_UNITS))
		;
	ring_resize_done(r, &move, m);
	ring_open(r);
}

#endif /* STEPS_H */
