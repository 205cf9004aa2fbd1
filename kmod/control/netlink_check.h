/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of requests: policies, and what a policy cannot express: see netlink_check.c */
#ifndef DEVTRACE_NETLINK_CHECK_H
#define DEVTRACE_NETLINK_CHECK_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

/*
 * Refuse a request. @msg says what is wrong and what would be right; it must stay valid, like a
 * string literal.
 */
void netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		    const char *msg);

/* Refuse a value like the kernel refuses one that violates a policy. Return -EINVAL. */
int netlink_refuse_value(struct netlink_ext_ack *extack, const struct nlattr *attr,
			 const struct nla_policy *policy);

/* Return a copy of @text that outlives the lock, or @no_room. */
const char *netlink_keep(const char *text, const char *no_room);

/* Length of a string whose NUL is the last byte; -1 if the NUL is elsewhere. */
int netlink_string_len(const struct nlattr *attr);

/* Check that each attribute, at the top and in nests, is given once. */
int netlink_check_once(const struct nlattr *head, int len, struct netlink_ext_ack *extack);

/*
 * Require each attribute whose bit is set in @needs; @tb was parsed from @nest (NULL: top
 * level).
 */
int netlink_check_needs(struct nlattr **tb, u64 needs, const struct nlattr *nest,
			struct netlink_ext_ack *extack);

/* Policies of commands; some are shared. */
extern const struct nla_policy netlink_takes_nothing[DEVTRACE_A_PAD + 1];
extern const struct nla_policy netlink_takes_stream[DEVTRACE_A_STREAM + 1];
extern const struct nla_policy netlink_takes_trigger[DEVTRACE_A_TRIGGER + 1];
extern const struct nla_policy netlink_takes_tracepoint[DEVTRACE_A_TRACEPOINT + 1];
extern const struct nla_policy netlink_stream_new_takes[DEVTRACE_A_FILTER + 1];
extern const struct nla_policy netlink_stream_set_takes[DEVTRACE_A_WATERMARK + 1];
extern const struct nla_policy netlink_filter_set_takes[DEVTRACE_A_FILTER + 1];
extern const struct nla_policy netlink_trigger_new_takes[DEVTRACE_A_ARMED + 1];
extern const struct nla_policy netlink_trigger_set_takes[DEVTRACE_A_ARMED + 1];

/* Free the texts of netlink_keep(): no request can return them any more. */
void netlink_forget(void);

#endif /* DEVTRACE_NETLINK_CHECK_H */
