/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies of requests: see netlink_policy.c */
#ifndef DEVTRACE_NETLINK_POLICY_H
#define DEVTRACE_NETLINK_POLICY_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

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

#endif /* DEVTRACE_NETLINK_POLICY_H */
