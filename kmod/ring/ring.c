// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a ring, where there is more to do than to move the head
 *
 * Runs on the CPU that owns the ring, in any context. See ring.h for the invariants and
 * Documentation/ring.rst for the argument and the table of barrier pairs. Labels such as
 * LMM(fetch:B) name them.
 *
 * notrace: see emit/emit.c.
 */
#include "ring.h"

/* How much more to evict than is needed, in units: a 64th, at most 4 KiB. */
static u32 ring_ahead(const struct ring *r)
{
	return min_t(u32, (r->mask + 1) / 64, 4096 / RING_UNIT);
}

/**
 * ring_evict() - move the tail over the oldest records
 * @r: this CPU's ring
 * @tail: the tail as loaded
 * @want: how many units at least, unless fewer are complete
 *
 * A writer that nests on top of us may move the tail itself and overwrite the
 * headers that we walk over; then the exchange fails, and where the walk led
 * to does not matter. It must end, though, and stay inside of the ring: so
 * there is room behind the last unit for the length of a header that seems to
 * stand there, and padding is believed only while the tail has not moved.
 *
 * Return: the tail as it is now.
 */
notrace u64 ring_evict(struct ring *r, u64 tail, u32 want)
{
	const u32 complete = (u32)ring_load(&r->commit) - (u32)tail;
	u32 gone = 0, n = 0;
	u64 new;

	want = min(want, complete);
	while (gone < want) {
		const struct ring_record *rec = ring_at(r, (u32)tail + gone);
		u64 word = READ_ONCE(rec->word);

		/* A type, so not padding. */
		if (likely(word > RING_TS_MASK)) {
			gone += ring_units(READ_ONCE(rec->len));
			n++;
		} else if (ring_load(&r->tail) == tail) {
			gone += (u32)word;
		} else {
			break;
		}
	}
	new = ring_word((u32)tail + gone, (u32)(tail >> 32) + n);
	return likely(ring_try_cmpxchg(&r->tail, tail, new)) ? new : ring_load(&r->tail);
}

/* Fill what is left before the end of the ring. */
static void ring_pad(struct ring *r, u32 pos, u32 units)
{
	struct ring_record *rec = ring_at(r, pos);

	ring_put64(&rec->word, (u64)RING_TYPE_PAD << RING_TYPE_SHIFT | units);
}

/**
 * ring_cross() - a reservation passed into another block
 * @r: this CPU's ring
 * @old: head before the reservation
 * @new: head after it
 *
 * Blocks are what lseek(2) finds its way by: the first record that begins in
 * a block is remembered. The quarters that the 32-bit counters pass are
 * counted here too, since a position cannot pass one without passing a block,
 * and there are fewer than 2^30 records in a block.
 */
static void ring_cross(struct ring *r, u64 old, u64 new)
{
	u32 blocks = (r->mask + 1) >> r->block_shift;
	unsigned long epoch;
	u32 quarters;

	ring_store(&r->anchors[((u32)new >> r->block_shift) & (blocks - 1)], new);

	quarters = ((u32)new >> 30) - ((u32)old >> 30);
	if (unlikely(quarters & 3)) {
		/* LMM(cross:A): the head before the epochs; pairs with view:A. */
		smp_store_release(&r->pos_epoch, r->pos_epoch + (quarters & 3));
	}
	/*
	 * The index passes a quarter between two blocks, so it is compared
	 * with the epoch. A writer that nests here finds the same quarter and
	 * stores the same value, or a later one: then ours is 3, not 1.
	 */
	epoch = READ_ONCE(r->idx_epoch);
	quarters = (u32)(new >> 62) - (u32)epoch;
	if (unlikely((quarters & 3) == 1)) {
		/* The same. */
		smp_store_release(&r->idx_epoch, epoch + 1);
	}
}

/**
 * ring_reserve_slow() - ring_reserve() where there is something to be done
 * @r: this CPU's ring, entered
 * @len: bytes of payload
 * @type: event type
 *
 * Evicts a little more than this record needs, so that the next ones find room
 * without looking. A writer that nests on top of us may do the same; what we
 * store to r->prepared then is older, hence smaller, and costs it a turn here.
 *
 * Return: the record, NULL if the ring is full of unfinished ones.
 */
notrace struct ring_reserved ring_reserve_slow(struct ring *r, unsigned int len,
					       unsigned int type)
{
	const u32 units = ring_units(len), size = r->mask + 1;
	const u32 block = (1U << r->block_shift) - 1;
	u32 pos, pad, end, prepared;
	u64 old, new, tail, ts;

	do {
		old = ring_load(&r->head);
		ts = ring_clock();
		pos = (u32)old;
		pad = 0;
		if ((pos & r->mask) + units > size)
			pad = size - (pos & r->mask);
		end = pos + pad + units;
		new = ring_word(end, (u32)(old >> 32) + 1);

		tail = ring_load(&r->tail);
		while (end - (u32)tail > size) {
			if (unlikely((u32)tail == (u32)ring_load(&r->commit))) {
				ring_count_inc(&r->dropped[RING_DROP_BUSY]);
				return (struct ring_reserved){ NULL, ts };
			}
			tail = ring_evict(r, tail, end - (u32)tail - size + ring_ahead(r));
		}
		/* LMM(reserve:A): eviction before overwriting; pairs with fetch:B. */
		smp_wmb();
	} while (unlikely(!ring_try_cmpxchg(&r->head, old, new)));

	if (pad)
		ring_pad(r, pos, pad);
	if ((pos ^ end) >> r->block_shift)
		ring_cross(r, old, new);
	/* Short of the end of this block, and of the tail. */
	prepared = end | block;
	if ((s32)((u32)tail + size - prepared) < 0)
		prepared = (u32)tail + size;
	WRITE_ONCE(r->prepared, prepared);

	return (struct ring_reserved){ ring_begin(r, end - units, len, type, ts), ts };
}

/**
 * ring_leave_slow() - move commit once more
 * @r: this CPU's ring, nest 0
 * @head: where commit is
 *
 * A writer that nested between our load of head and nest = 0 did not move commit.
 * One that came after nest = 0 did; moving it again does no harm.
 */
notrace void ring_leave_slow(struct ring *r, u64 head)
{
	do {
		WRITE_ONCE(r->nest, 1);
		barrier();
		head = ring_load(&r->head);
		ring_store_release(&r->commit, head);
		ring_mirror(r->mirror, head);
		barrier();
		WRITE_ONCE(r->nest, 0);
		barrier();
	} while (unlikely(ring_load(&r->head) != head));
}
