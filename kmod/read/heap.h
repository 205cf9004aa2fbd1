/* SPDX-License-Identifier: GPL-2.0-only */
/* The sources of a reader, ordered by the time of their next event: see heap.c */
#ifndef DEVTRACE_HEAP_H
#define DEVTRACE_HEAP_H

#include <linux/minmax.h>

#include "reader_priv.h"

void heap_make(struct reader *rd);
void heap_put_front(struct reader *rd);
void heap_drop_idle(struct reader *rd);

static __always_inline struct front *heap_entry(struct front *heap, unsigned long offset)
{
	return (struct front *)((u8 *)heap + offset);
}

/* Put a source at its place in the heap, which is @i or a place below @i. */
static __always_inline void heap_sift(struct front *heap, unsigned long nr, unsigned long i,
				      const struct front f)
{
	/* Offsets are in bytes, so one instruction computes the offset of a child. */
	const unsigned long end = nr * sizeof(f);
	unsigned long at = i * sizeof(f), child;
	struct front *c;
	u64 key;

	/* If the last source is an only child, the entry after it has the greatest key. */
	while ((child = 2 * at + sizeof(f)) < end) {
		c = heap_entry(heap, child);
		key = c->key;
		if (c[1].key <= key && (likely(c[1].key != key) ||
					(child + sizeof(f) < end &&
					 c[1].src->number < c->src->number))) {
			c++;
			child += sizeof(f);
			key = c->key;
		}
		if (key >= f.key && (likely(key != f.key) || c->src->number >= f.src->number))
			break;
		heap_entry(heap, at)->key = key;
		heap_entry(heap, at)->src = c->src;
		at = child;
	}
	*heap_entry(heap, at) = f;
}

/* Move the front source to its place after its key has changed. */
static __always_inline void heap_sift_front(struct reader *rd, struct source *src)
{
	heap_sift(rd->heap, rd->nr_heap, 0, (struct front) { .key = src->key, .src = src });
}

/* The heap need not change until the front source has given all its events before this time. */
static __always_inline u64 heap_until(const struct reader *rd)
{
	return min(rd->heap[1].key, rd->heap[2].key);
}

/*
 * Compute until when the front source may give events: up to the next source, the idle lanes, a
 * name or a change of state.
 */
static inline void find_until(struct reader *rd)
{
	rd->limit = min(rd->told.name_ts, rd->idle);
	if (unlikely(rd->told.has_past))
		rd->limit = min(rd->limit, rd->told.past.ts);
	rd->until = min(heap_until(rd), rd->limit);
}

#endif /* DEVTRACE_HEAP_H */
