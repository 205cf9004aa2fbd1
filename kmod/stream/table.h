/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of streams: see table.c */
#ifndef DEVTRACE_STREAM_TABLE_H
#define DEVTRACE_STREAM_TABLE_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <uapi/linux/devtrace_netlink.h>

struct stream;
struct workqueue_struct;

extern struct mutex devtrace_lock;
extern struct stream devtrace_stream0;
extern struct stream __rcu *devtrace_streams[DEVTRACE_STREAMS_MAX];
extern struct workqueue_struct *stream_wq;

/* With devtrace_lock held. */
struct stream *stream_by_id(unsigned int id);

struct stream *stream_get(unsigned int id);
void stream_put(struct stream *s);

#endif /* DEVTRACE_STREAM_TABLE_H */
