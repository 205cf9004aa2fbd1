// SPDX-License-Identifier: GPL-2.0-only
/* The generic netlink family: rights and commands */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/compat_netlink.h"
#include "emit/filter.h"
#include "filter_parse.h"
#include "manage/profile_ask.h"
#include "manage/streams.h"
#include "netlink.h"
#include "netlink_check.h"
#include "netlink_filter.h"
#include "netlink_msg.h"
#include "netlink_policy.h"
#include "netlink_profile.h"
#include "netlink_stats.h"
#include "netlink_stream.h"
#include "netlink_trigger.h"
#include "stream/profile_ops.h"
#include "stream/table.h"

/* The largest entry of a dump: a trigger with two filters of maximum size. */
#define DUMP_MIN	(2 * NETLINK_FILTER_SIZE + 1024)

#define A(attr)		BIT_ULL(DEVTRACE_A_##attr)

/**
 * struct command - a command of the family
 * @changes: the command changes something, so it requires more rights
 * @needs: bit mask of required attributes; a dump requires none
 * @doit: executes the command
 * @dumpit: executes the dump
 */
struct command {
	bool	changes;
	u64	needs;
	int	(*doit)(struct genl_info *info);
	int	(*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
};

static const struct command commands[] = {
	[DEVTRACE_CMD_STREAM_GET] = {
		false, A(STREAM), netlink_stream_get, netlink_stream_dump,
	},
	[DEVTRACE_CMD_STREAM_NEW] = { true, A(STREAM) | A(SIZE), netlink_stream_new, NULL },
	[DEVTRACE_CMD_STREAM_SET] = { true, A(STREAM), netlink_stream_set, NULL },
	[DEVTRACE_CMD_STREAM_DEL] = { true, A(STREAM), netlink_stream_del, NULL },
	[DEVTRACE_CMD_CLEAR] = { true, A(STREAM), netlink_clear, NULL },
	[DEVTRACE_CMD_FILTER_GET] = {
		false, A(STREAM), netlink_filter_get, netlink_filter_dump,
	},
	[DEVTRACE_CMD_FILTER_SET] = {
		true, A(STREAM) | A(FILTER), netlink_filter_set, NULL,
	},
	[DEVTRACE_CMD_TRIGGER_GET] = {
		false, A(TRIGGER), netlink_trigger_get, netlink_trigger_dump,
	},
	[DEVTRACE_CMD_TRIGGER_NEW] = {
		true, A(TRIGGER) | A(WHEN) | A(ACTION), netlink_trigger_new, NULL,
	},
	[DEVTRACE_CMD_TRIGGER_SET] = {
		true, A(TRIGGER) | A(ARMED), netlink_trigger_set, NULL,
	},
	[DEVTRACE_CMD_TRIGGER_DEL] = { true, A(TRIGGER), netlink_trigger_del, NULL },
	[DEVTRACE_CMD_STATS_GET] = { false, 0, NULL, netlink_stats_dump },
	[DEVTRACE_CMD_TYPE_GET] = { false, 0, NULL, netlink_type_dump },
	[DEVTRACE_CMD_PROCESS_GET] = { false, 0, NULL, netlink_process_dump },
	[DEVTRACE_CMD_READER_GET] = { false, 0, NULL, netlink_reader_dump },
	[DEVTRACE_CMD_DICT_GET] = { false, 0, NULL, netlink_dict_dump },
	[DEVTRACE_CMD_LANE_GET] = { false, 0, NULL, netlink_lane_dump },
	[DEVTRACE_CMD_PROFILE_GET] = { false, 0, NULL, netlink_profile_dump },
	[DEVTRACE_CMD_PROFILE_ADD] = { true, A(TRACEPOINT), netlink_profile_add, NULL },
	[DEVTRACE_CMD_PROFILE_DEL] = { true, A(TRACEPOINT), netlink_profile_del, NULL },
};

/*
 * The opener of the socket and the sender must both have the right, so that a privileged program
 * cannot be tricked into sending another program's request.
 */
static int check_rights(struct sk_buff *skb, bool change, struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	if (change) {
		netlink_refuse(extack, NULL,
			       "this needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace");
		return -EPERM;
	}
	if (netlink_capable(skb, CAP_SYSLOG))
		return 0;
	netlink_refuse(extack, NULL,
		       "this needs CAP_SYSLOG, CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace");
	return -EPERM;
}

static void end_command(const struct command *c)
{
	if (c->changes)
		mutex_unlock(&streams_command_lock);
}

static int check_once(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	return netlink_check_once(nlmsg_attrdata(nlh, GENL_HDRLEN),
				  nlmsg_attrlen(nlh, GENL_HDRLEN), extack);
}

static int pre_doit(compat_genl_ops *ops, struct sk_buff *skb, struct genl_info *info)
{
	const struct command *c = &commands[info->genlhdr->cmd];
	int err;

	err = check_rights(skb, c->changes, info->extack);
	if (!err)
		err = check_once(info->nlhdr, info->extack);
	if (!err)
		err = netlink_check_needs(info->attrs, c->needs, NULL, info->extack);
	if (err)
		return err;
	netlink_profile_prepare(info, ops->maxattr);
	if (c->changes && mutex_lock_killable(&streams_command_lock))
		return -EINTR;
	if (mutex_lock_killable(&devtrace_lock)) {
		end_command(c);
		return -EINTR;
	}
	return 0;
}

static void post_doit(compat_genl_ops *ops, struct sk_buff *skb, struct genl_info *info)
{
	mutex_unlock(&devtrace_lock);
	end_command(&commands[info->genlhdr->cmd]);
}

/* Return the message about a request that succeeded, but skipped types that this kernel lacks. */
static const char *lacking_note(const unsigned long *types)
{
	static const char some[] =
		"types that this kernel does not have were skipped: profile-get tells which";
	struct profile_info info;
	unsigned int i, n = 0;
	const size_t size = 1024;
	const char *note;
	char *text;

	if (!devtrace_profile_there())
		return "types 128 to 191 were skipped: " PROFILE_IS_MISSING;
	text = kmalloc(size, GFP_KERNEL);
	if (!text)
		return some;
	for_each_set_bit(i, types, 256) {
		n += scnprintf(text + n, size - n, n ? ", " : "");
		if (devtrace_profile_info(i, &info))
			n += scnprintf(text + n, size - n, "%s", info.name);
		else
			n += scnprintf(text + n, size - n, "type %u", i);
	}
	scnprintf(text + n, size - n,
		  ": not available in this kernel; skipped");
	note = netlink_keep(text, some);
	kfree(text);
	return note;
}

static int netlink_doit(struct sk_buff *skb, struct genl_info *info)
{
	DECLARE_BITMAP(lacks, 256);
	int err;

	/* Clear the set of lacking types, in which earlier requests may have left some. */
	devtrace_profile_lacking(lacks);
	err = commands[info->genlhdr->cmd].doit(info);
	if (!err && devtrace_profile_lacking(lacks))
		netlink_refuse(info->extack, NULL, lacking_note(lacks));

	/* No attribute is wrong, so the message names none. */
	if (err == -ENOMEM && info->extack && !info->extack->_msg)
		netlink_refuse(info->extack, NULL, "not enough memory: free some, and try again");
	return err;
}

static const struct command *dump_command(struct netlink_callback *cb)
{
	const struct genlmsghdr *hdr = nlmsg_data(cb->nlh);

	return &commands[hdr->cmd];
}

/* Index in cb->args of the flag that check_dump() has succeeded; dumps use lower indices. */
#define DUMP_CHECKED	5

static int check_dump(struct netlink_callback *cb)
{
	int err;

	err = check_rights(cb->skb, false, cb->extack);
	if (!err)
		err = check_once(cb->nlh, cb->extack);
	/*
	 * If the command also has a doit, the policy is for the doit. The dump has no attributes.
	 */
	if (!err && dump_command(cb)->doit && nlmsg_attrlen(cb->nlh, GENL_HDRLEN)) {
		netlink_refuse(cb->extack, nlmsg_attrdata(cb->nlh, GENL_HDRLEN),
			       "attribute cannot be used with a dump, which returns everything: omit it");
		err = -EINVAL;
	}
	cb->args[DUMP_CHECKED] = !err;
	if (!err && dump_command(cb) == &commands[DEVTRACE_CMD_PROFILE_GET])
		netlink_profile_load();
	return err;
}

/*
 * In older kernels, cb->extack is NULL here, so no message can be returned. There, the first call
 * of netlink_dumpit() makes the checks.
 */
static int netlink_start(struct netlink_callback *cb)
{
	BUILD_BUG_ON(DUMP_MIN > 16384);
	BUILD_BUG_ON(DUMP_CHECKED >= ARRAY_SIZE(cb->args));
	cb->min_dump_alloc = DUMP_MIN;
	return cb->extack ? check_dump(cb) : 0;
}

static int netlink_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err;

	if (!cb->args[DUMP_CHECKED]) {
		err = check_dump(cb);
		if (err)
			return err;
	}
	if (mutex_lock_killable(&devtrace_lock))
		return -EINTR;
	cb->seq = netlink_msg_changes();
	err = dump_command(cb)->dumpit(skb, cb);
	mutex_unlock(&devtrace_lock);
	/*
	 * If the message has entries, it is full: send it. If it is empty, the next entry is too
	 * large for any message: return the error.
	 */
	if (err == -EMSGSIZE && skb->len)
		err = 0;
	return err ?: skb->len;
}

#define COMMAND(cmd_, takes) \
	.cmd = DEVTRACE_CMD_##cmd_, .policy = takes, .maxattr = ARRAY_SIZE(takes) - 1
#define DO(cmd_, takes)		{ COMMAND(cmd_, takes), .doit = netlink_doit }
#define DUMP(cmd_, takes) \
	{ COMMAND(cmd_, takes), .start = netlink_start, .dumpit = netlink_dumpit }
#define DO_AND_DUMP(cmd_, takes) \
	{ COMMAND(cmd_, takes), .doit = netlink_doit, .start = netlink_start, \
	  .dumpit = netlink_dumpit }

static const struct genl_ops ops[] = {
	DO_AND_DUMP(STREAM_GET, netlink_takes_stream),
	DO(STREAM_NEW, netlink_stream_new_takes),
	DO(STREAM_SET, netlink_stream_set_takes),
	DO(STREAM_DEL, netlink_takes_stream),
	DO(CLEAR, netlink_takes_stream),
	DO_AND_DUMP(FILTER_GET, netlink_takes_stream),
	DO(FILTER_SET, netlink_filter_set_takes),
	DO_AND_DUMP(TRIGGER_GET, netlink_takes_trigger),
	DO(TRIGGER_NEW, netlink_trigger_new_takes),
	DO(TRIGGER_SET, netlink_trigger_set_takes),
	DO(TRIGGER_DEL, netlink_takes_trigger),
	DUMP(STATS_GET, netlink_takes_stream),
	DUMP(TYPE_GET, netlink_takes_nothing),
	DUMP(PROCESS_GET, netlink_takes_nothing),
	DUMP(READER_GET, netlink_takes_stream),
	DUMP(DICT_GET, netlink_takes_nothing),
	DUMP(LANE_GET, netlink_takes_nothing),
	DUMP(PROFILE_GET, netlink_takes_nothing),
	DO(PROFILE_ADD, netlink_takes_tracepoint),
	DO(PROFILE_DEL, netlink_takes_tracepoint),
};

static const struct genl_multicast_group groups[] = {
	{ .name = DEVTRACE_GENL_MONITOR, COMPAT_MCAST_CAP_SYS_ADMIN },
};

static struct genl_family family __ro_after_init = {
	.name		= DEVTRACE_GENL_NAME,
	.version	= DEVTRACE_GENL_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.pre_doit	= pre_doit,
	.post_doit	= post_doit,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	.mcgrps		= groups,
	.n_mcgrps	= ARRAY_SIZE(groups),
	.module		= THIS_MODULE,
};

int __init netlink_init(void)
{
	return netlink_msg_register(&family);
}

void netlink_exit(void)
{
	netlink_msg_unregister();
	netlink_forget();
}
