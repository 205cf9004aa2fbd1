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

/* Events before the place do not count as lost. */
static void find_lane_time(struct reader *rd, struct lane_source *s, u64 ts)
{
	run_place_t place = s->run;
	struct run r;

	while ((place = slot_next(s->slot, place, &r))) {
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

/* The caller has taken all complete events of the lanes. */
void lane_source_seek(struct reader *rd, struct lane_source *s, u64 ts)
{
	struct slot_view v;

	slot_view(s->slot, &v);
	s->at = 0;
	s->len = 0;
	if (ts == U64_MAX)
		s->run = slot_end(s->slot, &s->idx);
	else
		s->run = slot_cleared(s->slot, &s->idx, ts ? NULL : &v);
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

	run = slot_cleared(s->slot, &idx, NULL);
	if (idx <= s->idx)
		return;
	s->src.cleared += idx - s->idx;
	s->idx = idx;
	s->run = run;
	s->at = 0;
	s->len = 0;
	source_set_ready(rd, &s->src, false);
}

/*
 * Set the place in a slot that is new to the reader. @s is zeroed except for its slot and number;
 * no event is older than @key. Cleared events are reported as cleared.
 */
void lane_source_begin(struct lane_source *s, u64 key)
{
	s->run = slot_cleared(s->slot, &s->idx, NULL);
	s->src.cleared = s->idx;
	s->src.key = key;
}

/* Has this slot unread events? The reader may not know the slot yet. */
static bool slot_unread(const struct reader *rd, unsigned int slot, u64 bytes)
{
	const struct lane_source *s = NULL;
	struct slot_view v;

	if (slot < reader_nr_lanes(rd))
		s = reader_lane(rd, slot);
	slot_refresh(slot, &v);
	if (bytes)
		return slots_behind(slot, s ? s->run : 0, s ? s->idx : 0) >= bytes;
	return s ? v.idx != s->idx || lane_source_has_news(s, &v) : v.idx != 0;
}

/* Has a slot unread events: @percent of the ring of blocks, or any if it is 0? */
bool lane_sources_unread(const struct reader *rd, unsigned int percent)
{
	const u64 size = slots_bytes();
	unsigned int i, nr = reader_has_lanes(rd) ? slots_nr() : 0;
	u64 bytes = 0;

	/* The ring is never completely full, since room is made one block in advance. */
	if (percent && size)
		bytes = min(div_u64(size * percent, 100), size - 2 * BLOCK_BYTES);
	for (i = 0; i < nr; i++) {
		if (slot_unread(rd, i, bytes))
			return true;
		cond_resched();
	}
	return false;
}

/* Unread bytes of the ring of blocks. The reader may read meanwhile. */
u64 lane_sources_lag(const struct reader *rd)
{
	unsigned int i, nr = reader_has_lanes(rd) ? slots_nr() : 0;
	/* LMM(reader_nr:B): pairs with reader_nr:A. */
	const unsigned int known = smp_load_acquire(&rd->nr) - rd->nr_rings;
	const struct lane_source *s;
	run_place_t run;
	u64 lag = 0, idx;

	for (i = 0; i < nr; i++) {
		if (i < known) {
			s = reader_lane(rd, i);
			/* Slightly old values suffice. */
			run = data_race(s->run);
			/* See above. */
			idx = data_race(s->idx);
		} else {
			/* A reader begins here when it finds the slot. */
			run = slot_cleared(i, &idx, NULL);
		}
		lag = max(lag, slots_behind(i, run, idx));
		cond_resched();
	}
	return lag;
}
