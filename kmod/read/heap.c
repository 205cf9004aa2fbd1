// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of a reader by the time of their next event
 *
 * A heap, in which each source stands behind its parent by key, then by number, so that
 * the order is always the same. The keys stand beside the sources: of 256 sources eight
 * are compared with two others for each event, if their events come in turns.
 *
 * Invariants. Each source is there once. Its key is what it was when the source was put
 * there: whoever changes keys, but for that of the front, makes the heap anew. Behind the
 * last source are two entries with the greatest key, so that a source with one child is as
 * one with two, and a single source as one of several.
 */
#include <linux/limits.h>

#include "heap.h"

/**
 * heap_put_front() - the key of the source at the front has changed
 * @rd: the reader
 */
void heap_put_front(struct reader *rd)
{
	heap_sift_front(rd, rd->heap->src);
}

static noinline void sift_any(struct front *heap, unsigned long nr, unsigned long i)
{
	heap_sift(heap, nr, i, heap[i]);
}

/**
 * heap_make() - keys have changed
 * @rd: the reader
 */
void heap_make(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr; i++)
		rd->heap[i].key = rd->heap[i].src->key;
	rd->heap[i].key = U64_MAX;
	rd->heap[i + 1].key = U64_MAX;
	for (i = rd->nr / 2; i-- > 0;)
		sift_any(rd->heap, rd->nr, i);
}
