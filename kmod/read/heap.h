/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of a reader by the time of their next event: see heap.c
 */
#ifndef DEVTRACE_HEAP_H
#define DEVTRACE_HEAP_H

#include "reader_priv.h"

void heap_make(struct reader *rd);
void heap_put_front(struct reader *rd);

static inline bool heap_before(const struct front *a, const struct front *b)
{
	return likely(a->key != b->key) ? a->key < b->key : a->src->number < b->src->number;
}

/* The source at the front gives its events before this time: then another one is. */
static inline u64 heap_limit(const struct reader *rd)
{
	const struct front *f = rd->heap, *next = f + 1;

	if (unlikely(rd->nr == 1))
		return U64_MAX;
	/* Behind the last one there is one that is after all others. */
	if (next[1].key <= next->key && rd->nr > 2 && heap_before(next + 1, next))
		next++;
	if (unlikely(next->key == U64_MAX))
		return U64_MAX;
	return next->key + (f->src->number < next->src->number);
}

#endif /* DEVTRACE_HEAP_H */
