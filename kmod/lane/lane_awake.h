/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lanes that may have something new: see lane_awake.c
 */
#ifndef DEVTRACE_LANE_AWAKE_H
#define DEVTRACE_LANE_AWAKE_H

#include <linux/types.h>

struct lane;
struct task_struct;

int lane_awake_init(void);
void lane_awake_exit(void);
u32 lane_awake_hash(u32 tid, unsigned int bits);

/* With slots_lock held. */
void lane_awake_open(const struct lane *l);
void lane_awake_gone(unsigned int slot);

/* With the lane's lock held. */
void lane_awake_sleep(struct lane *l);

void lane_awake_made(struct lane *l);
void lane_awake_closed(struct lane *l);
void lane_awake_watch(void);
void lane_awake_unwatch(void);
void lane_awake_switch(u32 tid);

bool lane_awake_watched(void);
bool lane_awake_may(unsigned int slot);
bool lane_awake_unseen(void);
void lane_awake_news(unsigned long *slots, unsigned int nr);

#endif /* DEVTRACE_LANE_AWAKE_H */
