/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wake readers for events of lanes, which nobody tells us of
 */
#ifndef DEVTRACE_LANE_WAKE_H
#define DEVTRACE_LANE_WAKE_H

#include <linux/types.h>

struct lane;

/* Process context. */
void lane_wake_made(struct lane *l);
void lane_wake_closed(struct lane *l);
/* A reader that waits, now and then; one more, or one less. */
void lane_wake_follow(bool one_more);
/* One is about to wait. */
void lane_wake_prepare(void);

int lane_wake_init(void);
void lane_wake_exit(void);

#endif /* DEVTRACE_LANE_WAKE_H */
