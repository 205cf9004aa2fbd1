/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source of a reader: the ring of a CPU, or a slot of the lanes
 *
 * A reader merges its sources by four operations, and knows nothing else of them:
 *
 *	source_refresh()	look for the next event, report what was lost before it
 *	source_give()		make frames of the events at the front, and advance
 *	source_seek()		go to a time, to the oldest event or behind the newest
 *	source_clear()		follow a clear of the stream
 *
 * Invariants: A source that is not ready has a bound in @key: no older event can still come
 * from it. Events that a source skips without giving them are counted in @lost or @cleared
 * until a refresh reports them, once.
 *
 * Only this file, and missed.c for events missed by stops, distinguish the kinds. They use a
 * switch, not a table of functions: read(2) may call an operation for each event, and an
 * indirect call costs a retpoline.
 */
#ifndef DEVTRACE_SOURCE_H
#define DEVTRACE_SOURCE_H

#include "source_head.h"
#include "source_lane.h"
#include "source_ring.h"

struct reader;

void source_set_ready(struct reader *rd, struct source *src, bool ready);
void source_lost(struct reader *rd, struct source *src, u8 cause, u64 count, u64 from, u64 to);
void source_report(struct reader *rd, struct source *src, u8 cause, u64 count, u64 now);
void source_report_stopped(struct reader *rd, struct source *src, u64 count, u64 to);
void source_report_passed(struct reader *rd, struct source *src, u64 now);

/**
 * source_refresh() - look for the next event
 * @rd: the reader
 * @src: its source, not ready; @key becomes the time of the next event, or the bound
 *
 * Return: 0; -ENOMEM; -EINTR: killed.
 */
static inline int source_refresh(struct reader *rd, struct source *src)
{
	switch (src->kind) {
	case SOURCE_RING:
		return ring_source_refresh(rd, ring_source(src));
	default:
		lane_source_refresh(rd, lane_source(src));
		return 0;
	}
}

/**
 * source_give() - make frames of the events at the front, and advance
 * @rd: the reader
 * @src: its source, ready; stays ready only if the next event is at hand
 *
 * Passes at least one event, then more while reader_goes_on(), or fewer. Events may turn out to
 * be overwritten, or to be before the place of lseek(2). A lane source continues with the next
 * lanes of the heap; only the heap's front is then out of order.
 */
static inline void source_give(struct reader *rd, struct source *src)
{
	switch (src->kind) {
	case SOURCE_RING:
		ring_source_give(rd, ring_source(src));
		break;
	default:
		lane_source_give(rd, lane_source(src));
	}
}

/**
 * source_seek() - go to the first event at or after a time
 * @rd: the reader
 * @src: its source
 * @ts: trace clock, ns; 0: the oldest event; U64_MAX: behind the newest
 * @now: trace clock, not before any event that is found
 *
 * Events before that place do not count as lost. But if @ts is 0, events lost since the last
 * clear do.
 */
static inline void source_seek(struct reader *rd, struct source *src, u64 ts, u64 now)
{
	src->lost = 0;
	src->cleared = 0;
	switch (src->kind) {
	case SOURCE_RING:
		ring_source_seek(ring_source(src), ts, now);
		break;
	default:
		lane_source_seek(rd, lane_source(src), ts);
	}
	src->key = 0;
	src->last = 0;
	source_set_ready(rd, src, false);
}

/**
 * source_clear() - count unread events that were cleared
 * @rd: the reader
 * @src: its source
 */
static inline void source_clear(struct reader *rd, struct source *src)
{
	switch (src->kind) {
	case SOURCE_RING:
		ring_source_clear(rd, ring_source(src));
		break;
	default:
		lane_source_clear(rd, lane_source(src));
	}
}

#endif /* DEVTRACE_SOURCE_H */
