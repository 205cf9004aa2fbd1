// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader's place in the events of one slot of lanes
 *
 * The kernel copies a lane's events in runs to the stream's ring of blocks, which all lanes share;
 * a slot is the chain of the runs of one lane after another. The reader copies nothing in advance.
 * It reads each event in place, in the ring of blocks, and then checks whether the event was
 * overwritten meanwhile.
 *
 * Invariants: Each event of the slot before the front was given, or is counted in @lost or
 * @cleared. A refresh first collects the events of the slot's lane and then looks for events. If
 * it finds none, no event older than the slot's floor can follow, and the floor is the bound.
 * Preemption is off while a block is read, for one run at most: slots_resize() waits for this
 * before it frees blocks.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "heap.h"
#include "lane/lane_awake.h"
#include "lane/take.h"
#include "reader_priv.h"
#include "ring/clock.h"
#include "source.h"
#include "source_lane.h"
#include "wire_quick.h"

/* Number of attempts if the next run is overwritten before the reader reaches it. */
#define RUN_TRIES	8
/*
 * Maximum number of events, of all lanes together, that are made into frames while preemption is
 * off.
 */
#define GIVE_MOST	32

/* noinline, so that callers have no struct run on their stack. */
static noinline bool run_is_still_there(struct reader *rd, struct lane_source *s)
{
	struct run r;

	if (!slot_run(reader_slots(rd), s->run, &r))
		return false;
	s->turn = rd->turn;
	return true;
}

/*
 * May the run still exist, so that a check of the ring's tail suffices? If tail_low_t holds only
 * half of the tail, which wraps, check once in each call under the ring's lock, because the reader
 * may have slept for long.
 */
static bool run_is_there(struct reader *rd, struct lane_source *s)
{
	return sizeof(tail_low_t) == sizeof(u64) || likely(s->turn == rd->turn) ||
	       run_is_still_there(rd, s);
}

/*
 * Give up the rest of the run: its events are lost. The index in the next run shows how many events
 * were lost.
 */
static bool run_is_gone(struct lane_source *s)
{
	s->at = s->len;
	return false;
}

/* Set the beginning of the frame, and whether wire_quick() can make the frame. */
static void set_lane_head(struct lane_source *s, bool late)
{
	const struct lane_event *ev = &s->ev;
	const u8 flags = ev->flags | DEVTRACE_F_USER | (late ? DEVTRACE_F_LATE : 0);
	const u16 source = likely(ev->cpu < nr_cpu_ids) ? ev->cpu : s->src.number;

	wire_head_set(&s->head, flags, ev->severity, source, s->src.tid);
	/* wire_quick() needs times below 2^56 ns; no event of the run is newer than @hi. */
	s->quick = ev->len <= WIRE_QUICK_MOST && !(s->hi >> 56);
	s->plain = s->quick && flags == DEVTRACE_F_USER && !ev->severity;
}

/* Find the next event of the run like peek_lane(), for records of any form. */
static noinline bool peek_any(struct lane_source *s, const u8 *records)
{
	u64 ts;

	while (s->at < s->len) {
		if (lane_next(records, &s->at, s->len, &s->time, &s->ev) <= 0)
			return run_is_gone(s);
		/*
		 * Skip a record that was filtered when it was collected; the slot does not count
		 * it.
		 */
		if (unlikely(s->ev.type == DEVTRACE_T_EMPTY))
			continue;
		s->data = s->ev.data - records;
		ts = clamp(s->time, s->lo, s->hi);
		s->src.key = ts;
		set_lane_head(s, ts != s->time);
		return true;
	}
	return false;
}

/*
 * Find the next event of the run. The result is valid if blocks_there() returns true afterwards.
 * Preemption is off. The fast path is for consecutive records of the short form, as nearly all
 * are.
 */
static __always_inline bool peek_lane(struct lane_source *s, const u8 *records)
{
	const u32 left = s->len - s->at;
	u32 word, len, used;
	u64 time;
	u8 type;

	if (unlikely(!s->plain || left < sizeof(word)))
		return peek_any(s, records);
	word = lane_word(records + s->at);
	len = word & 0x7f;
	type = word >> DEVTRACE_LANE_TYPE_SHIFT;
	/* The time is not before @lo, because the time of the previous event was not. */
	time = s->time + (word >> DEVTRACE_LANE_NS_SHIFT);
	used = sizeof(word) + len + (len & 1);
	if (unlikely(len > WIRE_QUICK_MOST || used > left || type == DEVTRACE_T_EMPTY ||
		     time > s->hi))
		return peek_any(s, records);
	s->data = s->at + sizeof(word);
	s->at += used;
	s->time = time;
	s->src.key = time;
	s->ev.type = type;
	s->ev.len = len;
	return true;
}

/* Move the next event of the run, if any, to the front. */
bool lane_source_look(struct reader *rd, struct lane_source *s)
{
	const struct block_ring *ring = reader_blocks(rd);
	bool found = false;

	if (s->at == s->len)
		return false;
	preempt_disable();
	if (run_is_there(rd, s))
		found = peek_lane(s, blocks_records(ring, s->run));
	if (!blocks_there(ring, s->run))
		found = run_is_gone(s);
	preempt_enable();
	return found;
}

/*
 * Restore the heap after the key of its front source, @s, has changed. If the new front source is a
 * lane with an event at hand, set @s to it and return true.
 */
static __always_inline bool next_lane(struct reader *rd, struct lane_source **s)
{
	heap_sift_front(rd, &(*s)->src);
	if (unlikely(!rd->heap->src->ready || !source_is_lane(rd->heap->src)))
		return false;
	*s = lane_source(rd->heap->src);
	return run_is_there(rd, *s);
}

/* The event at the front was overwritten. */
static void lose_run(struct reader *rd, struct lane_source *s)
{
	source_set_ready(rd, &s->src, run_is_gone(s));
}

/* Make a frame of the event at the front, and advance. Return false if it was overwritten. */
static __always_inline bool give_one(struct reader *rd, struct lane_source *s,
				     const struct block_ring *ring, const u8 *records, bool quick)
{
	struct wire *w = &rd->wire;
	const u8 *data = records + s->data;
	const u64 ts = s->src.key;
	u32 frame;

	if (likely(quick && s->quick))
		frame = wire_quick(w, &s->head, ts, s->ev.type, data, s->ev.len);
	else
		frame = wire_lane_event(w, &s->head, ts, s->ev.type, data, s->ev.len);
	if (unlikely(!peek_lane(s, records)))
		source_set_ready(rd, &s->src, false);
	/* This check covers both the copied payload and the next record's header. */
	if (unlikely(!blocks_there(ring, s->run)))
		return false;
	if (!IS_ENABLED(CONFIG_64BIT) || unlikely(frame & WIRE_ESCAPES))
		wire_lane_send(w, frame);
	else
		wire_sent(w, frame);
	s->src.last = ts;
	s->idx++;
	return true;
}

/*
 * Give the event at the front and further ones, also of the next lanes in the heap. Preemption is
 * off. @quick: wire_is_quick(), a constant of each call.
 */
static __always_inline void give_run(struct reader *rd, struct lane_source *s, bool quick)
{
	const struct block_ring *ring = reader_blocks(rd);
	const u8 *records = blocks_records(ring, s->run);
	const struct window win = reader_window(rd);
	const u64 frames = rd->wire.frames;
	u64 until = rd->until, last = 0;
	unsigned int left = GIVE_MOST;

	do {
		if (unlikely(!give_one(rd, s, ring, records, quick))) {
			lose_run(rd, s);
			break;
		}
		last = s->src.last;
		if (unlikely(!s->src.ready || !--left))
			break;
		if (s->src.key < until)
			continue;
		if (!next_lane(rd, &s))
			break;
		until = heap_until(rd);
		records = blocks_records(ring, s->run);
	} while (reader_sees(rd, &win, s->src.tid, s->src.key));
	reader_gave(rd, rd->wire.frames - frames, last);
}

/* Skip the event at the front, because it is before the place of lseek(2). */
static void lane_source_pass(struct reader *rd, struct lane_source *s)
{
	const struct block_ring *ring = reader_blocks(rd);

	s->src.last = s->src.key;
	if (!peek_any(s, blocks_records(ring, s->run)))
		source_set_ready(rd, &s->src, false);
	if (blocks_there(ring, s->run))
		s->idx++;
	else
		lose_run(rd, s);
}

void lane_source_give(struct reader *rd, struct lane_source *s)
{
	const bool wanted = reader_wants(rd, s->src.tid, s->src.key);

	preempt_disable();
	if (!run_is_there(rd, s))
		lose_run(rd, s);
	else if (unlikely(!wanted))
		lane_source_pass(rd, s);
	else if (likely(wire_is_quick(&rd->wire)))
		give_run(rd, s, true);
	else
		give_run(rd, s, false);
	preempt_enable();
}

/* Begin to read a run. */
void lane_source_enter(struct reader *rd, struct lane_source *s, run_place_t place,
		       const struct run *r)
{
	s->run = place;
	s->at = 0;
	s->len = r->len;
	s->time = r->time;
	s->lo = r->lo;
	s->hi = r->hi;
	s->src.tid = r->tid;
	s->ev.cpu = r->cpu;
	s->plain = false;
	s->turn = rd->turn;
	s->idx = r->idx;
}

static void report_lane(struct reader *rd, struct lane_source *s, const struct slot_view *v)
{
	const u64 now = devtrace_clock_now();
	unsigned int cause;

	source_report_passed(rd, &s->src, now);
	for (cause = 0; cause < SLOT_CAUSES; cause++) {
		if (cause == DEVTRACE_LOST_STOPPED)
			continue;
		source_report(rd, &s->src, cause, v->dropped[cause] - s->drops[cause], now);
		s->drops[cause] = v->dropped[cause];
	}
	if (!announce_stop_is_next(&rd->told))
		lane_source_missed(rd, s, v->dropped[DEVTRACE_LOST_STOPPED], now);
	if (v->bad != s->bad)
		source_lost(rd, &s->src, DEVTRACE_LOST_LANE, 0, s->src.last, now);
	s->bad = v->bad;
}

/*
 * Report missed events, so that the reader was told of @n in all since the slot was allocated;
 * none is newer than @to. A slot misses few events: while the stream is stopped, a program only
 * finishes events that it began before.
 */
void lane_source_missed(struct reader *rd, struct lane_source *s, u64 n, u64 to)
{
	u64 *told = &s->drops[DEVTRACE_LOST_STOPPED];

	if (n <= *told)
		return;
	source_report_stopped(rd, &s->src, n - *told, to);
	*told = n;
}

/* Is there a loss, a drop or an invalid lane to report? */
bool lane_source_has_news(const struct lane_source *s, const struct slot_view *v)
{
	return s->src.lost || s->src.cleared || v->bad != s->bad ||
	       memcmp(s->drops, v->dropped, sizeof(s->drops));
}

/* Go from run to run to the next event. Return the last run; 0: there was none. */
static run_place_t next_event(struct reader *rd, struct lane_source *s)
{
	run_place_t place;
	struct run r;
	int tries = 0;

	do {
		place = slot_next(reader_slots(rd), s->slot, s->run, &r);
		if (!place)
			break;
		s->src.lost += r.idx - s->idx;
		lane_source_enter(rd, s, place, &r);
		/*
		 * Another thread of the program may have written to the lane while the thread
		 * slept: keep times in order.
		 */
		s->lo = max(s->lo, s->src.key);
		s->hi = max(s->hi, s->lo);
		if (lane_source_look(rd, s))
			source_set_ready(rd, &s->src, true);
	} while (!s->src.ready && ++tries < RUN_TRIES);
	return place;
}

void lane_source_refresh(struct reader *rd, struct lane_source *s)
{
	struct slot_view v;
	run_place_t place = s->run;
	bool news;

	slot_refresh(reader_slots(rd), s->slot, &v);
	s->src.busy = v.busy;
	/* After a seek, the reader may be inside a run: look at the rest of this run first. */
	if (lane_source_look(rd, s))
		source_set_ready(rd, &s->src, true);
	else
		place = next_event(rd, s);
	if (!place && v.idx > s->idx) {
		/* All events up to the end of the chain were overwritten, so count them as lost. */
		s->src.lost += v.idx - s->idx;
		s->idx = v.idx;
	}
	if (!s->src.ready && place)
		s->src.busy = true;
	else if (!s->src.ready)
		s->src.key = max(s->src.key, v.floor);
	news = lane_source_has_news(s, &v);
	if (unlikely(news))
		report_lane(rd, s, &v);
	s->idle = !s->src.ready && !s->src.busy && !news && !lane_awake_may(s->slot);
}
