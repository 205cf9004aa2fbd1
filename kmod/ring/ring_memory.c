// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a ring: made, given back, exchanged for more or less
 *
 * Invariants. A reader that finds that there is a ring finds the rest of it. No place in
 * the old memory is one in the new: positions go on from a multiple of the new size, and
 * readers find their record again by its index.
 */
#include "ring_memory.h"
#include "ring_read.h"

/**
 * ring_size_round() - the size that a ring asked to be @size bytes will have
 * @size: bytes wanted
 *
 * Return: the next power of two within the limits, or 0 if @size is outside
 * of them.
 */
unsigned long ring_size_round(unsigned long long size)
{
	unsigned long rounded = RING_SIZE_MIN;

	if (size < RING_SIZE_MIN || size > RING_SIZE_MAX)
		return 0;
	while (rounded < size)
		rounded <<= 1;
	return rounded;
}

static u32 ring_blocks(unsigned long size)
{
	return clamp_t(unsigned long, size / 4096, 1, RING_BLOCKS_MAX);
}

static u16 ring_fits(unsigned long size)
{
	return min_t(unsigned long, size / 4 - RING_UNIT - RING_HEADER,
		     RING_PAYLOAD_MAX) + 1;
}

static void ring_shape(struct ring *r, unsigned long size)
{
	r->mask = size / RING_UNIT - 1;
	r->block_shift = ilog2(size / RING_UNIT / ring_blocks(size));
}

/**
 * ring_memory_alloc() - memory for a ring
 * @m: filled in
 * @size: bytes, a value that ring_size_round() returned
 *
 * Return: 0 or -ENOMEM.
 */
int ring_memory_alloc(struct ring_memory *m, unsigned long size)
{
	m->anchors = ring_alloc(ring_blocks(size) * sizeof(*m->anchors));
	m->data = ring_alloc(size + RING_UNIT);
	if (m->anchors && m->data)
		return 0;
	ring_memory_free(m);
	return -ENOMEM;
}

void ring_memory_free(struct ring_memory *m)
{
	ring_dealloc(m->anchors);
	ring_dealloc(m->data);
	m->anchors = NULL;
	m->data = NULL;
}

/**
 * ring_init() - make an empty ring
 * @r: the ring, zeroed
 * @size: bytes, a value that ring_size_round() returned
 * @pos: first position in units; tests start near the wrap
 * @idx: index of the first record, likewise
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
	/* Before anybody looks: a test starts it where it wraps. */
	r->moves = pos;
	ring_shape(r, size);
	r->anchors = m.anchors;
	ring_store(&r->head, start);
	ring_store(&r->tail, start);
	ring_store(&r->commit, start);
	r->prepared = pos;
	ring_store(&r->anchors[(pos >> r->block_shift) & (ring_blocks(size) - 1)], start);
	r->pos_epoch = pos >> 30;
	r->idx_epoch = idx >> 30;
	r->cleared.pos = pos;
	r->cleared.idx = idx;
	/* LMM(init:A): a reader that finds data finds the rest; pairs with exists:B. */
	smp_store_release(&r->data, m.data);
	WRITE_ONCE(r->fits, ring_fits(size));
	WRITE_ONCE(r->gate, ring_fits(size));
	return 0;
}

void ring_free(struct ring *r)
{
	r->gate = 0;
	r->fits = 0;
	ring_dealloc(r->data);
	ring_dealloc(r->anchors);
	r->data = NULL;
	r->anchors = NULL;
}

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
 * It stays closed, fits 0, until the caller has seen to it that every writer that
 * finds it open finds the new memory, and calls ring_open().
 */
void ring_resize(struct ring *r, const struct ring *new, struct ring_memory *m)
{
	m->data = r->data;
	m->anchors = r->anchors;
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
	r->moves++;
}

/* Writers may come, after a resize. */
void ring_open(struct ring *r)
{
	WRITE_ONCE(r->fits, ring_fits((unsigned long)(r->mask + 1) * RING_UNIT));
}
