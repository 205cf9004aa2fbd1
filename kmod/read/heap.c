// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of a reader, ordered by the time of their next event
 *
 * A binary heap contains all rings and the lanes that are not idle, ordered by key (time), and for
 * equal keys by the number of the source, so that the order does not depend on chance. The heap
 * stores the keys beside the pointers to the sources. If 256 sources alternate, an event costs
 * comparisons on eight levels.
 *
 * Invariants: Each ring, and each lane that is @listed, is in the heap once, with the key that it
 * had when it was put there. Code that changes other keys than that of the front calls
 * heap_make(). Two entries with the greatest key follow the last source, so that a source with one
 * child and a heap of one source need no special case.
 */
#include <linux/limits.h>

#include "heap.h"
#include "source.h"

/* Move the front source to its place after its key has changed. */
void heap_put_front(struct reader *rd)
{
	heap_sift_front(rd, rd->heap->src);
}

static noinline void sift_any(struct front *heap, unsigned long nr, unsigned long i)
{
	heap_sift(heap, nr, i, heap[i]);
}

/* Build the heap after keys have changed. */
void heap_make(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_heap; i++)
		rd->heap[i].key = rd->heap[i].src->key;
	rd->heap[i].key = U64_MAX;
	rd->heap[i + 1].key = U64_MAX;
	for (i = rd->nr_heap / 2; i-- > 0;)
		sift_any(rd->heap, rd->nr_heap, i);
}

/**
 * heap_drop_idle() - remove the lanes that have become idle, and build the heap
 * @rd: the reader
 */
void heap_drop_idle(struct reader *rd)
{
	unsigned int i, nr = 0;
	struct source *src;

	for (i = 0; i < rd->nr_heap; i++) {
		src = rd->heap[i].src;
		if (source_is_lane(src) && lane_source(src)->idle)
			lane_source(src)->listed = false;
		else
			rd->heap[nr++].src = src;
	}
	rd->nr_heap = nr;
	heap_make(rd);
}
