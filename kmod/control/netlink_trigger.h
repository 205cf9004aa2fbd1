/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands for triggers: see netlink_trigger.c */
#ifndef DEVTRACE_NETLINK_TRIGGER_H
#define DEVTRACE_NETLINK_TRIGGER_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;
struct trigger;

/* Policy of a nest of element attributes. */
extern const struct nla_policy netlink_element_policy[DEVTRACE_EA_MAX + 1];

/* Notify listeners. Process context, devtrace_lock held. */
void netlink_notify_trigger(int cmd, const struct trigger *t);
void netlink_notify_fired(const struct trigger *t, u64 fired, u64 at);

/* Commands and dumps: see netlink.h. */
int netlink_trigger_get(struct genl_info *info);
int netlink_trigger_new(struct genl_info *info);
int netlink_trigger_set(struct genl_info *info);
int netlink_trigger_del(struct genl_info *info);
int netlink_trigger_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* DEVTRACE_NETLINK_TRIGGER_H */
