/* SPDX-License-Identifier: GPL-2.0-only */
/* Give streams besides stream 0 their copies of the events of lanes: see take_copy.c */
#ifndef DEVTRACE_TAKE_COPY_H
#define DEVTRACE_TAKE_COPY_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "lane.h"
#include "slot_priv.h"

struct lane_judge;

/* The upper limit of the times in a run whose last event has the time @time. The lane is locked. */
static inline u64 take_latest(const struct lane *l, u64 time, u64 now)
{
	return clamp(time, l->floor, max(now + MARGIN_NS, l->floor));
}

int take_copy_prepare(void);
void take_copy_exit(void);

/* The lane is locked. */
const u8 *take_copy_out(const struct lane_judge *j, const struct lane_piece *piece);
void take_copies(struct lane *l, const struct lane_judge *j, const struct lane_piece *piece,
		 const u8 *records, u64 now);
void take_copy_alone(u32 streams);
void take_copy_lost(const struct lane *l, u64 n);

#endif /* DEVTRACE_TAKE_COPY_H */
