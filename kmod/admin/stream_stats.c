// SPDX-License-Identifier: GPL-2.0-only
/*
 * What became of the events of a stream
 *
 * Counts are read while others go on; each is right for some moment meanwhile, and
 * what was emitted is read after what became of it, so that it is never too few.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "ring/clock.h"
#include "core.h"
#include "lane/slot.h"
#include "stream/stream_priv.h"

static void stats_ring(const struct ring *r, u32 start, struct devtrace_stats *st)
{
	struct ring_view v;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		st->dropped[i] += ring_count_read(&r->dropped[i]);
	if (ring_exists(r)) {
		ring_view(r, &v);
		st->stored += v.head.idx - start;
		st->overwritten += v.tail.idx - start;
		st->size += (u64)(r->mask + 1) * RING_UNIT;
		st->used += (v.head.pos - v.tail.pos) * RING_UNIT;
	}
}

static u64 handled(const struct devtrace_stats *st)
{
	u64 n = st->stored;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		n += st->dropped[i];
	return n;
}

static u64 filtered_on(int cpu)
{
	u64 n = 0;
	int type;

	for (type = 0; type < 256; type++)
		n += READ_ONCE(per_cpu(devtrace_filtered, cpu)[type]);
	return n;
}

/**
 * stream_emitted_on() - all events of a CPU
 * @cpu: CPU number, possible
 *
 * Return: those that stream 0 stored, dropped or did not want.
 */
u64 stream_emitted_on(int cpu)
{
	struct devtrace_stats st = { 0 };

	stats_ring(per_cpu_ptr(&devtrace_rings, cpu), devtrace_stream0.start, &st);
	return handled(&st) + filtered_on(cpu);
}

static void stats_cpu(struct stream *s, int cpu, struct devtrace_stats *st)
{
	const u64 others = handled(st);
	u64 emitted, here;

	/* What was emitted after what became of it: never too few. */
	stats_ring(per_cpu_ptr(s->rings, cpu), s->start, st);
	here = handled(st) - others;
	if (s == &devtrace_stream0)
		emitted = here + filtered_on(cpu);
	else
		emitted = stream_emitted_on(cpu) - *per_cpu_ptr(s->before, cpu);
	st->emitted += emitted;
	st->filtered += emitted - min(emitted, here);
}

/* What programs emitted by lanes: stream 0 alone has them, the others do not want them. */
static void stats_lanes(struct stream *s, struct devtrace_stats *st, u64 *oldest)
{
	u64 others;

	if (s == &devtrace_stream0) {
		slots_stats(st, oldest);
		return;
	}
	others = slots_handled() - s->before_lanes;
	st->emitted += others;
	st->filtered += others;
}

/* The time of the oldest record, 0 if there is none. */
static u64 oldest_on(const struct ring *r)
{
	struct ring_view v;
	u64 word, now;

	if (!ring_exists(r))
		return 0;
	for (;;) {
		ring_view(r, &v);
		if (v.tail.pos == v.commit.pos)
			return 0;
		word = READ_ONCE(((struct ring_record *)ring_at(r, (u32)v.tail.pos))->word);
		now = devtrace_clock() + NSEC_PER_SEC;
		/* LMM(oldest:A): the word before the tail; pairs with reserve:A. */
		smp_rmb();
		if ((u32)ring_load(&r->tail) == (u32)v.tail.pos)
			break;
	}
	return word >> RING_TYPE_SHIFT == RING_TYPE_PAD ? 0 : ring_ts(word, now);
}

/**
 * stream_stats() - what became of the events
 * @s: the stream
 * @cpu: CPU number, possible, DEVTRACE_STATS_LANES, or DEVTRACE_STATS_ALL
 * @st: filled in
 * @oldest: time of the oldest event that is there, 0 if there is none; or NULL
 */
void stream_stats(struct stream *s, int cpu, struct devtrace_stats *st, u64 *oldest)
{
	u64 ts, first = 0;
	int i;

	/* What was emitted is counted when it is taken. */
	slots_take_all();
	memset(st, 0, sizeof(*st));
	st->cpu = cpu;
	st->nr_cpus = nr_cpu_ids;
	st->now = devtrace_clock();
	down_read(&s->layout);
	for_each_possible_cpu(i) {
		if (cpu != DEVTRACE_STATS_ALL && i != cpu)
			continue;
		stats_cpu(s, i, st);
		ts = oldest_on(per_cpu_ptr(s->rings, i));
		if (ts && (!first || ts < first))
			first = ts;
	}
	if (cpu < 0)
		stats_lanes(s, st, &first);
	up_read(&s->layout);
	if (oldest)
		*oldest = first;
}
