/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a ring: see ring_memory.c
 */
#ifndef DEVTRACE_RING_MEMORY_H
#define DEVTRACE_RING_MEMORY_H

#include "ring.h"

/* Setting up: not concurrent with anything. */
int ring_init(struct ring *r, unsigned long size, u32 pos, u32 idx);
void ring_free(struct ring *r);

/* Memory for a ring of another size. */
struct ring_memory {
	u8		*data;
	ring_word_t	*anchors;
};

int ring_memory_alloc(struct ring_memory *m, unsigned long size);
void ring_memory_free(struct ring_memory *m);
void ring_resize_prepare(const struct ring *r, unsigned long size, const struct ring_memory *m,
			 struct ring *new);
void ring_resize(struct ring *r, const struct ring *new, struct ring_memory *m);
void ring_open(struct ring *r);
unsigned long ring_size_round(unsigned long long size);

#endif /* DEVTRACE_RING_MEMORY_H */
