// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_filter.c - filters: build, send and parse
 *
 * Invariants: the ranges of a term are in order, neither overlap nor touch, and number at most
 * DEVTRACE_TERMS_MAX. A list contains each entry once. The bits of transport types are always set.
 * Names are padded with NULs.
 */
#include <errno.h>
#include <string.h>
#include "ctl.h"
#include "type_groups.h"

#define OBJECT_MAX	0xffff
#define SEVERITIES	4
#define ORIGINS		(DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER)

struct group {
	const char	*name;
	uint8_t		ranges[2];	/* first, last */
};

/* Groups of QS-IDs: active objects, event pools, event queues, application. */
static const struct group object_groups[] = {
	{ "ao", { 1, 64 } },
	{ "ep", { 65, 80 } },
	{ "eq", { 81, 96 } },
	{ "ap", { 97, 127 } },
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Set all types except kernel profile events: those that drivers and programs emit. */
static void types_fill(struct devtrace_filter *f)
{
	unsigned int i;

	memset(f->types, 0xff, sizeof(f->types));
	memset(&f->named, 0, sizeof(f->named));
	for (i = 0; i < 256; i++)
		if (devtrace_type_is_profile(i))
			f->types[i / 8] &= (uint8_t)~(1u << i % 8);
}

static void types_clear(struct devtrace_filter *f)
{
	unsigned int i;

	memset(f->types, 0, sizeof(f->types));
	memset(&f->named, 0, sizeof(f->named));
	for (i = 0; i < 256; i++)
		if (devtrace_type_is_transport(i))
			f->types[i / 8] |= (uint8_t)(1u << i % 8);
}

void devtrace_filter_all(struct devtrace_filter *f)
{
	memset(f, 0, sizeof(*f));
	types_fill(f);
	f->origins = ORIGINS;
}

void devtrace_filter_none(struct devtrace_filter *f)
{
	devtrace_filter_all(f);
	types_clear(f);
}

static bool is_number(const struct devtrace_filter *f, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < f->named.nr; i++)
		if (number >= f->named.r[i].first && number <= f->named.r[i].last)
			return true;
	return !f->named.given;
}

bool devtrace_filter_is_type(const struct devtrace_filter *f, unsigned int type)
{
	if (type >= DEVTRACE_NAMED_FIRST && type <= DEVTRACE_NAMED_LAST && !is_number(f, type))
		return false;
	if (type >= DEVTRACE_NAMED_FIRST && type <= DEVTRACE_NAMED_LAST)
		type = DEVTRACE_T_NAMED;
	return type < 256 && f->types[type / 8] & 1u << type % 8;
}

static bool types_all(const struct devtrace_filter *f)
{
	unsigned int i;

	for (i = 0; i < 256; i++)
		if (devtrace_filter_is_type(f, i) == devtrace_type_is_profile(i))
			return false;
	return true;
}

bool devtrace_filter_is_all(const struct devtrace_filter *f)
{
	return types_all(f) && !f->hw_severity && !f->sw_severity && f->origins == ORIGINS &&
	       !f->objects.given && !f->signals.given && !f->majors.given &&
	       !f->not_majors.given && !f->pids.given && !f->not_pids.given &&
	       !f->comms.given && !f->not_comms.given && !f->cpus.given &&
	       !f->codes.given && !f->not_codes.given && !f->named.given;
}

/* NAMED is a part of the term TYPES, and not a term of callers. */
static struct devtrace_ranges *ranges_of(struct devtrace_filter *f, enum devtrace_filter_attr term)
{
	return term == DEVTRACE_FA_OBJECTS ? &f->objects :
	       term == DEVTRACE_FA_SIGNALS ? &f->signals :
	       term == DEVTRACE_FA_CPUS ? &f->cpus : NULL;
}

static struct devtrace_numbers *numbers_of(struct devtrace_filter *f,
					   enum devtrace_filter_attr term)
{
	switch (term) {
	case DEVTRACE_FA_MAJORS:	return &f->majors;
	case DEVTRACE_FA_NOT_MAJORS:	return &f->not_majors;
	case DEVTRACE_FA_PIDS:		return &f->pids;
	case DEVTRACE_FA_NOT_PIDS:	return &f->not_pids;
	case DEVTRACE_FA_CODES:		return &f->codes;
	case DEVTRACE_FA_NOT_CODES:	return &f->not_codes;
	default:			return NULL;
	}
}

static struct devtrace_names *names_of(struct devtrace_filter *f, enum devtrace_filter_attr term)
{
	return term == DEVTRACE_FA_COMMS ? &f->comms :
	       term == DEVTRACE_FA_NOT_COMMS ? &f->not_comms : NULL;
}

int devtrace_filter_only(struct devtrace_filter *f, enum devtrace_filter_attr term)
{
	struct devtrace_ranges *r = ranges_of(f, term);

	if (term == DEVTRACE_FA_TYPES) {
		types_clear(f);
		return 0;
	}
	if (!r)
		return -EINVAL;
	r->given = true;
	r->nr = 0;
	return 0;
}

int devtrace_filter_any(struct devtrace_filter *f, enum devtrace_filter_attr term)
{
	struct devtrace_ranges *r = ranges_of(f, term);
	struct devtrace_numbers *n = numbers_of(f, term);
	struct devtrace_names *c = names_of(f, term);

	if (r)
		memset(r, 0, sizeof(*r));
	else if (n)
		memset(n, 0, sizeof(*n));
	else if (c)
		memset(c, 0, sizeof(*c));
	else if (term == DEVTRACE_FA_TYPES)
		types_fill(f);
	else if (term == DEVTRACE_FA_HW_SEVERITY)
		f->hw_severity = 0;
	else if (term == DEVTRACE_FA_SW_SEVERITY)
		f->sw_severity = 0;
	else if (term == DEVTRACE_FA_ORIGINS)
		f->origins = ORIGINS;
	else
		return -EINVAL;
	return 0;
}

/* Append a range; if it touches the last range, extend that one. */
static bool filter_append(struct devtrace_range *out, unsigned int *n, unsigned int first,
			  unsigned int last)
{
	if (*n && first <= out[*n - 1].last + 1u) {
		if (last > out[*n - 1].last)
			out[*n - 1].last = (uint16_t)last;
		return true;
	}
	if (*n == DEVTRACE_TERMS_MAX)
		return false;
	out[*n].first = (uint16_t)first;
	out[(*n)++].last = (uint16_t)last;
	return true;
}

static int ranges_set(struct devtrace_ranges *r, unsigned int first, unsigned int last, bool on)
{
	struct devtrace_range out[DEVTRACE_TERMS_MAX];
	unsigned int i, n = 0;
	bool fits = true, done = !on;

	if (!r->given && on)
		return 0;		/* the term already passes everything */
	if (!r->given) {
		r->given = true;
		r->nr = 1;
		r->r[0].first = 0;
		r->r[0].last = OBJECT_MAX;
	}
	for (i = 0; i < r->nr; i++) {
		unsigned int a = r->r[i].first, b = r->r[i].last;

		if (on) {
			if (!done && first <= a) {
				fits &= filter_append(out, &n, first, last);
				done = true;
			}
			fits &= filter_append(out, &n, a, b);
			continue;
		}
		if (a < first)
			fits &= filter_append(out, &n, a, b < first ? b : first - 1);
		if (b > last)
			fits &= filter_append(out, &n, a > last ? a : last + 1, b);
	}
	if (!done)
		fits &= filter_append(out, &n, first, last);
	if (!fits)
		return -ENOSPC;
	memcpy(r->r, out, n * sizeof(*out));
	r->nr = n;
	if (n == 1 && !out[0].first && out[0].last == OBJECT_MAX)
		memset(r, 0, sizeof(*r));
	return 0;
}

static void set_type(struct devtrace_filter *f, unsigned int type, bool on)
{
	const uint8_t bit = (uint8_t)(1u << type % 8);

	if (on)
		f->types[type / 8] |= bit;
	else
		f->types[type / 8] &= (uint8_t)~bit;
}

/*
 * Pass or refuse types that are registered by name. If none of them passes, only the bit of their
 * type is clear; if all pass, there are no ranges.
 */
static int named_set(struct devtrace_filter *f, unsigned int first, unsigned int last, bool on)
{
	const bool was = devtrace_filter_is_type(f, DEVTRACE_T_NAMED);
	struct devtrace_ranges *r = &f->named, old = *r;
	int ret;

	if (!was && !on)
		return 0;
	if (!was) {
		r->given = true;
		r->nr = 0;
	} else if (!on && !r->given) {
		r->given = true;
		r->nr = 1;
		r->r[0].first = DEVTRACE_NAMED_FIRST;
		r->r[0].last = DEVTRACE_NAMED_LAST;
	}
	ret = ranges_set(r, first, last, on);
	if (ret) {
		*r = old;
		return ret;
	}
	set_type(f, DEVTRACE_T_NAMED, true);
	if (r->given && !r->nr) {
		set_type(f, DEVTRACE_T_NAMED, false);
		r->given = false;
	}
	if (r->nr == 1 && r->r[0].first == DEVTRACE_NAMED_FIRST &&
	    r->r[0].last == DEVTRACE_NAMED_LAST)
		r->given = false;
	if (!r->given)
		memset(r, 0, sizeof(*r));
	return 0;
}

int devtrace_filter_range(struct devtrace_filter *f, enum devtrace_filter_attr term,
			  unsigned int first, unsigned int last, bool on)
{
	struct devtrace_ranges *r = ranges_of(f, term);
	unsigned int i;
	int ret;

	if ((!r && term != DEVTRACE_FA_TYPES) || first > last || last > OBJECT_MAX)
		return -EINVAL;
	if (r)
		return ranges_set(r, first, last, on);
	if (first <= DEVTRACE_T_NAMED && last >= DEVTRACE_T_NAMED)
		memset(&f->named, 0, sizeof(f->named));
	if (last >= DEVTRACE_NAMED_FIRST) {
		ret = named_set(f, first > DEVTRACE_NAMED_FIRST ? first : DEVTRACE_NAMED_FIRST,
				last, on);
		if (ret)
			return ret;
		last = DEVTRACE_NAMED_FIRST - 1;
	}
	for (i = first; i <= last; i++) {
		if (on)
			f->types[i / 8] |= (uint8_t)(1u << i % 8);
		else if (!devtrace_type_is_transport(i))
			f->types[i / 8] &= (uint8_t)~(1u << i % 8);
	}
	return 0;
}

/*
 * Return the name of the n-th group of types or objects. *ranges: *nr numbers, the first and the
 * last of each range.
 */
static const char *group_at(enum devtrace_filter_attr term, unsigned int n, const uint8_t **ranges,
			    size_t *nr)
{
	if (term == DEVTRACE_FA_TYPES && n < TYPE_GROUPS) {
		*ranges = type_groups[n].ranges;
		*nr = sizeof(type_groups[n].ranges);
		return type_groups[n].name;
	}
	if (term == DEVTRACE_FA_OBJECTS && n < NR(object_groups)) {
		*ranges = object_groups[n].ranges;
		*nr = sizeof(object_groups[n].ranges);
		return object_groups[n].name;
	}
	return NULL;
}

const char *devtrace_filter_group_name(enum devtrace_filter_attr term, unsigned int n)
{
	const uint8_t *ranges;
	size_t nr;
	const char *name = group_at(term, n, &ranges, &nr);

	if (!name && term == DEVTRACE_FA_TYPES)
		return type_profile_name(n - TYPE_GROUPS);
	return name;
}

static int all_on(struct devtrace_filter *f, enum devtrace_filter_attr term, bool on)
{
	int ret;

	if (term != DEVTRACE_FA_TYPES)
		return devtrace_filter_range(f, term, 0, OBJECT_MAX, on);
	ret = devtrace_filter_range(f, term, 0, DEVTRACE_T_KERNEL - 1, on);
	return ret ? ret : devtrace_filter_range(f, term, DEVTRACE_T_USER2, 255, on);
}

int devtrace_filter_group(struct devtrace_filter *f, enum devtrace_filter_attr term,
			  const char *group, bool on)
{
	const uint8_t *ranges;
	const char *name;
	unsigned int n, i;
	uint64_t set;
	size_t nr;

	if (!strcmp(group, "all"))
		return all_on(f, term, on);
	for (n = 0; (name = group_at(term, n, &ranges, &nr)); n++) {
		if (strcmp(name, group))
			continue;
		for (i = 0; i < nr && ranges[i]; i += 2) {
			int ret = devtrace_filter_range(f, term, ranges[i], ranges[i + 1], on);

			if (ret)
				return ret;
		}
		return 0;
	}
	set = term == DEVTRACE_FA_TYPES ? type_profile_set(group) : 0;
	if (!set)
		return -ENOENT;
	for (i = 0; i < TYPE_PROFILES; i++)
		if (set >> i & 1)
			devtrace_filter_range(f, term, DEVTRACE_T_KERNEL + i,
					      DEVTRACE_T_KERNEL + i, on);
	return 0;
}

/*
 * Add an entry to a list, or remove it. @i: index of the entry in the list, or *@nr if the list
 * lacks it.
 */
static int list_set(bool *given, unsigned int *nr, void *list, size_t size, unsigned int i,
		    const void *entry, bool on)
{
	char *at = (char *)list + i * size;

	if (!on) {
		if (i == *nr)
			return -ENOENT;
		memmove(at, at + size, (*nr - i - 1) * size);
		*given = --*nr;
		return 0;
	}
	if (i < *nr)
		return 0;
	if (*nr == DEVTRACE_TERMS_MAX)
		return -ENOSPC;
	memcpy(at, entry, size);
	++*nr;
	*given = true;
	return 0;
}

int devtrace_filter_number(struct devtrace_filter *f, enum devtrace_filter_attr term,
			   uint32_t number, bool on)
{
	struct devtrace_numbers *l = numbers_of(f, term);
	unsigned int i;

	if (!l)
		return -EINVAL;
	for (i = 0; i < l->nr && l->v[i] != number; i++)
		;
	return list_set(&l->given, &l->nr, l->v, sizeof(l->v[0]), i, &number, on);
}

int devtrace_filter_name(struct devtrace_filter *f, enum devtrace_filter_attr term,
			 const char *name, bool on)
{
	struct devtrace_names *l = names_of(f, term);
	char entry[DEVTRACE_COMM_LEN] = "";
	size_t len = strlen(name);
	unsigned int i;

	if (!l || !len || len >= sizeof(l->v[0]))
		return -EINVAL;
	for (i = 0; i < l->nr && strncmp(l->v[i], name, sizeof(l->v[i])); i++)
		;
	memcpy(entry, name, len + 1);
	return list_set(&l->given, &l->nr, l->v, sizeof(l->v[0]), i, entry, on);
}

int devtrace_filter_severity(struct devtrace_filter *f, unsigned int hw, unsigned int sw)
{
	if (hw > SEVERITIES || sw > SEVERITIES)
		return -EINVAL;
	f->hw_severity = hw;
	f->sw_severity = sw;
	return 0;
}

int devtrace_filter_origins(struct devtrace_filter *f, uint32_t origins)
{
	if (!origins || origins & ~(uint32_t)ORIGINS)
		return -EINVAL;
	f->origins = origins;
	return 0;
}

static void put_ranges(struct nlmsghdr *nlh, int attr, const struct devtrace_ranges *r)
{
	if (r->given)
		mnl_attr_put(nlh, attr, r->nr * sizeof(r->r[0]), r->r);
}

static void put_numbers(struct nlmsghdr *nlh, int attr, const struct devtrace_numbers *l)
{
	if (l->given)
		mnl_attr_put(nlh, attr, l->nr * sizeof(l->v[0]), l->v);
}

static void put_names(struct nlmsghdr *nlh, int attr, const struct devtrace_names *l)
{
	if (l->given)
		mnl_attr_put(nlh, attr, l->nr * sizeof(l->v[0]), l->v);
}

void ctl_put_filter(struct nlmsghdr *nlh, int attr, const struct devtrace_filter *f)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, attr);

	if (!types_all(f))
		mnl_attr_put(nlh, DEVTRACE_FA_TYPES, sizeof(f->types), f->types);
	if (f->hw_severity)
		mnl_attr_put_u32(nlh, DEVTRACE_FA_HW_SEVERITY, f->hw_severity);
	if (f->sw_severity)
		mnl_attr_put_u32(nlh, DEVTRACE_FA_SW_SEVERITY, f->sw_severity);
	put_ranges(nlh, DEVTRACE_FA_OBJECTS, &f->objects);
	put_ranges(nlh, DEVTRACE_FA_SIGNALS, &f->signals);
	put_numbers(nlh, DEVTRACE_FA_MAJORS, &f->majors);
	put_numbers(nlh, DEVTRACE_FA_NOT_MAJORS, &f->not_majors);
	put_numbers(nlh, DEVTRACE_FA_PIDS, &f->pids);
	put_numbers(nlh, DEVTRACE_FA_NOT_PIDS, &f->not_pids);
	put_names(nlh, DEVTRACE_FA_COMMS, &f->comms);
	put_names(nlh, DEVTRACE_FA_NOT_COMMS, &f->not_comms);
	if (f->origins != ORIGINS)
		mnl_attr_put_u32(nlh, DEVTRACE_FA_ORIGINS, f->origins);
	put_ranges(nlh, DEVTRACE_FA_CPUS, &f->cpus);
	put_numbers(nlh, DEVTRACE_FA_CODES, &f->codes);
	put_numbers(nlh, DEVTRACE_FA_NOT_CODES, &f->not_codes);
	put_ranges(nlh, DEVTRACE_FA_NAMED, &f->named);
	mnl_attr_nest_end(nlh, nest);
}

/* Return how many entries of this size the attribute has, or -EBADMSG. */
static int filter_entries(const struct nlattr *a, size_t size)
{
	size_t len = mnl_attr_get_payload_len(a);

	if (len % size || len / size > DEVTRACE_TERMS_MAX)
		return -EBADMSG;
	return (int)(len / size);
}

static int parse_list(const struct nlattr *a, bool *given, unsigned int *nr, void *to, size_t size)
{
	int n;

	if (!a)
		return 0;
	n = filter_entries(a, size);
	if (n < 0)
		return n;
	*given = true;
	*nr = (unsigned int)n;
	memcpy(to, mnl_attr_get_payload(a), (size_t)n * size);
	return 0;
}

static int parse_names(const struct nlattr *a, struct devtrace_names *l)
{
	unsigned int i;
	int ret = parse_list(a, &l->given, &l->nr, l->v, sizeof(l->v[0]));

	for (i = 0; i < l->nr; i++)
		l->v[i][sizeof(l->v[i]) - 1] = '\0';
	return ret;
}

int ctl_parse_filter(const struct nlattr *nest, struct devtrace_filter *f)
{
	static const uint16_t least[DEVTRACE_FA_MAX + 1] = {
		[DEVTRACE_FA_TYPES] = sizeof(f->types),
		[DEVTRACE_FA_HW_SEVERITY] = 4, [DEVTRACE_FA_SW_SEVERITY] = 4,
		[DEVTRACE_FA_ORIGINS] = 4,
	};
	const struct nlattr *tb[DEVTRACE_FA_MAX + 1];
	int ret;

	devtrace_filter_all(f);
	if (!nest)
		return -EBADMSG;
	ret = ctl_parse_nest(nest, tb, DEVTRACE_FA_MAX, least);
	if (ret)
		return ret;
	if (tb[DEVTRACE_FA_TYPES])
		memcpy(f->types, mnl_attr_get_payload(tb[DEVTRACE_FA_TYPES]), sizeof(f->types));
	if (tb[DEVTRACE_FA_HW_SEVERITY])
		f->hw_severity = mnl_attr_get_u32(tb[DEVTRACE_FA_HW_SEVERITY]);
	if (tb[DEVTRACE_FA_SW_SEVERITY])
		f->sw_severity = mnl_attr_get_u32(tb[DEVTRACE_FA_SW_SEVERITY]);
	if (tb[DEVTRACE_FA_ORIGINS])
		f->origins = mnl_attr_get_u32(tb[DEVTRACE_FA_ORIGINS]) & ORIGINS;
	ret |= parse_list(tb[DEVTRACE_FA_OBJECTS], &f->objects.given, &f->objects.nr,
			  f->objects.r, sizeof(f->objects.r[0]));
	ret |= parse_list(tb[DEVTRACE_FA_SIGNALS], &f->signals.given, &f->signals.nr,
			  f->signals.r, sizeof(f->signals.r[0]));
	ret |= parse_list(tb[DEVTRACE_FA_MAJORS], &f->majors.given, &f->majors.nr,
			  f->majors.v, sizeof(f->majors.v[0]));
	ret |= parse_list(tb[DEVTRACE_FA_NOT_MAJORS], &f->not_majors.given, &f->not_majors.nr,
			  f->not_majors.v, sizeof(f->not_majors.v[0]));
	ret |= parse_list(tb[DEVTRACE_FA_PIDS], &f->pids.given, &f->pids.nr,
			  f->pids.v, sizeof(f->pids.v[0]));
	ret |= parse_list(tb[DEVTRACE_FA_NOT_PIDS], &f->not_pids.given, &f->not_pids.nr,
			  f->not_pids.v, sizeof(f->not_pids.v[0]));
	ret |= parse_names(tb[DEVTRACE_FA_COMMS], &f->comms);
	ret |= parse_names(tb[DEVTRACE_FA_NOT_COMMS], &f->not_comms);
	ret |= parse_list(tb[DEVTRACE_FA_CPUS], &f->cpus.given, &f->cpus.nr,
			  f->cpus.r, sizeof(f->cpus.r[0]));
	ret |= parse_list(tb[DEVTRACE_FA_CODES], &f->codes.given, &f->codes.nr,
			  f->codes.v, sizeof(f->codes.v[0]));
	ret |= parse_list(tb[DEVTRACE_FA_NOT_CODES], &f->not_codes.given, &f->not_codes.nr,
			  f->not_codes.v, sizeof(f->not_codes.v[0]));
	ret |= parse_list(tb[DEVTRACE_FA_NAMED], &f->named.given, &f->named.nr,
			  f->named.r, sizeof(f->named.r[0]));
	return ret ? -EBADMSG : 0;
}
