/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands for streams: see streams.c */
#ifndef DEVTRACE_MANAGE_STREAMS_H
#define DEVTRACE_MANAGE_STREAMS_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

#include "stream/rings.h"

struct filter;
struct stream;
struct stream_image;

/**
 * struct stream_info - description of a stream
 * @name: name
 * @id: number, which is its bit in filter sets
 * @bytes: size of each ring
 * @state: enum devtrace_state
 * @reason: name of the trigger that caused the state, or empty
 * @since: time of the last change of state, trace clock ns
 * @watermark: percent
 * @mode: mode of the device node
 * @used: bytes in all rings that contain events
 */
struct stream_info {
	char			name[DEVTRACE_NAME_LEN];
	unsigned int		id;
	unsigned long		bytes;
	enum devtrace_state	state;
	char			reason[DEVTRACE_NAME_LEN];
	u64			since;
	unsigned int		watermark;
	umode_t			mode;
	u64			used;
};

/*
 * Serializes commands that change something, also those of devtrace_persist.ko. It is taken before
 * devtrace_lock. Some commands release devtrace_lock while they sleep, so that dumps do not wait
 * for them.
 */
extern struct mutex streams_command_lock;

/* Below: process context, devtrace_lock held. */
struct stream *stream_find(const char *name);
void stream_info(struct stream *s, struct stream_info *info);
struct stream *stream_new(const char *name, unsigned long bytes, umode_t mode,
			  enum devtrace_state state, const struct filter *f,
			  struct stream_image *image);
int stream_del(struct stream *s);
int stream_resize(struct stream *s, unsigned long bytes);
int stream_lend(unsigned long bytes, rings_lend_t lend);
int stream_set_state(struct stream *s, enum devtrace_state state);
void stream_set_watermark(struct stream *s, unsigned int percent);
void stream_watermarks(struct stream *s, void (*tell)(struct stream *s, u32 cpu));

/*
 * While a stream is watched, emitters take the slow path, which can stop it exactly after the n-th
 * further event. For each call with @on true there must be a later one with @on false. Process
 * context, devtrace_lock held.
 */
void stream_watch(struct stream *s, bool on);

#endif /* DEVTRACE_MANAGE_STREAMS_H */
