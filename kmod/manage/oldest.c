// SPDX-License-Identifier: GPL-2.0-only
/* The time of a stream's oldest event */
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "lane/blocks.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "oldest.h"
#include "ring/clock.h"
#include "ring/ring_read.h"
#include "stream/stream.h"
#include "stream/table.h"

/* Return the time of a run's first event. */
u64 run_oldest(const struct block_ring *b, run_place_t place, const struct run *r)
{
	const u8 *records = blocks_records(b, place);
	struct lane_event ev;
	u64 time = r->time;
	u32 at = 0;

	/* Skip records of events that the filter refused. */
	while (lane_next(records, &at, r->len, &time, &ev) > 0 && ev.type == DEVTRACE_T_EMPTY)
		;
	return clamp(time, r->lo, r->hi);
}

/* Return the time of the oldest event of all lanes in a stream; 0: there is none. */
static u64 oldest_of_lanes(const struct slots *in)
{
	unsigned int i, nr = slots_nr_of(in);
	const struct chain *c;
	struct run r;
	u64 first = 0, ts;

	for (i = 0; i < nr; i++) {
		c = blocks_chain(&in->blocks, i);
		/* Most lanes are idle: take no lock for them. A new event is not the oldest. */
		if (!READ_ONCE(c->first))
			continue;
		raw_spin_lock(&slots_lock);
		if (c->first && blocks_run(&in->blocks, c->first, &r)) {
			ts = run_oldest(&in->blocks, c->first, &r);
			first = first ? min(first, ts) : ts;
		}
		raw_spin_unlock(&slots_lock);
	}
	return first;
}

/* Return the first word of the first record at or after @pos; 0: there is none before @end. */
static u64 word_from(const struct ring *r, u64 pos, u64 end)
{
	u64 word;

	if (pos == end)
		return 0;
	word = READ_ONCE(((struct ring_record *)ring_at(r, (u32)pos))->word);
	if (word >> RING_TYPE_SHIFT != RING_TYPE_PAD)
		return word;
	/* If the word was overwritten meanwhile, this position is wrong, but inside the ring. */
	pos += (u32)word;
	return pos == end ? 0 : READ_ONCE(((struct ring_record *)ring_at(r, (u32)pos))->word);
}

/* Return the first word of the oldest record; 0: there is none. Called with the ring locked. */
static u64 oldest_word(const struct ring *r)
{
	struct ring_view v;
	u64 word;

	do {
		ring_view(r, &v);
		word = word_from(r, v.tail.pos, v.commit.pos);
		/*
		 * LMM(oldest:A): If the word comes from a record that overwrites the oldest record,
		 * then the tail loaded below has passed the oldest record. Pairs with reserve:A.
		 */
		smp_rmb();
	} while ((u32)ring_load(&r->tail) != (u32)v.tail.pos);
	return word;
}

/* Return the time of a ring's oldest record; 0: there is none. */
static u64 oldest_on(struct ring *r)
{
	u64 word;

	if (!ring_exists(r))
		return 0;
	raw_spin_lock(&r->lock);
	word = oldest_word(r);
	raw_spin_unlock(&r->lock);
	if (word >> RING_TYPE_SHIFT == RING_TYPE_PAD)
		return 0;
	return ring_ts(word, devtrace_clock_now() + NSEC_PER_SEC);
}

static u64 oldest_older(u64 a, u64 b)
{
	return a && b ? min(a, b) : a ?: b;
}

/*
 * Return the trace clock time of a stream's oldest event, ns; 0: there is none. @cpu: see
 * stream_stats(). Process context.
 */
u64 stream_oldest(struct stream *s, int cpu)
{
	u64 ts = 0;
	int i;

	for_each_possible_cpu(i)
		if (cpu == DEVTRACE_STATS_ALL || i == cpu)
			ts = oldest_older(ts, oldest_on(per_cpu_ptr(s->rings, i)));
	if (cpu < 0 && s->slots)
		ts = oldest_older(ts, oldest_of_lanes(s->slots));
	return ts;
}
