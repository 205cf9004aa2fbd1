/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls into kmod/control, which has the netlink family and the triggers
 *
 * The calls do nothing if control is not built (CONFIG_DEVTRACE_CONTROL=n), not initialized yet,
 * or has ended.
 */
#ifndef DEVTRACE_CONTROL_OPS_H
#define DEVTRACE_CONTROL_OPS_H

#include <linux/types.h>

struct event;
struct firing;
struct stream;

/**
 * struct control_ops - operations of control
 * @event: an event meets the conditions of triggers. Arguments: the bits of these triggers; the
 *	event, which is not stored yet; and a structure in which @event sets the effects of the
 *	triggers on streams. Any context, NMI included, preemption off
 * @stream: notify listeners that a stream has changed: DEVTRACE_CMD_NTF_STREAM_*
 * @filter: notify listeners that a stream's filter has changed
 * @clear: notify listeners that a stream was cleared
 * @watermark: notify listeners if CPUs have passed their watermarks
 *
 * All except @event: process context, devtrace_lock held.
 */
struct control_ops {
	void (*event)(u32 set, const struct event *ev, struct firing *f);
	void (*stream)(int cmd, struct stream *s);
	void (*filter)(struct stream *s);
	void (*clear)(struct stream *s);
	void (*watermark)(struct stream *s);
};

void control_register(const struct control_ops *ops);

/*
 * For devtrace_watch.ko: an event meets the conditions of triggers or watches; called like @event
 * of struct control_ops. NULL: no watch. Written under devtrace_lock; the module waits for active
 * emitters after it sets NULL.
 */
extern void (*devtrace_watching)(u32 set, const struct event *ev);

/* See struct control_ops. */
void control_event(u32 set, const struct event *ev, struct firing *f);
void control_notify_stream(int cmd, struct stream *s);
void control_notify_filter(struct stream *s);
void control_notify_clear(struct stream *s);
void control_notify_watermark(struct stream *s);

#endif /* DEVTRACE_CONTROL_OPS_H */
