// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a ring, from any CPU, while its owner writes
 *
 * Nothing here writes to the ring, but for ring_clear(), which moves the place below which
 * nothing is to be read. See Documentation/ring.rst for the argument.
 *
 * Invariants. A record that is returned was complete, and the tail had not passed it when
 * the copy was done. Records that the tail passed before they were copied are counted, exactly.
 */
#include "ring_read.h"

/* Whether there is anything to read; LMM(exists:B) pairs with init:A. */
bool ring_exists(const struct ring *r)
{
	/* Pairs with init:A. */
	return smp_load_acquire(&r->data);
}

/* A 32-bit counter that is known to have passed at least epoch quarters. */
static u64 ring_widen(u32 value, unsigned long epoch)
{
	u32 ahead = ((value >> 30) - (u32)epoch) & 3;

	return ((u64)epoch + ahead) << 30 | (value & 0x3fffffff);
}

static void ring_place_before(struct ring_place *p, u64 word, u64 head,
			      const struct ring_place *whead)
{
	p->pos = whead->pos - (u32)((u32)head - (u32)word);
	p->idx = whead->idx - (u32)((head >> 32) - (word >> 32));
}

/**
 * ring_view() - what the ring holds now
 * @r: any CPU's ring, existing
 * @v: filled in: tail <= commit <= head, each true at some instant in the call
 *
 * The tail is loaded first, so that it cannot be past the head. Epochs are
 * counted after the counters move, so they are loaded before them.
 */
void ring_view(const struct ring *r, struct ring_view *v)
{
	unsigned long pos_epoch, idx_epoch;
	u64 tail, commit, head;

	ring_snapshot_begin();
	do {
		tail = ring_load(&r->tail);
		pos_epoch = READ_ONCE(r->pos_epoch);
		idx_epoch = READ_ONCE(r->idx_epoch);
		/* LMM(view:A): tail and epochs before commit and head; pairs with cross:A. */
		smp_rmb();
		v->busy = READ_ONCE(r->nest);
		/* LMM(view:B): pairs with leave:A. */
		commit = ring_load_acquire(&r->commit);
		head = ring_load(&r->head);
		/* A writer lapped us between tail and head: look again. */
	} while (unlikely((u32)head - (u32)tail > r->mask + 1 ||
			  (u32)commit - (u32)tail > r->mask + 1));
	ring_snapshot_end();

	v->busy |= commit != head;
	v->head.pos = ring_widen(head, pos_epoch);
	v->head.idx = ring_widen(head >> 32, idx_epoch);
	ring_place_before(&v->tail, tail, head, &v->head);
	ring_place_before(&v->commit, commit, head, &v->head);
}

/**
 * ring_oldest() - the oldest place that may be read
 * @r: any CPU's ring
 * @at: filled in
 * @lost: how many records were overwritten since the ring was cleared
 */
void ring_oldest(const struct ring *r, struct ring_place *at, u64 *lost)
{
	struct ring_view v;

	ring_view(r, &v);
	*at = v.tail.pos >= r->cleared.pos ? v.tail : r->cleared;
	*lost = at->idx - r->cleared.idx;
}

/**
 * ring_clear() - let nothing that is committed now be read again
 * @r: any CPU's ring
 *
 * The caller tells the readers.
 */
void ring_clear(struct ring *r)
{
	struct ring_view v;
	int i;

	ring_view(r, &v);
	r->cleared = v.commit;
	for (i = 0; i < RING_DROP_CAUSES; i++)
		r->cleared_drops[i] = ring_count_read(&r->dropped[i]);
}

/**
 * ring_fetch() - copy the next records out of the ring
 * @r: any CPU's ring, existing
 * @at: where to read; moved to the tail if that has passed it
 * @room: units of room in @buf, at least the largest record
 * @buf: whole records, from @at on
 * @units: how many units of @buf are filled; records may be cut off at the end
 *
 * The copy races with the writer. Records that the tail has passed by the time the
 * copy is done may be torn and are discarded; since the tail always stands
 * at the beginning of a record, so does what is left. If nothing is left, but
 * there is more, it is copied in turn: so if no units are returned, nothing
 * was there to read at some instant in the call.
 *
 * Return: how many records were overwritten before they could be copied.
 */
u64 ring_fetch(const struct ring *r, struct ring_place *at, u32 room,
	       u64 *buf, u32 *units)
{
	struct ring_view v;
	u64 lost = 0;
	u32 n, to_end, skip;

	*units = 0;
	ring_view(r, &v);
	do {
		if (v.tail.pos > at->pos) {
			lost += v.tail.idx - at->idx;
			*at = v.tail;
		}
		if (v.commit.pos <= at->pos)
			return lost;
		n = min_t(u64, v.commit.pos - at->pos, room);
		to_end = r->mask + 1 - ((u32)at->pos & r->mask);
		n = min(n, to_end);
		ring_copy_out(buf, ring_at(r, (u32)at->pos), n);

		/* LMM(fetch:B): the copy before the tail; pairs with reserve:A. */
		smp_rmb();
		ring_view(r, &v);
	} while (unlikely(v.tail.pos >= at->pos + n));

	if (v.tail.pos > at->pos) {
		lost += v.tail.idx - at->idx;
		skip = v.tail.pos - at->pos;
		*at = v.tail;
		n -= skip;
		memmove(buf, buf + skip, (size_t)n * RING_UNIT);
	}
	*units = n;
	return lost;
}

/*
 * The first record in @buf at or after @ts, and not before index @idx; whether it
 * is there.
 */
static bool ring_find_in(struct ring_place *at, u64 ts, u64 now, u64 idx,
			 const u64 *buf, u32 units)
{
	u32 i = 0;

	while (i < units) {
		const struct ring_record *rec = (const void *)&buf[i];
		bool pad = rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD;
		u32 size;

		if (!pad && units - i < RING_HEADER / RING_UNIT + 1)
			break;
		size = ring_record_units(rec);
		if (size > units - i)
			break;
		if (!pad && at->idx >= idx && ring_ts(rec->word, now) >= ts)
			return true;
		at->pos += size;
		at->idx += !pad;
		i += size;
	}
	return false;
}

/* Whether the first record of a block is there, and older than @ts; then it is @at. */
static void ring_find_block(const struct ring *r, u64 ts, u64 now, u32 block,
			    struct ring_place *at, u64 *buf, u32 units)
{
	u64 anchor = ring_load(&r->anchors[block]), head;
	struct ring_place p;
	struct ring_view v;
	u32 n;

	ring_view(r, &v);
	head = ring_word((u32)v.head.pos, (u32)v.head.idx);
	ring_place_before(&p, anchor, head, &v.head);
	if (p.pos <= at->pos || p.pos >= v.commit.pos)
		return;
	/* If the tail has passed it, this is the tail: as good. */
	ring_fetch(r, &p, units, buf, &n);
	if (n < 2 || buf[0] >> RING_TYPE_SHIFT == RING_TYPE_PAD)
		return;
	if (ring_ts(buf[0], now) < ts)
		*at = p;
}

/**
 * ring_find_step() - a step towards the first record at or after a time
 * @r: any CPU's ring, existing
 * @ts: trace clock, ns
 * @now: trace clock, not before any record that may be returned
 * @step: 0 at first, and again when the ring has got other memory between two steps
 * @at: where it has come to; at last that record, or the place behind the newest
 * @buf: to work in
 * @units: its size, at least the largest record
 *
 * Anchors narrow the search down to one block; within it records are walked. A step
 * looks at one block, or copies @buf full of records once.
 *
 * Return: whether it has come there.
 */
bool ring_find_step(const struct ring *r, u64 ts, u64 now, u32 *step, struct ring_place *at,
		    u64 *buf, u32 units)
{
	const u32 blocks = (r->mask + 1) >> r->block_shift;
	u64 lost;
	u32 n;

	if (!*step)
		ring_oldest(r, at, &lost);
	if (*step < blocks) {
		ring_find_block(r, ts, now, (*step)++, at, buf, units);
		return false;
	}
	ring_fetch(r, at, units, buf, &n);
	return !n || ring_find_in(at, ts, now, 0, buf, n);
}

/**
 * ring_place_step() - a step towards where the record of an index is, after a resize
 * @r: any CPU's ring, existing
 * @idx: the index
 * @step: as that of ring_find_step()
 * @at: where it has come to; at last its place, or, if it is gone, that of the oldest
 *	record
 * @buf: to work in
 * @units: its size, at least the largest record
 *
 * Return: whether it has come there.
 */
bool ring_place_step(const struct ring *r, u64 idx, u32 *step, struct ring_place *at,
		     u64 *buf, u32 units)
{
	struct ring_view v;
	u32 n;

	if (!*step) {
		ring_view(r, &v);
		*at = v.tail;
		*step = 1;
	}
	if (at->idx >= idx)
		return true;
	ring_fetch(r, at, units, buf, &n);
	return !n || ring_find_in(at, 0, 0, idx, buf, n) || at->idx >= idx;
}
