/* SPDX-License-Identifier: GPL-2.0-only */
/* Dumps of statistics: see netlink_stats.c */
#ifndef DEVTRACE_NETLINK_STATS_H
#define DEVTRACE_NETLINK_STATS_H

struct netlink_callback;
struct sk_buff;

/* Dumps: see netlink.h. */
int netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb);
int netlink_type_dump(struct sk_buff *skb, struct netlink_callback *cb);
int netlink_process_dump(struct sk_buff *skb, struct netlink_callback *cb);
int netlink_reader_dump(struct sk_buff *skb, struct netlink_callback *cb);
int netlink_dict_dump(struct sk_buff *skb, struct netlink_callback *cb);
int netlink_lane_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* DEVTRACE_NETLINK_STATS_H */
