// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - names on the command line that nobody knows
 *
 * A name that is misspelt filters everything away, which looks like silence. So each
 * name is looked for in the format files and in what the stream calls its types and
 * objects; what has not been found when all was read is said, with the nearest name.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include "traceinfo.h"

#define LONGEST	96	/* of a type: UART.OVERRUN */

struct wanted {
	const char	*word;
	bool		known;
	unsigned int	distance;	/* of the nearest; too far away is none */
	char		nearest[LONGEST];
};

struct ti_names {
	struct wanted	*types, *objects;
	size_t		nr_types, nr_objects;
	bool		said;
};

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to insert, remove, change, or swap with the next; in either case the same. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][LONGEST], *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la >= LONGEST || lb >= LONGEST)
		return UINT32_MAX;
	for (j = 0; j <= lb; j++)
		last[j] = j;
	for (i = 1; i <= la; i++) {
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);

			row[j] = least(last[j - 1] + (x != y), least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[lb];
}

static void wants(struct wanted **list, size_t *nr, const struct ti_words *w, bool numbers)
{
	size_t i;

	*list = ti_alloc(NULL, (w->n + 1) * sizeof(**list));
	memset(*list, 0, (w->n + 1) * sizeof(**list));
	*nr = w->n;
	for (i = 0; i < w->n; i++) {
		struct wanted *n = &(*list)[i];

		n->word = w->v[i];
		n->distance = (unsigned int)strlen(n->word) / 3 + 1;
		/* USER:101, 0x00beef:255: a name that has a number needs no other. */
		n->known = numbers ? isdigit((unsigned char)*n->word) :
				     strchr(n->word, ':') != NULL;
	}
}

static void is_there(struct wanted *list, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct wanted *n = &list[i];
		size_t len = strlen(n->word);
		unsigned int d;

		if (n->known)
			continue;
		if (!fnmatch(n->word, name, 0)) {
			n->known = true;
		} else if (!strncmp(n->word, name, len) && name[len] == '.') {
			n->distance = 0;
			snprintf(n->nearest, sizeof(n->nearest), "%s.*", n->word);
		} else if (!strpbrk(n->word, "*?[")) {
			d = distance(n->word, name);
			if (d < n->distance || (d == n->distance && !*n->nearest)) {
				n->distance = d;
				snprintf(n->nearest, sizeof(n->nearest), "%s", name);
			}
		}
	}
}

static void minor_is_there(struct ti_names *names, const struct fmt_major *m,
			   const struct fmt_entry *e)
{
	char name[2 * FMT_NAME_MAX + 2];

	if (!e)
		return;
	snprintf(name, sizeof(name), "%s.%s", m->name, e->name);
	is_there(names->types, names->nr_types, name);
}

struct ti_names *ti_names_new(const struct ti_filter *f, const struct fmt_set *fmts)
{
	struct ti_names *names;
	const struct fmt_major *m;
	const struct ti_group *g;
	size_t i, k;

	if (!f->names.n && !f->objects.n)
		return NULL;
	names = ti_alloc(NULL, sizeof(*names));
	names->said = false;
	wants(&names->types, &names->nr_types, &f->names, false);
	wants(&names->objects, &names->nr_objects, &f->objects, true);
	is_there(names->types, names->nr_types, "text");
	for (i = 0; i < 256; i++)
		if (fmts->records[i])
			is_there(names->types, names->nr_types, fmts->records[i]->name);
	for (i = 0; i < FMT_BUCKETS; i++) {
		for (m = fmts->majors[i]; m; m = m->next) {
			for (k = 0; k < 256; k++)
				minor_is_there(names, m, m->minors[k]);
			minor_is_there(names, m, m->any);
		}
	}
	/* A group would have been taken as one: only as what may be meant. */
	for (g = ti_groups; g->name; g++)
		is_there(names->types, names->nr_types, g->name);
	return names;
}

void ti_names_heard(struct ti_names *names, const struct devtrace_name *d)
{
	struct out o;

	if (d->kind == DEVTRACE_T_OBJ)
		is_there(names->objects, names->nr_objects, d->name);
	if (d->kind != DEVTRACE_T_USR)
		return;
	/* As it is printed. */
	out_init(&o, -1);
	out_safe(&o, d->name, strlen(d->name));
	out_char(&o, 0);
	if (!o.err)
		is_there(names->types, names->nr_types, o.buf);
	out_free(&o);
}

static int say(const struct wanted *list, size_t nr, const char *what, const char *where)
{
	struct out o;
	int ret = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (list[i].known)
			continue;
		out_init(&o, -1);
		OUT_LIT(&o, "traceinfo: no ");
		out_str(&o, what);
		out_char(&o, ' ');
		out_safe(&o, list[i].word, strlen(list[i].word));
		out_str(&o, where);
		if (*list[i].nearest) {
			OUT_LIT(&o, "; did you mean ");
			out_safe(&o, list[i].nearest, strlen(list[i].nearest));
			out_char(&o, '?');
		}
		out_char(&o, '\n');
		fwrite(o.buf, 1, o.len, stderr);
		out_free(&o);
		ret = 1;
	}
	return ret;
}

int ti_names_say(struct ti_names *names)
{
	int ret;

	if (!names || names->said)
		return 0;
	names->said = true;
	ret = say(names->types, names->nr_types, "type", " in the format files or the stream");
	return ret | say(names->objects, names->nr_objects, "object", " in the stream");
}

void ti_names_free(struct ti_names *names)
{
	if (!names)
		return;
	free(names->types);
	free(names->objects);
	free(names);
}
