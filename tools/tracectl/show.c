// SPDX-License-Identifier: GPL-2.0-only
/*
 * show.c - print a filter as terms and in JSON
 *
 * The terms have the form that tracectl/terms.c parses, so the printed terms set the same filter.
 */
#include <ctype.h>
#include "tracectl.h"

/* Prints the items of a term. The key is printed before the first item. */
struct list {
	struct out	*o;
	const char	*key;
	char		between;	/* separates terms */
	bool		*any;		/* was a term printed? */
	char		comma;		/* character between items; 0 stands for ',' */
	unsigned int	nr;
};

static void item(struct list *l)
{
	if (!l->nr++) {
		if (*l->any)
			out_char(l->o, l->between);
		*l->any = true;
		out_str(l->o, l->key);
	} else {
		out_char(l->o, l->comma ? l->comma : ',');
	}
}

static void put_range(struct list *l, const char *sign, unsigned int first, unsigned int last)
{
	item(l);
	out_str(l->o, sign);
	out_u64(l->o, first);
	if (last > first) {
		out_char(l->o, '-');
		out_u64(l->o, last);
	}
}

/* A set of types. */
struct set {
	bool in[256];
};

static struct set types_of(const struct devtrace_filter *f)
{
	struct set s;
	unsigned int i;

	for (i = 0; i < 256; i++)
		s.in[i] = devtrace_filter_is_type(f, i);
	return s;
}

/* Return the set of types that a filter can exclude. */
static struct set maskable(void)
{
	struct devtrace_filter none;
	struct set s;
	unsigned int i;

	devtrace_filter_none(&none);
	s = types_of(&none);
	for (i = 0; i < 256; i++)
		s.in[i] = !s.in[i];
	return s;
}

static struct set group_set(const char *name)
{
	struct devtrace_filter f;
	struct set s, may = maskable();
	unsigned int i;

	devtrace_filter_none(&f);
	devtrace_filter_group(&f, DEVTRACE_FA_TYPES, name, true);
	s = types_of(&f);
	for (i = 0; i < 256; i++)
		s.in[i] &= may.in[i];
	return s;
}

const char *tc_type_group(unsigned int type, bool *alone)
{
	const char *name, *found = NULL;
	unsigned int n, i, types = 0;
	struct set s;

	/*
	 * Smaller groups come later (user0 after user), so use the last group that contains the
	 * type.
	 */
	for (n = 0; (name = devtrace_filter_group_name(DEVTRACE_FA_TYPES, n)); n++) {
		s = group_set(name);
		if (type >= 256 || !s.in[type])
			continue;
		found = name;
		for (i = types = 0; i < 256; i++)
			types += s.in[i];
	}
	*alone = types == 1;
	return found;
}

/*
 * Print a set of types as groups and ranges. If @l is NULL, print nothing. Return the number of
 * items.
 */
static unsigned int put_types(struct list *l, struct set s, const char *sign)
{
	const char *name;
	unsigned int n, i, count = 0;

	for (n = 0; (name = devtrace_filter_group_name(DEVTRACE_FA_TYPES, n)); n++) {
		struct set g = group_set(name);

		for (i = 0; i < 256 && (!g.in[i] || s.in[i]); i++)
			;
		if (i < 256)
			continue;
		count++;
		if (l) {
			item(l);
			out_str(l->o, sign);
			out_str(l->o, name);
		}
		for (i = 0; i < 256; i++)
			s.in[i] &= !g.in[i];
	}
	for (i = 0; i < 256; i++) {
		unsigned int last = i;

		if (!s.in[i])
			continue;
		while (last < 255 && s.in[last + 1])
			last++;
		count++;
		if (l)
			put_range(l, sign, i, last);
		i = last;
	}
	return count;
}

/* Return the types that pass a filter without a type term: all except kernel profile events. */
static struct set ordinary(void)
{
	struct devtrace_filter all;

	devtrace_filter_all(&all);
	return types_of(&all);
}

/* Print the types registered by name that pass, or with @sign "-" those that do not. */
static void put_named(struct list *l, const struct devtrace_filter *f, const char *sign)
{
	const struct devtrace_ranges *r = &f->named;
	unsigned int i, next = DEVTRACE_NAMED_FIRST;

	for (i = 0; i < r->nr; i++) {
		const unsigned int first = r->r[i].first > next ? r->r[i].first : next;

		if (r->r[i].last < DEVTRACE_NAMED_FIRST)
			continue;
		if (!*sign)
			put_range(l, sign, first, r->r[i].last);
		else if (first > next)
			put_range(l, sign, next, first - 1);
		next = r->r[i].last + 1u;
	}
	if (*sign && next <= DEVTRACE_NAMED_LAST)
		put_range(l, sign, next, DEVTRACE_NAMED_LAST);
}

static void types(struct list *l, const struct devtrace_filter *f)
{
	const bool some_named = f->named.given && devtrace_filter_is_type(f, DEVTRACE_T_NAMED);
	struct set on = types_of(f), all = ordinary(), may = maskable();
	struct set off, more, some;
	unsigned int i, nr_on, nr_more, nr_off;

	for (i = 0; i < 256; i++) {
		on.in[i] &= may.in[i];
		off.in[i] = may.in[i] && all.in[i] && !on.in[i];
		more.in[i] = on.in[i] && !all.in[i];
		some.in[i] = on.in[i] && all.in[i];
	}
	nr_on = put_types(NULL, some, "");
	nr_off = put_types(NULL, off, "");
	nr_more = put_types(NULL, more, "");
	if (!nr_off && !nr_more && !some_named)
		return;
	if (!nr_on && !nr_more) {
		item(l);
		OUT_LIT(l->o, "none");
	} else if (nr_on <= nr_off + 1 && nr_off) {
		on.in[DEVTRACE_T_NAMED] &= !some_named;
		put_types(l, on, "");
		if (some_named)
			put_named(l, f, "");
	} else {
		item(l);
		OUT_LIT(l->o, "all");
		put_types(l, more, "");
		put_types(l, off, "-");
		if (some_named)
			put_named(l, f, "-");
	}
}

void tc_put_profile(struct out *o, const struct devtrace_filter *f)
{
	struct set on = types_of(f), all = ordinary();
	bool any = false;
	struct list l = { .o = o, .key = "", .between = ' ', .any = &any, .comma = ' ' };
	unsigned int i;

	for (i = 0; i < 256; i++)
		on.in[i] &= !all.in[i];
	if (!put_types(&l, on, ""))
		OUT_LIT(o, "none");
}

/* Return the name of the n-th group of objects, and its range, or NULL after the last group. */
static const char *object_group(unsigned int n, unsigned int *first, unsigned int *last)
{
	const char *name = devtrace_filter_group_name(DEVTRACE_FA_OBJECTS, n);
	struct devtrace_filter f;

	if (!name)
		return NULL;
	devtrace_filter_all(&f);
	devtrace_filter_only(&f, DEVTRACE_FA_OBJECTS);
	devtrace_filter_group(&f, DEVTRACE_FA_OBJECTS, name, true);
	*first = f.objects.r[0].first;
	*last = f.objects.r[0].last;
	return name;
}

/*
 * Print a range. It may consist of adjacent groups: print these by name, and the rest as numbers.
 */
static void range_item(struct list *l, const char *sign, unsigned int first, unsigned int last,
		       bool objects)
{
	unsigned int n, a, b;
	const char *name;

	for (n = 0; objects && (name = object_group(n, &a, &b)); n++) {
		if (a != first || b > last)
			continue;
		item(l);
		out_str(l->o, sign);
		out_str(l->o, name);
		first = b + 1;
	}
	if (first <= last)
		put_range(l, sign, first, last);
}

static void ranges(struct list *l, const struct devtrace_ranges *r, bool objects)
{
	unsigned int i;

	if (!r->given)
		return;
	if (!r->nr) {
		item(l);
		OUT_LIT(l->o, "none");
		return;
	}
	/* The ranges include nearly all numbers: print "all" and the excluded ones. */
	if (r->nr > 1 && !r->r[0].first && r->r[r->nr - 1].last == 65535) {
		item(l);
		OUT_LIT(l->o, "all");
		for (i = 1; i < r->nr; i++)
			range_item(l, "-", r->r[i - 1].last + 1u, r->r[i].first - 1u, objects);
		return;
	}
	for (i = 0; i < r->nr; i++)
		range_item(l, "", r->r[i].first, r->r[i].last, objects);
}

static void numbers(struct list *l, const char *sign, const struct devtrace_numbers *n)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++) {
		item(l);
		out_str(l->o, sign);
		out_u64(l->o, n->v[i]);
	}
}

static void codes(struct list *l, const char *sign, const struct devtrace_numbers *n, bool whole)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++) {
		uint32_t major = whole ? n->v[i] : DEVTRACE_CODE_MAJOR(n->v[i]);

		item(l);
		out_str(l->o, sign);
		/* Majors are usually written in hexadecimal. */
		if (major > 9)
			out_hex(l->o, major, 1);
		else
			out_u64(l->o, major);
		if (!whole) {
			out_char(l->o, ':');
			out_u64(l->o, DEVTRACE_CODE_MINOR(n->v[i]));
		}
	}
}

/* Can the name be parsed without quotes? */
static bool plain(const char *s)
{
	bool digits = true;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++) {
		digits &= !!isdigit((unsigned char)*s);
		if (!isalnum((unsigned char)*s) && !strchr("_./:@#-", *s))
			return false;
	}
	return !digits;
}

static void names(struct list *l, const char *sign, const struct devtrace_names *n)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++) {
		item(l);
		out_str(l->o, sign);
		if (plain(n->v[i]))
			out_str(l->o, n->v[i]);
		else
			out_quoted(l->o, n->v[i], strlen(n->v[i]));
	}
}

void tc_put_terms(struct out *o, const struct devtrace_filter *f, char between)
{
	bool any = false;
	struct list l = { .o = o, .between = between, .any = &any };

	l.key = "type=";
	types(&l, f);
	l.key = "object=";
	l.nr = 0;
	ranges(&l, &f->objects, true);
	l.key = "signal=";
	l.nr = 0;
	ranges(&l, &f->signals, false);
	l.key = "severity=";
	l.nr = 0;
	if (f->hw_severity) {
		item(&l);
		OUT_LIT(o, "hw");
		out_u64(o, f->hw_severity);
	}
	if (f->sw_severity) {
		item(&l);
		OUT_LIT(o, "sw");
		out_u64(o, f->sw_severity);
	}
	l.key = "code=";
	l.nr = 0;
	codes(&l, "", &f->majors, true);
	codes(&l, "", &f->codes, false);
	codes(&l, "!", &f->not_majors, true);
	codes(&l, "!", &f->not_codes, false);
	l.key = "process=";
	l.nr = 0;
	numbers(&l, "", &f->pids);
	names(&l, "", &f->comms);
	numbers(&l, "!", &f->not_pids);
	names(&l, "!", &f->not_comms);
	l.key = "origin=";
	l.nr = 0;
	if (f->origins == DEVTRACE_ORIGIN_KERNEL || f->origins == DEVTRACE_ORIGIN_USER) {
		item(&l);
		out_str(o, f->origins == DEVTRACE_ORIGIN_KERNEL ? "kernel" : "user");
	}
	l.key = "cpu=";
	l.nr = 0;
	ranges(&l, &f->cpus, false);
	if (!any)
		OUT_LIT(o, "all");
}

/* Print the ranges, or null if the filter has no term for them. */
static void json_ranges(struct out *o, const char *key, const struct devtrace_ranges *r)
{
	unsigned int i;

	out_str(o, key);
	if (!r->given) {
		OUT_LIT(o, "null");
		return;
	}
	out_char(o, '[');
	for (i = 0; i < r->nr; i++) {
		out_str(o, i ? ",[" : "[");
		out_u64(o, r->r[i].first);
		out_char(o, ',');
		out_u64(o, r->r[i].last);
		out_char(o, ']');
	}
	out_char(o, ']');
}

static void json_numbers(struct out *o, const char *key, const struct devtrace_numbers *n)
{
	unsigned int i;

	out_str(o, key);
	if (!n->given) {
		OUT_LIT(o, "null");
		return;
	}
	for (i = 0; i < n->nr; i++) {
		out_char(o, i ? ',' : '[');
		out_u64(o, n->v[i]);
	}
	out_str(o, n->nr ? "]" : "[]");
}

static void json_names(struct out *o, const char *key, const struct devtrace_names *n)
{
	unsigned int i;

	out_str(o, key);
	if (!n->given) {
		OUT_LIT(o, "null");
		return;
	}
	for (i = 0; i < n->nr; i++) {
		out_char(o, i ? ',' : '[');
		out_json(o, n->v[i], strlen(n->v[i]));
	}
	out_str(o, n->nr ? "]" : "[]");
}

void tc_json_filter(struct out *o, const char *key, const struct devtrace_filter *f)
{
	struct set on = types_of(f), none_said = ordinary(), may = maskable();
	bool all = true, any = false;
	unsigned int i;

	out_str(o, key);
	OUT_LIT(o, "{\"types\":");
	for (i = 0; i < 256; i++)
		all &= on.in[i] == none_said.in[i];
	if (all) {
		OUT_LIT(o, "null");
	} else {
		out_char(o, '[');
		for (i = 0; i < 256; i++) {
			if (!on.in[i] || !may.in[i])
				continue;
			if (any)
				out_char(o, ',');
			any = true;
			out_u64(o, i);
		}
		out_char(o, ']');
	}
	json_ranges(o, ",\"objects\":", &f->objects);
	json_ranges(o, ",\"signals\":", &f->signals);
	tc_json_num(o, ",\"hw_severity\":", f->hw_severity);
	tc_json_num(o, ",\"sw_severity\":", f->sw_severity);
	json_numbers(o, ",\"majors\":", &f->majors);
	json_numbers(o, ",\"not_majors\":", &f->not_majors);
	json_numbers(o, ",\"pids\":", &f->pids);
	json_numbers(o, ",\"not_pids\":", &f->not_pids);
	json_names(o, ",\"comms\":", &f->comms);
	json_names(o, ",\"not_comms\":", &f->not_comms);
	tc_json_bool(o, ",\"kernel\":", f->origins & DEVTRACE_ORIGIN_KERNEL);
	tc_json_bool(o, ",\"user\":", f->origins & DEVTRACE_ORIGIN_USER);
	json_ranges(o, ",\"cpus\":", &f->cpus);
	json_numbers(o, ",\"codes\":", &f->codes);
	json_numbers(o, ",\"not_codes\":", &f->not_codes);
	json_ranges(o, ",\"named\":", &f->named);
	out_char(o, '}');
}
