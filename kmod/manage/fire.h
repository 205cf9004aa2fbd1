/* SPDX-License-Identifier: GPL-2.0-only */
/* Actions of a trigger on a stream, on the emit path: see fire.c */
#ifndef DEVTRACE_MANAGE_FIRE_H
#define DEVTRACE_MANAGE_FIRE_H

#include <linux/types.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

struct firing;

/*
 * Called in any context with preemption off, before the event that fires is stored. The stream must
 * be watched: see stream_watch(). @trigger: name of the trigger, which is copied
 */
bool stream_runs(unsigned int id);
bool stream_fire_start(unsigned int id, const char *trigger);
bool stream_fire_stop(unsigned int id, enum devtrace_state to, u64 events, u64 ns,
		      const char *trigger, struct firing *f);

#endif /* DEVTRACE_MANAGE_FIRE_H */
