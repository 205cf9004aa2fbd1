// SPDX-License-Identifier: GPL-2.0-only
/*
 * qspy_names.c - the dictionaries of the stream, by key and by name
 *
 * A host may ask for the key of a name, and a host that connects later gets all names given so
 * far. Two programs may use the same key or signal for different things. So each program has its
 * own names, and shares those of scope 0. The table has at most QSPY_NAMES entries; further names
 * are ignored.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/qspy.h"

static size_t slot_of(const struct qspy_names *n, uint8_t kind, uint32_t scope, uint32_t value,
		      uint8_t group, uint64_t key)
{
	const uint64_t words[] = {
		key, (uint64_t)scope << 32 | value, (uint64_t)group << 8 | kind,
	};

	return (size_t)hash_words(&n->key, words, 3) & (n->slots - 1);
}

static struct qspy_name *find(const struct qspy_names *n, uint8_t kind, uint32_t scope,
			      uint32_t value, uint8_t group, uint64_t key)
{
	size_t s;

	if (!n->slots)
		return NULL;
	s = slot_of(n, kind, scope, value, group, key);
	for (; n->index[s]; s = (s + 1) & (n->slots - 1)) {
		struct qspy_name *e = &n->v[n->index[s] - 1];

		if (e->kind == kind && e->scope == scope && e->value == value &&
		    e->group == group && e->key == key)
			return e;
	}
	return NULL;
}

/*
 * Return the slot in n->signals for this signal of the program, or a free slot if there is none
 * yet.
 */
static size_t slot_of_value(const struct qspy_names *n, uint32_t scope, uint32_t value)
{
	size_t s = slot_of(n, DEVTRACE_T_SIG, scope, value, 0, 0);

	for (; n->signals[s]; s = (s + 1) & (n->slots - 1)) {
		const struct qspy_name *e = &n->v[n->signals[s] - 1];

		if (e->scope == scope && e->value == value)
			break;
	}
	return s;
}

static void index_one(struct qspy_names *n, size_t i)
{
	const struct qspy_name *e = &n->v[i];
	size_t s = slot_of(n, e->kind, e->scope, e->value, e->group, e->key);

	while (n->index[s])
		s = (s + 1) & (n->slots - 1);
	n->index[s] = (uint32_t)i + 1;
	if (e->kind != DEVTRACE_T_SIG)
		return;
	s = slot_of_value(n, e->scope, e->value);
	if (!n->signals[s])
		n->signals[s] = (uint32_t)i + 1;
}

static void index_all(struct qspy_names *n)
{
	size_t i;

	memset(n->index, 0, n->slots * sizeof(*n->index));
	memset(n->signals, 0, n->slots * sizeof(*n->signals));
	for (i = 0; i < n->nr; i++)
		index_one(n, i);
}

/* Make room for one more name. At least half of the hash table's slots stay empty. */
static bool grow(struct qspy_names *n)
{
	const size_t room = n->room ? 2 * n->room : 256;
	struct qspy_name *v;
	uint32_t *index;

	if (!n->room)
		hash_key_init(&n->key);
	if (n->nr < n->room)
		return true;
	if (room > QSPY_NAMES)
		return false;
	v = realloc(n->v, room * sizeof(*v));
	if (!v)
		return false;
	n->v = v;
	index = realloc(n->index, 2 * room * sizeof(*index));
	if (!index)
		return false;
	n->index = index;
	index = realloc(n->signals, 2 * room * sizeof(*index));
	if (!index)
		return false;
	n->signals = index;
	n->room = room;
	n->slots = 2 * room;
	index_all(n);
	return true;
}

const struct qspy_name *qspy_name_add(struct qspy_names *n, const struct devtrace_name *d)
{
	struct qspy_name *e = find(n, d->kind, d->scope, d->value, d->group, d->key);

	if (!e) {
		if (!grow(n))
			return NULL;
		e = &n->v[n->nr];
		memset(e, 0, sizeof(*e));
		e->kind = d->kind;
		e->scope = d->scope;
		e->group = d->group;
		e->value = d->value;
		e->key = d->key;
		index_one(n, n->nr++);
	}
	snprintf(e->name, sizeof(e->name), "%s", d->name);
	return e;
}

void qspy_names_forget(struct qspy_names *n, uint32_t scope)
{
	size_t i, kept = 0, told = 0;

	for (i = 0; i < n->nr; i++) {
		if (n->v[i].scope == scope)
			continue;
		told += i < n->told;
		n->v[kept++] = n->v[i];
	}
	n->nr = kept;
	n->told = told;
	if (n->slots)
		index_all(n);
}

void qspy_names_free(struct qspy_names *n)
{
	free(n->v);
	free(n->index);
	free(n->signals);
	memset(n, 0, sizeof(*n));
}

/*
 * If a record has no object, QSPY uses a signal of any object. Here it is the one that was added
 * first.
 */
static const struct qspy_name *any_signal(const struct qspy_names *n, uint32_t scope,
					  uint32_t value)
{
	const size_t s = n->slots ? slot_of_value(n, scope, value) : 0;

	return n->slots && n->signals[s] ? &n->v[n->signals[s] - 1] : NULL;
}

const char *qspy_name(const struct qspy_names *n, uint8_t kind, uint32_t scope, uint32_t value,
		      uint8_t group, uint64_t key)
{
	const struct qspy_name *e = find(n, kind, scope, value, group, key);

	if (!e && kind == DEVTRACE_T_SIG)
		e = key ? find(n, kind, scope, value, group, 0) : any_signal(n, scope, value);
	if (!e && scope)
		return qspy_name(n, kind, 0, value, group, key);
	return e ? e->name : NULL;
}

const struct qspy_name *qspy_named(const struct qspy_names *n, uint8_t kind, uint32_t scope,
				   uint8_t group, const char *name)
{
	const struct qspy_name *everybodys = NULL;
	size_t i;

	for (i = 0; i < n->nr; i++) {
		const struct qspy_name *e = &n->v[i];

		if (e->kind != kind || e->group != group || strcmp(e->name, name))
			continue;
		if (!scope || e->scope == scope)
			return e;
		if (!e->scope && !everybodys)
			everybodys = e;
	}
	return everybodys;
}
