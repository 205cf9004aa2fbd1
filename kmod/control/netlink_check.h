/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What requests must be: policies of the kernel, and what no policy can say
 */
#ifndef DEVTRACE_NETLINK_CHECK_H
#define DEVTRACE_NETLINK_CHECK_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

/*
 * Refuse a request: @msg says what is wrong, and what would be right. It must stay,
 * as string literals do.
 */
void netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		    const char *msg);

/* Refuse a value as the kernel does that a policy does not let through. Returns -EINVAL. */
int netlink_refuse_value(struct netlink_ext_ack *extack, const struct nlattr *attr,
			 const struct nla_policy *policy);

/* A sentence that does not stay, as one that does; @no_room if that takes too much. */
const char *netlink_keep(const char *text, const char *no_room);

/* Bytes of a string before its NUL, which is the last byte; -1: it is elsewhere. */
int netlink_string_len(const struct nlattr *attr);

/* Attributes that a policy has let through, and nests of them: each once. */
int netlink_check_once(const struct nlattr *head, int len, struct netlink_ext_ack *extack);

/* Those of @needs, a bit for each, must be in @tb, which is of @nest or, NULL, of the top. */
int netlink_check_needs(struct nlattr **tb, u64 needs, const struct nlattr *nest,
			struct netlink_ext_ack *extack);

/* What commands take: several take the same. */
extern const struct nla_policy netlink_takes_nothing[DEVTRACE_A_PAD + 1];
extern const struct nla_policy netlink_takes_stream[DEVTRACE_A_STREAM + 1];
extern const struct nla_policy netlink_takes_trigger[DEVTRACE_A_TRIGGER + 1];
extern const struct nla_policy netlink_takes_tracepoint[DEVTRACE_A_TRACEPOINT + 1];
extern const struct nla_policy netlink_stream_new_takes[DEVTRACE_A_FILTER + 1];
extern const struct nla_policy netlink_stream_set_takes[DEVTRACE_A_WATERMARK + 1];
extern const struct nla_policy netlink_filter_set_takes[DEVTRACE_A_FILTER + 1];
extern const struct nla_policy netlink_trigger_new_takes[DEVTRACE_A_ARMED + 1];
extern const struct nla_policy netlink_trigger_set_takes[DEVTRACE_A_ARMED + 1];

/* Free what netlink_keep() kept: nobody can be told it any more. */
void netlink_forget(void);

#endif /* DEVTRACE_NETLINK_CHECK_H */
