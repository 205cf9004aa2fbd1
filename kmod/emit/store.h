/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storing an event where it is wanted, and what triggers do to streams then: see store.c
 */
#ifndef DEVTRACE_EMIT_STORE_H
#define DEVTRACE_EMIT_STORE_H

#include <linux/types.h>

struct event;

/**
 * struct firing - what the triggers that an event met did to streams
 * @streams: those that stop with this event: bits
 */
struct firing {
	u32	streams;
};

/* Any context, preemption off. */
void store_all(u32 set, const struct event *ev);

#endif /* DEVTRACE_EMIT_STORE_H */
