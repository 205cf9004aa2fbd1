// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of the events of all lanes together, in one stream
 *
 * An event counts when it is taken. So a request first takes all events; its counts are valid at
 * some instant between the call and its return.
 */
#include <linux/minmax.h>

#include "lane.h"
#include "slot_priv.h"
#include "slot_stats.h"

/*
 * Add the events of lanes that a stream stored or dropped to @st; filtered ones are not counted
 * here. Process context.
 */
void slots_stats(const struct slots *in, struct devtrace_stats *st)
{
	unsigned int i;

	raw_spin_lock(&slots_lock);
	st->stored += in->blocks.stored;
	st->emitted += in->blocks.stored;
	st->overwritten += in->blocks.overwritten;
	for (i = 0; i < SLOT_CAUSES; i++) {
		st->dropped[i] += in->dropped[i];
		st->emitted += in->dropped[i];
	}
	st->size += (u64)in->blocks.nr * BLOCK_BYTES;
	st->used += blocks_used(&in->blocks);
	raw_spin_unlock(&slots_lock);
}

/* Number of events stored or dropped. */
u64 slots_handled(const struct slots *in)
{
	struct devtrace_stats st = { 0 };

	slots_stats(in, &st);
	return st.emitted;
}

/*
 * Number of events of lanes since the stream was created, those apart that stream 0 refused and
 * the stream did not want: these count as events of CPUs.
 */
u64 slots_emitted(const struct slots *in)
{
	const u64 handled = slots_handled(&slots0);
	u64 before;

	raw_spin_lock(&slots_lock);
	before = in->before;
	raw_spin_unlock(&slots_lock);
	return handled - before;
}

/* Bytes of all blocks filled so far. */
u64 slots_position(const struct slots *in)
{
	u64 pos = 0;

	raw_spin_lock(&slots_lock);
	if (in->blocks.nr)
		pos = (in->blocks.head - slots_first_block) * BLOCK_BYTES;
	raw_spin_unlock(&slots_lock);
	return pos;
}
