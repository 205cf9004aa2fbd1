// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_lane.c - write an event into the thread's lane; all events enter here
 *
 * A lane is memory that the kernel reads: see <linux/devtrace_lane.h>, and Documentation/lanes.rst
 * for the order of the stores. A valid event that may go into the lane costs no system call. All
 * others go to dt_emit_by_call(), where the kernel checks them.
 *
 * The thread first begins the next block and then hands over the full one by a system call, so
 * that a signal handler can write to the next block during that call. If the block to be
 * overwritten has not been taken by the kernel, the library first asks the kernel to do so. If
 * the thread must not make system calls, the block is overwritten and the kernel counts the loss.
 *
 * Invariants. The library never uses a value read from the lane, except for the words that the
 * kernel writes. The first @used bytes of a block are complete records. A record becomes valid
 * when @used is stored, so nothing must be undone wherever the thread is killed.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_clock.h"
#include "emit_filter.h"
#include "emit_image.h"
#include "emit_lane.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define noinline	__attribute__((noinline))
#define inlined		static inline __attribute__((always_inline))

#define BLOCK_HEAD	sizeof(struct devtrace_lane_block)
#define NS_BITS_LATE	48

inlined uint32_t lanes_word(uint32_t type)
{
	return __atomic_load_n(&devtrace_control.lanes[type >> 5], __ATOMIC_RELAXED);
}

/*
 * True if the kernel lets events of the type go into lanes, and the program does not filter it. A
 * plain load is enough: while the word is being changed, both the old and the new value are right.
 */
inlined bool may_go_into_lane(uint32_t type)
{
	return (lanes_word(type) & dt_filter_easy[type >> 5]) >> (type & 31) & 1;
}

/* The same test for events that have a code, or an object and a signal. */
inlined bool any_may_go_into_lane(uint32_t type)
{
	return (lanes_word(type) & dt_filter_easy_ids[type >> 5]) >> (type & 31) & 1;
}

inlined void lane_store32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/*
 * Load the first four bytes of an event: for an event without flags and severity this is its type.
 */
inlined uint32_t load_head(const void *event)
{
	uint32_t v;

	memcpy(&v, event, sizeof(v));
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap32(v);
}

/*
 * Copy 16 bytes at a time; @size is at least 16. The last copy overlaps the previous one, so that
 * no byte behind the end of either buffer is touched.
 */
inlined void copy_long(uint8_t *to, const uint8_t *from, size_t size)
{
	size_t i;

	for (i = 0; i < size - 16; i += 16)
		memcpy(to + i, from + i, 16);
	memcpy(to + size - 16, from + size - 16, 16);
}

inlined void lane_copy8(uint8_t *to, const uint8_t *from, size_t size)
{
	memcpy(to, from, 8);
	memcpy(to + size - 8, from + size - 8, 8);
}

inlined void lane_copy4(uint8_t *to, const uint8_t *from, size_t size)
{
	memcpy(to, from, 4);
	memcpy(to + size - 4, from + size - 4, 4);
}

/*
 * Copy an event. The first test is for the most frequent size: 8 to 16 bytes, for example an event
 * with two integers.
 */
inlined void copy_event(uint8_t *to, const uint8_t *from, size_t size)
{
	if (likely(size - 8 <= 8))
		lane_copy8(to, from, size);
	else if (size > 16)
		copy_long(to, from, size);
	else
		lane_copy4(to, from, size);
}

inlined void copy_string(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len > 16)
		copy_long(to, from, len);
	else if (len >= 8)
		lane_copy8(to, from, len);
	else if (len >= 4)
		lane_copy4(to, from, len);
	else
		while (len--)
			to[len] = from[len];
}

/*
 * Complete the record that ends at @at. l->at is stored before @ready is set, because from then on
 * a signal handler may write the next record.
 */
inlined void lane_finish(struct lane *l, uint8_t *at, uint64_t t)
{
	l->at = at;
	l->last = t;
	l->count++;
	/* LMM(lane_write:C): store the record before @used; pairs with lane_read:C. */
	__atomic_store_n(&l->block->used, (uint16_t)(at - (uint8_t *)l->block), __ATOMIC_RELEASE);
	/*
	 * Store the record before busy = 0, so that a kernel that sees an idle thread also sees
	 * its record.
	 */
	__atomic_store_n(&l->head->busy, 0, __ATOMIC_RELEASE);
	lane_handler_barrier();
	l->ready = 1;
}

/* Begin the next block, whose first record has this time and CPU. */
static noinline void enter_block(struct lane *l, uint64_t t, uint32_t cpu)
{
	const uint32_t n = l->number + 1;
	struct devtrace_lane_block *b;

	/*
	 * If the kernel has not yet taken the block that is to be overwritten, hand it over
	 * first.
	 */
	if (unlikely((int32_t)(l->handed - (n - l->mask - 1)) <= 0) && l->calls)
		dt_lane_hand(l);
	b = (void *)(l->blocks + (size_t)(n & l->mask) * DEVTRACE_LANE_BLOCK);
	/*
	 * LMM(lane_write:A): store @used of the previous block, then the number of the open block,
	 * then the first byte that overwrites this block; pairs with lane_read:A and D.
	 */
	__atomic_store_n(&l->head->open, n, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	/* Atomic, so that C's memory model orders the following stores after the fence, too. */
	__atomic_store_n(&b->used, BLOCK_HEAD, __ATOMIC_RELAXED);
	b->time = t;
	b->count = l->count;
	b->cpu = cpu;
	/* LMM(lane_write:B): store the header before the number; pairs with lane_read:B. */
	__atomic_store_n(&b->number, n, __ATOMIC_RELEASE);
	l->number = n;
	l->block = b;
	l->at = (uint8_t *)(b + 1);
	l->end = (uint8_t *)b + DEVTRACE_LANE_BLOCK;
	l->last = t;
	l->cpu = cpu;
}

/* Write a record in the shortest form that can hold it. */
static noinline int write_long(struct lane *l, const struct devtrace_emit *e, size_t size,
			       uint64_t t, uint32_t cpu)
{
	const size_t len = size - sizeof(*e);
	const uint32_t before = l->number;
	const bool plain = !(e->flags | e->severity);
	uint32_t first = (uint32_t)e->type << DEVTRACE_LANE_TYPE_SHIFT;
	unsigned int words, moved;
	uint8_t *at;
	uint64_t dt;

	if (unlikely(t < l->last))
		t = l->last;
	dt = t - l->last;
	/* The loop ends, because three words and the longest payload fit into an empty block. */
	for (;;) {
		if (plain && dt <= DEVTRACE_LANE_NS_MAX && len <= DEVTRACE_LANE_SHORT)
			words = 1;
		else if ((plain && dt <= UINT32_MAX) || (!plain && dt <= DEVTRACE_LANE_NS_MAX))
			words = 2;
		else
			words = 3;
		moved = 4 * (cpu != l->cpu);
		if (likely(!(dt >> NS_BITS_LATE) &&
			   (size_t)(l->end - l->at) >= moved + 4 * words + len + (len & 1)))
			break;
		enter_block(l, t, cpu);
		dt = 0;
	}
	at = l->at;
	if (moved) {
		lane_store32(at, DEVTRACE_LANE_CPU | cpu << DEVTRACE_LANE_NS_SHIFT);
		at += moved;
		l->cpu = cpu;
	}
	switch (words) {
	case 1:
		lane_store32(at, first | (uint32_t)len | (uint32_t)dt << DEVTRACE_LANE_NS_SHIFT);
		break;
	case 2:
		if (plain) {
			lane_store32(at, first | DEVTRACE_LANE_DELAY |
				    (uint32_t)len << DEVTRACE_LANE_NS_SHIFT);
			lane_store32(at + 4, (uint32_t)dt);
		} else {
			lane_store32(at, first | DEVTRACE_LANE_FULL |
				    (uint32_t)dt << DEVTRACE_LANE_NS_SHIFT);
			lane_store32(at + 4, (uint32_t)len | (uint32_t)e->flags << 16 |
					(uint32_t)e->severity << 24);
		}
		break;
	default:
		lane_store32(at, first | DEVTRACE_LANE_LATE |
			     (uint32_t)len << DEVTRACE_LANE_NS_SHIFT);
		lane_store32(at + 4, e->flags | (uint32_t)e->severity << 8 |
				(uint32_t)(dt >> 32) << 16);
		lane_store32(at + 8, (uint32_t)dt);
	}
	at += 4 * words;
	memcpy(at, e->data, len);
	at += len;
	if (len & 1)
		*at++ = 0;
	lane_finish(l, at, t);
	/* If this record has opened the first block of the lane, no block is full. */
	if (l->number != before && l->number != l->handed && l->calls)
		dt_lane_hand(l);
	return 0;
}

/*
 * LMM(lane_write:D): store busy before reading the clock and writing the record; pairs with
 * lane_bound:A. This is only a compiler barrier: the kernel adds a margin for the time until other
 * CPUs see the store.
 */
inlined void lane_begin(struct lane *l)
{
	__atomic_store_n(&l->head->busy, 1, __ATOMIC_RELAXED);
	lane_handler_barrier();
}

inlined bool lane_is_closed(const struct lane *l)
{
	return __atomic_load_n(&l->head->state, __ATOMIC_RELAXED) != DEVTRACE_LANE_OPEN;
}

inlined uint32_t cpu_of(const struct lane *l)
{
	return __atomic_load_n(l->cpu_now, __ATOMIC_RELAXED) & DEVTRACE_LANE_NO_CPU;
}

/* Has the event neither flags nor severity, and may its type go into the lane? */
inlined bool is_type_for_lane(uint32_t head)
{
	return head <= UINT8_MAX && may_go_into_lane(head);
}

/*
 * Is the payload short enough for the shortest form? If size is less than the header, the
 * difference wraps to a huge length, and the answer is no.
 */
inlined bool is_short(size_t size)
{
	return size - sizeof(struct devtrace_emit) <= DEVTRACE_LANE_SHORT;
}

/*
 * Does a record of the shortest form fit into the block, without a record of another form before
 * it? A block begins and ends at even addresses, so the record's padding byte fits, too.
 */
inlined bool lane_fits(const struct lane *l, size_t size, uint64_t dt, uint32_t cpu)
{
	/* If the clock went back, dt wraps to a huge value and the answer is no. */
	return dt <= DEVTRACE_LANE_NS_MAX && cpu == l->cpu && (size_t)(l->end - l->at) >= size;
}

/* Return the end of the record; the byte before it is the padding byte, if any. */
inlined uint8_t *lane_behind(uint8_t *at, size_t size)
{
	return at + ((size + 1) & ~(size_t)1);
}

inlined void store_word(uint8_t *at, uint32_t type, size_t size, uint64_t dt)
{
	lane_store32(at, (uint32_t)(size - sizeof(struct devtrace_emit)) |
		    type << DEVTRACE_LANE_TYPE_SHIFT | (uint32_t)dt << DEVTRACE_LANE_NS_SHIFT);
}

/* Write a record of the shortest form, for which lane_fits() has returned true. */
inlined void write_short(struct lane *l, const struct devtrace_emit *e, uint32_t type,
			 size_t size, uint64_t t)
{
	uint8_t *at = l->at, *next = lane_behind(at, size);

	next[-1] = 0;
	copy_event(at, (const uint8_t *)e, size);
	store_word(at, type, size, t - l->last);
	lane_finish(l, next, t);
}

/* Read the clock, in any available way, and write the event. The caller has called lane_begin(). */
static noinline int write_any(struct lane *l, const struct devtrace_emit *e, size_t size)
{
	const uint64_t t = now_connected(COUNTER_ANY);
	const uint32_t cpu = cpu_of(l);
	const uint32_t head = load_head(e);

	if (head > UINT8_MAX || !is_short(size) || !lane_fits(l, size, t - l->last, cpu))
		return write_long(l, e, size, t, cpu);
	write_short(l, e, head, size, t);
	return 0;
}

/* Request a lane. If the thread gets none, emit the event by a system call. */
static noinline int emit_without(const struct devtrace_emit *event, size_t size, bool closed)
{
	int saved = errno;
	bool again = closed ? dt_lane_closed() : dt_lane_get();

	/* In a child of fork(2), where the lane was closed. */
	dt_images_follow();
	errno = saved;
	return again ? devtrace_emit_event(event, size) : dt_emit_by_call(event, size);
}

/*
 * True if the administrator wants events of this severity to be emitted by a system call, so that
 * they survive a reset at once.
 */
static bool is_severe(uint8_t severity)
{
	return __atomic_load_n(&devtrace_control.severe, __ATOMIC_RELAXED) >> severity & 1;
}

/* May an event with flags or a severity, or of a type that is registered by name, be emitted? */
static bool is_valid(const struct devtrace_emit *event, size_t len)
{
	return !event->reserved &&
	       devtrace_event_is_valid(event->type, event->flags, event->severity,
				       event->data, len);
}

/* Emit an event whose type may go into a lane, if the thread has a lane. */
static noinline int emit_into_lane(const struct devtrace_emit *event, size_t size)
{
	const size_t len = size - sizeof(*event);
	struct lane *l = &dt_lane_mine;

	if ((event->severity | event->flags | event->reserved ||
	     event->type == DEVTRACE_T_NAMED) && !is_valid(event, len))
		return dt_emit_by_call(event, size);
	/*
	 * A severe event survives a reset if it is emitted by a system call. If that call fails,
	 * write the event to the lane.
	 */
	if (event->severity && is_severe(event->severity) && (l->calls || !l->ready) &&
	    !dt_emit_by_call(event, size))
		return 0;
	if (unlikely(!l->ready))
		return emit_without(event, size, false);
	l->ready = 0;
	lane_handler_barrier();
	if (unlikely(lane_is_closed(l)))
		return emit_without(event, size, true);
	lane_begin(l);
	return write_any(l, event, size);
}

/*
 * Emit an event that cannot go into a lane now: there is no connection yet, or its type may not go
 * into a lane, or the program discards it.
 */
static noinline int emit_elsewhere(const struct devtrace_emit *event, size_t size)
{
	int saved;

	if (!dt_filter_event(event, size - sizeof(*event)))
		return 0;
	saved = errno;
	if (!__atomic_load_n(&devtrace_control.version, __ATOMIC_ACQUIRE))
		conn_page();
	errno = saved;
	/* A signal handler may have connected in the meantime, so test again. */
	if (dt_filter_type_is_programs(event->type) &&
	    lanes_word(event->type) >> (event->type & 31) & 1)
		return emit_into_lane(event, size);
	return dt_emit_by_call(event, size);
}

/*
 * Emit an event that dt_filter_easy_ids[] does not pass: the program filters objects or signals,
 * or the type may not go into a lane.
 */
static noinline int emit_by_ids(const struct devtrace_emit *event, size_t size)
{
	if (!may_go_into_lane(event->type))
		return emit_elsewhere(event, size);
	if (!dt_filter_ids(event, size - sizeof(*event)))
		return 0;
	return emit_into_lane(event, size);
}

/*
 * Emit an event that is too long for the shortest form or cannot take the fast path for another
 * reason.
 */
static noinline int emit_any(const struct devtrace_emit *event, size_t size)
{
	/*
	 * If size is less than the header, the difference wraps to a huge length: the kernel
	 * refuses the event.
	 */
	if (unlikely(size - sizeof(*event) > DEVTRACE_PAYLOAD_MAX))
		return dt_emit_by_call(event, size);
	if (unlikely(!any_may_go_into_lane(event->type)))
		return emit_by_ids(event, size);
	return emit_into_lane(event, size);
}

/*
 * The fast path of nearly all events. Its calls are tail calls, so the compiler need not save
 * registers.
 */
int devtrace_emit_event(const struct devtrace_emit *event, size_t size)
{
	struct lane *l = &dt_lane_mine;
	uint32_t head, cpu;
	uint64_t t;

	if (unlikely(!is_short(size)))
		return emit_any(event, size);
	head = load_head(event);
	if (unlikely(!is_type_for_lane(head) || !l->ready))
		return emit_any(event, size);
	l->ready = 0;
	lane_handler_barrier();
	if (unlikely(lane_is_closed(l)))
		return emit_without(event, size, true);
	lane_begin(l);
	if (unlikely(!now_by_counter(&t)))
		return write_any(l, event, size);
	cpu = cpu_of(l);
	if (unlikely(!lane_fits(l, size, t - l->last, cpu)))
		return write_long(l, event, size, t, cpu);
	write_short(l, event, head, size, t);
	return 0;
}

/* Append a string element to the event. */
static noinline const struct devtrace_emit *lane_join(uint8_t *event, size_t size, const char *s,
						      size_t len)
{
	event[size] = DEVTRACE_E_STR;
	memcpy(event + size + 1, s, len);
	event[size + 1 + len] = 0;
	return (const struct devtrace_emit *)event;
}

/*
 * Copy the string directly into the lane. Building the whole event on the stack first would be
 * slower: the copy to the lane would load bytes just stored in smaller pieces, and the CPU would
 * stall until those stores are done.
 */
int devtrace_emit_str_(uint8_t *event, size_t size, const char *s, size_t len)
{
	const size_t all = size + len + 2;
	struct lane *l = &dt_lane_mine;
	uint8_t *at, *next;
	uint32_t head, cpu;
	uint64_t t;

	head = load_head(event);
	if (unlikely(!is_short(all) || !is_type_for_lane(head) || !l->ready))
		return emit_any(lane_join(event, size, s, len), all);
	l->ready = 0;
	lane_handler_barrier();
	if (unlikely(lane_is_closed(l)))
		return emit_without(lane_join(event, size, s, len), all, true);
	lane_begin(l);
	if (unlikely(!now_by_counter(&t)))
		return write_any(l, lane_join(event, size, s, len), all);
	cpu = cpu_of(l);
	if (unlikely(!lane_fits(l, all, t - l->last, cpu)))
		return write_long(l, lane_join(event, size, s, len), all, t, cpu);
	at = l->at;
	next = lane_behind(at, all);
	/* Clear the NUL of the string and the padding byte, if any. */
	next[-1] = 0;
	next[-2] = 0;
	if (size > sizeof(struct devtrace_emit))
		copy_event(at, event, size);
	store_word(at, head, all, t - l->last);
	at[size] = DEVTRACE_E_STR;
	copy_string(at + size + 1, (const uint8_t *)s, len);
	lane_finish(l, next, t);
	return 0;
}
