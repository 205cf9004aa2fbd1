// SPDX-License-Identifier: GPL-2.0-only
/*
 * args.c - collect the elements of an event as fields
 *
 * A field's name is an identifier of C, as CTF demands, and unique in its event: other characters
 * become underscores, and a second field of the same name gets a number.
 */
#include <stdio.h>
#include "plugin.h"

static bool args_has(const struct plugin_args *a, const char *name)
{
	unsigned int i;

	for (i = 0; i < a->n; i++)
		if (!strcmp(a->v[i].name, name))
			return true;
	return false;
}

static bool args_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Add a field and return it; NULL: the event has too many. */
static struct plugin_arg *args_add(struct plugin_args *a, const char *name, size_t len)
{
	char base[PLUGIN_NAME_MAX - 4];
	struct plugin_arg *v = &a->v[a->n];
	size_t n = 0;

	if (a->n == PLUGIN_ARGS_MAX)
		return NULL;
	/* If an element has no name, traceinfo/args.c gives it a name such as 2:U32. */
	if (!len || (*name >= '0' && *name <= '9'))
		n = (size_t)snprintf(base, sizeof(base), "arg");
	for (; len && n < sizeof(base) - 1; len--, name++)
		base[n++] = args_letter(*name) ? *name : '_';
	base[n] = 0;
	strcpy(v->name, base);
	for (n = 2; args_has(a, v->name); n++)
		snprintf(v->name, sizeof(v->name), "%s_%u", base, (unsigned int)n);
	a->n++;
	return v;
}

static void args_text(struct plugin_args *a, struct plugin_arg *v, const char *s, size_t len)
{
	v->kind = TI_ARG_STR;
	v->v.at = a->text.len;
	out_mem(&a->text, s, strnlen(s, len));
	out_char(&a->text, 0);
}

static void args_one(void *ctx, const struct ti_arg *arg)
{
	struct plugin_args *a = ctx;
	struct plugin_arg *v = args_add(a, arg->name, arg->name_len);

	if (!v)
		return;
	v->kind = arg->kind;
	switch (arg->kind) {
	case TI_ARG_INT:
		v->v.i = arg->v.i;
		break;
	case TI_ARG_UINT:
		v->v.u = arg->v.u;
		break;
	case TI_ARG_DOUBLE:
		v->v.f = arg->v.f;
		break;
	case TI_ARG_STR:
		args_text(a, v, arg->len ? arg->str : "", arg->len);
		break;
	}
}

void plugin_arg_int(struct plugin_args *a, const char *name, int64_t value)
{
	struct plugin_arg *v = args_add(a, name, strlen(name));

	if (v) {
		v->kind = TI_ARG_INT;
		v->v.i = value;
	}
}

void plugin_arg_str(struct plugin_args *a, const char *name, const char *value, size_t len)
{
	struct plugin_arg *v = args_add(a, name, strlen(name));

	if (v)
		args_text(a, v, value, len);
}

void plugin_args(struct plugin_args *a, const struct ti_event *e)
{
	struct devtrace_elem text;
	struct out words;

	a->n = 0;
	a->text.len = 0;
	if (ti_event_line(e, &text))
		plugin_arg_str(a, "text", (const char *)text.v.mem.p, text.v.mem.len);
	else
		ti_args(e, args_one, a);
	if (e->log.is_log) {
		out_init(&words, -1);
		ti_args_text(&words, e);
		if (!words.err)
			plugin_arg_str(a, "text", words.buf, words.len - 1);
		out_free(&words);
	}
}
