// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other memory for a ring of blocks
 *
 * As blocks.c, this file knows nothing of threads, files and locks, and runs on the host too.
 */
#include "blocks.h"
#include "blocks_resize.h"

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
