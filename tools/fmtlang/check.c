// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - conflicts between declarations
 *
 * A minor, a severity of a major, a record type or a value of an enum may be described once. If it
 * is described again, the first description is used, and an error names the lines of both.
 * Exception: if the first description is in an earlier place of the search order (for example, -e
 * comes before /usr/trace), it overrides the second one without an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include "internal.h"

static unsigned int bucket(const char *name, size_t n)
{
	uint32_t h = 2166136261u;

	while (n--)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return (h ^ h >> 16) % FMT_BUCKETS;
}

const struct fmt_table *fmt_table_find(const struct fmt_parser *p, const char *name, size_t n)
{
	const struct fmt_table *t;

	for (t = p->tables[bucket(name, n)]; t; t = t->next)
		if (t->name_len == n && !memcmp(t->name, name, n))
			return t;
	return NULL;
}

void fmt_table_add(struct fmt_parser *p, struct fmt_table *t)
{
	struct fmt_table **head = &p->tables[bucket(t->name, t->name_len)];

	t->next = *head;
	*head = t;
	p->nr_tables++;
}

static int by_value(const void *a, const void *b)
{
	const struct fmt_label *x = *(const struct fmt_label *const *)a;
	const struct fmt_label *y = *(const struct fmt_label *const *)b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void fmt_check_table(struct fmt_parser *p, struct fmt_table *t)
{
	struct fmt_label *l;
	unsigned int i, n = 0;

	if (t->is_flags || !t->nr)
		return;
	t->sorted = fmt_alloc(&p->set->arena, t->nr * sizeof(*t->sorted));
	for (l = t->labels; l; l = l->next)
		t->sorted[n++] = l;
	qsort(t->sorted, n, sizeof(*t->sorted), by_value);
	for (i = 1; i < n; i++)
		if (t->sorted[i]->value == t->sorted[i - 1]->value)
			fmt_error(p, t->sorted[i]->offset, "'%s' has the value %lld, which '%s' has",
				  t->sorted[i]->name, (long long)t->sorted[i]->value,
				  t->sorted[i - 1]->name);
}

const struct fmt_label *fmt_enum_find(const struct fmt_table *t, uint64_t value)
{
	unsigned int low = 0, high = t->nr;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (t->sorted[mid]->value < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->nr && t->sorted[low]->value == value ? t->sorted[low] : NULL;
}

/* Was this declared in an earlier place of the search order than the file that is being read? */
static bool overrides(const struct fmt_place *place, const struct fmt_parser *p)
{
	return place->file->place < p->file->place;
}

/* Fill *slot, or report its earlier declaration. */
static void claim(struct fmt_parser *p, struct fmt_entry **slot, struct fmt_entry *e,
		  const char *what, unsigned int number)
{
	unsigned int line, column;

	if (!*slot) {
		*slot = e;
		return;
	}
	if (overrides(&(*slot)->place, p))
		return;
	fmt_locate(&(*slot)->place, &line, &column);
	fmt_error(p, e->place.offset, "%s %u, '%s', was described as '%s' before, in %s:%u:%u",
		  what, number, e->name, (*slot)->name, (*slot)->place.file->path, line, column);
}

void fmt_set_needs(struct fmt_parser *p, unsigned int type, const char *name, size_t offset)
{
	if (type < DEVTRACE_T_USER || (type >= DEVTRACE_T_EXC && type < DEVTRACE_T_USER2)) {
		fmt_error(p, offset,
			  "only the types 100-124 and 192-255 can have names of programs, not %u",
			  type);
		return;
	}
	if (p->file->needs) {
		fmt_error(p, offset, "the file needs '%s' already", p->file->needs);
		return;
	}
	p->file->needs = name;
	p->file->needs_type = (uint8_t)type;
}

void fmt_add_record(struct fmt_parser *p, unsigned int type, struct fmt_entry *e)
{
	/*
	 * If the user named the file, its descriptions apply to all programs, whatever they need.
	 */
	struct fmt_entry **slots = p->file->needs && p->set->given ? p->set->needing :
				   p->set->records;

	claim(p, &slots[type], e, "record type", type);
}

void fmt_add_minor(struct fmt_parser *p, struct fmt_major *m, int minor, struct fmt_entry *e)
{
	unsigned int line, column;

	if (minor >= 0) {
		claim(p, &m->minors[minor], e, "minor", minor);
	} else if (!m->any) {
		m->any = e;
	} else if (!overrides(&m->any->place, p)) {
		fmt_locate(&m->any->place, &line, &column);
		fmt_error(p, e->place.offset, "minor * was described before, in %s:%u:%u",
			  m->any->place.file->path, line, column);
	}
}

void fmt_add_severity(struct fmt_parser *p, struct fmt_major *m, unsigned int level,
		      struct fmt_entry *e)
{
	struct fmt_entry *old = m->severity[level];
	unsigned int line, column;

	if (!old) {
		m->severity[level] = e;
		return;
	}
	if (overrides(&old->place, p))
		return;
	fmt_locate(&old->place, &line, &column);
	fmt_error(p, e->place.offset, "severity %s of this major was given a text before, in %s:%u:%u",
		  e->name, old->place.file->path, line, column);
}

/*
 * Return the bucket of a major. The hash spreads numbers evenly, so that a bucket has at most 2^24
 * / nr_buckets majors.
 */
static struct fmt_major **chain(const struct fmt_set *set, uint32_t number)
{
	return &set->majors[(number ^ number >> 8) & (set->nr_buckets - 1)];
}

/* Count a new major. Enlarge the table so that it has at least as many buckets as majors. */
static void grow(struct fmt_set *set)
{
	struct fmt_major **old = set->majors, *m, *next;
	unsigned int i, nr = set->nr_buckets;

	if (set->nr_majors++ < nr)
		return;
	set->nr_buckets = nr ? 2 * nr : FMT_BUCKETS;
	set->majors = fmt_alloc(&set->arena, set->nr_buckets * sizeof(*set->majors));
	for (i = 0; i < nr; i++) {
		for (m = old[i]; m; m = next) {
			struct fmt_major **head = chain(set, m->number);

			next = m->next;
			m->next = *head;
			*head = m;
		}
	}
}

static struct fmt_major *find(const struct fmt_set *set, uint32_t number)
{
	struct fmt_major *m = set->nr_buckets ? *chain(set, number) : NULL;

	while (m && m->number != number)
		m = m->next;
	return m;
}

struct fmt_major *fmt_get_major(struct fmt_parser *p, uint32_t number, const char *name,
				size_t offset)
{
	struct fmt_major *m = find(p->set, number), **head;
	unsigned int line, column;

	if (!m) {
		grow(p->set);
		head = chain(p->set, number);
		m = fmt_alloc(&p->set->arena, sizeof(*m));
		m->number = number;
		m->name = name;
		m->place.file = p->file;
		m->place.offset = offset;
		m->next = *head;
		*head = m;
		return m;
	}
	if (!strcmp(m->name, name))
		return m;
	/* A file in an earlier place gives this number to another major: ignore the new one. */
	if (overrides(&m->place, p))
		return NULL;
	fmt_locate(&m->place, &line, &column);
	fmt_error(p, offset, "major 0x%06x, '%s', has the name '%s' in %s:%u:%u",
		  number, name, m->name, m->place.file->path, line, column);
	return NULL;
}

/*
 * Find the description of a record type. The program may have given its record a name in the
 * stream. If the description has a different name, it is for another program that uses the same
 * type, so it is not used, unless the user named the file.
 */
static const struct fmt_entry *find_record(const struct fmt_set *set, uint8_t type,
					   const struct fmt_names *names)
{
	const struct fmt_entry *e = set->records[type], *needing = set->needing[type];
	const char *name;

	if (needing && !(e && e->place.file->place < set->given)) {
		name = names->record(names, needing->place.file->needs_type);
		if (name && !strcmp(name, needing->place.file->needs))
			e = needing;
	}
	if (!e || e->place.file->place < set->given || type < DEVTRACE_T_USER ||
	    (type >= DEVTRACE_T_EXC && type < DEVTRACE_T_USER2))
		return e;
	name = names->record(names, type);
	return name && strcmp(name, e->name) ? NULL : e;
}

const struct fmt_entry *fmt_find(const struct fmt_set *set, const struct devtrace_event *ev,
				 const struct fmt_names *names, const struct fmt_major **major)
{
	const struct fmt_entry *e;
	struct fmt_major *m;

	if ((ev->type != DEVTRACE_T_EXC && ev->type != DEVTRACE_T_FAULT) ||
	    !(ev->flags & DEVTRACE_F_CODE)) {
		*major = NULL;
		return find_record(set, ev->type, names);
	}
	m = find(set, DEVTRACE_CODE_MAJOR(ev->code));
	*major = m;
	if (!m)
		return NULL;
	e = m->minors[DEVTRACE_CODE_MINOR(ev->code)];
	if (!e && (ev->severity & DEVTRACE_SEV_SET))
		e = m->severity[ev->severity & 7];
	return e ? e : m->any;
}

static void each_code(const struct fmt_major *m, const struct fmt_entry *e, enum fmt_kind kind,
		      uint32_t number, fmt_name_fn *fn, void *arg)
{
	char name[2 * FMT_NAME_MAX + 2];

	if (!e)
		return;
	snprintf(name, sizeof(name), "%s.%s", m->name, e->name);
	fn(arg, name, kind, number);
}

void fmt_each_name(const struct fmt_set *set, fmt_name_fn *fn, void *arg)
{
	const struct fmt_major *m;
	unsigned int i, k;

	for (i = 0; i < 256; i++) {
		if (set->records[i])
			fn(arg, set->records[i]->name, FMT_RECORD, i);
		if (set->needing[i])
			fn(arg, set->needing[i]->name, FMT_RECORD, i);
	}
	for (i = 0; i < set->nr_buckets; i++) {
		for (m = set->majors[i]; m; m = m->next) {
			fn(arg, m->name, FMT_MAJOR, m->number);
			for (k = 0; k < 256; k++)
				each_code(m, m->minors[k], FMT_CODE, m->number << 8 | k, fn, arg);
			each_code(m, m->any, FMT_ANY, m->number << 8, fn, arg);
		}
	}
}
