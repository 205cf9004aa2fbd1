/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters as netlink has them: see filter_parse.c
 */
#ifndef DEVTRACE_CONTROL_FILTER_PARSE_H
#define DEVTRACE_CONTROL_FILTER_PARSE_H

#include <linux/types.h>

struct filter;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

/* Whether DEVTRACE_T_FAULT was left out of a filter since the last call. */
bool filter_lacks_faults(void);

/* Process context, devtrace_lock held. */
int filter_parse(struct filter *f, const struct nlattr *nest, struct netlink_ext_ack *extack);
int filter_put(struct sk_buff *skb, int attrtype, const struct filter *f);

#endif /* DEVTRACE_CONTROL_FILTER_PARSE_H */
