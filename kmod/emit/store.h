/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storing an event where it is wanted, and what triggers do to streams then: see store.c
 */
#ifndef DEVTRACE_EMIT_STORE_H
#define DEVTRACE_EMIT_STORE_H

#include <linux/types.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

struct event;

/**
 * struct firing - what the triggers that an event met did to streams
 * @streams: those that stop with this event: bits
 */
struct firing {
	u32	streams;
};

/*
 * Any context, preemption off, before the event that fires is stored. The stream
 * is one that is watched. @trigger is copied.
 */
bool stream_runs(unsigned int id);
bool stream_fire_start(unsigned int id, const char *trigger);
bool stream_fire_stop(unsigned int id, enum devtrace_state to, u64 events, u64 ns,
		      const char *trigger, struct firing *f);

void store_all(u32 set, const struct event *ev);

#endif /* DEVTRACE_EMIT_STORE_H */
