// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring of blocks: what programs emitted, in runs
 *
 * To reserve and to commit are two steps, so that the records are copied and looked at
 * in between, beside others who do the same. A block in which somebody is still writing
 * is not overwritten: whoever would have to goes without, and tries again later.
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
	/* LMM(blocks:A): the tail before what is overwritten; pairs with blocks:B. */
	smp_wmb();
}

/**
 * blocks_evict() - the runs of the oldest block are no more
 * @b: the ring
 *
 * Return: false if somebody writes there, or it is the only one.
 */
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

/**
 * blocks_init() - no run is there
 * @b: the ring; @pages, @state and @nr are set
 * @first: number of the first block, not 0
 */
void blocks_init(struct block_ring *b, u64 first)
{
	b->head = first;
	set_tail(b, first);
	*blocks_state(b, first) = (struct block_state){ 0 };
}

/**
 * blocks_reserve() - room for a run
 * @b: the ring
 * @len: bytes of records, up to BLOCK_BYTES - sizeof(struct run)
 * @place: filled in
 *
 * Return: the run, blocks_commit() or blocks_abandon() is to follow; NULL if there
 * is no room before somebody else has done so.
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
	/* In this order: a page that outlives a reset has no run then that is half another. */
	WRITE_ONCE(r->slot, SLOT_NONE);
	WRITE_ONCE(r->block, (u16)b->head);
	if (state->fill <= BLOCK_BYTES - sizeof(*r))
		WRITE_ONCE(run_at(b, *place + extent)->extent, 0);
	WRITE_ONCE(r->extent, extent);
	state->pending++;
	return r;
}

/**
 * blocks_commit() - a run is complete
 * @b: the ring
 * @r: of blocks_reserve(); filled in but for what is told here
 * @place: its place
 * @slot: whose
 * @len: bytes of records, not more than were reserved
 * @nr: events
 */
void blocks_commit(struct block_ring *b, struct run *r, run_place_t place, unsigned int slot,
		   u32 len, u32 nr)
{
	struct chain *c = blocks_chain(b, slot);

	r->idx = c->idx;
	r->next = 0;
	r->len = len;
	r->nr = nr;
	/* Who finds it after a reset finds all of it. */
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

/**
 * blocks_abandon() - nothing is to be kept of a run
 * @b: the ring
 * @r: of blocks_reserve()
 * @place: its place
 */
void blocks_abandon(struct block_ring *b, struct run *r, run_place_t place)
{
	struct block_state *state = blocks_state(b, blocks_number(place));

	state->pending--;
	if (place % BLOCK_BYTES + r->extent == state->fill)
		state->fill -= r->extent;
}

/**
 * blocks_run() - the header of a run
 * @b: the ring
 * @place: where it is, or was
 * @r: filled in
 *
 * Return: false if it is no more.
 */
bool blocks_run(const struct block_ring *b, run_place_t place, struct run *r)
{
	if (blocks_number(place) < b->tail)
		return false;
	*r = *run_at(b, place);
	return true;
}

/**
 * blocks_used() - bytes that hold runs
 * @b: the ring
 */
u64 blocks_used(const struct block_ring *b)
{
	if (!b->nr)
		return 0;
	return (b->head - b->tail) * BLOCK_BYTES + blocks_state(b, b->head)->fill;
}

/**
 * blocks_behind() - bytes of the ring from the oldest run that was not read
 * @b: the ring
 * @slot: of this slot
 * @place: the run that was read last
 * @idx: events of the slot that were read
 *
 * Return: 0 if all were read.
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
	/* One of which all was read is not the newest. */
	if (r->idx + r->nr <= idx)
		place = r->next;
	return b->head * BLOCK_BYTES + blocks_state(b, b->head)->fill - place;
}

/**
 * blocks_trim() - overwrite the oldest blocks
 * @b: the ring
 * @nr: so that these many are left at most
 * @most: but so many at the most
 *
 * Return: whether there are not more than @nr.
 */
bool blocks_trim(struct block_ring *b, u32 nr, u32 most)
{
	while (b->head + 1 - b->tail > nr)
		if (!most-- || !blocks_evict(b))
			return false;
	return true;
}

/**
 * blocks_resize() - other memory
 * @b: the ring
 * @pages: other pages
 * @state: room for as many
 * @spare: zeroed, room for as many as the ring has
 *
 * The newest blocks stay where they are. Then @b has @pages and @state, and what it had
 * is the caller's, but for the pages of the blocks that stay. At the index of each of
 * these, @spare has the page that is not needed in its stead; a reader may still look at
 * the old array, which does not change.
 *
 * Return: false if somebody writes into a block that would have to go; nothing has
 * changed but that the oldest are overwritten.
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
	/* LMM(pages:A): the array before the pointer to it; pairs with pages:B. */
	smp_store_release(&b->pages, pages);
	b->state = state;
	b->nr = nr;
	return true;
}
