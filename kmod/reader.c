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
 * is, and newer events of other rings wait for it.
 *
 * Accounts. A cursor knows the index of its next record. What the ring says
 * it overwrote, dropped or cleared since is reported before the next event, in
 * LOST frames, once. So for every ring and reader: events read and reported
 * lost add up to events emitted.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "core.h"
#include "dict.h"
#include "reader.h"

#define MARGIN_NS	(10 * NSEC_PER_USEC)
#define INFO_NS		NSEC_PER_SEC
#define INFO_BYTES	(64 * 1024)
#define CACHE_UNITS	1024
#define BUSY_TRIES	1000
/* Longer than looking for a place can take: 18 minutes. */
#define SEEK_AHEAD_NS	BIT_ULL(40)

/**
 * struct cursor - a place in one ring
 * @ring: the ring; it may come into being later
 * @source: its number
 * @placed: @at is set; it is not while there is no ring
 * @ready: @cache has the record at @at, and @key is its time
 * @busy: a writer was under way when we looked last
 * @at: the next record to be given
 * @key: the time of that record, or the bound
 * @last: the time of the last record given, 0 if none
 * @lost: overwritten before we came to them, not yet reported
 * @cleared: the same, cleared
 * @drops: how many drops of each cause have been reported
 * @latest: no record in @cache is newer
 * @next: the front of @cache, in units
 * @end: its end
 * @cache: copied records
 */
struct cursor {
	struct ring	*ring;
	u16		source;
	bool		placed;
	bool		ready;
	bool		busy;
	struct ring_place at;
	u64		key;
	u64		last;
	u64		lost;
	u64		cleared;
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
	int	changes;
	u64	from, until;
};

/* The name last sent for a thread in this slot of the table. */
struct announced {
	u32	stamp;
	u32	tid;
};

struct reader {
	bool		begun;		/* INFO was sent */
	bool		clock_sent;	/* a CLOCK frame was sent */
	u8		reason;		/* why the next INFO is sent */
	unsigned int	clears;		/* devtrace_clear_count as we know it */
	unsigned int	nr, nr_ready;
	unsigned long	serial;		/* last dictionary entry sent */
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
	struct wire	wire;
};

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

static void heapify(struct reader *rd)
{
	unsigned int i;

	for (i = rd->nr / 2; i-- > 0;)
		sift_down(rd, i);
}

static void set_ready(struct reader *rd, struct cursor *c, bool ready)
{
	rd->nr_ready += ready - c->ready;
	c->ready = ready;
}

/* Look at the record at the front of the cache; false if it is not whole. */
static bool cursor_peek(struct cursor *c)
{
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
		c->key = ring_ts(rec->word, c->latest);
		return true;
	}
	return false;
}

/* The record at the front was given. */
static void cursor_advance(struct cursor *c)
{
	u32 units = ring_record_units((void *)&c->cache[c->next]);

	c->next += units;
	c->at.pos += units;
	c->at.idx++;
	c->last = c->key;
}

static void report_losses(struct reader *rd, struct cursor *c, u64 now)
{
	u64 to = c->ready ? c->key : now;
	int cause;

	if (c->cleared)
		wire_lost(&rd->wire, c->source, DEVTRACE_LOST_CLEARED, c->cleared,
			  c->last, to);
	if (c->lost)
		wire_lost(&rd->wire, c->source, DEVTRACE_LOST_OVERWRITTEN, c->lost,
			  c->last, to);
	c->cleared = 0;
	c->lost = 0;
	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++) {
		u64 n = ring_count_read(&c->ring->dropped[cause]);

		if (n != c->drops[cause])
			wire_lost(&rd->wire, c->source, cause, n - c->drops[cause],
				  c->last, to);
		c->drops[cause] = n;
	}
}

static bool dropped_more(const struct cursor *c)
{
	int cause;

	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++)
		if (ring_count_read(&c->ring->dropped[cause]) != c->drops[cause])
			return true;
	return false;
}

static bool cursor_cache(struct cursor *c)
{
	if (!c->cache)
		c->cache = kvmalloc_array(CACHE_UNITS, sizeof(*c->cache),
					  GFP_KERNEL_ACCOUNT);
	return c->cache;
}

/* To the oldest record, with everything before it lost; clear_lock is held. */
static void cursor_oldest(struct cursor *c)
{
	ring_oldest(c->ring, &c->at, &c->lost);
	c->placed = true;
}

/*
 * Copy more records if the cache has none. Sets key to the time of the next
 * one, or to the bound. -ENOMEM if there is no memory for the cache.
 */
static int cursor_refresh(struct reader *rd, struct cursor *c)
{
	struct ring_view v;
	u64 now;

	do {
		now = devtrace_clock();
		if (!ring_exists(c->ring)) {
			c->key = now - MARGIN_NS;
			c->busy = false;
			break;
		}
		if (!c->placed) {
			mutex_lock(&devtrace_clear_lock);
			cursor_oldest(c);
			mutex_unlock(&devtrace_clear_lock);
		}
		if (!cursor_cache(c))
			return -ENOMEM;
		/* The clock before we look whether a writer is under way. */
		smp_mb();
		ring_view(c->ring, &v);
		c->busy = v.busy;
		c->lost += ring_fetch(c->ring, &c->at, CACHE_UNITS, c->cache, &c->end);
		/* Clocks of two CPUs may differ by nanoseconds, not by a second. */
		c->latest = devtrace_clock() + NSEC_PER_SEC;
		c->next = 0;
		if (cursor_peek(c))
			set_ready(rd, c, true);
		else if (!c->end && !c->busy)
			c->key = now - MARGIN_NS;
		/* There may have been padding and nothing else. */
	} while (!c->ready && c->end);

	if (c->lost || c->cleared || dropped_more(c))
		report_losses(rd, c, now);
	return 0;
}

/* After a clear: what was not read is reported as cleared. */
static void follow_clear(struct reader *rd)
{
	unsigned int i;

	mutex_lock(&devtrace_clear_lock);
	rd->clears = devtrace_clear_count;
	for (i = 0; i < rd->nr; i++) {
		struct cursor *c = &rd->cursors[i];

		if (!c->placed || c->at.pos >= c->ring->cleared.pos)
			continue;
		c->cleared += c->ring->cleared.idx - c->at.idx;
		c->at = c->ring->cleared;
		c->next = 0;
		c->end = 0;
		c->key = 0;
		set_ready(rd, c, false);
	}
	mutex_unlock(&devtrace_clear_lock);
	heapify(rd);
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
	int slot, changes;
	u32 stamp;

	/* LMM(sent:B): the table after the number; pairs with proc:C. */
	changes = atomic_read_acquire(&devtrace_proc_changes);
	if (sent->tid == tid && sent->changes == changes &&
	    ts >= sent->from && ts < sent->until)
		return;
	slot = devtrace_proc_find(tid, ts, &name, &stamp, &sent->until);
	sent->tid = tid;
	sent->changes = changes;
	sent->from = ts;
	if (slot < 0 || (a[slot].stamp == stamp && a[slot].tid == tid))
		return;
	/* Another name of the same thread is no longer the last one sent. */
	first = slot - slot % devtrace_proc_ways();
	for (i = first; i < first + devtrace_proc_ways(); i++)
		if (a[i].tid == tid)
			a[i].stamp = 0;
	a[slot].stamp = stamp;
	a[slot].tid = tid;
	wire_proc(&rd->wire, &name);
}

static bool more_names(const struct reader *rd)
{
	/* LMM(names:B): pairs with dict:A. */
	return smp_load_acquire(&devtrace_dict_serial) != rd->serial;
}

static void send_names(struct reader *rd, size_t want)
{
	struct devtrace_dict d;
	unsigned long newest, serial;
	u32 scope;

	/* LMM(names:C): pairs with dict:A. */
	newest = smp_load_acquire(&devtrace_dict_serial);
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
}

static void send_event(struct reader *rd, struct cursor *c)
{
	const struct ring_record *rec = (void *)&c->cache[c->next];

	/* Under way when lseek(2) looked, and older than what it asked for? */
	if (likely(c->key >= rd->place)) {
		send_clock(rd, c->key);
		send_proc(rd, rec->who & RING_WHO_TID, c->key);
		wire_event(&rd->wire, rec, c->source, c->key);
		rd->last = c->key;
		rd->last_end = rd->wire.bytes;
	}
	cursor_advance(c);
	if (!cursor_peek(c))
		set_ready(rd, c, false);
}

/* No record is at hand: look into every ring. */
static int refresh_all(struct reader *rd)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < rd->nr && !err && wire_has_room(&rd->wire); i++)
		err = cursor_refresh(rd, &rd->cursors[i]);
	heapify(rd);
	return err;
}

/**
 * reader_fill() - make frames
 * @rd: the reader, locked
 * @want: until this many bytes are staged, or nothing is left
 *
 * Return: 0; -EAGAIN if a writer that is under way holds back events of other
 * rings and it is worth asking again soon; -ENOMEM.
 */
int reader_fill(struct reader *rd, size_t want)
{
	struct wire *w = &rd->wire;
	struct cursor *c;
	int tries = 0, err;

	want = min_t(size_t, want, WIRE_SIZE);
	if (rd->clears != READ_ONCE(devtrace_clear_count))
		follow_clear(rd);
	if (!rd->begun) {
		wire_info(w, rd->reason);
		rd->begun = true;
	}
	while (wire_staged(w) < want && wire_has_room(w)) {
		if (more_names(rd)) {
			send_names(rd, want);
			continue;
		}
		if (!rd->nr_ready) {
			err = refresh_all(rd);
			if (err || !rd->nr_ready)
				return err;
			continue;
		}
		c = rd->heap[0];
		if (c->ready) {
			send_event(rd, c);
		} else {
			err = cursor_refresh(rd, c);
			if (err)
				return err;
			if (!c->ready && c->busy && ++tries > BUSY_TRIES)
				return -EAGAIN;
		}
		sift_down(rd, 0);
	}
	return 0;
}

/**
 * reader_ready() - whether reader_fill() would find something
 * @rd: the reader, locked
 */
bool reader_ready(struct reader *rd)
{
	struct ring_view v;
	unsigned int i;

	if (wire_staged(&rd->wire) || !rd->begun || rd->nr_ready || more_names(rd) ||
	    rd->clears != READ_ONCE(devtrace_clear_count))
		return true;
	for (i = 0; i < rd->nr; i++) {
		struct cursor *c = &rd->cursors[i];

		if (dropped_more(c))
			return true;
		if (!ring_exists(c->ring))
			continue;
		ring_view(c->ring, &v);
		if (!c->placed || v.commit.pos > c->at.pos)
			return true;
	}
	return false;
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

/* Everything that is there, as if just opened. */
static void go_oldest(struct reader *rd)
{
	unsigned int i;

	mutex_lock(&devtrace_clear_lock);
	rd->clears = devtrace_clear_count;
	for (i = 0; i < rd->nr; i++) {
		struct cursor *c = &rd->cursors[i];

		c->cleared = 0;
		c->lost = 0;
		c->placed = false;
		memcpy(c->drops, c->ring->cleared_drops, sizeof(c->drops));
		if (ring_exists(c->ring))
			cursor_oldest(c);
	}
	mutex_unlock(&devtrace_clear_lock);
}

/*
 * To the first event at or after @ts; U64_MAX: behind the newest. A ring that
 * has come into being since the cache was allocated has nothing older.
 */
static void cursor_find(struct cursor *c, u64 ts, u64 now)
{
	struct ring_view v;
	int cause;

	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++)
		c->drops[cause] = ring_count_read(&c->ring->dropped[cause]);
	c->cleared = 0;
	c->lost = 0;
	c->placed = false;
	if (!ring_exists(c->ring) || !c->cache)
		return;
	if (ts == U64_MAX) {
		ring_view(c->ring, &v);
		c->at = v.commit;
	} else {
		mutex_lock(&devtrace_clear_lock);
		ring_find(c->ring, ts, now, &c->at, c->cache, CACHE_UNITS);
		mutex_unlock(&devtrace_clear_lock);
	}
	c->placed = true;
}

/* All or nothing: the caches are where the search works, and are spoilt. */
static int go_time(struct reader *rd, u64 ts, u64 now)
{
	unsigned int i;

	for (i = 0; i < rd->nr; i++)
		if (ring_exists(rd->cursors[i].ring) && !cursor_cache(&rd->cursors[i]))
			return -ENOMEM;
	rd->clears = READ_ONCE(devtrace_clear_count);
	for (i = 0; i < rd->nr; i++)
		cursor_find(&rd->cursors[i], ts, now);
	return 0;
}

static void begin_at_cursors(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr; i++) {
		struct cursor *c = &rd->cursors[i];

		c->next = 0;
		c->end = 0;
		c->key = 0;
		c->last = 0;
		set_ready(rd, c, false);
	}
	heapify(rd);
	rd->clock_sent = false;
	rd->clock_next = 0;
	rd->last = 0;
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
		ready |= rd->cursors[i].ready;
		next = min(next, rd->cursors[i].key);
	}
	/* A ring with nothing at hand may have one since, not before its bound. */
	if (ready)
		return max(next, rd->last);
	return rd->last ? rd->last + 1 : rd->place;
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
		rd->proc.until = 0;
		memset(rd->announced, 0, devtrace_proc_slots() * sizeof(*rd->announced));
	}
	if (rd->begun)
		rd->reason = DEVTRACE_INFO_SEEK;
	rd->begun = false;
	rd->place = ts == U64_MAX ? now : ts;
	return rd->place;
}

/**
 * reader_new() - a reader at the oldest event
 *
 * Return: the reader, or NULL if there is no memory.
 */
struct reader *reader_new(void)
{
	struct reader *rd;
	unsigned int i = 0;
	int cpu;

	rd = kvzalloc(sizeof(*rd), GFP_KERNEL_ACCOUNT);
	if (!rd)
		return NULL;
	rd->nr = num_possible_cpus();
	rd->cursors = kvcalloc(rd->nr, sizeof(*rd->cursors), GFP_KERNEL_ACCOUNT);
	rd->heap = kvcalloc(rd->nr, sizeof(*rd->heap), GFP_KERNEL_ACCOUNT);
	rd->announced = kvcalloc(devtrace_proc_slots(), sizeof(*rd->announced),
				 GFP_KERNEL_ACCOUNT);
	if (!rd->cursors || !rd->heap || !rd->announced) {
		reader_free(rd);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		rd->cursors[i].ring = per_cpu_ptr(&devtrace_rings, cpu);
		rd->cursors[i].source = cpu;
		rd->heap[i] = &rd->cursors[i];
		i++;
	}
	rd->reason = DEVTRACE_INFO_OPEN;
	wire_init(&rd->wire);
	go_oldest(rd);
	begin_at_cursors(rd);
	return rd;
}

void reader_free(struct reader *rd)
{
	unsigned int i;

	for (i = 0; rd->cursors && i < rd->nr; i++)
		kvfree(rd->cursors[i].cache);
	kvfree(rd->cursors);
	kvfree(rd->heap);
	kvfree(rd->announced);
	kvfree(rd);
}
