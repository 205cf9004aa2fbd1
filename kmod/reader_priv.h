/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader is made of, for reader.c and seek.c
 */
#ifndef DEVTRACE_READER_PRIV_H
#define DEVTRACE_READER_PRIV_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "clock.h"
#include "lane.h"
#include "lane_filter.h"
#include "reader.h"
#include "ring.h"
#include "stream_priv.h"
#include "wire.h"

/* What a cursor copies at a time: more than a block of a lane, too. */
#define CACHE_UNITS	1024

/* Within it a store becomes visible to others. */
#define MARGIN_NS	(10 * NSEC_PER_USEC)

/**
 * struct cursor - a place in one ring or lane
 * @ring: the ring; it may come into being later
 * @lane: or the lane; then what is only for rings is not used
 * @in: the place in there
 * @ev: the event at the front of @cache, if @ready
 * @late: its time is not @key, but makes no sense
 * @bad: what stood there makes no sense; nothing comes any more
 * @stuck: since when it was @busy and nothing came, 0 if it is not
 * @since: what comes when there were enough @copies is not older; 0: not known yet
 * @copies: how many blocks were copied since, or as good as copied
 * @vain: call of reader_fill() in which there was no end of what is not wanted
 * @source: its number
 * @placed: @at is set; it is not while there is no ring
 * @ready: @cache has the record at @at, and @key is its time
 * @busy: a writer was under way when we looked last
 * @at: the next record to be given
 * @key: the time of that record, or the bound
 * @last: the time of the last record given, 0 if none
 * @lost: overwritten before we came to them, not yet reported
 * @cleared: the same, cleared
 * @voids: records that were taken back, not yet reported
 * @drops: how many drops of each cause have been reported
 * @latest: no record in @cache is newer
 * @next: the front of @cache, in units, for lanes in bytes
 * @end: its end
 * @cache: copied records
 */
struct cursor {
	struct ring	*ring;
	struct lane	*lane;
	struct lane_place in;
	struct lane_event ev;
	bool		late;
	bool		bad;
	u64		stuck;
	u64		since;
	u32		copies;
	unsigned int	vain;
	u16		source;
	bool		placed;
	bool		ready;
	bool		busy;
	struct ring_place at;
	u64		key;
	u64		last;
	u64		lost;
	u64		cleared;
	u64		voids;
	u64		drops[DEVTRACE_LOST_CAUSES];
	u64		latest;
	u32		next, end;
	u64		*cache;
};

/*
 * What need not be looked up again: nothing is to be sent for this thread from
 * one time up to before another, if no name was added since.
 */
struct proc_sent {
	u32	tid;
	u32	changes;
	u64	from, until;
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
 * @follows: it has waited for events, and may again
 * @lane_changes: of the lanes, as we know it
 * @lane_serial: of the newest lane that we know
 * @unseen: events of lanes that came and went before we looked
 * @unseen_cleared: more of these, which had been cleared
 * @unseen_source: the last of these lanes
 * @patient_at: not before do we wait for a busy thread
 * @turn: number of this call of reader_fill()
 * @vain: some lane had nothing but what is not wanted, and no end of it, in this call
 * @thrown: events in this call that are before @place
 * @allowed: what could go into them when
 * @nr: cursors
 * @nr_rings: those of @cursors, which are for rings
 * @lanes: the rest, in the order of the list of lanes
 * @room: how many @lanes and @heap hold
 * @pid: who opened it
 * @comm: its name
 * @given: events that were made frames
 * @missed: events that were reported lost
 * @layouts: of the stream, as we know it
 * @next_past: the next change of state to be told
 * @past: it, if @has_past
 */
struct reader {
	struct stream	*stream;
	struct list_head list;
	pid_t		pid;
	char		comm[TASK_COMM_LEN];
	u64		given, missed;
	unsigned int	layouts;
	unsigned long	next_past;
	bool		has_past;
	struct stream_past past;

	bool		begun;		/* INFO was sent */
	bool		clock_sent;	/* a CLOCK frame was sent */
	u8		reason;		/* why the next INFO is sent */
	unsigned int	clears;		/* of the stream, as we know it */
	unsigned int	nr, nr_ready, nr_rings, room;
	unsigned int	lane_changes, turn, thrown;
	bool		follows, vain;
	u64		lane_serial, patient_at;
	u64		unseen, unseen_cleared;
	u16		unseen_source;
	struct lane_allowed allowed;
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
	struct cursor	*cursors;
	struct cursor	**lanes;
	struct wire	wire;
};

void report_loss(struct reader *rd, struct cursor *c, u8 cause, u64 count, u64 now);

static inline unsigned int reader_nr_lanes(const struct reader *rd)
{
	return rd->nr - rd->nr_rings;
}

static inline struct cursor *reader_cursor(const struct reader *rd, unsigned int i)
{
	return i < rd->nr_rings ? &rd->cursors[i] : rd->lanes[i - rd->nr_rings];
}

bool cursor_cache(struct cursor *c);
void cursor_oldest(struct reader *rd, struct cursor *c);
void cursor_ready(struct reader *rd, struct cursor *c, bool ready);
void reader_heapify(struct reader *rd);

/* reader_lane.c */
int cursor_lane_refresh(struct reader *rd, struct cursor *c);
bool cursor_lane_peek(struct reader *rd, struct cursor *c);
void cursor_lane_seek(struct cursor *c, u64 ts);
int reader_follow_lanes(struct reader *rd);
int reader_know_lanes(struct reader *rd);
void reader_lanes_clear(struct reader *rd);
bool reader_lanes_unread(const struct reader *rd, unsigned int percent);
u64 reader_lanes_lag(const struct reader *rd);
void reader_lanes_free(struct reader *rd);

/* seek.c */
void reader_oldest(struct reader *rd);

#endif /* DEVTRACE_READER_PRIV_H */
