/* SPDX-License-Identifier: GPL-2.0-only */
/* The checksums of a ring: see sums.c */
#ifndef DEVTRACE_PERSIST_SUMS_H
#define DEVTRACE_PERSIST_SUMS_H

#include "layout.h"
#include "ring/ring.h"

/**
 * struct sums - how far a ring has sums
 * @table: table of sums in the region, two for each chunk
 * @mask: units of the ring - 1
 * @place: place of the first record without a sum
 * @sum: sum of the chunk being filled
 */
struct sums {
	struct persist_sum	*table;
	u32			mask;
	struct ring_place	place;
	struct persist_sum	sum;
};

void sums_begin(struct sums *s, void *table, u32 mask, struct ring_place place);
void sums_add(struct sums *s, const u64 *records, u32 units);
struct persist_sum *sums_store(struct sums *s);

#endif /* DEVTRACE_PERSIST_SUMS_H */
