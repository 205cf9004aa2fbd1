// SPDX-License-Identifier: GPL-2.0-only
/* Commands for filters of streams */
#include <linux/errno.h>
#include <linux/slab.h>

#include "emit/filter.h"
#include "filter_parse.h"
#include "manage/filter_policy.h"
#include "manage/filter_set.h"
#include "manage/streams.h"
#include "netlink_check.h"
#include "netlink_filter.h"
#include "netlink_msg.h"
#include "netlink_stream.h"

#define ENTRY_SIZE							\
	(nla_total_size(DEVTRACE_NAME_LEN) + nla_total_size(sizeof(u32)) + \
	 NETLINK_FILTER_SIZE)

static int put_filter(struct sk_buff *skb, struct stream *s)
{
	const struct filter *f;
	struct stream_info info;
	u32 generation;

	stream_info(s, &info);
	/* NULL if the stream is a copy of events of an earlier boot: it has no filter. */
	f = filter_get(info.id, &generation);
	if (nla_put_string(skb, DEVTRACE_A_STREAM, info.name) ||
	    nla_put_u32(skb, DEVTRACE_A_GENERATION, generation))
		return -EMSGSIZE;
	return filter_put(skb, DEVTRACE_A_FILTER, f);
}

void netlink_notify_filter(struct stream *s)
{
	struct netlink_msg m;

	if (netlink_notify_begin(&m, DEVTRACE_CMD_NTF_FILTER, ENTRY_SIZE))
		netlink_notify_end(&m, put_filter(m.skb, s));
}

int netlink_filter_get(struct genl_info *info)
{
	return netlink_get_of_stream(info, ENTRY_SIZE, put_filter);
}

int netlink_filter_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return netlink_dump_of_streams(skb, cb, put_filter);
}

int netlink_filter_set(struct genl_info *info)
{
	struct nlattr *was = info->attrs[DEVTRACE_A_GENERATION];
	struct stream *s = netlink_stream(info->attrs, info->extack);
	struct stream_info si;
	struct filter *f;
	u32 generation;
	int err;

	if (!s)
		return -ENOENT;
	err = netlink_check_changes(s, info->attrs[DEVTRACE_A_STREAM], info->extack);
	if (err)
		return err;
	stream_info(s, &si);
	filter_get(si.id, &generation);
	if (was && nla_get_u32(was) != generation) {
		netlink_refuse(info->extack, was,
			       "generation is outdated: another process changed the filter; get the filter again");
		return -EBUSY;
	}
	f = kmalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	filter_parse(f, info->attrs[DEVTRACE_A_FILTER]);
	err = filter_set(si.id, f);
	if (err)
		netlink_refuse(info->extack, info->attrs[DEVTRACE_A_FILTER],
			       "filter needs more memory than there is; previous filter kept");
	else
		netlink_notify_filter(s);
	kfree(f);
	return err;
}
