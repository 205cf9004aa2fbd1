// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decode_names.c - a bounded table of names: hash chains over one array
 *
 * Invariants: the table has at most @max entries, and each entry is in exactly one chain. To store
 * a name, a full table replaces one that was not looked up recently (second chance), so it keeps
 * names that are in use. If there is no memory to grow, the table counts as full.
 *
 * A stream may be malicious. The hash has a secret key, so an attacker cannot choose names that
 * all fall into one chain.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "decode_names.h"

#define FIRST_SIZE	64

void dt_names_init(struct dt_names *t, uint32_t max)
{
	*t = (struct dt_names){ .max = max };
	/*
	 * Early in the boot the kernel has no random numbers yet: use an address, which is random,
	 * too.
	 */
	if (getrandom(&t->secret, sizeof(t->secret), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(t->secret))
		t->secret = (uintptr_t)t * 0x9e3779b97f4a7c15ull;
}

void dt_names_free(struct dt_names *t)
{
	free(t->entries);
	free(t->heads);
	t->entries = NULL;
	t->heads = NULL;
	t->size = t->count = 0;
}

void dt_names_clear(struct dt_names *t)
{
	if (t->count)
		memset(t->heads, 0, t->size * sizeof(*t->heads));
	t->count = 0;
	t->hand = 0;
}

static uint64_t names_mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	x = (x ^ x >> 29) * 0xff51afd7ed558ccdull;
	return x ^ x >> 32;
}

static uint32_t names_hash(const struct dt_names *t, const struct dt_key *k)
{
	uint64_t h = names_mix(t->secret ^ ((uint64_t)k->scope << 32 | k->value));

	h = names_mix(h ^ k->key);
	h = names_mix(h ^ ((uint64_t)k->kind << 8 | k->group) ^ t->secret);
	return (uint32_t)h & (t->size - 1);
}

static bool names_same(const struct dt_key *a, const struct dt_key *b)
{
	return a->key == b->key && a->scope == b->scope && a->value == b->value &&
	       a->kind == b->kind && a->group == b->group;
}

static void names_chain(struct dt_names *t, uint32_t index)
{
	uint32_t *head = &t->heads[names_hash(t, &t->entries[index].key)];

	t->entries[index].next = *head;
	*head = index + 1;
}

static void names_unchain(struct dt_names *t, uint32_t index)
{
	uint32_t *link = &t->heads[names_hash(t, &t->entries[index].key)];

	while (*link != index + 1)
		link = &t->entries[*link - 1].next;
	*link = t->entries[index].next;
}

static bool names_grow(struct dt_names *t)
{
	uint32_t size = t->size ? t->size * 2 : FIRST_SIZE;
	struct dt_name *entries;
	uint32_t *heads;

	if (size > t->max)
		return false;
	heads = calloc(size, sizeof(*heads));
	if (!heads)
		return false;
	entries = realloc(t->entries, size * sizeof(*entries));
	if (!entries) {
		free(heads);
		return false;
	}
	free(t->heads);
	t->entries = entries;
	t->heads = heads;
	t->size = size;
	for (uint32_t i = 0; i < t->count; i++)
		names_chain(t, i);
	return true;
}

/* The table is full: return the index of an entry that was not looked up recently. */
static uint32_t drop_one(struct dt_names *t)
{
	uint32_t victim;

	while (t->entries[t->hand].used) {
		t->entries[t->hand].used = false;
		t->hand = (t->hand + 1) % t->count;
	}
	victim = t->hand;
	t->hand = (t->hand + 1) % t->count;
	names_unchain(t, victim);
	return victim;
}

struct dt_name *dt_names_get(const struct dt_names *t, const struct dt_key *key)
{
	uint32_t i;

	if (!t->count)
		return NULL;
	for (i = t->heads[names_hash(t, key)]; i; i = t->entries[i - 1].next) {
		struct dt_name *e = &t->entries[i - 1];

		if (names_same(&e->key, key)) {
			e->used = true;
			return e;
		}
	}
	return NULL;
}

bool dt_names_put(struct dt_names *t, const struct dt_key *key, uint32_t tgid,
		  const char *name)
{
	struct dt_name *e = dt_names_get(t, key);
	size_t len = strnlen(name, sizeof(e->name) - 1);

	if (!e) {
		uint32_t i;

		if (t->count < t->size || names_grow(t))
			i = t->count++;
		else if (t->count)
			i = drop_one(t);
		else
			return false;
		e = &t->entries[i];
		e->key = *key;
		e->used = false;
		names_chain(t, i);
	}
	e->tgid = tgid;
	memcpy(e->name, name, len);
	e->name[len] = '\0';
	return true;
}
