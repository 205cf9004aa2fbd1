/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a reader, for the files that make it read
 */
#ifndef DEVTRACE_READER_PRIV_H
#define DEVTRACE_READER_PRIV_H

#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "announce.h"
#include "reader.h"
#include "source_head.h"
#include "source_lane.h"
#include "source_ring.h"
#include "stream/table.h"
#include "wire.h"

/* A source in the heap, and its key when it was put there. */
struct front {
	u64		key;
	struct source	*src;
};

/**
 * struct reader - a place in a stream
 * @stream: the stream, which stays
 * @node: in its readers, which are in the order of @serial
 * @serial: of its readers, from 1; a newer reader has a greater one
 * @ref: one for its descriptor, one for each stream_reader() under way
 * @pid: the process that opened it
 * @comm: its name
 * @follows: it has waited for events, and may again
 * @given: events that were made frames
 * @missed: events that were reported lost
 * @clears: of the stream, as far as the reader followed them
 * @turn: number of this call of reader_fill()
 * @skipped: events in this call that are before @place
 * @place: where lseek(2) went, 0 after open
 * @fresh: more was copied, or may have been: look what is to be told besides events
 * @until: the source at the front gives its events before this time
 * @stop: and fills the buffer of @wire up to there
 * @last: the time of the last event that was made a frame
 * @last_end: bytes of @wire after that
 * @nr: sources; stream_reader() looks at them meanwhile
 * @nr_ready: of these, with an event at the front
 * @nr_rings: those of @rings; the rest are @lanes
 * @rings: by CPU
 * @lanes: by slot, in chunks
 * @heap: all sources, by the time of their next event
 * @room: how many @heap holds
 * @told: what it was told besides events
 * @wire: frames on their way to it
 */
struct reader {
	struct stream	*stream;
	struct rb_node	node;
	u64		serial;
	struct kref	ref;
	pid_t		pid;
	char		comm[TASK_COMM_LEN];
	bool		follows;
	u64		given, missed;
	unsigned int	clears;
	unsigned int	turn, skipped;
	bool		fresh;
	u32		stop;
	u64		place;
	u64		until;
	u64		last, last_end;
	unsigned int	nr, nr_ready, nr_rings, room;
	struct ring_source *rings;
	struct lane_source *lanes[SLOTS_MAX / SLOTS_CHUNK];
	struct front	*heap;
	struct announce	told;
	struct wire	wire;
};

static inline unsigned int reader_nr_lanes(const struct reader *rd)
{
	return rd->nr - rd->nr_rings;
}

static inline struct lane_source *reader_lane(const struct reader *rd, unsigned int slot)
{
	return &rd->lanes[slot / SLOTS_CHUNK][slot % SLOTS_CHUNK];
}

static inline struct source *reader_source(const struct reader *rd, unsigned int i)
{
	return i < rd->nr_rings ? &rd->rings[i].src : &reader_lane(rd, i - rd->nr_rings)->src;
}

/*
 * Whether the reader gets this event: an event in progress during lseek(2) may
 * be older than the time asked for. Frames that must precede the event were sent by then.
 */
static inline bool reader_wants(struct reader *rd, u32 tid, u64 ts)
{
	if (unlikely(ts < rd->place)) {
		rd->skipped++;
		return false;
	}
	if (unlikely(!announce_is_quiet(&rd->told, tid, ts)))
		announce_event(&rd->told, tid, ts);
	return true;
}

/**
 * struct window - events that are given without more ado
 * @from: of this time or newer
 * @span: and less than so many ns newer
 * @stop: while so many bytes are not filled
 * @tid: of this thread
 *
 * Nothing has to be told before them, and the reader is to have them. A copy of what is said
 * elsewhere, for a row of events.
 */
struct window {
	u64	from, span;
	u32	stop;
	u32	tid;
};

/* After reader_wants(). */
static __always_inline struct window reader_window(const struct reader *rd)
{
	const struct announce *a = &rd->told;
	const struct wire *w = &rd->wire;
	const u64 left = a->quiet.bytes > w->bytes ? a->quiet.bytes - w->bytes : 0;
	const u64 from = max(a->quiet.from, rd->place);
	u64 until = min(a->quiet.until, a->name_ts);

	if (unlikely(a->has_past))
		until = min(until, a->past.ts);
	return (struct window) {
		.from = from,
		.span = until > from ? until - from : 0,
		.stop = min_t(u64, rd->stop, w->head + left),
		.tid = a->quiet.tid,
	};
}

static __always_inline bool reader_sees(const struct reader *rd, const struct window *win,
					u32 tid, u64 ts)
{
	return likely(ts - win->from < win->span) && likely(tid == win->tid) &&
	       likely(rd->wire.head < win->stop);
}

/* Whether the source at the front goes on, with an event of this time. */
static inline bool reader_goes_on(const struct reader *rd, u64 ts)
{
	return ts < rd->until && rd->wire.head < rd->stop;
}

/* So many events were made frames, the last one of this time. */
static inline void reader_gave(struct reader *rd, unsigned int given, u64 last)
{
	if (!given)
		return;
	/* stream_reader() looks at these meanwhile. */
	WRITE_ONCE(rd->last, last);
	rd->last_end = rd->wire.bytes;
	WRITE_ONCE(rd->given, rd->given + given);
}

/* Only stream 0 has lanes. */
static inline bool reader_has_lanes(const struct reader *rd)
{
	return rd->stream == &devtrace_stream0;
}

#endif /* DEVTRACE_READER_PRIV_H */
