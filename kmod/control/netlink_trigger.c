// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands for triggers
 *
 * The policies have checked the kind and size of each attribute; the functions here check which
 * attributes are given together.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "compat/compat_atomic.h"
#include "condition.h"
#include "element.h"
#include "emit/filter.h"
#include "filter_parse.h"
#include "manage/streams.h"
#include "netlink_check.h"
#include "netlink_filter.h"
#include "netlink_msg.h"
#include "netlink_stream.h"
#include "netlink_trigger.h"
#include "trigger.h"

#define ELEMENT_SIZE	(NLA_HDRLEN + 2 * nla_total_size(sizeof(u32)) +		\
			 2 * nla_total_size_64bit(sizeof(u64)) +		\
			 nla_total_size(sizeof_field(struct element_test, string)))
#define FIRED_SIZE	(2 * nla_total_size(DEVTRACE_NAME_LEN) +		\
			 nla_total_size(sizeof(u32)) +				\
			 2 * nla_total_size_64bit(sizeof(u64)))
#define TRIGGER_SIZE	(FIRED_SIZE + 2 * NETLINK_FILTER_SIZE + ELEMENT_SIZE +	\
			 4 * nla_total_size_64bit(sizeof(u64)) +		\
			 nla_total_size(sizeof(u32)) + 2 * nla_total_size(sizeof(u8)))

static int check_string(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (netlink_string_len(attr) >= 0)
		return 0;
	return netlink_refuse_value(extack, attr, &netlink_element_policy[DEVTRACE_EA_STRING]);
}

const struct nla_policy netlink_element_policy[DEVTRACE_EA_MAX + 1] = {
	[DEVTRACE_EA_INDEX]	= { .type = NLA_U32 },
	[DEVTRACE_EA_COMPARE]	= NLA_POLICY_MAX(NLA_U32, DEVTRACE_CMP_GE),
	[DEVTRACE_EA_VALUE]	= { .type = NLA_S64 },
	[DEVTRACE_EA_MASK]	= NLA_POLICY_MIN(NLA_U64, 1),
	[DEVTRACE_EA_STRING]	=
		NLA_POLICY_VALIDATE_FN(NLA_NUL_STRING, check_string,
				       sizeof_field(struct element_test, string) - 1),
};

static int trigger_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
			  const char *msg)
{
	netlink_refuse(extack, attr, msg);
	return -EINVAL;
}

static int parse_string(struct element_test *t, const struct nlattr *attr,
			struct netlink_ext_ack *extack)
{
	memcpy(t->string, nla_data(attr), nla_len(attr));
	t->is_string = true;
	if (t->compare != DEVTRACE_CMP_EQ && t->compare != DEVTRACE_CMP_NE)
		return trigger_refuse(extack, attr,
				      "element with a string allows only compare 0 (equal) or 1 (not equal)");
	return 0;
}

static int parse_element(struct element_test *t, const struct nlattr *nest,
			 struct netlink_ext_ack *extack)
{
	struct nlattr *tb[DEVTRACE_EA_MAX + 1] = { NULL }, *attr;
	int err, rem;

	nla_for_each_nested(attr, nest, rem)
		tb[nla_type(attr)] = attr;
	err = netlink_check_needs(tb, BIT_ULL(DEVTRACE_EA_INDEX) | BIT_ULL(DEVTRACE_EA_COMPARE),
				  nest, extack);
	if (err)
		return err;
	if (!tb[DEVTRACE_EA_VALUE] == !tb[DEVTRACE_EA_STRING])
		return trigger_refuse(extack, nest,
				      "element must have a value or a string, and not both");
	t->given = true;
	t->index = nla_get_u32(tb[DEVTRACE_EA_INDEX]);
	t->compare = nla_get_u32(tb[DEVTRACE_EA_COMPARE]);
	t->mask = ~0ULL;
	attr = tb[DEVTRACE_EA_MASK];
	if (attr && !tb[DEVTRACE_EA_VALUE])
		return trigger_refuse(extack, attr,
				      "element mask applies to a value, not to a string: omit the mask");
	if (attr)
		t->mask = nla_get_u64(attr);
	if (tb[DEVTRACE_EA_STRING])
		return parse_string(t, tb[DEVTRACE_EA_STRING], extack);
	t->value = nla_get_s64(tb[DEVTRACE_EA_VALUE]);
	if (condition_element_never(t))
		return trigger_refuse(extack, tb[DEVTRACE_EA_VALUE],
			      "element can never have this value, because the mask clears some of its bits");
	return 0;
}

static int check_condition(const struct trigger *t, const struct nlattr *nest,
			   struct netlink_ext_ack *extack)
{
	const struct nlattr *types = nla_find_nested(nest, DEVTRACE_FA_TYPES), *attr;
	const char *why;
	int term;

	why = condition_never(&t->when, types ? nla_data(types) : NULL, &term);
	if (!why)
		return 0;
	attr = nla_find_nested(nest, term);
	return trigger_refuse(extack, attr ?: nest, why);
}

static int parse_when(struct trigger *t, struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct nlattr *nth = attrs[DEVTRACE_A_NTH], *rate = attrs[DEVTRACE_A_RATE];
	int err;

	filter_parse(&t->when, attrs[DEVTRACE_A_WHEN]);
	err = check_condition(t, attrs[DEVTRACE_A_WHEN], extack);
	if (err)
		return err;
	if (attrs[DEVTRACE_A_ELEMENT]) {
		err = parse_element(&t->element, attrs[DEVTRACE_A_ELEMENT], extack);
		if (err)
			return err;
	}
	if (nth && rate)
		return trigger_refuse(extack, rate,
				      "rate and nth exclude each other: give one of them");
	if (nth)
		t->nth = nla_get_u64(nth);
	if (rate)
		t->rate = nla_get_u32(rate);
	return 0;
}

/*
 * Check that the request has STREAM and FILTER if the action requires them, and that it has none of
 * STREAM, EVENTS, TIME and FILTER that the action does not use.
 */
static int check_action(enum devtrace_action action, struct nlattr **attrs,
			struct netlink_ext_ack *extack)
{
	const bool stops = action == DEVTRACE_ACTION_STOP || action == DEVTRACE_ACTION_FREEZE;
	struct nlattr *attr;

	attr = attrs[DEVTRACE_A_STREAM];
	if (attr && action == DEVTRACE_ACTION_NOTIFY)
		return trigger_refuse(extack, attr, "stream cannot be used with notify: omit it");
	if (!attr && action != DEVTRACE_ACTION_NOTIFY)
		return trigger_refuse(extack, attrs[DEVTRACE_A_ACTION],
				      "stream is missing: this action needs the name of a stream");
	attr = attrs[DEVTRACE_A_EVENTS];
	if (attr && !stops)
		return trigger_refuse(extack, attr,
				      "events can be used only with stop and freeze: omit it");
	attr = attrs[DEVTRACE_A_TIME];
	if (attr && !stops)
		return trigger_refuse(extack, attr,
				      "time can be used only with stop and freeze: omit it");
	attr = attrs[DEVTRACE_A_FILTER];
	if (attr && action != DEVTRACE_ACTION_FILTER)
		return trigger_refuse(extack, attr,
				      "filter can be used only with the action filter: omit it");
	if (!attr && action == DEVTRACE_ACTION_FILTER)
		return trigger_refuse(extack, attrs[DEVTRACE_A_ACTION],
				      "filter is missing: this action needs the new filter of the stream");
	return 0;
}

static int parse_stop(struct trigger *t, struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct nlattr *events = attrs[DEVTRACE_A_EVENTS], *time = attrs[DEVTRACE_A_TIME];

	t->has_events = events;
	t->has_ns = time;
	if (events)
		t->events = nla_get_u64(events);
	if (time)
		t->ns = nla_get_u64(time);
	/* 0 means "at once", which contradicts any other limit. */
	if ((events && !t->events && t->ns) || (time && !t->ns && t->events))
		return trigger_refuse(extack, t->events ? time : events,
				      "0 means to stop at once, which the other limit contradicts: omit one, or give both above 0");
	return 0;
}

static int parse_action(struct trigger *t, struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct stream_info info;
	int err;

	t->action = nla_get_u32(attrs[DEVTRACE_A_ACTION]);
	err = check_action(t->action, attrs, extack);
	if (err)
		return err;
	if (attrs[DEVTRACE_A_STREAM]) {
		t->stream = netlink_stream(attrs, extack);
		if (!t->stream)
			return -ENOENT;
		err = netlink_check_changes(t->stream, attrs[DEVTRACE_A_STREAM], extack);
		if (err)
			return err;
		stream_info(t->stream, &info);
		t->stream_id = info.id;
		strscpy(t->stream_name, info.name, sizeof(t->stream_name));
	}
	err = parse_stop(t, attrs, extack);
	if (err)
		return err;
	if (attrs[DEVTRACE_A_FILTER]) {
		t->filter = kzalloc(sizeof(*t->filter), GFP_KERNEL);
		if (!t->filter)
			return -ENOMEM;
		filter_parse(t->filter, attrs[DEVTRACE_A_FILTER]);
	}
	if (attrs[DEVTRACE_A_REARM])
		t->rearm = nla_get_u8(attrs[DEVTRACE_A_REARM]);
	return 0;
}

int netlink_trigger_new(struct genl_info *info)
{
	struct nlattr *name = info->attrs[DEVTRACE_A_TRIGGER];
	struct nlattr *armed = info->attrs[DEVTRACE_A_ARMED];
	struct netlink_ext_ack *extack = info->extack;
	struct trigger *t;
	int err;

	if (trigger_find(nla_data(name))) {
		netlink_refuse(extack, name,
			       "trigger exists already: remove it first, or choose another name");
		return -EEXIST;
	}
	t = trigger_alloc();
	if (!t)
		return -ENOMEM;
	strscpy(t->name, nla_data(name), sizeof(t->name));
	err = parse_when(t, info->attrs, extack) ?: parse_action(t, info->attrs, extack);
	if (!err) {
		err = trigger_add(t, !armed || nla_get_u8(armed));
		if (err == -ENOSPC)
			netlink_refuse(extack, name,
				       "there are 16 triggers already, and no more are allowed (all watches of drivers count as one): remove one first");
	}
	if (err) {
		trigger_free(t);
		return err;
	}
	netlink_notify_trigger(DEVTRACE_CMD_NTF_TRIGGER_NEW, t);
	return 0;
}

/* Find the requested trigger. If it does not exist, set the message and return NULL. */
static struct trigger *trigger_of(struct genl_info *info)
{
	struct nlattr *name = info->attrs[DEVTRACE_A_TRIGGER];
	struct trigger *t = trigger_find(nla_data(name));

	if (!t)
		netlink_refuse(info->extack, name,
			       "trigger is not known: trigger-get lists the triggers");
	return t;
}

int netlink_trigger_set(struct genl_info *info)
{
	struct trigger *t = trigger_of(info);
	int err;

	if (!t)
		return -ENOENT;
	err = trigger_arm(t, nla_get_u8(info->attrs[DEVTRACE_A_ARMED]));
	if (!err)
		netlink_notify_trigger(DEVTRACE_CMD_NTF_TRIGGER_SET, t);
	return err;
}

int netlink_trigger_del(struct genl_info *info)
{
	struct trigger *t = trigger_of(info);
	char name[DEVTRACE_NAME_LEN];
	int err;

	if (!t)
		return -ENOENT;
	strscpy(name, t->name, sizeof(name));
	err = trigger_remove(t);
	if (!err)
		netlink_notify_name(DEVTRACE_CMD_NTF_TRIGGER_DEL, DEVTRACE_A_TRIGGER, name);
	return err;
}

static bool put_u64(struct sk_buff *skb, int attrtype, u64 v)
{
	return nla_put_u64_64bit(skb, attrtype, v, DEVTRACE_A_PAD);
}

static int put_element(struct sk_buff *skb, const struct element_test *t)
{
	struct nlattr *nest = nla_nest_start(skb, DEVTRACE_A_ELEMENT);
	bool full;

	if (!nest)
		return -EMSGSIZE;
	full = nla_put_u32(skb, DEVTRACE_EA_INDEX, t->index) ||
	       nla_put_u32(skb, DEVTRACE_EA_COMPARE, t->compare);
	if (t->is_string)
		full = full || nla_put_string(skb, DEVTRACE_EA_STRING, t->string);
	else
		full = full || nla_put_s64(skb, DEVTRACE_EA_VALUE, t->value, DEVTRACE_EA_PAD);
	if (~t->mask)
		full = full || nla_put_u64_64bit(skb, DEVTRACE_EA_MASK, t->mask, DEVTRACE_EA_PAD);
	if (full)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_fired(struct sk_buff *skb, const struct trigger *t, u64 fired, u64 at)
{
	if (nla_put_string(skb, DEVTRACE_A_TRIGGER, t->name) ||
	    nla_put_u32(skb, DEVTRACE_A_ACTION, t->action) ||
	    (t->stream && nla_put_string(skb, DEVTRACE_A_STREAM, t->stream_name)) ||
	    put_u64(skb, DEVTRACE_A_FIRED, fired) ||
	    (fired && put_u64(skb, DEVTRACE_A_FIRED_AT, at)))
		return -EMSGSIZE;
	return 0;
}

static int put_trigger(struct sk_buff *skb, const struct trigger *t)
{
	/* Read the count before the time: the time is that of the last counted firing, or later. */
	const u64 fired = compat_atomic64_read_acquire(&t->fired);
	int err;

	err = put_fired(skb, t, fired, atomic64_read(&t->fired_at)) ?:
	      filter_put(skb, DEVTRACE_A_WHEN, &t->when);
	if (!err && t->element.given)
		err = put_element(skb, &t->element);
	if (!err && t->filter)
		err = filter_put(skb, DEVTRACE_A_FILTER, t->filter);
	if (err)
		return err;
	if ((!t->rate && put_u64(skb, DEVTRACE_A_NTH, t->nth)) ||
	    (t->rate && nla_put_u32(skb, DEVTRACE_A_RATE, t->rate)) ||
	    (t->has_events && put_u64(skb, DEVTRACE_A_EVENTS, t->events)) ||
	    (t->has_ns && put_u64(skb, DEVTRACE_A_TIME, t->ns)) ||
	    nla_put_u8(skb, DEVTRACE_A_REARM, t->rearm) ||
	    nla_put_u8(skb, DEVTRACE_A_ARMED, trigger_is_armed(t)) ||
	    put_u64(skb, DEVTRACE_A_SEEN, atomic64_read(&t->seen)))
		return -EMSGSIZE;
	return 0;
}

int netlink_trigger_get(struct genl_info *info)
{
	struct trigger *t = trigger_of(info);
	struct netlink_msg m;
	int err;

	if (!t)
		return -ENOENT;
	err = netlink_reply_begin(&m, info, TRIGGER_SIZE);
	return err ?: netlink_reply_end(&m, info, put_trigger(m.skb, t));
}

int netlink_trigger_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct trigger *t;
	void *head;
	int err = 0;

	while (!err && (t = trigger_from(cb->args[0]))) {
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_trigger(skb, t));
		if (!err)
			cb->args[0] = t->n + 1;
	}
	return err;
}

/* Notify listeners of a trigger's state. @cmd: DEVTRACE_CMD_NTF_TRIGGER_NEW or _SET. */
void netlink_notify_trigger(int cmd, const struct trigger *t)
{
	struct netlink_msg m;

	if (netlink_notify_begin(&m, cmd, TRIGGER_SIZE))
		netlink_notify_end(&m, put_trigger(m.skb, t));
}

/* Notify listeners that a trigger fired, for the @fired-th time, at the trace clock time @at. */
void netlink_notify_fired(const struct trigger *t, u64 fired, u64 at)
{
	struct netlink_msg m;

	if (netlink_notify_begin(&m, DEVTRACE_CMD_NTF_FIRED, FIRED_SIZE))
		netlink_notify_end(&m, put_fired(m.skb, t, fired, at));
}
