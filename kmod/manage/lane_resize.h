/* SPDX-License-Identifier: GPL-2.0-only */
/* Resize the ring of blocks: see lane_resize.c */
#ifndef DEVTRACE_MANAGE_LANE_RESIZE_H
#define DEVTRACE_MANAGE_LANE_RESIZE_H

#include <linux/types.h>

struct slots;
struct slots_memory;

/* Process context, devtrace_lock held. */
int slots_lend(u8 *at, u32 nr);
int slots_memory(const struct slots *in, unsigned long bytes, struct slots_memory *m);
void slots_resize(struct slots *in, struct slots_memory *m);

#endif /* DEVTRACE_MANAGE_LANE_RESIZE_H */
