// SPDX-License-Identifier: GPL-2.0-only
/*
 * print.c - output of several commands: JSON members, tables, streams, triggers
 */
#include <stdlib.h>
#include "tracectl.h"

void tc_json_str(struct out *o, const char *key, const char *value)
{
	out_str(o, key);
	out_json(o, value, strlen(value));
}

void tc_json_num(struct out *o, const char *key, uint64_t value)
{
	out_str(o, key);
	out_u64(o, value);
}

void tc_json_bool(struct out *o, const char *key, bool value)
{
	out_str(o, key);
	out_str(o, value ? "true" : "false");
}

void tc_safe(struct out *o, const char *s)
{
	out_safe(o, s, strlen(s));
}

void tc_put_size(struct out *o, uint64_t bytes)
{
	static const char units[] = "KMG";
	int unit = -1;

	while (unit < 2 && bytes && !(bytes % 1024)) {
		bytes /= 1024;
		unit++;
	}
	out_u64(o, bytes);
	if (unit >= 0)
		out_char(o, units[unit]);
}

/* Print as seconds, without trailing zeros. */
void tc_put_ns(struct out *o, uint64_t ns)
{
	unsigned int digits = 9;

	while (digits && !(ns % 10)) {
		ns /= 10;
		digits--;
	}
	out_scaled(o, (int64_t)ns, digits);
	OUT_LIT(o, "s");
}

void tc_cells(struct out *o, const uint64_t *n, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		out_char(o, '\t');
		out_u64(o, n[i]);
	}
}

void tc_list_begin(struct tc_list *l, struct tc *tc, const char *key, const char *head,
		   const char *align)
{
	*l = (struct tc_list){ .tc = tc, .align = align };
	out_init(&l->rows, -1);
	out_str(tc->json ? &tc->out : &l->rows, tc->json ? key : head);
}

struct out *tc_list_next(struct tc_list *l)
{
	const bool first = !l->nr++;

	if (l->tc->json) {
		out_str(&l->tc->out, first ? "{" : "},{");
		return &l->tc->out;
	}
	if (!first)
		out_char(&l->rows, '\n');
	return &l->rows;
}

int tc_list_end(struct tc_list *l, int ret, const char *name)
{
	struct out *o = &l->tc->out;

	if (l->nr)
		out_char(l->tc->json ? o : &l->rows, l->tc->json ? '}' : '\n');
	if (ret)
		o->len = 0;
	else if (l->tc->json)
		OUT_LIT(o, "]}\n");
	else
		tc_table(o, &l->rows, l->align);
	out_free(&l->rows);
	return ret ? tc_fail(l->tc, name) : 0;
}

static const char *state_name(uint32_t state)
{
	static const char *const names[] = {
		[DEVTRACE_STATE_RUNNING] = "running", [DEVTRACE_STATE_STOPPED] = "stopped",
		[DEVTRACE_STATE_FROZEN] = "frozen",
	};

	return state < NR(names) ? names[state] : "?";
}

void tc_put_state(struct out *o, const struct devtrace_ctl_stream *s)
{
	out_str(o, state_name(s->state));
	if (!*s->reason)
		return;
	OUT_LIT(o, " by trigger ");
	tc_safe(o, s->reason);
}

void tc_json_stream(struct out *o, const struct devtrace_ctl_stream *s)
{
	tc_json_str(o, "\"stream\":", s->name);
	tc_json_num(o, ",\"id\":", s->id);
	tc_json_num(o, ",\"size\":", s->size);
	tc_json_num(o, ",\"used\":", s->used);
	tc_json_str(o, ",\"state\":", state_name(s->state));
	if (*s->reason)
		tc_json_str(o, ",\"trigger\":", s->reason);
	else
		OUT_LIT(o, ",\"trigger\":null");
	tc_json_num(o, ",\"since\":", s->since);
	tc_json_num(o, ",\"watermark\":", s->watermark);
	tc_json_num(o, ",\"mode\":", s->mode);
	tc_json_num(o, ",\"generation\":", s->generation);
}

static const char *const actions[] = {
	[DEVTRACE_ACTION_NOTIFY] = "notify", [DEVTRACE_ACTION_START] = "start",
	[DEVTRACE_ACTION_STOP] = "stop", [DEVTRACE_ACTION_FREEZE] = "freeze",
	[DEVTRACE_ACTION_FILTER] = "filter", [DEVTRACE_ACTION_RESTORE] = "restore",
};

static const char *const compares[] = {
	[DEVTRACE_CMP_EQ] = "==", [DEVTRACE_CMP_NE] = "!=", [DEVTRACE_CMP_LT] = "<",
	[DEVTRACE_CMP_LE] = "<=", [DEVTRACE_CMP_GT] = ">", [DEVTRACE_CMP_GE] = ">=",
};

static const char *word(const char *const *words, size_t nr, uint32_t n)
{
	return n < nr ? words[n] : "?";
}

void tc_put_trigger(struct out *o, const struct devtrace_ctl_trigger *t)
{
	const struct devtrace_ctl_element *e = &t->element;

	OUT_LIT(o, "when ");
	tc_put_terms(o, &t->when, ' ');
	if (e->given) {
		OUT_LIT(o, " element ");
		out_u64(o, e->index);
		if (e->mask && e->mask != UINT64_MAX) {
			OUT_LIT(o, " mask ");
			out_hex(o, e->mask, 1);
		}
		out_char(o, ' ');
		out_str(o, word(compares, NR(compares), e->compare));
		out_char(o, ' ');
		if (e->is_string)
			out_quoted(o, e->string, strlen(e->string));
		else
			out_i64(o, e->value);
	}
	if (t->nth > 1) {
		OUT_LIT(o, " nth ");
		out_u64(o, t->nth);
	}
	if (t->rate) {
		OUT_LIT(o, " rate ");
		out_u64(o, t->rate);
		OUT_LIT(o, "/s");
	}
	OUT_LIT(o, " do ");
	out_str(o, word(actions, NR(actions), t->action));
	if (t->action == DEVTRACE_ACTION_FILTER) {
		out_char(o, ' ');
		tc_put_terms(o, &t->filter, ' ');
	}
	if (t->events) {
		OUT_LIT(o, " after ");
		out_u64(o, t->events);
		OUT_LIT(o, " events");
	}
	if (t->time) {
		OUT_LIT(o, " after ");
		if (t->time % 1000000) {
			out_u64(o, t->time);
			OUT_LIT(o, " ns");
		} else {
			out_u64(o, t->time / 1000000);
			OUT_LIT(o, " ms");
		}
	}
	if (*t->stream && strcmp(t->stream, DEVTRACE_STREAM0)) {
		OUT_LIT(o, " stream ");
		tc_safe(o, t->stream);
	}
	if (t->rearm)
		OUT_LIT(o, " again");
}

void tc_json_trigger(struct out *o, const struct devtrace_ctl_trigger *t)
{
	const struct devtrace_ctl_element *e = &t->element;

	tc_json_str(o, "\"trigger\":", t->name);
	tc_json_filter(o, ",\"when\":", &t->when);
	OUT_LIT(o, ",\"element\":");
	if (e->given) {
		tc_json_num(o, "{\"index\":", e->index);
		tc_json_str(o, ",\"compare\":", word(compares, NR(compares), e->compare));
		OUT_LIT(o, ",\"value\":");
		if (e->is_string)
			out_json(o, e->string, strlen(e->string));
		else
			out_i64(o, e->value);
		tc_json_num(o, ",\"mask\":", e->mask ? e->mask : UINT64_MAX);
		out_char(o, '}');
	} else {
		OUT_LIT(o, "null");
	}
	tc_json_num(o, ",\"nth\":", t->nth ? t->nth : 1);
	tc_json_num(o, ",\"rate\":", t->rate);
	tc_json_str(o, ",\"action\":", word(actions, NR(actions), t->action));
	tc_json_str(o, ",\"stream\":", *t->stream ? t->stream : DEVTRACE_STREAM0);
	tc_json_num(o, ",\"events\":", t->events);
	tc_json_num(o, ",\"time\":", t->time);
	if (t->action == DEVTRACE_ACTION_FILTER)
		tc_json_filter(o, ",\"filter\":", &t->filter);
	else
		OUT_LIT(o, ",\"filter\":null");
	tc_json_bool(o, ",\"again\":", t->rearm);
	tc_json_bool(o, ",\"armed\":", t->armed);
	tc_json_num(o, ",\"fired\":", t->fired);
	tc_json_num(o, ",\"fired_at\":", t->fired_at);
	tc_json_num(o, ",\"seen\":", t->seen);
}
