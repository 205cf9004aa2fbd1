/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family
 *
 * netlink.c has the family, the rights, and code that all commands share; netlink_check.c has
 * the policies of attributes; netlink_filter.c, netlink_stream.c, netlink_trigger.c,
 * netlink_stats.c and netlink_profile.c have a function for each of their commands.
 *
 * Each command has an entry in the tables of netlink.c: required rights, policy, required
 * attributes. All that is checked, and devtrace_lock is taken, before its function is called.
 * So the function finds attributes of the right kind, size and range, each once, and only has
 * to interpret them. genl_info.attrs ends with the last attribute of the command's policy.
 *
 * A command returns 0 or a negative error number, with a message in info->extack. A dump puts
 * entries beginning at the cursor in cb->args; it is called again while it puts any. It returns
 * 0 or the value of netlink_dump_end().
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

/* The stream named by DEVTRACE_A_STREAM. NULL: the request is refused with -ENOENT. */
struct stream *netlink_stream(struct nlattr **attrs, struct netlink_ext_ack *extack);

/* The attributes of a dump's request. */
struct nlattr **netlink_dump_attrs(struct netlink_callback *cb);

/* Begin an entry of a dump; NULL: no more room. */
void *netlink_dump_begin(struct sk_buff *skb, struct netlink_callback *cb);
/* End an entry; @err: error of filling it in. Return 0 to go on, else return it. */
int netlink_dump_end(struct sk_buff *skb, void *head, int err);

/* A reply to the requester with at most @size bytes of attributes. */
int netlink_reply_begin(struct netlink_msg *m, struct genl_info *info, size_t size);
int netlink_reply_end(struct netlink_msg *m, struct genl_info *info, int err);

/*
 * A notification to all listeners; if it cannot be sent, they are told that they missed one.
 * Each change sends one under devtrace_lock, so notifications come in the order of the changes.
 */
bool netlink_notify_begin(struct netlink_msg *m, int cmd, size_t size);
void netlink_notify_end(struct netlink_msg *m, int err);
/* A notification with only a name: NTF_*_DEL, NTF_CLEAR. */
void netlink_notify_name(int cmd, int attrtype, const char *name);

int netlink_init(void);
void netlink_exit(void);

#endif /* DEVTRACE_NETLINK_H */
