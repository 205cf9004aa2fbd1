// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking: complete records of a lane go into the ring of blocks
 *
 * To take from a lane: the complete records of a block are copied into the ring of blocks,
 * then the copy is examined, record by record, and committed. So only the copying itself
 * reads memory that a program can change. These take: the thread that hands a block over, a
 * reader that looks for new events, a request for statistics, a change of a filter, a stop
 * of the stream, and the thread's end.
 *
 * An event is filtered by the filters that are in force when it is taken. A change of
 * filters takes everything first, so an event that was emitted before is judged by the
 * filters of before.
 *
 * Order. Taking reads the clock, then whether the thread is busy, then the records. If it
 * was not busy and all was taken, no later event of this lane is older than that clock,
 * but for MARGIN_NS in which a store becomes visible: that is the floor. If the thread was
 * busy the floor is BUSY_NS before that, since busy is only a program's word. An event that
 * claims to be older than the floor gets the floor as its time, and an event from the future
 * gets the present; both are marked DEVTRACE_F_LATE when they are read.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "emit/emit.h"
#include "emit/emit_check.h"
#include "emit/filter.h"
#include "lane.h"
#include "lane_filter.h"
#include "ring/clock.h"
#include "slot_priv.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"
#include "take.h"

/* A thread that loses its CPU while it emits gets it back by then, or its event is late. */
#define BUSY_NS		(10 * NSEC_PER_MSEC)
/* As often we look whether there is room by now. */
#define ROOM_TRIES	1000

/* Length and type in the first word of a record. */
#define HEAD_BITS	((1U << DEVTRACE_LANE_NS_SHIFT) - 1)

static bool stopped;			/* what is taken is dropped */

static void drop_taken(struct lane *l, unsigned int cause, u64 n)
{
	struct slot *s = slot_at(l->slot);

	raw_spin_lock(&slots_lock);
	s->dropped[cause] += n;
	slots_dropped[cause] += n;
	raw_spin_unlock(&slots_lock);
}

/* The set that wants a record that is more than a type. */
static noinline u32 wants_more(const struct filter_table *t, const struct lane_event *ev)
{
	const struct devtrace_emit e = {
		.type = ev->type, .severity = ev->severity, .flags = ev->flags,
	};
	const u32 both = RING_WHO_CODE | RING_WHO_OBJSIG;
	u32 who, set;

	if (emit_check_rest(&e, ev->len))
		return FILTER_TRIGGERS;
	who = RING_WHO_USER | (u32)ev->flags << RING_WHO_CTX_SHIFT |
	      (u32)ev->severity << RING_WHO_SEV_SHIFT;
	set = filter_wants(t, ev->type, who, who & both ? get_unaligned_le32(ev->data) : 0);
	if ((who & both) == both && t->has & FILTER_HAS_KEYS)
		set &= filter_keys_set(t, who & ~RING_WHO_CODE,
				       get_unaligned_le32(ev->data + sizeof(__le32)));
	return set & FILTER_STREAM0;
}

/* lane_next() where a call does not matter: records are of the shortest form, nearly all. */
static noinline int next_record(const u8 *buf, u32 *at, u32 len, u64 *time,
				struct lane_event *ev)
{
	return lane_next(buf, at, len, time, ev);
}

/* Counts of the records of a run. */
struct pass {
	u32	nr;		/* that are wanted */
	u32	refused;	/* that are not */
	u32	len;		/* bytes that make sense */
	u64	time;		/* of the last */
	u16	cpu;		/* likewise */
};

/* A record that is not wanted stays where it is, with a type that nothing has. */
static noinline void take_blank(u8 *buf, const struct lane_event *ev)
{
	u32 *word = (u32 *)(buf + ev->head);

	put_unaligned(get_unaligned(word) & ~(0xffU << DEVTRACE_LANE_TYPE_SHIFT), word);
	this_cpu_inc(devtrace_filtered[ev->type]);
}

/* The set that wants an event, on the CPU that the event names or its thread is on. */
static u32 wants_cpu(const struct filter_table *t, const struct lane_event *ev, unsigned int cpu)
{
	return t->cpus[ev->cpu < nr_cpu_ids ? ev->cpu : cpu];
}

/*
 * Records of the shortest form, which are nothing but a type that is wanted: that are nearly
 * all. Counts them, up to the first other one. What holds for the length and the type of one
 * holds for those behind it that have the same.
 */
static u32 count_plain(const struct filter_table *t, const u8 *buf, u32 *at, u32 len, u64 *time)
{
	const u8 *rec = buf + *at, *end = buf + len, *last;
	u32 nr = 0, word, next, size, same, type;
	u64 ns = 0;

	while (end - rec >= (long)sizeof(word)) {
		next = get_unaligned((const u32 *)rec);
another:
		word = next;
		size = word & 0x7f;
		type = word >> DEVTRACE_LANE_TYPE_SHIFT & 0xff;
		if (size > DEVTRACE_LANE_SHORT || !t->plain[type])
			break;
		size = (sizeof(word) + size + 1) & ~1U;
		last = end - size;
		if (rec > last)
			break;
		this_cpu_inc(emit_counts->stored[type]);
		nr++;
		ns += word >> DEVTRACE_LANE_NS_SHIFT;
		rec += size;
		if (rec > last)
			continue;
		/* No record is shorter than its first word. */
		next = get_unaligned((const u32 *)rec);
		if ((next ^ word) & HEAD_BITS)
			goto another;
		same = 0;
		do {
			same++;
			ns += next >> DEVTRACE_LANE_NS_SHIFT;
			rec += size;
			if (rec > last)
				break;
			next = get_unaligned((const u32 *)rec);
		} while (!((next ^ word) & HEAD_BITS));
		this_cpu_add(emit_counts->stored[type], same);
		nr += same;
	}
	*at = rec - buf;
	*time = lane_time_after(*time, ns);
	return nr;
}

/* Does each record make sense, and is it wanted? Counts them. 0 or -EPROTO. */
static int look_at_records(struct lane *l, u8 *buf, u32 len, struct pass *p)
{
	/* Preemption is off. */
	const struct filter_table *t = rcu_dereference_sched_check(devtrace_table, true);
	struct lane_event ev = { .cpu = p->cpu };
	const bool process = t->has & FILTER_HAS_PROCESSES;
	u32 at = 0, mask = FILTER_STREAM0, set;
	unsigned int cpu;
	int ret;

	if (unlikely(process))
		mask &= lane_filter_set(t, l, &cpu);
	for (;;) {
		if (likely(!process))
			p->nr += count_plain(t, buf, &at, len, &p->time);
		p->len = at;
		ret = next_record(buf, &at, len, &p->time, &ev);
		if (ret <= 0)
			break;
		ret = -EPROTO;
		if (unlikely(!emit_check_type(ev.type)))
			break;
		set = t->types[1][ev.type];
		if (unlikely(ev.flags | ev.severity)) {
			set = wants_more(t, &ev);
			if (set == FILTER_TRIGGERS)
				break;
		}
		if (unlikely(process))
			set &= wants_cpu(t, &ev, cpu);
		if (likely(set & mask)) {
			this_cpu_inc(emit_counts->stored[ev.type]);
			p->nr++;
		} else {
			take_blank(buf, &ev);
			p->refused++;
		}
	}
	p->cpu = ev.cpu;
	return ret;
}

/* Behind the commit: who finds the one and not the other knows what was taken, too. */
static void tell_taken(const struct lane *l)
{
	if (l->told)
		WRITE_ONCE(*l->told, lane_told(l->at.idx));
}

/* Nothing is stored: how many there are, in memory that may change meanwhile. */
static int count_records(const struct lane_piece *c, struct pass *p)
{
	struct lane_event ev = { .cpu = p->cpu };
	u32 at = 0;
	int ret;

	while ((ret = next_record(c->from, &at, c->len, &p->time, &ev)) > 0)
		p->refused++;
	p->cpu = ev.cpu;
	return ret;
}

/* What the lane overwrote before a piece, in its own account. */
static void count_lost(struct lane *l, const struct lane_piece *c)
{
	if (unlikely(c->lost)) {
		l->at.idx += c->lost;
		drop_taken(l, DEVTRACE_LOST_BUSY, c->lost);
	}
}

static void end_piece(struct lane *l, const struct lane_piece *c, const struct pass *p)
{
	lane_taken(&l->at, c);
	l->at.idx += p->nr + p->refused;
	l->at.time = p->time;
	l->at.cpu = p->cpu;
}

/* With the lane's lock, while the stream is stopped. */
static int drop_piece(struct lane *l, const struct lane_piece *c)
{
	struct pass p = { .time = c->time, .cpu = c->cpu };
	int ret;

	ret = count_records(c, &p);
	if (!lane_still(&l->mem, &l->at))
		return 0;
	count_lost(l, c);
	drop_taken(l, DEVTRACE_LOST_STOPPED, p.refused);
	end_piece(l, c, &p);
	tell_taken(l);
	return ret;
}

/*
 * With the lane's lock. 0, also if the piece was overwritten meanwhile; -EAGAIN: there is
 * no room now; -EPROTO.
 */
static int take_piece(struct lane *l, const struct lane_piece *c)
{
	struct pass p = { .time = c->time, .cpu = c->cpu };
	run_place_t place;
	struct run *r;
	u64 head, now;
	u8 *buf;
	int ret;

	raw_spin_lock(&slots_lock);
	head = slots_blocks.head;
	r = blocks_reserve(&slots_blocks, c->len, &place);
	head ^= slots_blocks.head;
	raw_spin_unlock(&slots_lock);
	if (unlikely(!r))
		return -EAGAIN;
	buf = (u8 *)(r + 1);
	lane_copy_out(buf, c->from, c->len);
	if (unlikely(!lane_still(&l->mem, &l->at))) {
		raw_spin_lock(&slots_lock);
		blocks_abandon(&slots_blocks, r, place);
		raw_spin_unlock(&slots_lock);
		return 0;
	}
	now = devtrace_clock_now();
	count_lost(l, c);
	r->lane = l->at.idx;
	ret = look_at_records(l, buf, c->len, &p);
	end_piece(l, c, &p);

	r->time = c->time;
	r->lo = l->floor;
	r->hi = clamp(p.time, r->lo, max(now + MARGIN_NS, r->lo));
	r->tid = l->tid;
	r->tgid = l->tgid;
	r->cpu = c->cpu;
	/* Later runs are not older than the last event of this one. */
	l->floor = r->hi;
	raw_spin_lock(&slots_lock);
	if (likely(p.nr))
		blocks_commit(&slots_blocks, r, place, l->slot, p.len, p.nr);
	else
		blocks_abandon(&slots_blocks, r, place);
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
 * All was taken: no event that is older is to come. One that is under way is not older than
 * BUSY_NS, whatever its thread says.
 */
static void raise_floor(struct lane *l, u64 now, bool busy)
{
	l->floor = max(l->floor, now - (busy ? BUSY_NS : MARGIN_NS));
	/* The timer looks at it without the lock. */
	WRITE_ONCE(l->waits, busy);
}

/* Updates the state of the lane that readers see. */
static void take_show(struct lane *l, bool bad)
{
	struct slot *s = slot_at(l->slot);

	raw_spin_lock(&slots_lock);
	s->floor = l->floor;
	s->busy = l->waits;
	s->bad += bad;
	raw_spin_unlock(&slots_lock);
}

/* Nothing is taken any more, and nobody waits for it. */
static void set_closed(struct lane *l)
{
	WRITE_ONCE(l->waits, false);
	WRITE_ONCE(l->closed, true);
	if (l->told)
		WRITE_ONCE(*l->told, LANE_TOLD_CLOSED);
	WRITE_ONCE(lane_head(&l->mem)->state, DEVTRACE_LANE_CLOSED);
	/* The timer does not look at it any more: perhaps it has not seen the last events. */
	wake_again(&devtrace_stream0);
}

/* One piece, or none of a block that is not @full. 1: there may be more; 0; negative */
static int take_one(struct lane *l, bool full)
{
	struct lane_piece c;
	bool busy;
	u64 now;
	int ret;

	if (l->closed)
		return -EPIPE;
	now = devtrace_clock_now();
	/* The clock before we look whether the thread is busy. */
	smp_mb();
	/* LMM(lane_bound:A): busy before what is there; pairs with lane_write:D. */
	busy = smp_load_acquire(&lane_head(&l->mem)->busy);
	ret = lane_look(&l->mem, &l->at, &c);
	if (ret > 0) {
		/* Half a block now and the rest of it later take more room. */
		if (full && lane_is_at_open(&l->mem, &l->at))
			return 0;
		/* Nobody makes more than an event a nanosecond. */
		if (unlikely(c.lost && l->at.idx + c.lost > now - l->made))
			ret = -EPROTO;
		else
			ret = unlikely(READ_ONCE(stopped)) ? drop_piece(l, &c) : take_piece(l, &c);
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
	return ret;
}

/* All that was there when we came, or all blocks that were @full. 0, -EAGAIN or -EPIPE */
static int take_all(struct lane *l, bool full)
{
	const u64 began = devtrace_clock_now();
	u32 left = l->mem.nr + 2, tries = 0;
	int ret;

	do {
		raw_spin_lock(&l->lock);
		ret = take_one(l, full);
		if (unlikely(ret > 0 && !--left)) {
			/* Its thread writes as fast as we take; what we found has been taken. */
			raise_floor(l, began, true);
			take_show(l, false);
			ret = 0;
		}
		raw_spin_unlock(&l->lock);
		if (unlikely(ret == -EAGAIN)) {
			/* The writer there has preemption off, and is done soon. */
			cpu_relax();
			ret = ++tries < ROOM_TRIES ? 1 : -EAGAIN;
		}
	} while (ret > 0);
	return ret;
}

/**
 * slot_take() - take what is complete of a lane
 * @l: the lane
 *
 * Context: any in which one may wait for a raw spinlock, but interrupts.
 * Return: 0; -EAGAIN: there is no room now; -EPIPE: it is closed.
 */
int slot_take(struct lane *l)
{
	return take_all(l, false);
}

/**
 * slot_take_full() - take the blocks of a lane that are full
 * @l: the lane
 *
 * Context and return: see slot_take().
 */
int slot_take_full(struct lane *l)
{
	return take_all(l, true);
}

/**
 * slot_makes_no_calls() - whether the program says so in the head of the lane
 * @l: the lane
 *
 * Context: see slot_take().
 */
bool slot_makes_no_calls(struct lane *l)
{
	bool said;

	raw_spin_lock(&l->lock);
	said = !l->closed && READ_ONCE(lane_head(&l->mem)->no_calls);
	raw_spin_unlock(&l->lock);
	return said;
}

/**
 * slot_close() - its thread is no more, or may write no more: take the last of it
 * @l: the lane; what other threads of its process write there later is ignored
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

/**
 * slots_take_all() - take what is complete of all lanes
 *
 * Context: process.
 */
void slots_take_all(void)
{
	unsigned int i, nr = slots_nr();
	struct lane *l;

	for (i = 0; i < nr; i++) {
		l = slot_lane_get(i);
		if (l) {
			/* There is room soon; until then no other state may come into force. */
			if (slot_take(l) == -EAGAIN)
				i--;
			lane_put(l);
		}
		cond_resched();
	}
}

/**
 * slots_stop() - drop events that are taken from now on, or store them
 * @stop: drop them
 *
 * Events complete before the call are taken by the old state. Every taking that begins
 * after the return knows the new one.
 *
 * Context: process, devtrace_lock held.
 */
void slots_stop(bool stop)
{
	slots_take_all();
	WRITE_ONCE(stopped, stop);
	/* A taking under way holds its lane's lock, so this waits for it. */
	slots_take_all();
}
