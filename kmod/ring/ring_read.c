// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a ring from any CPU while its owner writes
 *
 * Only ring_clear() writes to the ring: it moves the place before which readers ignore records.
 * Documentation/ring.rst has the proof.
 *
 * Invariants: A returned record is complete, and the tail had not passed it when its copy ended.
 * Records that the tail passed before their copy are counted exactly.
 */
#include "ring_read.h"

bool ring_exists(const struct ring *r)
{
	/* LMM(exists:B): pairs with init:A. */
	return smp_load_acquire(&r->data);
}

/* Extend a 32-bit counter that has passed at least @epoch quarters to 64 bits. */
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
 * ring_view() - take a snapshot of what the ring holds
 * @r: any CPU's ring, existing
 * @v: filled in: tail <= commit <= head, each valid at some instant in the call
 *
 * Loads the tail first, so that it is not past the head. The writer moves a counter before it
 * counts the epoch, so epochs are loaded before the counters.
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
		/*
		 * LMM(view:A): If the load of an epoch reads the store of cross:A, then the head
		 * loaded below has passed that quarter. Tail and epochs are loaded before commit
		 * and head.
		 */
		smp_rmb();
		v->busy = READ_ONCE(r->nest);
		/* LMM(view:B): pairs with leave:A. */
		commit = ring_load_acquire(&r->commit);
		head = ring_load(&r->head);
		/*
		 * Between the loads of tail and head, the writer went once around the ring: try
		 * again.
		 */
	} while (unlikely((u32)head - (u32)tail > r->mask + 1 ||
			  (u32)commit - (u32)tail > r->mask + 1));
	ring_snapshot_end();

	v->busy |= commit != head;
	v->head.pos = ring_widen(head, pos_epoch);
	v->head.idx = ring_widen(head >> 32, idx_epoch);
	ring_place_before(&v->tail, tail, head, &v->head);
	ring_place_before(&v->commit, commit, head, &v->head);
}

/*
 * Set @at to the oldest place that may be read, and @lost to the number of records overwritten
 * since the last clear.
 */
void ring_oldest(const struct ring *r, struct ring_place *at, u64 *lost)
{
	struct ring_view v;

	ring_view(r, &v);
	*at = v.tail.pos >= r->cleared.pos ? v.tail : r->cleared;
	*lost = at->idx - r->cleared.idx;
}

/* Hide all records committed so far from readers. The caller informs the readers. */
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
 * @at: where to read; moved to the tail if the tail has passed it
 * @room: size of @buf in units, at least the largest record
 * @buf: filled with records, the first at @at
 * @units: units filled; the last record may be cut off
 *
 * The copy races with the writer. Records that the tail passed by the end of the copy may be torn
 * and are discarded. The tail is always the beginning of a record, so the rest begins with a
 * record, too. If nothing remains but the ring has more, the copy is repeated: 0 units mean that at
 * some instant in the call the ring had nothing to read.
 *
 * Return: number of records overwritten before they could be copied.
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

		/*
		 * LMM(fetch:B): If the copy reads from a record that overwrites an older one,
		 * then the tail loaded below is past the older one. Pairs with reserve:A.
		 */
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
 * Move @at to the first record of @buf at or after time @ts and index @idx. Return false if there
 * is none.
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

/*
 * Set @p to the first record that begins in a block, which the tail may have passed. Return false
 * if there is no such record.
 */
bool ring_anchor(const struct ring *r, u32 block, struct ring_place *p)
{
	const u64 anchor = ring_load(&r->anchors[block]);
	struct ring_view v;

	ring_view(r, &v);
	ring_place_before(p, anchor, ring_word((u32)v.head.pos, (u32)v.head.idx), &v.head);
	return ((u32)anchor & r->mask) >> r->block_shift == block && p->pos < v.commit.pos;
}

/* If a record begins in the block, and the first one is older than @ts, move @at to it. */
static void ring_find_block(const struct ring *r, u64 ts, u64 now, u32 block,
			    struct ring_place *at, u64 *buf, u32 units)
{
	struct ring_place p;
	u32 n;

	if (!ring_anchor(r, block, &p) || p.pos <= at->pos)
		return;
	/*
	 * If the tail has passed the anchor, ring_fetch() reads at the tail, which serves as well.
	 */
	ring_fetch(r, &p, units, buf, &n);
	if (n < 2 || buf[0] >> RING_TYPE_SHIFT == RING_TYPE_PAD)
		return;
	if (ring_ts(buf[0], now) < ts)
		*at = p;
}

/**
 * ring_find_step() - one step of the search for the first record at or after a time
 * @r: any CPU's ring, existing
 * @ts: the time, trace clock ns
 * @now: trace clock, not before any record that may be returned
 * @step: 0 at first, and again when the ring got other memory between two steps
 * @at: progress of the search; in the end that record, or the place after the newest
 * @buf: working space
 * @units: its size in units, at least the largest record
 *
 * Anchors narrow the search to one block, then records are compared one by one. Each step reads
 * one anchor, or fills @buf once.
 *
 * Return: true when the search has ended.
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
 * ring_place_step() - one step of the search for a record's place after a resize
 * @r: any CPU's ring, existing
 * @idx: index of the record
 * @step: as in ring_find_step()
 * @at: progress of the search; in the end the record's place, or that of the oldest if the
 *	record was overwritten
 * @buf: working space
 * @units: its size in units, at least the largest record
 *
 * Return: true when the search has ended.
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
