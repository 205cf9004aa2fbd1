/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a reader, for the files that implement it */
#ifndef DEVTRACE_READER_PRIV_H
#define DEVTRACE_READER_PRIV_H

#include <linux/build_bug.h>
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
#include "stream/stream.h"
#include "wire.h"

/* A source in the heap, with the key it had when it was put there. */
struct front {
	u64		key;
	struct source	*src;
};

/**
 * struct reader - the state of one open descriptor
 * @stream: the stream
 * @node: in the stream's tree of readers, ordered by @serial
 * @serial: serial number, from 1; a newer reader has a greater one
 * @ref: one reference for the descriptor, one for each active stream_reader()
 * @pid: the process that opened the descriptor
 * @comm: name of that process
 * @follows: the reader has waited for events
 * @given: number of events that were made into frames; read without the lock
 * @missed: number of events reported lost; read without the lock
 * @clears: number of the stream's clears that the reader has followed
 * @turn: number of this call of reader_fill()
 * @skipped: number of events skipped in this call because they are before @place
 * @place: target of the last lseek(2), ns; 0 after open
 * @fresh: events may have been copied: check what must be sent besides events
 * @limit: no source gives an event at or after this time, ns, before a name, a change of state or
 *	a look at the idle lanes
 * @until: the front source may give events before this time, ns
 * @stop: the front source may give events until this many bytes of @wire's buffer are filled
 * @last: time of the last event that was made into a frame, ns; read without the lock
 * @last_end: bytes of @wire after that frame
 * @nr: number of sources; read without the lock, see reader_nr:A
 * @nr_ready: number of sources with an event at the front
 * @nr_rings: number of @rings; the other sources are @lanes
 * @room: number of sources for which @heap has room
 * @rings: the rings, by CPU
 * @lanes: the lanes by slot, in chunks
 * @nr_heap: number of sources in @heap
 * @heap: the rings and the lanes that are not idle, ordered by the time of their next event
 * @idle: bound of the lanes that are not in @heap, ns: see sources.c
 * @look: the reader's last look at changed slots, see slots_changed_since()
 * @told: what the reader was sent besides events
 * @wire: frames that the program has not read
 *
 * Protected by the lock of the reader's struct handle.
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
	u64		limit, until;
	u64		last, last_end;
	unsigned int	nr, nr_ready, nr_rings, room;
	struct ring_source *rings;
	struct lane_source *lanes[SLOTS_MAX / SLOTS_CHUNK];
	unsigned int	nr_heap;
	struct front	*heap;
	u64		idle;
	u64		look;
	struct announce	told;
	struct wire	wire;
};

static_assert(sizeof(struct reader) <= 32 * 1024);

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

/* No event that is older than this time can follow. */
static inline u64 reader_bound(const struct reader *rd)
{
	return min(rd->heap->key, rd->idle);
}

/* Is there an event at the front, and no older one in another source? */
static inline bool reader_may_give(const struct reader *rd)
{
	return likely(rd->heap->src->ready) && likely(rd->heap->key < rd->idle);
}

/*
 * Is this event for the reader? An event that was in progress during lseek(2) may be older than
 * the new place. Also sends the frames that must precede the event.
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
 * struct window - events that can be given without further checks
 * @from: earliest time, ns
 * @span: the times are less than @from + @span, ns
 * @stop: the window ends when so many bytes of the buffer are filled
 * @tid: thread of the events
 *
 * No frame must precede these events, and all of them are for the reader. The values are copies of
 * members of the reader, for a sequence of events.
 */
struct window {
	u64	from, span;
	u32	stop;
	u32	tid;
};

/* Return the window around an event for which reader_wants() has returned true. */
static __always_inline struct window reader_window(const struct reader *rd)
{
	const struct announce *a = &rd->told;
	const struct wire *w = &rd->wire;
	const u64 left = a->quiet.bytes > w->bytes ? a->quiet.bytes - w->bytes : 0;
	const u64 from = max(a->quiet.from, rd->place);
	const u64 until = min(a->quiet.until, rd->limit);

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

/* May the front source also give an event of this time? */
static inline bool reader_goes_on(const struct reader *rd, u64 ts)
{
	return ts < rd->until && rd->wire.head < rd->stop;
}

/* @given events were converted into frames; @last is the time of the last one. */
static inline void reader_gave(struct reader *rd, unsigned int given, u64 last)
{
	if (!given)
		return;
	/* WRITE_ONCE(), because stream_reader() reads these members without the lock. */
	WRITE_ONCE(rd->last, last);
	rd->last_end = rd->wire.bytes;
	WRITE_ONCE(rd->given, rd->given + given);
}

/* The events of lanes in the reader's stream. */
static inline const struct slots *reader_slots(const struct reader *rd)
{
	return rd->stream->slots;
}

static inline const struct block_ring *reader_blocks(const struct reader *rd)
{
	return &reader_slots(rd)->blocks;
}

/* Number of slots that the reader may have sources for. */
static inline unsigned int reader_nr_slots(const struct reader *rd)
{
	return slots_nr_of(reader_slots(rd));
}

#endif /* DEVTRACE_READER_PRIV_H */
