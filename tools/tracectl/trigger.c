// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c - the trigger commands
 *
 *	add NAME when TERM... [element N [mask M] OP VALUE] [nth N | rate N/s]
 *	    do ACTION [TERM...] [after N events | N ms]... [stream NAME] [again]
 */
#include <stdio.h>
#include <stdlib.h>
#include "tracectl.h"

static _Noreturn void bad(const struct tc *tc, const char *error)
{
	fprintf(stderr, "tracectl: %s: %s\n", tc->command, error);
	exit(2);
}

/* If the next word is @w, take it and return true. */
static bool word(struct tc *tc, const char *w)
{
	if (!tc->nr || strcmp(*tc->words, w))
		return false;
	tc->nr--;
	tc->words++;
	return true;
}

static uint64_t number(struct tc *tc, const char *what, uint64_t max)
{
	const char *s = tc_next(tc, what);
	uint64_t v;

	if (!tc_number(s, max, &v))
		tc_usage(tc, s, "is not a valid number here");
	return v;
}

/* Take words as terms of a filter, up to the first word that is not a term. */
static void terms(struct tc *tc, struct devtrace_filter *f, const char *after)
{
	struct tc_terms t = { .tc = tc, .f = f, .how = TC_SET };

	if (!tc->nr || !tc_is_term(*tc->words)) {
		char what[64];

		if (tc->nr && strchr(*tc->words, '='))
			tc_term(&t, *tc->words);
		else
			snprintf(what, sizeof(what), "a TERM, such as severity=hw2, after '%s'",
				 after);
		if (*t.error)
			bad(tc, t.error);
		tc_missing(tc, what);
	}
	while (tc->nr && tc_is_term(*tc->words))
		if (!tc_term(&t, tc_next(tc, "TERM")))
			bad(tc, t.error);
}

static uint32_t compare(const struct tc *tc, const char *s)
{
	static const char *const names[][3] = {
		[DEVTRACE_CMP_EQ] = { "==", "=", "eq" }, [DEVTRACE_CMP_NE] = { "!=", "<>", "ne" },
		[DEVTRACE_CMP_LT] = { "<", "<", "lt" }, [DEVTRACE_CMP_LE] = { "<=", "<=", "le" },
		[DEVTRACE_CMP_GT] = { ">", ">", "gt" }, [DEVTRACE_CMP_GE] = { ">=", ">=", "ge" },
	};
	size_t i, k;

	for (i = 0; i < NR(names); i++)
		for (k = 0; k < 3; k++)
			if (!strcmp(names[i][k], s))
				return (uint32_t)i;
	tc_usage(tc, s, "is not a comparison; write == != < <= > >=, or eq ne lt le gt ge");
}

/* Is this a number without a sign, perhaps a too large one? */
static bool is_digits(const char *s)
{
	const char *digits = "0123456789";

	if (*s == '0' && (s[1] == 'x' || s[1] == 'X')) {
		digits = "0123456789abcdefABCDEF";
		s += 2;
	}
	return *s && !s[strspn(s, digits)];
}

static void element(struct tc *tc, struct devtrace_ctl_element *e)
{
	bool negative;
	const char *s;
	uint64_t v;

	e->given = true;
	e->index = (uint32_t)number(tc, "the number of the element", UINT32_MAX);
	if (word(tc, "mask"))
		e->mask = number(tc, "the mask", UINT64_MAX);
	e->compare = compare(tc, tc_next(tc, "a comparison, such as '>',"));
	s = tc_next(tc, "a value to compare with");
	negative = *s == '-';
	if (tc_number(s + negative, (uint64_t)INT64_MAX + negative, &v)) {
		e->value = (int64_t)(negative ? -v : v);
		return;
	}
	if (is_digits(s + negative))
		tc_usage(tc, s, "is out of range; write -9223372036854775808 to 9223372036854775807");
	if (e->mask || e->compare > DEVTRACE_CMP_NE)
		tc_usage(tc, s, "is not a number; strings allow only == and !=");
	if (strlen(s) >= sizeof(e->string))
		tc_usage(tc, s, "is too long: at most 63 bytes");
	e->is_string = true;
	strcpy(e->string, s);
}

static const char *const actions[] = {
	[DEVTRACE_ACTION_NOTIFY] = "notify", [DEVTRACE_ACTION_START] = "start",
	[DEVTRACE_ACTION_STOP] = "stop", [DEVTRACE_ACTION_FREEZE] = "freeze",
	[DEVTRACE_ACTION_FILTER] = "filter", [DEVTRACE_ACTION_RESTORE] = "restore",
};

/* Index of an action; NR(actions): unknown. */
static uint32_t action_of(const char *s)
{
	uint32_t i;

	for (i = 0; i < NR(actions) && strcmp(actions[i], s); i++)
		;
	return i;
}

#define ACTIONS "start stop freeze filter restore notify"

static void action(struct tc *tc, struct devtrace_ctl_trigger *t)
{
	const char *s = tc_next(tc, "an action (" ACTIONS ")");
	uint32_t i = action_of(s);

	if (i == NR(actions))
		tc_usage(tc, s, "is not an action; the actions are: " ACTIONS);
	t->action = i;
	if (i == DEVTRACE_ACTION_FILTER)
		terms(tc, &t->filter, "filter");
}

static void after(struct tc *tc, struct devtrace_ctl_trigger *t)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	uint64_t n = number(tc, "a number of events or of milliseconds", INT64_MAX);
	const char *unit = tc_next(tc, "'events' or 'ms' after the number");
	size_t i;

	if (!n)
		tc_usage(tc, "after 0", "means at once; leave it out");
	if (!strcmp(unit, "events") || !strcmp(unit, "event")) {
		t->events = n;
		return;
	}
	for (i = 0; i < NR(units) && strcmp(units[i].name, unit); i++)
		;
	if (i < NR(units) && n <= INT64_MAX / units[i].ns)
		t->time = n * units[i].ns;
	else
		tc_usage(tc, unit, i < NR(units) ? "is too long a time" :
			 "is not a unit; write events, ns, us, ms or s");
}

static void parse(struct tc *tc, struct devtrace_ctl_trigger *t)
{
	bool todo = false;
	const char *s;

	if (!word(tc, "when"))
		tc_missing(tc, "'when' after the name");
	terms(tc, &t->when, "when");
	while (tc->nr && !(todo = word(tc, "do"))) {
		if (word(tc, "element")) {
			element(tc, &t->element);
		} else if (word(tc, "nth")) {
			t->nth = number(tc, "which one", UINT64_MAX);
			if (!t->nth)
				tc_usage(tc, "nth 0", "is no position of an event; the first event is nth 1");
		} else if (word(tc, "rate")) {
			uint64_t v;
			char digits[16];
			size_t n;

			s = tc_next(tc, "a rate, such as 100/s,");
			n = strcspn(s, "/");
			snprintf(digits, sizeof(digits), "%.*s", (int)n, s);
			if (n >= sizeof(digits) || (s[n] && strcmp(s + n, "/s")) ||
			    !tc_number(digits, UINT32_MAX, &v) || !v)
				tc_usage(tc, s, "is not a rate; write 100/s");
			t->rate = (uint32_t)v;
		} else if (action_of(*tc->words) != NR(actions)) {
			char what[64];

			snprintf(what, sizeof(what), "'do' before '%s'", *tc->words);
			tc_missing(tc, what);
		} else {
			tc_usage(tc, *tc->words, "cannot be part of a condition; write TERM, element, nth or rate, then do");
		}
	}
	if (t->nth && t->rate)
		tc_usage(tc, "rate", "cannot be combined with nth; give one of them");
	if (!todo)
		tc_missing(tc, "'do' and what to do");
	action(tc, t);
	while (tc->nr) {
		if (word(tc, "after")) {
			after(tc, t);
		} else if (word(tc, "stream")) {
			s = tc_next(tc, "the NAME of a stream");
			if (strlen(s) >= sizeof(t->stream))
				tc_usage(tc, s, "is too long for the name of a stream");
			strcpy(t->stream, s);
		} else if (word(tc, "again")) {
			t->rearm = true;
		} else {
			tc_usage(tc, *tc->words, "cannot be part of an action; write after, stream or again");
		}
	}
	if ((t->events || t->time) && t->action != DEVTRACE_ACTION_STOP &&
	    t->action != DEVTRACE_ACTION_FREEZE)
		tc_usage(tc, "after", "is for stop and freeze");
	if (*t->stream && t->action == DEVTRACE_ACTION_NOTIFY)
		tc_usage(tc, "stream", "cannot be used with notify, which concerns no stream");
}

static int add(struct tc *tc, const char *name)
{
	struct devtrace_ctl_trigger t;

	if (devtrace_ctl_trigger_init(&t, name))
		tc_usage(tc, name, "is too long: at most 31 bytes");
	if (tc->stream) {
		if (strlen(tc->stream) >= sizeof(t.stream))
			tc_usage(tc, tc->stream, "is too long for the name of a stream");
		strcpy(t.stream, tc->stream);
	}
	parse(tc, &t);
	tc_open(tc);
	/* If the error is about the trigger's stream, name the stream in the message. */
	if (devtrace_ctl_trigger_new(tc->ctl, &t))
		return tc_fail(tc, strstr(devtrace_ctl_error(tc->ctl), "stream is not known") ?
			       t.stream : name);
	tc_note(tc);
	tc_note_terms(tc, &t.when);
	return 0;
}

struct list {
	struct tc *tc;
	unsigned int nr;
};

static int list_one(const struct devtrace_ctl_trigger *t, void *arg)
{
	struct list *l = arg;
	struct out *o = &l->tc->out;

	if (l->tc->json) {
		out_str(o, l->nr++ ? ",{" : "{");
		tc_json_trigger(o, t);
		out_char(o, '}');
		return 0;
	}
	tc_safe(o, t->name);
	OUT_LIT(o, ": ");
	tc_put_trigger(o, t);
	OUT_LIT(o, "\n\t");
	out_str(o, t->armed ? "armed" : "not armed");
	OUT_LIT(o, ", met by ");
	out_u64(o, t->seen);
	OUT_LIT(o, ", fired ");
	out_u64(o, t->fired);
	if (t->fired) {
		OUT_LIT(o, ", last at ");
		tc_put_ns(o, t->fired_at);
	}
	out_char(o, '\n');
	return 0;
}

static int list(struct tc *tc)
{
	struct list l = { .tc = tc };

	tc_begin(tc);
	if (tc->json)
		OUT_LIT(&tc->out, "{\"triggers\":[");
	if (devtrace_ctl_triggers(tc->ctl, list_one, &l)) {
		tc->out.len = 0;
		return tc_fail(tc, NULL);
	}
	if (tc->json)
		OUT_LIT(&tc->out, "]}\n");
	return 0;
}

int tc_trigger(struct tc *tc)
{
	static const char *const commands[] = {
		"trigger list", "trigger add", "trigger arm", "trigger disarm", "trigger del",
	};
	size_t i = tc_second(tc, commands, NR(commands),
			     "is not a trigger command; the commands are: list add arm disarm del");
	const char *name;
	int ret;

	if (i == 0)
		return list(tc);
	name = tc_next(tc, "the NAME of a trigger");
	if (i == 1)
		return add(tc, name);
	tc_begin(tc);
	ret = i == 4 ? devtrace_ctl_trigger_del(tc->ctl, name) :
		       devtrace_ctl_trigger_arm(tc->ctl, name, i == 2);
	return ret ? tc_fail(tc, name) : 0;
}
