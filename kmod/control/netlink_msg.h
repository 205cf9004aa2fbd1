/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of the family: entries of dumps, replies, notifications; see netlink_msg.c */
#ifndef DEVTRACE_NETLINK_MSG_H
#define DEVTRACE_NETLINK_MSG_H

#include <linux/netlink.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include <uapi/linux/devtrace_netlink.h>

/* A message that is being built; @head is NULL if it could not be allocated. */
struct netlink_msg {
	struct sk_buff	*skb;
	void		*head;
	int		cmd;
};

/* The attributes of a dump's request. */
struct nlattr **netlink_dump_attrs(struct netlink_callback *cb);

/* Begin an entry of a dump. Return NULL if the message has no more room. */
void *netlink_dump_begin(struct sk_buff *skb, struct netlink_callback *cb);
/*
 * End an entry. @err: error number if not all its attributes could be put. Return 0 if the dump can
 * continue; otherwise the value that the dump must return.
 */
int netlink_dump_end(struct sk_buff *skb, void *head, int err);

/* Begin and send a reply to the requester. @size: maximum size of its attributes, bytes */
int netlink_reply_begin(struct netlink_msg *m, struct genl_info *info, size_t size);
int netlink_reply_end(struct netlink_msg *m, struct genl_info *info, int err);

/*
 * Begin and send a notification to all listeners. If it cannot be sent, the listeners get ENOBUFS.
 * Each change sends its notification under devtrace_lock, so notifications have the order of the
 * changes.
 */
bool netlink_notify_begin(struct netlink_msg *m, int cmd, size_t size);
void netlink_notify_end(struct netlink_msg *m, int err);
/* Send a notification that contains only a name: NTF_*_DEL, NTF_CLEAR. */
void netlink_notify_name(int cmd, int attrtype, const char *name);

unsigned int netlink_msg_changes(void);
int netlink_msg_register(struct genl_family *family);
void netlink_msg_unregister(void);

#endif /* DEVTRACE_NETLINK_MSG_H */
