// SPDX-License-Identifier: GPL-2.0-only
/*
 * seen.c - a bounded table of what was written: it maps numbers to numbers
 *
 * The hash is keyed, because the program that made the stream chooses the keys. A full table is
 * emptied. A format then writes some descriptions again, which viewers accept.
 */
#include <stdlib.h>
#include "view.h"

#define SEEN_PLACES	65536u
#define SEEN_MAX	(SEEN_PLACES / 4 * 3)

struct view_seen {
	struct hash_key	key;
	unsigned int	n;
	struct {
		uint64_t key, value;
		bool	 used;
	} v[SEEN_PLACES];
};

struct view_seen *view_seen_new(void)
{
	struct view_seen *s = view_alloc(NULL, sizeof(*s));

	memset(s, 0, sizeof(*s));
	hash_key_init(&s->key);
	return s;
}

void view_seen_free(struct view_seen *s)
{
	free(s);
}

uint64_t *view_seen(struct view_seen *s, uint64_t key)
{
	size_t i;

	if (s->n == SEEN_MAX) {
		memset(s->v, 0, sizeof(s->v));
		s->n = 0;
	}
	i = hash_words(&s->key, &key, 1) % SEEN_PLACES;
	while (s->v[i].used && s->v[i].key != key)
		i = (i + 1) % SEEN_PLACES;
	if (!s->v[i].used) {
		s->v[i].used = true;
		s->v[i].key = key;
		s->n++;
	}
	return &s->v[i].value;
}
