/* SPDX-License-Identifier: GPL-2.0-only */
/* The sources of a reader, ordered by the time of their next event: see heap.c */
#ifndef DEVTRACE_HEAP_H
#define DEVTRACE_HEAP_H

#include <linux/minmax.h>

#include "reader_priv.h"

void heap_make(struct reader *rd);
void heap_put_front(struct reader *rd);
void heap_drop_idle(struct reader *rd);

static inline bool heap_before(const struct front *a, const struct front *b)
{
	return likely(a->key != b->key) ? a->key < b->key : a->src->number < b->src->number;
}

/* Put a source at its place in the heap, which is @i or a place below @i. */
static __always_inline void heap_sift(struct front *heap, unsigned long nr, unsigned long i,
				      const struct front f)
{
	struct front *at = heap + i, *child;

	for (i = 2 * i + 1; i < nr; i = 2 * i + 1) {
		child = heap + i;
		if (child[1].key <= child->key && i + 1 < nr && heap_before(child + 1, child)) {
			child++;
			i++;
		}
		if (child->key >= f.key && !heap_before(child, &f))
			break;
		*at = *child;
		at = child;
	}
	*at = f;
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
