/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls into the room of control, which has the netlink family and the triggers
 *
 * These functions do nothing where control is left out, by CONFIG_DEVTRACE_CONTROL=n, and
 * before it begins and after its end.
 */
#ifndef DEVTRACE_CONTROL_OPS_H
#define DEVTRACE_CONTROL_OPS_H

#include <linux/types.h>

struct event;
struct firing;
struct stream;

/**
 * struct control_ops - what control does
 * @event: an event meets the terms of triggers: their bits, the event, which is not
 *	stored yet, and what they do to streams; any context, NMI included, preemption off
 * @stream: tell those who listen that a stream is another: DEVTRACE_CMD_NTF_STREAM_*
 * @filter: or its filter
 * @clear: or that it was cleared
 * @watermark: or that its CPUs may have passed their watermarks
 *
 * All but @event in process context, with devtrace_lock held.
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
 * devtrace_watch.ko: an event meets the terms of triggers or of watches; as @event of
 * struct control_ops. NULL: nobody watches. Written under devtrace_lock; whoever takes it
 * back waits for emitters that are under way.
 */
extern void (*devtrace_watching)(u32 set, const struct event *ev);

/* As in struct control_ops. */
void control_event(u32 set, const struct event *ev, struct firing *f);
void control_notify_stream(int cmd, struct stream *s);
void control_notify_filter(struct stream *s);
void control_notify_clear(struct stream *s);
void control_notify_watermark(struct stream *s);

#endif /* DEVTRACE_CONTROL_OPS_H */
