/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family
 *
 * netlink.c has the family, the rights, and what all commands share; netlink_check.c
 * has what attributes must be; netlink_filter.c, netlink_stream.c, netlink_trigger.c,
 * netlink_stats.c and netlink_profile.c have a function for each command of theirs.
 *
 * Each command has an entry in the tables of netlink.c: who may give it, the policy of
 * what it takes, and which attributes it must have. All that is checked, and devtrace_lock
 * is held, before its function is called. So a function finds attributes of the right kind,
 * size and range, each once; what is left to it is what they mean. There is no place in
 * genl_info.attrs for attributes above the last one that a command takes.
 *
 * A command returns 0 or a negative error number; the sentence is in info->extack. A dump
 * puts entries from where cb->args say, is called again as long as it puts any, and returns
 * 0, or what netlink_dump_end() said.
 */
#ifndef DEVTRACE_NETLINK_H
#define DEVTRACE_NETLINK_H

#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

struct stream;

/* A message being built; @head is NULL if there is none. */
struct netlink_msg {
	struct sk_buff	*skb;
	void		*head;
	int		cmd;
};

/* The stream that DEVTRACE_A_STREAM names; NULL: refused, the error is -ENOENT. */
struct stream *netlink_stream(struct nlattr **attrs, struct netlink_ext_ack *extack);

/* Attributes of the request that a dump goes on with. */
struct nlattr **netlink_dump_attrs(struct netlink_callback *cb);

/* An entry of a dump: begin it, fill it in, end it; NULL: no more room. */
void *netlink_dump_begin(struct sk_buff *skb, struct netlink_callback *cb);
/* @err: of filling it in. 0: go on with the next; else return it. */
int netlink_dump_end(struct sk_buff *skb, void *head, int err);

/* A reply of at most @size bytes of attributes, to the one that asked. */
int netlink_reply_begin(struct netlink_msg *m, struct genl_info *info, size_t size);
int netlink_reply_end(struct netlink_msg *m, struct genl_info *info, int err);

/*
 * A notification; sent to all that listen, or, if it cannot be, they are told that
 * they missed one. Whatever changes something sends one, under devtrace_lock, so
 * that they come in the order of the changes.
 */
bool netlink_notify_begin(struct netlink_msg *m, int cmd, size_t size);
void netlink_notify_end(struct netlink_msg *m, int err);
/* One that has no more than a name: NTF_*_DEL, NTF_CLEAR. */
void netlink_notify_name(int cmd, int attrtype, const char *name);

int netlink_init(void);
void netlink_exit(void);

#endif /* DEVTRACE_NETLINK_H */
