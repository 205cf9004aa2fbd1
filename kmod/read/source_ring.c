// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader's place in the ring of one CPU
 *
 * The reader copies several records at a time to its cache, where a writer cannot overwrite them.
 * The ring is locked for one copy, or one step of a search.
 *
 * Invariants: @at is the place of the record at the front of the copy and moves by whole records.
 * All events between two values of @at were given, or are counted in @lost, @cleared or @voids. So
 * for every ring and reader, events given and events reported lost add up to events emitted.
 *
 * The bound: A writer increments its ring's nest count before it reads the clock; the reader reads
 * the clock before it reads the nest count. If no writer is active and everything is committed, no
 * later event is older than the reader's clock minus MARGIN_NS, the time after which a store is
 * certainly visible to other CPUs. While a writer is active, the bound does not advance.
 */
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "reader_priv.h"
#include "ring/clock.h"
#include "ring/ring_read.h"
#include "source.h"
#include "source_ring.h"
#include "stream/stream.h"
#include "wire_quick.h"

/* Number of ring units that are copied at a time. */
#define CACHE_UNITS	1024

/* After this time, a store is visible to all CPUs. */
#define MARGIN_NS	(10 * NSEC_PER_USEC)

static __always_inline void skip_units(struct ring_source *s, u32 units)
{
	s->next += units;
	s->at.pos += units;
}

/*
 * Find the next event in the cache, after padding and withdrawn records. Return false if the cache
 * does not contain the whole record.
 */
static __always_inline bool peek_ring(struct ring_source *s)
{
	const struct ring_record *rec;
	u32 left, units, type;
	u64 ts;

	for (;;) {
		left = s->end - s->next;
		if (unlikely(!left))
			return false;
		rec = (void *)&s->cache[s->next];
		type = rec->word >> RING_TYPE_SHIFT;
		if (unlikely(type == RING_TYPE_PAD)) {
			units = (u32)rec->word;
			if (units > left)
				return false;
			skip_units(s, units);
			continue;
		}
		/* This load of a header is safe at the end of the cache, too: see have_cache(). */
		units = ring_units(rec->len);
		if (unlikely(units > left))
			return false;
		if (likely(type != RING_TYPE_VOID))
			break;
		if (!s->voids++)
			s->void_ts = ring_ts(rec->word, s->latest);
		s->at.idx++;
		skip_units(s, units);
	}
	s->units = units;
	ts = ring_ts(rec->word, s->latest);
	/* If the time is later than @latest, the clock of the record's CPU is wrong. */
	s->src.key = likely(ts <= s->latest) ? ts : max(s->src.key, s->latest - NSEC_PER_SEC);
	s->src.tid = rec->who & RING_WHO_TID;
	return true;
}

static noinline void set_ring_head(struct ring_source *s, u32 who)
{
	const u8 flags = who >> RING_WHO_CTX_SHIFT & 0x3f;

	s->who = who;
	wire_head_set(&s->head, flags, who >> RING_WHO_SEV_SHIFT, s->src.number,
		      who & RING_WHO_TID);
	/* wire_quick() cannot hide kernel addresses in the payload. */
	s->quick = flags & DEVTRACE_F_USER || !(flags & DEVTRACE_F_PTR);
}

/* Make a frame of the event at the front, and advance. */
static noinline void put_event(struct wire *w, struct ring_source *s)
{
	const struct ring_record *rec = (void *)&s->cache[s->next];

	wire_event(w, rec, s->src.number, s->src.key);
	s->at.idx++;
	skip_units(s, s->units);
}

/*
 * Make frames of the event at the front and of the events behind it, and advance. Stop at an event
 * whose frame wire_quick() cannot make, that belongs to another thread or CPU, or that another
 * frame must precede. reader_wants() has returned true for the event at the front. Return the
 * number of frames, and set *@last to the time of the last event.
 */
static unsigned int put_events(struct reader *rd, struct ring_source *s, u64 *last)
{
	struct wire *w = &rd->wire;
	const u64 *at = s->cache + s->next, *const begin = at, *const end = s->cache + s->end;
	const struct ring_record *rec = (const void *)at;
	const struct window win = reader_window(rd);
	/* Stop before a time that peek_ring() must correct: put_event() handles this event. */
	const u64 until = min3(win.from + win.span, rd->until, s->latest + 1);
	const u64 span = until > win.from ? until - win.from : 0;
	const u32 who = rec->who;
	unsigned int nr = 0, len;
	u64 word, ts;

	if (unlikely(who != s->who))
		set_ring_head(s, who);
	if (unlikely(!s->quick || win.tid != s->src.tid))
		return 0;
	do {
		/* This load of a header is safe at the end of the cache, too: see have_cache(). */
		rec = (const void *)at;
		word = rec->word;
		ts = word & RING_TS_MASK;
		len = rec->len;
		if (unlikely(ts - win.from >= span || len > WIRE_QUICK_MOST || rec->who != who ||
			     w->head >= win.stop))
			break;
		if (unlikely(word >> RING_TYPE_SHIFT == RING_TYPE_PAD ||
			     word >> RING_TYPE_SHIFT == RING_TYPE_VOID))
			break;
		at += ring_units(len);
		if (unlikely(at > end)) {
			at -= ring_units(len);
			break;
		}
		wire_quick_send(w, wire_quick(w, &s->head, ts, word >> RING_TYPE_SHIFT, rec->data,
					      len));
		*last = ts;
		nr++;
	} while (likely(at < end));
	s->at.idx += nr;
	skip_units(s, at - begin);
	return nr;
}

void ring_source_give(struct reader *rd, struct ring_source *s)
{
	const bool quick = wire_is_quick(&rd->wire);
	unsigned int given = 0, nr;
	u64 last;
	bool more;

	do {
		last = s->src.key;
		if (unlikely(!reader_wants(rd, s->src.tid, last))) {
			s->at.idx++;
			skip_units(s, s->units);
		} else {
			nr = quick ? put_events(rd, s, &last) : 0;
			if (unlikely(!nr)) {
				put_event(&rd->wire, s);
				nr = 1;
			}
			given += nr;
		}
		more = peek_ring(s);
	} while (likely(more) && reader_goes_on(rd, s->src.key));
	s->src.last = last;
	reader_gave(rd, given, last);
	if (!more)
		source_set_ready(rd, &s->src, false);
}

static bool dropped_more(const struct ring_source *s)
{
	int cause;

	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++)
		if (ring_count_read(&s->ring->dropped[cause]) != s->drops[cause])
			return true;
	return false;
}

/*
 * Report events missed up to now because of a stop. Call this before a change of state is sent: the
 * report belongs before it.
 */
static void report_stopped(struct reader *rd, struct ring_source *s, u64 n)
{
	const u64 now = devtrace_clock_now();

	ring_source_missed(rd, s, n, now);
	/* These records were withdrawn by a stop that was then cancelled. */
	if (s->voids)
		source_lost(rd, &s->src, DEVTRACE_LOST_STOPPED, s->voids, s->void_ts,
			    max(s->void_ts, now));
	s->voids = 0;
}

static void report_ring(struct reader *rd, struct ring_source *s, u64 now)
{
	int cause;

	source_report_passed(rd, &s->src, now);
	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++) {
		u64 n = ring_count_read(&s->ring->dropped[cause]);

		if (cause == DEVTRACE_LOST_STOPPED) {
			if (!announce_stop_is_next(&rd->told))
				report_stopped(rd, s, n);
			continue;
		}
		source_report(rd, &s->src, cause, n - s->drops[cause], now);
		s->drops[cause] = n;
	}
}

/*
 * Report missed events, so that the reader was told of @n in all since the stream was created;
 * none is newer than @to.
 */
void ring_source_missed(struct reader *rd, struct ring_source *s, u64 n, u64 to)
{
	u64 *told = &s->drops[DEVTRACE_LOST_STOPPED];
	/*
	 * Records that a stop withdrew are missed events, too: report them here, unless a later
	 * stop withdrew them.
	 */
	const u64 voids = s->void_ts <= (rd->told.ended ?: to) ? s->voids : 0;
	const u64 more = n > *told ? n - *told : 0;

	source_report_stopped(rd, &s->src, more + voids, to);
	*told += more;
	s->voids -= voids;
}

static bool have_cache(struct ring_source *s)
{
	/* Allocate one unit more than is filled, because word loads may reach past the end. */
	if (!s->cache)
		s->cache = kvmalloc_array(CACHE_UNITS + 1, sizeof(*s->cache),
					  GFP_KERNEL_ACCOUNT);
	return s->cache;
}

static void drop_cache(struct ring_source *s)
{
	s->next = 0;
	s->end = 0;
}

/* Go to the oldest record of the ring. All unread events before it are lost. The ring is locked. */
static void go_oldest(struct ring_source *s)
{
	lockdep_assert_held(&s->ring->lock);
	ring_oldest(s->ring, &s->at, &s->src.lost);
	s->moves = s->ring->moves;
	s->placed = true;
}

/*
 * Find the reader's place in a resized ring; the copy is empty. Return 0. If the reader is killed,
 * change nothing and return -EINTR.
 */
static int follow_resize(struct ring_source *s)
{
	struct ring *ring = s->ring;
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
		/* The new memory lacks cleared records: they count as cleared, not overwritten. */
		if (s->at.idx < ring->cleared.idx) {
			s->src.cleared += ring->cleared.idx - s->at.idx;
			s->at.idx = ring->cleared.idx;
		}
		there = ring_place_step(ring, s->at.idx, &step, &at, s->cache, CACHE_UNITS);
		raw_spin_unlock(&ring->lock);
	} while (!there);
	if (at.idx > s->at.idx)
		s->src.lost += at.idx - s->at.idx;
	s->at = at;
	s->moves = moves;
	return 0;
}

/*
 * Copy the next records. Return 0, or -EAGAIN if the ring was resized, so that the place must be
 * found again.
 */
static int ring_source_fetch(struct ring_source *s)
{
	struct ring *ring = s->ring;
	struct ring_view v;
	int err = 0;

	raw_spin_lock(&ring->lock);
	if (likely(s->moves == ring->moves)) {
		ring_view(ring, &v);
		s->src.busy = v.busy;
		s->src.lost += ring_fetch(ring, &s->at, CACHE_UNITS, s->cache, &s->end);
	} else {
		err = -EAGAIN;
	}
	raw_spin_unlock(&ring->lock);
	return err;
}

/* Begin at the oldest record of a ring that was created after the reader. */
static void find_place(struct reader *rd, struct ring_source *s)
{
	raw_spin_lock(&s->ring->lock);
	go_oldest(s);
	s->src.cleared = s->ring->cleared.idx - rd->stream->start;
	raw_spin_unlock(&s->ring->lock);
}

int ring_source_refresh(struct reader *rd, struct ring_source *s)
{
	u64 now;
	int err;

	do {
		now = devtrace_clock_now();
		if (!ring_exists(s->ring)) {
			s->src.key = now - MARGIN_NS;
			s->src.busy = false;
			break;
		}
		if (!s->placed)
			find_place(rd, s);
		if (!have_cache(s))
			return -ENOMEM;
		drop_cache(s);
		/*
		 * Read the clock before checking for active writers. No pairing barrier: see
		 * "Order in time" in ring.rst.
		 */
		smp_mb();
		while (unlikely(ring_source_fetch(s))) {
			err = follow_resize(s);
			if (err)
				return err;
		}
		/*
		 * A record cannot be so late: clocks of two CPUs may differ by nanoseconds, but
		 * not by a second.
		 */
		s->latest = devtrace_clock_now() + NSEC_PER_SEC;
		if (peek_ring(s))
			source_set_ready(rd, &s->src, true);
		else if (!s->end && !s->src.busy)
			s->src.key = now - MARGIN_NS;
		/* If the copy contained only padding, copy again. */
	} while (!s->src.ready && s->end);

	if (s->src.lost || s->src.cleared || s->voids || dropped_more(s))
		report_ring(rd, s, now);
	return 0;
}

void ring_source_clear(struct reader *rd, struct ring_source *s)
{
	struct ring *ring = s->ring;
	u64 n = 0;

	if (!s->placed)
		return;
	raw_spin_lock(&ring->lock);
	if (s->at.idx < ring->cleared.idx) {
		n = ring->cleared.idx - s->at.idx;
		s->at = ring->cleared;
		s->moves = ring->moves;
	}
	raw_spin_unlock(&ring->lock);
	if (!n)
		return;
	s->src.cleared += n;
	s->src.key = 0;
	drop_cache(s);
	source_set_ready(rd, &s->src, false);
}

/*
 * Search for a time in steps, between which the ring is unlocked. If the reader is killed, the
 * search may end at any record.
 */
static void find_ring_time(struct ring_source *s, u64 ts, u64 now)
{
	struct ring *ring = s->ring;
	bool there;
	u32 step = 0;

	do {
		raw_spin_lock(&ring->lock);
		if (s->moves != ring->moves)
			step = 0;
		s->moves = ring->moves;
		there = ring_find_step(ring, ts, now, &step, &s->at, s->cache, CACHE_UNITS);
		raw_spin_unlock(&ring->lock);
		cond_resched();
	} while (!there && !fatal_signal_pending(current));
}

static void go_end(struct ring_source *s)
{
	struct ring_view v;

	raw_spin_lock(&s->ring->lock);
	ring_view(s->ring, &v);
	s->at = v.commit;
	s->moves = s->ring->moves;
	raw_spin_unlock(&s->ring->lock);
}

/* Go to the oldest event, as after open(2): report drops since the last clear again. */
static void seek_oldest(struct ring_source *s)
{
	memset(s->drops, 0, sizeof(s->drops));
	if (!ring_exists(s->ring))
		return;
	raw_spin_lock(&s->ring->lock);
	memcpy(s->drops, s->ring->cleared_drops, sizeof(s->drops));
	go_oldest(s);
	raw_spin_unlock(&s->ring->lock);
}

static void seek_time(struct ring_source *s, u64 ts, u64 now)
{
	int cause;

	for (cause = 0; cause < DEVTRACE_LOST_CAUSES; cause++)
		s->drops[cause] = ring_count_read(&s->ring->dropped[cause]);
	/* A ring that was created after the caches were allocated has no older event. */
	if (!ring_exists(s->ring) || !s->cache)
		return;
	if (ts == U64_MAX)
		go_end(s);
	else
		find_ring_time(s, ts, now);
	s->placed = true;
}

void ring_source_seek(struct ring_source *s, u64 ts, u64 now)
{
	s->voids = 0;
	s->placed = false;
	if (ts)
		seek_time(s, ts, now);
	else
		seek_oldest(s);
	/* The search has overwritten the cache. */
	drop_cache(s);
}

/* Allocate memory for a seek to a time. Return 0, or -ENOMEM: the reader has not moved. */
int ring_sources_prepare_seek(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++)
		if (ring_exists(rd->rings[i].ring) && !have_cache(&rd->rings[i]))
			return -ENOMEM;
	return 0;
}

/*
 * Is at least @percent of the ring's size unread, or @most units if that is less? Between a resize
 * and the next refresh this is unknown: return true.
 */
static bool ring_source_unread(const struct ring_source *s, unsigned int percent, u32 most)
{
	struct ring_view v;
	bool moved;
	u64 units;

	if (!ring_exists(s->ring))
		return false;
	raw_spin_lock(&s->ring->lock);
	ring_view(s->ring, &v);
	moved = s->placed && s->moves != s->ring->moves;
	units = min_t(u64, div_u64((u64)(s->ring->mask + 1) * percent, 100), most);
	raw_spin_unlock(&s->ring->lock);
	return moved || v.commit.pos - (s->placed ? s->at.pos : v.tail.pos) >= units;
}

/* Has any ring unread events or drops: at least @percent of its size, or any if @percent is 0? */
bool ring_sources_unread(const struct reader *rd, unsigned int percent)
{
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++) {
		const struct ring_source *s = &rd->rings[i];

		if (!percent && dropped_more(s))
			return true;
		/* A ring is never completely full, because room is made in advance. */
		if (percent ? ring_source_unread(s, min(percent, 95U), U32_MAX) :
			      ring_source_unread(s, 100, 1))
			return true;
	}
	return false;
}

/* Has any ring at least @bytes, or half of its size, unread? */
bool ring_sources_much(const struct reader *rd, u32 bytes)
{
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++)
		if (ring_source_unread(&rd->rings[i], 50, bytes / RING_UNIT))
			return true;
	return false;
}
