// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of a lane is not taken yet
 *
 * Also compiled on the host.
 */
#include "lane_read.h"

/**
 * lane_untaken_bytes() - how much stands behind a place, as far as its thread says
 * @m: the lane
 * @p: the place
 */
u32 lane_untaken_bytes(const struct lane_mem *m, const struct lane_place *p)
{
	const u32 open = READ_ONCE(lane_head(m)->open), blocks = open - p->block;
	const u32 off = p->off ?: LANE_HEADER;
	u32 used;

	if (lane_nothing_yet(open, p))
		return 0;
	used = READ_ONCE(lane_block(m, open)->used);
	if (used > DEVTRACE_LANE_BLOCK)
		used = DEVTRACE_LANE_BLOCK;
	if (blocks >= m->nr)
		return m->nr * DEVTRACE_LANE_BLOCK;
	return blocks * DEVTRACE_LANE_BLOCK + used > off ?
	       blocks * DEVTRACE_LANE_BLOCK + used - off : 0;
}
