// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies of requests
 *
 * Each command has a policy, so that the kernel refuses unknown attributes and wrong sizes, ranges
 * and nests before the command runs. The kernel returns a short message, the place of the
 * attribute and the violated policy; libdevtrace-ctl makes a sentence of these
 * (lib/ctl/ctl_refused.c).
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <net/netlink.h>
#include <uapi/linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

#include "filter_parse.h"
#include "netlink_check.h"
#include "netlink_policy.h"
#include "netlink_trigger.h"
#include "trigger.h"

/*
 * Allow only letters, digits, "_", "." and "-" in names of streams and triggers: they are used in
 * names of device nodes and on command lines.
 */
static int check_name(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const char *s = nla_data(attr);
	int i, len = netlink_string_len(attr);

	for (i = 0; i < len; i++)
		if (!(isascii(s[i]) && isalnum(s[i])) && s[i] != '_' && s[i] != '.' && s[i] != '-')
			break;
	/* No file may be named "." or "..". */
	if (len > 0 && i == len && strcmp(s, ".") && strcmp(s, ".."))
		return 0;
	return netlink_refuse_value(extack, attr, &netlink_takes_stream[DEVTRACE_A_STREAM]);
}

static int check_tracepoint(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (netlink_string_len(attr) >= 3)
		return 0;
	return netlink_refuse_value(extack, attr,
				    &netlink_takes_tracepoint[DEVTRACE_A_TRACEPOINT]);
}

/* Not const, because struct nla_policy of older kernels has a pointer to a non-const range. */
static struct netlink_range_validation size_range = { 1024, 0x80000000 };
static struct netlink_range_validation rate_range = { 1, TRIGGER_RATE_MAX };
static struct netlink_range_validation events_range = { 0, INT_MAX };
static struct netlink_range_validation time_range = { 0, S64_MAX };

#define NAME(attr) \
	[DEVTRACE_A_##attr] = NLA_POLICY_VALIDATE_FN(NLA_NUL_STRING, check_name, \
						     DEVTRACE_NAME_LEN - 1)
#define AT_MOST(attr, type, max) \
	[DEVTRACE_A_##attr] = NLA_POLICY_MAX(NLA_##type, max)
#define RANGE(attr, type, range) \
	[DEVTRACE_A_##attr] = NLA_POLICY_FULL_RANGE(NLA_##type, range)
#define NEST(attr, policy) \
	[DEVTRACE_A_##attr] = NLA_POLICY_NESTED(policy)

/* Refuse all attributes. With no policy at all, older kernels would accept any attribute. */
const struct nla_policy netlink_takes_nothing[DEVTRACE_A_PAD + 1] = {
	[DEVTRACE_A_PAD] = { .type = NLA_REJECT },
};

const struct nla_policy netlink_takes_stream[DEVTRACE_A_STREAM + 1] = {
	NAME(STREAM),
};

const struct nla_policy netlink_takes_trigger[DEVTRACE_A_TRIGGER + 1] = {
	NAME(TRIGGER),
};

const struct nla_policy netlink_takes_tracepoint[DEVTRACE_A_TRACEPOINT + 1] = {
	[DEVTRACE_A_TRACEPOINT] = NLA_POLICY_VALIDATE_FN(NLA_NUL_STRING, check_tracepoint,
							 DEVTRACE_TRACEPOINT_LEN - 1),
};

const struct nla_policy netlink_stream_new_takes[DEVTRACE_A_FILTER + 1] = {
	NAME(STREAM),
	RANGE(SIZE, U64, &size_range),
	AT_MOST(STATE, U32, DEVTRACE_STATE_FROZEN),
	AT_MOST(MODE, U32, 0777),
	NEST(FILTER, filter_parse_policy),
};

const struct nla_policy netlink_stream_set_takes[DEVTRACE_A_WATERMARK + 1] = {
	NAME(STREAM),
	RANGE(SIZE, U64, &size_range),
	AT_MOST(STATE, U32, DEVTRACE_STATE_FROZEN),
	AT_MOST(WATERMARK, U32, 99),
};

const struct nla_policy netlink_filter_set_takes[DEVTRACE_A_FILTER + 1] = {
	NAME(STREAM),
	[DEVTRACE_A_GENERATION] = { .type = NLA_U32 },
	NEST(FILTER, filter_parse_policy),
};

const struct nla_policy netlink_trigger_new_takes[DEVTRACE_A_ARMED + 1] = {
	NAME(TRIGGER),
	NEST(WHEN, filter_parse_policy),
	NEST(ELEMENT, netlink_element_policy),
	[DEVTRACE_A_NTH] = NLA_POLICY_MIN(NLA_U64, 1),
	RANGE(RATE, U32, &rate_range),
	AT_MOST(ACTION, U32, DEVTRACE_ACTION_RESTORE),
	NAME(STREAM),
	NEST(FILTER, filter_parse_policy),
	RANGE(EVENTS, U64, &events_range),
	RANGE(TIME, U64, &time_range),
	AT_MOST(REARM, U8, 1),
	AT_MOST(ARMED, U8, 1),
};

const struct nla_policy netlink_trigger_set_takes[DEVTRACE_A_ARMED + 1] = {
	NAME(TRIGGER),
	AT_MOST(ARMED, U8, 1),
};
