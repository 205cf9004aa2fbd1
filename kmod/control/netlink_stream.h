/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands for streams: see netlink_stream.c */
#ifndef DEVTRACE_NETLINK_STREAM_H
#define DEVTRACE_NETLINK_STREAM_H

#include <linux/types.h>

struct genl_info;
struct netlink_callback;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct stream;

/* Refuse changes of an image. Process context, devtrace_lock held. */
int netlink_check_changes(const struct stream *s, const struct nlattr *attr,
			  struct netlink_ext_ack *extack);

/* Put an entry about a stream; return 0 or -EMSGSIZE. */
typedef int netlink_put_stream_fn(struct sk_buff *skb, struct stream *s);

/* Commands that get or dump one entry for each stream. */
int netlink_get_of_stream(struct genl_info *info, size_t size, netlink_put_stream_fn *put);
int netlink_dump_of_streams(struct sk_buff *skb, struct netlink_callback *cb,
			    netlink_put_stream_fn *put);

/* Notify listeners. Process context, devtrace_lock held. */
void netlink_notify_stream(int cmd, struct stream *s);
void netlink_notify_clear(struct stream *s);
void netlink_notify_watermark(struct stream *s, u32 cpu);

/* Commands and dumps: see netlink.h. */
int netlink_stream_get(struct genl_info *info);
int netlink_stream_new(struct genl_info *info);
int netlink_stream_set(struct genl_info *info);
int netlink_stream_del(struct genl_info *info);
int netlink_clear(struct genl_info *info);
int netlink_stream_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* DEVTRACE_NETLINK_STREAM_H */
