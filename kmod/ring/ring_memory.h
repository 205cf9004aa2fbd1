/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a ring: see ring_memory.c */
#ifndef DEVTRACE_RING_MEMORY_H
#define DEVTRACE_RING_MEMORY_H

#include "ring.h"

/* The ring must not be in use. */
int ring_init(struct ring *r, unsigned long size, u32 pos, u32 idx);
void ring_free(struct ring *r);

/**
 * struct ring_memory - memory for a ring of another size
 * @data: the records
 * @anchors: one word for each block
 * @mirror: where to copy commit to, or NULL
 * @lent: the lender frees @data and @anchors
 */
struct ring_memory {
	u8		*data;
	ring_word_t	*anchors;
	u64		*mirror;
	bool		lent;
};

int ring_memory_alloc(struct ring_memory *m, unsigned long size);
void ring_memory_free(struct ring_memory *m);
unsigned long ring_size_round(unsigned long long size);

static inline u32 ring_blocks(unsigned long size)
{
	return clamp_t(unsigned long, size / 4096, 1, RING_BLOCKS_MAX);
}

/* Set the members that depend on the size. Called while the ring is not in use. */
static inline void ring_shape(struct ring *r, unsigned long size)
{
	r->mask = size / RING_UNIT - 1;
	r->block_shift = ilog2(size / RING_UNIT) - ilog2(ring_blocks(size));
}

/* Return the maximum length of a payload plus 1, bytes. */
static inline u16 ring_too_long(unsigned long size)
{
	return min_t(unsigned long, size / 4 - RING_UNIT - RING_HEADER,
		     RING_PAYLOAD_MAX) + 1;
}

#endif /* DEVTRACE_RING_MEMORY_H */
