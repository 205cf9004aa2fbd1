/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: rings for all CPUs, with a name, a filter and a device node
 *
 * Stream 0 is /dev/trace; its rings are devtrace_rings, and emitters store into them directly.
 * Other streams are created and removed at run time. A stream exists while it is in the table
 * or a descriptor of it is open.
 *
 * Locks: devtrace_lock serializes all changes of streams, filters and triggers. Emitters take
 * no lock: they find streams under RCU, with preemption off.
 */
#ifndef DEVTRACE_MANAGE_STREAM_H
#define DEVTRACE_MANAGE_STREAM_H

#include <linux/types.h>
#include <linux/wait.h>

#include "stream/stream.h"

/* Context of the functions down to stream_count_missed(): process, devtrace_lock held. */
int stream_prepare(struct stream *s, const char *name, unsigned long bytes, umode_t mode);
void stream_leave(struct stream *s);
void stream_settle(struct stream *s);
void stream_update_quick(struct stream *s);
void stream_count_missed(struct stream *s);

static inline void stream_wake(struct stream *s)
{
	wake_up_interruptible_all(&s->wait);
}

int stream_init(unsigned long bytes, u32 start, umode_t mode);
void stream_exit(void);

#endif /* DEVTRACE_MANAGE_STREAM_H */
