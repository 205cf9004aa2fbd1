// SPDX-License-Identifier: GPL-2.0-only
/*
 * pick.c - the arguments of --counter EVENT.ARGUMENT and --slice BEGIN..END
 *
 * Event names are those that traceinfo prints. The name of an exception contains a dot, as in
 * "UART.OVERRUN", so the argument's name follows the last dot.
 */
#include <stdio.h>
#include "pick.h"

static const char *pick_add(struct ti_picks *p, const char *word, size_t first,
			    const char *second)
{
	struct ti_pick *v = &p->v[p->n];

	if (p->n == TI_PICKS_MAX)
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

const char *ti_pick_counter(struct ti_picks *p, const char *word)
{
	const char *point = strrchr(word, '.');

	if (!point || point == word || !point[1])
		return "is not EVENT.ARGUMENT, such as BEAT.late";
	return pick_add(p, word, (size_t)(point - word), point + 1);
}

const char *ti_pick_slice(struct ti_picks *p, const char *word)
{
	const char *points = strstr(word, "..");

	if (!points || points == word || !points[2])
		return "is not BEGIN..END, such as WORK_START..WORK_END";
	return pick_add(p, word, (size_t)(points - word), points + 2);
}

struct pick_search {
	const char	*name;
	struct ti_arg	*value;
	bool		found;
};

static void pick_arg(void *ctx, const struct ti_arg *a)
{
	struct pick_search *s = ctx;

	if (a->kind == TI_ARG_STR || s->found || strlen(s->name) != a->name_len ||
	    memcmp(s->name, a->name, a->name_len))
		return;
	*s->value = *a;
	s->found = true;
}

bool ti_pick_value(const struct ti_pick *p, const char *name, const struct ti_event *e,
		   struct ti_arg *value)
{
	struct pick_search s = { .name = p->second, .value = value };

	if (!strcmp(p->first, name))
		ti_args(e, pick_arg, &s);
	return s.found;
}
