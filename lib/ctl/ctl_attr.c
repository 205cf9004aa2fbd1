// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_attr.c - attributes: names, checks, and conversion to structures
 *
 * A table contains the name, the type and the minimum length of each attribute. A message is used
 * only if all known attributes match the table. Attributes that only a newer kernel knows are
 * skipped.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>
#include "ctl.h"

struct word {
	const char	*name;
	uint8_t		type;		/* enum mnl_attr_data_type */
	uint16_t	least;		/* BINARY: minimum bytes */
};

#define U8(n)	{ n, MNL_TYPE_U8, 0 }
#define U32(n)	{ n, MNL_TYPE_U32, 0 }
#define U64(n)	{ n, MNL_TYPE_U64, 0 }
#define STR(n)	{ n, MNL_TYPE_NUL_STRING, 0 }
#define BIN(n, len) { n, MNL_TYPE_BINARY, len }

static const struct word words[DEVTRACE_A_MAX + 1] = {
	[DEVTRACE_A_STREAM]	= STR("stream"),
	[DEVTRACE_A_ID]		= U32("id"),
	[DEVTRACE_A_SIZE]	= U64("size"),
	[DEVTRACE_A_STATE]	= U32("state"),
	[DEVTRACE_A_REASON]	= STR("reason"),
	[DEVTRACE_A_SINCE]	= U64("since"),
	[DEVTRACE_A_WATERMARK]	= U32("watermark"),
	[DEVTRACE_A_MODE]	= U32("mode"),
	[DEVTRACE_A_GENERATION]	= U32("generation"),
	[DEVTRACE_A_FILTER]	= BIN("filter", 0),
	[DEVTRACE_A_TRIGGER]	= STR("trigger"),
	[DEVTRACE_A_WHEN]	= BIN("when", 0),
	[DEVTRACE_A_ELEMENT]	= BIN("element", 0),
	[DEVTRACE_A_NTH]	= U64("nth"),
	[DEVTRACE_A_RATE]	= U32("rate"),
	[DEVTRACE_A_ACTION]	= U32("action"),
	[DEVTRACE_A_EVENTS]	= U64("events"),
	[DEVTRACE_A_TIME]	= U64("time"),
	[DEVTRACE_A_REARM]	= U8("rearm"),
	[DEVTRACE_A_ARMED]	= U8("armed"),
	[DEVTRACE_A_FIRED]	= U64("fired"),
	[DEVTRACE_A_FIRED_AT]	= U64("fired-at"),
	[DEVTRACE_A_SEEN]	= U64("seen"),
	[DEVTRACE_A_CPU]	= U32("cpu"),
	[DEVTRACE_A_EMITTED]	= U64("emitted"),
	[DEVTRACE_A_STORED]	= U64("stored"),
	[DEVTRACE_A_FILTERED]	= U64("filtered"),
	[DEVTRACE_A_OVERWRITTEN] = U64("overwritten"),
	[DEVTRACE_A_DROPPED]	= BIN("dropped", sizeof(uint64_t)),
	[DEVTRACE_A_USED]	= U64("used"),
	[DEVTRACE_A_OLDEST]	= U64("oldest"),
	[DEVTRACE_A_NOW]	= U64("now"),
	[DEVTRACE_A_TYPE]	= U8("type"),
	[DEVTRACE_A_PID]	= U32("pid"),
	[DEVTRACE_A_TID]	= U32("tid"),
	[DEVTRACE_A_COMM]	= STR("comm"),
	[DEVTRACE_A_POSITION]	= U64("position"),
	[DEVTRACE_A_LAG]	= U64("lag"),
	[DEVTRACE_A_READ]	= U64("read"),
	[DEVTRACE_A_LOST]	= U64("lost"),
	[DEVTRACE_A_KIND]	= U8("kind"),
	[DEVTRACE_A_GROUP]	= U8("group"),
	[DEVTRACE_A_VALUE]	= U32("value"),
	[DEVTRACE_A_KEY]	= U64("key"),
	[DEVTRACE_A_SCOPE]	= U32("scope"),
	[DEVTRACE_A_NAME]	= STR("name"),
	[DEVTRACE_A_PROFILE_GROUP] = STR("profile-group"),
	[DEVTRACE_A_TRACEPOINTS] = STR("tracepoints"),
	[DEVTRACE_A_AVAILABLE]	= U8("available"),
	[DEVTRACE_A_ATTACHED]	= U8("attached"),
	[DEVTRACE_A_TRACEPOINT]	= STR("tracepoint"),
	[DEVTRACE_A_ELEMENTS]	= STR("elements"),
	[DEVTRACE_A_LANE_STATE]	= U8("lane-state"),
};

static const char *const filter_words[DEVTRACE_FA_MAX + 1] = {
	[DEVTRACE_FA_TYPES] = "types", [DEVTRACE_FA_HW_SEVERITY] = "hw-severity",
	[DEVTRACE_FA_SW_SEVERITY] = "sw-severity", [DEVTRACE_FA_OBJECTS] = "objects",
	[DEVTRACE_FA_SIGNALS] = "signals", [DEVTRACE_FA_MAJORS] = "majors",
	[DEVTRACE_FA_NOT_MAJORS] = "not-majors", [DEVTRACE_FA_PIDS] = "pids",
	[DEVTRACE_FA_NOT_PIDS] = "not-pids", [DEVTRACE_FA_COMMS] = "comms",
	[DEVTRACE_FA_NOT_COMMS] = "not-comms", [DEVTRACE_FA_ORIGINS] = "origins",
	[DEVTRACE_FA_CPUS] = "cpus", [DEVTRACE_FA_CODES] = "codes",
	[DEVTRACE_FA_NOT_CODES] = "not-codes", [DEVTRACE_FA_NAMED] = "named",
};

static const char *const element_words[DEVTRACE_EA_MAX + 1] = {
	[DEVTRACE_EA_INDEX] = "index", [DEVTRACE_EA_COMPARE] = "compare",
	[DEVTRACE_EA_VALUE] = "value", [DEVTRACE_EA_MASK] = "mask",
	[DEVTRACE_EA_STRING] = "string",
};

const char *ctl_attr_word(int nest, unsigned int type)
{
	const char *name = NULL;

	if (nest == DEVTRACE_A_FILTER || nest == DEVTRACE_A_WHEN)
		name = type <= DEVTRACE_FA_MAX ? filter_words[type] : NULL;
	else if (nest == DEVTRACE_A_ELEMENT)
		name = type <= DEVTRACE_EA_MAX ? element_words[type] : NULL;
	else if (!nest)
		name = type <= DEVTRACE_A_MAX ? words[type].name : NULL;
	return name ? name : "?";
}

int ctl_parse(const struct nlmsghdr *nlh, struct ctl_attrs *attrs)
{
	const struct nlattr *a;

	memset(attrs, 0, sizeof(*attrs));
	mnl_attr_for_each(a, nlh, sizeof(struct genlmsghdr)) {
		unsigned int type = mnl_attr_get_type(a);
		const struct word *w = &words[type <= DEVTRACE_A_MAX ? type : 0];

		if (!w->name)
			continue;
		if (w->type != MNL_TYPE_BINARY && mnl_attr_validate(a, w->type) < 0)
			return -EBADMSG;
		if (mnl_attr_get_payload_len(a) < w->least)
			return -EBADMSG;
		attrs->a[type] = a;
	}
	return 0;
}

int ctl_parse_nest(const struct nlattr *nest, const struct nlattr **tb, unsigned int max,
		   const uint16_t *least)
{
	const struct nlattr *a;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	mnl_attr_for_each_nested(a, nest) {
		unsigned int type = mnl_attr_get_type(a);

		if (type > max)
			continue;
		if (mnl_attr_get_payload_len(a) < least[type])
			return -EBADMSG;
		tb[type] = a;
	}
	return 0;
}

uint8_t ctl_u8(const struct ctl_attrs *attrs, int attr)
{
	return attrs->a[attr] ? mnl_attr_get_u8(attrs->a[attr]) : 0;
}

uint32_t ctl_u32(const struct ctl_attrs *attrs, int attr)
{
	return attrs->a[attr] ? mnl_attr_get_u32(attrs->a[attr]) : 0;
}

uint64_t ctl_u64(const struct ctl_attrs *attrs, int attr)
{
	return attrs->a[attr] ? mnl_attr_get_u64(attrs->a[attr]) : 0;
}

void ctl_copy(char *to, size_t size, const struct nlattr *attr)
{
	size_t len = attr ? mnl_attr_get_payload_len(attr) : 0;

	if (len >= size)
		len = size - 1;
	memset(to, 0, size);
	if (len)
		memcpy(to, mnl_attr_get_payload(attr), strnlen(mnl_attr_get_payload(attr), len));
}

static uint64_t attr_number(const struct ctl_attrs *attrs, int attr)
{
	if (words[attr].type == MNL_TYPE_U8)
		return ctl_u8(attrs, attr);
	return words[attr].type == MNL_TYPE_U32 ? ctl_u32(attrs, attr) : ctl_u64(attrs, attr);
}

/*
 * Copy an array of u64. It may be shorter than ours, because an older kernel knows fewer causes of
 * loss.
 */
static void copy_u64s(unsigned char *to, size_t size, const struct nlattr *attr)
{
	size_t len = attr ? mnl_attr_get_payload_len(attr) : 0;

	if (len > size)
		len = size;
	if (len)
		memcpy(to, mnl_attr_get_payload(attr), len - len % sizeof(uint64_t));
}

static void attr_take(const struct ctl_attrs *attrs, const struct ctl_field *f, unsigned char *to)
{
	if (f->how == CTL_IS_THERE)
		*(bool *)to = attrs->a[f->attr];
	else if (f->how == CTL_IS_FLAG)
		*(bool *)to = attr_number(attrs, f->attr);
	else if (words[f->attr].type == MNL_TYPE_NUL_STRING)
		ctl_copy((char *)to, f->size, attrs->a[f->attr]);
	else if (words[f->attr].type == MNL_TYPE_BINARY)
		copy_u64s(to, f->size, attrs->a[f->attr]);
	else if (f->size == sizeof(uint64_t))
		*(uint64_t *)to = attr_number(attrs, f->attr);
	else if (f->size == sizeof(uint32_t))
		*(uint32_t *)to = (uint32_t)attr_number(attrs, f->attr);
	else if (f->size == sizeof(uint8_t))
		*to = (uint8_t)attr_number(attrs, f->attr);
}

int ctl_fields(const struct ctl_attrs *attrs, const struct ctl_field *fields, size_t nr,
	       void *to, size_t size)
{
	size_t i;

	memset(to, 0, size);
	if (!attrs->a[fields->attr])
		return -EBADMSG;
	for (i = 0; i < nr; i++)
		attr_take(attrs, &fields[i], (unsigned char *)to + fields[i].at);
	return 0;
}

static uint32_t attr_place(const struct nlmsghdr *request, const struct nlattr *a)
{
	return (uint32_t)((const char *)a - (const char *)request);
}

static bool has_byte(const struct nlmsghdr *request, const struct nlattr *a, uint32_t offset)
{
	return offset >= attr_place(request, a) &&
	       offset - attr_place(request, a) < mnl_attr_get_len(a);
}

bool ctl_attr_at(const struct nlmsghdr *request, uint32_t offset, int *nest, unsigned int *type)
{
	const struct nlattr *a, *in;

	mnl_attr_for_each(a, request, sizeof(struct genlmsghdr)) {
		if (!has_byte(request, a, offset))
			continue;
		*nest = 0;
		*type = mnl_attr_get_type(a);
		if (offset == attr_place(request, a) ||
		    (*type != DEVTRACE_A_FILTER && *type != DEVTRACE_A_WHEN &&
		     *type != DEVTRACE_A_ELEMENT))
			return true;
		mnl_attr_for_each_nested(in, a) {
			if (!has_byte(request, in, offset))
				continue;
			*nest = (int)*type;
			*type = mnl_attr_get_type(in);
			break;
		}
		return true;
	}
	return false;
}
