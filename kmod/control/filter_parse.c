// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters as attributes of netlink, there and back
 *
 * A term that is not given is as filter_all() has it, and such a term is not put:
 * what filter_put() writes, filter_parse() reads as the same filter.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/threads.h>

#include "admin/filter_policy.h"
#include "emit/filter.h"
#include "filter_parse.h"
#include "netlink.h"
#include "netlink_check.h"
#include "streams/profile_ask.h"

/* A major code has 24 bits. */
#define MAJOR_MAX	0xffffff

static bool types_are_all(const unsigned long *types)
{
	DECLARE_BITMAP(all, 256);

	filter_types_all(all);
	return bitmap_equal(types, all, 256);
}

static int refuse(struct netlink_ext_ack *extack, const struct nlattr *attr, const char *msg)
{
	netlink_refuse(extack, attr, msg);
	return -EINVAL;
}

/* How many entries an array has, or -1. */
static int entries(const struct nlattr *attr, unsigned int size)
{
	unsigned int len = nla_len(attr);

	return len % size || len / size > DEVTRACE_TERMS_MAX ? -1 : len / size;
}

static bool lacks_faults;	/* under devtrace_lock */

bool filter_lacks_faults(void)
{
	const bool lacks = lacks_faults;

	lacks_faults = false;
	return lacks;
}

/* Whoever asks for all types means those that there are. */
static void limit_faults(unsigned long *types)
{
	const bool all = find_next_zero_bit(types, DEVTRACE_T_FAULT, PROFILE_FIRST) >=
			 DEVTRACE_T_FAULT;

	if (!devtrace_faults_apply && __test_and_clear_bit(DEVTRACE_T_FAULT, types))
		lacks_faults = !all;
}

static void parse_types(struct filter *f, const struct nlattr *attr)
{
	const u8 *bytes = nla_data(attr);
	unsigned int i;

	for (i = 0; i < 256; i++)
		__assign_bit(i, f->types, filter_transport_type(i) || bytes[i / 8] >> i % 8 & 1);
	limit_faults(f->types);
	devtrace_profile_limit(f->types);
}

/* A u32 from @min to @max. */
static bool parse_u8(u8 *v, const struct nlattr *attr, u32 min, u32 max)
{
	if (nla_len(attr) != sizeof(u32) || nla_get_u32(attr) < min || nla_get_u32(attr) > max)
		return false;
	*v = nla_get_u32(attr);
	return true;
}

static bool parse_ranges(struct filter_ranges *t, const struct nlattr *attr)
{
	int i, nr = entries(attr, sizeof(t->r[0]));

	if (nr < 0)
		return false;
	memcpy(t->r, nla_data(attr), nla_len(attr));
	for (i = 0; i < nr; i++)
		if (t->r[i].first > t->r[i].last)
			return false;
	t->given = true;
	t->nr = nr;
	return true;
}

static bool parse_numbers(struct filter_numbers *t, const struct nlattr *attr, u32 max)
{
	int i, nr = entries(attr, sizeof(t->v[0]));

	if (nr < 0)
		return false;
	memcpy(t->v, nla_data(attr), nla_len(attr));
	for (i = 0; i < nr; i++)
		if (t->v[i] > max)
			return false;
	t->given = true;
	t->nr = nr;
	return true;
}

static bool parse_names(struct filter_names *t, const struct nlattr *attr)
{
	int i, nr = entries(attr, sizeof(t->v[0]));
	const char *name = nla_data(attr);

	if (nr < 0)
		return false;
	for (i = 0; i < nr; i++, name += TASK_COMM_LEN) {
		if (!name[0] || strnlen(name, TASK_COMM_LEN) == TASK_COMM_LEN)
			return false;
		/* Names are compared as a whole: nothing stands behind the NUL. */
		strscpy_pad(t->v[i], name, TASK_COMM_LEN);
	}
	t->given = true;
	t->nr = nr;
	return true;
}

static const char *const names[DEVTRACE_FA_MAX + 1] = {
	[DEVTRACE_FA_TYPES] = "types",
	[DEVTRACE_FA_HW_SEVERITY] = "hw-severity",
	[DEVTRACE_FA_SW_SEVERITY] = "sw-severity",
	[DEVTRACE_FA_OBJECTS] = "objects",
	[DEVTRACE_FA_SIGNALS] = "signals",
	[DEVTRACE_FA_MAJORS] = "majors",
	[DEVTRACE_FA_NOT_MAJORS] = "not-majors",
	[DEVTRACE_FA_PIDS] = "pids",
	[DEVTRACE_FA_NOT_PIDS] = "not-pids",
	[DEVTRACE_FA_COMMS] = "comms",
	[DEVTRACE_FA_NOT_COMMS] = "not-comms",
	[DEVTRACE_FA_ORIGINS] = "origins",
	[DEVTRACE_FA_CPUS] = "cpus",
};

static const struct netlink_nest nest_filter = {
	.max		= DEVTRACE_FA_MAX,
	.names		= names,
	.unknown	= "a filter has no such attribute: it has types to cpus",
	.leftover	= "a filter has nothing behind its last attribute: leave it out",
};

#define TYPES_ARE	"types must be 32 bytes: bit n % 8 of byte n / 8 is type n"
#define MAJORS_ARE	" must be an array of at most 64 u32 up to 16777215"
#define PIDS_ARE	" must be an array of at most 64 u32 up to 4194303"
#define RANGES_ARE	" must be an array of at most 64 ranges: two u16, first <= last"
#define COMMS_ARE	" must be an array of at most 64 names, each 1 to 15 bytes in char[16]"
#define LEVEL_IS	" must be a u32 from 0 to 4: from this level on, 4 none"

/**
 * filter_parse() - a filter from a request
 * @f: filled in, also if it is refused
 * @nest: attribute with enum devtrace_filter_attr inside
 * @extack: says why it is refused
 *
 * Return: 0 or -EINVAL.
 */
int filter_parse(struct filter *f, const struct nlattr *nest, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[DEVTRACE_FA_MAX + 1];
	int err;

	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > 4194303);
	filter_all(f);
	err = netlink_parse_nest(&nest_filter, tb, nest, extack);
	if (err)
		return err;

#define TERM(attr, ok, right)						\
	do {								\
		const struct nlattr *a = tb[DEVTRACE_FA_##attr];	\
									\
		if (a && !(ok))						\
			return refuse(extack, a, right);		\
	} while (0)

	TERM(TYPES, nla_len(a) == 32, TYPES_ARE);
	if (tb[DEVTRACE_FA_TYPES])
		parse_types(f, tb[DEVTRACE_FA_TYPES]);
	TERM(HW_SEVERITY, parse_u8(&f->hw_severity, a, 0, 4), "hw-severity" LEVEL_IS);
	TERM(SW_SEVERITY, parse_u8(&f->sw_severity, a, 0, 4), "sw-severity" LEVEL_IS);
	TERM(OBJECTS, parse_ranges(&f->objects, a), "objects" RANGES_ARE);
	TERM(SIGNALS, parse_ranges(&f->signals, a), "signals" RANGES_ARE);
	TERM(MAJORS, parse_numbers(&f->majors, a, MAJOR_MAX), "majors" MAJORS_ARE);
	TERM(NOT_MAJORS, parse_numbers(&f->not_majors, a, MAJOR_MAX), "not-majors" MAJORS_ARE);
	TERM(PIDS, parse_numbers(&f->pids, a, 4194303), "pids" PIDS_ARE);
	TERM(NOT_PIDS, parse_numbers(&f->not_pids, a, 4194303), "not-pids" PIDS_ARE);
	TERM(COMMS, parse_names(&f->comms, a), "comms" COMMS_ARE);
	TERM(NOT_COMMS, parse_names(&f->not_comms, a), "not-comms" COMMS_ARE);
	TERM(ORIGINS, parse_u8(&f->origins, a, 1, 3),
	     "origins must be a u32: 1 kernel, 2 user, 3 both");
	TERM(CPUS, parse_ranges(&f->cpus, a), "cpus" RANGES_ARE);
#undef TERM
	return 0;
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

/**
 * filter_put() - a filter as an attribute
 * @skb: message
 * @attrtype: of the nest
 * @f: the filter
 *
 * Return: 0, or -EMSGSIZE with nothing put; at most NETLINK_FILTER_SIZE bytes.
 */
int filter_put(struct sk_buff *skb, int attrtype, const struct filter *f)
{
	struct nlattr *nest = nla_nest_start(skb, attrtype);

	if (!nest)
		return -EMSGSIZE;
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
	    put_ranges(skb, DEVTRACE_FA_CPUS, &f->cpus)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
