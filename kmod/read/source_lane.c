// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader's place in what one slot's lanes gave
 *
 * The reader copies nothing ahead. It reads each event in place, in the ring of
 * blocks, and then checks whether the event was overwritten meanwhile.
 *
 * Invariants. Each event of the slot before the front was given, or is counted in @lost
 * or @cleared. A refresh takes what the slot's lane has before it says that there is
 * nothing: from then on nothing older than the slot's floor can come, and the floor is
 * the bound. A look into a block has preemption off, for one run at the most:
 * slots_resize() waits for that before it frees any.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "missed.h"
#include "reader_priv.h"
#include "ring/clock.h"
#include "source.h"
#include "source_lane.h"
#include "wire.h"

/* Runs that are overwritten while a reader comes to them: so often it looks for the next. */
#define RUN_TRIES	8
/* Events that are made frames while preemption is off. */
#define GIVE_MOST	16

/* A function of its own, so that the others have no run on their stack. */
static noinline bool run_is_still_there(struct reader *rd, struct lane_source *s)
{
	struct run r;

	if (!slot_run(s->run, &r))
		return false;
	s->turn = rd->turn;
	return true;
}

/*
 * Whether the run is still there. Checked under the lock of the ring once a call, since
 * a reader may sleep for long in between; after that the tail is enough.
 */
static bool run_is_there(struct reader *rd, struct lane_source *s)
{
	return likely(s->turn == rd->turn) || run_is_still_there(rd, s);
}

/* The rest of the run is lost; the next one tells how many events that are. */
static bool run_is_gone(struct lane_source *s)
{
	s->at = s->len;
	return false;
}

/*
 * The next event of the run, to be believed if blocks_there() says so then. Preemption is
 * off.
 */
static __always_inline bool peek(struct lane_source *s, const u8 *records)
{
	u64 ts;

	while (s->at < s->len) {
		if (lane_next(records, &s->at, s->len, &s->time, &s->ev) <= 0)
			return run_is_gone(s);
		/* The record was not wanted, and is not counted in the slot. */
		if (unlikely(s->ev.type == DEVTRACE_T_EMPTY))
			continue;
		s->data = s->ev.data - records;
		ts = clamp(s->time, s->lo, s->hi);
		s->late = ts != s->time;
		s->src.key = ts;
		return true;
	}
	return false;
}

/* Whether the run has another event: it is at the front then. */
bool lane_source_look(struct reader *rd, struct lane_source *s)
{
	const struct block_ring *ring = slots_ring();
	bool found = false;

	if (s->at == s->len)
		return false;
	preempt_disable();
	if (run_is_there(rd, s))
		found = peek(s, blocks_records(ring, s->run));
	if (!blocks_there(ring, s->run))
		found = run_is_gone(s);
	preempt_enable();
	return found;
}

/* Begin the frame of the event at the front. */
static void begin_frame(struct reader *rd, struct lane_source *s, const u8 *records)
{
	u16 source = s->src.number;

	if (likely(s->ev.cpu < nr_cpu_ids))
		source = s->ev.cpu;
	s->ev.data = records + s->data;
	wire_lane_event(&rd->wire, &s->ev, s->src.tid, source, s->src.key, s->late);
}

/* The event at the front, then others; preemption is off. False: there is no more. */
static bool give(struct reader *rd, struct lane_source *s, bool wanted, unsigned int *given)
{
	const struct block_ring *ring = slots_ring();
	const u8 *records = blocks_records(ring, s->run);
	unsigned int left = GIVE_MOST, len;
	bool more;
	u64 ts;
	u8 type;

	do {
		if (likely(wanted))
			begin_frame(rd, s, records);
		ts = s->src.key;
		type = s->ev.type;
		len = s->ev.len;
		more = peek(s, records);
		/* Covers the copy, and the records that were looked at. */
		if (unlikely(!blocks_there(ring, s->run)))
			return run_is_gone(s);
		if (likely(wanted)) {
			wire_lane_send(&rd->wire, type, len);
			++*given;
		}
		s->src.last = ts;
		s->idx++;
		wanted = true;
	} while (more && --left && reader_goes_on(rd, s->src.key) &&
		 reader_has_told(rd, s->src.tid, s->src.key));
	return more;
}

unsigned int lane_source_give(struct reader *rd, struct lane_source *s)
{
	const bool wanted = reader_wants(rd, s->src.tid, s->src.key);
	unsigned int given = 0;
	bool more;

	preempt_disable();
	more = run_is_there(rd, s) ? give(rd, s, wanted, &given) : run_is_gone(s);
	preempt_enable();
	if (!more)
		source_set_ready(rd, &s->src, false);
	return given;
}

/* To the beginning of a run. */
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
	s->turn = rd->turn;
	s->idx = r->idx;
}

static void report(struct reader *rd, struct lane_source *s, const struct slot_view *v)
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
	if (!missed_waits(rd))
		lane_source_missed(rd, s, v->dropped[DEVTRACE_LOST_STOPPED], now);
	if (v->bad != s->bad)
		wire_lost(&rd->wire, s->src.number, DEVTRACE_LOST_LANE, 0, s->src.last, now);
	s->bad = v->bad;
}

/**
 * lane_source_missed() - report what was not stored because the stream was stopped
 * @rd: the reader
 * @s: its source
 * @n: how many events, since the slot was made
 * @to: trace clock, ns: they are not newer
 *
 * A program writes no event into its lane while the stream is stopped: these are the few
 * that its threads were in the middle of.
 */
void lane_source_missed(struct reader *rd, struct lane_source *s, u64 n, u64 to)
{
	u64 *told = &s->drops[DEVTRACE_LOST_STOPPED];

	if (n <= *told)
		return;
	source_report_stopped(rd, &s->src, n - *told, to);
	*told = n;
}

/* Whether there is something to report. */
bool lane_source_has_news(const struct lane_source *s, const struct slot_view *v)
{
	return s->src.lost || s->src.cleared || v->bad != s->bad ||
	       memcmp(s->drops, v->dropped, sizeof(s->drops));
}

/* From run to run to the next event. Returns the last one it came to, 0: there is no more. */
static run_place_t next_event(struct reader *rd, struct lane_source *s)
{
	run_place_t place;
	struct run r;
	int tries = 0;

	do {
		place = slot_next(s->slot, s->run, &r);
		if (!place)
			break;
		s->src.lost += r.idx - s->idx;
		lane_source_enter(rd, s, place, &r);
		if (lane_source_look(rd, s))
			source_set_ready(rd, &s->src, true);
	} while (!s->src.ready && ++tries < RUN_TRIES);
	return place;
}

void lane_source_refresh(struct reader *rd, struct lane_source *s)
{
	struct slot_view v;
	run_place_t place = s->run;

	slot_refresh(s->slot, &v);
	s->src.busy = v.busy;
	/* A seek ends in the middle of a run. */
	if (lane_source_look(rd, s))
		source_set_ready(rd, &s->src, true);
	else
		place = next_event(rd, s);
	if (!place && v.idx > s->idx) {
		/* They were all overwritten. */
		s->src.lost += v.idx - s->idx;
		s->idx = v.idx;
	}
	if (!s->src.ready && place)
		s->src.busy = true;
	else if (!s->src.ready)
		s->src.key = max(s->src.key, v.floor);
	if (unlikely(lane_source_has_news(s, &v)))
		report(rd, s, &v);
}
