/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family, which is devtrace_control.ko
 *
 * netlink.c has the family, the rights and the notifications; netlink_filter.c,
 * netlink_stream.c, netlink_trigger.c, netlink_stats.c and netlink_profile.c have a
 * function for each command of theirs.
 */
#ifndef DEVTRACE_NETLINK_H
#define DEVTRACE_NETLINK_H

#include <linux/types.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;
struct stream;

/* Process context, devtrace_lock held: tell those who listen. */
void netlink_notify_stream(int cmd, struct stream *s);
void netlink_notify_filter(struct stream *s);
void netlink_notify_clear(struct stream *s);
void netlink_notify_watermark(struct stream *s, u32 cpu);

int netlink_init(void);
void netlink_exit(void);

#endif /* DEVTRACE_NETLINK_H */
