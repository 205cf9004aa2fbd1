// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reader's places in what lanes gave, beside those in rings
 *
 * A reader has a cursor for each slot there ever was, and no copy of anything: it reads
 * each event where it stands in the ring of blocks, and then looks whether it was being
 * overwritten meanwhile. Before a cursor says that it has nothing, the slot's lane is
 * looked at; from then on nothing older than the slot's floor can come.
 *
 * Slots come while a reader reads, and never go; which it finds later, all that was
 * ever in them was to be read.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "lane/lane_wake.h"
#include "reader.h"
#include "reader_lane.h"
#include "reader_priv.h"
#include "stream/table.h"

/* Runs that are overwritten while a reader comes to them: so often it looks for the next. */
#define RUN_TRIES	8

/* Only stream 0 has lanes. */
static bool has_lanes(const struct reader *rd)
{
	return rd->stream == &devtrace_stream0;
}

/* A function of its own, so that the others have no run on their stack. */
static noinline bool run_is_still_there(struct reader *rd, struct lane_cursor *c)
{
	struct run r;

	if (!slot_run(c->run, &r))
		return false;
	c->turn = rd->turn;
	return true;
}

/*
 * Whether the run is still there. It is asked under the lock of the ring once a call, for
 * a reader may sleep for long in between; then it is enough to look at the tail.
 */
static bool run_is_there(struct reader *rd, struct lane_cursor *c)
{
	return likely(c->turn == rd->turn) || run_is_still_there(rd, c);
}

/* The rest of the run is lost; the next one tells how many events that are. */
static bool run_is_gone(struct lane_cursor *c)
{
	c->at = c->len;
	return false;
}

/*
 * Whoever looks into a block has preemption off, for one run at the most: slots_resize()
 * waits for that before it frees any.
 */
static bool peek(struct reader *rd, struct lane_cursor *c)
{
	const struct block_ring *ring = slots_ring();
	const u8 *records;
	u64 ts;
	int ret;

	while (c->at < c->len) {
		if (!run_is_there(rd, c))
			return run_is_gone(c);
		records = blocks_records(ring, c->run);
		ret = lane_next(records, &c->at, c->len, &c->time, &c->ev);
		if (ret <= 0 || !blocks_there(ring, c->run))
			return run_is_gone(c);
		/* It was not wanted, and is not counted in the slot. */
		if (unlikely(c->ev.type == DEVTRACE_T_EMPTY))
			continue;
		c->data = c->ev.data - records;
		ts = clamp(c->time, c->lo, c->hi);
		c->late = ts != c->time;
		c->c.key = ts;
		return true;
	}
	return false;
}

/**
 * cursor_lane_peek() - look at the next event of the run
 * @rd: the reader
 * @c: its cursor; its key becomes the time of the event
 *
 * Return: false if there is none.
 */
bool cursor_lane_peek(struct reader *rd, struct lane_cursor *c)
{
	bool found;

	if (c->at == c->len)
		return false;
	preempt_disable();
	found = peek(rd, c);
	preempt_enable();
	return found;
}

static bool send(struct reader *rd, struct lane_cursor *c)
{
	const struct block_ring *ring = slots_ring();
	u16 source = c->c.source;

	if (!run_is_there(rd, c))
		return run_is_gone(c);
	if (c->ev.cpu < nr_cpu_ids)
		source = c->ev.cpu;
	c->ev.data = blocks_records(ring, c->run) + c->data;
	wire_lane_event(&rd->wire, &c->ev, c->tid, source, c->c.key, c->late);
	if (!blocks_there(ring, c->run))
		return run_is_gone(c);
	wire_lane_send(&rd->wire, &c->ev);
	return true;
}

/**
 * cursor_lane_send() - make the event at the front a frame
 * @rd: the reader
 * @c: its cursor, ready
 *
 * Return: false if it was overwritten.
 */
bool cursor_lane_send(struct reader *rd, struct lane_cursor *c)
{
	bool sent;

	preempt_disable();
	sent = send(rd, c);
	preempt_enable();
	return sent;
}

static void enter_run(struct reader *rd, struct lane_cursor *c, run_place_t place,
		      const struct run *r)
{
	c->run = place;
	c->at = 0;
	c->len = r->len;
	c->time = r->time;
	c->lo = r->lo;
	c->hi = r->hi;
	c->tid = r->tid;
	c->ev.cpu = r->cpu;
	c->turn = rd->turn;
	c->idx = r->idx;
}

static void report(struct reader *rd, struct lane_cursor *c, const struct slot_view *v)
{
	const u64 now = devtrace_clock();
	unsigned int cause;

	report_loss(rd, &c->c, DEVTRACE_LOST_CLEARED, c->cleared, now);
	report_loss(rd, &c->c, DEVTRACE_LOST_OVERWRITTEN, c->lost, now);
	c->cleared = 0;
	c->lost = 0;
	for (cause = 0; cause < SLOT_CAUSES; cause++)
		report_loss(rd, &c->c, cause, v->dropped[cause] - c->drops[cause], now);
	memcpy(c->drops, v->dropped, sizeof(c->drops));
	if (v->bad != c->bad)
		wire_lost(&rd->wire, c->c.source, DEVTRACE_LOST_LANE, 0, c->c.last, now);
	c->bad = v->bad;
}

static bool has_news(const struct lane_cursor *c, const struct slot_view *v)
{
	return c->lost || c->cleared || v->bad != c->bad ||
	       memcmp(c->drops, v->dropped, sizeof(c->drops));
}

/* From run to run to the next event. Returns the last one it came to, 0: there is no more. */
static run_place_t next_event(struct reader *rd, struct lane_cursor *c)
{
	run_place_t place;
	struct run r;
	int tries = 0;

	do {
		place = slot_next(c->slot, c->run, &r);
		if (!place)
			break;
		c->lost += r.idx - c->idx;
		enter_run(rd, c, place, &r);
		if (cursor_lane_peek(rd, c))
			cursor_ready(rd, &c->c, true);
	} while (!c->c.ready && ++tries < RUN_TRIES);
	return place;
}

/**
 * cursor_lane_refresh() - go to the next event
 * @rd: the reader
 * @c: its cursor, not ready; its key becomes the time of the next event, or the bound
 */
void cursor_lane_refresh(struct reader *rd, struct lane_cursor *c)
{
	struct slot_view v;
	run_place_t place = c->run;

	slot_refresh(c->slot, &v);
	c->c.busy = v.busy;
	/* A seek ends in the middle of a run. */
	if (cursor_lane_peek(rd, c))
		cursor_ready(rd, &c->c, true);
	else
		place = next_event(rd, c);
	if (!place && v.idx > c->idx) {
		/* They were all overwritten. */
		c->lost += v.idx - c->idx;
		c->idx = v.idx;
	}
	if (!c->c.ready && place)
		c->c.busy = true;
	else if (!c->c.ready)
		c->c.key = max(c->c.key, v.floor);
	if (unlikely(has_news(c, &v)))
		report(rd, c, &v);
}

/* Within the run, to the first event that is not older. */
static void find_in_run(struct reader *rd, struct lane_cursor *c, u64 ts)
{
	u32 at = c->at;
	u64 time = c->time;
	u16 cpu = c->ev.cpu;

	while (cursor_lane_peek(rd, c)) {
		if (c->c.key >= ts) {
			c->at = at;
			c->time = time;
			c->ev.cpu = cpu;
			return;
		}
		c->idx++;
		at = c->at;
		time = c->time;
		cpu = c->ev.cpu;
	}
}

/* What is before is not lost: it was not asked for. */
static void find_time(struct reader *rd, struct lane_cursor *c, u64 ts)
{
	run_place_t place = c->run;
	struct run r;

	while ((place = slot_next(c->slot, place, &r))) {
		cond_resched();
		if (fatal_signal_pending(current))
			return;
		enter_run(rd, c, place, &r);
		if (r.hi >= ts) {
			find_in_run(rd, c, ts);
			return;
		}
		c->at = c->len;
		c->idx = r.idx + r.nr;
	}
}

/**
 * cursor_lane_seek() - to the first event at or after a time
 * @rd: the reader
 * @c: the cursor
 * @ts: trace clock, ns; 0: the oldest event; U64_MAX: behind the newest
 *
 * What is complete was taken.
 */
void cursor_lane_seek(struct reader *rd, struct lane_cursor *c, u64 ts)
{
	struct slot_view v;

	slot_view(c->slot, &v);
	c->lost = 0;
	c->cleared = 0;
	c->at = 0;
	c->len = 0;
	c->c.last = 0;
	c->c.key = 0;
	if (ts == U64_MAX)
		c->run = slot_end(c->slot, &c->idx);
	else
		c->run = slot_cleared(c->slot, &c->idx, ts ? NULL : &v);
	c->bad = v.bad;
	memcpy(c->drops, v.dropped, sizeof(c->drops));
	if (!ts || ts == U64_MAX)
		return;
	c->idx = v.idx;
	find_time(rd, c, ts);
}

/* Cursors for the slots that came. */

static int make_chunk(struct reader *rd, unsigned int chunk)
{
	struct lane_cursor *lanes;
	unsigned int i;

	if (rd->lanes[chunk])
		return 0;
	lanes = kvcalloc(SLOTS_CHUNK, sizeof(*lanes), GFP_KERNEL_ACCOUNT);
	if (!lanes)
		return -ENOMEM;
	for (i = 0; i < SLOTS_CHUNK; i++) {
		lanes[i].slot = chunk * SLOTS_CHUNK + i;
		lanes[i].c.source = nr_cpu_ids + lanes[i].slot;
		lanes[i].c.lane = true;
	}
	rd->lanes[chunk] = lanes;
	return 0;
}

static int make_room(struct reader *rd, unsigned int nr)
{
	const unsigned int chunks = DIV_ROUND_UP(nr, SLOTS_CHUNK);
	struct cursor **heap;
	unsigned int i;

	for (i = 0; i < chunks; i++)
		if (make_chunk(rd, i))
			return -ENOMEM;
	if (rd->nr_rings + nr <= rd->room)
		return 0;
	heap = kvcalloc(rd->nr_rings + chunks * SLOTS_CHUNK, sizeof(*heap), GFP_KERNEL_ACCOUNT);
	if (!heap)
		return -ENOMEM;
	kvfree(rd->heap);
	rd->heap = heap;
	rd->room = rd->nr_rings + chunks * SLOTS_CHUNK;
	return 0;
}

/* All that was ever in a slot that it did not know was to be read. */
static void begin_slot(struct reader *rd, struct lane_cursor *c)
{
	c->run = slot_cleared(c->slot, &c->idx, NULL);
	c->cleared = c->idx;
	c->c.key = rd->last;
}

/**
 * reader_follow_lanes() - have a cursor for each slot
 * @rd: the reader
 *
 * A lane that came has nothing older than what was read before it did.
 *
 * Return: 0 or -ENOMEM.
 */
int reader_follow_lanes(struct reader *rd)
{
	unsigned int i, nr = has_lanes(rd) ? slots_nr() : 0;
	int err;

	if (nr == reader_nr_lanes(rd))
		return 0;
	err = make_room(rd, nr);
	if (err)
		return err;
	for (i = reader_nr_lanes(rd); i < nr; i++)
		begin_slot(rd, reader_lane(rd, i));
	/* LMM(reader_nr:A): cursors before their number; pairs with reader_nr:B. */
	smp_store_release(&rd->nr, rd->nr_rings + nr);
	for (i = 0; i < rd->nr; i++)
		rd->heap[i] = reader_cursor(rd, i);
	reader_heapify(rd);
	return 0;
}

/**
 * reader_lanes_clear() - what was not read is reported as cleared
 * @rd: the reader
 */
void reader_lanes_clear(struct reader *rd)
{
	unsigned int i;
	run_place_t run;
	u64 idx;

	for (i = 0; i < reader_nr_lanes(rd); i++) {
		struct lane_cursor *c = reader_lane(rd, i);

		run = slot_cleared(i, &idx, NULL);
		if (idx <= c->idx)
			continue;
		c->cleared += idx - c->idx;
		c->idx = idx;
		c->run = run;
		c->at = 0;
		c->len = 0;
		cursor_ready(rd, &c->c, false);
	}
}

/* A slot that the reader does not know yet, too. */
static bool slot_unread(const struct reader *rd, unsigned int slot, u64 bytes)
{
	const struct lane_cursor *c = NULL;
	struct slot_view v;

	if (slot < reader_nr_lanes(rd))
		c = reader_lane(rd, slot);
	slot_refresh(slot, &v);
	if (bytes)
		return slots_behind(slot, c ? c->run : 0, c ? c->idx : 0) >= bytes;
	return c ? v.idx != c->idx || has_news(c, &v) : v.idx != 0;
}

/**
 * reader_lanes_unread() - whether some slot has events that were not read
 * @rd: the reader
 * @percent: and so much of the ring at least; 0: anything
 */
bool reader_lanes_unread(const struct reader *rd, unsigned int percent)
{
	const u64 size = slots_bytes();
	unsigned int i, nr = has_lanes(rd) ? slots_nr() : 0;
	u64 bytes = 0;

	/* The ring never counts as full: room is made a block ahead. */
	if (percent && size)
		bytes = min(div_u64(size * percent, 100), size - 2 * BLOCK_BYTES);
	for (i = 0; i < nr; i++) {
		if (slot_unread(rd, i, bytes))
			return true;
		cond_resched();
	}
	return false;
}

/**
 * reader_lanes_lag() - bytes of the ring of blocks that were not read
 * @rd: the reader, which may read meanwhile
 */
u64 reader_lanes_lag(const struct reader *rd)
{
	unsigned int i, nr = has_lanes(rd) ? slots_nr() : 0;
	/* LMM(reader_nr:B): pairs with reader_nr:A. */
	const unsigned int known = smp_load_acquire(&rd->nr) - rd->nr_rings;
	const struct lane_cursor *c;
	run_place_t run;
	u64 lag = 0, idx;

	for (i = 0; i < nr; i++) {
		if (i < known) {
			c = reader_lane(rd, i);
			/* A moment ago is good enough. */
			run = data_race(c->run);
			/* Likewise. */
			idx = data_race(c->idx);
		} else {
			/* It begins there when it comes to know the slot. */
			run = slot_cleared(i, &idx, NULL);
		}
		lag = max(lag, slots_behind(i, run, idx));
		cond_resched();
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
	for (i = 0; i < ARRAY_SIZE(rd->lanes); i++)
		kvfree(rd->lanes[i]);
}
