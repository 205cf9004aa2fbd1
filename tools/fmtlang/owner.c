// SPDX-License-Identifier: GPL-2.0-only
/*
 * owner.c - to whom descriptions are bound: programs, kernel modules and builds
 *
 *	for program pumpd, pumpctl { record ... }
 *	for module pump_drv
 *	for build "1f3a77aa"
 *
 * Without braces, the declaration concerns all that follows in the file, up to the next one.
 *
 * Invariants
 * - An owner is in the table once, with all its descriptions, whatever files they are from.
 * - Owners whose first 15 bytes are equal are in one bucket: the kernel cuts names of programs.
 */
#include <ctype.h>
#include <stdio.h>
#include "internal.h"
#include "logtext/elf.h"

#define FIRST_OWNERS	16	/* buckets of the table, at first */

static const char *const kind_names[] = {
	[FMT_BUILD] = "build", [FMT_PROGRAM] = "program", [FMT_MODULE] = "module",
};

static struct fmt_owner **owner_bucket(const struct fmt_set *set, enum fmt_owner_kind kind,
				       const char *name)
{
	char key[FMT_COMM_LEN + 1];

	snprintf(key, sizeof(key), "%s", name);
	return &set->owners[hash_string(&set->owner_key, kind, key) & (set->nr_owner_buckets - 1)];
}

/* Enlarge the table so that it has at least as many buckets as owners. */
static void owners_grow(struct fmt_set *set)
{
	struct fmt_owner **old = set->owners, *o, *next, **end;
	unsigned int i, nr = set->nr_owner_buckets;

	if (set->nr_owners++ < nr)
		return;
	set->nr_owner_buckets = nr ? 2 * nr : FIRST_OWNERS;
	set->owners = fmt_alloc(&set->arena, set->nr_owner_buckets * sizeof(*set->owners));
	for (i = 0; i < nr; i++) {
		for (o = old[i]; o; o = next) {
			next = o->next;
			o->next = NULL;
			for (end = owner_bucket(set, o->kind, o->name); *end; end = &(*end)->next)
				;
			*end = o;
		}
	}
}

const struct fmt_owner *fmt_owner_find(const struct fmt_set *set, enum fmt_owner_kind kind,
				       const char *name)
{
	const struct fmt_owner *o;

	if (!set->nr_owners)
		return NULL;
	for (o = *owner_bucket(set, kind, name); o; o = o->next)
		if (o->kind == kind && !strcmp(o->name, name))
			return o;
	return NULL;
}

const struct fmt_owner *fmt_owner_of_cut(const struct fmt_set *set, const char *name)
{
	const struct fmt_owner *o, *found = NULL;

	if (!set->nr_owners)
		return NULL;
	for (o = *owner_bucket(set, FMT_PROGRAM, name); o; o = o->next) {
		if (o->kind != FMT_PROGRAM || strncmp(o->name, name, FMT_COMM_LEN))
			continue;
		if (found)
			return NULL;
		found = o;
	}
	return found;
}

/* Write the name of the module that has an object of this name. Return false if there is none. */
static bool module_of(const char *object, char name[FMT_NAME_MAX + 1])
{
	size_t n;

	for (n = 0; n < FMT_NAME_MAX; n++) {
		if (object[n] == '-')
			name[n] = '_';
		else if (isalnum((unsigned char)object[n]) || object[n] == '_')
			name[n] = object[n];
		else
			break;
	}
	name[n] = '\0';
	return n;
}

const struct fmt_owner *fmt_owner_of_object(const struct fmt_set *set, const char *object)
{
	char name[FMT_NAME_MAX + 1];

	return module_of(object, name) ? fmt_owner_find(set, FMT_MODULE, name) : NULL;
}

bool fmt_module_has_object(const char *module, const char *object)
{
	char a[FMT_NAME_MAX + 1], b[FMT_NAME_MAX + 1];

	return module_of(module, a) && module_of(object, b) && !strcmp(a, b);
}

/* Find an owner, or add it. */
static struct fmt_owner *owner_get(struct fmt_parser *p, enum fmt_owner_kind kind, const char *name,
				   size_t offset)
{
	struct fmt_set *set = p->set;
	struct fmt_owner *o = NULL, **end;

	for (end = set->nr_owners ? owner_bucket(set, kind, name) : NULL; end && *end;
	     end = &(*end)->next) {
		o = *end;
		if (o->kind == kind && !strcmp(o->name, name))
			return o;
	}
	if (p->nr_all_owners++ >= FMT_OWNERS_MAX) {
		fmt_error(p, offset, "more than %d programs, modules and builds in one file",
			  FMT_OWNERS_MAX);
		return NULL;
	}
	owners_grow(set);
	o = fmt_alloc(&set->arena, sizeof(*o));
	o->kind = kind;
	o->name = name;
	for (end = owner_bucket(set, kind, name); *end; end = &(*end)->next)
		;
	*end = o;
	return o;
}

/* Return the name of an owner, which is the next token, or NULL. */
static const char *parse_owner(struct fmt_parser *p, enum fmt_owner_kind kind)
{
	const bool is_string = p->tok == TOK_STRING;
	const size_t at = p->start;
	char want[80], *name, *c;
	size_t len;

	if (!is_string && (kind == FMT_BUILD || p->tok != TOK_NAME)) {
		snprintf(want, sizeof(want), "%s",
			 kind == FMT_BUILD ? "the build-id in quotation marks" :
			 kind == FMT_PROGRAM ? "the name of a program" : "the name of a module");
		fmt_expected(p, want);
		return NULL;
	}
	len = is_string ? p->str_len : p->name_len;
	name = fmt_alloc(&p->set->arena, len + 1);
	if (len)
		memcpy(name, is_string ? p->str : p->name, len);
	fmt_next(p);
	for (c = name; *c && !iscntrl((unsigned char)*c); c++)
		if (kind == FMT_MODULE && *c == '-')
			*c = '_';
	if (!len || len > FMT_NAME_MAX || c != name + len) {
		fmt_error(p, at, "the name of a %s has 1 to %d characters, and no control characters",
			  kind_names[kind], FMT_NAME_MAX);
		return NULL;
	}
	if (kind == FMT_BUILD && !log_id_valid(name)) {
		fmt_error(p, at, "a build-id has 4 to %d hexadecimal digits, in lower case",
			  LOG_ID_MAX);
		return NULL;
	}
	if (kind == FMT_PROGRAM && strchr(name, '/')) {
		fmt_error(p, at, "'%s': the name of a program has no directory", name);
		return NULL;
	}
	return name;
}

static bool parse_kind(struct fmt_parser *p, enum fmt_owner_kind *kind)
{
	unsigned int i;

	for (i = 0; p->tok == TOK_NAME && i < sizeof(kind_names) / sizeof(kind_names[0]); i++) {
		if (strlen(kind_names[i]) == p->name_len &&
		    !memcmp(kind_names[i], p->name, p->name_len)) {
			*kind = (enum fmt_owner_kind)i;
			fmt_next(p);
			return true;
		}
	}
	fmt_expected(p, "program, module or build");
	return false;
}

void fmt_parse_for(struct fmt_parser *p)
{
	enum fmt_owner_kind kind;
	struct fmt_owner *owner;
	const char *name;
	size_t at;

	p->broken = false;
	p->lost = true;
	p->nr_owners = 0;
	fmt_next(p);
	if (!parse_kind(p, &kind))
		return;
	do {
		at = p->start;
		name = parse_owner(p, kind);
		if (!name)
			return;
		if (p->nr_owners == FMT_FOR_MAX) {
			fmt_error(p, at, "more than %d names in one 'for'", FMT_FOR_MAX);
			return;
		}
		owner = owner_get(p, kind, name, at);
		if (!owner)
			return;
		p->owners[p->nr_owners++] = owner;
	} while (fmt_take(p, ','));
	if (!fmt_is_punct(p, '{') && !fmt_is_punct(p, ';') && p->tok != TOK_END && !fmt_begins(p)) {
		fmt_expected(p, "',', '{' or a declaration (a name with other characters "
				"than letters, digits and _ is a string)");
		return;
	}
	p->lost = false;
}
