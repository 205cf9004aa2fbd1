// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set of a reader's sources
 *
 * From the beginning, the set contains the ring of each possible CPU. A reader also adds a source
 * for each slot that ever had a lane.
 *
 * The heap contains all rings and those lanes that may have something new. The other lanes are
 * idle: the reader has read all their events, and their threads sleep (lane_awake.c). @idle is a
 * common bound for them: no event older than it can follow from an idle lane. sources_look() finds
 * the lanes that woke or changed since its last call, and then raises @idle to the time at which
 * it began. So a reader's work grows with the lanes that have something new, not with all lanes.
 *
 * Invariants: Sources are never removed. A new slot has no event older than the events that the
 * reader gave before it looked for slots. stream_reader(), which may run at the same time, uses as
 * many sources as rd->nr says.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "heap.h"
#include "lane/lane_awake.h"
#include "reader_priv.h"
#include "ring/clock.h"
#include "source.h"
#include "sources.h"
#include "stream/stream.h"

static int make_chunk(struct reader *rd, unsigned int chunk)
{
	struct lane_source *lanes;
	unsigned int i;

	if (rd->lanes[chunk])
		return 0;
	lanes = kvmalloc_array(SLOTS_CHUNK, sizeof(*lanes), GFP_KERNEL_ACCOUNT);
	if (!lanes)
		return -ENOMEM;
	for (i = 0; i < SLOTS_CHUNK; i++)
		lane_source_init(&lanes[i], chunk * SLOTS_CHUNK + i);
	rd->lanes[chunk] = lanes;
	return 0;
}

static int make_room(struct reader *rd, unsigned int nr)
{
	const unsigned int chunks = DIV_ROUND_UP(nr, SLOTS_CHUNK);
	struct front *heap;
	unsigned int i;

	for (i = 0; i < chunks; i++)
		if (make_chunk(rd, i))
			return -ENOMEM;
	if (rd->nr_rings + nr <= rd->room)
		return 0;
	/* The heap needs two entries more than there are sources: see heap.c. */
	heap = kvcalloc(rd->nr_rings + chunks * SLOTS_CHUNK + 2, sizeof(*heap),
			GFP_KERNEL_ACCOUNT);
	if (!heap)
		return -ENOMEM;
	memcpy(heap, rd->heap, rd->nr_heap * sizeof(*heap));
	kvfree(rd->heap);
	rd->heap = heap;
	rd->room = rd->nr_rings + chunks * SLOTS_CHUNK;
	return 0;
}

/* Add a lane to the heap; the caller calls heap_make(). */
static void list_lane(struct reader *rd, struct lane_source *s)
{
	s->listed = true;
	rd->heap[rd->nr_heap++].src = &s->src;
}

/**
 * sources_restart() - after all sources were moved, no lane counts as idle
 * @rd: the reader
 *
 * The next sources_look() finds each slot that ever changed.
 */
void sources_restart(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < reader_nr_lanes(rd); i++)
		reader_lane(rd, i)->listed = false;
	for (i = 0; i < rd->nr_rings; i++)
		rd->heap[i].src = &rd->rings[i].src;
	rd->nr_heap = rd->nr_rings;
	rd->look = 0;
	rd->idle = reader_nr_lanes(rd) ? 0 : U64_MAX;
	heap_make(rd);
}

/**
 * sources_look() - find the lanes that may have something new
 * @rd: the reader
 *
 * Adds these lanes to the heap, and raises the bound of the idle lanes.
 */
void sources_look(struct reader *rd)
{
	const unsigned int nr = reader_nr_lanes(rd), before = rd->nr_heap;
	const u64 now = devtrace_clock_now();
	DECLARE_BITMAP(slots, SLOTS_MAX);
	struct lane_source *s;
	unsigned int i;

	if (!nr)
		return;
	bitmap_zero(slots, nr);
	/*
	 * LMM(lane_awake:E): Read the clock before the bits. If a thread is found asleep, then it
	 * reads the clock later than we do. Pairs with the scheduler's barrier after the probe.
	 */
	smp_mb();
	lane_awake_news(slots, nr);
	/*
	 * LMM(lane_awake:F): Read the bits before the changes. If a thread is found asleep, then
	 * the events that were collected before it fell asleep are found. Pairs with
	 * fall_asleep().
	 */
	smp_rmb();
	slots_changed_since(&rd->look, slots, nr);
	for_each_set_bit(i, slots, nr) {
		s = reader_lane(rd, i);
		s->idle = false;
		if (s->listed)
			continue;
		s->src.key = max(s->src.key, rd->idle);
		list_lane(rd, s);
	}
	rd->idle = max(rd->idle, now);
	if (rd->nr_heap != before)
		heap_make(rd);
}

/* Add sources for new slots. Return 0 or -ENOMEM. */
int sources_follow(struct reader *rd)
{
	unsigned int i, nr = reader_nr_slots(rd);
	int err;

	if (nr == reader_nr_lanes(rd))
		return 0;
	err = make_room(rd, nr);
	if (err)
		return err;
	if (!reader_nr_lanes(rd))
		rd->idle = rd->last;
	for (i = reader_nr_lanes(rd); i < nr; i++) {
		lane_source_begin(rd, reader_lane(rd, i), rd->last);
		list_lane(rd, reader_lane(rd, i));
	}
	/*
	 * LMM(reader_nr:A): If stream_reader() reads this number, then it reads the sources
	 * that it counts. Pairs with reader_nr:B.
	 */
	smp_store_release(&rd->nr, rd->nr_rings + nr);
	heap_make(rd);
	return 0;
}

/* Add sources for the rings of all CPUs and for existing slots. On -ENOMEM, call sources_free(). */
int sources_init(struct reader *rd)
{
	unsigned int i = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		rd->nr_rings++;
	rd->rings = kvcalloc(rd->nr_rings, sizeof(*rd->rings), GFP_KERNEL_ACCOUNT);
	if (!rd->rings)
		return -ENOMEM;
	rd->nr = rd->nr_rings;
	for_each_possible_cpu(cpu) {
		rd->rings[i].ring = per_cpu_ptr(rd->stream->rings, cpu);
		rd->rings[i].src.number = cpu;
		rd->rings[i].src.kind = SOURCE_RING;
		i++;
	}
	if (make_room(rd, 0))
		return -ENOMEM;
	sources_restart(rd);
	return sources_follow(rd);
}

void sources_free(struct reader *rd)
{
	unsigned int i;

	for (i = 0; rd->rings && i < rd->nr_rings; i++)
		kvfree(rd->rings[i].cache);
	for (i = 0; i < ARRAY_SIZE(rd->lanes); i++)
		kvfree(rd->lanes[i]);
	kvfree(rd->rings);
	kvfree(rd->heap);
}
