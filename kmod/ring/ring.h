/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A per-CPU ring of whole records; the newest replace the oldest
 *
 * One CPU writes a ring, from any context: interrupts and NMIs nest. Any CPU reads it. Writers
 * never wait, and readers never write. Invariants, proved in Documentation/ring.rst:
 *
 * - [tail, commit) holds complete records only;
 * - a byte is overwritten only after the tail has moved past its record;
 * - records are counted: the n-th record ever reserved has index n. Tail and head carry the
 *   index of the record there in the same word as its position, so a reader knows exactly how
 *   many records it lost.
 *
 *	          tail              commit       head
 *	           |                 |            |
 *	    free   |    complete     | unfinished |   free
 *	           |     records     |  records   |
 *
 * The fast paths of writing are here, the slow paths in ring.c, reading in ring_read.c, memory
 * in ring_memory.c. None of them depends on files, frames or netlink. selftests/ring compiles them
 * in user space and tests the invariants.
 */
#ifndef DEVTRACE_RING_H
#define DEVTRACE_RING_H

#ifdef __KERNEL__
#include "ring_port.h"
#else
#include "ring_port_user.h"
#endif

/* Positions count units of 8 bytes; every record is aligned to a unit. */
#define RING_UNIT		8
#define RING_SIZE_MIN		1024UL
#define RING_SIZE_MAX		0x80000000UL
#define RING_BLOCKS_MAX		256
#define RING_PAYLOAD_MAX	4000
/* Size of the largest record, in units. */
#define RING_UNITS_MAX		502

/* Causes of a drop, numbered as in enum devtrace_cause. */
#define RING_DROP_CAUSES	6
#define RING_DROP_BUSY		2
#define RING_DROP_TOOBIG	3
#define RING_DROP_NORING	4
#define RING_DROP_STOPPED	5

/**
 * struct ring_record - 14 bytes of header, then the payload
 * @word: bits 0-55 trace clock, bits 56-63 type
 * @who: bits 0-21 thread id; 22-23 context; 24: a program emitted it; 25: @data begins with a
 *	code; 26: an object and a signal come next in @data; 27: @data has addresses; 28-31 severity
 * @len: bytes of payload
 * @data: the payload
 *
 * Type 0 is padding before the end of the ring: it has only @word, whose low half is the number
 * of units to skip. Indices do not count padding.
 */
struct ring_record {
	u64	word;
	u32	who;
	u16	len;
	u8	data[];
} __packed;

#define RING_HEADER		14
#define RING_TYPE_SHIFT		56
#define RING_TS_MASK		((1ULL << RING_TYPE_SHIFT) - 1)
#define RING_TYPE_PAD		0
/* A record that its writer withdrew; indices count it. */
#define RING_TYPE_VOID		59

#define RING_WHO_TID		0x003fffffU
#define RING_WHO_CTX		0x00c00000U
#define RING_WHO_CTX_SHIFT	22
#define RING_WHO_USER		BIT(24)
#define RING_WHO_CODE		BIT(25)
#define RING_WHO_OBJSIG		BIT(26)
#define RING_WHO_PTR		BIT(27)
#define RING_WHO_SEV_SHIFT	28

/* A place in a ring: position in units, and index. Both have 64 bits and never wrap. */
struct ring_place {
	u64	pos;
	u64	idx;
};

struct ring_move;

/**
 * struct ring - one CPU's ring
 * @head: end of the newest reservation
 * @tail: the oldest record
 * @commit: end of the complete records
 * @nest: number of nested writers on this CPU, plus RING_HOLD while one holds
 * @prepared: position, in units, up to which a reservation only moves @head
 * @mask: units in the ring - 1
 * @gate: length limit of the fast path: @too_long, or 0 while writers must look into the filter
 *	table
 * @too_long: payloads must be shorter, bytes; 0: there is no ring
 * @block_shift: log2 of the units in a block, see @anchors
 * @data: memory of the ring; NULL: there is no ring
 * @anchors: for each block, the first record that begins in it
 * @pos_epoch: number of quarters of 2^32 that the position has passed
 * @idx_epoch: number of quarters of 2^32 that the index has passed
 * @mirror: copy of @commit in memory that survives a reset; else points to @unmirrored
 * @unmirrored: default target of @mirror, never read
 * @lent: the owner of @data and @anchors frees them, not the ring
 * @move: set by ring_resize_move() while writers of this CPU must finish the move; else NULL
 * @dropped: events dropped, by cause; incremented in any context
 * @cleared: readers ignore records before this place; protected by @lock
 * @cleared_drops: @dropped at the last clear; protected by @lock
 * @moves: number of moves to other memory; wraps; protected by @lock
 * @lock: serializes readers, clear and resize; writers never take it
 *
 * @head, @tail, @commit and @anchors each hold a position in units (low half) and the index of the
 * record there (high half). The owning CPU alone writes them, and @nest, @prepared and the epochs,
 * even in a resize. Reading functions other than ring_exists() and ring_view() need @lock. The
 * lock is held with preemption off, for at most one copy into a reader's buffer.
 */
struct ring {
	ring_word_t	head;
	ring_word_t	tail;
	ring_word_t	commit;
	unsigned int	nest;
	u32		prepared;
	u32		mask;
	u16		gate;
	u16		too_long;
	u8		block_shift;
	u8		*data;
	ring_word_t	*anchors;
	unsigned long	pos_epoch;
	unsigned long	idx_epoch;
	u64		*mirror;
	u64		unmirrored;
	bool		lent;
	struct ring_move *move;
	ring_count_t	dropped[RING_DROP_CAUSES];
	struct ring_place cleared;
	u64		cleared_drops[RING_DROP_CAUSES];
	unsigned int	moves;
	ring_lock_t	lock;
};

/* Units of records that are copied at a time. */
#define RING_MOVE_UNITS	1024

/**
 * struct ring_move - a move of a ring to other memory: see ring_resize.c
 * @new: the ring in the new memory, with the records before @at
 * @at: place of the oldest record that is not copied yet
 * @mirror: the ring's @mirror after the move
 * @old_data: the ring's @data before the move
 * @old_anchors: the ring's @anchors before the move
 * @head: the ring's head when all records were copied. The move is completed only if the
 *	head is still the same.
 * @tail: the ring's tail, loaded after @head
 * @pos_epoch: the ring's @pos_epoch, loaded after @head
 * @idx_epoch: the ring's @idx_epoch, loaded after @head
 * @buf: a copy of records of the ring
 */
struct ring_move {
	struct ring	new;
	struct ring_place at;
	u64		*mirror;
	u8		*old_data;
	ring_word_t	*old_anchors;
	u64		head;
	u64		tail;
	unsigned long	pos_epoch;
	unsigned long	idx_epoch;
	u64		buf[RING_MOVE_UNITS];
};

static inline u32 ring_units(unsigned int len)
{
	return (RING_HEADER + len + RING_UNIT - 1) / RING_UNIT;
}

static inline void *ring_at(const struct ring *r, u32 pos)
{
	return r->data + (size_t)(pos & r->mask) * RING_UNIT;
}

/* Size of the record or padding at @rec, in units. */
static inline u32 ring_record_units(const struct ring_record *rec)
{
	u64 word = rec->word;

	if (likely(word >> RING_TYPE_SHIFT != RING_TYPE_PAD))
		return ring_units(rec->len);
	return (u32)word;
}

static inline u64 ring_word(u32 pos, u32 idx)
{
	return (u64)idx << 32 | pos;
}

/*
 * To write records, disable preemption, call ring_enter(), call ring_reserve() for each record and
 * fill it in, and call ring_leave().
 */
static inline void ring_enter(struct ring *r)
{
	/*
	 * Increment nest before the clock is read. If a reader finds nest 0, no event older than
	 * the reader's clock can still come (see source_ring.c).
	 */
	ring_inc(&r->nest);
	barrier();
}

/* Call on the owning CPU. */
static inline unsigned int ring_nest(const struct ring *r)
{
	/* An interrupt restores the value before it returns, so every load reads the same. */
	return data_race(r->nest);
}

void ring_leave_slow(struct ring *r, u64 head);

/* Leave as a nested writer: the outermost writer moves commit. */
static inline void ring_leave_nested(struct ring *r)
{
	WRITE_ONCE(r->nest, ring_nest(r) - 1);
}

/* Leave as the outermost writer. */
static inline void ring_leave_last(struct ring *r)
{
	u64 head;

	barrier();
	/*
	 * LMM(leave:A): If a reader reads this commit, then it reads all stores to the records
	 * before it. Pairs with view:B.
	 */
	head = ring_load(&r->head);
	ring_store_release(&r->commit, head);
	/* Store the copy after the records, too: if it survives a reset, the records do. */
	ring_mirror(r->mirror, head);
	barrier();
	WRITE_ONCE(r->nest, 0);
	barrier();
	/* A writer that nested between the load of head and nest = 0 has left commit to us. */
	if (unlikely(ring_load(&r->head) != head))
		ring_leave_slow(r, head);
}

static inline void ring_leave(struct ring *r)
{
	barrier();
	if (likely(ring_nest(r) == 1))
		ring_leave_last(r);
	else
		ring_leave_nested(r);
}

/*
 * A writer holds the ring while it decides whether to reserve. Meanwhile readers assume that an
 * event may still come, and no nested writer moves commit.
 */
#define RING_HOLD		0x100U

static inline void ring_hold(struct ring *r)
{
	WRITE_ONCE(r->nest, ring_nest(r) + RING_HOLD);
	barrier();
}

static inline void ring_let_go(struct ring *r)
{
	barrier();
	if (likely(ring_nest(r) == RING_HOLD)) {
		WRITE_ONCE(r->nest, 1);
		ring_leave_last(r);
	} else {
		WRITE_ONCE(r->nest, ring_nest(r) - RING_HOLD);
	}
}

/* Number of nested writers, without a writer that holds the ring. */
static inline unsigned int ring_nested(const struct ring *r)
{
	return ring_nest(r) & (RING_HOLD - 1);
}

/* Withdraw a record before ring_leave(). */
static inline void ring_void(struct ring_record *rec)
{
	ring_put64(&rec->word, (u64)RING_TYPE_VOID << RING_TYPE_SHIFT |
			       (rec->word & RING_TS_MASK));
}

/* A reserved record and its time, returned in two registers. */
struct ring_reserved {
	struct ring_record *rec;
	u64	ts;
};

u64 ring_evict(struct ring *r, u64 tail, u32 want);
void ring_move(struct ring *r);
struct ring_reserved ring_reserve_slow(struct ring *r, unsigned int len, unsigned int type);

/* Fill in the header's type, time and length. */
static __always_inline struct ring_record *
ring_begin(struct ring *r, u32 pos, unsigned int len, unsigned int type, u64 ts)
{
	struct ring_record *rec = ring_at(r, pos);

	ring_put64(&rec->word, (u64)type << RING_TYPE_SHIFT | (ts & RING_TS_MASK));
	ring_put16(&rec->len, len);
	/* Tell the compiler that rec is not NULL. */
	if (!rec)
		__builtin_unreachable();
	return rec;
}

/* Did the head enter another block with this record? */
static inline bool ring_began_block(const struct ring *r,
				    const struct ring_record *rec, u32 units)
{
	u32 pos = ((const u8 *)rec - r->data) / RING_UNIT;

	return !pos || (pos ^ (pos + units)) >> r->block_shift;
}

/**
 * ring_try_reserve() - the fast path of ring_reserve()
 * @r: this CPU's ring, entered
 * @len: bytes of payload, less than r->gate
 * @type: event type, not 0
 * @old: the head, loaded before the clock was read
 * @ts: trace clock, ns
 *
 * Up to r->prepared nothing has to be evicted, padded or anchored: ring_reserve_slow() did that,
 * and set r->prepared within the block.
 *
 * Return: the record; NULL if the slow path is needed, or the head has moved.
 */
static __always_inline struct ring_record *
ring_try_reserve(struct ring *r, unsigned int len, unsigned int type, u64 old, u64 ts)
{
	const u32 units = ring_units(len);
	/* No carry into the index: r->prepared ends before the position wraps. */
	const u64 new = old + (1ULL << 32) + units;

	if (likely((s32)(READ_ONCE(r->prepared) - (u32)new) >= 0 &&
		   ring_try_cmpxchg(&r->head, old, new)))
		return ring_begin(r, (u32)old, len, type, ts);
	return NULL;
}

/**
 * ring_reserve() - reserve one record at the head
 * @r: this CPU's ring, entered
 * @len: bytes of payload, less than r->gate
 * @type: event type, not 0
 * @now: set to the time of the record, trace clock ns
 * @crossed: set to true if the head entered another block
 *
 * Fills in the header's word and length; the caller stores who and data before ring_leave(). The
 * clock is read after the head, and the reservation fails if the head has moved since: so time
 * never runs backwards within a ring.
 *
 * Return: the record; NULL if the ring is full of unfinished records; the drop was counted.
 */
static __always_inline struct ring_record *
ring_reserve(struct ring *r, unsigned int len, unsigned int type, u64 *now,
	     bool *crossed)
{
	const u64 old = ring_load(&r->head);
	const u64 ts = ring_clock();
	struct ring_record *rec = ring_try_reserve(r, len, type, old, ts);
	struct ring_reserved got;

	if (likely(rec)) {
		*now = ts;
		return rec;
	}
	got = ring_reserve_slow(r, len, type);
	*now = got.ts;
	if (got.rec)
		*crossed = ring_began_block(r, got.rec, ring_units(len));
	return got.rec;
}

#endif /* DEVTRACE_RING_H */
