/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: when an event meets a condition, do something
 *
 * The terms of a condition are a filter; its bit in the table tells emitters that
 * an event meets them. Then trigger_event() looks at the rest (an element, the
 * n-th, the rate), and acts: what concerns streams at once, what takes process
 * context (another filter, notifications) by irq_work and work.
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
 * @name: its name
 * @when: terms that an event must meet
 * @element: and this
 * @nth: fire at the n-th that does
 * @rate: or when more of them come in a second; 0: not given
 * @action: enum devtrace_action
 * @stream: on which it acts; NULL: none
 * @stream_id: its number
 * @stream_name: its name
 * @has_events: @events was given
 * @has_ns: @ns was given
 * @events: STOP, FREEZE: after so many further events
 * @ns: or so many ns, whichever is first
 * @filter: FILTER: what the stream takes
 * @rearm: armed again once it has fired
 *
 * Up to here as it was asked for, and never changed, but for types that go. The rest
 * is trigger.c's own.
 *
 * @n: which one it is: its bit is FILTER_TRIGGER_BIT + @n
 * @must_have: bits of who that an event needs to meet @when
 * @severities: severity bytes that meet @when: bits
 * @armed: its bit is in the table
 * @told: of @fired, how many were acted upon and told
 * @seen: events that met it since it was armed
 * @count: of these, towards the n-th; a one shot that fired stays at @nth
 * @second: begin of a second, and how many met it since then: see rate.h
 * @fired: how often it fired
 * @fired_at: when last
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

/* More than this does not fit beside the time. */
#define TRIGGER_RATE_MAX	0xfffffeU

/* Any context, preemption off. @set: bits of triggers whose terms it meets. */
void trigger_event(u32 set, const struct event *ev, struct firing *f);

/* Below: process context, devtrace_lock held. */
struct trigger *trigger_find(const char *name);
/* The first one whose number is not below @n, or NULL. */
struct trigger *trigger_from(unsigned int n);
struct trigger *trigger_alloc(void);
void trigger_free(struct trigger *t);
int trigger_add(struct trigger *t, bool armed);
int trigger_arm(struct trigger *t, bool armed);
int trigger_remove(struct trigger *t);
bool trigger_is_armed(const struct trigger *t);

/* A stream is about to be removed. -EBUSY: in use. */
int trigger_stream_goes(struct stream *s, struct netlink_ext_ack *extack);
void trigger_stream_gone(unsigned int id);

/* @type is no longer what it was. */
void trigger_forget_type(unsigned int type);

void trigger_init(void);
void trigger_exit(void);

#endif /* DEVTRACE_TRIGGER_H */
