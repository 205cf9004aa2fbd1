/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A per-CPU ring of whole records, the newest replacing the oldest
 *
 * One CPU writes a ring, from any context, interrupts and NMIs nesting on top
 * of each other; any CPU reads it. Writers never wait and readers never write.
 * Invariants, argued in Documentation/ring.rst:
 *
 *  - everything in [tail, commit) is complete records;
 *  - a byte is overwritten only after tail has moved past its record;
 *  - records are counted: the n-th record ever reserved has index n, and tail
 *    and head carry the index of the record that stands there, in one word
 *    with its position, so that a reader knows exactly what it missed.
 *
 * Writing is here and in ring.c, reading in ring_read.c, memory in ring_memory.c. They know
 * nothing of files, frames or netlink. They compile in user space too (selftests/ring),
 * where the invariants are tested.
 */
#ifndef DEVTRACE_RING_H
#define DEVTRACE_RING_H

#ifdef __KERNEL__
#include "ring_port.h"
#else
#include "ring_port_user.h"
#endif

/* Positions count units of 8 bytes; every record is aligned to one. */
#define RING_UNIT		8
#define RING_SIZE_MIN		1024UL
#define RING_SIZE_MAX		0x80000000UL
#define RING_BLOCKS_MAX		256
#define RING_PAYLOAD_MAX	4000
/* The largest record, in units. */
#define RING_UNITS_MAX		502

/* Causes of a drop: the numbers are those of enum devtrace_cause. */
#define RING_DROP_CAUSES	6
#define RING_DROP_BUSY		2
#define RING_DROP_TOOBIG	3
#define RING_DROP_NORING	4
#define RING_DROP_STOPPED	5

/*
 * A record: 14 bytes of header, then the payload.
 *
 *  word	bits 0-55 trace clock, bits 56-63 type
 *  who		bits 0-21 thread id, 22-23 context, 24 user, 25 code,
 *		26 object and signal, 27 pointers inside, 28-31 severity
 *  len		bytes of payload
 *
 * Type 0 is padding before the end of the ring: then only the first word is
 * there, and its low half is the number of units to skip. Padding is not
 * counted by the index.
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
/* A record that its writer took back; counted by the index as any other. */
#define RING_TYPE_VOID		59

#define RING_WHO_TID		0x003fffffU
#define RING_WHO_CTX		0x00c00000U
#define RING_WHO_CTX_SHIFT	22
#define RING_WHO_USER		BIT(24)
#define RING_WHO_CODE		BIT(25)
#define RING_WHO_OBJSIG		BIT(26)
#define RING_WHO_PTR		BIT(27)
#define RING_WHO_SEV_SHIFT	28

/* A place in a ring: a position in units and an index, both never wrapping. */
struct ring_place {
	u64	pos;
	u64	idx;
};

/**
 * struct ring - one CPU's ring
 * @head: where the next reservation goes
 * @tail: the oldest record
 * @commit: everything before it is complete
 * @nest: writers under way on this CPU, one upon the other
 * @prepared: a record that ends here or before takes no more than to move head
 * @mask: units in the ring, less 1
 * @gate: @too_long; 0: the gate is closed, writers look first who wants the event
 * @too_long: payloads must be shorter than this; 0 when there is no ring
 * @block_shift: log2 of the units in a block, see @anchors
 * @data: the ring, NULL when there is none
 * @anchors: for each block, the first record that begins in it
 * @pos_epoch: how many times the position passed a quarter of its range
 * @idx_epoch: the same for the index
 * @mirror: the commit once more, where it may outlive this machine; @unmirrored elsewhere
 * @unmirrored: a place for @mirror to point to, never read
 * @lent: @data and @anchors are somebody else's
 * @dropped: events that were not stored, by cause
 * @cleared: the place below which nothing is to be read
 * @cleared_drops: @dropped at that time
 *
 * @moves: number of times the ring got other memory; wraps
 * @lock: see below
 *
 * head, tail and commit hold a position in units (low half) and the index of
 * the record there (high half). All are written by the owning CPU alone, but
 * for @cleared and @cleared_drops. A caller that clears the ring, gives it other memory,
 * or calls one of the functions for reading holds @lock, but for ring_exists() and
 * ring_view(). @lock is held for one copy of a reader's buffer at the most, with
 * preemption off.
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
	ring_count_t	dropped[RING_DROP_CAUSES];
	struct ring_place cleared;
	u64		cleared_drops[RING_DROP_CAUSES];
	unsigned int	moves;
	ring_lock_t	lock;
};

static inline u32 ring_units(unsigned int len)
{
	return (RING_HEADER + len + RING_UNIT - 1) / RING_UNIT;
}

static inline void *ring_at(const struct ring *r, u32 pos)
{
	return r->data + (size_t)(pos & r->mask) * RING_UNIT;
}

/* Units that the record with this header takes. */
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
 * Writing. Preemption is off from ring_enter() to ring_leave(); between them
 * any number of ring_reserve() calls, each filled in at once.
 */
static inline void ring_enter(struct ring *r)
{
	/*
	 * Before the clock is read: a reader that finds nest 0 knows that no
	 * event older than its own clock is still to come (see source_ring.c).
	 */
	ring_inc(&r->nest);
	barrier();
}

/* On the CPU that writes it. */
static inline unsigned int ring_nest(const struct ring *r)
{
	/* An interrupt restores the value before it returns, so each load finds the same. */
	return data_race(r->nest);
}

void ring_leave_slow(struct ring *r, u64 head);

/* Of nested writers all but the outermost. */
static inline void ring_leave_nested(struct ring *r)
{
	/* The outermost writer moves commit for us. */
	WRITE_ONCE(r->nest, ring_nest(r) - 1);
}

/* The only writer under way. */
static inline void ring_leave_last(struct ring *r)
{
	u64 head;

	barrier();
	/* LMM(leave:A): pairs with view:B; the records come before commit. */
	head = ring_load(&r->head);
	ring_store_release(&r->commit, head);
	/* After the records too: whoever finds it after a reset finds them. */
	ring_mirror(r->mirror, head);
	barrier();
	WRITE_ONCE(r->nest, 0);
	barrier();
	/* An interrupt between the load of head and nest = 0 left it to us. */
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
 * A writer that does not know yet whether it will reserve: until it lets go,
 * readers know that an event may still come, and nobody moves commit.
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

/* Writers under way, those that hold not counted. */
static inline unsigned int ring_nested(const struct ring *r)
{
	return ring_nest(r) & (RING_HOLD - 1);
}

/* Before ring_leave(): the record is none. */
static inline void ring_void(struct ring_record *rec)
{
	ring_put64(&rec->word, (u64)RING_TYPE_VOID << RING_TYPE_SHIFT |
			       (rec->word & RING_TS_MASK));
}

/* A record that was reserved, and its time; two registers. */
struct ring_reserved {
	struct ring_record *rec;
	u64	ts;
};

u64 ring_evict(struct ring *r, u64 tail, u32 want);
struct ring_reserved ring_reserve_slow(struct ring *r, unsigned int len, unsigned int type);

/* Fill in what a record begins with. */
static __always_inline struct ring_record *
ring_begin(struct ring *r, u32 pos, unsigned int len, unsigned int type, u64 ts)
{
	struct ring_record *rec = ring_at(r, pos);

	ring_put64(&rec->word, (u64)type << RING_TYPE_SHIFT | (ts & RING_TS_MASK));
	ring_put16(&rec->len, len);
	/* For the compiler, which does not know. */
	if (!rec)
		__builtin_unreachable();
	return rec;
}

/* Whether the head passed into another block with this record. */
static inline bool ring_began_block(const struct ring *r,
				    const struct ring_record *rec, u32 units)
{
	u32 pos = ((const u8 *)rec - r->data) / RING_UNIT;

	return !pos || (pos ^ (pos + units)) >> r->block_shift;
}

/**
 * ring_try_reserve() - ring_reserve() as far as it takes no more than to move the head
 * @r: this CPU's ring, entered
 * @len: bytes of payload, less than r->gate
 * @type: event type, not 0
 * @old: the head, loaded before the clock was read
 * @ts: trace clock, ns
 *
 * Up to r->prepared there is nothing to evict, to pad or to note down: that was
 * done when r->prepared was set. No boundary of a block is passed.
 *
 * Return: the record; NULL if there is more to be done, or the head has moved.
 */
static __always_inline struct ring_record *
ring_try_reserve(struct ring *r, unsigned int len, unsigned int type, u64 old, u64 ts)
{
	const u32 units = ring_units(len);
	/* No carry: where the position wraps is beyond r->prepared. */
	const u64 new = old + (1ULL << 32) + units;

	if (likely((s32)(READ_ONCE(r->prepared) - (u32)new) >= 0 &&
		   ring_try_cmpxchg(&r->head, old, new)))
		return ring_begin(r, (u32)old, len, type, ts);
	return NULL;
}

/**
 * ring_reserve() - room for one record at the head
 * @r: this CPU's ring, entered
 * @len: bytes of payload, less than r->gate
 * @type: event type, not 0
 * @now: set to the time of the record, trace clock ns
 * @crossed: set to true if a block boundary was passed
 *
 * The record's header word and length are filled in; the caller stores who and
 * data before ring_leave(). The time stamp is read after the position, and the
 * reservation is taken only if the position is still the same, so time never
 * runs backwards within a ring.
 *
 * Return: the record, or NULL if the ring is full of unfinished records; the
 * drop is then counted.
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
