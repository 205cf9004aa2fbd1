// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots: the events of lanes, as readers and statistics see them
 *
 * A slot has a number, a chain of runs in the ring of blocks, and counters. A run is a sequence of
 * records of one lane, within one block. Slots are allocated in chunks and reused, the lowest
 * number first, so there are only as many as lanes ever existed at once.
 */
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "lane.h"
#include "lane_awake.h"
#include "ring/clock.h"
#include "slot.h"
#include "slot_memory.h"
#include "slot_priv.h"
#include "stream/stream.h"
#include "stream/table.h"

/* Readers begin with look 0. */
u64 slots_next_look = 1, slots_newest_change, slots_chunk_changes[SLOTS_MAX / SLOTS_CHUNK];

/* Bits of slots in use; protected by slots_lock. */
static DECLARE_BITMAP(taken, SLOTS_MAX);

void slot_note_change(unsigned int slot)
{
	slot_at(slot)->change = slots_next_look;
	slots_chunk_changes[slot / SLOTS_CHUNK] = slots_next_look;
	slots_newest_change = slots_next_look;
}

/* With slots_lock held: the slot has memory in all streams. */
static void set_taken(unsigned int slot)
{
	unsigned int id;

	__set_bit(slot, taken);
	if (slot < slots_made)
		return;
	for (id = 0; id < DEVTRACE_STREAMS_MAX; id++)
		if (slots_all[id] && slots_all[id]->blocks.nr)
			slots_set_nr(slots_all[id], slot + 1);
	/*
	 * LMM(slot_nr:A): If a reader reads this number, then it reads the pointer to the chunk.
	 * Pairs with slot_nr:B and slot_nr:C.
	 */
	smp_store_release(&slots_made, slot + 1);
}

/* Allocate a slot for a lane and set @l->slot. Return 0, -ENOSPC or -ENOMEM. */
int slot_get(struct lane *l)
{
	struct slots_spare spare = { 0 };
	unsigned int slot;
	bool got;

	do {
		raw_spin_lock(&slots_lock);
		slot = find_first_zero_bit(taken, SLOTS_MAX);
		got = slot < SLOTS_MAX && slots_have_chunks(slot / SLOTS_CHUNK, &spare);
		if (got)
			set_taken(slot);
		raw_spin_unlock(&slots_lock);
	} while (!got && slot < SLOTS_MAX && slots_spare_alloc(&spare));
	slots_spare_free(&spare);
	if (!got)
		return slot == SLOTS_MAX ? -ENOSPC : -ENOMEM;
	l->slot = slot;
	return 0;
}

/* From now on, events of the lane may be taken. */
void slot_open(struct lane *l)
{
	struct slot *s = slot_at(l->slot);

	raw_spin_lock(&slots_lock);
	/* Read the clock under the lock: a reader that found no lane has read an earlier time. */
	l->made = devtrace_clock_now();
	l->floor = max(s->floor, l->made);
	s->floor = l->floor;
	s->busy = false;
	s->begin_idx = blocks_chain(&slots0.blocks, l->slot)->idx;
	s->before = blocks_chain(&slots0.blocks, l->slot)->last;
	memcpy(s->begin_dropped, slot_part(&slots0, l->slot)->dropped, sizeof(s->begin_dropped));
	rcu_assign_pointer(s->lane, l);
	lane_awake_open(l);
	slot_changed(l->slot);
	raw_spin_unlock(&slots_lock);
}

/*
 * Free the slot of a lane. Code that found the lane in the slot may use it until a grace period is
 * over.
 */
void slot_put(struct lane *l)
{
	struct slot *s = slot_at(l->slot);

	raw_spin_lock(&slots_lock);
	if (rcu_access_pointer(s->lane) == l)
		RCU_INIT_POINTER(s->lane, NULL);
	__clear_bit(l->slot, taken);
	raw_spin_unlock(&slots_lock);
}

/* The lane of a slot, or NULL. rcu_read_lock() held. */
struct lane *slot_lane(unsigned int slot)
{
	/* LMM(slot_nr:B): pairs with slot_nr:A. */
	if (slot >= smp_load_acquire(&slots_made))
		return NULL;
	return rcu_dereference(slot_at(slot)->lane);
}

/* The lane of a slot with a reference for lane_put(), or NULL. */
struct lane *slot_lane_get(unsigned int slot)
{
	struct lane *l;

	/* A thread preempted in an RCU section would delay every grace period. */
	preempt_disable();
	rcu_read_lock();
	l = slot_lane(slot);
	if (l && !kref_get_unless_zero(&l->ref))
		l = NULL;
	rcu_read_unlock();
	preempt_enable();
	return l;
}

/* Number of slots that a stream has memory for; it only grows. */
unsigned int slots_nr_of(const struct slots *in)
{
	/* LMM(slot_nr:E): pairs with slot_nr:D. */
	return smp_load_acquire(&in->nr);
}

/* Take a snapshot of a slot of a stream. */
void slot_view(const struct slots *in, unsigned int slot, struct slot_view *v)
{
	const struct slot_part *part = slot_part(in, slot);
	const struct slot *s = slot_at(slot);
	const struct lane *l;
	bool open;

	raw_spin_lock(&slots_lock);
	l = rcu_dereference_protected(s->lane, lockdep_is_held(&slots_lock));
	/* A closed lane has no more events, though it may stay mapped. */
	open = l && !READ_ONCE(l->closed);
	if (!open)
		lane_awake_gone(slot);
	v->idx = blocks_chain(&in->blocks, slot)->idx;
	v->floor = open ? s->floor : devtrace_clock_now() - MARGIN_NS;
	memcpy(v->dropped, part->dropped, sizeof(v->dropped));
	v->bad = part->bad;
	v->busy = open && s->busy;
	raw_spin_unlock(&slots_lock);
}

/* Copy the header of the run at @place; false: it was evicted. */
bool slot_run(const struct slots *in, run_place_t place, struct run *r)
{
	bool there;

	raw_spin_lock(&slots_lock);
	there = blocks_run(&in->blocks, place, r);
	raw_spin_unlock(&slots_lock);
	return there;
}

/*
 * Copy the header of the slot's run after @after, or of its oldest run if @after is 0 or evicted.
 * Return the place of the run, or 0.
 */
run_place_t slot_next(const struct slots *in, unsigned int slot, run_place_t after, struct run *r)
{
	run_place_t place;

	raw_spin_lock(&slots_lock);
	if (after && blocks_run(&in->blocks, after, r))
		place = r->next;
	else
		place = blocks_chain(&in->blocks, slot)->first;
	if (place)
		blocks_run(&in->blocks, place, r);
	raw_spin_unlock(&slots_lock);
	return place;
}

/* The place of the slot's newest run, or 0; set @idx to the number of events so far. */
run_place_t slot_end(const struct slots *in, unsigned int slot, u64 *idx)
{
	const struct chain *c = blocks_chain(&in->blocks, slot);
	run_place_t place;

	raw_spin_lock(&slots_lock);
	place = c->last;
	*idx = c->idx;
	raw_spin_unlock(&slots_lock);
	return place;
}

/*
 * The place of the slot's newest run at the last clear, or 0. Set @idx to the number of events
 * before the clear and, unless NULL, @v to the drops and the number of invalid lanes then.
 */
run_place_t slot_cleared(const struct slots *in, unsigned int slot, u64 *idx,
			 struct slot_view *v)
{
	const struct slot_part *s = slot_part(in, slot);
	run_place_t place;

	raw_spin_lock(&slots_lock);
	place = s->cleared;
	*idx = s->cleared_idx;
	if (v) {
		memcpy(v->dropped, s->cleared_dropped, sizeof(v->dropped));
		v->bad = s->cleared_bad;
	}
	raw_spin_unlock(&slots_lock);
	return place;
}

/* Bytes of the ring from a slot's oldest unread run to the end: see blocks_behind(). */
u64 slots_behind(const struct slots *in, unsigned int slot, run_place_t place, u64 idx)
{
	u64 bytes;

	raw_spin_lock(&slots_lock);
	bytes = blocks_behind(&in->blocks, slot, place, idx);
	raw_spin_unlock(&slots_lock);
	return bytes;
}

/* Size of the stream's ring of blocks. */
u64 slots_bytes(const struct slots *in)
{
	return (u64)READ_ONCE(in->blocks.nr) * BLOCK_BYTES;
}

/**
 * slots_count_missed() - store how many events each slot has missed because of stops
 * @in: of the stream
 * @n: number of the stream's change of state that just happened
 * @stops: the change is a stop: use the counts of the previous change, see stream_missed()
 *
 * For a slot that is allocated later, the zeroed memory says that it missed no event.
 *
 * Context: process, devtrace_lock held.
 */
void slots_count_missed(struct slots *in, unsigned long n, bool stops)
{
	unsigned int i, nr = slots_nr_of(in);
	struct slot_part *s;

	for (i = 0; i < nr; i++) {
		s = slot_part(in, i);
		raw_spin_lock(&slots_lock);
		s->missed[n % STREAM_PASTS] = stops ? s->missed[(n - 1) % STREAM_PASTS] :
						      s->dropped[DEVTRACE_LOST_STOPPED];
		raw_spin_unlock(&slots_lock);
	}
}

/* Like stream_missed(): number of events that a slot missed before change @n. */
u64 slot_missed(const struct slots *in, unsigned int slot, unsigned long n)
{
	const struct slot_part *s = slot_part(in, slot);
	u64 missed;

	raw_spin_lock(&slots_lock);
	missed = s->dropped[DEVTRACE_LOST_STOPPED];
	/* Only 32 bits are stored: subtract the events missed since that change. */
	missed -= (u32)missed - s->missed[n % STREAM_PASTS];
	raw_spin_unlock(&slots_lock);
	return missed;
}

/* Prepare for lanes. @start: number of the first block - 1; tests pass a number near the wrap. */
void slots_init(u32 start)
{
	slots_first_block = (u64)start + 1;
}
