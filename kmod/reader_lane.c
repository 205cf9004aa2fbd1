// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reader's places in lanes, beside those in rings
 *
 * A cursor in a lane has a bound as one in a ring has: a thread says that it is busy
 * before it reads the clock, so if this reader reads the clock and then finds it not
 * busy and everything taken, whatever comes later is not older, but for MARGIN_NS. But
 * it is a program that says so: a busy one is waited for a while only, and never if it is
 * dead. A time that is older than what was said or given before, or that is still to
 * come, is made that; both are marked DEVTRACE_F_LATE.
 *
 * What makes no sense ends the lane for this reader, in one LOST frame, and closes it
 * for its thread. Other cursors do not notice.
 *
 * Lanes come and go under layout of the stream, which whoever calls in here holds. A
 * reader gets its place, when it is opened and by each lseek(2), in all lanes there are: so
 * one that it does not know was made since, and all that was ever in it was to be read.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "core.h"
#include "emit_check.h"
#include "lane_wake.h"
#include "reader_priv.h"

/* A thread that loses its CPU while it emits gets it back by then, or its event is late. */
#define BUSY_NS		(10 * NSEC_PER_MSEC)

/* The reader's cursors for lanes are there for this stream only. */
static bool has_lanes(const struct reader *rd)
{
	return rd->stream == &devtrace_stream0;
}

static void report_lane_losses(struct reader *rd, struct cursor *c, u64 now)
{
	report_loss(rd, c, DEVTRACE_LOST_CLEARED, c->cleared, now);
	report_loss(rd, c, DEVTRACE_LOST_OVERWRITTEN, c->lost, now);
	c->cleared = 0;
	c->lost = 0;
}

static void lane_is_bad(struct reader *rd, struct cursor *c, u64 now)
{
	c->bad = true;
	c->next = 0;
	c->end = 0;
	lane_close(c->lane);
	wire_lost(&rd->wire, c->source, DEVTRACE_LOST_LANE, 0, c->last, now);
}

/* The rest of what the system call would have refused. */
static bool may_emit(const struct lane_event *ev)
{
	const struct devtrace_emit e = {
		.type = ev->type, .severity = ev->severity, .flags = ev->flags,
	};

	return emit_check_type(ev->type) && !emit_check_rest(&e, ev->len);
}

/**
 * cursor_lane_peek() - look at the event at the front of the copy
 * @rd: the reader
 * @c: its cursor; @key becomes the time of the event
 *
 * Return: false if there is none.
 */
bool cursor_lane_peek(struct reader *rd, struct cursor *c)
{
	u64 ts;

	while (c->next < c->end) {
		if (lane_next(&c->in, (u8 *)c->cache, &c->next, c->end, &c->ev) ||
		    !may_emit(&c->ev)) {
			lane_is_bad(rd, c, c->latest);
			return false;
		}
		ts = c->ev.time;
		if (unlikely(ts < c->key || ts > c->latest))
			ts = c->key;
		if (unlikely(!lane_filter_stored(&rd->allowed, c->ev.type, ts))) {
			/* Each reader comes here; one counts. */
			lane_count_filtered(c->lane, c->in.idx);
			c->key = ts;
			continue;
		}
		c->late = ts != c->ev.time;
		c->key = ts;
		return true;
	}
	return false;
}

/*
 * Whether to wait for an event that its thread is about to complete. If one let us wait
 * in vain, none is waited for in a while: so however many there are, it is a tenth of
 * the time.
 */
static bool wait_for(struct reader *rd, struct cursor *c, u64 now)
{
	if (now < rd->patient_at)
		return false;
	if (!c->stuck)
		c->stuck = now;
	if (now - c->stuck < BUSY_NS)
		return true;
	rd->patient_at = now + 10 * BUSY_NS;
	return false;
}

/*
 * A copy ends with a block, or with all there is. So what was not in as many of them as
 * there are blocks, nor behind an empty one in the next, which may have an event that was
 * under way then, was written since. A lane that says that it is older cannot hold up the
 * others.
 */
static void at_least_as_new(struct cursor *c, u64 now)
{
	const u32 nr = c->lane->mem.nr;

	if (!c->end) {
		/* If each empty one began anew there might be no end. */
		if (!c->since || c->copies < nr) {
			c->since = now;
			c->copies = nr;
		}
	} else if (!c->since) {
		c->since = now;
		c->copies = 0;
	} else if (++c->copies > nr + 1) {
		c->key = max(c->key, c->since - MARGIN_NS);
		c->since = now;
		c->copies = 0;
	}
}

/**
 * cursor_lane_refresh() - copy more events if the copy has none
 * @rd: the reader
 * @c: its cursor; @key becomes the time of the next event, or the bound
 *
 * Return: 0 or -ENOMEM.
 */
int cursor_lane_refresh(struct reader *rd, struct cursor *c)
{
	struct lane *l = c->lane;
	unsigned int blocks = 0;
	bool open, busy;
	u64 now;
	int err;

	lane_filter_get(&rd->allowed);
	do {
		now = devtrace_clock();
		c->busy = false;
		if (l->gone || c->bad) {
			c->key = max(c->key, now - MARGIN_NS);
			break;
		}
		if (!cursor_cache(c))
			return -ENOMEM;
		open = lane_is_open(l);
		/* The clock before we look whether the thread is busy. */
		smp_mb();
		/* LMM(lane_bound:A): busy before what is there; pairs with lane_write:D. */
		busy = smp_load_acquire(&l->mem.head->busy) && open;
		err = lane_fetch(&l->mem, &c->in, (u8 *)c->cache, &c->end, &c->lost);
		c->latest = devtrace_clock() + MARGIN_NS;
		c->next = 0;
		if (err)
			lane_is_bad(rd, c, now);
		at_least_as_new(c, now);
		if (cursor_lane_peek(rd, c)) {
			cursor_ready(rd, c, true);
			c->stuck = 0;
		} else if (busy && !c->end && wait_for(rd, c, now)) {
			c->busy = true;
		} else if (!c->end) {
			c->key = max(c->key, now - MARGIN_NS);
		}
		if (!busy || c->end)
			c->stuck = 0;
		/*
		 * There may have been nothing but what is not wanted. A program can write
		 * that faster than we look; twice what there was when we came is enough.
		 */
		if (!c->ready && c->end && ++blocks > 2 * l->mem.nr + 4) {
			rd->vain = true;
			c->vain = rd->turn;
			break;
		}
		cond_resched();
	} while (!c->ready && c->end);

	if (c->lost || c->cleared)
		report_lane_losses(rd, c, now);
	return 0;
}

/* Its place is where the oldest event is that may be read. */
static void cursor_begin(struct cursor *c)
{
	struct lane *l = c->lane;

	if (l->gone)
		return;
	if (l->is_cleared)
		c->in = l->cleared;
	else
		lane_begin(&l->mem, &c->in);
}

/**
 * cursor_lane_seek() - to the first event at or after a time, or before it
 * @c: the cursor
 * @ts: trace clock, ns; 0: the oldest event; U64_MAX: behind the newest
 */
void cursor_lane_seek(struct cursor *c, u64 ts)
{
	struct lane *l = c->lane;
	struct lane_place from;

	c->lost = 0;
	c->cleared = 0;
	c->bad = false;
	c->stuck = 0;
	c->since = 0;
	c->last = 0;
	/* A reader that is opened now is told nothing of it, either. */
	if (l->gone) {
		c->in.idx = l->total;
		return;
	}
	cursor_begin(c);
	if (!ts)
		return;
	from = c->in;
	if (ts != U64_MAX)
		lane_find(&l->mem, &c->in, ts);
	else if (!c->cache || lane_end(&l->mem, &c->in, (u8 *)c->cache))
		lane_find(&l->mem, &c->in, ts);
	/* What was cleared is older than that. */
	if (l->is_cleared && (s64)(c->in.idx - from.idx) < 0)
		c->in = from;
}

/* The lanes have changed. */

static struct cursor *cursor_new(struct reader *rd, struct lane *l)
{
	struct cursor *c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);

	if (!c)
		return NULL;
	c->lane = lane_get(l);
	c->source = l->source;
	c->placed = true;
	c->key = max(l->made, rd->last);
	mutex_lock(&rd->stream->clear_lock);
	cursor_begin(c);
	c->cleared = c->in.idx;
	mutex_unlock(&rd->stream->clear_lock);
	return c;
}

static void cursor_free(struct cursor *c)
{
	lane_put(c->lane);
	kvfree(c->cache);
	kfree(c);
}

static int make_room(struct reader *rd, unsigned int nr)
{
	struct cursor **lanes, **heap;

	if (nr <= rd->room)
		return 0;
	nr = max(nr, 2 * rd->room);
	lanes = kvcalloc(nr, sizeof(*lanes), GFP_KERNEL_ACCOUNT);
	heap = kvcalloc(rd->nr_rings + nr, sizeof(*heap), GFP_KERNEL_ACCOUNT);
	if (!lanes || !heap) {
		kvfree(lanes);
		kvfree(heap);
		return -ENOMEM;
	}
	if (rd->lanes)
		memcpy(lanes, rd->lanes, reader_nr_lanes(rd) * sizeof(*lanes));
	kvfree(rd->lanes);
	kvfree(rd->heap);
	rd->lanes = lanes;
	rd->heap = heap;
	rd->room = nr;
	/* The heap is put together anew by whoever asked. */
	return 0;
}

static void fill_heap(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++)
		rd->heap[i] = &rd->cursors[i];
	for (; i < rd->nr; i++)
		rd->heap[i] = rd->lanes[i - rd->nr_rings];
	reader_heapify(rd);
}

/* What was copied is still to be read; all else of a lane that is gone is lost. */
static bool cursor_is_over(struct reader *rd, struct cursor *c)
{
	u64 lost;

	if (!c->lane->gone || c->ready)
		return false;
	lost = c->lane->total > c->in.idx && !c->bad ? c->lane->total - c->in.idx : 0;
	c->lost += lost;
	c->in.idx += lost;
	if (!wire_has_room(&rd->wire))
		return false;
	report_lane_losses(rd, c, devtrace_clock());
	return true;
}

static unsigned int drop_over(struct reader *rd)
{
	unsigned int i, left = 0, n = reader_nr_lanes(rd), over = 0;

	for (i = 0; i < n; i++) {
		struct cursor *c = rd->lanes[i];

		if (cursor_is_over(rd, c)) {
			cursor_free(c);
			continue;
		}
		over += c->lane->gone;
		rd->lanes[left++] = c;
	}
	rd->nr = rd->nr_rings + left;
	return over;
}

/* Those that this reader does not know yet are at the end of the list. */
static unsigned int count_new(const struct reader *rd, struct list_head **from)
{
	struct list_head *at;
	unsigned int n = 0;

	for (at = devtrace_lanes.prev; at != &devtrace_lanes; at = at->prev) {
		const struct lane *l = list_entry(at, struct lane, list);

		if (l->serial <= rd->lane_serial)
			break;
		n++;
	}
	*from = at;
	return n;
}

/* Of several such lanes in one frame: it is the number that counts. */
static bool report_unseen(struct reader *rd)
{
	static const u8 causes[] = { DEVTRACE_LOST_CLEARED, DEVTRACE_LOST_OVERWRITTEN };
	u64 n[] = { rd->unseen_cleared, rd->unseen };
	unsigned int i;

	if (!(n[0] + n[1]))
		return true;
	if (!wire_has_room(&rd->wire))
		return false;
	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (n[i])
			wire_lost(&rd->wire, rd->unseen_source, causes[i], n[i], 0,
				  devtrace_clock());
	WRITE_ONCE(rd->missed, rd->missed + n[0] + n[1]);
	rd->unseen = 0;
	rd->unseen_cleared = 0;
	return true;
}

/* With readers_lock. Unless we @tell, what is over stays for the next time. */
static int follow(struct reader *rd, bool tell)
{
	struct list_head *at;
	unsigned int n, over;
	int err = 0;

	n = count_new(rd, &at);
	err = make_room(rd, reader_nr_lanes(rd) + n);
	if (err)
		return err;
	over = tell ? drop_over(rd) + !report_unseen(rd) : 1;
	for (at = at->next; at != &devtrace_lanes; at = at->next) {
		struct lane *l = list_entry(at, struct lane, list);
		struct cursor *c = cursor_new(rd, l);

		if (!c) {
			err = -ENOMEM;
			break;
		}
		rd->lanes[reader_nr_lanes(rd)] = c;
		rd->nr++;
		rd->lane_serial = l->serial;
	}
	fill_heap(rd);
	if (!err && !over)
		rd->lane_changes = devtrace_lanes_changes;
	return err;
}

/**
 * readers_lane_goes() - the memory of a lane is needed
 * @l: the lane, @total is set; layout of its stream is held for writing
 *
 * Readers that have a cursor there are told by that. Those that have not looked since it
 * was made are told by what is noted here.
 */
void readers_lane_goes(const struct lane *l)
{
	const u64 cleared = l->is_cleared ? min(l->cleared.idx, l->total) : 0;
	struct stream *s = &devtrace_stream0;
	struct reader *rd;

	mutex_lock(&s->readers_lock);
	list_for_each_entry(rd, &s->readers, list) {
		if (rd->lane_serial >= l->serial)
			continue;
		rd->unseen += l->total - cleared;
		rd->unseen_cleared += cleared;
		rd->unseen_source = l->source;
	}
	mutex_unlock(&s->readers_lock);
}

static int look_at_lanes(struct reader *rd, bool tell)
{
	int err;

	if (!has_lanes(rd)) {
		rd->lane_changes = devtrace_lanes_changes;
		return 0;
	}
	/* stream_reader() looks at them. */
	mutex_lock(&rd->stream->readers_lock);
	err = follow(rd, tell);
	mutex_unlock(&rd->stream->readers_lock);
	return err;
}

/**
 * reader_follow_lanes() - know all lanes there are, and no others
 * @rd: the reader
 *
 * A lane that came has nothing older than what was copied before it did. One that is
 * gone keeps its cursor until that has given what it had copied.
 *
 * Return: 0 or -ENOMEM.
 */
int reader_follow_lanes(struct reader *rd)
{
	return look_at_lanes(rd, true);
}

/**
 * reader_know_lanes() - know all lanes there are, and make no frames
 * @rd: the reader, which may have told nothing yet, not even that it begins
 *
 * Return: 0 or -ENOMEM.
 */
int reader_know_lanes(struct reader *rd)
{
	return look_at_lanes(rd, false);
}

/**
 * reader_lanes_clear() - what was not read is reported as cleared
 * @rd: the reader, clear_lock held
 */
void reader_lanes_clear(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < reader_nr_lanes(rd); i++) {
		struct cursor *c = rd->lanes[i];
		const struct lane *l = c->lane;
		u64 idx;

		if (!l->is_cleared)
			continue;
		/* Cleared before it went: to be believed as far as its events are counted. */
		idx = l->gone ? min(l->cleared.idx, l->total) : l->cleared.idx;
		/* One that was peeked at counts as read by lane_next(). */
		if ((s64)(idx - c->in.idx) + c->ready <= 0)
			continue;
		c->cleared += idx - c->in.idx + c->ready;
		c->in = l->cleared;
		c->in.idx = idx;
		c->next = 0;
		c->end = 0;
		cursor_ready(rd, c, false);
	}
}

/**
 * reader_lanes_unread() - whether some lane has events that were not read
 * @rd: the reader
 * @percent: and so much of it at least; 0: anything
 */
bool reader_lanes_unread(const struct reader *rd, unsigned int percent)
{
	unsigned int i;

	if (!has_lanes(rd))
		return false;
	if (rd->lane_changes != devtrace_lanes_changes)
		return true;
	for (i = 0; i < reader_nr_lanes(rd); i++) {
		const struct cursor *c = rd->lanes[i];

		if (!c->lane->gone && !c->bad &&
		    lane_unread(&c->lane->mem, &c->in, c->lane->mem.nr * percent / 100))
			return true;
	}
	return false;
}

/**
 * reader_lanes_lag() - bytes of lanes that were not read, nearly
 * @rd: the reader, which may read meanwhile
 */
u64 reader_lanes_lag(const struct reader *rd)
{
	unsigned int i;
	u64 lag = 0;

	for (i = 0; i < reader_nr_lanes(rd); i++) {
		const struct cursor *c = rd->lanes[i];
		const struct lane *l = c->lane;

		/* A moment ago is good enough. */
		if (!l->gone && lane_unread(&l->mem, &c->in, 0))
			/* Likewise. */
			lag += (u64)min(READ_ONCE(l->mem.head->open) - data_race(c->in.block) + 1,
					l->mem.nr) * DEVTRACE_LANE_BLOCK;
	}
	return lag;
}

/**
 * reader_follows() - the reader is going to wait
 * @rd: the reader, locked
 */
void reader_follows(struct reader *rd)
{
	if (rd->follows || !has_lanes(rd))
		return;
	rd->follows = true;
	lane_wake_follow(true);
}

void reader_lanes_free(struct reader *rd)
{
	unsigned int i;

	if (rd->follows)
		lane_wake_follow(false);
	for (i = 0; i < reader_nr_lanes(rd); i++)
		cursor_free(rd->lanes[i]);
	kvfree(rd->lanes);
}
