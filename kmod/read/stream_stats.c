// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of the events of a stream
 *
 * Counters are read while emitters change them; each value is right at some instant of the call.
 * The number of emitted events is read last, so it is never below the sum of the others.
 */
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "lane/slot.h"
#include "lane/slot_stats.h"
#include "lane/take.h"
#include "ring/clock.h"
#include "ring/ring_read.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream_stats.h"

static void stats_ring(struct ring *r, u32 start, struct devtrace_stats *st)
{
	struct ring_view v;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		st->dropped[i] += ring_count_read(&r->dropped[i]);
	if (ring_exists(r)) {
		raw_spin_lock(&r->lock);
		ring_view(r, &v);
		st->size += (u64)(r->mask + 1) * RING_UNIT;
		raw_spin_unlock(&r->lock);
		st->stored += v.head.idx - start;
		st->overwritten += v.tail.idx - start;
		st->used += (v.head.pos - v.tail.pos) * RING_UNIT;
	}
}

static u64 stream_stats_handled(const struct devtrace_stats *st)
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
		n += READ_ONCE(per_cpu_ptr(devtrace_filtered, cpu)[type]);
	return n;
}

/*
 * Return the number of events emitted on a possible CPU: those that stream 0 stored, dropped or
 * filtered.
 */
u64 stream_emitted_on(int cpu)
{
	struct devtrace_stats st = { 0 };

	stats_ring(per_cpu_ptr(&devtrace_rings, cpu), devtrace_stream0.start, &st);
	return stream_stats_handled(&st) + filtered_on(cpu);
}

static void stats_cpu(struct stream *s, int cpu, struct devtrace_stats *st)
{
	const u64 others = stream_stats_handled(st);
	u64 emitted, here;

	/* Read the number of emitted events last, so that it is not too low. */
	stats_ring(per_cpu_ptr(s->rings, cpu), s->start, st);
	here = stream_stats_handled(st) - others;
	if (s == &devtrace_stream0)
		emitted = here + filtered_on(cpu);
	else
		emitted = stream_emitted_on(cpu) - *per_cpu_ptr(s->before, cpu);
	st->emitted += emitted;
	st->filtered += emitted - min(emitted, here);
}

/*
 * Add the events of lanes. Events that stream 0 refused count as events of CPUs, unless the stream
 * stored or dropped them: see take_copy_alone().
 */
static void stats_lanes(struct stream *s, struct devtrace_stats *st)
{
	u64 emitted = st->emitted, here, others;

	if (!s->slots)
		return;
	slots_stats(s->slots, st);
	if (s == &devtrace_stream0)
		return;
	here = st->emitted - emitted;
	/* Read the number of emitted events last, so that it is not too low. */
	others = max(slots_emitted(s->slots), here);
	st->emitted = emitted + others;
	st->filtered += others - here;
}

/*
 * Get statistics of a stream, with those events of lanes that were collected. @cpu: a possible
 * CPU, DEVTRACE_STATS_LANES, or DEVTRACE_STATS_ALL.
 */
void stream_stats_taken(struct stream *s, int cpu, struct devtrace_stats *st)
{
	int i;

	memset(st, 0, sizeof(*st));
	st->cpu = cpu;
	st->nr_cpus = nr_cpu_ids;
	st->now = devtrace_clock_now();
	for_each_possible_cpu(i) {
		if (cpu != DEVTRACE_STATS_ALL && i != cpu)
			continue;
		stats_cpu(s, i, st);
	}
	if (cpu < 0)
		stats_lanes(s, st);
}

/* Collect the events of all lanes first, because they count only then. */
void stream_stats(struct stream *s, int cpu, struct devtrace_stats *st)
{
	slots_take_all();
	stream_stats_taken(s, cpu, st);
}
