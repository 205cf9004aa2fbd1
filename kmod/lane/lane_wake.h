/* SPDX-License-Identifier: GPL-2.0-only */
/* Wake readers for events in lanes, for which no emitter calls the kernel: see lane_wake.c */
#ifndef DEVTRACE_LANE_WAKE_H
#define DEVTRACE_LANE_WAKE_H

#include <linux/types.h>

struct lane;

/* Process context. */
void lane_wake_made(struct lane *l);
void lane_wake_closed(struct lane *l);
void lane_wake_follow(bool one_more);
void lane_wake_prepare(void);
/* See wake_look_t */
bool lane_wake_look(bool *again);

int lane_wake_init(void);
void lane_wake_exit(void);

#endif /* DEVTRACE_LANE_WAKE_H */
