// SPDX-License-Identifier: GPL-2.0-only
/*
 * What requests must be: each attribute by its rule, and the words that refuse it
 *
 * The policy of the family says only where nests are; the sizes and ranges stand
 * in the rules below, because a refusal by the kernel's own policies could not say
 * which attribute is wrong and what would be right.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <uapi/linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

#include "netlink_check.h"

enum kind {
	KIND_REPLY,			/* not in requests */
	KIND_U8,
	KIND_U32,
	KIND_U64,
	KIND_NAME,
	KIND_STRING,			/* of any characters */
	KIND_NEST,			/* checked by whoever takes it */
};

/* What an attribute must be, and what it is called. */
struct rule {
	enum kind	kind;
	u16		min;
	u64		max;
	const char	*name;
	const char	*right;
};

#define RULE(attr, name, kind, min, max, right)			\
	[DEVTRACE_A_##attr] = { KIND_##kind, min, max, name, right }
#define REPLY(attr, name)						\
	[DEVTRACE_A_##attr] = { KIND_REPLY, 0, 0, name, NULL }

static const struct rule rules[DEVTRACE_A_MAX + 1] = {
	REPLY(PAD, "pad"),
	RULE(STREAM, "stream", NAME, 1, DEVTRACE_NAME_LEN - 1,
	     "a name of 1 to 31 of A-Z a-z 0-9 _ . - and a NUL"),
	REPLY(ID, "id"),
	RULE(SIZE, "size", U64, 1024, 0x80000000,
	     "a u64 from 1024 to 2147483648: bytes of ring for each CPU"),
	RULE(STATE, "state", U32, DEVTRACE_STATE_RUNNING, DEVTRACE_STATE_FROZEN,
	     "a u32: 0 running, 1 stopped, 2 frozen"),
	REPLY(REASON, "reason"),
	REPLY(SINCE, "since"),
	RULE(WATERMARK, "watermark", U32, 0, 99, "a u32 from 0 to 99: percent of the ring"),
	RULE(MODE, "mode", U32, 0, 0777, "a u32 from 0 to 0777: permissions of the device"),
	RULE(GENERATION, "generation", U32, 0, U32_MAX, "a u32 that filter-get gave"),
	RULE(FILTER, "filter", NEST, 0, 0, "a nest of filter attributes"),
	RULE(TRIGGER, "trigger", NAME, 1, DEVTRACE_NAME_LEN - 1,
	     "a name of 1 to 31 of A-Z a-z 0-9 _ . - and a NUL"),
	RULE(WHEN, "when", NEST, 0, 0, "a nest of filter attributes"),
	RULE(ELEMENT, "element", NEST, 0, 0, "a nest of element attributes"),
	RULE(NTH, "nth", U64, 1, U64_MAX, "a u64 from 1 on"),
	RULE(RATE, "rate", U32, 1, U32_MAX, "a u32 from 1 on: events a second"),
	RULE(ACTION, "action", U32, DEVTRACE_ACTION_NOTIFY, DEVTRACE_ACTION_RESTORE,
	     "a u32: 0 notify, 1 start, 2 stop, 3 freeze, 4 filter, 5 restore"),
	RULE(EVENTS, "events", U64, 0, U64_MAX, "a u64: further events to store"),
	RULE(TIME, "time", U64, 0, S64_MAX, "a u64 up to 2^63 - 1: nanoseconds"),
	RULE(REARM, "rearm", U8, 0, 1, "a u8: 0 one shot, 1 armed again once it has fired"),
	RULE(ARMED, "armed", U8, 0, 1, "a u8: 0 disarmed, 1 armed"),
	REPLY(FIRED, "fired"),
	REPLY(FIRED_AT, "fired-at"),
	REPLY(SEEN, "seen"),
	REPLY(CPU, "cpu"),
	REPLY(EMITTED, "emitted"),
	REPLY(STORED, "stored"),
	REPLY(FILTERED, "filtered"),
	REPLY(OVERWRITTEN, "overwritten"),
	REPLY(DROPPED, "dropped"),
	REPLY(USED, "used"),
	REPLY(OLDEST, "oldest"),
	REPLY(NOW, "now"),
	REPLY(TYPE, "type"),
	REPLY(PID, "pid"),
	REPLY(TID, "tid"),
	REPLY(COMM, "comm"),
	REPLY(POSITION, "position"),
	REPLY(LAG, "lag"),
	REPLY(READ, "read"),
	REPLY(LOST, "lost"),
	REPLY(KIND, "kind"),
	REPLY(GROUP, "group"),
	REPLY(VALUE, "value"),
	REPLY(KEY, "key"),
	REPLY(SCOPE, "scope"),
	REPLY(NAME, "name"),
	REPLY(PROFILE_GROUP, "profile-group"),
	REPLY(TRACEPOINTS, "tracepoints"),
	REPLY(AVAILABLE, "available"),
	REPLY(ATTACHED, "attached"),
	RULE(TRACEPOINT, "tracepoint", STRING, 3, DEVTRACE_TRACEPOINT_LEN - 1,
	     "SYSTEM:EVENT, 3 to 63 bytes and a NUL, as block:block_rq_issue"),
	REPLY(ELEMENTS, "elements"),
	REPLY(LANE_STATE, "lane-state"),
};

void netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		    const char *msg)
{
	if (!extack)
		return;
	extack->_msg = msg;
	if (attr)
		NL_SET_BAD_ATTR(extack, attr);
}

/*
 * A message must stay after the lock is given back, when the module that has it may go.
 * So each that was ever made is kept; what they can say is few things: five of each
 * attribute, and what a kernel does not have, as it has what it has.
 */
#define NOTES_MAX	256
static const char *notes[NOTES_MAX];
static DEFINE_MUTEX(notes_lock);

const char *netlink_keep(const char *text, const char *no_room)
{
	const char *kept = no_room;
	int i;

	/* Not killable: who holds it waits for memory at the most. */
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

/* What to say of an attribute: its name, what is wrong, and what would be right or "". */
static int say(struct netlink_ext_ack *extack, const struct nlattr *attr, const char *name,
	       const char *wrong, const char *right)
{
	char text[160];

	snprintf(text, sizeof(text), "%s%s%s", name, wrong, right);
	netlink_refuse(extack, attr, netlink_keep(text, "attribute is refused"));
	return -EINVAL;
}

static const char given_twice[] = " is given twice: give it once";

static int refuse_foreign(struct netlink_ext_ack *extack, const struct nlattr *attr,
			  const struct rule *r)
{
	return say(extack, attr, r->name, r->kind == KIND_REPLY ?
		   " is only in replies: leave it out" :
		   " is not for this command: leave it out", "");
}

/* Streams and triggers are device nodes and words on a command line. */
static bool name_ok(const struct nlattr *attr, const struct rule *r)
{
	const char *s = nla_data(attr);
	int i, len = nla_len(attr) - 1;

	if (len < (int)r->min || len > (int)r->max || s[len])
		return false;
	for (i = 0; i < len; i++)
		if (!(isascii(s[i]) && isalnum(s[i])) && s[i] != '_' && s[i] != '.' && s[i] != '-')
			return false;
	/* No file is called that. */
	return strcmp(s, ".") && strcmp(s, "..");
}

static bool string_ok(const struct nlattr *attr, const struct rule *r)
{
	const int len = strnlen(nla_data(attr), nla_len(attr));

	return len == nla_len(attr) - 1 && len >= (int)r->min && len <= (int)r->max;
}

static bool attr_ok(const struct nlattr *attr, const struct rule *r)
{
	u64 v;

	switch (r->kind) {
	case KIND_NAME:
		return name_ok(attr, r);
	case KIND_STRING:
		return string_ok(attr, r);
	case KIND_U8:
		if (nla_len(attr) != sizeof(u8))
			return false;
		v = nla_get_u8(attr);
		break;
	case KIND_U32:
		if (nla_len(attr) != sizeof(u32))
			return false;
		v = nla_get_u32(attr);
		break;
	case KIND_U64:
		if (nla_len(attr) != sizeof(u64))
			return false;
		v = nla_get_u64(attr);
		break;
	default:
		return true;
	}
	return v >= r->min && v <= r->max;
}

static int check_attr(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const struct rule *r = &rules[nla_type(attr)];

	if (r->kind == KIND_REPLY)
		return refuse_foreign(extack, attr, r);
	return attr_ok(attr, r) ? 0 : say(extack, attr, r->name, " must be ", r->right);
}

/* Filled in from the rules. */
struct nla_policy netlink_policy[DEVTRACE_A_MAX + 1] __ro_after_init;

void __init netlink_policy_init(void)
{
	const struct nla_policy checked = NLA_POLICY_VALIDATE_FN(NLA_BINARY, check_attr);
	const struct nla_policy nested = { .type = NLA_NESTED };
	int i;

	BUILD_BUG_ON(DEVTRACE_A_MAX > 63);
	for (i = 1; i <= DEVTRACE_A_MAX; i++)
		memcpy(&netlink_policy[i], rules[i].kind == KIND_NEST ? &nested : &checked,
		       sizeof(netlink_policy[i]));
}

int netlink_check_request(const struct nlmsghdr *nlh, u64 takes, u64 needs,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *attr;
	u64 seen = 0;
	int i, rem;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, rem) {
		const struct rule *r = &rules[nla_type(attr)];

		if (!(takes & BIT_ULL(nla_type(attr))))
			return refuse_foreign(extack, attr, r);
		if (seen & BIT_ULL(nla_type(attr)))
			return say(extack, attr, r->name, given_twice, "");
		seen |= BIT_ULL(nla_type(attr));
	}
	for (i = 1; i <= DEVTRACE_A_MAX; i++)
		if (needs & ~seen & BIT_ULL(i))
			return say(extack, NULL, rules[i].name, " is missing: ", rules[i].right);
	return 0;
}

int netlink_parse_nest(const struct netlink_nest *n, struct nlattr **tb,
		       const struct nlattr *nest, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int rem;

	memset(tb, 0, (n->max + 1) * sizeof(*tb));
	nla_for_each_nested(attr, nest, rem) {
		unsigned int type = nla_type(attr);

		if (!type || type > n->max || !n->names[type]) {
			netlink_refuse(extack, attr, n->unknown);
			return -EINVAL;
		}
		if (tb[type])
			return say(extack, attr, n->names[type], given_twice, "");
		tb[type] = (struct nlattr *)attr;
	}
	if (rem) {
		netlink_refuse(extack, nest, n->leftover);
		return -EINVAL;
	}
	return 0;
}

void netlink_forget(void)
{
	int i;

	for (i = 0; i < NOTES_MAX; i++)
		kfree(notes[i]);
}
