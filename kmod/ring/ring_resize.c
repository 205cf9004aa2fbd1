// SPDX-License-Identifier: GPL-2.0-only
/*
 * Give a ring memory of another size
 *
 * Invariants: If a reader finds that the ring exists, it finds the ring initialised. No place
 * in the old memory is a place in the new memory: positions continue at a multiple of the new
 * size, and readers find their record again by its index.
 */
#include "ring_memory.h"
#include "ring_read.h"
#include "ring_resize.h"

/* Return the record at @at and move @at behind it; the ring has no writer. */
static const struct ring_record *ring_next(const struct ring *r, struct ring_place *at)
{
	const struct ring_record *rec = ring_at(r, (u32)at->pos);

	at->pos += ring_record_units(rec);
	at->idx += rec->word >> RING_TYPE_SHIFT != RING_TYPE_PAD;
	return rec;
}

/* The oldest record that still fits into @units, not before the last clear. */
static struct ring_place ring_suffix(const struct ring *r, const struct ring_view *v, u32 units)
{
	struct ring_place at = v->tail.pos >= r->cleared.pos ? v->tail : r->cleared;

	while (v->commit.pos - at.pos > units)
		ring_next(r, &at);
	return at;
}

/**
 * ring_resize_prepare() - copy the newest records that fit into new memory
 * @r: a ring that is not written or cleared meanwhile; readers may read
 * @size: bytes, as ring_size_round() returned it
 * @m: the new memory
 * @new: filled in, for ring_resize()
 *
 * Indices continue; records that do not fit count as overwritten. Positions continue at the
 * next multiple of the new size, so no place in the old memory is mistaken for one in the new:
 * readers search by index.
 */
void ring_resize_prepare(const struct ring *r, unsigned long size, const struct ring_memory *m,
			 struct ring *new)
{
	const u32 units = size / RING_UNIT;
	struct ring_place at, tail, head;
	struct ring_view v;
	u32 i, block = U32_MAX;

	ring_view(r, &v);
	at = ring_suffix(r, &v, units);
	tail.pos = (v.head.pos + units - 1) & ~(u64)(units - 1);
	tail.idx = at.idx;
	head = tail;

	new->data = m->data;
	new->anchors = m->anchors;
	ring_shape(new, size);

	/* The copy starts at the beginning of the memory and fits, so it needs no padding. */
	while (at.pos < v.commit.pos) {
		const struct ring_record *rec = ring_next(r, &at);
		const u32 n = ring_record_units(rec);

		if (rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD)
			continue;
		memcpy(ring_at(new, (u32)head.pos), rec, (size_t)n * RING_UNIT);
		i = ((u32)head.pos & new->mask) >> new->block_shift;
		if (i != block)
			ring_store(&new->anchors[i], ring_word(head.pos, head.idx));
		block = i;
		head.pos += n;
		head.idx++;
	}
	ring_store(&new->anchors[((u32)head.pos & new->mask) >> new->block_shift],
		   ring_word(head.pos, head.idx));
	ring_store(&new->head, ring_word(head.pos, head.idx));
	ring_store(&new->tail, ring_word(tail.pos, tail.idx));
	/* Force the next reservation to take the slow path, which sets it. */
	new->prepared = head.pos;
	new->pos_epoch = head.pos >> 30;
	new->idx_epoch = head.idx >> 30;
	new->cleared.pos = min(r->cleared.pos, tail.pos);
}

/**
 * ring_resize() - replace the memory of a ring
 * @r: the ring; not written or cleared since ring_resize_prepare()
 * @new: from ring_resize_prepare()
 * @m: the new memory; on return, the old
 *
 * The ring stays closed (@too_long is 0) until the caller has made sure that a writer that
 * finds it open finds the new memory, and calls ring_open().
 */
void ring_resize(struct ring *r, const struct ring *new, struct ring_memory *m)
{
	struct ring_memory old = { .data = r->data, .anchors = r->anchors, .lent = r->lent };

	WRITE_ONCE(r->mask, new->mask);
	r->block_shift = new->block_shift;
	/* As init:A: readers loaded data before, or hold the lock. */
	smp_store_release(&r->data, new->data);
	r->anchors = new->anchors;
	WRITE_ONCE(r->pos_epoch, new->pos_epoch);
	WRITE_ONCE(r->idx_epoch, new->idx_epoch);
	ring_store(&r->tail, ring_load(&new->tail));
	ring_store(&r->commit, ring_load(&new->head));
	ring_store(&r->head, ring_load(&new->head));
	r->prepared = new->prepared;
	r->cleared.pos = new->cleared.pos;
	r->mirror = m->mirror ?: &r->unmirrored;
	r->lent = m->lent;
	ring_mirror(r->mirror, ring_load(&new->head));
	r->moves++;
	*m = old;
}

/* Let writers in after a resize. */
void ring_open(struct ring *r)
{
	WRITE_ONCE(r->too_long, ring_too_long((unsigned long)(r->mask + 1) * RING_UNIT));
}
