/* SPDX-License-Identifier: GPL-2.0-only */
/* A reader's place in the ring of one CPU: see source_ring.c */
#ifndef DEVTRACE_SOURCE_RING_H
#define DEVTRACE_SOURCE_RING_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "ring/ring.h"
#include "source_head.h"
#include "wire.h"

struct reader;

/**
 * struct ring_source - a place in one ring
 * @src: the head; if ready, @cache has the record at @at
 * @ring: the ring; it may be created later
 * @placed: @at is set; false while there is no ring
 * @moves: value of the ring's @moves when @at was set
 * @at: the next record to be given
 * @voids: number of withdrawn records not reported yet
 * @void_ts: time of the first of them, ns
 * @drops: number of drops reported, by cause
 * @latest: no record in @cache is newer, ns
 * @next: front of @cache, in units
 * @units: size of the record at @next, in units, if ready
 * @end: end of @cache, in units
 * @cache: copied records
 * @who: value of the records' @who for which @head is valid
 * @quick: wire_quick() can make the frames of records with this @who
 * @head: beginning of the frames of records with this @who
 */
struct ring_source {
	struct source	src;
	struct ring	*ring;
	bool		placed;
	unsigned int	moves;
	struct ring_place at;
	u64		voids, void_ts;
	u64		drops[DEVTRACE_LOST_CAUSES];
	u64		latest;
	u32		next, units, end;
	u64		*cache;
	u32		who;
	bool		quick;
	struct wire_head head;
};

static inline struct ring_source *ring_source(struct source *src)
{
	return container_of(src, struct ring_source, src);
}

/* The four operations: see source.h. */
int ring_source_refresh(struct reader *rd, struct ring_source *s);
void ring_source_give(struct reader *rd, struct ring_source *s);
void ring_source_seek(struct ring_source *s, u64 ts, u64 now);
void ring_source_clear(struct reader *rd, struct ring_source *s);

void ring_source_missed(struct reader *rd, struct ring_source *s, u64 n, u64 to);

/* These functions apply to all rings of a reader. */
int ring_sources_prepare_seek(struct reader *rd);
bool ring_sources_unread(const struct reader *rd, unsigned int percent);
bool ring_sources_much(const struct reader *rd, u32 bytes);

#endif /* DEVTRACE_SOURCE_RING_H */
