// SPDX-License-Identifier: GPL-2.0-only
/*
 * What kernel profile events there are
 *
 * They are switched on and off by the filters: see netlink_filter.c.
 */
#include "netlink_priv.h"
#include "profile.h"

static int put_profile(struct sk_buff *skb, unsigned int type, const struct profile_info *i)
{
	if (nla_put_u8(skb, DEVTRACE_A_TYPE, type) ||
	    nla_put_string(skb, DEVTRACE_A_NAME, i->name) ||
	    nla_put_string(skb, DEVTRACE_A_PROFILE_GROUP, i->group) ||
	    nla_put_string(skb, DEVTRACE_A_TRACEPOINTS, i->tracepoints) ||
	    nla_put_u8(skb, DEVTRACE_A_AVAILABLE, i->available) ||
	    nla_put_u8(skb, DEVTRACE_A_ATTACHED, i->attached))
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
