// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_refused.c - explain why the kernel refused a request
 *
 * The kernel sends a short text, the offset of the refused attribute in the request, and the
 * policy that the attribute violates. The tables here describe the valid values of each attribute.
 * Older modules send a complete explanation but no policy, so a text without a policy is used
 * unchanged.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "ctl.h"

/*
 * Descriptions of an attribute's valid values. If the kernel sends a range of numbers, they
 * describe what the number means.
 */
#define NAME	"a name of 1 to 31 of A-Z a-z 0-9 _ . -"
#define FILTER	"a nest of filter attributes"
#define RANGES	"an array of at most 64 ranges: two u16, first <= last"
#define MAJORS	"an array of at most 64 u32 up to 16777215"
#define CODES	"an array of at most 64 u32, major << 8 | minor"
#define PIDS	"an array of at most 64 u32 up to 4194303"
#define COMMS	"an array of at most 64 names, each 1 to 15 bytes in char[16]"
#define LEVEL	"from this level on, 4 none"

static const char *const rights[DEVTRACE_A_MAX + 1] = {
	[DEVTRACE_A_STREAM]	= NAME,
	[DEVTRACE_A_SIZE]	= "bytes of ring for each CPU",
	[DEVTRACE_A_STATE]	= "0 running, 1 stopped, 2 frozen",
	[DEVTRACE_A_WATERMARK]	= "percent of the ring",
	[DEVTRACE_A_MODE]	= "permissions of the device, at most octal 777",
	[DEVTRACE_A_GENERATION]	= "what filter-get gave",
	[DEVTRACE_A_FILTER]	= FILTER,
	[DEVTRACE_A_TRIGGER]	= NAME,
	[DEVTRACE_A_WHEN]	= FILTER,
	[DEVTRACE_A_ELEMENT]	= "a nest of element attributes",
	[DEVTRACE_A_NTH]	= "which of the events it is",
	[DEVTRACE_A_RATE]	= "events a second",
	[DEVTRACE_A_ACTION]	= "0 notify, 1 start, 2 stop, 3 freeze, 4 filter, 5 restore",
	[DEVTRACE_A_EVENTS]	= "further events to store",
	[DEVTRACE_A_TIME]	= "nanoseconds",
	[DEVTRACE_A_REARM]	= "0 one shot, 1 armed again once it has fired",
	[DEVTRACE_A_ARMED]	= "0 disarmed, 1 armed",
	[DEVTRACE_A_TRACEPOINT]	= "SYSTEM:EVENT, 3 to 63 bytes, as block:block_rq_issue",
};

static const char *const filter_rights[DEVTRACE_FA_MAX + 1] = {
	[DEVTRACE_FA_TYPES]	= "32 bytes: bit n % 8 of byte n / 8 is type n",
	[DEVTRACE_FA_HW_SEVERITY] = LEVEL,
	[DEVTRACE_FA_SW_SEVERITY] = LEVEL,
	[DEVTRACE_FA_OBJECTS]	= RANGES,
	[DEVTRACE_FA_SIGNALS]	= RANGES,
	[DEVTRACE_FA_MAJORS]	= MAJORS,
	[DEVTRACE_FA_NOT_MAJORS] = MAJORS,
	[DEVTRACE_FA_PIDS]	= PIDS,
	[DEVTRACE_FA_NOT_PIDS]	= PIDS,
	[DEVTRACE_FA_COMMS]	= COMMS,
	[DEVTRACE_FA_NOT_COMMS]	= COMMS,
	[DEVTRACE_FA_ORIGINS]	= "1 kernel, 2 user, 3 both",
	[DEVTRACE_FA_CPUS]	= RANGES,
	[DEVTRACE_FA_CODES]	= CODES,
	[DEVTRACE_FA_NOT_CODES]	= CODES,
	[DEVTRACE_FA_NAMED]	= RANGES,
};

static const char *const element_rights[DEVTRACE_EA_MAX + 1] = {
	[DEVTRACE_EA_INDEX]	= "0 is the first element",
	[DEVTRACE_EA_COMPARE]	= "0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge",
	[DEVTRACE_EA_VALUE]	= "an s64",
	[DEVTRACE_EA_MASK]	= "the bits that are compared",
	[DEVTRACE_EA_STRING]	= "up to 63 bytes",
};

/* Attributes of an error reply. 0 or NULL: absent. */
struct refusal {
	const char	*msg;
	const struct nlattr *policy;
	uint32_t	offset, missing, nest;
};

/* The refused attribute; name "": not known. */
struct about {
	char		name[64];	/* "filter.objects" */
	const char	*word;		/* "objects" */
	const char	*right; /* description of valid values; NULL: the tables have none */
};

static void refused_collect(struct refusal *r, const void *tlvs, int len)
{
	const struct nlattr *a;

	for (a = tlvs; mnl_attr_ok(a, len); ) {
		const int type = mnl_attr_get_type(a), size = (int)MNL_ALIGN(mnl_attr_get_len(a));
		const bool u32 = mnl_attr_validate(a, MNL_TYPE_U32) == 0;

		if (type == NLMSGERR_ATTR_MSG && mnl_attr_validate(a, MNL_TYPE_NUL_STRING) == 0)
			r->msg = mnl_attr_get_str(a);
		else if (type == NLMSGERR_ATTR_POLICY)
			r->policy = a;
		else if (type == NLMSGERR_ATTR_OFFS && u32)
			r->offset = mnl_attr_get_u32(a);
		else if (type == NLMSGERR_ATTR_MISS_TYPE && u32)
			r->missing = mnl_attr_get_u32(a);
		else if (type == NLMSGERR_ATTR_MISS_NEST && u32)
			r->nest = mnl_attr_get_u32(a);
		a = mnl_attr_next(a);
		len -= size;
	}
}

static const char *right_of(int nest, unsigned int type)
{
	if (nest == DEVTRACE_A_FILTER || nest == DEVTRACE_A_WHEN)
		return type <= DEVTRACE_FA_MAX ? filter_rights[type] : NULL;
	if (nest == DEVTRACE_A_ELEMENT)
		return type <= DEVTRACE_EA_MAX ? element_rights[type] : NULL;
	return !nest && type <= DEVTRACE_A_MAX ? rights[type] : NULL;
}

static void refused_find(struct about *ab, const struct nlmsghdr *request, const struct refusal *r)
{
	unsigned int type = 0;
	int nest = 0;

	memset(ab, 0, sizeof(*ab));
	ab->word = ab->name;
	if (r->missing) {
		/* The kernel sends the nest's offset; find the number of the nest. */
		if (r->nest && ctl_attr_at(request, r->nest, &nest, &type))
			nest = (int)type;
		type = r->missing;
	} else if (!r->offset || !ctl_attr_at(request, r->offset, &nest, &type)) {
		return;
	}
	if (nest)
		snprintf(ab->name, sizeof(ab->name), "%s.%s", ctl_attr_word(0, (unsigned int)nest),
			 ctl_attr_word(nest, type));
	else
		snprintf(ab->name, sizeof(ab->name), "%s", ctl_attr_word(0, type));
	if (nest)
		ab->word = strchr(ab->name, '.') + 1;
	ab->right = right_of(nest, type);
}

/* Does the policy have a range that excludes some numbers of the attribute's size? */
static bool range_of(const struct nlattr *policy, uint64_t *min, uint64_t *max)
{
	const struct nlattr *a;
	bool told = false;

	*min = 0;
	*max = UINT64_MAX;
	mnl_attr_for_each_nested(a, policy) {
		const int type = mnl_attr_get_type(a);

		if (mnl_attr_validate(a, MNL_TYPE_U64) < 0)
			continue;
		if (type == NL_POLICY_TYPE_ATTR_MIN_VALUE_U)
			*min = mnl_attr_get_u64(a);
		else if (type == NL_POLICY_TYPE_ATTR_MAX_VALUE_U)
			*max = mnl_attr_get_u64(a);
		else
			continue;
		told = true;
	}
	return told && (*min || (*max != UINT64_MAX && *max != UINT32_MAX));
}

/* Describe the values that the violated policy permits. */
static void say_right(char *to, size_t size, const struct about *ab, const struct nlattr *policy)
{
	uint64_t min, max;

	if (!range_of(policy, &min, &max))
		snprintf(to, size, "%s must be %s", ab->word, ab->right);
	else if (max == UINT64_MAX || max == UINT32_MAX)
		snprintf(to, size, "%s must be %llu or more: %s", ab->word,
			 (unsigned long long)min, ab->right);
	else
		snprintf(to, size, "%s must be from %llu to %llu: %s", ab->word,
			 (unsigned long long)min, (unsigned long long)max, ab->right);
}

void ctl_refused(struct devtrace_ctl *ctl, int err, const void *tlvs, int len)
{
	static const char attribute[] = "attribute ";
	const size_t n = sizeof(attribute) - 1;
	const size_t size = sizeof(ctl->error);
	struct refusal r = { 0 };
	struct about ab;

	refused_collect(&r, tlvs, len);
	refused_find(&ab, ctl->request, &r);
	if (!r.msg)
		r.msg = r.missing ? "attribute is missing" : strerror(-err);
	if (r.policy && ab.right)
		say_right(ctl->error, size, &ab, r.policy);
	else if (r.missing && *ab.name)
		snprintf(ctl->error, size, "%s is missing%s%s", ab.word, ab.right ? ": " : "",
			 ab.right ? ab.right : "");
	else if (*ab.name && (!strcmp(r.msg, "Unknown attribute type") ||
			      !strcmp(r.msg, "Unsupported attribute")))
		snprintf(ctl->error, size,
			 "%s: this module does not take it here; it is older than the library",
			 ab.name);
	else if (*ab.name && !strncmp(r.msg, attribute, n))
		snprintf(ctl->error, size, "%s %s", ab.word, r.msg + n);
	/* Most of the kernel's texts begin with the name of the attribute. */
	else if (!strncmp(r.msg, ab.word, strlen(ab.word)))
		snprintf(ctl->error, size, "%s", r.msg);
	else
		snprintf(ctl->error, size, "%s: %s", ab.name, r.msg);
}
