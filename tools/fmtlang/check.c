// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - conflicts between declarations
 *
 * A minor, a severity of a major, a record type, a tracepoint or a value of an enum may be
 * described once. If it is described again, the first description is used, and an error names the
 * lines of both. Exception: if the first description is in an earlier place of the search order
 * (for example, -e comes before /usr/trace), it overrides the second one without an error.
 *
 * The descriptions of each program, module or build after "for" are apart from all others. Two
 * files that do not say whose their descriptions are may give a number two names: rival() keeps
 * the second one for a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include "internal.h"

#define FIRST_MAJORS	16	/* buckets of the table of majors, at first */

unsigned int fmt_bucket(const char *name, size_t n)
{
	uint32_t h = 2166136261u;

	while (n--)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return (h ^ h >> 16) % FMT_BUCKETS;
}

const struct fmt_table *fmt_table_find(const struct fmt_parser *p, const char *name, size_t n)
{
	const struct fmt_table *t;

	for (t = p->tables[fmt_bucket(name, n)]; t; t = t->next)
		if (t->name_len == n && !memcmp(t->name, name, n))
			return t;
	return NULL;
}

void fmt_table_add(struct fmt_parser *p, struct fmt_table *t)
{
	struct fmt_table **head = &p->tables[fmt_bucket(t->name, t->name_len)];

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

bool fmt_type_is_shared(unsigned int type)
{
	return type >= DEVTRACE_T_USER && (type < DEVTRACE_T_EXC || type >= DEVTRACE_T_USER2);
}

/* The end of a message about a number that two files name, perhaps for two programs. */
#define WHOSE	"'for program NAME' or 'for module NAME' says whose it is"

/* Keep the first other name that a file gives to a number. */
static void rival(struct fmt_rival *r, const char *name, const struct fmt_place *place)
{
	if (!r->name)
		*r = (struct fmt_rival){ name, *place };
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

/* The same for a record type of no owner, which another file may mean for another program. */
static void claim_shared(struct fmt_parser *p, struct fmt_entry **slot, struct fmt_entry *e,
			 unsigned int type)
{
	struct fmt_entry *old = *slot;
	unsigned int line, column;

	if (!old || old->place.file == p->file || !strcmp(old->name, e->name) ||
	    !fmt_type_is_shared(type)) {
		claim(p, slot, e, "record type", type);
		return;
	}
	rival(&old->rival, e->name, &e->place);
	fmt_locate(&old->place, &line, &column);
	if (overrides(&old->place, p))
		fmt_warning(p, e->place.offset, "record type %u, '%s', is '%s' in %s:%u:%u; " WHOSE,
			    type, e->name, old->name, old->place.file->path, line, column);
	else
		fmt_error(p, e->place.offset,
			  "record type %u, '%s', was described as '%s' before, in %s:%u:%u; " WHOSE,
			  type, e->name, old->name, old->place.file->path, line, column);
}

void fmt_set_needs(struct fmt_parser *p, unsigned int type, const char *name, size_t offset)
{
	if (!fmt_type_is_shared(type)) {
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
	struct fmt_set *set = p->set;
	unsigned int i;

	for (i = 0; i < p->nr_owners && !p->lost; i++) {
		claim(p, &p->owners[i]->claims.records[type], e, "record type", type);
		set->bound[type] |= (uint8_t)(1 << p->owners[i]->kind);
	}
	if (p->nr_owners || p->lost)
		return;
	/*
	 * If the user named the file, its descriptions apply to all programs, whatever they need.
	 */
	if (p->file->needs && set->given)
		claim(p, &set->needing[type], e, "record type", type);
	else
		claim_shared(p, &set->unbound.records[type], e, type);
}

void fmt_add_tracepoint(struct fmt_parser *p, struct fmt_entry *e)
{
	struct fmt_entry **head = &p->set->tracepoints[fmt_bucket(e->name, strlen(e->name))], *old;
	unsigned int line, column;

	for (old = *head; old && strcmp(old->name, e->name); old = old->next)
		;
	if (!old) {
		e->next = *head;
		*head = e;
		p->set->nr_tracepoints++;
	} else if (!overrides(&old->place, p)) {
		fmt_locate(&old->place, &line, &column);
		fmt_error(p, e->place.offset, "tracepoint '%s' was described before, in %s:%u:%u",
			  e->name, old->place.file->path, line, column);
	}
}

static void add_minor(struct fmt_parser *p, struct fmt_major *m, int minor, struct fmt_entry *e)
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

void fmt_add_minor(struct fmt_parser *p, int minor, struct fmt_entry *e)
{
	unsigned int i;

	for (i = 0; i < p->nr_majors; i++)
		add_minor(p, p->majors[i], minor, e);
}

static void add_severity(struct fmt_parser *p, struct fmt_major *m, unsigned int level,
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

void fmt_add_severity(struct fmt_parser *p, unsigned int level, struct fmt_entry *e)
{
	unsigned int i;

	for (i = 0; i < p->nr_majors; i++)
		add_severity(p, p->majors[i], level, e);
}

/*
 * Return the bucket of a major. The hash spreads numbers evenly, so that a bucket has at most 2^24
 * / nr_buckets majors.
 */
static struct fmt_major **chain(const struct fmt_claims *c, uint32_t number)
{
	return &c->majors[(number ^ number >> 8) & (c->nr_buckets - 1)];
}

/* Count a new major. Enlarge the table so that it has at least as many buckets as majors. */
static void grow(struct fmt_arena *arena, struct fmt_claims *c)
{
	struct fmt_major **old = c->majors, *m, *next;
	unsigned int i, nr = c->nr_buckets;

	if (c->nr_majors++ < nr)
		return;
	c->nr_buckets = nr ? 2 * nr : FIRST_MAJORS;
	c->majors = fmt_alloc(arena, c->nr_buckets * sizeof(*c->majors));
	for (i = 0; i < nr; i++) {
		for (m = old[i]; m; m = next) {
			struct fmt_major **head = chain(c, m->number);

			next = m->next;
			m->next = *head;
			*head = m;
		}
	}
}

struct fmt_major *fmt_find_major(const struct fmt_claims *c, uint32_t number)
{
	struct fmt_major *m = c->nr_buckets ? *chain(c, number) : NULL;

	while (m && m->number != number)
		m = m->next;
	return m;
}

/* Report that two files give a major different names, unless they say whose they are. */
static void other_major(struct fmt_parser *p, struct fmt_major *m, const char *name, size_t offset)
{
	const bool shared = !p->nr_owners && m->place.file != p->file;
	const struct fmt_place place = { p->file, offset };
	unsigned int line, column;

	if (shared)
		rival(&m->rival, name, &place);
	fmt_locate(&m->place, &line, &column);
	/* A file in an earlier place gives this number to another major: ignore the new one. */
	if (!overrides(&m->place, p))
		fmt_error(p, offset, "major 0x%06x, '%s', has the name '%s' in %s:%u:%u%s",
			  m->number, name, m->name, m->place.file->path, line, column,
			  shared ? "; " WHOSE : "");
	else if (shared)
		fmt_warning(p, offset, "major 0x%06x, '%s', is '%s' in %s:%u:%u; " WHOSE,
			    m->number, name, m->name, m->place.file->path, line, column);
}

/* Find the major among these descriptions, or add it. Return NULL if it has another name. */
static struct fmt_major *get_major(struct fmt_parser *p, struct fmt_claims *c, uint32_t number,
				   const char *name, size_t offset)
{
	struct fmt_major *m = fmt_find_major(c, number), **head;

	if (!m) {
		grow(&p->set->arena, c);
		head = chain(c, number);
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
	other_major(p, m, name, offset);
	return NULL;
}

void fmt_begin_major(struct fmt_parser *p, uint32_t number, const char *name, size_t offset)
{
	struct fmt_major *m;
	unsigned int i;

	p->nr_majors = 0;
	if (p->lost)
		return;
	for (i = 0; i < p->nr_owners; i++) {
		m = get_major(p, &p->owners[i]->claims, number, name, offset);
		if (m)
			p->majors[p->nr_majors++] = m;
		p->set->bound[DEVTRACE_T_EXC] |= (uint8_t)(1 << p->owners[i]->kind);
	}
	m = p->nr_owners ? NULL : get_major(p, &p->set->unbound, number, name, offset);
	if (m)
		p->majors[p->nr_majors++] = m;
}
