/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other memory for a ring: see ring_resize.c
 */
#ifndef DEVTRACE_RING_RESIZE_H
#define DEVTRACE_RING_RESIZE_H

#include "ring_memory.h"

void ring_resize_prepare(const struct ring *r, unsigned long size, const struct ring_memory *m,
			 struct ring *new);
void ring_resize(struct ring *r, const struct ring *new, struct ring_memory *m);
void ring_open(struct ring *r);

#endif /* DEVTRACE_RING_RESIZE_H */
