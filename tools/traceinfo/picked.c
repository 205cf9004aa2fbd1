// SPDX-License-Identifier: GPL-2.0-only
/*
 * picked.c - report names of --counter and --slice that no event has
 *
 * Memory is constant: of the names of events only the one that is most like a missing name is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include "common/near.h"
#include "picked.h"

struct wanted_name {
	bool		found;
	bool		text;	/* of an argument: the event has it, but its value is text */
	struct near	near;
};

struct wanted_pick {
	const struct ti_pick *pick;
	bool		counter;
	struct wanted_name first, second;
};

struct ti_picked {
	unsigned int	n, missing;	/* @missing: names that were not found yet */
	struct out	name, last;	/* names of this event and of the previous one */
	struct wanted_pick v[2 * TI_PICKS_MAX];
};

static void add(struct ti_picked *p, const struct ti_picks *picks, bool counter)
{
	unsigned int i;

	for (i = 0; i < picks->n; i++) {
		struct wanted_pick *w = &p->v[p->n++];

		w->pick = &picks->v[i];
		w->counter = counter;
		near_init(&w->first.near, w->pick->first);
		near_init(&w->second.near, w->pick->second);
		p->missing += 2;
	}
}

struct ti_picked *ti_picked_new(const struct ti_picks *counters, const struct ti_picks *slices)
{
	struct ti_picked *p = counters->n + slices->n ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	out_init(&p->name, -1);
	out_init(&p->last, -1);
	add(p, slices, false);
	add(p, counters, true);
	return p;
}

void ti_picked_free(struct ti_picked *p)
{
	if (!p)
		return;
	out_free(&p->name);
	out_free(&p->last);
	free(p);
}

static void found(struct ti_picked *p, struct wanted_name *w)
{
	p->missing -= !w->found;
	w->found = true;
}

struct search {
	struct ti_picked *picked;
	struct wanted_pick *pick;
};

static void note_arg(void *ctx, const struct ti_arg *a)
{
	struct search *s = ctx;
	const char *want = s->pick->pick->second;
	char name[NEAR_MAX];

	if (strlen(want) == a->name_len && !memcmp(want, a->name, a->name_len)) {
		if (a->kind == TI_ARG_STR)
			s->pick->second.text = true;
		else
			found(s->picked, &s->pick->second);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)a->name_len, a->name);
	if (a->kind != TI_ARG_STR)
		near_try(&s->pick->second.near, want, name);
}

void ti_picked_event(struct ti_picked *p, const struct ti_event *e)
{
	const char *name;
	unsigned int i;
	bool again;

	if (!p || !p->missing)
		return;
	name = ti_args_name(&p->name, e);
	again = p->last.len && !strcmp(p->last.buf, name);
	for (i = 0; i < p->n; i++) {
		struct wanted_pick *w = &p->v[i];
		struct search s = { p, w };

		if (!strcmp(w->pick->first, name)) {
			found(p, &w->first);
			if (w->counter && !w->second.found)
				ti_args(e, note_arg, &s);
		} else if (!again && !w->first.found) {
			near_try(&w->first.near, w->pick->first, name);
		}
		if (w->counter)
			continue;
		if (!strcmp(w->pick->second, name))
			found(p, &w->second);
		else if (!again && !w->second.found)
			near_try(&w->second.near, w->pick->second, name);
	}
	if (again)
		return;
	p->last.len = 0;
	out_str(&p->last, name);
	out_char(&p->last, 0);
}

static void say(const char *program, const struct wanted_pick *w, const char *name,
		const struct wanted_name *n, const char *event)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o, program);
	out_str(&o, w->counter ? ": --counter: " : ": --slice: ");
	if (event) {
		OUT_LIT(&o, "the event ");
		out_safe(&o, event, strlen(event));
		out_str(&o, n->text ? " has text in the argument " : " has no number with the name ");
	} else {
		OUT_LIT(&o, "no event has the name ");
	}
	out_safe(&o, name, strlen(name));
	near_put(&o, &n->near);
	if (!*n->near.name)
		out_str(&o, event ? "; traceinfo --json prints the names of arguments" :
			"; traceinfo prints the names of events");
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
}

void ti_picked_say(const struct ti_picked *p, const char *program)
{
	unsigned int i;

	for (i = 0; p && i < p->n; i++) {
		const struct wanted_pick *w = &p->v[i];

		if (!w->first.found)
			say(program, w, w->pick->first, &w->first, NULL);
		if (!w->second.found && (!w->counter || w->first.found))
			say(program, w, w->pick->second, &w->second,
			    w->counter ? w->pick->first : NULL);
	}
}
