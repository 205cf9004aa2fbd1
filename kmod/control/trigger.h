/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: start an action when an event meets a condition
 *
 * The terms of a condition are a filter, whose bit in the filter table tells emitters that an event
 * meets them. trigger_event() then checks the rest (element, number of events, rate) and fires. It
 * starts or stops a stream at once; filters and notifications follow in process context.
 */
#ifndef DEVTRACE_TRIGGER_H
#define DEVTRACE_TRIGGER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <uapi/linux/devtrace_netlink.h>

#include "element.h"
#include "emit/filter.h"

struct event;
struct firing;
struct netlink_ext_ack;
struct stream;

/**
 * struct trigger - a condition and an action
 * @name: name of the trigger
 * @when: terms that an event must meet
 * @element: comparison that an event must meet, too
 * @nth: fire at the n-th such event
 * @rate: fire at the first event above this number of events in a second; 0: not given
 * @action: enum devtrace_action
 * @stream: stream that the action changes; NULL: none
 * @stream_id: number of the stream
 * @stream_name: name of the stream
 * @has_events: @events was given
 * @has_ns: @ns was given
 * @events: for STOP and FREEZE, number of further events to store
 * @ns: for STOP and FREEZE, time until the stop, ns; the limit that is reached first applies
 * @filter: for FILTER, the stream's new filter
 * @rearm: arm again after firing
 * @n: number of the trigger: its bit is FILTER_TRIGGER_BIT + @n
 * @must_have: bits of @who that an event needs to meet @when
 * @severities: bit mask of severity bytes that meet @when
 * @armed: its bit is in the filter table
 * @told: number of firings completed by the work item
 * @seen: number of events that met @when and @element since the trigger was armed
 * @count: number of events counted towards @nth; stays at @nth after firing without @rearm
 * @second: state of rate_next(), see rate.h
 * @fired: number of firings
 * @fired_at: time of the last firing, trace clock ns
 *
 * The members up to @rearm have the requested values and do not change, except that
 * trigger_forget_type() removes types. Only trigger.c uses the other members. devtrace_lock
 * protects @armed and @told.
 */
struct trigger {
	char			name[DEVTRACE_NAME_LEN];
	struct filter		when;
	struct element_test	element;
	u64			nth;
	u32			rate;
	enum devtrace_action	action;
	struct stream		*stream;
	unsigned int		stream_id;
	char			stream_name[DEVTRACE_NAME_LEN];
	bool			has_events, has_ns;
	u64			events;
	u64			ns;
	struct filter		*filter;
	bool			rearm;

	unsigned int		n;
	u32			must_have;
	u16			severities;
	bool			armed;
	u64			told;
	atomic64_t		seen;
	atomic64_t		count;
	atomic64_t		second;
	atomic64_t		fired;
	atomic64_t		fired_at;
};

/* The largest rate that rate_next() can count. */
#define TRIGGER_RATE_MAX	0xfffffeU

/* Any context, preemption off. @set: bit mask of triggers whose terms the event meets. */
void trigger_event(u32 set, const struct event *ev, struct firing *f);

/* Below: process context, devtrace_lock held. */
struct trigger *trigger_find(const char *name);
/* The first trigger whose number is not below @n, or NULL. */
struct trigger *trigger_from(unsigned int n);
struct trigger *trigger_alloc(void);
void trigger_free(struct trigger *t);
int trigger_add(struct trigger *t, bool armed);
int trigger_arm(struct trigger *t, bool armed);
int trigger_remove(struct trigger *t);
bool trigger_is_armed(const struct trigger *t);

int trigger_stream_goes(struct stream *s, struct netlink_ext_ack *extack);
void trigger_stream_gone(unsigned int id);

void trigger_forget_type(unsigned int type);

typedef void (*trigger_told_t)(const struct trigger *t, u64 fired, u64 at);
void trigger_init(trigger_told_t told);
void trigger_exit(void);

#endif /* DEVTRACE_TRIGGER_H */
