// SPDX-License-Identifier: GPL-2.0-only
/* Commands for streams */
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/slab.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/slots.h"
#include "filter_parse.h"
#include "manage/filter_policy.h"
#include "manage/streams.h"
#include "netlink_check.h"
#include "netlink_msg.h"
#include "netlink_policy.h"
#include "netlink_stream.h"
#include "read/clear.h"
#include "ring/ring_memory.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "trigger.h"

/* Size of an entry: two names, three u64 and five u32. */
#define ENTRY_SIZE							\
	(2 * nla_total_size(DEVTRACE_NAME_LEN) +			\
	 3 * nla_total_size_64bit(sizeof(u64)) + 5 * nla_total_size(sizeof(u32)))

/*
 * Refuse changes of an image, which has the events of an earlier boot: it has no filter and no
 * rings, and its module may remove it at any time.
 */
int netlink_check_changes(const struct stream *s, const struct nlattr *attr,
			  struct netlink_ext_ack *extack)
{
	if (!s->image)
		return 0;
	netlink_refuse(extack, attr,
		       "stream is from an earlier boot and does not change: name another one, or remove it");
	return -EINVAL;
}

static int put_stream(struct sk_buff *skb, struct stream *s)
{
	struct stream_info i;
	u32 generation;

	stream_info(s, &i);
	filter_get(i.id, &generation);
	if (nla_put_string(skb, DEVTRACE_A_STREAM, i.name) ||
	    nla_put_u32(skb, DEVTRACE_A_ID, i.id) ||
	    nla_put_u64_64bit(skb, DEVTRACE_A_SIZE, i.bytes, DEVTRACE_A_PAD) ||
	    nla_put_u32(skb, DEVTRACE_A_STATE, i.state) ||
	    (i.reason[0] && nla_put_string(skb, DEVTRACE_A_REASON, i.reason)) ||
	    nla_put_u64_64bit(skb, DEVTRACE_A_SINCE, i.since, DEVTRACE_A_PAD) ||
	    nla_put_u32(skb, DEVTRACE_A_WATERMARK, i.watermark) ||
	    nla_put_u32(skb, DEVTRACE_A_MODE, i.mode) ||
	    nla_put_u64_64bit(skb, DEVTRACE_A_USED, i.used, DEVTRACE_A_PAD) ||
	    nla_put_u32(skb, DEVTRACE_A_GENERATION, generation))
		return -EMSGSIZE;
	return 0;
}

void netlink_notify_stream(int cmd, struct stream *s)
{
	struct netlink_msg m;

	if (netlink_notify_begin(&m, cmd, ENTRY_SIZE))
		netlink_notify_end(&m, put_stream(m.skb, s));
}

void netlink_notify_clear(struct stream *s)
{
	struct stream_info i;

	stream_info(s, &i);
	netlink_notify_name(DEVTRACE_CMD_NTF_CLEAR, DEVTRACE_A_STREAM, i.name);
}

void netlink_notify_watermark(struct stream *s, u32 cpu)
{
	struct netlink_msg m;
	struct stream_info i;
	int err;

	if (!netlink_notify_begin(&m, DEVTRACE_CMD_NTF_WATERMARK, ENTRY_SIZE))
		return;
	stream_info(s, &i);
	err = nla_put_string(m.skb, DEVTRACE_A_STREAM, i.name) ?:
	      nla_put_u32(m.skb, DEVTRACE_A_CPU, cpu) ?:
	      nla_put_u32(m.skb, DEVTRACE_A_WATERMARK, i.watermark);
	netlink_notify_end(&m, err);
}

int netlink_get_of_stream(struct genl_info *info, size_t size, netlink_put_stream_fn *put)
{
	struct stream *s = netlink_stream(info->attrs, info->extack);
	struct netlink_msg m;
	int err;

	if (!s)
		return -ENOENT;
	err = netlink_reply_begin(&m, info, size);
	if (err)
		return err;
	return netlink_reply_end(&m, info, put(m.skb, s));
}

/* cb->args[0]: stream to continue with */
int netlink_dump_of_streams(struct sk_buff *skb, struct netlink_callback *cb,
			    netlink_put_stream_fn *put)
{
	struct stream *s;
	void *head;
	int err;

	for (; cb->args[0] < DEVTRACE_STREAMS_MAX; cb->args[0]++) {
		s = stream_by_id(cb->args[0]);
		if (!s)
			continue;
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put(skb, s));
		if (err)
			return err;
	}
	return 0;
}

int netlink_stream_get(struct genl_info *info)
{
	return netlink_get_of_stream(info, ENTRY_SIZE, put_stream);
}

int netlink_stream_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return netlink_dump_of_streams(skb, cb, put_stream);
}

/* Set the message for the error of a size that the policy accepted. */
static void refuse_size(struct genl_info *info, int err)
{
	struct nlattr *size = info->attrs[DEVTRACE_A_SIZE];

	if (err == -ENOMEM)
		netlink_refuse(info->extack, size,
			       "size needs more memory, for all CPUs together, than there is: ask for less");
	else if (err == -EBUSY)
		netlink_refuse(info->extack, size,
			       "size cannot change while devtrace_persist keeps the events in its region: remove that module first");
	else
		netlink_refuse_value(info->extack, size,
				     &netlink_stream_set_takes[DEVTRACE_A_SIZE]);
}

/* Round the requested size up to a power of two. Return false if the result is too large. */
static bool get_size(struct genl_info *info, unsigned long *bytes)
{
	*bytes = ring_size_round(nla_get_u64(info->attrs[DEVTRACE_A_SIZE]));
	return *bytes;
}

static void refuse_new(struct genl_info *info, int err)
{
	struct nlattr *name = info->attrs[DEVTRACE_A_STREAM];

	if (err == -EEXIST)
		netlink_refuse(info->extack, name,
			       "stream exists already: remove it first, or choose another name");
	else if (err == -ENOSPC)
		netlink_refuse(info->extack, name,
			       "stream would be one more than 16: remove another one first");
	else
		refuse_size(info, err);
}

int netlink_stream_new(struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	enum devtrace_state state = DEVTRACE_STATE_RUNNING;
	struct stream_info stream0;
	unsigned long bytes;
	struct filter *f;
	struct stream *s;
	umode_t mode;
	int err;

	if (!get_size(info, &bytes)) {
		refuse_size(info, -EINVAL);
		return -EINVAL;
	}
	/* Compare with stream 0, too: two streams of one name would need the same device node. */
	if (stream_find(nla_data(a[DEVTRACE_A_STREAM]))) {
		refuse_new(info, -EEXIST);
		return -EEXIST;
	}
	stream_info(stream_by_id(0), &stream0);
	mode = a[DEVTRACE_A_MODE] ? nla_get_u32(a[DEVTRACE_A_MODE]) : stream0.mode;
	if (a[DEVTRACE_A_STATE])
		state = nla_get_u32(a[DEVTRACE_A_STATE]);
	f = kmalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	filter_all(f);
	if (a[DEVTRACE_A_FILTER])
		filter_parse(f, a[DEVTRACE_A_FILTER]);
	s = stream_new(nla_data(a[DEVTRACE_A_STREAM]), bytes, mode, state, f, NULL);
	kfree(f);
	if (IS_ERR(s)) {
		err = PTR_ERR(s);
		refuse_new(info, err);
		return err;
	}
	netlink_notify_stream(DEVTRACE_CMD_NTF_STREAM_NEW, s);
	return 0;
}

static int refuse_frozen(struct genl_info *info)
{
	netlink_refuse(info->extack, info->attrs[DEVTRACE_A_STATE],
		       "stream is frozen: thaw it first, by setting its state to 1 (stopped)");
	return -EBUSY;
}

int netlink_stream_set(struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	struct stream *s = netlink_stream(a, info->extack);
	unsigned long bytes;
	u32 state;
	int err;

	if (!s)
		return -ENOENT;
	err = netlink_check_changes(s, a[DEVTRACE_A_STREAM], info->extack);
	if (err)
		return err;
	if (!a[DEVTRACE_A_SIZE] && !a[DEVTRACE_A_STATE] && !a[DEVTRACE_A_WATERMARK]) {
		netlink_refuse(info->extack, NULL,
			       "nothing is set: give one or more of size, state and watermark");
		return -EINVAL;
	}
	/* Steps that may fail come first, so that all values are set or none. */
	state = a[DEVTRACE_A_STATE] ? nla_get_u32(a[DEVTRACE_A_STATE]) : DEVTRACE_STATE_STOPPED;
	if (state == DEVTRACE_STATE_RUNNING && READ_ONCE(s->state) == DEVTRACE_STATE_FROZEN)
		return refuse_frozen(info);
	if (a[DEVTRACE_A_STATE] && emit_slots_alloc()) {
		netlink_refuse(info->extack, a[DEVTRACE_A_STATE],
			       "not enough memory to count the events that a stopped stream loses: try again");
		return -ENOMEM;
	}
	if (a[DEVTRACE_A_SIZE]) {
		err = get_size(info, &bytes) ? stream_resize(s, bytes) : -EINVAL;
		if (err) {
			refuse_size(info, err);
			return err;
		}
	}
	if (a[DEVTRACE_A_WATERMARK])
		stream_set_watermark(s, nla_get_u32(a[DEVTRACE_A_WATERMARK]));
	/* This fails if a trigger has frozen the stream after the check above. */
	if (a[DEVTRACE_A_STATE] && stream_set_state(s, state))
		return refuse_frozen(info);
	netlink_notify_stream(DEVTRACE_CMD_NTF_STREAM_SET, s);
	return 0;
}

int netlink_stream_del(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[DEVTRACE_A_STREAM];
	struct stream *s = netlink_stream(info->attrs, info->extack);
	char name[DEVTRACE_NAME_LEN];
	unsigned int id;
	int err;

	if (!s)
		return -ENOENT;
	id = s->id;
	err = trigger_stream_goes(s, info->extack);
	if (err)
		return err;
	strscpy(name, nla_data(attr), sizeof(name));
	err = stream_del(s);
	if (err == -EBUSY)
		netlink_refuse(info->extack, attr,
			       "stream trace always exists: name another stream to remove");
	if (err)
		return err;
	trigger_stream_gone(id);
	netlink_notify_name(DEVTRACE_CMD_NTF_STREAM_DEL, DEVTRACE_A_STREAM, name);
	return 0;
}

int netlink_clear(struct genl_info *info)
{
	struct stream *s = netlink_stream(info->attrs, info->extack);
	int err;

	if (!s)
		return -ENOENT;
	err = netlink_check_changes(s, info->attrs[DEVTRACE_A_STREAM], info->extack);
	if (err)
		return err;
	err = stream_clear(s);
	if (err == -EBUSY)
		netlink_refuse(info->extack, info->attrs[DEVTRACE_A_STREAM],
			       "stream is frozen and keeps its events: first set its state to 1 (stopped)");
	if (!err)
		netlink_notify_clear(s);
	return err;
}
