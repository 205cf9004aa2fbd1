/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events by netlink: see netlink_profile.c
 */
#ifndef DEVTRACE_NETLINK_PROFILE_H
#define DEVTRACE_NETLINK_PROFILE_H

#include <linux/types.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;

/*
 * Kernel profile events are a module of their own, which is loaded when a request or a
 * dump has to do with them. Not under devtrace_lock, which the module takes.
 */
void netlink_profile_load(void);
/* And the kernel's own faults, for whoever names them. */
void netlink_profile_prepare(const struct genl_info *info, unsigned int maxattr);

/* Commands and dumps: see netlink.h. */
int netlink_profile_add(struct genl_info *info);
int netlink_profile_del(struct genl_info *info);
int netlink_profile_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* DEVTRACE_NETLINK_PROFILE_H */
