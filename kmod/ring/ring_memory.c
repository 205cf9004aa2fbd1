// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocate and free the memory of a ring
 *
 * A reader that sees that a ring exists also sees it initialised.
 */
#include "ring_memory.h"
#include "ring_read.h"

/* Round a requested size up to a power of two; 0: it is outside the limits. */
unsigned long ring_size_round(unsigned long long size)
{
	unsigned long rounded = RING_SIZE_MIN;

	if (size < RING_SIZE_MIN || size > RING_SIZE_MAX)
		return 0;
	while (rounded < size)
		rounded <<= 1;
	return rounded;
}

/*
 * Allocate memory for a ring of @size bytes, as ring_size_round() returned it. Return 0 or -ENOMEM.
 */
int ring_memory_alloc(struct ring_memory *m, unsigned long size)
{
	memset(m, 0, sizeof(*m));
	m->anchors = ring_alloc(ring_blocks(size) * sizeof(*m->anchors));
	m->data = ring_alloc(size + RING_UNIT);
	if (m->anchors && m->data)
		return 0;
	ring_memory_free(m);
	return -ENOMEM;
}

void ring_memory_free(struct ring_memory *m)
{
	if (!m->lent) {
		ring_dealloc(m->anchors);
		ring_dealloc(m->data);
	}
	memset(m, 0, sizeof(*m));
}

/**
 * ring_init() - make an empty ring
 * @r: the ring, zeroed
 * @size: bytes, as ring_size_round() returned it
 * @pos: first position, in units
 * @idx: index of the first record. Tests set positions and indices that wrap soon.
 *
 * Return: 0 or -ENOMEM.
 */
int ring_init(struct ring *r, unsigned long size, u32 pos, u32 idx)
{
	const u32 units = size / RING_UNIT;
	struct ring_memory m;
	u64 start;

	if (ring_memory_alloc(&m, size))
		return -ENOMEM;
	pos &= ~(units - 1);
	start = ring_word(pos, idx);
	ring_lock_init(&r->lock);
	/* Any first value will do; in tests, this one wraps soon. */
	r->moves = pos;
	ring_shape(r, size);
	r->anchors = m.anchors;
	r->mirror = &r->unmirrored;
	ring_store(&r->head, start);
	ring_store(&r->tail, start);
	ring_store(&r->commit, start);
	r->prepared = pos;
	ring_store(&r->anchors[(pos >> r->block_shift) & (ring_blocks(size) - 1)], start);
	r->pos_epoch = pos >> 30;
	r->idx_epoch = idx >> 30;
	r->cleared.pos = pos;
	r->cleared.idx = idx;
	/*
	 * LMM(init:A): If a reader reads this pointer, then it reads the ring initialised.
	 * Pairs with exists:B.
	 */
	smp_store_release(&r->data, m.data);
	WRITE_ONCE(r->too_long, ring_too_long(size));
	WRITE_ONCE(r->gate, ring_too_long(size));
	return 0;
}

void ring_free(struct ring *r)
{
	r->gate = 0;
	r->too_long = 0;
	if (!r->lent) {
		ring_dealloc(r->data);
		ring_dealloc(r->anchors);
	}
	r->data = NULL;
	r->anchors = NULL;
}
