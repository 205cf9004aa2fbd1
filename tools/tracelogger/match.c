// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - parse the expression of --match
 *
 * An expression is a list of terms NAME=LIST, separated by blanks; an event must match all of
 * them. NAME is severity, code, process, cpu, type or object, and LIST is as in traceinfo's option
 * of that name. The code of traceinfo evaluates the terms, so an event matches if traceinfo would
 * print it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "match.h"

_Noreturn void ti_usage(const char *option, const char *word, const char *problem)
{
	fprintf(stderr, "tracelogger: --match: %s: '%s' %s\n", option, word, problem);
	exit(2);
}

void *ti_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p) {
		fputs("tracelogger: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

void ti_words_add(struct ti_words *w, const char *s)
{
	w->v = ti_alloc(w->v, (w->n + 1) * sizeof(*w->v));
	w->v[w->n++] = s;
}

static void codes(struct ti_filter *f, char *list)
{
	char *s, *save;

	for (s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save))
		ti_filter_code(f, s);
}

static void term(struct ti_filter *f, const char *name, char *list)
{
	if (!strcmp(name, "severity"))
		ti_filter_severity(f, list);
	else if (!strcmp(name, "code"))
		codes(f, list);
	else if (!strcmp(name, "cpu"))
		ti_filter_cpu(f, list);
	else if (!strcmp(name, "type"))
		ti_filter_type(f, list);
	else if (!strcmp(name, "process"))
		ti_filter_some(&f->processes, list, "process", "is not a process or thread; write numbers or names");
	else if (!strcmp(name, "object"))
		ti_filter_some(&f->objects, list, "object", "is not an object; write numbers or names");
	else
		ti_usage("term", name, "is an unknown term; write severity, code, process, cpu, type or object");
}

void tl_match_parse(struct ti_filter *f, char *expression)
{
	char *word, *save, *list;
	bool any = false;

	for (word = strtok_r(expression, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		list = strchr(word, '=');
		if (!list || !list[1])
			ti_usage("term", word, "is not NAME=LIST; write for example severity=2 or type=UART.*");
		*list++ = 0;
		term(f, word, list);
		any = true;
	}
	if (!any)
		ti_usage("term", "", "is not NAME=LIST; write for example severity=2 or type=UART.*");
	ti_filter_ready(f);
}
