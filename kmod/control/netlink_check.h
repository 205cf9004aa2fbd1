/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of requests that a policy cannot describe, and refusals: see netlink_check.c */
#ifndef DEVTRACE_NETLINK_CHECK_H
#define DEVTRACE_NETLINK_CHECK_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

struct stream;

/*
 * Refuse a request. @msg says what is wrong and what would be right; it must stay valid, as string
 * literals do.
 */
void netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		    const char *msg);

/* Refuse a value as the kernel refuses one that violates a policy. Return -EINVAL. */
int netlink_refuse_value(struct netlink_ext_ack *extack, const struct nlattr *attr,
			 const struct nla_policy *policy);

/* Return a copy of @text that is valid until netlink_forget(); @no_room if there is no room. */
const char *netlink_keep(const char *text, const char *no_room);

/* Length of a string whose NUL is the last byte; -1 if the NUL is elsewhere. */
int netlink_string_len(const struct nlattr *attr);

/* Check that no attribute is given twice, neither at the top level nor in a nest. */
int netlink_check_once(const struct nlattr *head, int len, struct netlink_ext_ack *extack);

/*
 * Check that @tb has each attribute whose bit is set in @needs. @nest: the attribute from which @tb
 * was parsed; NULL: the top level of the request
 */
int netlink_check_needs(struct nlattr **tb, u64 needs, const struct nlattr *nest,
			struct netlink_ext_ack *extack);

/* The stream named by DEVTRACE_A_STREAM. NULL: the request is refused with -ENOENT. */
struct stream *netlink_stream(struct nlattr **attrs, struct netlink_ext_ack *extack);

/* Free the texts of netlink_keep(). Called when no request can return them any more. */
void netlink_forget(void);

#endif /* DEVTRACE_NETLINK_CHECK_H */
