/* SPDX-License-Identifier: GPL-2.0-only */
/* The history of a stream's changes of state: see past.c */
#ifndef DEVTRACE_STREAM_PAST_H
#define DEVTRACE_STREAM_PAST_H

#include <linux/types.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

struct stream;

/**
 * struct stream_past - one change of state
 * @ts: time of the change, ns: stored events before the change are older, those after it newer
 * @fired_at: time of the event that fired the trigger, ns; 0: no trigger caused the change
 * @began: no event missed because of the change is older than this time, ns
 * @state: the new state, enum devtrace_state
 * @early: events missed because of the change may be older than events stored before it
 * @trigger: name of the trigger, or empty
 */
struct stream_past {
	u64	ts;
	u64	fired_at;
	u64	began;
	u8	state;
	bool	early;
	char	trigger[DEVTRACE_NAME_LEN];
};

/* Number of changes that the history keeps. */
#define STREAM_PASTS	32

void stream_add_past(struct stream *s, const struct stream_past *p);
void stream_add_command(struct stream *s, u8 state, u64 now);
unsigned long stream_oldest_past(const struct stream *s);
bool stream_past(struct stream *s, unsigned long *n, struct stream_past *p);
bool stream_counted(const struct stream *s, unsigned long n);
bool stream_remembers(const struct stream *s, unsigned long n);
u64 stream_missed(const struct stream *s, unsigned long n, unsigned int cpu);
void stream_goes_on(struct stream *s, const char *trigger);

#endif /* DEVTRACE_STREAM_PAST_H */
