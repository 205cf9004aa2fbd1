// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader's place in the events of one slot of lanes: seek, clear and lag
 *
 * This is separate from source_lane.c because no event passes through it.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "heap.h"
#include "lane/lane_awake.h"
#include "lane/take.h"
#include "reader_priv.h"
#include "source.h"
#include "source_lane.h"

/* Go to the first event of the run that is not older than @ts. */
static void find_in_run(struct reader *rd, struct lane_source *s, u64 ts)
{
	u32 at = s->at;
	u64 time = s->time;
	u16 cpu = s->ev.cpu;

	while (lane_source_look(rd, s)) {
		if (s->src.key >= ts) {
			s->at = at;
			s->time = time;
			s->ev.cpu = cpu;
			s->plain = false;
			return;
		}
		s->idx++;
		at = s->at;
		time = s->time;
		cpu = s->ev.cpu;
	}
}

/* Go to the first run with an event at or after @ts. Events before it do not count as lost. */
static void find_lane_time(struct reader *rd, struct lane_source *s, u64 ts)
{
	run_place_t place = s->run;
	struct run r;

	while ((place = slot_next(reader_slots(rd), s->slot, place, &r))) {
		cond_resched();
		if (fatal_signal_pending(current))
			return;
		lane_source_enter(rd, s, place, &r);
		if (r.hi >= ts) {
			find_in_run(rd, s, ts);
			return;
		}
		s->at = s->len;
		s->idx = r.idx + r.nr;
	}
}

/* Move the source; the caller has collected all complete events of the lanes. */
void lane_source_seek(struct reader *rd, struct lane_source *s, u64 ts)
{
	const struct slots *in = reader_slots(rd);
	struct slot_view v;

	s->at = 0;
	s->len = 0;
	if (ts) {
		slot_view(in, s->slot, &v);
		s->run = ts == U64_MAX ? slot_end(in, s->slot, &s->idx) :
			 slot_cleared(in, s->slot, &s->idx, NULL);
	} else {
		s->run = slot_cleared(in, s->slot, &s->idx, &v);
	}
	s->bad = v.bad;
	memcpy(s->drops, v.dropped, sizeof(s->drops));
	if (!ts || ts == U64_MAX)
		return;
	s->idx = v.idx;
	find_lane_time(rd, s, ts);
}

void lane_source_clear(struct reader *rd, struct lane_source *s)
{
	run_place_t run;
	u64 idx;

	run = slot_cleared(reader_slots(rd), s->slot, &idx, NULL);
	if (idx <= s->idx)
		return;
	s->src.cleared += idx - s->idx;
	s->idx = idx;
	s->run = run;
	s->at = 0;
	s->len = 0;
	source_set_ready(rd, &s->src, false);
}

/**
 * lane_source_init() - initialize a source that has read nothing
 * @s: the source, in uninitialized memory, because clearing whole pages would take longer
 * @slot: its slot
 */
void lane_source_init(struct lane_source *s, unsigned int slot)
{
	*s = (struct lane_source){
		.src	= { .number = nr_cpu_ids + slot, .kind = SOURCE_LANE },
		.slot	= slot,
		.ev.cpu	= DEVTRACE_LANE_NO_CPU,
	};
}

/*
 * Set the place in a slot that is new to the reader. @s was initialized by lane_source_init(); no
 * event of the slot is older than @key. Events that were cleared are reported as cleared.
 */
void lane_source_begin(const struct reader *rd, struct lane_source *s, u64 key)
{
	s->run = slot_cleared(reader_slots(rd), s->slot, &s->idx, NULL);
	s->src.cleared = s->idx;
	s->src.key = key;
}

/* Does this slot have unread events? The reader has no source for the slot yet. */
static bool new_slot_unread(const struct slots *in, unsigned int slot, u64 bytes)
{
	struct slot_view v;

	slot_refresh(in, slot, &v);
	return bytes ? slots_behind(in, slot, 0, 0) >= bytes : v.idx;
}

/* Has this lane unread events? */
static bool lane_source_unread(const struct slots *in, struct lane_source *s, u64 bytes)
{
	struct slot_view v;
	bool unread;

	slot_refresh(in, s->slot, &v);
	unread = v.idx != s->idx || lane_source_has_news(s, &v);
	s->idle = !unread && !s->src.ready && !v.busy && !lane_awake_may(s->slot);
	return bytes ? slots_behind(in, s->slot, s->run, s->idx) >= bytes : unread;
}

/* Has one of the lanes in the heap unread events? */
static bool listed_unread(struct reader *rd, u64 bytes)
{
	struct source *src;
	unsigned int i;

	for (i = 0; i < rd->nr_heap; i++) {
		src = rd->heap[i].src;
		if (!source_is_lane(src))
			continue;
		if (lane_source_unread(reader_slots(rd), lane_source(src), bytes))
			return true;
		cond_resched();
	}
	return false;
}

/**
 * lane_sources_unread() - does a slot have unread events?
 * @rd: the reader; the caller has called sources_look()
 * @percent: require this part of the ring of blocks to be unread; 0: any event
 */
bool lane_sources_unread(struct reader *rd, unsigned int percent)
{
	const struct slots *in = reader_slots(rd);
	const u64 size = slots_bytes(in);
	unsigned int i, nr = slots_nr_of(in);
	u64 bytes = 0;
	bool unread;

	/*
	 * The ring of blocks is never completely full, because room is made one block in advance.
	 */
	if (percent && size)
		bytes = min(div_u64(size * percent, 100), size - 2 * BLOCK_BYTES);
	if (!nr)
		return false;
	unread = listed_unread(rd, bytes);
	heap_drop_idle(rd);
	for (i = reader_nr_lanes(rd); !unread && i < nr; i++) {
		unread = new_slot_unread(in, i, bytes);
		cond_resched();
	}
	return unread;
}

/* Return the number of unread bytes in the ring of blocks. The reader may read meanwhile. */
u64 lane_sources_lag(const struct reader *rd)
{
	const struct slots *in = reader_slots(rd);
	unsigned int i, nr = slots_nr_of(in);
	/* LMM(reader_nr:B): pairs with reader_nr:A. */
	const unsigned int known = smp_load_acquire(&rd->nr) - rd->nr_rings;
	const struct lane_source *s;
	run_place_t run;
	u64 lag = 0, idx;

	for (i = 0; i < nr; i++) {
		if (i < known) {
			s = reader_lane(rd, i);
			/*
			 * The reader may change this value at the same time; a slightly older
			 * value suffices.
			 */
			run = data_race(s->run);
			/* see the comment on run */
			idx = data_race(s->idx);
		} else {
			/* The reader will begin at this place when it finds the slot. */
			run = slot_cleared(in, i, &idx, NULL);
		}
		lag = max(lag, slots_behind(in, i, run, idx));
		cond_resched();
	}
	return lag;
}
