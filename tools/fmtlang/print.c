// SPDX-License-Identifier: GPL-2.0-only
/*
 * print.c - execute a description's program for the elements of an event
 *
 * Before anything is printed, the types of all elements are compared with the types that the
 * arguments accept. If an element does not fit, all elements are printed by their own types
 * instead, and the line says why.
 */
#include <math.h>
#include "internal.h"
#include "value.h"

static void take_args(struct fmt_fit *fit, const struct fmt_entry *entry, const uint8_t *data,
		      size_t len)
{
	unsigned int i;

	fit->end = 0;
	fit->bad = -1;
	for (i = 0; i < entry->nargs; i++) {
		struct fmt_value *v = &fit->values[i];
		int ret = fmt_value_next(data, len, &fit->end, v);

		if (ret == 1 && (fmt_elem_bit(&v->e) & entry->args[i].accept))
			continue;
		fit->bad = i;
		fit->state = ret;
		return;
	}
}

bool fmt_fit(struct fmt_fit *fit, const struct fmt_entry *entry, const uint8_t *data, size_t len)
{
	fit->bad = 0;
	fit->end = 0;
	if (entry && entry->declared)
		take_args(fit, entry, data, len);
	return fit->bad < 0;
}

static bool print_types(struct out *o, const uint8_t *data, size_t len, size_t pos,
			const struct fmt_names *names)
{
	struct fmt_value v;
	bool any = false;
	int ret;

	while ((ret = fmt_value_next(data, len, &pos, &v)) == 1) {
		if (any)
			out_char(o, ' ');
		fmt_value_print(o, &v, true, names);
		any = true;
	}
	if (ret < 0) {
		if (any)
			out_char(o, ' ');
		out_char(o, '<');
		out_u64(o, len - pos);
		OUT_LIT(o, " bytes that are not an element:");
		for (; pos < len; pos++) {
			static const char set[] = "0123456789abcdef";

			out_char(o, ' ');
			out_char(o, set[data[pos] >> 4]);
			out_char(o, set[data[pos] & 15]);
		}
		out_char(o, '>');
		any = true;
	}
	return any;
}

static void print_misfit(struct out *o, const struct fmt_entry *entry, const struct fmt_fit *fit)
{
	const struct fmt_arg *a = &entry->args[fit->bad];
	unsigned int line, column;

	fmt_locate(&entry->place, &line, &column);
	out_char(o, '{');
	out_str(o, entry->place.file->path);
	out_char(o, ':');
	out_u64(o, line);
	OUT_LIT(o, ": argument ");
	out_u64(o, fit->bad + 1);
	if (a->name) {
		OUT_LIT(o, " '");
		out_str(o, a->name);
		out_char(o, '\'');
	}
	if (fit->state < 0) {
		OUT_LIT(o, " is not a whole element");
	} else if (!fit->state) {
		OUT_LIT(o, " is missing");
	} else {
		OUT_LIT(o, " is ");
		out_str(o, fmt_elem_name(&fit->values[fit->bad].e));
		if (a->type) {
			OUT_LIT(o, ", not ");
			out_str(o, a->type);
		}
	}
	out_char(o, '}');
}

static void print_integer(struct out *o, const struct fmt_op *op, const struct fmt_arg *a,
			  const struct devtrace_elem *e)
{
	int64_t i;
	uint64_t u;

	switch (op->conv) {
	case 'd':
	case 'f':
		i = fmt_value_signed(e);
		/* If a divisor is declared for an unsigned value, the value stays unsigned. */
		if (op->conv == 'f' && !(fmt_elem_bit(e) & FMT_M_SINT))
			out_int(o, fmt_value_unsigned(e), false, 10, false, a->scale, &op->spec);
		else if (op->plain && op->conv == 'd')
			out_i64(o, i);
		else
			out_int(o, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0, 10, false,
				op->conv == 'f' ? a->scale : 0, &op->spec);
		return;
	case 'p':
		out_hex(o, fmt_value_unsigned(e), fmt_value_bytes(e) * 2);
		return;
	}
	u = fmt_value_unsigned(e);
	if (op->conv == 'u' && op->plain)
		out_u64(o, u);
	else
		out_int(o, u, false, op->conv == 'u' ? 10 : op->conv == 'o' ? 8 :
			op->conv == 'b' ? 2 : 16, op->conv == 'X', 0, &op->spec);
}

static void print_natural(struct out *o, const struct fmt_op *op, const struct fmt_arg *a,
			  const struct fmt_value *v, const struct fmt_names *names)
{
	uint32_t bit = fmt_elem_bit(&v->e);

	if (op->table) {
		fmt_value_table(o, &v->e, op->table);
	} else if (!a->scale && !v->e.width && (bit & FMT_M_SINT)) {
		out_i64(o, v->e.v.i);		/* the most frequent case */
	} else if (a->scale && (bit & (FMT_M_SINT | FMT_M_UINT))) {
		struct fmt_op f = *op;

		f.conv = 'f';
		print_integer(o, &f, a, &v->e);
	} else {
		fmt_value_print(o, v, op->quote, names);
	}
	out_mem(o, a->unit, a->unit_len);
}

static void print_char(struct out *o, const struct devtrace_elem *e)
{
	uint64_t c = fmt_value_unsigned(e);
	uint8_t utf8[4];
	size_t n = 0;

	if (c < 0x80) {
		utf8[n++] = c;
	} else if (c < 0x100 && fmt_value_bytes(e) == 1) {
		utf8[n++] = c;			/* a byte, printed as \xHH */
	} else if (c < 0x800) {
		utf8[n++] = 0xc0 | c >> 6;
		utf8[n++] = 0x80 | (c & 63);
	} else if (c < 0x10000) {
		utf8[n++] = 0xe0 | c >> 12;
		utf8[n++] = 0x80 | (c >> 6 & 63);
		utf8[n++] = 0x80 | (c & 63);
	} else if (c < 0x110000) {
		utf8[n++] = 0xf0 | c >> 18;
		utf8[n++] = 0x80 | (c >> 12 & 63);
		utf8[n++] = 0x80 | (c >> 6 & 63);
		utf8[n++] = 0x80 | (c & 63);
	} else {
		out_hex(o, c, 1);
	}
	out_safe(o, utf8, n);
}

/* Return how many bytes of a buffer a conversion prints at most. */
static size_t limit(const struct fmt_op *op, const struct fmt_fit *fit)
{
	const struct devtrace_elem *e;

	if (!op->limit)
		return SIZE_MAX;
	e = &fit->values[op->limit - 1].e;
	return (fmt_elem_bit(e) & FMT_M_SINT) && e->v.i < 0 ? 0 : fmt_value_unsigned(e);
}

static void print_conv(struct out *o, const struct fmt_op *op, const struct fmt_entry *entry,
		       const struct fmt_fit *fit, const struct fmt_names *names)
{
	const struct fmt_arg *a = &entry->args[op->arg];
	const struct fmt_value *v = &fit->values[op->arg];

	switch (op->conv) {
	case 'c':
		print_char(o, &v->e);
		break;
	case '{':
		fmt_value_table(o, &v->e, op->table);
		break;
	case 's':
		if (op->table)
			fmt_value_table(o, &v->e, op->table);
		else if (fmt_elem_bit(&v->e) & FMT_M_BYTES)
			fmt_value_bytes_safe(o, v, op->spec.digits == OUT_NODIGITS ?
					     SIZE_MAX : op->spec.digits);
		else
			fmt_value_name(o, v, names);
		break;
	case 'h':
		fmt_value_hex(o, v, limit(op, fit));
		break;
	case 'H':
		fmt_value_dump(o, v);
		break;
	case 'e':
	case 'f':
	case 'g':
		if (fmt_elem_bit(&v->e) & FMT_M_FLOAT)
			out_double(o, v->e.v.f, op->conv, &op->spec);
		else
			print_integer(o, op, a, &v->e);
		break;
	case 'v':
		print_natural(o, op, a, v, names);
		break;
	default:
		print_integer(o, op, a, &v->e);
	}
}

static size_t columns(const char *s, size_t n)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += (s[i] & 0xc0) != 0x80;
	return count;
}

/* Print with padding, for a conversion that does not handle the width itself. */
static void print_padded(struct out *o, const struct fmt_op *op, const struct fmt_entry *entry,
			 const struct fmt_fit *fit, const struct fmt_names *names)
{
	struct fmt_op inner = *op;
	struct out tmp;
	size_t n;

	inner.spec.width = 0;
	out_init(&tmp, -1);
	print_conv(&tmp, &inner, entry, fit, names);
	n = tmp.len ? columns(tmp.buf, tmp.len) : 0;
	n = n < op->spec.width ? op->spec.width - n : 0;
	if (!op->spec.left)
		out_fill(o, ' ', n);
	out_mem(o, tmp.buf, tmp.len);
	if (op->spec.left)
		out_fill(o, ' ', n);
	out_free(&tmp);
}

static void run(struct out *o, const struct fmt_entry *entry, const struct fmt_fit *fit,
		const struct fmt_names *names)
{
	const struct fmt_op *op = entry->ops, *end = op + entry->nops;

	for (; op < end; op++) {
		if (!op->conv)
			out_mem(o, op->text, op->len);
		else if (op->spec.width && strchr("cs{hvp", op->conv))
			print_padded(o, op, entry, fit, names);
		else
			print_conv(o, op, entry, fit, names);
	}
}

void fmt_print(struct out *o, const struct fmt_entry *entry, const uint8_t *data,
	       size_t len, const struct fmt_names *names)
{
	struct fmt_fit fit;

	if (!entry || !entry->ops) {
		print_types(o, data, len, 0, names);
		return;
	}
	take_args(&fit, entry, data, len);
	if (fit.bad >= 0) {
		if (print_types(o, data, len, 0, names))
			out_char(o, ' ');
		print_misfit(o, entry, &fit);
		return;
	}
	run(o, entry, &fit, names);
	if (fit.end < len) {
		OUT_LIT(o, " [+ ");
		print_types(o, data, len, fit.end, names);
		out_char(o, ']');
	}
}

static void json_arg(struct out *o, const struct fmt_arg *a, const struct fmt_value *v,
		     const struct fmt_names *names)
{
	bool is_int = fmt_elem_bit(&v->e) & (FMT_M_SINT | FMT_M_UINT);
	static const struct out_spec plain = { .digits = OUT_NODIGITS };
	const struct fmt_op f = { .conv = 'f', .spec = plain };
	struct out tmp;

	if (a->table) {
		out_init(&tmp, -1);
		fmt_value_table(&tmp, &v->e, a->table);
		out_json(o, tmp.buf, tmp.len);
		out_free(&tmp);
	} else if (a->scale && is_int) {
		print_integer(o, &f, a, &v->e);
	} else {
		fmt_value_json(o, v, names);
	}
}

/* Print the elements from offset @pos on as a JSON array, because they have no names. */
void fmt_json_elements(struct out *o, const char *key, const uint8_t *data, size_t len,
		       size_t pos, const struct fmt_names *names)
{
	struct fmt_value v;
	bool comma = false;
	int ret;

	out_str(o, key);
	while ((ret = fmt_value_next(data, len, &pos, &v)) == 1) {
		out_str(o, comma ? ",{\"" : "{\"");
		comma = true;
		out_str(o, fmt_elem_name(&v.e));
		OUT_LIT(o, "\":");
		fmt_value_json(o, &v, names);
		out_char(o, '}');
	}
	OUT_LIT(o, "],");
	if (ret < 0) {
		OUT_LIT(o, "\"broken\":[");
		for (comma = false; pos < len; pos++, comma = true) {
			if (comma)
				out_char(o, ',');
			out_u64(o, data[pos]);
		}
		OUT_LIT(o, "],");
	}
}

void fmt_print_json(struct out *o, const struct fmt_entry *entry, const uint8_t *data,
		    size_t len, const struct fmt_names *names)
{
	struct out text;
	struct fmt_fit fit;
	unsigned int i;

	if (fmt_fit(&fit, entry, data, len)) {
		OUT_LIT(o, "\"args\":{");
		for (i = 0; i < entry->nargs; i++) {
			if (i)
				out_char(o, ',');
			out_json(o, entry->args[i].name, entry->args[i].name_len);
			out_char(o, ':');
			json_arg(o, &entry->args[i], &fit.values[i], names);
		}
		OUT_LIT(o, "},");
		if (fit.end < len)
			fmt_json_elements(o, "\"more\":[", data, len, fit.end, names);
	} else {
		fmt_json_elements(o, "\"elements\":[", data, len, 0, names);
	}
	out_init(&text, -1);
	fmt_print(&text, entry, data, len, names);
	OUT_LIT(o, "\"text\":");
	out_json(o, text.buf, text.len);
	out_free(&text);
}
