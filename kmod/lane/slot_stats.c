// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of the events of all lanes together
 *
 * An event counts when it is taken. So a request first takes all events; its counts are valid at
 * some instant between the call and its return.
 */
#include <linux/minmax.h>

#include "lane.h"
#include "slot_priv.h"
#include "slot_stats.h"

/* Add the events of lanes to @st, but not the filtered ones, which CPUs count. Process context. */
void slots_stats(struct devtrace_stats *st)
{
	unsigned int i;

	raw_spin_lock(&slots_lock);
	st->stored += slots_blocks.stored;
	st->emitted += slots_blocks.stored;
	st->overwritten += slots_blocks.overwritten;
	for (i = 0; i < SLOT_CAUSES; i++) {
		st->dropped[i] += slots_dropped[i];
		st->emitted += slots_dropped[i];
	}
	st->size += (u64)slots_blocks.nr * BLOCK_BYTES;
	st->used += blocks_used(&slots_blocks);
	raw_spin_unlock(&slots_lock);
}

/* Number of events stored or dropped. */
u64 slots_handled(void)
{
	struct devtrace_stats st = { 0 };

	slots_stats(&st);
	return st.emitted;
}

/* Bytes of all blocks filled so far. */
u64 slots_position(void)
{
	u64 pos = 0;

	raw_spin_lock(&slots_lock);
	if (slots_blocks.nr)
		pos = (slots_blocks.head - slots_first_block) * BLOCK_BYTES;
	raw_spin_unlock(&slots_lock);
	return pos;
}
