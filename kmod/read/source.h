/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source of a reader: the ring of a CPU, or a slot of the lanes
 *
 * A reader merges its sources by four operations:
 *
 *	source_refresh()	look for the next event, report what was lost before it
 *	source_give()		make frames of the events at the front, and advance
 *	source_seek()		go to a time, to the oldest event or behind the newest
 *	source_clear()		follow a clear of the stream
 *
 * Invariants: The @key of a source that is not ready is a bound: no older event can follow from
 * this source. Events that a source skips are counted in @lost or @cleared until a refresh reports
 * them, once.
 *
 * missed.c reports events missed because of stops, with the functions source_missed*().
 *
 * Only this file distinguishes the two kinds of source. It uses a switch instead of a table of
 * functions: read(2) may call an operation for each event, and an indirect call costs a retpoline.
 */
#ifndef DEVTRACE_SOURCE_H
#define DEVTRACE_SOURCE_H

#include <linux/compiler.h>

#include "source_head.h"
#include "source_lane.h"
#include "source_ring.h"
#include "stream/past.h"
#include "stream/stream.h"

struct reader;

void source_set_ready(struct reader *rd, struct source *src, bool ready);
void source_lost(struct reader *rd, struct source *src, u8 cause, u64 count, u64 from, u64 to);
void source_report(struct reader *rd, struct source *src, u8 cause, u64 count, u64 now);
void source_report_stopped(struct reader *rd, struct source *src, u64 count, u64 to);
void source_report_passed(struct reader *rd, struct source *src, u64 now);

/*
 * Look for the next event of a source that is not ready; @key becomes its time, or the bound.
 * Return 0; -ENOMEM; -EINTR: killed.
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
 * Advances past at least one event, and further while reader_goes_on() is true. No frame is made
 * of an event that was overwritten, or that is older than the place of lseek(2). A lane source
 * continues with the next lanes of the heap; afterwards only the heap's front may be out of order.
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
 * @now: trace clock, not earlier than any event that is found
 *
 * Events before the new place do not count as lost, with one exception: if @ts is 0, those
 * overwritten since the last clear do.
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

/* Is this source a lane? Otherwise it is the ring of a CPU. */
static __always_inline bool source_is_lane(const struct source *src)
{
	return likely(src->kind == SOURCE_LANE);
}

/* Count the source's unread events that a clear has hidden. */
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

/* Return the number of events that a source missed before change @n: see stream_missed(). */
static inline u64 source_missed_before(const struct stream *s, struct source *src, unsigned long n)
{
	switch (src->kind) {
	case SOURCE_RING:
		return stream_missed(s, n, src->number);
	default:
		return slot_missed(s->slots, lane_source(src)->slot, n);
	}
}

/* Return the number of events that a source has missed up to now. */
static inline u64 source_missed_by_now(const struct stream *s, struct source *src)
{
	struct slot_view v;

	switch (src->kind) {
	case SOURCE_RING:
		return ring_count_read(&ring_source(src)->ring->dropped[DEVTRACE_LOST_STOPPED]);
	default:
		slot_view(s->slots, lane_source(src)->slot, &v);
		return v.dropped[DEVTRACE_LOST_STOPPED];
	}
}

/* Return where the number of missed events that the reader was told is stored. */
static inline u64 *source_missed_told(struct source *src)
{
	switch (src->kind) {
	case SOURCE_RING:
		return &ring_source(src)->drops[DEVTRACE_LOST_STOPPED];
	default:
		return &lane_source(src)->drops[DEVTRACE_LOST_STOPPED];
	}
}

/* Report missed events, so that the reader was told of @n in all; none is newer than @to. */
static inline void source_missed(struct reader *rd, struct source *src, u64 n, u64 to)
{
	switch (src->kind) {
	case SOURCE_RING:
		ring_source_missed(rd, ring_source(src), n, to);
		break;
	default:
		lane_source_missed(rd, lane_source(src), n, to);
	}
}

#endif /* DEVTRACE_SOURCE_H */
