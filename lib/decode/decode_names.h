/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decode_names.h - a bounded table of names
 *
 * Private to the library. A decoder has two tables: one for the dictionary (objects, functions,
 * signals, record types, enumerations) and one for threads.
 */
#ifndef DT_DECODE_NAMES_H
#define DT_DECODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/devtrace.h>

/* Key of a name. The key of a thread has kind PROC, and the tid as its value. */
struct dt_key {
	uint64_t	key;
	uint32_t	scope, value;
	uint8_t		kind, group;
};

struct dt_name {
	struct dt_key	key;
	uint32_t	tgid;			/* process of a thread; 0 for other names */
	uint32_t	next; /* index + 1 of the next entry in the chain; 0: end */
	bool		used;			/* looked up since @hand last passed this entry */
	char		name[DEVTRACE_NAME_MAX];
};

struct dt_names {
	struct dt_name	*entries;
	uint32_t	*heads; /* index + 1 of each chain's first entry; 0: empty chain */
	uint32_t	size;			/* entries of both arrays; a power of two, or 0 */
	uint32_t	count;
	uint32_t	max;			/* limit of @size */
	uint32_t	hand;			/* index of the next candidate for replacement */
	uint64_t	secret;			/* key of the hash */
};

void dt_names_init(struct dt_names *t, uint32_t max);
void dt_names_free(struct dt_names *t);
void dt_names_clear(struct dt_names *t);
/*
 * Store a name, truncated if it is too long. Return false only if there is no memory for any
 * entry.
 */
bool dt_names_put(struct dt_names *t, const struct dt_key *key, uint32_t tgid,
		  const char *name);
/* Return the entry of a name, or NULL. The entry is valid until the next put or clear. */
struct dt_name *dt_names_get(const struct dt_names *t, const struct dt_key *key);

#endif
