// SPDX-License-Identifier: GPL-2.0-only
/*
 * pick.c - the arguments of --counter EVENT.ARGUMENT and --slice BEGIN..END
 *
 * Event names are those that traceinfo prints. The name of an exception contains a dot itself,
 * such as "UART.OVERRUN", so the argument's name is after the last dot.
 */
#include <stdio.h>
#include "view.h"

static const char *pick_add(struct view_picks *p, const char *word, size_t first,
			    const char *second)
{
	struct view_pick *v = &p->v[p->n];

	if (p->n == VIEW_PICKS_MAX)
		return "is one too many: at most 32 are allowed";
	if (first >= sizeof(v->first))
		return "has a name that is too long";
	memcpy(v->first, word, first);
	v->first[first] = 0;
	v->word = word;
	v->second = second;
	p->n++;
	return NULL;
}

const char *view_pick_counter(struct view_picks *p, const char *word)
{
	const char *point = strrchr(word, '.');

	if (!point || point == word || !point[1])
		return "is not EVENT.ARGUMENT, such as BEAT.late";
	return pick_add(p, word, (size_t)(point - word), point + 1);
}

const char *view_pick_slice(struct view_picks *p, const char *word)
{
	const char *points = strstr(word, "..");

	if (!points || points == word || !points[2])
		return "is not BEGIN..END, such as WORK_START..WORK_END";
	return pick_add(p, word, (size_t)(points - word), points + 2);
}

struct pick_search {
	const char	*name;
	struct view_arg	*value;
	bool		found;
};

static void pick_arg(void *ctx, const struct view_arg *a)
{
	struct pick_search *s = ctx;

	if (a->kind == VIEW_STR || s->found || strlen(s->name) != a->name_len ||
	    memcmp(s->name, a->name, a->name_len))
		return;
	*s->value = *a;
	s->found = true;
}

bool view_pick_value(const struct view_pick *p, const char *name, const struct ti_event *e,
		     struct view_arg *value)
{
	struct pick_search s = { .name = p->second, .value = value };

	if (!strcmp(p->first, name))
		view_args(e, pick_arg, &s);
	return s.found;
}
