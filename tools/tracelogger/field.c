// SPDX-License-Identifier: GPL-2.0-only
/*
 * field.c - names of an event's elements as names of fields
 *
 * Invariants
 * - A name has only letters, digits and '_', and no more characters than the form allows.
 * - The names of an event's elements differ, also for receivers that ignore the case.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "field.h"

bool field_name(char out[FIELD_MAX + 1], size_t max, bool upper, const char *prefix,
		const char *name, size_t n)
{
	size_t len = strlen(prefix), i;

	memcpy(out, prefix, len);
	for (i = 0; i < n && len < max; i++) {
		const char c = name[i];
		const bool is_small = c >= 'a' && c <= 'z';

		out[len++] = is_small && upper ? (char)(c - 'a' + 'A') :
			     is_small || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
	}
	out[len] = 0;
	return i == n;
}

static bool has_name(const struct field_names *f, const char *name)
{
	unsigned int i;

	for (i = 0; i < f->nr_names; i++)
		if (!strcasecmp(f->names[i], name))
			return true;
	return false;
}

void field_next(struct field_names *f, char out[FIELD_MAX + 1], size_t max, bool upper,
		const char *prefix, const char *name, size_t n)
{
	unsigned int nr = ++f->nr;
	const bool is_cut = !field_name(out, max, upper, prefix, name, n);
	const size_t len = strlen(out);
	char end[16];
	size_t room;

	if (is_cut || f->nr_names == FIELD_NAMES || has_name(f, out)) {
		/* An element before may have this name, too. */
		do {
			snprintf(end, sizeof(end), "__%u", nr++);
			room = max - strlen(end);
			strcpy(out + (len < room ? len : room), end);
		} while (has_name(f, out));
	}
	if (f->nr_names < FIELD_NAMES)
		strcpy(f->names[f->nr_names++], out);
}

void field_begin(struct field_names *f)
{
	f->nr_names = 0;
	f->nr = 0;
}
