// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set of a reader's sources
 *
 * The set has the ring of each possible CPU from the beginning. A reader of stream 0 adds each slot
 * that ever had a lane when it finds the slot.
 *
 * Invariants: Sources are never removed. A new slot has no event older than the events that the
 * reader gave before it looked for slots. stream_reader(), which may run at the same time, finds as
 * many sources as rd->nr says.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "heap.h"
#include "reader_priv.h"
#include "source.h"
#include "sources.h"
#include "stream/stream.h"

static int make_chunk(struct reader *rd, unsigned int chunk)
{
	struct lane_source *lanes;
	unsigned int i;

	if (rd->lanes[chunk])
		return 0;
	lanes = kvcalloc(SLOTS_CHUNK, sizeof(*lanes), GFP_KERNEL_ACCOUNT);
	if (!lanes)
		return -ENOMEM;
	for (i = 0; i < SLOTS_CHUNK; i++) {
		lanes[i].slot = chunk * SLOTS_CHUNK + i;
		lanes[i].src.number = nr_cpu_ids + lanes[i].slot;
		lanes[i].src.kind = SOURCE_LANE;
	}
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
	kvfree(rd->heap);
	rd->heap = heap;
	rd->room = rd->nr_rings + chunks * SLOTS_CHUNK;
	return 0;
}

static void fill_heap(struct reader *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr; i++)
		rd->heap[i].src = reader_source(rd, i);
	heap_make(rd);
}

/* Add sources for new slots. Return 0 or -ENOMEM. */
int sources_follow(struct reader *rd)
{
	unsigned int i, nr = reader_has_lanes(rd) ? slots_nr() : 0;
	int err;

	if (nr == reader_nr_lanes(rd))
		return 0;
	err = make_room(rd, nr);
	if (err)
		return err;
	for (i = reader_nr_lanes(rd); i < nr; i++)
		lane_source_begin(reader_lane(rd, i), rd->last);
	/*
	 * LMM(reader_nr:A): If stream_reader() reads this number, then it reads the sources
	 * that it counts. Pairs with reader_nr:B.
	 */
	smp_store_release(&rd->nr, rd->nr_rings + nr);
	fill_heap(rd);
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
	fill_heap(rd);
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
