// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take complete records of lanes into the rings of blocks
 *
 * To take a block means to copy its complete records into the ring of blocks of stream 0, to check
 * and filter the copy record by record, and to commit it. Only the copying reads memory that a
 * program can change. If other streams want events of programs, take_copy.c gives these streams
 * their copies at the same time. Events are taken when a thread hands a block over, when a reader
 * looks for events, for statistics, when filters change, when a stream stops, and when the thread
 * ends.
 *
 * An event is filtered by the filters in force when it is taken. Before filters change, all lanes
 * are taken, so that the old filters apply to the events emitted before the change.
 *
 * Order: take_one() reads the clock, then whether the thread is busy (has begun an event), then
 * the records. The floor is a time: no later event of the lane is older. If the thread was not
 * busy and all records were taken, the floor is the clock minus MARGIN_NS, the time after which a
 * store is visible to other CPUs. If it was busy, the floor is the clock minus BUSY_NS, because a
 * program may claim to be busy forever. An event that claims to be older than the floor gets the
 * floor as its time, and an event from the future gets the present time. Readers mark both
 * DEVTRACE_F_LATE.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "lane.h"
#include "lane_awake.h"
#include "lane_plain.h"
#include "lane_wants.h"
#include "ring/clock.h"
#include "slot_priv.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"
#include "take.h"
#include "take_copy.h"

/* If a thread is preempted for longer than this while it emits, its event is late. */
#define BUSY_NS		(10 * NSEC_PER_MSEC)
/* Number of attempts while the ring of blocks has no room. */
#define ROOM_TRIES	1000

static void drop_taken(struct lane *l, unsigned int cause, u64 n)
{
	raw_spin_lock(&slots_lock);
	slot_drop(&slots0, l->slot, cause, n);
	raw_spin_unlock(&slots_lock);
}

/* lane_next(), not inlined: nearly all records take the fast path of count_plain(). */
static noinline int next_record(const u8 *buf, u32 *at, u32 len, u64 *time,
				struct lane_event *ev)
{
	return lane_next(buf, at, len, time, ev);
}

/**
 * struct pass - result of checking the records of a run
 * @nr: number of events that the filters pass
 * @refused: number of events that the filters refuse
 * @len: bytes of valid records
 * @time: time of the last record, ns
 * @cpu: CPU of the last record
 */
struct pass {
	u32	nr;
	u32	refused;
	u32	len;
	u64	time;
	u16	cpu;
};

/* Turn a filtered record into one of type EMPTY, in place. */
static noinline void take_blank(u8 *buf, const struct lane_event *ev)
{
	u32 *word = (u32 *)(buf + ev->head);

	put_unaligned(get_unaligned(word) & ~(0xffU << DEVTRACE_LANE_TYPE_SHIFT), word);
	this_cpu_inc(devtrace_filtered[ev->type]);
}

/* Count the plain records from @at to the first other one; advance @at and @time. */
static u32 count_plain(const struct filter_table *t, const u8 *buf, u32 *at, u32 len, u64 *time)
{
	struct lane_plain p = {
		.limits = t->plain,
		.stored = emit_counts->stored,
		.at = buf + *at,
		.end = buf + len,
	};
	const u32 nr = lane_plain_count(&p);

	*at = p.at - buf;
	*time = lane_time_after(*time, p.ns);
	return nr;
}

/* Check, filter and count the records of a copy. Return 0 or -EPROTO. */
static int look_at_records(const struct lane_judge *j, u8 *buf, u32 len, struct pass *p)
{
	struct lane_event ev = { .cpu = p->cpu };
	u32 at = 0, set;
	int ret;

	for (;;) {
		if (likely(!j->process))
			p->nr += count_plain(j->t, buf, &at, len, &p->time);
		p->len = at;
		ret = next_record(buf, &at, len, &p->time, &ev);
		if (ret <= 0)
			break;
		ret = -EPROTO;
		set = lane_judge(j, &ev);
		if (unlikely(set == FILTER_TRIGGERS))
			break;
		if (likely(set & FILTER_STREAM0)) {
			this_cpu_inc(emit_counts->stored[ev.type]);
			p->nr++;
		} else {
			take_blank(buf, &ev);
			p->refused++;
			if (unlikely(set))
				take_copy_alone(set);
		}
	}
	p->cpu = ev.cpu;
	return ret;
}

/*
 * Store the number of events taken, after the commit: if a reset happens in between, the committed
 * run contains the number, too.
 */
static void tell_taken(const struct lane *l)
{
	if (l->told)
		WRITE_ONCE(*l->told, lane_told(l->at.idx));
}

/* While the stream is stopped, only count records. The program may change those in its lane. */
static int count_records(const u8 *records, u32 len, struct pass *p)
{
	struct lane_event ev = { .cpu = p->cpu };
	u32 at = 0;
	int ret;

	while ((ret = next_record(records, &at, len, &p->time, &ev)) > 0)
		p->refused++;
	p->cpu = ev.cpu;
	return ret;
}

/* Count the events that the thread overwrote before this piece. */
static void count_lost(struct lane *l, const struct lane_piece *c)
{
	if (unlikely(c->lost)) {
		l->at.idx += c->lost;
		drop_taken(l, DEVTRACE_LOST_BUSY, c->lost);
		take_copy_lost(l, c->lost);
	}
}

static void end_piece(struct lane *l, const struct lane_piece *c, const struct pass *p)
{
	lane_taken(&l->at, c);
	l->at.idx += p->nr + p->refused;
	l->at.time = p->time;
	l->at.cpu = p->cpu;
}

/* Drop a piece while stream 0 is stopped; other streams may store it. The lane is locked. */
static int drop_piece(struct lane *l, const struct lane_piece *c)
{
	struct pass p = { .time = c->time, .cpu = c->cpu };
	struct lane_judge j;
	const u8 *records;
	u64 now;
	int ret;

	lane_judge_begin(&j, l);
	records = take_copy_out(&j, c);
	ret = count_records(records ?: c->from, c->len, &p);
	if (!lane_still(&l->mem, &l->at))
		return 0;
	now = devtrace_clock_now();
	count_lost(l, c);
	drop_taken(l, DEVTRACE_LOST_STOPPED, p.refused);
	if (records) {
		take_copies(l, &j, c, records, now);
		l->floor = take_latest(l, p.time, now);
	}
	end_piece(l, c, &p);
	tell_taken(l);
	return ret;
}

/*
 * Take one piece; the lane's lock is held. Return 0, even if the piece was overwritten meanwhile;
 * -EAGAIN if the ring has no room now; or -EPROTO.
 */
static int take_piece(struct lane *l, const struct lane_piece *c)
{
	struct pass p = { .time = c->time, .cpu = c->cpu };
	struct block_ring *blocks = &slots0.blocks;
	struct lane_judge j;
	run_place_t place;
	struct run *r;
	u64 head, now;
	u8 *buf;
	int ret;

	raw_spin_lock(&slots_lock);
	head = blocks->head;
	r = blocks_reserve(blocks, c->len, &place);
	head ^= blocks->head;
	raw_spin_unlock(&slots_lock);
	if (unlikely(!r))
		return -EAGAIN;
	buf = (u8 *)(r + 1);
	lane_copy_out(buf, c->from, c->len);
	if (unlikely(!lane_still(&l->mem, &l->at))) {
		raw_spin_lock(&slots_lock);
		blocks_abandon(blocks, r, place);
		raw_spin_unlock(&slots_lock);
		return 0;
	}
	now = devtrace_clock_now();
	count_lost(l, c);
	r->lane = l->at.idx;
	lane_judge_begin(&j, l);
	/* Before look_at_records(), which blanks what stream 0 does not want. */
	if (unlikely(j.t->lane_streams))
		take_copies(l, &j, c, buf, now);
	ret = look_at_records(&j, buf, c->len, &p);
	end_piece(l, c, &p);

	r->time = c->time;
	r->lo = l->floor;
	r->hi = take_latest(l, p.time, now);
	r->tid = l->tid;
	r->tgid = l->tgid;
	r->cpu = c->cpu;
	/* No event of a later run is older than the last event of this run. */
	l->floor = r->hi;
	raw_spin_lock(&slots_lock);
	if (likely(p.nr)) {
		blocks_commit(blocks, r, place, l->slot, p.len, p.nr);
		slot_changed(l->slot);
	} else {
		blocks_abandon(blocks, r, place);
	}
	raw_spin_unlock(&slots_lock);
	tell_taken(l);
	if (p.nr) {
		devtrace_proc_count(l->tid, p.nr);
		devtrace_clock_event(now);
	}
	if (head)
		devtrace_wake_full(0);
	return ret;
}

/*
 * All events that were complete at time @now were taken, so no later event is older than the new
 * floor. If the thread is busy, the event it has begun counts as at most BUSY_NS old, whatever the
 * thread claims.
 */
static void raise_floor(struct lane *l, u64 now, bool busy)
{
	l->floor = max(l->floor, now - (busy ? BUSY_NS : MARGIN_NS));
	/* lane_wake_look() reads @waits without the lock. */
	WRITE_ONCE(l->waits, busy);
}

/* Update the slot that readers see. */
static void take_show(struct lane *l, bool bad)
{
	struct slot *s = slot_at(l->slot);
	unsigned int id;

	raw_spin_lock(&slots_lock);
	s->floor = l->floor;
	s->busy = l->waits;
	if (unlikely(bad)) {
		for (id = 0; id < DEVTRACE_STREAMS_MAX; id++)
			if (slots_all[id] && l->slot < slots_all[id]->nr)
				slot_part(slots_all[id], l->slot)->bad++;
		slot_changed(l->slot);
	}
	raw_spin_unlock(&slots_lock);
}

/* Close the lane: nothing more is taken, and readers do not wait for it. */
static void set_closed(struct lane *l)
{
	WRITE_ONCE(l->waits, false);
	WRITE_ONCE(l->closed, true);
	if (l->told)
		WRITE_ONCE(*l->told, LANE_TOLD_CLOSED);
	WRITE_ONCE(lane_head(&l->mem)->state, DEVTRACE_LANE_CLOSED);
	/*
	 * Wake readers now: lane_wake_look() skips closed lanes, and may have missed the last
	 * events.
	 */
	wake_again_all();
}

/*
 * Take one piece; if @full, only if its block is complete. Return 1 if there may be more, 0, or an
 * error.
 */
static int take_one(struct lane *l, bool full)
{
	struct lane_piece c;
	bool busy;
	u64 now;
	int ret;

	if (l->closed)
		return -EPIPE;
	now = devtrace_clock_now();
	/*
	 * Read the clock before the busy flag: an event begun after the flag was read as clear is
	 * not older than the clock. No pairing barrier, see lane_bound:A.
	 */
	smp_mb();
	/* LMM(lane_bound:A): busy before the records; pairs with lane_write:D. */
	busy = smp_load_acquire(&lane_head(&l->mem)->busy);
	ret = lane_look(&l->mem, &l->at, &c);
	if (ret > 0) {
		/* Do not split a block into two runs, which would need more room. */
		if (full && lane_is_at_open(&l->mem, &l->at))
			return 0;
		/*
		 * The thread cannot have lost more events than this: no thread emits more than one
		 * per ns.
		 */
		if (unlikely(c.lost && l->at.idx + c.lost > now - l->made))
			ret = -EPROTO;
		else
			ret = unlikely(READ_ONCE(slots0.stopped)) ? drop_piece(l, &c) :
			      take_piece(l, &c);
		if (!ret)
			return 1;
	} else if (!ret) {
		raise_floor(l, now, busy);
	}
	if (unlikely(ret == -EPROTO)) {
		set_closed(l);
		take_show(l, true);
		return -EPIPE;
	}
	if (ret == -EAGAIN)
		WRITE_ONCE(l->waits, true);
	take_show(l, false);
	if (!ret && !busy && !full)
		lane_awake_sleep(l);
	return ret;
}

/*
 * Take all records that are complete at the call; if @full, only full blocks. Return 0, -EAGAIN or
 * -EPIPE.
 */
static int take_all(struct lane *l, bool full)
{
	const u64 began = devtrace_clock_now();
	u32 left = l->mem.nr + 2, tries = 0;
	int ret;

	do {
		raw_spin_lock(&l->lock);
		ret = take_one(l, full);
		if (unlikely(ret > 0 && !--left)) {
			/*
			 * The thread writes as fast as we take, but all that was complete at the
			 * call was taken.
			 */
			raise_floor(l, began, true);
			take_show(l, false);
			ret = 0;
		}
		raw_spin_unlock(&l->lock);
		if (unlikely(ret == -EAGAIN)) {
			/* Another caller's run blocks the ring; it is committed soon. */
			cpu_relax();
			ret = ++tries < ROOM_TRIES ? 1 : -EAGAIN;
		}
	} while (ret > 0);
	return ret;
}

/*
 * Take the complete events of a lane. Any context in which a raw spinlock may be taken, except
 * interrupts. Return 0; -EAGAIN: the ring has no room now; -EPIPE: the lane is closed.
 */
int slot_take(struct lane *l)
{
	return take_all(l, false);
}

/* Take the full blocks of a lane: see slot_take(). */
int slot_take_full(struct lane *l)
{
	return take_all(l, true);
}

/* Does the head of the lane say that its thread makes no system calls? Context: see slot_take(). */
bool slot_makes_no_calls(struct lane *l)
{
	bool said;

	raw_spin_lock(&l->lock);
	said = !l->closed && READ_ONCE(lane_head(&l->mem)->no_calls);
	raw_spin_unlock(&l->lock);
	return said;
}

/*
 * Take the last events of a lane and close it. Events written later by other threads are ignored.
 */
void slot_close(struct lane *l)
{
	int ret;

	do {
		ret = take_all(l, false);
	} while (ret == -EAGAIN);
	if (ret)
		return;
	raw_spin_lock(&l->lock);
	if (!l->closed)
		set_closed(l);
	raw_spin_unlock(&l->lock);
}

/* Take the complete events of all lanes. Process context. */
void slots_take_all(void)
{
	unsigned int i, nr = slots_nr();
	struct lane *l;

	for (i = 0; i < nr; i++) {
		l = slot_lane_get(i);
		if (l) {
			/*
			 * If the ring has no room now, which lasts a short time, try again: the
			 * caller must not change the state before all events are taken.
			 */
			if (slot_take(l) == -EAGAIN)
				i--;
			lane_put(l);
		}
		cond_resched();
	}
}

/**
 * slots_stop() - let a stream drop the events taken from now on, or store them again
 * @in: of the stream
 * @stop: true: drop them
 *
 * Events that are complete before the call are taken under the old state, all after the return
 * under the new one.
 *
 * Context: process, devtrace_lock held.
 */
void slots_stop(struct slots *in, bool stop)
{
	slots_take_all();
	WRITE_ONCE(in->stopped, stop);
	/* A CPU that still takes events under the old state holds its lane's lock: wait for it. */
	slots_take_all();
}

/* Take the events of a slot's lane; set @v to the slot's state in a stream afterwards. */
void slot_refresh(const struct slots *in, unsigned int slot, struct slot_view *v)
{
	struct lane *l = slot_lane_get(slot);

	if (l) {
		slot_take(l);
		lane_put(l);
	}
	slot_view(in, slot, v);
}

/* Hide all events of a stream that are complete now. Process context, devtrace_lock held. */
void slots_clear(struct slots *in)
{
	unsigned int i, nr = slots_nr_of(in);
	struct slot_part *s;

	slots_take_all();
	for (i = 0; i < nr; i++) {
		s = slot_part(in, i);
		raw_spin_lock(&slots_lock);
		s->cleared = blocks_chain(&in->blocks, i)->last;
		s->cleared_idx = blocks_chain(&in->blocks, i)->idx;
		memcpy(s->cleared_dropped, s->dropped, sizeof(s->dropped));
		s->cleared_bad = s->bad;
		raw_spin_unlock(&slots_lock);
	}
}
