// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reader's place in all rings, and their events in time order
 *
 * A cursor is a reader's place in one ring. It copies a stretch of records at
 * a time; the copy is its own, so what has been copied cannot be lost any
 * more. Cursors stand in a heap by the time of their next record.
 *
 * Order. A cursor with nothing to read has a bound in place of a time: no
 * event older than that can still come from its ring. A writer raises the nest
 * count before it reads the clock; so if this reader reads the clock, then
 * finds nobody nested and everything committed, whatever comes later is not
 * older than that clock, but for the time that a store takes to become
 * visible, for which MARGIN_NS is allowed. An event goes out when no bound is
 * below its time. While a writer is under way its ring's bound stays where it
 * is, and newer events of other rings wait for it. An event whose time is long after the
 * reader's clock, as that of a CPU that is wrong, is left for another call; by more than
 * a second, it gets the reader's time, and DEVTRACE_F_LATE.
 *
 * Accounts. A cursor knows the index of its next record. What the ring says
 * it overwrote, dropped or cleared since is reported before the next event, in
 * LOST frames, once. So for every ring and reader: events read and reported
 * lost add up to events emitted.
 */
#include <linux/list.h>
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "compat/compat_atomic.h"
#include "emit/dict.h"
#include "reader.h"
#include "reader_lane.h"
#include "reader_priv.h"
#include "seek.h"
#include "stream/past.h"
#include "stream/stream.h"

#define INFO_NS		NSEC_PER_SEC
#define INFO_BYTES	(64 * 1024)
#define BUSY_TRIES	1000
/* CPUs whose clocks differ by more than that are not waited for in a read. */
#define AHEAD_NS	NSEC_PER_MSEC
/* Events before the place that lseek(2) went to: writers may make them as fast. */
#define THROWN_MOST	BIT(20)

struct wire *reader_wire(struct reader *rd)
{
	return &rd->wire;
}

/* The heap: by key, then by source, so that the order is always the same. */

static bool before(const struct cursor *a, const struct cursor *b)
{
	return a->key != b->key ? a->key < b->key : a->source < b->source;
}

static void sift_down(struct reader *rd, unsigned int i)
{
	struct cursor *c = rd->heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < rd->nr) {
		if (child + 1 < rd->nr && before(rd->heap[child + 1], rd->heap[child]))
			child++;
		if (!before(rd->heap[child], c))
			break;
		rd->heap[i] = rd->heap[child];
		i = child;
	}
	rd->heap[i] = c;
}

void reader_heapify(struct reader *rd)
{
	unsigned int i;

	for (i = rd->nr / 2; i-- > 0;)
		sift_down(rd, i);
}

void cursor_ready(struct reader *rd, struct cursor *c, bool ready)
{
	rd->nr_ready += ready - c->ready;
	c->ready = ready;
}

/* Behind the record at the front. */
static void cursor_skip(struct ring_cursor *c)
{
	u32 units = ring_record_units((void *)&c->cache[c->next]);

	c->next += units;
	c->at.pos += units;
	c->at.idx++;
}

/* Look at the record at the front of the cache; false if it is not whole. */
static bool cursor_peek(struct ring_cursor *c)
{
	u64 ts;

	while (c->next < c->end) {
		const struct ring_record *rec = (void *)&c->cache[c->next];
		u32 left = c->end - c->next, units;

		if (rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD) {
			units = (u32)rec->word;
			if (units > left)
				return false;
			c->next += units;
			c->at.pos += units;
			continue;
		}
		if (left < 2 || ring_record_units(rec) > left)
			return false;
		if (unlikely(rec->word >> RING_TYPE_SHIFT == RING_TYPE_VOID)) {
			c->voids++;
			cursor_skip(c);
			continue;
		}
		ts = ring_ts(rec->word, c->latest);
		/* Beyond latest it seems older than the machine: its CPU's clock is wrong. */
		c->c.key = likely(ts <= c->latest) ? ts : max(c->c.key, c->latest - NSEC_PER_SEC);
		return true;
	}
	return false;
}

/* The record at the front was given. */
static void cursor_advance(struct ring_cursor *c)
{
	cursor_skip(c);
	c->c.last = c->c.key;
}

void report_loss(struct reader *rd, struct cursor *c, u8 cause, u64 count, u64 now)
{
	if (!count)
		return;
	wire_lost(&rd->wire, c->source, cause, count, c->last, c->ready ? c->key : now);
	WRITE_ONCE(rd->missed, rd->missed + count);
}

static void report_losses(struct reader *rd, struct ring_cursor *c, u64 now)
{
	int cause;

	report_loss(rd, &c->c, DEVTRACE_LOST_CLEARED, c->cleared, now);
	report_loss(rd, &c->c, DEVTRACE_LOST_OVERWRITTEN, c->lost, now);
	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++) {
		u64 n = ring_count_read(&c->ring->dropped[cause]), more = n - c->drops[cause];

		/* What a writer took back was not stored, if not for want of room. */
		if (cause == DEVTRACE_LOST_STOPPED)
			more += c->voids;
		report_loss(rd, &c->c, cause, more, now);
		c->drops[cause] = n;
	}
	c->cleared = 0;
	c->lost = 0;
	c->voids = 0;
}

bool cursor_dropped_more(const struct ring_cursor *c)
{
	int cause;

	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++)
		if (ring_count_read(&c->ring->dropped[cause]) != c->drops[cause])
			return true;
	return false;
}

bool cursor_cache(struct ring_cursor *c)
{
	if (!c->cache)
		c->cache = kvmalloc_array(CACHE_UNITS, sizeof(*c->cache),
					  GFP_KERNEL_ACCOUNT);
	return c->cache;
}

/* To the oldest record, with everything before it lost; the ring is locked. */
void cursor_oldest(struct ring_cursor *c)
{
	lockdep_assert_held(&c->ring->lock);
	ring_oldest(c->ring, &c->at, &c->lost);
	c->moves = c->ring->moves;
	c->placed = true;
}

/*
 * After a resize: each record is elsewhere, or gone. Nothing that was copied is left to
 * be given. -EINTR: killed on the way; nothing has changed.
 */
static int cursor_follow(struct ring_cursor *c)
{
	struct ring *ring = c->ring;
	struct ring_place at;
	unsigned int moves = 0;
	bool there;
	u32 step = 0;

	do {
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		raw_spin_lock(&ring->lock);
		if (moves != ring->moves)
			step = 0;
		moves = ring->moves;
		/* What was cleared before is not in the new memory, and was not overwritten. */
		if (c->at.idx < ring->cleared.idx) {
			c->cleared += ring->cleared.idx - c->at.idx;
			c->at.idx = ring->cleared.idx;
		}
		there = ring_place_step(ring, c->at.idx, &step, &at, c->cache, CACHE_UNITS);
		raw_spin_unlock(&ring->lock);
	} while (!there);
	if (at.idx > c->at.idx)
		c->lost += at.idx - c->at.idx;
	c->at = at;
	c->moves = moves;
	return 0;
}

/*
 * Copy what comes next of a ring that exists. -EAGAIN: its cursor has to be found a
 * place, or another one, first.
 */
static int cursor_fetch(struct ring_cursor *c)
{
	struct ring *ring = c->ring;
	struct ring_view v;
	int err = 0;

	raw_spin_lock(&ring->lock);
	if (likely(c->moves == ring->moves)) {
		ring_view(ring, &v);
		c->c.busy = v.busy;
		c->lost += ring_fetch(ring, &c->at, CACHE_UNITS, c->cache, &c->end);
	} else {
		err = -EAGAIN;
	}
	raw_spin_unlock(&ring->lock);
	return err;
}

/* It came after the others got their places: all was to be read. */
static void cursor_place(struct reader *rd, struct ring_cursor *c)
{
	raw_spin_lock(&c->ring->lock);
	cursor_oldest(c);
	c->cleared = c->ring->cleared.idx - rd->stream->start;
	raw_spin_unlock(&c->ring->lock);
}

/*
 * Copy more records if the cache has none. Sets key to the time of the next
 * one, or to the bound. -ENOMEM if there is no memory for the cache; -EINTR: killed.
 */
static int cursor_ring_refresh(struct reader *rd, struct ring_cursor *c)
{
	u64 now;
	int err;

	do {
		now = devtrace_clock();
		if (!ring_exists(c->ring)) {
			c->c.key = now - MARGIN_NS;
			c->c.busy = false;
			break;
		}
		if (!c->placed)
			cursor_place(rd, c);
		if (!cursor_cache(c))
			return -ENOMEM;
		c->next = 0;
		c->end = 0;
		/* The clock before we look whether a writer is under way. */
		smp_mb();
		while (unlikely(cursor_fetch(c))) {
			err = cursor_follow(c);
			if (err)
				return err;
		}
		/* Clocks of two CPUs may differ by nanoseconds, not by a second. */
		c->latest = devtrace_clock() + NSEC_PER_SEC;
		if (cursor_peek(c))
			cursor_ready(rd, &c->c, true);
		else if (!c->end && !c->c.busy)
			c->c.key = now - MARGIN_NS;
		/* There may have been padding and nothing else. */
	} while (!c->c.ready && c->end);

	if (c->lost || c->cleared || c->voids || cursor_dropped_more(c))
		report_losses(rd, c, now);
	return 0;
}

static int cursor_refresh(struct reader *rd, struct cursor *c)
{
	if (!c->lane)
		return cursor_ring_refresh(rd, ring_cursor(c));
	cursor_lane_refresh(rd, lane_cursor(c));
	return 0;
}

static void cursor_follow_clear(struct reader *rd, struct ring_cursor *c)
{
	struct ring *ring = c->ring;
	u64 n = 0;

	if (!c->placed)
		return;
	raw_spin_lock(&ring->lock);
	if (c->at.idx < ring->cleared.idx) {
		n = ring->cleared.idx - c->at.idx;
		c->at = ring->cleared;
		c->moves = ring->moves;
	}
	raw_spin_unlock(&ring->lock);
	if (!n)
		return;
	c->cleared += n;
	c->next = 0;
	c->end = 0;
	c->c.key = 0;
	cursor_ready(rd, &c->c, false);
}

/*
 * After a clear: what was not read is reported as cleared. While a stream is being
 * cleared some of its rings are, and the others are found to be after that.
 */
static void follow_clear(struct reader *rd)
{
	unsigned int i;

	rd->clears = stream_clears(rd->stream);
	for (i = 0; i < rd->nr_rings; i++)
		cursor_follow_clear(rd, &rd->cursors[i]);
	reader_lanes_clear(rd);
	reader_heapify(rd);
}

/*
 * What goes before the event at @ts: the latest clock sample that is not after
 * it, or failing that the first, and now and then an INFO.
 */
static void send_clock(struct reader *rd, u64 ts)
{
	unsigned long n = rd->clock_next;
	struct wire *w = &rd->wire;
	struct clock_sample s;
	bool first = !rd->clock_sent;
	bool found = false;

	while (devtrace_clock_sample(&n, &s)) {
		if (s.ts > ts && (found || !first))
			break;
		rd->clock = s;
		found = true;
		rd->clock_next = ++n;
		if (s.ts > ts)
			break;
	}
	if (!first && ((s64)(ts - rd->info_ts) >= (s64)INFO_NS ||
		       w->bytes - rd->info_bytes >= INFO_BYTES)) {
		wire_info(w, DEVTRACE_INFO_PERIODIC);
		found = true;
		first = true;
	}
	if (!found)
		return;
	wire_clock(w, &rd->clock);
	rd->clock_sent = true;
	if (first) {
		rd->info_ts = ts;
		rd->info_bytes = w->bytes;
	}
}

/* The name of the thread, unless it was the last one sent for it. */
static void send_proc(struct reader *rd, u32 tid, u64 ts)
{
	struct announced *a = rd->announced;
	struct proc_sent *sent = &rd->proc;
	struct proc_name name;
	unsigned int i, first;
	int slot;

	/* An idle task: the source of the event tells its name. */
	if (!tid)
		return;
	if (sent->tid == tid && ts >= sent->from && ts < sent->found.until &&
	    devtrace_proc_same(&sent->found))
		return;
	sent->tid = tid;
	sent->from = ts;
	if (!devtrace_proc_find(tid, ts, &name, &sent->found))
		return;
	slot = sent->found.slot;
	if (a[slot].stamp == sent->found.stamp && a[slot].tid == tid)
		return;
	/* Another name of the same thread is no longer the last one sent. */
	first = slot - slot % devtrace_proc_ways();
	for (i = first; i < first + devtrace_proc_ways(); i++)
		if (a[i].tid == tid)
			a[i].stamp = 0;
	a[slot].stamp = sent->found.stamp;
	a[slot].tid = tid;
	wire_proc(&rd->wire, &name);
}

/* Whether there is a change of state that was not told. */
bool reader_more_past(struct reader *rd)
{
	if (likely(READ_ONCE(rd->stream->pasts) == rd->next_past))
		return rd->has_past;
	if (!rd->has_past)
		rd->has_past = stream_past(rd->stream, &rd->next_past, &rd->past);
	return rd->has_past;
}

/* Whether it is the next to be told: no older event can come. */
static bool past_is_next(struct reader *rd)
{
	return reader_more_past(rd) && rd->heap[0]->key >= rd->past.ts;
}

static void send_past(struct reader *rd)
{
	wire_state(&rd->wire, &rd->past);
	rd->next_past++;
	rd->has_past = false;
}

bool reader_more_names(const struct reader *rd)
{
	/* LMM(names:B): pairs with dict:A. */
	return (u64)compat_atomic64_read_acquire(&devtrace_dict_serial) != rd->serial;
}

/* Each turn of it makes a frame. Whether there was any: it may be given up by now. */
static bool send_names(struct reader *rd, size_t want)
{
	const u64 frames = rd->wire.frames;
	struct devtrace_dict d;
	u64 newest, serial;
	u32 scope;

	/* LMM(names:C): pairs with dict:A. */
	newest = compat_atomic64_read_acquire(&devtrace_dict_serial);
	while (wire_has_room(&rd->wire) && wire_staged(&rd->wire) < want) {
		serial = devtrace_dict_next(rd->serial, &d, &scope);
		if (!serial) {
			/* The newest may have been given up meanwhile. */
			rd->serial = max(rd->serial, newest);
			break;
		}
		rd->serial = serial;
		wire_dict(&rd->wire, &d, scope);
	}
	return rd->wire.frames != frames;
}

static void send_ring_event(struct reader *rd, struct ring_cursor *c)
{
	const struct ring_record *rec = (void *)&c->cache[c->next];

	send_proc(rd, rec->who & RING_WHO_TID, c->c.key);
	wire_event(&rd->wire, rec, c->c.source, c->c.key);
}

/* The event at the front; false: it was overwritten before it was copied. */
static bool send_one(struct reader *rd, struct cursor *c)
{
	send_clock(rd, c->key);
	if (!c->lane) {
		send_ring_event(rd, ring_cursor(c));
	} else {
		send_proc(rd, lane_cursor(c)->tid, c->key);
		if (!cursor_lane_send(rd, lane_cursor(c)))
			return false;
	}
	/* stream_reader() looks at these meanwhile. */
	WRITE_ONCE(rd->last, c->key);
	rd->last_end = rd->wire.bytes;
	WRITE_ONCE(rd->given, rd->given + 1);
	return true;
}

static void send_event(struct reader *rd, struct cursor *c)
{
	bool more;

	/* Under way when lseek(2) looked, and older than what it asked for? */
	if (unlikely(c->key < rd->place)) {
		rd->thrown++;
	} else if (!send_one(rd, c)) {
		cursor_ready(rd, c, false);
		return;
	}
	if (c->lane) {
		c->last = c->key;
		lane_cursor(c)->idx++;
		more = cursor_lane_peek(rd, lane_cursor(c));
	} else {
		cursor_advance(ring_cursor(c));
		more = cursor_peek(ring_cursor(c));
	}
	if (!more)
		cursor_ready(rd, c, false);
}

/* No record is at hand: look into every ring and lane. */
static int refresh_all(struct reader *rd)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < rd->nr && !err && wire_has_room(&rd->wire); i++) {
		err = cursor_refresh(rd, reader_cursor(rd, i));
		cond_resched();
	}
	reader_heapify(rd);
	return err;
}

/*
 * A lane that came since may have events as old as that, and none that are older than
 * what was copied before: so whoever copied looks for lanes.
 */
static int look_for_lanes(struct reader *rd)
{
	if (likely(reader_nr_lanes(rd) == slots_nr()))
		return 0;
	return reader_follow_lanes(rd);
}

/* Whether all that is at hand is of a CPU whose clock is ahead of this bound. */
static bool all_ahead(const struct reader *rd, u64 bound)
{
	unsigned int i;

	for (i = 0; i < rd->nr; i++) {
		const struct cursor *c = reader_cursor(rd, i);

		if (c->ready && c->key <= bound + AHEAD_NS)
			return false;
	}
	return true;
}

/**
 * reader_fill() - make frames
 * @rd: the reader, locked
 * @want: until this many bytes are staged, or nothing is left
 *
 * The reader's own lock is all that is held while this goes on; what others share with
 * it is locked for one step at a time, see "Who waits for whom" in ring.rst.
 *
 * Return: 0; -EAGAIN if a writer that is under way holds back events of other
 * rings, or if there is no end of what nobody wants, and it is worth asking again
 * soon; -ENOMEM; -EINTR: killed.
 */
int reader_fill(struct reader *rd, size_t want)
{
	struct wire *w = &rd->wire;
	struct cursor *c;
	int tries = 0, waits = 0, err;

	want = min_t(size_t, want, WIRE_SIZE);
	rd->turn++;
	rd->thrown = 0;
	if (rd->clears != stream_clears(rd->stream))
		follow_clear(rd);
	if (!rd->begun) {
		wire_info(w, rd->reason);
		rd->begun = true;
	}
	err = look_for_lanes(rd);
	if (err)
		return err;
	while (wire_staged(w) < want && wire_has_room(w)) {
		if (reader_more_names(rd) && send_names(rd, want))
			continue;
		if (unlikely(past_is_next(rd))) {
			send_past(rd);
			continue;
		}
		c = rd->heap[0];
		if (c->ready) {
			send_event(rd, c);
			sift_down(rd, 0);
			continue;
		}
		/* Another call gives what there is, and may be interrupted. */
		if (unlikely(rd->thrown >= THROWN_MOST))
			return -EAGAIN;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!rd->nr_ready) {
			err = refresh_all(rd) ?: look_for_lanes(rd);
			if (err)
				return err;
			if (!rd->nr_ready && !past_is_next(rd))
				return 0;
			continue;
		}
		err = cursor_refresh(rd, c);
		if (err)
			return err;
		sift_down(rd, 0);
		if (!c->ready && c->busy && ++tries > BUSY_TRIES)
			return -EAGAIN;
		err = look_for_lanes(rd);
		if (err)
			return err;
		if (unlikely(!c->ready && !c->busy && ++waits > BUSY_TRIES)) {
			if (all_ahead(rd, c->key))
				return -EAGAIN;
			waits = 0;
		}
	}
	return 0;
}

/**
 * reader_check() - change the check of the frames from here on
 * @rd: the reader, locked
 * @check: enum devtrace_check
 */
void reader_check(struct reader *rd, u8 check)
{
	rd->wire.check = check;
	if (rd->begun)
		rd->reason = DEVTRACE_INFO_CHECK;
	rd->begun = false;
}

static void reader_destroy(struct reader *rd)
{
	unsigned int i;

	for (i = 0; rd->cursors && i < rd->nr_rings; i++)
		kvfree(rd->cursors[i].cache);
	reader_lanes_free(rd);
	kvfree(rd->cursors);
	kvfree(rd->heap);
	kvfree(rd->announced);
	kvfree(rd);
}

static void reader_release(struct kref *ref)
{
	reader_destroy(container_of(ref, struct reader, ref));
}

/**
 * reader_put() - a reader is not needed any more
 * @rd: of reader_new(), or one whose @ref was raised
 *
 * Context: process.
 */
void reader_put(struct reader *rd)
{
	kref_put(&rd->ref, reader_release);
}

/**
 * reader_new() - a reader at the oldest event
 * @s: of this stream, which is to stay until reader_free()
 *
 * Return: the reader, or NULL if there is no memory.
 */
struct reader *reader_new(struct stream *s)
{
	struct reader *rd;
	unsigned int i = 0;
	int cpu;

	rd = kvzalloc(sizeof(*rd), GFP_KERNEL_ACCOUNT);
	if (!rd)
		return NULL;
	kref_init(&rd->ref);
	rd->stream = s;
	rd->pid = task_tgid_nr(current);
	get_task_comm(rd->comm, current);
	rd->nr_rings = num_possible_cpus();
	rd->nr = rd->nr_rings;
	rd->cursors = kvcalloc(rd->nr, sizeof(*rd->cursors), GFP_KERNEL_ACCOUNT);
	rd->heap = kvcalloc(rd->nr, sizeof(*rd->heap), GFP_KERNEL_ACCOUNT);
	rd->announced = kvcalloc(devtrace_proc_slots(), sizeof(*rd->announced),
				 GFP_KERNEL_ACCOUNT);
	if (!rd->cursors || !rd->heap || !rd->announced) {
		reader_destroy(rd);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		rd->cursors[i].ring = per_cpu_ptr(s->rings, cpu);
		rd->cursors[i].c.source = cpu;
		rd->heap[i] = &rd->cursors[i].c;
		i++;
	}
	rd->reason = DEVTRACE_INFO_OPEN;
	wire_init(&rd->wire, s->name);
	if (reader_follow_lanes(rd)) {
		reader_destroy(rd);
		return NULL;
	}
	reader_oldest(rd);
	raw_spin_lock(&s->readers_lock);
	list_add_tail(&rd->list, &s->readers);
	raw_spin_unlock(&s->readers_lock);
	return rd;
}

/* Whoever looks at it to tell how far it is keeps it until then. */
void reader_free(struct reader *rd)
{
	raw_spin_lock(&rd->stream->readers_lock);
	list_del(&rd->list);
	raw_spin_unlock(&rd->stream->readers_lock);
	reader_put(rd);
}
