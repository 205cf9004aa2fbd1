// SPDX-License-Identifier: GPL-2.0-only
/*
 * value.c - print elements by their own types
 *
 * These functions print events that no format file describes; the conversions of a text use them,
 * too. They rely only on the checks of devtrace_elem_next().
 */
#include <math.h>
#include <stdlib.h>
#include "internal.h"
#include "value.h"

/* a buffer of more bytes is printed as a dump on lines of its own */
#define INLINE_MAX	32

int fmt_value_next(const uint8_t *data, size_t len, size_t *pos, struct fmt_value *v)
{
	int ret = devtrace_elem_next(data, len, pos, &v->e);
	struct devtrace_elem piece;
	size_t p;

	v->pieces = false;
	if (ret <= 0 || v->e.is_enum ||
	    (v->e.type != DEVTRACE_E_STR && v->e.type != DEVTRACE_E_MEM))
		return ret;
	v->total = v->e.v.mem.len;
	piece = v->e;
	while (piece.type == DEVTRACE_E_MEM && piece.width == DEVTRACE_E_MEM_MORE >> 4) {
		p = *pos;
		/* If the last pieces are missing, the buffer is shorter. */
		if (devtrace_elem_next(data, len, &p, &piece) != 1 || piece.is_enum ||
		    piece.type != DEVTRACE_E_MEM)
			break;
		*pos = p;
		v->total += piece.v.mem.len;
		v->pieces = true;
	}
	return 1;
}

/* Iterates over the pieces of a buffer. */
struct pieces {
	const uint8_t *p;
	size_t len, left;		/* left: bytes after this piece */
	const uint8_t *next;
};

static void pieces_first(struct pieces *it, const struct fmt_value *v)
{
	it->p = v->e.v.mem.p;
	it->len = v->e.v.mem.len;
	it->left = v->total - it->len;
	it->next = v->e.raw + v->e.size;
}

static bool pieces_next(struct pieces *it)
{
	if (!it->left)
		return false;
	/*
	 * A MEM element consists of a format byte, a length and the bytes. fmt_value_next() has
	 * checked the length.
	 */
	it->len = it->next[1];
	it->p = it->next + 2;
	it->next = it->p + it->len;
	it->left -= it->len;
	return true;
}

unsigned int fmt_value_bytes(const struct devtrace_elem *e)
{
	static const uint8_t bytes[16] = {
		[DEVTRACE_E_I8] = 1, [DEVTRACE_E_U8] = 1, [DEVTRACE_E_I16] = 2,
		[DEVTRACE_E_U16] = 2, [DEVTRACE_E_I32] = 4, [DEVTRACE_E_U32] = 4,
		[DEVTRACE_E_X32] = 4, [DEVTRACE_E_I64] = 8, [DEVTRACE_E_U64] = 8,
		[DEVTRACE_E_OBJ] = 8, [DEVTRACE_E_FUN] = 8, [DEVTRACE_E_SIG] = 4,
	};

	return e->is_enum ? 1 : bytes[e->type];
}

double fmt_value_scaled(const struct devtrace_elem *e, unsigned int scale)
{
	static const struct out_spec plain = { .digits = OUT_NODIGITS };
	const bool negative = (fmt_elem_bit(e) & FMT_M_SINT) && fmt_value_signed(e) < 0;
	const uint64_t u = negative ? -(uint64_t)fmt_value_signed(e) : fmt_value_unsigned(e);
	double ten = 1, v = 0;
	struct out o;

	/* Up to 2^53 and 10^22 both doubles are exact, so the quotient is the nearest double. */
	if (u < 1ull << 53 && scale <= 22) {
		while (scale--)
			ten *= 10;
		return (negative ? -(double)u : (double)u) / ten;
	}
	out_init(&o, -1);
	out_int(&o, u, negative, 10, false, scale, &plain);
	out_char(&o, 0);
	if (!o.err)
		v = strtod(o.buf, NULL);
	out_free(&o);
	return v;
}

const char *fmt_elem_name(const struct devtrace_elem *e)
{
	static const char *const names[16] = {
		"I8", "U8", "I16", "U16", "I32", "U32", "F32", "F64",
		"STR", "MEM", "SIG", "OBJ", "FUN", "I64", "U64", "X32",
	};

	return e->is_enum ? "ENUM" : names[e->type & 15];
}

static const char *lookup(const struct fmt_names *names, uint8_t kind, uint32_t value,
			  uint8_t group, uint64_t key)
{
	return names ? names->name(names, kind, value, group, key) : NULL;
}

static const char *find_name(const struct devtrace_elem *e, const struct fmt_names *names)
{
	const char *s;

	if (e->is_enum)
		return lookup(names, DEVTRACE_T_ENUM, (uint32_t)e->v.u, e->width & 7, 0);
	switch (e->type) {
	case DEVTRACE_E_OBJ:
		return lookup(names, DEVTRACE_T_OBJ, 0, 0, e->v.u);
	case DEVTRACE_E_FUN:
		return lookup(names, DEVTRACE_T_FUN, 0, 0, e->v.u);
	case DEVTRACE_E_SIG:
		s = lookup(names, DEVTRACE_T_SIG, e->v.sig.sig, 0, e->v.sig.obj);
		return s ? s : lookup(names, DEVTRACE_T_SIG, e->v.sig.sig, 0, 0);
	}
	return NULL;
}

void fmt_value_name(struct out *o, const struct fmt_value *v, const struct fmt_names *names)
{
	const char *s = find_name(&v->e, names);

	if (s)
		out_safe(o, s, strlen(s));
	else if (v->e.is_enum)
		out_u64(o, v->e.v.u);
	else if (v->e.type == DEVTRACE_E_SIG)
		out_u64(o, v->e.v.sig.sig);
	else
		out_hex(o, v->e.v.u, 1);
	if (!v->e.is_enum && v->e.type == DEVTRACE_E_SIG && v->e.v.sig.obj) {
		s = lookup(names, DEVTRACE_T_OBJ, 0, 0, v->e.v.sig.obj);
		out_char(o, '@');
		if (s)
			out_safe(o, s, strlen(s));
		else
			out_hex(o, v->e.v.sig.obj, 1);
	}
}

void fmt_value_table(struct out *o, const struct devtrace_elem *e, const struct fmt_table *t)
{
	const struct fmt_label *l;
	uint64_t v, rest;
	bool any = false;

	if (!t->is_flags) {
		bool is_signed = !e->is_enum && (FMT_BIT(e->type) & FMT_M_SINT);

		v = is_signed ? (uint64_t)fmt_value_signed(e) : fmt_value_unsigned(e);
		l = fmt_enum_find(t, v);
		if (l)
			out_mem(o, l->name, l->len);
		else if (is_signed)
			out_i64(o, (int64_t)v);
		else
			out_u64(o, v);
		return;
	}
	v = fmt_value_unsigned(e);
	rest = v;
	for (l = t->labels; l; l = l->next) {
		if (!l->mask ? v : l->value ? (rest & l->mask) != l->value : v & l->mask)
			continue;
		if (any)
			out_char(o, '|');
		out_mem(o, l->name, l->len);
		any = true;
		rest &= ~l->mask;
	}
	if (rest || !any) {
		if (any)
			out_char(o, '|');
		if (rest)
			out_hex(o, rest, 1);
		else
			out_char(o, '0');
	}
}

/*
 * Return the size of the first @max characters in bytes. An invalid UTF-8 byte counts as a
 * character.
 */
static size_t first_characters(const uint8_t *p, size_t n, size_t max)
{
	size_t len = 0;

	if (n <= max)
		return n;
	while (len < n && max--) {
		size_t c = utf8_len(p + len, n - len);

		len += c ? c : 1;
	}
	return len;
}

void fmt_value_content(struct out *o, const struct fmt_value *v)
{
	struct pieces it;

	pieces_first(&it, v);
	do
		out_mem(o, it.p, it.len);
	while (pieces_next(&it));
}

void fmt_value_bytes_safe(struct out *o, const struct fmt_value *v, size_t max)
{
	struct pieces it;
	struct out all;

	pieces_first(&it, v);
	if (!v->pieces) {
		out_safe(o, it.p, first_characters(it.p, it.len, max));
		return;
	}
	/*
	 * Join the pieces before escaping: a character may begin in one piece and end in the next.
	 */
	out_init(&all, -1);
	fmt_value_content(&all, v);
	out_safe(o, all.buf, first_characters((const uint8_t *)all.buf, all.len, max));
	out_free(&all);
}

static void hex_byte(struct out *o, uint8_t c)
{
	static const char set[] = "0123456789abcdef";

	if (out_room(o, 2)) {
		o->buf[o->len++] = set[c >> 4];
		o->buf[o->len++] = set[c & 15];
	}
}

void fmt_value_hex(struct out *o, const struct fmt_value *v, size_t max)
{
	struct pieces it;
	bool first = true;
	size_t i;

	pieces_first(&it, v);
	do {
		for (i = 0; i < it.len && max; i++, max--) {
			if (!first)
				out_char(o, ' ');
			first = false;
			hex_byte(o, it.p[i]);
		}
	} while (pieces_next(&it));
}

static void dump_line(struct out *o, size_t offset, const uint8_t *p, unsigned int n)
{
	unsigned int i;

	OUT_LIT(o, "\n    ");
	hex_byte(o, offset >> 8);
	hex_byte(o, offset & 0xff);
	for (i = 0; i < 16; i++) {
		out_char(o, ' ');
		if (i == 8)
			out_char(o, ' ');
		if (i < n)
			hex_byte(o, p[i]);
		else
			OUT_LIT(o, "  ");
	}
	OUT_LIT(o, "  |");
	for (i = 0; i < n; i++)
		out_char(o, p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.');
	out_char(o, '|');
}

void fmt_value_dump(struct out *o, const struct fmt_value *v)
{
	uint8_t line[16];
	struct pieces it;
	unsigned int n = 0;
	size_t i, offset = 0;

	pieces_first(&it, v);
	do {
		for (i = 0; i < it.len; i++) {
			line[n++] = it.p[i];
			if (n == sizeof(line)) {
				dump_line(o, offset, line, n);
				offset += n;
				n = 0;
			}
		}
	} while (pieces_next(&it));
	if (n)
		dump_line(o, offset, line, n);
}

/* Print a number; its format byte has the width in the upper four bits. */
static void print_number(struct out *o, const struct devtrace_elem *e)
{
	struct out_spec s = { .width = e->width, .digits = OUT_NODIGITS };
	int64_t i;

	if (FMT_BIT(e->type) & FMT_M_SINT) {
		i = fmt_value_signed(e);
		if (!s.width)
			out_i64(o, i);
		else
			out_int(o, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0, 10, false, 0, &s);
	} else if (e->type == DEVTRACE_E_X32 || e->width == 0xf) {
		out_hex(o, fmt_value_unsigned(e), 1);
	} else if (!s.width) {
		out_u64(o, fmt_value_unsigned(e));
	} else {
		out_int(o, fmt_value_unsigned(e), false, 10, false, 0, &s);
	}
}

/*
 * Should the number be printed with an exponent, as QS does? Yes if it is 1e15 or more, or if all
 * its digits would be zeros otherwise.
 */
static bool wants_exponent(double v, unsigned int digits)
{
	double least = 0.5;

	if (v < 0)
		v = -v;
	while (digits--)
		least /= 10;
	return v >= 1e15 || (v < least && v > 0);
}

static void print_float(struct out *o, const struct devtrace_elem *e)
{
	struct out_spec s = { .digits = e->width };

	/* If the width is 0, print as many digits as the value needs. */
	if (!e->width)
		out_double_short(o, e->v.f, e->type == DEVTRACE_E_F32);
	else
		out_double(o, e->v.f, wants_exponent(e->v.f, e->width) ? 'e' : 'f', &s);
}

void fmt_value_print(struct out *o, const struct fmt_value *v, bool quote,
		     const struct fmt_names *names)
{
	const struct devtrace_elem *e = &v->e;
	struct pieces it;

	if (e->is_enum) {
		fmt_value_name(o, v, names);
		return;
	}
	switch (e->type) {
	case DEVTRACE_E_F32:
	case DEVTRACE_E_F64:
		print_float(o, e);
		break;
	case DEVTRACE_E_STR:
		pieces_first(&it, v);
		if (quote)
			out_quoted(o, it.p, it.len);
		else
			out_safe(o, it.p, it.len);
		break;
	case DEVTRACE_E_MEM:
		if (v->total > INLINE_MAX) {
			out_char(o, '[');
			out_u64(o, v->total);
			OUT_LIT(o, " bytes]");
			fmt_value_dump(o, v);
		} else {
			out_char(o, '[');
			fmt_value_hex(o, v, SIZE_MAX);
			out_char(o, ']');
		}
		break;
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
	case DEVTRACE_E_SIG:
		fmt_value_name(o, v, names);
		break;
	default:
		print_number(o, e);
	}
}

void fmt_value_json(struct out *o, const struct fmt_value *v, const struct fmt_names *names)
{
	const struct devtrace_elem *e = &v->e;
	struct out tmp;
	uint32_t bit = fmt_elem_bit(e);

	if (bit & FMT_M_SINT) {
		out_i64(o, fmt_value_signed(e));
	} else if (bit & FMT_M_UINT) {
		out_u64(o, fmt_value_unsigned(e));
	} else if ((bit & FMT_M_FLOAT) && isfinite(e->v.f)) {
		out_double_short(o, e->v.f, e->type == DEVTRACE_E_F32);
	} else if (bit == FMT_BIT(DEVTRACE_E_STR)) {
		out_json(o, e->v.mem.p, e->v.mem.len);
	} else if (bit == FMT_BIT(DEVTRACE_E_MEM)) {
		out_char(o, '"');
		fmt_value_hex(o, v, SIZE_MAX);
		out_char(o, '"');
	} else {
		out_init(&tmp, -1);
		tmp.raw = true;
		fmt_value_print(&tmp, v, false, names);
		out_json(o, tmp.buf, tmp.len);
		out_free(&tmp);
	}
}
