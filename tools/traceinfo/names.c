// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - unknown names on the command line
 *
 * A misspelt name in a filter excludes all events, which looks as if there were no events. So each
 * name is searched in the format files and among the types, objects and threads of the stream. A
 * name that is still unknown at the end of the input is reported, with the known name most like
 * it.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/near.h"
#include "../lib/type_groups.h"
#include "traceinfo.h"

/*
 * Limit, for each kind of name, of the unknown names that are reported and of the names for which
 * the most similar name is searched.
 */
#define NAMES_SAID	10

struct wanted {
	const char	*word;
	/* tail: ":9" or ".*" after the name of a major; NULL: none */
	const char	*tail;
	bool		known;
	bool		literal;	/* wildcards in the word are ordinary characters */
	bool		plain;		/* has no wildcard */
	struct near	near;
};

struct ti_names {
	struct wanted	*types, *codes, *objects, *lifelines, *threads;
	size_t		nr_types, nr_codes, nr_objects, nr_lifelines, nr_threads;
	bool		said;
};

/*
 * Return the tail (":MINOR" or ".*") of "MAJOR:MINOR" or "MAJOR.*", which are names of a code and
 * of all codes of a major. Return NULL for any other word.
 */
static const char *tail_of(const char *word)
{
	const char *colon = strrchr(word, ':'), *dot = strrchr(word, '.');
	char *end;

	if (colon && isdigit((unsigned char)colon[1]) &&
	    strtoul(colon + 1, &end, 10) < 256 && !*end)
		return colon;
	return dot && !strcmp(dot, ".*") ? dot : NULL;
}

static void wants(struct wanted **list, size_t *nr, const struct ti_words *w, bool numbers)
{
	size_t i;

	*list = ti_alloc(NULL, (w->n + 1) * sizeof(**list));
	memset(*list, 0, (w->n + 1) * sizeof(**list));
	*nr = w->n;
	for (i = 0; i < w->n; i++) {
		struct wanted *n = &(*list)[i];
		const char *wild = strpbrk(w->v[i], "*?[");

		n->word = w->v[i];
		n->plain = !strpbrk(n->word, "*?[\\");
		near_init(&n->near, n->word);
		n->known = numbers && isdigit((unsigned char)*n->word);
		if (numbers)
			continue;
		n->tail = tail_of(n->word);
		if (wild && n->tail && wild < n->tail)
			n->tail = NULL;
		/*
		 * Two kinds of words cannot be checked, so they count as known: a pattern with a
		 * number, such as U*:9, and a record with a code, such as NAME.0x000a10:9.
		 */
		n->known = strchr(n->word, ':') && (wild || strstr(n->word, ".0x"));
	}
}

/* Collect names of codes; MAJOR means MAJOR.* */
static void wants_codes(struct ti_names *names, const struct ti_filter *f)
{
	const struct ti_code_match *m;
	struct ti_words w = { 0 };
	unsigned int i;

	for (i = 0; i < f->nr_match + f->nr_unmatch; i++) {
		m = i < f->nr_match ? &f->match[i] : &f->unmatch[i - f->nr_match];
		if (m->name)
			ti_words_add(&w, m->name);
	}
	wants(&names->codes, &names->nr_codes, &w, false);
	for (i = 0; i < w.n; i++)
		if (!names->codes[i].tail && !strpbrk(w.v[i], ".*?["))
			names->codes[i].tail = "";
	free(w.v);
}

static bool has_code_name(const struct ti_filter *f)
{
	unsigned int i;

	for (i = 0; i < f->nr_match; i++)
		if (f->match[i].name)
			return true;
	for (i = 0; i < f->nr_unmatch; i++)
		if (f->unmatch[i].name)
			return true;
	return false;
}

/* Mark a wanted word such as USER:9 as known if @name is its part before the ':'. */
static void head_is_there(struct wanted *list, size_t nr, const char *name)
{
	char full[NEAR_MAX];
	size_t i;

	for (i = 0; i < nr; i++) {
		struct wanted *n = &list[i];

		if (n->known || !n->tail ||
		    strlen(name) + strlen(n->tail) >= sizeof(full))
			continue;
		strcat(strcpy(full, name), n->tail);
		if (!strcmp(n->word, full))
			n->known = true;
		else
			near_try(&n->near, n->word, full);
	}
}

/*
 * Mark words such as USER:101 as known: a record without a name is printed as its group and
 * number.
 */
static void group_is_there(struct wanted *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].tail && *list[i].tail == ':')
			head_is_there(&list[i], 1,
				      ti_event_group((uint8_t)strtoul(list[i].tail + 1, NULL, 10)));
}

static void is_there(struct wanted *list, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		struct wanted *n = &list[i];
		size_t len;

		if (n->known)
			continue;
		if (n->literal || n->plain ? !strcmp(n->word, name) :
					     !fnmatch(n->word, name, 0)) {
			n->known = true;
			continue;
		}
		if (i >= NAMES_SAID)
			continue;
		len = strlen(n->word);
		if (!n->literal && !strncmp(n->word, name, len) && name[len] == '.') {
			n->near.distance = 0;
			snprintf(n->near.name, sizeof(n->near.name), "%s.*", n->word);
		} else if (n->literal || n->plain) {
			near_try(&n->near, n->word, name);
		}
	}
}

/* The stream never names the kernel's idle threads, so count their names (swapper) as known. */
static void idle_is_there(struct wanted *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strncmp(list[i].word, "swapper", 7))
			list[i].known = true;
}

static void fmt_has(void *arg, const char *name, enum fmt_kind kind, uint32_t number)
{
	struct ti_names *names = arg;

	(void)number;
	if (kind != FMT_MAJOR)
		is_there(names->types, names->nr_types, name);
	if (kind != FMT_RECORD && kind != FMT_TRACEPOINT)
		head_is_there(names->types, names->nr_types, name);
	if (kind == FMT_CODE || kind == FMT_ANY)
		is_there(names->codes, names->nr_codes, name);
	if (kind == FMT_MAJOR)
		head_is_there(names->codes, names->nr_codes, name);
}

struct ti_names *ti_names_new(const struct ti_options *opt, const struct fmt_set *fmts)
{
	const struct ti_filter *f = &opt->filter;
	struct ti_names *names;
	const char *group;
	size_t i;

	if (!f->names.n && !has_code_name(f) && !f->objects.n && !f->processes.n &&
	    !opt->sequence.n)
		return NULL;
	names = ti_alloc(NULL, sizeof(*names));
	names->said = false;
	wants(&names->types, &names->nr_types, &f->names, false);
	wants_codes(names, f);
	wants(&names->objects, &names->nr_objects, &f->objects, true);
	wants(&names->lifelines, &names->nr_lifelines, &opt->sequence, true);
	for (i = 0; i < names->nr_lifelines; i++)
		names->lifelines[i].literal = true;
	/*
	 * The stream may name a thread outside the time window only, so names of threads are not
	 * checked.
	 */
	if (f->since.kind != TI_ALWAYS || f->until.kind != TI_ALWAYS) {
		names->threads = NULL;
		names->nr_threads = 0;
	} else {
		wants(&names->threads, &names->nr_threads, &f->processes, true);
		idle_is_there(names->threads, names->nr_threads);
	}
	is_there(names->types, names->nr_types, "text");
	group_is_there(names->types, names->nr_types);
	fmt_each_name(fmts, fmt_has, names);
	/* Groups are known to opts.c; here their names serve only as suggestions. */
	for (i = 0; i < TYPE_GROUPS; i++)
		is_there(names->types, names->nr_types, type_groups[i].upper);
	for (i = 0; (group = type_profile_name(i)); i++)
		is_there(names->types, names->nr_types, group);
	return names;
}

void ti_names_heard(struct ti_names *names, const struct devtrace_name *d)
{
	struct out o;

	if (d->kind == DEVTRACE_T_OBJ) {
		is_there(names->objects, names->nr_objects, d->name);
		is_there(names->lifelines, names->nr_lifelines, d->name);
	}
	if (d->kind != DEVTRACE_T_USR)
		return;
	/* The user writes a name as it is printed, so compare with the escaped form. */
	out_init(&o, -1);
	out_safe(&o, d->name, strlen(d->name));
	out_char(&o, 0);
	if (!o.err)
		is_there(names->types, names->nr_types, o.buf);
	out_free(&o);
}

void ti_names_thread(struct ti_names *names, const char *name)
{
	if (names->nr_threads)
		is_there(names->threads, names->nr_threads, name);
}

static int say(const struct wanted *list, size_t nr, const char *what, const char *where)
{
	size_t i, unknown = 0;
	struct out o;

	for (i = 0; i < nr; i++) {
		if (list[i].known || ++unknown > NAMES_SAID)
			continue;
		out_init(&o, -1);
		OUT_LIT(&o, "traceinfo: no ");
		out_str(&o, what);
		out_char(&o, ' ');
		out_safe(&o, list[i].word, strlen(list[i].word));
		out_str(&o, where);
		near_put(&o, &list[i].near);
		out_char(&o, '\n');
		fwrite(o.buf, 1, o.len, stderr);
		out_free(&o);
	}
	if (unknown > NAMES_SAID)
		fprintf(stderr, "traceinfo: %zu more names are not found%s\n", unknown - NAMES_SAID,
			where);
	return unknown > 0;
}

int ti_names_say(struct ti_names *names)
{
	int ret;

	if (!names || names->said)
		return 0;
	names->said = true;
	ret = say(names->types, names->nr_types, "type", " in the format files or the stream");
	ret |= say(names->codes, names->nr_codes, "code", " in the format files");
	ret |= say(names->objects, names->nr_objects, "object", " in the stream");
	ret |= say(names->lifelines, names->nr_lifelines, "object", " in the stream");
	return ret | say(names->threads, names->nr_threads, "process or thread", " in the stream");
}

void ti_names_free(struct ti_names *names)
{
	if (!names)
		return;
	free(names->types);
	free(names->codes);
	free(names->objects);
	free(names->lifelines);
	free(names->threads);
	free(names);
}
