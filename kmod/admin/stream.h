/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: rings for all CPUs, with a name, a filter and a device node
 *
 * Stream 0 is /dev/trace; its rings are devtrace_rings, and emitters go straight
 * to them. Further ones are made and removed at run time. A stream lives as long
 * as it is listed, or a descriptor of it is open.
 *
 * Locks: devtrace_lock serializes everything that changes streams, filters and
 * triggers. Emitters take none; they find streams under RCU, preemption off.
 */
#ifndef DEVTRACE_STREAM_H
#define DEVTRACE_STREAM_H

#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

struct filter;
struct netlink_ext_ack;
struct stream;

extern struct mutex devtrace_lock;

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

/**
 * struct stream_reader - a descriptor that is open for reading
 * @pid: process that opened it
 * @comm: its name
 * @position: time of the event it gets next, trace clock ns
 * @lag: bytes of the rings it has not read
 * @read: events it was given
 * @lost: events reported lost to it
 */
struct stream_reader {
	pid_t	pid;
	char	comm[TASK_COMM_LEN];
	u64	position;
	u64	lag;
	u64	read;
	u64	lost;
};

/* Process context, devtrace_lock held, for all of these. */
struct stream *stream_find(const char *name);
struct stream *stream_by_id(unsigned int id);
void stream_info(struct stream *s, struct stream_info *info);
/* The stream comes with filter @f, a copy of which is kept. */
struct stream *stream_new(const char *name, unsigned long bytes, umode_t mode,
			  enum devtrace_state state, const struct filter *f);
/* -EBUSY: stream 0 */
int stream_del(struct stream *s);
/* The newest events that fit stay; -EINVAL, -ENOMEM. */
int stream_resize(struct stream *s, unsigned long bytes);
void stream_set_state(struct stream *s, enum devtrace_state state);
void stream_set_watermark(struct stream *s, unsigned int percent);
/* -EBUSY: frozen */
int stream_clear(struct stream *s);
/* Of one CPU, or of all (-1). @oldest: time of the oldest event, 0 if none. */
void stream_stats(struct stream *s, int cpu, struct devtrace_stats *st, u64 *oldest);
/* The n-th open reader, false if there are not so many. */
bool stream_reader(struct stream *s, unsigned int n, struct stream_reader *r);

/*
 * For triggers. While a stream is watched, its emitters take the long way, where
 * it can be stopped exactly after the n-th further event. Counts; process context,
 * devtrace_lock held.
 */
void stream_watch(struct stream *s, bool on);

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

#endif /* DEVTRACE_STREAM_H */
