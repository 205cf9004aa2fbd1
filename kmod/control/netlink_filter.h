/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands for filters of streams: see netlink_filter.c */
#ifndef DEVTRACE_NETLINK_FILTER_H
#define DEVTRACE_NETLINK_FILTER_H

#include <linux/sched.h>
#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;
struct stream;

/* Maximum size of a filter as an attribute. */
#define NETLINK_FILTER_SIZE							\
	(NLA_HDRLEN + (NLA_HDRLEN + 32) + 3 * (NLA_HDRLEN + sizeof(u32)) +	\
	 4 * (NLA_HDRLEN + DEVTRACE_TERMS_MAX * sizeof(struct devtrace_range)) + \
	 6 * (NLA_HDRLEN + DEVTRACE_TERMS_MAX * sizeof(u32)) +			\
	 2 * (NLA_HDRLEN + DEVTRACE_TERMS_MAX * TASK_COMM_LEN))

/* Notify listeners. Process context, devtrace_lock held. */
void netlink_notify_filter(struct stream *s);

/* Commands and dumps: see netlink.h. */
int netlink_filter_get(struct genl_info *info);
int netlink_filter_set(struct genl_info *info);
int netlink_filter_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* DEVTRACE_NETLINK_FILTER_H */
