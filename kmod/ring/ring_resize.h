/* SPDX-License-Identifier: GPL-2.0-only */
/* Move a ring to memory of another size: see ring_resize.c */
#ifndef DEVTRACE_RING_RESIZE_H
#define DEVTRACE_RING_RESIZE_H

#include "ring_memory.h"

void ring_resize_prepare(struct ring *r, unsigned long size, const struct ring_memory *m,
			 struct ring_move *move);
bool ring_resize_copy(const struct ring *r, struct ring_move *move, u32 most);
bool ring_resize_move(struct ring *r, struct ring_move *move, u32 most);
void ring_resize_done(struct ring *r, const struct ring_move *move, struct ring_memory *m);
bool ring_shrink_limit(struct ring *r, unsigned long size);
void ring_open(struct ring *r);

#endif /* DEVTRACE_RING_RESIZE_H */
