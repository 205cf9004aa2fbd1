// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other memory for the events of lanes
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "lane/blocks_resize.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "lane_resize.h"
#include "shared/shared.h"
#include "stream/quiet.h"

/* So many blocks are overwritten at a time when the ring becomes smaller. */
#define TRIM_BLOCKS	16
/**
 * slots_memory() - memory for a ring of blocks of another size
 * @bytes: of it
 * @m: filled in; what is not needed of it is given back by slots_memory_free()
 *
 * Context: process, devtrace_lock held.
 * Return: 0 or -ENOMEM.
 */
int slots_memory(unsigned long bytes, struct slots_memory *m)
{
	int err;

	memset(m, 0, sizeof(*m));
	err = devtrace_shared.slots_memory_alloc(m, slots_blocks_for(bytes));
	if (!err) {
		m->spare = kvcalloc(max(m->pages->nr, slots_blocks.nr), sizeof(*m->spare),
				    GFP_KERNEL);
		if (m->spare)
			return 0;
		devtrace_shared.slots_memory_free(m);
	}
	memset(m, 0, sizeof(*m));
	return -ENOMEM;
}

/**
 * slots_resize() - a ring of blocks of another size
 * @m: of slots_memory(); becomes what is not needed any more
 *
 * The newest blocks stay. Readers go on meanwhile; when this returns none looks at what
 * is not needed any more.
 *
 * Context: process, devtrace_lock held.
 */
void slots_resize(struct slots_memory *m)
{
	const struct slots_memory new = *m;
	bool done;

	do {
		raw_spin_lock(&slots_lock);
		done = blocks_trim(&slots_blocks, new.pages->nr, TRIM_BLOCKS);
		if (done) {
			m->pages = slots_blocks.pages;
			m->state = slots_blocks.state;
			blocks_resize(&slots_blocks, new.pages, new.state, new.spare);
		}
		raw_spin_unlock(&slots_lock);
		/* A writer of a block that has to go has preemption off, and is done soon. */
		cond_resched();
	} while (!done);
	/* Readers have preemption off while they look at a block. */
	devtrace_shared.quiet_wait_on(cpu_possible_mask);
}
