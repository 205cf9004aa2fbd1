// SPDX-License-Identifier: GPL-2.0-only
/*
 * find.c - find the description of an event
 *
 * Programs and drivers share the numbers of record types. The description of an event is, in this
 * order:
 * - one that is bound to a build of the event's process or module,
 * - one that is bound to its program or module,
 * - if the program itself has named the record type: one with this name,
 * - one that does not say whose it is.
 *
 * Invariants
 * - A description that is bound to another program, module or build is never returned.
 * - A program is bound to no description of a module, and a driver to none of a program.
 */
#include <stdio.h>
#include "internal.h"

/* Images after so many numbers without an image are not searched: libraries that were unloaded. */
#define IMAGES_MISSING	16
#define IMAGES_MAX	255	/* number of an image that is not known */

struct search {
	const struct fmt_set *set;
	const struct devtrace_event *ev;
	const struct fmt_names *names;
	bool		is_code;	/* the event is an exception with a code */
	const struct fmt_entry *entry;
	const struct fmt_major *major;
};

static const struct fmt_entry *entry_of_code(const struct fmt_major *m,
					     const struct devtrace_event *ev)
{
	const struct fmt_entry *e = m->minors[DEVTRACE_CODE_MINOR(ev->code)];

	if (!e && (ev->severity & DEVTRACE_SEV_SET))
		e = m->severity[ev->severity & 7];
	return e ? e : m->any;
}

/* Search the descriptions of one owner. Return true if they have the number. */
static bool search_owner(struct search *s, const struct fmt_owner *owner)
{
	const struct fmt_major *m, *more;

	if (!owner)
		return false;
	if (!s->is_code) {
		s->entry = owner->claims.records[s->ev->type];
		return s->entry;
	}
	m = fmt_find_major(&owner->claims, DEVTRACE_CODE_MAJOR(s->ev->code));
	if (!m)
		return false;
	s->major = m;
	s->entry = entry_of_code(m, s->ev);
	/* Other files may describe more codes of this major, without saying whose it is. */
	more = s->entry ? NULL : fmt_find_major(&s->set->unbound, m->number);
	if (more && !strcmp(more->name, m->name)) {
		s->entry = entry_of_code(more, s->ev);
		if (s->entry)
			s->major = more;
	}
	return true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Search the builds of the images that belong to the event. @module: only those of this kernel
 * module; NULL: all of the process. The last image of a module that was loaded again is the latest.
 */
static bool search_builds(struct search *s, const char *module)
{
	const struct fmt_owner *owner, *last = NULL;
	unsigned int i, missing = 0;

	for (i = 0; i < IMAGES_MAX && missing < IMAGES_MISSING; i++) {
		const char *id = s->names->image(s->names, i, FMT_IMAGE_ID), *name;

		if (!id) {
			missing++;
			continue;
		}
		missing = 0;
		owner = fmt_owner_find(s->set, FMT_BUILD, id);
		if (!owner)
			continue;
		if (!module) {
			if (search_owner(s, owner))
				return true;
			continue;
		}
		name = s->names->image(s->names, i, FMT_IMAGE_PATH);
		if (name && fmt_module_has_object(name, module))
			last = owner;
	}
	return search_owner(s, last);
}

/*
 * Search by the name of the process. If the kernel may have cut it, a file of the process that
 * begins with it has the whole name.
 */
static bool search_process(struct search *s, const char *name)
{
	bool is_whole = false;
	const char *path;
	unsigned int i;

	if (search_owner(s, fmt_owner_find(s->set, FMT_PROGRAM, name)))
		return true;
	if (strlen(name) != FMT_COMM_LEN)
		return false;
	for (i = 0; i < IMAGES_MAX; i++) {
		path = s->names->image(s->names, i, FMT_IMAGE_PATH);
		if (!path)
			break;
		if (strncmp(base_name(path), name, FMT_COMM_LEN))
			continue;
		if (search_owner(s, fmt_owner_find(s->set, FMT_PROGRAM, base_name(path))))
			return true;
		is_whole = true;
	}
	return !is_whole && search_owner(s, fmt_owner_of_cut(s->set, name));
}

/* Search by the names of the files that the process consists of, the program's and libraries'. */
static bool search_files(struct search *s)
{
	const char *path;
	unsigned int i;

	for (i = 0; i < IMAGES_MAX; i++) {
		path = s->names->image(s->names, i, FMT_IMAGE_PATH);
		if (!path)
			return false;
		if (search_owner(s, fmt_owner_find(s->set, FMT_PROGRAM, base_name(path))))
			return true;
	}
	return false;
}

/* Search the descriptions that are bound to somebody. */
static bool search_bound(struct search *s)
{
	const unsigned int kinds = s->set->bound[s->is_code ? DEVTRACE_T_EXC : s->ev->type];
	const char *emitter;

	if (!kinds || !s->names || !s->names->emitter)
		return false;
	emitter = s->names->emitter(s->names);
	if (!(s->ev->flags & DEVTRACE_F_USER))
		return emitter && (((kinds & 1 << FMT_BUILD) && search_builds(s, emitter)) ||
				   ((kinds & 1 << FMT_MODULE) &&
				    search_owner(s, fmt_owner_of_object(s->set, emitter))));
	if ((kinds & 1 << FMT_BUILD) && search_builds(s, NULL))
		return true;
	if (!(kinds & 1 << FMT_PROGRAM))
		return false;
	return (emitter && search_process(s, emitter)) || search_files(s);
}

/* Find the description with this name, which was given in quotes. */
static const struct fmt_entry *find_by_name(const struct fmt_set *set, const char *name)
{
	const struct fmt_entry *e;

	for (e = set->tracepoints[fmt_bucket(name, strlen(name))]; e && strcmp(e->name, name);)
		e = e->next;
	return e;
}

/* Find the description of a type that programs and drivers registered by name. */
static const struct fmt_entry *find_named(const struct fmt_set *set, uint16_t number,
					  const struct fmt_names *names)
{
	const char *name = set->nr_tracepoints ?
		names->name(names, DEVTRACE_T_USR, number, 0, 0) : NULL;

	/* A name with a colon is that of a tracepoint. */
	return name && !strchr(name, ':') ? find_by_name(set, name) : NULL;
}

/*
 * Find the description of a tracepoint that was added by name. The kernel gives it one of the types
 * from DEVTRACE_T_ADDED on at run time, and the stream has the name of this type.
 */
static const struct fmt_entry *find_tracepoint(const struct fmt_set *set, uint8_t type,
					       const struct fmt_names *names)
{
	const char *name;

	if (!set->nr_tracepoints || type < DEVTRACE_T_ADDED || type >= DEVTRACE_T_FAULT)
		return NULL;
	name = names->record(names, type);
	return name ? find_by_name(set, name) : NULL;
}

/*
 * Find the description of a record type that does not say whose it is. The program may have given
 * its record a name in the stream. If the description has a different name, it is for another
 * program that uses the same type, so it is not used. If the user named its file, the user expects
 * the text, so print why it is missing.
 */
static const struct fmt_entry *find_record(const struct fmt_set *set, uint8_t type,
					   const struct fmt_names *names)
{
	struct fmt_entry *e = set->unbound.records[type], *needing = set->needing[type];
	const struct fmt_entry *tracepoint = find_tracepoint(set, type, names);
	const char *name;

	/* In the same place, the name of a tracepoint has precedence over its number. */
	if (tracepoint && !(e && e->place.file->place < tracepoint->place.file->place))
		return tracepoint;

	if (needing && !(e && e->place.file->place < set->given)) {
		name = names->record(names, needing->place.file->needs_type);
		if (name && !strcmp(name, needing->place.file->needs))
			e = needing;
	}
	if (!e || !fmt_type_is_shared(type))
		return e;
	name = names->record(names, type);
	if (name && !strcmp(name, e->name))
		return e;
	if (!e->told && name && e->place.file->place < set->given) {
		e->told = true;
		fmt_tell_name(type, e, name);
	} else if (!e->told && !name && e->rival.name) {
		e->told = true;
		fmt_tell_rival(FMT_RECORD, type, e->name, &e->place, &e->rival);
	}
	return name ? NULL : e;
}

const struct fmt_entry *fmt_find(const struct fmt_set *set, const struct devtrace_event *ev,
				 const struct fmt_names *names, const struct fmt_major **major)
{
	struct search s = {
		.set = set, .ev = ev, .names = names,
		.is_code = (ev->type == DEVTRACE_T_EXC || ev->type == DEVTRACE_T_FAULT) &&
			   (ev->flags & DEVTRACE_F_CODE),
	};
	struct fmt_major *m;

	*major = NULL;
	if (search_bound(&s)) {
		*major = s.major;
		return s.entry;
	}
	if (ev->type == DEVTRACE_T_NAMED)
		return find_named(set, ev->number, names);
	if (!s.is_code)
		return find_record(set, ev->type, names);
	m = fmt_find_major(&set->unbound, DEVTRACE_CODE_MAJOR(ev->code));
	*major = m;
	if (!m)
		return NULL;
	if (m->rival.name && !m->told) {
		m->told = true;
		fmt_tell_rival(FMT_MAJOR, m->number, m->name, &m->place, &m->rival);
	}
	return entry_of_code(m, ev);
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

static void each_claim(const struct fmt_claims *c, fmt_name_fn *fn, void *arg)
{
	const struct fmt_major *m;
	unsigned int i, k;

	for (i = 0; i < 256; i++)
		if (c->records[i])
			fn(arg, c->records[i]->name, FMT_RECORD, i);
	for (i = 0; i < c->nr_buckets; i++) {
		for (m = c->majors[i]; m; m = m->next) {
			fn(arg, m->name, FMT_MAJOR, m->number);
			for (k = 0; k < 256; k++)
				each_code(m, m->minors[k], FMT_CODE, m->number << 8 | k, fn, arg);
			each_code(m, m->any, FMT_ANY, m->number << 8, fn, arg);
		}
	}
}

void fmt_each_name(const struct fmt_set *set, fmt_name_fn *fn, void *arg)
{
	const struct fmt_owner *owner;
	const struct fmt_entry *e;
	unsigned int i;

	for (i = 0; i < set->nr_owner_buckets; i++)
		for (owner = set->owners[i]; owner; owner = owner->next)
			each_claim(&owner->claims, fn, arg);
	for (i = 0; i < 256; i++)
		if (set->needing[i])
			fn(arg, set->needing[i]->name, FMT_RECORD, i);
	each_claim(&set->unbound, fn, arg);
	for (i = 0; i < FMT_BUCKETS; i++)
		for (e = set->tracepoints[i]; e; e = e->next)
			fn(arg, e->name, FMT_TRACEPOINT, 0);
}
