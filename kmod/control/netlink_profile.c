// SPDX-License-Identifier: GPL-2.0-only
/*
 * What kernel profile events there are, and more of them
 *
 * They are switched on and off by the filters: see netlink_filter.c.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter.h"
#include "netlink_priv.h"
#include "profile/profile.h"
#include "profile/profile_added.h"
#include "admin/stream.h"
#include "trigger.h"

static int put_profile(struct sk_buff *skb, unsigned int type, const struct profile_info *i)
{
	if (nla_put_u8(skb, DEVTRACE_A_TYPE, type) ||
	    nla_put_string(skb, DEVTRACE_A_NAME, i->name) ||
	    nla_put_string(skb, DEVTRACE_A_PROFILE_GROUP, i->group) ||
	    nla_put_string(skb, DEVTRACE_A_TRACEPOINTS, i->tracepoints) ||
	    nla_put_u8(skb, DEVTRACE_A_AVAILABLE, i->available) ||
	    nla_put_u8(skb, DEVTRACE_A_ATTACHED, i->attached) ||
	    (i->elements && nla_put_string(skb, DEVTRACE_A_ELEMENTS, i->elements)))
		return -EMSGSIZE;
	return 0;
}

/* args[0]: how far behind the first type to go on */
int netlink_profile_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct profile_info info;
	void *head;
	int err;

	for (; cb->args[0] < PROFILE_NR; cb->args[0]++) {
		const unsigned int type = PROFILE_FIRST + cb->args[0];

		if (!devtrace_profile_info(type, &info))
			continue;
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_profile(skb, type, &info));
		if (err)
			return err;
	}
	return 0;
}

static void notify(int cmd, const char *name, unsigned int type)
{
	struct netlink_msg m;

	if (netlink_notify_begin(&m, cmd, nla_total_size(DEVTRACE_TRACEPOINT_LEN) +
				 nla_total_size(sizeof(u8))))
		netlink_notify_end(&m, nla_put_string(m.skb, DEVTRACE_A_TRACEPOINT, name) ?:
				   nla_put_u8(m.skb, DEVTRACE_A_TYPE, type));
}

int netlink_profile_add(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[DEVTRACE_A_TRACEPOINT];
	const char *why;
	int type;

	type = profile_add(nla_data(attr), &why);
	if (type < 0) {
		if (why)
			netlink_refuse(info->extack, attr, why);
		return type;
	}
	notify(DEVTRACE_CMD_NTF_PROFILE_ADD, nla_data(attr), type);
	return 0;
}

/* Nobody wants a type any more. Another tracepoint may be given its number. */
static int take_from_filters(unsigned int type)
{
	struct filter *f = kmalloc(sizeof(*f), GFP_KERNEL);
	unsigned int b;
	int err = 0;

	if (!f)
		return -ENOMEM;
	for (b = 0; b < FILTER_BITS && !err; b++) {
		const struct filter *old = filter_get(b, NULL);

		if (!old || !test_bit(type, old->types))
			continue;
		*f = *old;
		__clear_bit(type, f->types);
		err = filter_set(b, f);
		if (!err && b < FILTER_TRIGGER_BIT)
			netlink_notify_filter(stream_by_id(b));
	}
	kfree(f);
	if (!err)
		trigger_forget_type(type);
	return err;
}

int netlink_profile_del(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[DEVTRACE_A_TRACEPOINT];
	int err, type = profile_added_find(nla_data(attr));

	if (type < 0) {
		netlink_refuse(info->extack, attr,
			       "tracepoint is not added: profile-get lists those that are");
		return -ENOENT;
	}
	err = take_from_filters(type);
	if (err)
		return err;
	profile_del(type);
	notify(DEVTRACE_CMD_NTF_PROFILE_DEL, nla_data(attr), type);
	return 0;
}
