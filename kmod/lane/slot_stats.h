/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of the events of lanes: see slot_stats.c */
#ifndef DEVTRACE_SLOT_STATS_H
#define DEVTRACE_SLOT_STATS_H

#include <linux/types.h>

struct devtrace_stats;

void slots_stats(struct devtrace_stats *st);
u64 slots_handled(void);
u64 slots_position(void);

#endif /* DEVTRACE_SLOT_STATS_H */
