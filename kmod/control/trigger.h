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

#include <linux/types.h>
#include <uapi/linux/devtrace_netlink.h>

#include "emit/store.h"

struct filter;
struct firing;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct stream;

/* Any context, preemption off. @set: bits of triggers whose terms it meets. */
void trigger_event(u32 set, const struct event *ev, struct firing *f);

/* Compare an element of an event; element.c. */
struct element_test {
	bool	given;
	bool	is_string;
	u8	compare;		/* enum devtrace_compare */
	u32	index;
	s64	value;
	u64	mask;
	char	string[64];
};

bool element_meets(const struct element_test *t, const struct event *ev);

/* Process context, devtrace_lock held: a stream is about to be removed. -EBUSY: in use. */
int trigger_stream_goes(struct stream *s, struct netlink_ext_ack *extack);

/* Likewise: @type is no longer what it was. */
void trigger_forget_type(unsigned int type);

void trigger_init(void);
void trigger_exit(void);

#endif /* DEVTRACE_TRIGGER_H */
