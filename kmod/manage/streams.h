/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands for streams: see streams.c
 */
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
 * struct stream_info - what a stream is and does
 * @name: its name
 * @id: its number, which is its bit in the filters' sets
 * @bytes: of ring, a CPU
 * @state: enum devtrace_state
 * @reason: name of the trigger that brought it there, or empty
 * @since: when, trace clock ns
 * @watermark: percent
 * @mode: of the device node
 * @used: bytes of all rings that hold events
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
 * One command that changes something at a time; one of devtrace_persist.ko, too, which makes
 * and removes a stream. devtrace_lock is taken behind it, and is given up by some of them
 * while they wait for others: so dumps wait for nobody's wait.
 */
extern struct mutex streams_command_lock;

/* Process context, devtrace_lock held, for all of these. */
struct stream *stream_find(const char *name);
void stream_info(struct stream *s, struct stream_info *info);
/* The stream comes with filter @f, a copy of which is kept; it has the @image, or is none. */
struct stream *stream_new(const char *name, unsigned long bytes, umode_t mode,
			  enum devtrace_state state, const struct filter *f,
			  struct stream_image *image);
/* -EBUSY: stream 0 */
int stream_del(struct stream *s);
/* The newest events that fit stay; -EINVAL, -ENOMEM. */
int stream_resize(struct stream *s, unsigned long bytes);
/* Of stream 0, into memory of @lend's, or out of it; -EBUSY, -ENOMEM. */
int stream_lend(unsigned long bytes, rings_lend_t lend);
/* -EBUSY: it is frozen and was to go on */
int stream_set_state(struct stream *s, enum devtrace_state state);
void stream_set_watermark(struct stream *s, unsigned int percent);
void stream_watermarks(struct stream *s, void (*tell)(struct stream *s, u32 cpu));

/*
 * For triggers. While a stream is watched, its emitters take the long way, where
 * it can be stopped exactly after the n-th further event. Counts; process context,
 * devtrace_lock held.
 */
void stream_watch(struct stream *s, bool on);

#endif /* DEVTRACE_MANAGE_STREAMS_H */
