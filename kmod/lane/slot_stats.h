/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of the events of lanes: see slot_stats.c */
#ifndef DEVTRACE_SLOT_STATS_H
#define DEVTRACE_SLOT_STATS_H

#include <linux/types.h>

struct devtrace_stats;

struct slots;

void slots_stats(const struct slots *in, struct devtrace_stats *st);
u64 slots_handled(const struct slots *in);
u64 slots_emitted(const struct slots *in);
u64 slots_position(const struct slots *in);

#endif /* DEVTRACE_SLOT_STATS_H */
