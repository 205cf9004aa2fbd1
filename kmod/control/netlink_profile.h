/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands for kernel profile events: see netlink_profile.c */
#ifndef DEVTRACE_NETLINK_PROFILE_H
#define DEVTRACE_NETLINK_PROFILE_H

#include <linux/types.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;

/* The caller must not hold devtrace_lock, which devtrace_profile takes when it is loaded. */
void netlink_profile_load(void);
void netlink_profile_prepare(const struct genl_info *info, unsigned int maxattr);

/* Commands and dumps: see netlink.h. */
int netlink_profile_add(struct genl_info *info);
int netlink_profile_del(struct genl_info *info);
int netlink_profile_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* DEVTRACE_NETLINK_PROFILE_H */
