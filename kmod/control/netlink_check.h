/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What requests must be: each attribute by its rule, and the words that refuse it
 */
#ifndef DEVTRACE_NETLINK_CHECK_H
#define DEVTRACE_NETLINK_CHECK_H

#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

/*
 * Refuse a request: @msg is a sentence that names the attribute and says what
 * would be right. It must stay, as string literals do.
 */
void netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		    const char *msg);

/* A sentence that does not stay, as one that does; @no_room if that takes too much. */
const char *netlink_keep(const char *text, const char *no_room);

/**
 * struct netlink_nest - what is the same for all nests of a kind
 * @max: the highest attribute
 * @unknown: what to say of an attribute that is not known
 * @names: by attribute: what it is called; NULL: it is not known
 * @leftover: what to say of bytes behind the last one
 */
struct netlink_nest {
	unsigned int		max;
	const char		*unknown;
	const char *const	*names;
	const char		*leftover;
};

/* Find the attributes of a nest, each once; @tb has @n->max + 1 places. */
int netlink_parse_nest(const struct netlink_nest *n, struct nlattr **tb,
		       const struct nlattr *nest, struct netlink_ext_ack *extack);

/*
 * What the policy has let through: each once, and what the command takes. @takes and @needs
 * have a bit for each attribute.
 */
int netlink_check_request(const struct nlmsghdr *nlh, u64 takes, u64 needs,
			  struct netlink_ext_ack *extack);

extern struct nla_policy netlink_policy[DEVTRACE_A_MAX + 1];
/* Before the family is registered. */
void netlink_policy_init(void);
/* Free what netlink_keep() kept: nobody can be told it any more. */
void netlink_forget(void);

#endif /* DEVTRACE_NETLINK_CHECK_H */
