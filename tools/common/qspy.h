/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * qspy.h - events as records of QS, and the lines that QSPY prints for them
 */
#ifndef COMMON_QSPY_H
#define COMMON_QSPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <devtrace-decode.h>
#include "common/hash.h"

#define QSPY_VALUES	12		/* the longest record has 9 */
#define QSPY_NAMES	65536
#define QSPY_TIME	4		/* bytes of a stamp, in us */
#define QSPY_LINE	4096

struct qspy_name {
	uint8_t		kind, group;
	uint32_t	value, scope;	/* scope: of this process; 0: of all */
	uint64_t	key;
	char		name[DEVTRACE_NAME_MAX];
};

struct qspy_names {
	struct qspy_name *v;
	size_t		nr, room;
	struct hash_key	key;		/* of both tables */
	/* index: hash table; an entry is 1 + the index of a name in @v, or 0 if empty */
	uint32_t	*index;
	/*
	 * signals: hash table from a process and a signal number to 1 + the index in @v of the
	 * first name
	 */
	uint32_t	*signals;
	size_t		slots;
	/* told: number of names, from the first on, that were sent to the host of --to */
	size_t		told;
};

/**
 * struct qspy_record - a record of QS
 * @layout: the types of the fields in @v, see common/qs.h; NULL: the elements in @data are those
 *     of the application
 * @v: the numbers, in the order of the layout
 * @object: the object of a signal
 * @s: the string, if the layout ends in s; for PEEK_DATA its bytes
 */
struct qspy_record {
	uint8_t		id;
	/* process: the process in whose names the fields are looked up */
	uint32_t	process;
	uint32_t	time;		/* us */
	uint8_t		ptr;		/* bytes of a pointer */
	const char	*layout;
	uint64_t	v[QSPY_VALUES], object;
	const uint8_t	*s;
	size_t		len;
	const uint8_t	*data;
	size_t		data_len;
	uint8_t		bytes[1024];	/* of PEEK_DATA, pieces joined */
};

/* qspy_names.c: dictionaries. */
/* Add a name, or replace it. Return the stored name, or NULL if there is no room. */
const struct qspy_name *qspy_name_add(struct qspy_names *n, const struct devtrace_name *d);
/* Remove the names of one process. */
void qspy_names_forget(struct qspy_names *n, uint32_t scope);
void qspy_names_free(struct qspy_names *n);
/*
 * Return the name of a number or key in the process @scope, or NULL if it has none. If the signal
 * has no name for the object @key, a name without an object is used. If @key is 0, the name for
 * any object is.
 */
const char *qspy_name(const struct qspy_names *n, uint8_t kind, uint32_t scope, uint32_t value,
		      uint8_t group, uint64_t key);
/*
 * Find an entry by its name. @scope is 0 to search the names of all processes. @group is the
 * enumeration if the name is a value's, otherwise 0.
 */
const struct qspy_name *qspy_named(const struct qspy_names *n, uint8_t kind, uint32_t scope,
				   uint8_t group, const char *name);

/*
 * qspy_record.c: convert an event to a record of QS whose pointers have @ptr bytes. Return false if
 * the event is not a record of QS, or if one of its pointers does not fit.
 */
bool qspy_record(const struct devtrace_event *e, bool old, uint8_t ptr, struct qspy_record *r);

/* qspy_text.c: make the line that QSPY prints for a record. Return its length. */
size_t qspy_text(const struct qspy_names *n, const struct qspy_record *r, char *out, size_t size);

/* Return the process of an event, or its thread if the process is not known yet. */
static inline uint32_t qspy_process(const struct devtrace_event *e)
{
	return e->tgid ? e->tgid : e->tid;
}

/* Does the value fit into this number of bytes? */
static inline bool qspy_fits(uint64_t v, unsigned int bytes)
{
	return bytes >= 8 || !(v >> 8 * bytes);
}

#endif
