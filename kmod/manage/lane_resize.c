// SPDX-License-Identifier: GPL-2.0-only
/* Resize the ring of blocks */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "lane/blocks.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "lane_resize.h"
#include "stream/quiet.h"
#include "stream/stream.h"
#include "stream/table.h"

/* Number of blocks evicted under one hold of the lock when the ring shrinks. */
#define TRIM_BLOCKS	16

/*
 * Allocate memory for another size of a stream's ring of blocks; free the unused rest with
 * slots_memory_free(). Return 0 or -ENOMEM. devtrace_lock held.
 */
int slots_memory(const struct slots *in, unsigned long bytes, struct slots_memory *m)
{
	int err;

	memset(m, 0, sizeof(*m));
	err = slots_memory_alloc(m, slots_blocks_for(bytes), in == &slots0 && slots_lent.on);
	if (!err) {
		m->spare = kvcalloc(max(m->pages->nr, in->blocks.nr), sizeof(*m->spare),
				    GFP_KERNEL);
		if (m->spare)
			return 0;
		slots_memory_free(m);
	}
	memset(m, 0, sizeof(*m));
	return -ENOMEM;
}

/*
 * Let a stream's ring of blocks use the memory @m that slots_memory() allocated; afterwards @m has
 * the memory that is no longer used. The newest blocks stay. Readers continue meanwhile; on return,
 * no reader uses the old memory. devtrace_lock held.
 */
void slots_resize(struct slots *in, struct slots_memory *m)
{
	const struct slots_memory new = *m;
	bool done;

	do {
		raw_spin_lock(&slots_lock);
		done = blocks_trim(&in->blocks, new.pages->nr, TRIM_BLOCKS);
		if (done) {
			m->pages = in->blocks.pages;
			m->state = in->blocks.state;
			blocks_resize(&in->blocks, new.pages, new.state, new.spare);
		}
		raw_spin_unlock(&slots_lock);
		/* If a writer is in a block, try again: it has preemption off and finishes soon. */
		cond_resched();
	} while (!done);
	/* Wait for readers, which have preemption off while they look at a block. */
	quiet_wait_on(cpu_possible_mask);
}

/* Copy a block to its new page. Readers find the same events in both pages. */
static int settle_block(struct block_pages *pages, u32 i, u8 **old)
{
	bool done;
	u8 *to;

	if (slots_is_lent(pages->at[i]) == slots_lent.on)
		return 0;
	to = slots_lent.on ? slots_lent.at + (size_t)i * BLOCK_BYTES :
			     kzalloc(BLOCK_BYTES, GFP_KERNEL);
	if (!to)
		return -ENOMEM;
	do {
		raw_spin_lock(&slots_lock);
		/*
		 * If a writer is in the block, try again: it has preemption off and finishes soon.
		 */
		done = !slots0.blocks.state[i].pending;
		if (done) {
			*old = pages->at[i];
			memcpy(to, *old, BLOCK_BYTES);
			/*
			 * If a reader reads this pointer, then it reads the copy, as for
			 * LMM(pages:A).
			 */
			smp_store_release(&pages->at[i], to);
		}
		raw_spin_unlock(&slots_lock);
		cond_resched();
	} while (!done);
	return 0;
}

static int lane_resize_settle(struct block_pages *pages)
{
	u8 **old = kvcalloc(pages->nr, sizeof(*old), GFP_KERNEL);
	int err = 0;
	u32 i;

	if (!old)
		return -ENOMEM;
	for (i = 0; i < pages->nr && !err; i++)
		err = settle_block(pages, i, &old[i]);
	quiet_wait_on(cpu_possible_mask);
	for (i = 0; i < pages->nr; i++)
		if (!slots_is_lent(old[i]))
			kfree(old[i]);
	kvfree(old);
	return err;
}

/**
 * slots_lend() - move the ring of blocks of stream 0 into borrowed memory, or out of it
 * @at: the memory, zeroed; NULL: move the ring out
 * @nr: number of blocks it holds, a power of two
 *
 * The newest blocks that fit stay. If the ring of blocks does not exist yet, it is created later in
 * the borrowed memory.
 *
 * Context: process, devtrace_lock held.
 * Return: 0; on -ENOMEM, call it again with NULL until it succeeds.
 */
int slots_lend(u8 *at, u32 nr)
{
	struct slots_memory m;
	int err = 0;

	if (at) {
		slots_lent.at = at;
		slots_lent.nr = nr;
	}
	slots_lent.on = at;
	if (slots0.blocks.nr)
		err = slots_memory(&slots0, devtrace_stream0.bytes, &m);
	if (slots0.blocks.nr && !err) {
		slots_resize(&slots0, &m);
		slots_memory_free(&m);
		err = lane_resize_settle(slots0.blocks.pages);
	}
	if (!at && !err)
		slots_lent.nr = 0;
	return err;
}
