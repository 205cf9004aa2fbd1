/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may go into lanes, and what could when
 *
 * A program looks at the control page, and then at the clock; it may lose its CPU in
 * between. So when a lane is read, each event is asked for once more: whether stream 0
 * wanted its type, and stored events, at the time that it has.
 */
#ifndef DEVTRACE_LANE_FILTER_H
#define DEVTRACE_LANE_FILTER_H

#include <linux/types.h>

struct devtrace_control;

/* As many changes are remembered; the oldest has all that was wanted until then. */
#define LANE_TIMES	8

/**
 * struct lane_allowed - what stream 0 wanted when
 * @changes: how many there were
 * @nr: how many of them are here
 * @at: the newest first: from this time on ...
 * @types: ... these types
 */
struct lane_allowed {
	unsigned int	changes;
	unsigned int	nr;
	u64		at[LANE_TIMES];
	u32		types[LANE_TIMES][8];
};

/* Process context, devtrace_lock held. */
void lane_filter_narrow(const u32 *wanted, const u32 *simple);
void lane_filter_types(const u32 *wanted, const u32 *simple);
void lane_filter_state(bool runs, bool easy, u64 ts);

void lane_filter_get(struct lane_allowed *a);

/**
 * lane_filter_stored() - whether an event of a lane is to be read
 * @a: what was wanted when
 * @type: its type
 * @ts: its time
 */
static inline bool lane_filter_stored(const struct lane_allowed *a, u8 type, u64 ts)
{
	unsigned int i = 0;

	while (i + 1 < a->nr && ts < a->at[i])
		i++;
	return a->types[i][type / 32] >> type % 32 & 1;
}

void lane_filter_init(struct devtrace_control *control);

#endif /* DEVTRACE_LANE_FILTER_H */
