// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands for kernel profile events
 *
 * Filters switch these events on and off: see netlink_filter.c. A request that involves them loads
 * their module, devtrace_profile.
 */
#include <linux/errno.h>
#include <linux/kmod.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/filter.h"
#include "manage/filter_policy.h"
#include "manage/filter_set.h"
#include "manage/profile_ask.h"
#include "netlink_check.h"
#include "netlink_filter.h"
#include "netlink_msg.h"
#include "netlink_profile.h"
#include "stream/profile_ops.h"
#include "stream/table.h"
#include "trigger.h"

/* Return the bitmap of the types that a filter names, or NULL. */
static const u8 *netlink_profile_named(const struct nlattr *nest)
{
	const struct nlattr *types;

	types = nest ? nla_find_nested(nest, DEVTRACE_FA_TYPES) : NULL;
	return types ? nla_data(types) : NULL;
}

static bool wants_any(const u8 *types)
{
	/* The types of profile events fill whole bytes of the bitmap. */
	BUILD_BUG_ON(PROFILE_FIRST % 8 || DEVTRACE_T_FAULT % 8 != 7);
	return types && memchr_inv(types + PROFILE_FIRST / 8, 0,
				   (DEVTRACE_T_FAULT + 1 - PROFILE_FIRST) / 8);
}

/*
 * Load devtrace_profile.ko. If that fails, the code that needs the module reports the error.
 * Process context, may sleep, without devtrace_lock.
 */
void netlink_profile_load(void)
{
	bool there;

	mutex_lock(&devtrace_lock);
	there = devtrace_profile_there();
	mutex_unlock(&devtrace_lock);
	if (!there)
		request_module("devtrace_profile");
}

/*
 * Load devtrace_profile.ko if a request involves it. @maxattr: last attribute of the policy of the
 * request. Process context, may sleep, without devtrace_lock.
 */
void netlink_profile_prepare(const struct genl_info *info, unsigned int maxattr)
{
	const u8 *filter = NULL, *when = NULL;

	if (maxattr >= DEVTRACE_A_FILTER)
		filter = netlink_profile_named(info->attrs[DEVTRACE_A_FILTER]);
	if (maxattr >= DEVTRACE_A_WHEN)
		when = netlink_profile_named(info->attrs[DEVTRACE_A_WHEN]);
	if (info->genlhdr->cmd == DEVTRACE_CMD_PROFILE_ADD || wants_any(filter) || wants_any(when))
		netlink_profile_load();
}

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

static bool type_info(unsigned int type, struct profile_info *info)
{
	if (type != DEVTRACE_T_FAULT)
		return devtrace_profile_info(type, info);
	*info = (struct profile_info){
		.name = "faults", .group = "faults", .tracepoints = "",
		.available = true,
		.attached = test_bit(DEVTRACE_T_FAULT, devtrace_wanted),
	};
	return true;
}

/* cb->args[0]: type to continue with, minus PROFILE_FIRST */
int netlink_profile_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct profile_info info;
	void *head;
	int err;

	if (!devtrace_profile_there()) {
		netlink_refuse(cb->extack, NULL, PROFILE_IS_MISSING);
		return -EOPNOTSUPP;
	}
	for (; cb->args[0] <= PROFILE_NR; cb->args[0]++) {
		const unsigned int type = PROFILE_FIRST + cb->args[0];

		if (!type_info(type, &info))
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

static void netlink_profile_notify(int cmd, const char *name, unsigned int type)
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

	type = devtrace_profile_add(nla_data(attr), &why);
	if (type < 0) {
		if (why)
			netlink_refuse(info->extack, attr,
				       netlink_keep(why, "tracepoint cannot be added"));
		return type;
	}
	netlink_profile_notify(DEVTRACE_CMD_NTF_PROFILE_ADD, nla_data(attr), type);
	return 0;
}

/* Remove a type from all filters, before another tracepoint gets its number. */
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
	int err, type = devtrace_profile_find(nla_data(attr));

	if (type < 0) {
		netlink_refuse(info->extack, attr,
			       "tracepoint is not added: profile-get lists the added ones");
		return -ENOENT;
	}
	err = take_from_filters(type);
	if (err)
		return err;
	devtrace_profile_del(type);
	netlink_profile_notify(DEVTRACE_CMD_NTF_PROFILE_DEL, nla_data(attr), type);
	return 0;
}
