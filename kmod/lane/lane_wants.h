/* SPDX-License-Identifier: GPL-2.0-only */
/* Look up the filter set of an event of a lane */
#ifndef DEVTRACE_LANE_WANTS_H
#define DEVTRACE_LANE_WANTS_H

#include <linux/types.h>

struct filter_table;
struct lane;
struct lane_event;

u32 lane_wants_more(const struct filter_table *t, const struct lane_event *ev);
u32 lane_wants_thread(const struct filter_table *t, const struct lane *l, unsigned int *cpu);

#endif /* DEVTRACE_LANE_WANTS_H */
