/* SPDX-License-Identifier: GPL-2.0-only */
/* Store an event in all streams that want it: see store.c */
#ifndef DEVTRACE_EMIT_STORE_H
#define DEVTRACE_EMIT_STORE_H

#include <linux/types.h>

struct event;

/**
 * struct firing - effects of the triggers that an event has met
 * @streams: bit mask of the streams that stop with this event
 */
struct firing {
	u32	streams;
};

/* Any context, preemption off. */
void store_all(u32 set, const struct event *ev);

#endif /* DEVTRACE_EMIT_STORE_H */
