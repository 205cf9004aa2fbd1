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
#include "slot_priv.h"
#include "stream/stream.h"
#include "stream/table.h"

DEFINE_RAW_SPINLOCK(slots_lock);
struct block_ring slots_blocks;
struct slot *slots_chunks[SLOTS_MAX / SLOTS_CHUNK];
u64 slots_dropped[SLOT_CAUSES];
/* Readers begin with look 0. */
u64 slots_next_look = 1, slots_newest_change, slots_chunk_changes[SLOTS_MAX / SLOTS_CHUNK];

/* Bits of slots in use; protected by slots_lock. */
static DECLARE_BITMAP(taken, SLOTS_MAX);
static unsigned int nr_slots;		/* only grows; all slots below exist */

u64 slots_first_block = 1;

/* Memory for one chunk of slots. */
struct chunk {
	struct chain	chains[SLOTS_CHUNK];
	struct slot	slots[SLOTS_CHUNK];
};

void slot_note_change(unsigned int slot)
{
	slot_at(slot)->change = slots_next_look;
	slots_chunk_changes[slot / SLOTS_CHUNK] = slots_next_look;
	slots_newest_change = slots_next_look;
}

/*
 * Allocate a free slot; return SLOTS_MAX if there is none. If the slot's chunk does not exist yet,
 * it becomes *@spare. slots_lock held.
 */
static unsigned int take_slot(struct chunk **spare)
{
	const unsigned int slot = find_first_zero_bit(taken, SLOTS_MAX);
	const unsigned int chunk = slot / SLOTS_CHUNK;

	if (slot == SLOTS_MAX)
		return slot;
	if (!slots_chunks[chunk]) {
		if (!*spare)
			return slot;
		slots_blocks.chains[chunk] = (*spare)->chains;
		slots_chunks[chunk] = (*spare)->slots;
		*spare = NULL;
	}
	__set_bit(slot, taken);
	if (slot >= nr_slots)
		/*
		 * LMM(slot_nr:A): If a reader reads this number, then it reads the pointer to
		 * the chunk. Pairs with slot_nr:B and slot_nr:C.
		 */
		smp_store_release(&nr_slots, slot + 1);
	return slot;
}

/* Allocate a slot for a lane and set @l->slot. Return 0, -ENOSPC or -ENOMEM. */
int slot_get(struct lane *l)
{
	struct chunk *spare = NULL;
	unsigned int slot;
	bool got;

	do {
		raw_spin_lock(&slots_lock);
		slot = take_slot(&spare);
		got = slot < SLOTS_MAX && slots_chunks[slot / SLOTS_CHUNK];
		raw_spin_unlock(&slots_lock);
		if (got || slot == SLOTS_MAX)
			break;
		spare = kvzalloc(sizeof(*spare), GFP_KERNEL);
	} while (spare);
	kvfree(spare);
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
	s->begin_idx = blocks_chain(&slots_blocks, l->slot)->idx;
	s->before = blocks_chain(&slots_blocks, l->slot)->last;
	memcpy(s->begin_dropped, s->dropped, sizeof(s->dropped));
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
	if (slot >= smp_load_acquire(&nr_slots))
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

/* Number of slots; it only grows. */
unsigned int slots_nr(void)
{
	/* LMM(slot_nr:C): pairs with slot_nr:A. */
	return smp_load_acquire(&nr_slots);
}

/* Take a snapshot of a slot. */
void slot_view(unsigned int slot, struct slot_view *v)
{
	const struct slot *s = slot_at(slot);
	const struct lane *l;
	bool open;

	raw_spin_lock(&slots_lock);
	l = rcu_dereference_protected(s->lane, lockdep_is_held(&slots_lock));
	/* A closed lane has no more events, though it may stay mapped. */
	open = l && !READ_ONCE(l->closed);
	if (!open)
		lane_awake_gone(slot);
	v->idx = blocks_chain(&slots_blocks, slot)->idx;
	v->floor = open ? s->floor : devtrace_clock_now() - MARGIN_NS;
	memcpy(v->dropped, s->dropped, sizeof(v->dropped));
	v->bad = s->bad;
	v->busy = open && s->busy;
	raw_spin_unlock(&slots_lock);
}

/* Copy the header of the run at @place; false: it was evicted. */
bool slot_run(run_place_t place, struct run *r)
{
	bool there;

	raw_spin_lock(&slots_lock);
	there = blocks_run(&slots_blocks, place, r);
	raw_spin_unlock(&slots_lock);
	return there;
}

/*
 * Copy the header of the slot's run after @after, or of its oldest run if @after is 0 or evicted.
 * Return the place of the run, or 0.
 */
run_place_t slot_next(unsigned int slot, run_place_t after, struct run *r)
{
	run_place_t place;

	raw_spin_lock(&slots_lock);
	if (after && blocks_run(&slots_blocks, after, r))
		place = r->next;
	else
		place = blocks_chain(&slots_blocks, slot)->first;
	if (place)
		blocks_run(&slots_blocks, place, r);
	raw_spin_unlock(&slots_lock);
	return place;
}

/* The place of the slot's newest run, or 0; set @idx to the number of events so far. */
run_place_t slot_end(unsigned int slot, u64 *idx)
{
	const struct chain *c = blocks_chain(&slots_blocks, slot);
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
run_place_t slot_cleared(unsigned int slot, u64 *idx, struct slot_view *v)
{
	const struct slot *s = slot_at(slot);
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
u64 slots_behind(unsigned int slot, run_place_t place, u64 idx)
{
	u64 bytes;

	raw_spin_lock(&slots_lock);
	bytes = blocks_behind(&slots_blocks, slot, place, idx);
	raw_spin_unlock(&slots_lock);
	return bytes;
}

/* Size of the ring of blocks. */
u64 slots_bytes(void)
{
	return (u64)READ_ONCE(slots_blocks.nr) * BLOCK_BYTES;
}

/**
 * slots_count_missed() - store how many events each slot has missed because of stops
 * @n: number of the change of state of stream 0 that just happened
 * @stops: the change is a stop: use the counts of the previous change, see stream_missed()
 *
 * For a slot that is allocated later, the zeroed memory says that it missed no event.
 *
 * Context: process, devtrace_lock held.
 */
void slots_count_missed(unsigned long n, bool stops)
{
	unsigned int i, nr = slots_nr();
	struct slot *s;

	for (i = 0; i < nr; i++) {
		s = slot_at(i);
		raw_spin_lock(&slots_lock);
		s->missed[n % STREAM_PASTS] = stops ? s->missed[(n - 1) % STREAM_PASTS] :
						      s->dropped[DEVTRACE_LOST_STOPPED];
		raw_spin_unlock(&slots_lock);
	}
}

/* Like stream_missed(): number of events that a slot missed before change @n. */
u64 slot_missed(unsigned int slot, unsigned long n)
{
	const struct slot *s = slot_at(slot);
	u64 missed;

	raw_spin_lock(&slots_lock);
	missed = s->dropped[DEVTRACE_LOST_STOPPED];
	/* Only 32 bits are stored: subtract the events missed since that change. */
	missed -= (u32)missed - s->missed[n % STREAM_PASTS];
	raw_spin_unlock(&slots_lock);
	return missed;
}

struct slots_lent slots_lent;

void slots_memory_free(struct slots_memory *m)
{
	u8 *page;
	u32 i;

	for (i = 0; m->pages && i < m->pages->nr; i++) {
		page = m->spare && m->spare[i] ? m->spare[i] : m->pages->at[i];
		if (!slots_is_lent(page))
			kfree(page);
	}
	kvfree(m->pages);
	kvfree(m->state);
	kvfree(m->spare);
}

int slots_memory_alloc(struct slots_memory *m, u32 nr)
{
	const bool lent = slots_lent.on;
	u32 i;

	if (lent)
		nr = slots_lent.nr;
	m->pages = kvzalloc(struct_size(m->pages, at, nr), GFP_KERNEL);
	m->state = kvcalloc(nr, sizeof(*m->state), GFP_KERNEL);
	if (m->pages)
		m->pages->nr = nr;
	for (i = 0; m->pages && m->state && i < nr; i++) {
		m->pages->at[i] = lent ? slots_lent.at + (size_t)i * BLOCK_BYTES :
				  kzalloc(BLOCK_BYTES,
					  GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
		if (!m->pages->at[i])
			break;
		cond_resched();
	}
	if (i == nr && m->state)
		return 0;
	slots_memory_free(m);
	return -ENOMEM;
}

/*
 * Create the ring of blocks, @bytes or BLOCKS_MIN blocks large, for the first lane. On failure
 * there is no ring. Process context, devtrace_lock held, since a resize of the stream changes the
 * size.
 */
void slots_make(unsigned long bytes)
{
	struct slots_memory m = { 0 };

	lockdep_assert_held(&devtrace_lock);
	if (slots_blocks.nr || slots_memory_alloc(&m, slots_blocks_for(bytes)))
		return;
	raw_spin_lock(&slots_lock);
	/* Take the lock under which readers find runs. */
	slots_blocks.pages = m.pages;
	slots_blocks.state = m.state;
	WRITE_ONCE(slots_blocks.nr, m.pages->nr);
	blocks_init(&slots_blocks, slots_first_block);
	raw_spin_unlock(&slots_lock);
}

/* Prepare for lanes. @start: number of the first block - 1; tests pass a number near the wrap. */
void slots_init(u32 start)
{
	slots_first_block = (u64)start + 1;
}

/* Called when no lane and no reader is left. */
void slots_exit(void)
{
	struct slots_memory m = { .pages = slots_blocks.pages, .state = slots_blocks.state };
	unsigned int i;

	slots_memory_free(&m);
	/* The chains are the first member of a chunk, so this frees the whole chunk. */
	for (i = 0; i < ARRAY_SIZE(slots_chunks); i++)
		kvfree(slots_blocks.chains[i]);
}
