// SPDX-License-Identifier: GPL-2.0-only
/*
 * args.c - the elements of an event as named values
 *
 * The values are those of traceinfo --json. If the event's description has no name for an element,
 * the name is its position and type, such as "2:U32".
 */
#include <math.h>
#include "args.h"
#include "fmtlang/value.h"

static void args_number(struct ti_arg *a, const struct fmt_value *v, unsigned int scale)
{
	const bool is_signed = fmt_elem_bit(&v->e) & FMT_M_SINT;

	if (scale) {
		a->kind = TI_ARG_DOUBLE;
		a->v.f = fmt_value_scaled(&v->e, scale);
	} else if (is_signed) {
		a->kind = TI_ARG_INT;
		a->v.i = fmt_value_signed(&v->e);
	} else {
		a->kind = TI_ARG_UINT;
		a->v.u = fmt_value_unsigned(&v->e);
	}
}

/* Write a value that is not a number as text to @o. */
static void args_words(struct ti_arg *a, struct out *o, const struct fmt_value *v,
		       const struct fmt_table *table, const struct fmt_names *names)
{
	const uint32_t bit = fmt_elem_bit(&v->e);

	a->kind = TI_ARG_STR;
	o->len = 0;
	o->raw = true;
	if (!table && bit == FMT_BIT(DEVTRACE_E_STR)) {
		a->str = (const char *)v->e.v.mem.p;
		a->len = v->e.v.mem.len;
		return;
	}
	if (table)
		fmt_value_table(o, &v->e, table);
	else if (bit == FMT_BIT(DEVTRACE_E_MEM))
		fmt_value_hex(o, v, SIZE_MAX);
	else
		fmt_value_print(o, v, false, names);
	a->str = o->buf;
	a->len = o->len;
}

static void args_value(struct ti_arg *a, struct out *o, const struct fmt_value *v,
		       const struct fmt_arg *arg, const struct fmt_names *names)
{
	const uint32_t bit = fmt_elem_bit(&v->e);
	const struct fmt_table *table = arg ? arg->table : NULL;

	if (!table && (bit & (FMT_M_SINT | FMT_M_UINT))) {
		args_number(a, v, arg ? arg->scale : 0);
	} else if (!table && (bit & FMT_M_FLOAT) && isfinite(v->e.v.f)) {
		a->kind = TI_ARG_DOUBLE;
		a->v.f = out_double_printed(v->e.v.f, v->e.type == DEVTRACE_E_F32);
	} else {
		args_words(a, o, v, table, names);
		a->is_float = !table && (bit & FMT_M_FLOAT);
		if (a->is_float)
			a->v.f = v->e.v.f;
	}
}

#define ARGS_PLACE_MAX	32	/* "4000:ENUM" */

static size_t args_place(char name[ARGS_PLACE_MAX], unsigned int nr, const char *type)
{
	char digits[12];
	size_t n = 0, len = 0;

	do
		digits[n++] = (char)('0' + nr % 10);
	while (nr /= 10);
	while (n)
		name[len++] = digits[--n];
	name[len++] = ':';
	while (*type && len < ARGS_PLACE_MAX)
		name[len++] = *type++;
	return len;
}

static void log_word(ti_arg_fn *fn, void *ctx, const char *name, const char *s)
{
	const struct ti_arg a = {
		.name = name, .name_len = strlen(name), .kind = TI_ARG_STR, .str = s,
		.len = strlen(s), .is_statement = true,
	};

	fn(ctx, &a);
}

static void log_number(ti_arg_fn *fn, void *ctx, const char *name, uint64_t v)
{
	const struct ti_arg a = {
		.name = name, .name_len = strlen(name), .kind = TI_ARG_UINT, .v.u = v,
		.is_statement = true,
	};

	fn(ctx, &a);
}

/* Add the statement that emitted a LOG event. */
static void log_args(const struct fmt_log *l, ti_arg_fn *fn, void *ctx)
{
	const struct log_site *s = l->site;

	if (s) {
		log_word(fn, ctx, "level", log_level_name(s->level));
		log_word(fn, ctx, "file", s->file);
		log_number(fn, ctx, "line", s->line);
		if (*s->function)
			log_word(fn, ctx, "function", s->function);
	}
	if (l->id)
		log_word(fn, ctx, "image", l->id);
	else
		log_number(fn, ctx, "image", l->image);
	log_number(fn, ctx, "site", l->index);
}

void ti_args(const struct ti_event *e, ti_arg_fn *fn, void *ctx)
{
	const struct devtrace_event *ev = e->ev;
	unsigned int nr = 0;
	struct fmt_value v;
	struct fmt_fit fit;
	char name[ARGS_PLACE_MAX];
	struct out o;
	size_t pos = 0;
	int ret;

	out_init(&o, -1);
	if (fmt_fit(&fit, e->entry, ev->data, ev->len)) {
		for (; nr < e->entry->nargs; nr++) {
			const struct fmt_arg *arg = &e->entry->args[nr];
			struct ti_arg a = {
				.name = arg->name, .name_len = arg->name_len,
				.unit = arg->unit, .unit_len = arg->unit_len,
			};

			args_value(&a, &o, &fit.values[nr], arg, &e->dict.names);
			fn(ctx, &a);
		}
		pos = fit.end;
	} else if (e->log.is_log) {
		pos = e->log.args;
	}
	while ((ret = fmt_value_next(ev->data, ev->len, &pos, &v)) == 1) {
		struct ti_arg a = { .name = name };

		a.name_len = args_place(name, ++nr, fmt_elem_name(&v.e));
		args_value(&a, &o, &v, NULL, &e->dict.names);
		fn(ctx, &a);
	}
	if (ret < 0) {
		struct ti_arg a = { .name = "broken", .name_len = 6, .kind = TI_ARG_STR };
		static const char hex[] = "0123456789abcdef";

		for (o.len = 0; pos < ev->len; pos++) {
			out_char(&o, hex[ev->data[pos] >> 4]);
			out_char(&o, hex[ev->data[pos] & 15]);
		}
		a.str = o.buf;
		a.len = o.len;
		fn(ctx, &a);
	}
	if (e->log.is_log)
		log_args(&e->log, fn, ctx);
	out_free(&o);
}

const char *ti_args_name(struct out *o, const struct ti_event *e)
{
	o->len = 0;
	o->raw = true;
	ti_event_name(o, e);
	out_char(o, 0);
	return o->err ? "" : o->buf;
}

const char *ti_args_text(struct out *o, const struct ti_event *e)
{
	struct devtrace_elem text;

	o->len = 0;
	o->raw = false;
	if (ti_event_line(e, &text))
		out_mem(o, text.v.mem.p, text.v.mem.len);
	else if (e->log.is_log)
		fmt_log_text(o, &e->log, e->ev, &e->dict.names);
	else
		fmt_print(o, e->entry, e->ev->data, e->ev->len, &e->dict.names);
	out_char(o, 0);
	return o->err ? "" : o->buf;
}
