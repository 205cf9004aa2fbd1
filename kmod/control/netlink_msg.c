// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of the family: entries of dumps, replies, notifications
 *
 * Notifications are sent only to network namespaces that the initial user namespace owns. A family
 * can require only that a listener has CAP_SYS_ADMIN in the user namespace that owns its network
 * namespace, and any user can create a user namespace in which he has this right.
 */
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "compat/compat_netlink.h"
#include "netlink_msg.h"
#include "stream/table.h"

/* Set before the family is registered. */
static struct genl_family *msg_family;

/*
 * The family is registered, so notifications can be sent. Triggers may fire before that, when the
 * family has no valid group number, and a notification would reach another family's listeners.
 * Protected by devtrace_lock.
 */
static bool msg_registered;

/* Incremented at each change, so that a dump can detect changes between its messages; never 0. */
static unsigned int msg_changes = 1;

/* Context: devtrace_lock held. */
unsigned int netlink_msg_changes(void)
{
	return msg_changes;
}

struct nlattr **netlink_dump_attrs(struct netlink_callback *cb)
{
	return compat_dump_attrs(cb);
}

void *netlink_dump_begin(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genlmsghdr *hdr = nlmsg_data(cb->nlh);
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				 msg_family, NLM_F_MULTI, hdr->cmd);

	if (head)
		genl_dump_check_consistent(cb, head);
	return head;
}

int netlink_dump_end(struct sk_buff *skb, void *head, int err)
{
	if (err)
		genlmsg_cancel(skb, head);
	else
		genlmsg_end(skb, head);
	return err;
}

int netlink_reply_begin(struct netlink_msg *m, struct genl_info *info, size_t size)
{
	m->cmd = info->genlhdr->cmd;
	m->skb = genlmsg_new(size, GFP_KERNEL);
	if (!m->skb)
		return -ENOMEM;
	m->head = genlmsg_put_reply(m->skb, info, msg_family, 0, m->cmd);
	if (!m->head) {
		nlmsg_free(m->skb);
		return -EMSGSIZE;
	}
	return 0;
}

int netlink_reply_end(struct netlink_msg *m, struct genl_info *info, int err)
{
	if (WARN_ON_ONCE(err)) {
		nlmsg_free(m->skb);
		return err;
	}
	genlmsg_end(m->skb, m->head);
	return genlmsg_reply(m->skb, info);
}

/*
 * Send a message to each network namespace with listeners.
 * @skb: the message; NULL: tell the listeners that they missed one
 */
static void notify_all(struct sk_buff *skb)
{
	struct sk_buff *copy;
	struct net *net;

	/* This wait is short: a holder of the semaphore only changes a list. */
	down_read(&net_rwsem);
	for_each_net(net) {
		if (net->user_ns != &init_user_ns || !genl_has_listeners(msg_family, net, 0))
			continue;
		copy = skb ? skb_clone(skb, GFP_KERNEL) : NULL;
		if (copy)
			genlmsg_multicast_netns(msg_family, net, copy, 0, 0, GFP_KERNEL);
		else
			genl_set_err(msg_family, net, 0, 0, -ENOBUFS);
	}
	up_read(&net_rwsem);
}

bool netlink_notify_begin(struct netlink_msg *m, int cmd, size_t size)
{
	lockdep_assert_held(&devtrace_lock);
	if (!msg_registered)
		return false;
	if (cmd != DEVTRACE_CMD_NTF_FIRED && cmd != DEVTRACE_CMD_NTF_WATERMARK)
		msg_changes = msg_changes + 1 ?: 1;
	m->cmd = cmd;
	m->skb = genlmsg_new(size, GFP_KERNEL);
	m->head = m->skb ? genlmsg_put(m->skb, 0, 0, msg_family, 0, cmd) : NULL;
	if (!m->head) {
		nlmsg_free(m->skb);
		notify_all(NULL);
		return false;
	}
	return true;
}

void netlink_notify_end(struct netlink_msg *m, int err)
{
	if (WARN_ON_ONCE(err)) {
		notify_all(NULL);
	} else {
		genlmsg_end(m->skb, m->head);
		notify_all(m->skb);
	}
	nlmsg_free(m->skb);
}

void netlink_notify_name(int cmd, int attrtype, const char *name)
{
	struct netlink_msg m;

	if (netlink_notify_begin(&m, cmd, nla_total_size(DEVTRACE_NAME_LEN)))
		netlink_notify_end(&m, nla_put_string(m.skb, attrtype, name));
}

int __init netlink_msg_register(struct genl_family *family)
{
	int err;

	msg_family = family;
	err = genl_register_family(family);
	mutex_lock(&devtrace_lock);
	msg_registered = !err;
	mutex_unlock(&devtrace_lock);
	return err;
}

/* Unregister the family. Waits until requests in progress have sent their replies. */
void netlink_msg_unregister(void)
{
	mutex_lock(&devtrace_lock);
	msg_registered = false;
	mutex_unlock(&devtrace_lock);
	genl_unregister_family(msg_family);
}
