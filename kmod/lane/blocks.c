// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of blocks: events of programs, in runs
 *
 * Reserving and committing are two steps: in between, a caller copies and checks the records
 * without the lock. A block with an uncommitted run is not evicted: a caller that would have to
 * evict it fails, and tries again later.
 */
#include "blocks.h"

static struct run *run_at(const struct block_ring *b, run_place_t place)
{
	return (struct run *)(blocks_page(b, blocks_number(place)) + place % BLOCK_BYTES);
}

static u32 extent_of(u32 len)
{
	return sizeof(struct run) + ((len + 7) & ~7U);
}

static void set_tail(struct block_ring *b, u64 tail)
{
	b->tail = tail;
	WRITE_ONCE(b->tail_low, (tail_low_t)tail);
	/*
	 * LMM(blocks:A): If a reader reads a word that a later run overwrites, then it reads
	 * this tail or a later one afterwards. Pairs with blocks:B.
	 */
	smp_wmb();
}

/* Evict the runs of the oldest block; false: it has an uncommitted run, or is the only block. */
bool blocks_evict(struct block_ring *b)
{
	const struct block_state *state = blocks_state(b, b->tail);
	const u8 *page = blocks_page(b, b->tail);
	const struct run *r;
	struct chain *c;
	u32 off;

	if (state->pending || b->tail == b->head)
		return false;
	for (off = 0; off < state->fill; off += r->extent) {
		r = (const void *)(page + off);
		if (r->slot == SLOT_NONE)
			continue;
		c = blocks_chain(b, r->slot);
		c->first = r->next;
		if (!r->next)
			c->last = 0;
		b->overwritten += r->nr;
	}
	set_tail(b, b->tail + 1);
	return true;
}

/* Make an empty ring; @pages, @state and @nr are set. @first: number of the first block, not 0. */
void blocks_init(struct block_ring *b, u64 first)
{
	b->head = first;
	set_tail(b, first);
	*blocks_state(b, first) = (struct block_state){ 0 };
}

/**
 * blocks_reserve() - reserve room for a run
 * @b: the ring
 * @len: bytes of records, up to BLOCK_BYTES - sizeof(struct run)
 * @place: filled in
 *
 * Return: the run, to be passed to blocks_commit() or blocks_abandon(); NULL if there is no
 *	room until another caller has passed its run to one of them.
 */
struct run *blocks_reserve(struct block_ring *b, u32 len, run_place_t *place)
{
	const u32 extent = extent_of(len);
	struct block_state *state = blocks_state(b, b->head);
	struct run *r;

	if (state->fill + extent > BLOCK_BYTES) {
		if (b->head + 1 - b->tail >= b->nr && !blocks_evict(b))
			return NULL;
		b->head++;
		state = blocks_state(b, b->head);
		state->fill = 0;
		state->pending = 0;
	}
	*place = b->head * BLOCK_BYTES + state->fill;
	r = run_at(b, *place);
	state->fill += extent;
	/*
	 * A reset may come between two of these stores. In this order, what it leaves is never a
	 * run that mixes old and new members and has a valid slot.
	 */
	WRITE_ONCE(r->slot, SLOT_NONE);
	WRITE_ONCE(r->block, (u16)b->head);
	if (state->fill <= BLOCK_BYTES - sizeof(*r))
		WRITE_ONCE(run_at(b, *place + extent)->extent, 0);
	WRITE_ONCE(r->extent, extent);
	state->pending++;
	return r;
}

/**
 * blocks_commit() - make a run visible
 * @b: the ring
 * @r: from blocks_reserve(); the caller has filled in the members not set here
 * @place: its place
 * @slot: slot of the lane
 * @len: bytes of records, at most as reserved
 * @nr: number of events
 */
void blocks_commit(struct block_ring *b, struct run *r, run_place_t place, unsigned int slot,
		   u32 len, u32 nr)
{
	struct chain *c = blocks_chain(b, slot);

	r->idx = c->idx;
	r->next = 0;
	r->len = len;
	r->nr = nr;
	/*
	 * If a reset preserves this slot number, it also preserves all earlier stores to the run.
	 * No barrier of a reader pairs with this one.
	 */
	smp_store_release(&r->slot, slot);
	if (c->last)
		run_at(b, c->last)->next = place;
	else
		c->first = place;
	c->last = place;
	c->idx += nr;
	b->stored += nr;
	blocks_state(b, blocks_number(place))->pending--;
}

/* Give up a run of blocks_reserve(). */
void blocks_abandon(struct block_ring *b, struct run *r, run_place_t place)
{
	struct block_state *state = blocks_state(b, blocks_number(place));

	state->pending--;
	if (place % BLOCK_BYTES + r->extent == state->fill)
		state->fill -= r->extent;
}

/* Copy the header of the run at @place; false: it was evicted. */
bool blocks_run(const struct block_ring *b, run_place_t place, struct run *r)
{
	if (blocks_number(place) < b->tail)
		return false;
	*r = *run_at(b, place);
	return true;
}

/* Bytes in use by runs. */
u64 blocks_used(const struct block_ring *b)
{
	if (!b->nr)
		return 0;
	return (b->head - b->tail) * BLOCK_BYTES + blocks_state(b, b->head)->fill;
}

/*
 * Return how many bytes of the ring there are from a slot's oldest unread run to the end; 0: all
 * was read. @place: the run that was read last; @idx: number of the slot's events that were read.
 */
u64 blocks_behind(const struct block_ring *b, unsigned int slot, run_place_t place, u64 idx)
{
	const struct chain *c = blocks_chain(b, slot);
	const struct run *r;

	if (c->idx == idx || !c->first)
		return 0;
	if (blocks_number(place) < b->tail)
		place = c->first;
	r = (const void *)(blocks_page(b, blocks_number(place)) + place % BLOCK_BYTES);
	/* All of this run was read, so the oldest unread run is the next one. */
	if (r->idx + r->nr <= idx)
		place = r->next;
	return b->head * BLOCK_BYTES + blocks_state(b, b->head)->fill - place;
}

/* Evict at most @most of the oldest blocks. Return true if at most @nr blocks are left. */
bool blocks_trim(struct block_ring *b, u32 nr, u32 most)
{
	while (b->head + 1 - b->tail > nr)
		if (!most-- || !blocks_evict(b))
			return false;
	return true;
}

/**
 * blocks_resize() - give the ring other memory
 * @b: the ring
 * @pages: the new pages
 * @state: array for the state of as many blocks
 * @spare: zeroed array, for as many pages as the ring has
 *
 * The newest blocks stay in their pages. Afterwards @b uses @pages and @state. The caller owns the
 * old arrays, and their pages except those of the blocks that stay. For each block that stays,
 * @spare has an unused new page at the same index. A reader may still use the old array of pages,
 * which does not change.
 *
 * Return: false if a block to evict has an uncommitted run. Then only older blocks were evicted.
 */
bool blocks_resize(struct block_ring *b, struct block_pages *pages, struct block_state *state,
		   u8 **spare)
{
	const u32 nr = pages->nr;
	u64 n;

	while (b->head + 1 - b->tail > nr)
		if (!blocks_evict(b))
			return false;
	for (n = b->tail; n <= b->head; n++) {
		spare[n & (b->nr - 1)] = pages->at[n & (nr - 1)];
		pages->at[n & (nr - 1)] = blocks_page(b, n);
		state[n & (nr - 1)] = *blocks_state(b, n);
	}
	/*
	 * LMM(pages:A): If a reader reads this pointer, then it reads the contents of the array.
	 * Pairs with pages:B.
	 */
	smp_store_release(&b->pages, pages);
	b->state = state;
	b->nr = nr;
	return true;
}
