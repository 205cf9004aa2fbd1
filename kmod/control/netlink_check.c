// SPDX-License-Identifier: GPL-2.0-only
/* Checks of requests that a policy cannot describe, and refusals */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <uapi/linux/devtrace_netlink.h>

#include "compat/compat_netlink.h"
#include "manage/streams.h"
#include "netlink_check.h"

void netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		    const char *msg)
{
	if (!extack)
		return;
	extack->_msg = msg;
	if (attr)
		NL_SET_BAD_ATTR(extack, attr);
}

int netlink_refuse_value(struct netlink_ext_ack *extack, const struct nlattr *attr,
			 const struct nla_policy *policy)
{
	NL_SET_ERR_MSG_ATTR_POL(extack, attr, policy, "attribute has a wrong value");
	return -EINVAL;
}

/*
 * The kernel copies a message to the requester after devtrace_lock is released. A text that another
 * object owns may be freed by then. So netlink_keep() copies such a text and keeps the copy until
 * the module is removed. There are few such texts: refusals of profile-add, and lists of types that
 * this kernel lacks.
 */
#define NOTES_MAX	64
static const char *notes[NOTES_MAX];
static DEFINE_MUTEX(notes_lock);

const char *netlink_keep(const char *text, const char *no_room)
{
	const char *kept = no_room;
	int i;

	/* No need for mutex_lock_killable(): a holder of the lock waits only for memory. */
	mutex_lock(&notes_lock);
	for (i = 0; i < NOTES_MAX && notes[i]; i++)
		if (!strcmp(notes[i], text))
			break;
	if (i < NOTES_MAX && !notes[i])
		notes[i] = kstrdup(text, GFP_KERNEL);
	if (i < NOTES_MAX && notes[i])
		kept = notes[i];
	mutex_unlock(&notes_lock);
	return kept;
}

void netlink_forget(void)
{
	int i;

	for (i = 0; i < NOTES_MAX; i++)
		kfree(notes[i]);
}

int netlink_string_len(const struct nlattr *attr)
{
	const int len = nla_len(attr) - 1;

	return strnlen(nla_data(attr), len + 1) == (size_t)len ? len : -1;
}

struct stream *netlink_stream(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct nlattr *attr = attrs[DEVTRACE_A_STREAM];
	struct stream *s = stream_find(nla_data(attr));

	if (!s)
		netlink_refuse(extack, attr,
			       "stream is not known: stream-get lists the streams");
	return s;
}

int netlink_check_once(const struct nlattr *head, int len, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	u64 seen = 0;
	int rem, err;

	BUILD_BUG_ON(DEVTRACE_A_MAX > 63);
	nla_for_each_attr(attr, head, len, rem) {
		if (seen & BIT_ULL(nla_type(attr))) {
			netlink_refuse(extack, attr, "attribute is given twice: give it once");
			return -EINVAL;
		}
		seen |= BIT_ULL(nla_type(attr));
		if (!(attr->nla_type & NLA_F_NESTED))
			continue;
		/* Recursion ends at depth 1: policies refuse nests in nests. */
		err = netlink_check_once(nla_data(attr), nla_len(attr), extack);
		if (err)
			return err;
	}
	return 0;
}

int netlink_check_needs(struct nlattr **tb, u64 needs, const struct nlattr *nest,
			struct netlink_ext_ack *extack)
{
	int i;

	for (i = 1; needs >> i; i++) {
		if (!(needs & BIT_ULL(i)) || !compat_attr_missing(extack, nest, tb, i))
			continue;
		netlink_refuse(extack, nest, "attribute is missing");
		return -EINVAL;
	}
	return 0;
}
