/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader is made of, for those that make it read
 */
#ifndef DEVTRACE_READER_PRIV_H
#define DEVTRACE_READER_PRIV_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "emit/proc.h"
#include "lane/slot.h"
#include "reader.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "stream/past.h"
#include "wire.h"

/* What a cursor copies of a ring at a time. */
#define CACHE_UNITS	1024

/* Within it a store becomes visible to others. */
#define MARGIN_NS	(10 * NSEC_PER_USEC)

/**
 * struct cursor - a place in what one source emitted: the head of both kinds
 * @key: the time of the event at the front, or the bound
 * @last: the time of the last event given, 0 if none
 * @source: its number
 * @lane: of a struct lane_cursor; else of a struct ring_cursor
 * @ready: there is an event at the front
 * @busy: a writer was under way when we looked last
 */
struct cursor {
	u64		key;
	u64		last;
	u16		source;
	bool		lane;
	bool		ready;
	bool		busy;
};

/**
 * struct ring_cursor - a place in one ring
 * @c: what it has in common with others; if ready, @cache has the record at @at
 * @ring: the ring; it may come into being later
 * @placed: @at is set; it is not while there is no ring
 * @moves: of the ring, when @at was set
 * @at: the next record to be given
 * @lost: overwritten before we came to them, not yet reported
 * @cleared: the same, cleared
 * @voids: records that were taken back, not yet reported
 * @drops: how many drops of each cause have been reported
 * @latest: no record in @cache is newer
 * @next: the front of @cache, in units
 * @end: its end
 * @cache: copied records
 */
struct ring_cursor {
	struct cursor	c;
	struct ring	*ring;
	bool		placed;
	unsigned int	moves;
	struct ring_place at;
	u64		lost;
	u64		cleared;
	u64		voids;
	u64		drops[DEVTRACE_LOST_CAUSES];
	u64		latest;
	u32		next, end;
	u64		*cache;
};

/**
 * struct lane_cursor - a place in the chain of one slot
 * @c: what it has in common with others; if ready, @ev is the event at the front
 * @slot: its number
 * @run: the run that is read, or was read last; 0: none
 * @at: bytes of it that were looked at
 * @len: bytes that it has
 * @time: of the event before @at, as it was written
 * @lo: no event of the run is older
 * @hi: nor newer
 * @tid: the thread
 * @ev: see above, but for its payload, which is @data bytes behind the header
 * @data: see there
 * @late: its time is not what the thread said
 * @turn: in this call of reader_fill() the run was seen to be there
 * @idx: events before the front
 * @lost: overwritten before we came to them, not yet reported
 * @cleared: the same, cleared
 * @drops: how many drops of each cause have been reported
 * @bad: how often it was reported that the lane makes no sense
 */
struct lane_cursor {
	struct cursor	c;
	u16		slot;
	bool		late;
	u32		at, len;
	run_place_t	run;
	u64		time;
	u64		lo, hi;
	u32		tid;
	u32		data;
	struct lane_event ev;
	unsigned int	turn;
	u64		idx;
	u64		lost;
	u64		cleared;
	u64		drops[SLOT_CAUSES];
	u64		bad;
};

/*
 * What need not be looked up again: nothing is to be sent for this thread from
 * one time up to before another, if no name was added since.
 */
struct proc_sent {
	u32	tid;
	u64	from;
	struct proc_found found;
};

/* The name last sent for a thread in this slot of the table. */
struct announced {
	u64	stamp;
	u32	tid;
};

/**
 * struct reader - a place in a stream
 * @stream: the stream, which stays
 * @list: in its readers
 * @ref: one for its descriptor, one for each who tells how far it is
 * @follows: it has waited for events, and may again
 * @turn: number of this call of reader_fill()
 * @thrown: events in this call that are before @place
 * @nr: cursors; who tells how far it is looks at them meanwhile
 * @nr_rings: those of @cursors, which are for rings
 * @lanes: the rest, by slot, in chunks
 * @room: how many @heap holds
 * @pid: who opened it
 * @comm: its name
 * @given: events that were made frames
 * @missed: events that were reported lost
 * @next_past: the next change of state to be told
 * @past: it, if @has_past
 */
struct reader {
	struct stream	*stream;
	struct list_head list;
	struct kref	ref;
	pid_t		pid;
	char		comm[TASK_COMM_LEN];
	u64		given, missed;
	unsigned long	next_past;
	bool		has_past;
	struct stream_past past;

	bool		begun;		/* INFO was sent */
	bool		clock_sent;	/* a CLOCK frame was sent */
	u8		reason;		/* why the next INFO is sent */
	unsigned int	clears;		/* of the stream, as we know it */
	unsigned int	nr, nr_ready, nr_rings, room;
	unsigned int	turn, thrown;
	bool		follows;
	u64		serial;		/* last dictionary entry sent */
	unsigned long	clock_next;	/* next clock sample */
	struct clock_sample clock;	/* the last one sent */
	u64		info_ts, info_bytes;
	u64		last;		/* the time of the last event made a frame */
	u64		last_end;	/* wire.bytes after that */
	u64		place;		/* where lseek(2) went, 0 after open */
	struct proc_sent proc;
	struct announced *announced;
	struct cursor	**heap;
	struct ring_cursor *cursors;
	struct lane_cursor *lanes[SLOTS_MAX / SLOTS_CHUNK];
	struct wire	wire;
};

static inline unsigned int reader_nr_lanes(const struct reader *rd)
{
	return rd->nr - rd->nr_rings;
}

static inline struct lane_cursor *reader_lane(const struct reader *rd, unsigned int slot)
{
	return &rd->lanes[slot / SLOTS_CHUNK][slot % SLOTS_CHUNK];
}

static inline struct cursor *reader_cursor(const struct reader *rd, unsigned int i)
{
	return i < rd->nr_rings ? &rd->cursors[i].c : &reader_lane(rd, i - rd->nr_rings)->c;
}

static inline struct ring_cursor *ring_cursor(struct cursor *c)
{
	return container_of(c, struct ring_cursor, c);
}

static inline struct lane_cursor *lane_cursor(struct cursor *c)
{
	return container_of(c, struct lane_cursor, c);
}

#endif /* DEVTRACE_READER_PRIV_H */
