/* SPDX-License-Identifier: GPL-2.0-only */
/* Convert filters from netlink attributes and back: see filter_parse.c */
#ifndef DEVTRACE_CONTROL_FILTER_PARSE_H
#define DEVTRACE_CONTROL_FILTER_PARSE_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

struct filter;
struct sk_buff;

/* Policy of a nest of filter attributes. filter_parse() relies on it. */
extern const struct nla_policy filter_parse_policy[DEVTRACE_FA_MAX + 1];

/* Process context, devtrace_lock held. */
void filter_parse(struct filter *f, const struct nlattr *nest);
int filter_put(struct sk_buff *skb, int attrtype, const struct filter *f);

#endif /* DEVTRACE_CONTROL_FILTER_PARSE_H */
