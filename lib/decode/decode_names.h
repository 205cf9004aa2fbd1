/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decode_names.h - a bounded table of names
 *
 * Private to the library. One table holds the dictionary (objects, functions, signals, record
 * types, enumerations), another the threads.
 */
#ifndef DT_DECODE_NAMES_H
#define DT_DECODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/devtrace.h>

/* Key of a name. Threads have kind PROC and their tid as value. */
struct dt_key {
	uint64_t	key;
	uint32_t	scope, value;
	uint8_t		kind, group;
};

struct dt_name {
	struct dt_key	key;
	uint32_t	tgid;			/* process of a thread; only used for threads */
	uint32_t	next;			/* next in the chain: index + 1; 0: end */
	bool		used;			/* looked up since @hand last passed this entry */
	char		name[DEVTRACE_NAME_MAX];
};

struct dt_names {
	struct dt_name	*entries;
	uint32_t	*heads;			/* first of each chain: index + 1; 0: empty */
	uint32_t	size;			/* of both arrays; a power of two, or 0 */
	uint32_t	count;
	uint32_t	max;			/* limit of @size */
	uint32_t	hand;			/* next candidate for replacement */
	uint64_t	secret;			/* key of hash() */
};

void dt_names_init(struct dt_names *t, uint32_t max);
void dt_names_free(struct dt_names *t);
void dt_names_clear(struct dt_names *t);
/*
 * Store a name, truncated if it is too long. Return false if there is no memory for a single
 * entry.
 */
bool dt_names_put(struct dt_names *t, const struct dt_key *key, uint32_t tgid,
		  const char *name);
/* Return NULL if the name is unknown. The result is valid until the next put or clear. */
struct dt_name *dt_names_get(const struct dt_names *t, const struct dt_key *key);

#endif
