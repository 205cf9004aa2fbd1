/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types that may go into lanes: bits that programs test
 *
 * The bits keep events that need a system call out of lanes. Events in a lane are filtered when
 * they are taken, by the filters in force then (take.c).
 */
#ifndef DEVTRACE_LANE_FILTER_H
#define DEVTRACE_LANE_FILTER_H

#include <linux/types.h>

struct devtrace_control;
struct filter_table;
struct lane;
struct ring;
struct stream;

/* Process context, devtrace_lock held. */
void lane_filter_narrow(const u32 *want);
void lane_filter_table(const u32 *want);
void lane_filter_state(struct stream *s, bool runs, bool unwatched);
void lane_filter_forget(const struct stream *s);

void lane_filter_init(struct devtrace_control *control);
void lane_filter_tell_severe(void (*told)(struct ring *r));

/* Any context; preemption off. */

#endif /* DEVTRACE_LANE_FILTER_H */
