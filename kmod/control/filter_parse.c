// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert filters from netlink attributes and back
 *
 * A term without an attribute has the value that filter_all() sets, and filter_put() leaves out
 * each term that has this value. So filter_parse() restores exactly the filter that filter_put()
 * wrote.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/threads.h>

#include "emit/filter.h"
#include "filter_parse.h"
#include "manage/filter_policy.h"
#include "manage/profile_ask.h"
#include "netlink_check.h"

/* Largest major code: 24 bits. */
#define MAJOR_MAX	0xffffff
#define PID_MOST	4194303

static bool types_are_all(const unsigned long *types)
{
	DECLARE_BITMAP(all, 256);

	filter_types_all(all);
	return bitmap_equal(types, all, 256);
}

static void parse_types(struct filter *f, const struct nlattr *attr)
{
	const u8 *bytes = nla_data(attr);
	unsigned int i;

	for (i = 0; i < 256; i++)
		__assign_bit(i, f->types,
			     devtrace_type_is_transport(i) || bytes[i / 8] >> i % 8 & 1);
	devtrace_profile_keep_known(f->types);
}

static bool ranges_ok(const struct nlattr *attr)
{
	const struct devtrace_range *r = nla_data(attr);
	int i;

	for (i = 0; i < nla_len(attr) / (int)sizeof(*r); i++)
		if (r[i].first > r[i].last)
			return false;
	return nla_len(attr) % sizeof(*r) == 0;
}

static bool numbers_ok(const struct nlattr *attr, u32 max)
{
	const u32 *v = nla_data(attr);
	int i;

	for (i = 0; i < nla_len(attr) / (int)sizeof(*v); i++)
		if (v[i] > max)
			return false;
	return nla_len(attr) % sizeof(*v) == 0;
}

static bool names_ok(const struct nlattr *attr)
{
	const char *name = nla_data(attr);
	int i;

	for (i = 0; i < nla_len(attr) / TASK_COMM_LEN; i++, name += TASK_COMM_LEN)
		if (!name[0] || strnlen(name, TASK_COMM_LEN) == TASK_COMM_LEN)
			return false;
	return nla_len(attr) % TASK_COMM_LEN == 0;
}

/* Check the content of an array, which a policy cannot describe. */
static int check_array(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	bool ok;

	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > PID_MOST);
	switch (nla_type(attr)) {
	case DEVTRACE_FA_MAJORS:
	case DEVTRACE_FA_NOT_MAJORS:
		ok = numbers_ok(attr, MAJOR_MAX);
		break;
	case DEVTRACE_FA_CODES:
	case DEVTRACE_FA_NOT_CODES:
		ok = numbers_ok(attr, U32_MAX);
		break;
	case DEVTRACE_FA_PIDS:
	case DEVTRACE_FA_NOT_PIDS:
		ok = numbers_ok(attr, PID_MOST);
		break;
	case DEVTRACE_FA_COMMS:
	case DEVTRACE_FA_NOT_COMMS:
		ok = names_ok(attr);
		break;
	default:
		ok = ranges_ok(attr);
	}
	return ok ? 0 : netlink_refuse_value(extack, attr, &filter_parse_policy[nla_type(attr)]);
}

#define ARRAY_OF(size) \
	NLA_POLICY_VALIDATE_FN(NLA_BINARY, check_array, DEVTRACE_TERMS_MAX * (size))

const struct nla_policy filter_parse_policy[DEVTRACE_FA_MAX + 1] = {
	[DEVTRACE_FA_TYPES]	  = NLA_POLICY_EXACT_LEN(32),
	[DEVTRACE_FA_HW_SEVERITY] = NLA_POLICY_MAX(NLA_U32, 4),
	[DEVTRACE_FA_SW_SEVERITY] = NLA_POLICY_MAX(NLA_U32, 4),
	[DEVTRACE_FA_OBJECTS]	  = ARRAY_OF(sizeof(struct devtrace_range)),
	[DEVTRACE_FA_SIGNALS]	  = ARRAY_OF(sizeof(struct devtrace_range)),
	[DEVTRACE_FA_MAJORS]	  = ARRAY_OF(sizeof(u32)),
	[DEVTRACE_FA_NOT_MAJORS]  = ARRAY_OF(sizeof(u32)),
	[DEVTRACE_FA_PIDS]	  = ARRAY_OF(sizeof(u32)),
	[DEVTRACE_FA_NOT_PIDS]	  = ARRAY_OF(sizeof(u32)),
	[DEVTRACE_FA_COMMS]	  = ARRAY_OF(TASK_COMM_LEN),
	[DEVTRACE_FA_NOT_COMMS]	  = ARRAY_OF(TASK_COMM_LEN),
	[DEVTRACE_FA_ORIGINS]	  = NLA_POLICY_RANGE(NLA_U32, DEVTRACE_ORIGIN_KERNEL,
						     DEVTRACE_ORIGIN_KERNEL |
						     DEVTRACE_ORIGIN_USER),
	[DEVTRACE_FA_CPUS]	  = ARRAY_OF(sizeof(struct devtrace_range)),
	[DEVTRACE_FA_CODES]	  = ARRAY_OF(sizeof(u32)),
	[DEVTRACE_FA_NOT_CODES]	  = ARRAY_OF(sizeof(u32)),
	[DEVTRACE_FA_NAMED]	  = ARRAY_OF(sizeof(struct devtrace_range)),
};

static void parse_severity(u8 *v, const struct nlattr *attr)
{
	if (attr)
		*v = nla_get_u32(attr);
}

static void parse_ranges(struct filter_ranges *t, const struct nlattr *attr)
{
	if (!attr)
		return;
	memcpy(t->r, nla_data(attr), nla_len(attr));
	t->given = true;
	t->nr = nla_len(attr) / sizeof(t->r[0]);
}

static void parse_numbers(struct filter_numbers *t, const struct nlattr *attr)
{
	if (!attr)
		return;
	memcpy(t->v, nla_data(attr), nla_len(attr));
	t->given = true;
	t->nr = nla_len(attr) / sizeof(t->v[0]);
}

static void parse_names(struct filter_names *t, const struct nlattr *attr)
{
	const char *name;
	unsigned int i;

	if (!attr)
		return;
	name = nla_data(attr);
	t->given = true;
	t->nr = nla_len(attr) / TASK_COMM_LEN;
	/* Names are compared including their padding, so zero the padding. */
	for (i = 0; i < t->nr; i++, name += TASK_COMM_LEN)
		strscpy_pad(t->v[i], name, TASK_COMM_LEN);
}

/*
 * Read a filter from @nest. The caller has checked that @nest meets filter_parse_policy and has no
 * term twice.
 */
void filter_parse(struct filter *f, const struct nlattr *nest)
{
	struct nlattr *tb[DEVTRACE_FA_MAX + 1] = { NULL };
	struct nlattr *attr;
	int rem;

	filter_all(f);
	nla_for_each_nested(attr, nest, rem)
		tb[nla_type(attr)] = attr;
	if (tb[DEVTRACE_FA_TYPES])
		parse_types(f, tb[DEVTRACE_FA_TYPES]);
	parse_severity(&f->hw_severity, tb[DEVTRACE_FA_HW_SEVERITY]);
	parse_severity(&f->sw_severity, tb[DEVTRACE_FA_SW_SEVERITY]);
	parse_ranges(&f->objects, tb[DEVTRACE_FA_OBJECTS]);
	parse_ranges(&f->signals, tb[DEVTRACE_FA_SIGNALS]);
	parse_numbers(&f->majors, tb[DEVTRACE_FA_MAJORS]);
	parse_numbers(&f->not_majors, tb[DEVTRACE_FA_NOT_MAJORS]);
	parse_numbers(&f->codes, tb[DEVTRACE_FA_CODES]);
	parse_numbers(&f->not_codes, tb[DEVTRACE_FA_NOT_CODES]);
	parse_ranges(&f->named, tb[DEVTRACE_FA_NAMED]);
	parse_numbers(&f->pids, tb[DEVTRACE_FA_PIDS]);
	parse_numbers(&f->not_pids, tb[DEVTRACE_FA_NOT_PIDS]);
	parse_names(&f->comms, tb[DEVTRACE_FA_COMMS]);
	parse_names(&f->not_comms, tb[DEVTRACE_FA_NOT_COMMS]);
	if (tb[DEVTRACE_FA_ORIGINS])
		f->origins = nla_get_u32(tb[DEVTRACE_FA_ORIGINS]);
	parse_ranges(&f->cpus, tb[DEVTRACE_FA_CPUS]);
}

static int put_types(struct sk_buff *skb, const struct filter *f)
{
	u8 bytes[32] = { 0 };
	unsigned int i;

	if (types_are_all(f->types))
		return 0;
	for (i = 0; i < 256; i++)
		if (test_bit(i, f->types))
			bytes[i / 8] |= BIT(i % 8);
	return nla_put(skb, DEVTRACE_FA_TYPES, sizeof(bytes), bytes);
}

static int put_array(struct sk_buff *skb, int attrtype, bool given, const void *v, int len)
{
	return given ? nla_put(skb, attrtype, len, v) : 0;
}

static int put_ranges(struct sk_buff *skb, int attrtype, const struct filter_ranges *t)
{
	return put_array(skb, attrtype, t->given, t->r, t->nr * sizeof(t->r[0]));
}

static int put_numbers(struct sk_buff *skb, int attrtype, const struct filter_numbers *t)
{
	return put_array(skb, attrtype, t->given, t->v, t->nr * sizeof(t->v[0]));
}

static int put_names(struct sk_buff *skb, int attrtype, const struct filter_names *t)
{
	return put_array(skb, attrtype, t->given, t->v, t->nr * sizeof(t->v[0]));
}

static int put_terms(struct sk_buff *skb, const struct filter *f)
{
	if (put_types(skb, f) ||
	    (f->hw_severity && nla_put_u32(skb, DEVTRACE_FA_HW_SEVERITY, f->hw_severity)) ||
	    (f->sw_severity && nla_put_u32(skb, DEVTRACE_FA_SW_SEVERITY, f->sw_severity)) ||
	    put_ranges(skb, DEVTRACE_FA_OBJECTS, &f->objects) ||
	    put_ranges(skb, DEVTRACE_FA_SIGNALS, &f->signals) ||
	    put_numbers(skb, DEVTRACE_FA_MAJORS, &f->majors) ||
	    put_numbers(skb, DEVTRACE_FA_NOT_MAJORS, &f->not_majors) ||
	    put_numbers(skb, DEVTRACE_FA_PIDS, &f->pids) ||
	    put_numbers(skb, DEVTRACE_FA_NOT_PIDS, &f->not_pids) ||
	    put_names(skb, DEVTRACE_FA_COMMS, &f->comms) ||
	    put_names(skb, DEVTRACE_FA_NOT_COMMS, &f->not_comms) ||
	    (f->origins != (DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER) &&
	     nla_put_u32(skb, DEVTRACE_FA_ORIGINS, f->origins)) ||
	    put_ranges(skb, DEVTRACE_FA_CPUS, &f->cpus) ||
	    put_numbers(skb, DEVTRACE_FA_CODES, &f->codes) ||
	    put_numbers(skb, DEVTRACE_FA_NOT_CODES, &f->not_codes) ||
	    put_ranges(skb, DEVTRACE_FA_NAMED, &f->named))
		return -EMSGSIZE;
	return 0;
}

/* Put the terms of a filter that passes nothing. */
static int put_nothing(struct sk_buff *skb)
{
	static const u8 types[256 / 8];

	return nla_put(skb, DEVTRACE_FA_TYPES, sizeof(types), types) ||
	       nla_put_u32(skb, DEVTRACE_FA_ORIGINS, 0) ? -EMSGSIZE : 0;
}

/**
 * filter_put() - put a filter as an attribute
 * @skb: message
 * @attrtype: type of the nest
 * @f: the filter; NULL: one that passes nothing
 *
 * The attribute has at most NETLINK_FILTER_SIZE bytes.
 *
 * Return: 0; -EMSGSIZE if the message has too little room, and then nothing was put.
 */
int filter_put(struct sk_buff *skb, int attrtype, const struct filter *f)
{
	struct nlattr *nest = nla_nest_start(skb, attrtype);

	if (!nest)
		return -EMSGSIZE;
	if (f ? put_terms(skb, f) : put_nothing(skb)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
