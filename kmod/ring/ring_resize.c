// SPDX-License-Identifier: GPL-2.0-only
/*
 * Give a ring memory of another size
 *
 * Writers continue meanwhile. The functions of readers copy the records into a new ring that no
 * other code uses yet. Once the copy has all records, the owning CPU, with interrupts off, copies
 * the few newer ones and exchanges the memory. An NMI in between finishes the exchange before it
 * reserves: see ring_move().
 *
 * Invariants: A record whose writer has left the ring is in the new memory, unless newer records
 * take all its room; its index stays the same, so a reader knows exactly how many records it
 * missed. A reader that finds the ring finds it initialised. No place in the old memory is a place
 * in the new memory: positions continue at a multiple of the new size, and readers find their
 * record again by its index.
 */
#include "ring_memory.h"
#include "ring_read.h"
#include "ring_resize.h"

/*
 * The first position in the new memory is AHEAD_UNITS after the head, rounded down to a multiple of
 * the size. If the head comes within MARGIN_UNITS of it during the copy, the copy begins again. All
 * positions are within half the range by which a writer compares them.
 */
#define AHEAD_UNITS	0x30000000U
#define MARGIN_UNITS	0x10000000U

/* Empty the new ring. Its next record gets the index @idx. */
static void ring_resize_restart(struct ring *new, u64 pos, u64 idx)
{
	const u64 word = ring_word(pos, idx);

	ring_store(&new->head, word);
	ring_store(&new->tail, word);
	ring_store(&new->commit, word);
	/*
	 * With this value, the next reservation takes the slow path, which computes the right one.
	 */
	new->prepared = pos;
	new->pos_epoch = pos >> 30;
	new->idx_epoch = idx >> 30;
	ring_store(&new->anchors[((u32)pos & new->mask) >> new->block_shift], word);
}

/* Return where to begin the copy: at the oldest record, or at a later one if not all will fit. */
static struct ring_place copy_from(const struct ring *r, const struct ring_view *v, u32 units)
{
	struct ring_place at = v->tail.pos >= r->cleared.pos ? v->tail : r->cleared, p;
	const u32 blocks = (r->mask + 1) >> r->block_shift;
	u32 i;

	for (i = 0; i < blocks; i++)
		if (ring_anchor(r, i, &p) && p.pos > at.pos && p.pos + units <= v->commit.pos)
			at = p;
	return at;
}

/* Begin the copy, or begin it again: no record is copied yet. */
static void ring_resize_begin(const struct ring *r, struct ring_move *move)
{
	struct ring *new = &move->new;
	struct ring_view v;

	ring_view(r, &v);
	move->at = copy_from(r, &v, new->mask + 1);
	ring_resize_restart(new, (v.head.pos + AHEAD_UNITS) & ~(u64)new->mask, move->at.idx);
}

/**
 * ring_resize_prepare() - begin to copy a ring into other memory
 * @r: the ring, locked; it is not cleared before the move
 * @size: bytes, a value that ring_size_round() returned
 * @m: the new memory
 * @move: filled in
 */
void ring_resize_prepare(struct ring *r, unsigned long size, const struct ring_memory *m,
			 struct ring_move *move)
{
	struct ring *new = &move->new;

	memset(new, 0, sizeof(*new));
	new->data = m->data;
	new->anchors = m->anchors;
	new->mirror = &new->unmirrored;
	ring_shape(new, size);
	move->mirror = m->mirror ?: &r->unmirrored;
	move->old_data = r->data;
	move->old_anchors = r->anchors;
	ring_resize_begin(r, move);
}

static struct ring_view view_of(const struct ring *r)
{
	struct ring_view v;

	ring_view(r, &v);
	return v;
}

/* Copy a record. If it does not fit, it and all older records count as overwritten. */
static void copy_record(struct ring *new, const struct ring_record *rec, u64 idx)
{
	struct ring_record *to;
	bool crossed;
	u64 now;

	ring_enter(new);
	to = ring_reserve(new, rec->len, rec->word >> RING_TYPE_SHIFT, &now, &crossed);
	if (to)
		memcpy(to, rec, (size_t)ring_units(rec->len) * RING_UNIT);
	ring_leave(new);
	if (!to)
		ring_resize_restart(new, view_of(new).head.pos, idx + 1);
}

/* Copy the complete records of @buf. */
static void copy_records(struct ring_move *move, u32 units)
{
	u32 i = 0, size;

	while (i < units) {
		const struct ring_record *rec = (const void *)&move->buf[i];
		const bool pad = rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD;

		if (!pad && units - i < RING_HEADER / RING_UNIT + 1)
			break;
		size = ring_record_units(rec);
		if (size > units - i)
			break;
		if (!pad) {
			copy_record(&move->new, rec, move->at.idx);
			move->at.idx++;
		}
		move->at.pos += size;
		i += size;
	}
}

/**
 * ring_resize_copy() - copy complete records
 * @r: the ring, locked
 * @move: filled in by ring_resize_prepare()
 * @most: stop after about this many units
 *
 * If the writer overwrites records before they are copied, these and all older ones are lost, since
 * a ring has no gaps.
 *
 * Return: true if at some instant in the call all records had been copied.
 */
bool ring_resize_copy(const struct ring *r, struct ring_move *move, u32 most)
{
	struct ring *new = &move->new;
	u32 units, done = 0;

	/*
	 * Begin again if positions in the old memory have come too near to those in the new memory.
	 */
	if (move->at.pos + MARGIN_UNITS > view_of(new).tail.pos)
		ring_resize_begin(r, move);
	do {
		if (ring_fetch(r, &move->at, RING_MOVE_UNITS, move->buf, &units))
			ring_resize_restart(new, view_of(new).head.pos, move->at.idx);
		copy_records(move, units);
		done += units;
	} while (units && done < most);
	return !units;
}

/* Are all records copied? If so, the ring can move while its head stays the same. */
static bool is_copied(const struct ring *r, struct ring_move *move)
{
	/* Load the head first: a reservation after this changes it, and so is detected. */
	move->head = ring_load(&r->head);
	barrier();
	move->tail = ring_load(&r->tail);
	move->pos_epoch = READ_ONCE(r->pos_epoch);
	move->idx_epoch = READ_ONCE(r->idx_epoch);
	return move->head == ring_word(move->at.pos, move->at.idx);
}

/**
 * ring_resize_move() - copy the last records, and give the ring its new memory
 * @r: the ring, locked by the caller, or by the CPU that has sent the interrupt and waits for it
 * @move: filled in by ring_resize_prepare()
 * @most: stop copying after about this many units
 *
 * Context: in an interrupt of the CPU that writes the ring, or anywhere while it is offline.
 * Return: false if this interrupted a writer, or more records must be copied.
 */
bool ring_resize_move(struct ring *r, struct ring_move *move, u32 most)
{
	bool moved = false;

	while (!moved) {
		if (ring_nest(r) || !ring_resize_copy(r, move, most))
			return false;
		/* From here on, NMIs are nested writers: they do not move commit. */
		ring_enter(r);
		if (is_copied(r, move)) {
			WRITE_ONCE(r->move, move);
			barrier();
			/* From here on, a writer takes the slow path, which calls ring_move(). */
			WRITE_ONCE(r->prepared, (u32)move->head);
			barrier();
			/* Does nothing if an NMI has just reserved in the old memory. */
			ring_move(r);
			moved = r->data == move->new.data;
			WRITE_ONCE(r->move, NULL);
			barrier();
		}
		ring_leave(r);
	}
	return true;
}

/*
 * Complete a move to other memory. The ring is locked. @m: the new memory, as in
 * ring_resize_prepare(); set to the old memory
 */
void ring_resize_done(struct ring *r, const struct ring_move *move, struct ring_memory *m)
{
	const struct ring_memory old = {
		.data = move->old_data, .anchors = move->old_anchors, .lent = r->lent,
	};

	r->lent = m->lent;
	r->moves++;
	*m = old;
}

/* Refuse records too long for a smaller size. Return true if the caller must wait for writers. */
bool ring_shrink_limit(struct ring *r, unsigned long size)
{
	if (ring_too_long(size) >= READ_ONCE(r->too_long))
		return false;
	WRITE_ONCE(r->too_long, ring_too_long(size));
	return true;
}

/* After a resize: allow records as long as the ring's size allows. */
void ring_open(struct ring *r)
{
	WRITE_ONCE(r->too_long, ring_too_long((unsigned long)(r->mask + 1) * RING_UNIT));
}
