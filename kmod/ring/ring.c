// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow paths of writing a ring
 *
 * They run on the CPU that owns the ring, in any context. ring.h has the invariants,
 * Documentation/ring.rst the proof and the table of barrier pairs. Labels such as LMM(fetch:B)
 * name the barriers.
 *
 * notrace: see emit/emit.c.
 */
#include "ring.h"

/* Units to evict in advance: 1/64 of the ring, at most 4 KiB. */
static u32 ring_ahead(const struct ring *r)
{
	return min_t(u32, (r->mask + 1) / 64, 4096 / RING_UNIT);
}

/**
 * ring_evict() - move the tail past the oldest records
 * @r: this CPU's ring
 * @tail: the tail that the caller has loaded
 * @want: units to evict; fewer if fewer are complete
 *
 * A nested writer may move the tail and overwrite the headers that this walk reads. Then the
 * compare-and-exchange fails, and the result is not used. But the walk must end, and stay within
 * the memory of the ring. So the ring has room behind its last unit for the length field of such a
 * header, and padding is followed only while the tail has not moved.
 *
 * Return: the tail after the call.
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

		/* The word has a type, so it is not padding. */
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

/* Fill the rest of the ring, from @pos to its end, with padding. */
static void ring_pad(struct ring *r, u32 pos, u32 units)
{
	struct ring_record *rec = ring_at(r, pos);

	ring_put64(&rec->word, (u64)RING_TYPE_PAD << RING_TYPE_SHIFT | units);
}

/**
 * ring_cross() - note that a reservation entered another block
 * @r: this CPU's ring
 * @old: head before the reservation
 * @new: head after it
 *
 * Anchors remember the first record that begins in each block, for lseek(2). The epochs, quarters
 * of the 32-bit position and index, are counted here, too: the position passes no quarter without a
 * block boundary, and a block holds fewer than 2^30 records.
 */
static void ring_cross(struct ring *r, u64 old, u64 new)
{
	u32 blocks = (r->mask + 1) >> r->block_shift;
	unsigned long epoch;
	u32 quarters;

	ring_store(&r->anchors[((u32)new >> r->block_shift) & (blocks - 1)], new);

	quarters = ((u32)new >> 30) - ((u32)old >> 30);
	if (unlikely(quarters & 3)) {
		/*
		 * LMM(cross:A): If a reader reads this epoch, then it reads a head that has passed
		 * this quarter of the position space. Pairs with view:A.
		 */
		smp_store_release(&r->pos_epoch, r->pos_epoch + (quarters & 3));
	}
	/*
	 * The index may pass a quarter inside a block, so compare it with the epoch. If a nested
	 * writer has stored this epoch or a later one, the difference is not 1.
	 */
	epoch = READ_ONCE(r->idx_epoch);
	quarters = (u32)(new >> 62) - (u32)epoch;
	if (unlikely((quarters & 3) == 1)) {
		/* Does for the index what cross:A does for the position. */
		smp_store_release(&r->idx_epoch, epoch + 1);
	}
}

/*
 * Move all members that readers and writers use, but not the epochs. The head is stored last: once
 * it is new, all others are.
 */
static void ring_move_words(struct ring *r, const struct ring_move *m)
{
	const struct ring *new = &m->new;

	WRITE_ONCE(r->mask, new->mask);
	r->block_shift = new->block_shift;
	r->anchors = new->anchors;
	r->mirror = m->mirror;
	/* If a reader reads this pointer, then it reads the members above, as for init:A. */
	smp_store_release(&r->data, new->data);
	ring_try_cmpxchg(&r->tail, m->tail, ring_load(&new->tail));
	/* Only the outermost writer moves commit: our caller, or the code that it interrupted. */
	ring_store(&r->commit, ring_load(&new->head));
	barrier();
	ring_try_cmpxchg(&r->head, m->head, ring_load(&new->head));
}

/**
 * ring_move() - finish a move of the ring to other memory
 * @r: this CPU's ring, entered
 *
 * Does nothing unless ring_resize_move() has set @r->move. An NMI may interrupt the call at any
 * place. Before the NMI reserves, it calls ring_move(), too, and completes the move; the rest of
 * the interrupted call then changes nothing. So members that are constant in the new ring are
 * stored, and members that a writer changes are exchanged, which fails if the NMI has done it. The
 * epochs come last, as in ring_cross(): the old ones are right for the new head, too.
 */
notrace void ring_move(struct ring *r)
{
	const struct ring_move *m = READ_ONCE(r->move);

	if (!m)
		return;
	if (ring_load(&r->head) == m->head)
		ring_move_words(r, m);
	/* A record was reserved between the copy and the move: see ring_resize_move(). */
	if (r->data != m->new.data)
		return;
	/* If a reader reads a new epoch, then it reads the new head. Pairs with view:A. */
	smp_wmb();
	ring_try_cmpxchg_long(&r->pos_epoch, m->pos_epoch, m->new.pos_epoch);
	ring_try_cmpxchg_long(&r->idx_epoch, m->idx_epoch, m->new.idx_epoch);
}

/**
 * ring_reserve_slow() - reserve a record when the fast path cannot
 * @r: this CPU's ring, entered
 * @len: bytes of payload
 * @type: event type
 *
 * Evicts more than this record needs, so that the next reservations take the fast path. A nested
 * writer may do the same. Then our later store to r->prepared holds an older, smaller position,
 * which costs only one more slow reservation.
 *
 * Return: the record, NULL if the ring is full of unfinished records.
 */
notrace struct ring_reserved ring_reserve_slow(struct ring *r, unsigned int len,
					       unsigned int type)
{
	const u32 units = ring_units(len);
	u32 pos, pad, end, prepared, size, block;
	u64 old, new, tail, ts;

	/* This is true only in an NMI that interrupted the move. */
	if (unlikely(READ_ONCE(r->move)))
		ring_move(r);
	size = r->mask + 1;
	block = (1U << r->block_shift) - 1;
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
		/*
		 * LMM(reserve:A): If a reader's copy reads what the record's writer stores
		 * below, then it reads this tail or a later one afterwards. Pairs with fetch:B.
		 */
		smp_wmb();
	} while (unlikely(!ring_try_cmpxchg(&r->head, old, new)));

	if (pad)
		ring_pad(r, pos, pad);
	if ((pos ^ end) >> r->block_shift)
		ring_cross(r, old, new);
	/* Prepare up to the end of this block, but not beyond the tail. */
	prepared = end | block;
	if ((s32)((u32)tail + size - prepared) < 0)
		prepared = (u32)tail + size;
	WRITE_ONCE(r->prepared, prepared);

	return (struct ring_reserved){ ring_begin(r, end - units, len, type, ts), ts };
}

/**
 * ring_leave_slow() - move commit again
 * @r: this CPU's ring, nest 0
 * @head: where commit is
 *
 * A writer that nested between our load of head and our store of nest = 0 left commit to us. A
 * writer that nested later has moved commit itself; then this second store does no harm.
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
