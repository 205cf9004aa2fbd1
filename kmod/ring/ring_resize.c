// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a ring: exchanged for more or less
 *
 * Invariants. A reader that finds that there is a ring finds the rest of it. No place in
 * the old memory is one in the new: positions go on from a multiple of the new size, and
 * readers find their record again by its index.
 */
#include "ring_memory.h"
#include "ring_read.h"
#include "ring_resize.h"

/* The record at @at, of a ring that nobody writes; moves @at behind it. */
static const struct ring_record *ring_next(const struct ring *r, struct ring_place *at)
{
	const struct ring_record *rec = ring_at(r, (u32)at->pos);

	at->pos += ring_record_units(rec);
	at->idx += rec->word >> RING_TYPE_SHIFT != RING_TYPE_PAD;
	return rec;
}

/* Where the records begin that a ring of @units takes: the newest, none cleared. */
static struct ring_place ring_suffix(const struct ring *r, const struct ring_view *v, u32 units)
{
	struct ring_place at = v->tail.pos >= r->cleared.pos ? v->tail : r->cleared;

	while (v->commit.pos - at.pos > units)
		ring_next(r, &at);
	return at;
}

/**
 * ring_resize_prepare() - copy the newest records that fit into other memory
 * @r: a ring that nobody writes or clears meanwhile; readers may read
 * @size: bytes, a value that ring_size_round() returned
 * @m: memory for it
 * @new: filled in, for ring_resize()
 *
 * Indices go on as they were: what does not fit counts as overwritten. Positions
 * go on from the next multiple of the new size, so that no place in the old
 * memory can be taken for one in the new: readers go by the index.
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

	/* From the beginning of the memory, and no more than it holds: no padding. */
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
	/* The next record takes the long way, which finds out. */
	new->prepared = head.pos;
	new->pos_epoch = head.pos >> 30;
	new->idx_epoch = head.idx >> 30;
	new->cleared.pos = min(r->cleared.pos, tail.pos);
}

/**
 * ring_resize() - give a ring other memory
 * @r: the ring; nobody has written or cleared it since it was prepared
 * @new: of ring_resize_prepare()
 * @m: on return, what the ring had before
 *
 * The ring stays closed, @too_long 0, until the caller has ensured that every writer that
 * finds it open finds the new memory, and calls ring_open().
 */
void ring_resize(struct ring *r, const struct ring *new, struct ring_memory *m)
{
	struct ring_memory old = { .data = r->data, .anchors = r->anchors, .lent = r->lent };

	WRITE_ONCE(r->mask, new->mask);
	r->block_shift = new->block_shift;
	/* A reader that finds data found the rest before, as behind init:A, or has the lock. */
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

/* Writers may come, after a resize. */
void ring_open(struct ring *r)
{
	WRITE_ONCE(r->too_long, ring_too_long((unsigned long)(r->mask + 1) * RING_UNIT));
}
