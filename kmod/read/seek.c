// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a reader stands, and going elsewhere: lseek(2)
 */
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "lane/take.h"
#include "reader.h"
#include "reader_lane.h"
#include "reader_priv.h"
#include "seek.h"
#include "stream/past.h"
#include "stream/stream.h"
#include "stream/table.h"

/* Longer than looking for a place can take: 18 minutes. */
#define SEEK_AHEAD_NS	BIT_ULL(40)

/* Everything that is there, as if just opened. */
static void go_oldest(struct reader *rd)
{
	struct stream *s = rd->stream;
	unsigned int i;

	rd->clears = stream_clears(s);
	for (i = 0; i < rd->nr_rings; i++) {
		struct ring_cursor *c = &rd->cursors[i];

		c->cleared = 0;
		c->lost = 0;
		c->voids = 0;
		c->placed = false;
		memset(c->drops, 0, sizeof(c->drops));
		if (!ring_exists(c->ring))
			continue;
		raw_spin_lock(&c->ring->lock);
		memcpy(c->drops, c->ring->cleared_drops, sizeof(c->drops));
		cursor_oldest(c);
		raw_spin_unlock(&c->ring->lock);
	}
	for (i = 0; i < reader_nr_lanes(rd); i++) {
		cursor_lane_seek(rd, reader_lane(rd, i), 0);
		cond_resched();
	}
}

/* In steps. Who is killed stops where it has come to: nothing is behind that. */
static void cursor_find_time(struct ring_cursor *c, u64 ts, u64 now)
{
	struct ring *ring = c->ring;
	bool there;
	u32 step = 0;

	do {
		raw_spin_lock(&ring->lock);
		if (c->moves != ring->moves)
			step = 0;
		c->moves = ring->moves;
		there = ring_find_step(ring, ts, now, &step, &c->at, c->cache, CACHE_UNITS);
		raw_spin_unlock(&ring->lock);
		cond_resched();
	} while (!there && !fatal_signal_pending(current));
}

/*
 * To the first event at or after @ts; U64_MAX: behind the newest. A ring that
 * has come into being since the cache was allocated has nothing older.
 */
static void cursor_find(struct ring_cursor *c, u64 ts, u64 now)
{
	struct ring_view v;
	int cause;

	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++)
		c->drops[cause] = ring_count_read(&c->ring->dropped[cause]);
	c->cleared = 0;
	c->lost = 0;
	c->voids = 0;
	c->placed = false;
	if (!ring_exists(c->ring) || !c->cache)
		return;
	if (ts == U64_MAX) {
		raw_spin_lock(&c->ring->lock);
		ring_view(c->ring, &v);
		c->at = v.commit;
		c->moves = c->ring->moves;
		raw_spin_unlock(&c->ring->lock);
	} else {
		cursor_find_time(c, ts, now);
	}
	c->placed = true;
}

/* All or nothing: the caches are where the search works, and are spoilt. */
static int go_time(struct reader *rd, u64 ts, u64 now)
{
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++)
		if (ring_exists(rd->cursors[i].ring) && !cursor_cache(&rd->cursors[i]))
			return -ENOMEM;
	rd->clears = stream_clears(rd->stream);
	for (i = 0; i < rd->nr_rings; i++)
		cursor_find(&rd->cursors[i], ts, now);
	for (i = 0; i < reader_nr_lanes(rd); i++) {
		cursor_lane_seek(rd, reader_lane(rd, i), ts);
		cond_resched();
	}
	return 0;
}

static void begin_at_cursors(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++) {
		rd->cursors[i].next = 0;
		rd->cursors[i].end = 0;
	}
	for (i = 0; i < rd->nr; i++) {
		struct cursor *c = reader_cursor(rd, i);

		c->key = 0;
		c->last = 0;
		cursor_ready(rd, c, false);
	}
	reader_heapify(rd);
	rd->clock_sent = false;
	rd->clock_next = devtrace_clock_oldest();
	WRITE_ONCE(rd->last, 0);
	rd->next_past = stream_oldest_past(rd->stream);
	rd->has_past = false;
}

/*
 * The time of the next event, or just behind the last one. One that the reader
 * has not got to its last byte is still to come.
 */
static loff_t reader_tell(struct reader *rd)
{
	u64 next = U64_MAX;
	bool ready = false;
	unsigned int i;

	if (rd->last && rd->wire.bytes - wire_staged(&rd->wire) < rd->last_end)
		return rd->last;
	for (i = 0; i < rd->nr; i++) {
		ready |= reader_cursor(rd, i)->ready;
		next = min(next, reader_cursor(rd, i)->key);
	}
	/* A ring with nothing at hand may have one since, not before its bound. */
	if (ready)
		return max(next, rd->last);
	return rd->last ? rd->last + 1 : rd->place;
}

/* What the stream did before we look does not matter, but for what it does then. */
static void skip_past(struct reader *rd)
{
	u8 state = DEVTRACE_STATE_RUNNING;
	struct stream_past p;

	while (stream_past(rd->stream, &rd->next_past, &p) && p.ts < rd->place) {
		state = p.state;
		rd->next_past++;
	}
	if (state != DEVTRACE_STATE_RUNNING)
		rd->next_past--;
}

/**
 * reader_seek() - go to another place
 * @rd: the reader, locked
 * @off: ns, see trace(4)
 * @whence: SEEK_SET, SEEK_CUR, SEEK_END or SEEK_DATA
 *
 * Return: the new place in trace clock ns, or -EINVAL, -ENOMEM.
 */
loff_t reader_seek(struct reader *rd, loff_t off, int whence)
{
	u64 now = devtrace_clock();
	u64 ts = U64_MAX;
	int err;

	switch (whence) {
	case SEEK_SET:
		if (off < 0)
			return -EINVAL;
		ts = off;
		break;
	case SEEK_CUR:
		if (off)
			return -EINVAL;
		return reader_tell(rd);
	case SEEK_END:
		if (off > 0)
			return -EINVAL;
		/* -off, also where it cannot be negated. */
		if (off)
			ts = -(u64)off < now ? now + (u64)off : 0;
		break;
	case SEEK_DATA:
		if (off)
			return -EINVAL;
		ts = 0;
		break;
	default:
		return -EINVAL;
	}

	rd->turn++;
	if (rd->stream == &devtrace_stream0)
		slots_take_all();
	err = reader_follow_lanes(rd);
	if (err)
		return err;
	if (ts) {
		/* Records may be newer than now by the time they are looked at. */
		err = go_time(rd, ts, now + SEEK_AHEAD_NS);
		if (err)
			return err;
	} else {
		go_oldest(rd);
	}
	begin_at_cursors(rd);
	if (wire_restart(&rd->wire)) {
		rd->serial = 0;
		rd->proc.found.until = 0;
		memset(rd->announced, 0, devtrace_proc_slots() * sizeof(*rd->announced));
	}
	if (rd->begun || rd->reason == DEVTRACE_INFO_CHECK)
		rd->reason = DEVTRACE_INFO_SEEK;
	rd->begun = false;
	rd->place = ts == U64_MAX ? now : ts;
	skip_past(rd);
	return rd->place;
}

/* Everything that is there, as lseek(fd, 0, SEEK_SET). */
void reader_oldest(struct reader *rd)
{
	go_oldest(rd);
	begin_at_cursors(rd);
}
