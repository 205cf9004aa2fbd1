// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the ring that are not inlined into the emit path
 *
 * See ring.h for the invariants and Documentation/ring.rst for the argument
 * and the table of barrier pairs. Labels such as LMM(fetch:B) name them.
 */
#include "ring.h"

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
	r->easy = pos;
	ring_store(&r->anchors[(pos >> r->block_shift) & (ring_blocks(size) - 1)], start);
	r->pos_epoch = pos >> 30;
	r->idx_epoch = idx >> 30;
	r->cleared.pos = pos;
	r->cleared.idx = idx;
	/* LMM(init:A): who finds data finds the rest; pairs with exists:B. */
	smp_store_release(&r->data, m.data);
	WRITE_ONCE(r->fits, ring_fits(size));
	WRITE_ONCE(r->limit, ring_fits(size));
	return 0;
}

void ring_free(struct ring *r)
{
	r->limit = 0;
	r->fits = 0;
	ring_dealloc(r->data);
	ring_dealloc(r->anchors);
	r->data = NULL;
	r->anchors = NULL;
}

/* Whether there is anything to read; LMM(exists:B) pairs with init:A. */
bool ring_exists(const struct ring *r)
{
	/* Pairs with init:A. */
	return smp_load_acquire(&r->data);
}

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
u64 ring_evict(struct ring *r, u64 tail, u32 want)
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
 * store to r->easy then is older, hence smaller, and costs it a turn here.
 *
 * Return: the record, NULL if the ring is full of unfinished ones.
 */
struct ring_slot ring_reserve_slow(struct ring *r, unsigned int len, unsigned int type)
{
	const u32 units = ring_units(len), size = r->mask + 1;
	const u32 block = (1U << r->block_shift) - 1;
	u32 pos, pad, end, easy;
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
				return (struct ring_slot){ NULL, ts };
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
	easy = end | block;
	if ((s32)((u32)tail + size - easy) < 0)
		easy = (u32)tail + size;
	WRITE_ONCE(r->easy, easy);

	return (struct ring_slot){ ring_begin(r, end - units, len, type, ts), ts };
}

/**
 * ring_leave_slow() - publish once more
 * @r: this CPU's ring, nest 0
 * @head: what was published last
 *
 * A writer that nested between our load of head and nest = 0 did not publish.
 * One that came after nest = 0 did; publishing again does no harm.
 */
void ring_leave_slow(struct ring *r, u64 head)
{
	do {
		WRITE_ONCE(r->nest, 1);
		barrier();
		head = ring_load(&r->head);
		ring_store_release(&r->commit, head);
		barrier();
		WRITE_ONCE(r->nest, 0);
		barrier();
	} while (unlikely(ring_load(&r->head) != head));
}

/* Reading */

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
	new->easy = head.pos;
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
	/* Who finds data has found the rest before, as behind init:A; or looks with the lock. */
	smp_store_release(&r->data, new->data);
	r->anchors = new->anchors;
	WRITE_ONCE(r->pos_epoch, new->pos_epoch);
	WRITE_ONCE(r->idx_epoch, new->idx_epoch);
	ring_store(&r->tail, ring_load(&new->tail));
	ring_store(&r->commit, ring_load(&new->head));
	ring_store(&r->head, ring_load(&new->head));
	r->easy = new->easy;
	r->cleared.pos = new->cleared.pos;
	r->moves++;
}

/* Writers may come, after a resize. */
void ring_open(struct ring *r)
{
	WRITE_ONCE(r->fits, ring_fits((unsigned long)(r->mask + 1) * RING_UNIT));
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
 * @limit: units of room in @buf, at least the largest record
 * @buf: whole records, from @at on
 * @units: how many units of @buf are filled; records may be cut off at the end
 *
 * The copy races with the writer. What the tail has passed by the time the
 * copy is done may be torn and is thrown away; since the tail always stands
 * at the beginning of a record, so does what is left. If nothing is left, but
 * there is more, it is copied in turn: so if no units are returned, nothing
 * was there to read at some instant in the call.
 *
 * Return: how many records were overwritten before they could be copied.
 */
u64 ring_fetch(const struct ring *r, struct ring_place *at, u32 limit,
	       u64 *buf, u32 *units)
{
	struct ring_view v;
	u64 lost = 0;
	u32 n, room, skip;

	*units = 0;
	ring_view(r, &v);
	do {
		if (v.tail.pos > at->pos) {
			lost += v.tail.idx - at->idx;
			*at = v.tail;
		}
		if (v.commit.pos <= at->pos)
			return lost;
		n = min_t(u64, v.commit.pos - at->pos, limit);
		room = r->mask + 1 - ((u32)at->pos & r->mask);
		n = min(n, room);
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
