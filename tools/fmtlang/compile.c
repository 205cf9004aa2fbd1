// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile.c - compile a text with conversions to a program
 *
 * A program is a list of operations: copy a text, or convert an argument. The compiler finds out
 * which argument a conversion prints, in which format, and which element types the argument may
 * have. So printing an event only needs to compare types.
 *
 * Invariant: each operation of a finished entry refers to an argument of this entry, and the
 * argument accepts only types that all its conversions can print.
 */
#include <stdio.h>
#include "internal.h"

/* Return the element types that a conversion can print. */
static uint32_t conv_accept(char conv)
{
	switch (conv) {
	case 'd': case 'c': case '{':
		return FMT_M_INT;
	case 'u': case 'x': case 'X': case 'o': case 'b': case 'p':
		return FMT_M_INT | FMT_M_ADDR;
	case 'f': case 'e': case 'g':
		return FMT_M_FLOAT;
	case 's':
		return FMT_M_BYTES | FMT_M_NAMED | FMT_M_ENUM;
	case 'h': case 'H':
		return FMT_M_BYTES;
	default:
		return FMT_M_ANY;
	}
}

static const char *conv_takes(char conv)
{
	switch (conv) {
	case 'd': case 'c': case '{':
		return "an integer";
	case 'u': case 'x': case 'X': case 'o': case 'b': case 'p':
		return "an integer or address";
	case 'f':
		return "a floating point number or an integer with a divisor";
	case 'e': case 'g':
		return "a floating point number";
	case 's':
		return "a string or something that has a name";
	default:
		return "a buffer or a string";
	}
}

struct text {
	struct fmt_parser *p;
	struct fmt_entry *e;
	struct fmt_arg	*args;		/* FMT_ARGS_MAX entries */
	size_t		i;		/* next byte of the text */
	/* next: index of the argument for the next conversion without a number */
	unsigned int	next;
};

static int at(const struct text *t, size_t ahead)
{
	return t->i + ahead < t->p->str_len ? (unsigned char)t->p->str[t->i + ahead] : -1;
}

static size_t offset(const struct text *t, size_t i)
{
	const struct fmt_parser *p = t->p;

	return i < p->str_len ? p->pos[i] : p->str_len ? p->pos[p->str_len - 1] + 1 : p->start;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/*
 * Parse a number. Digits after a value above 1000 are ignored, because such a value is out of
 * range anyway.
 */
static unsigned int small_number(struct text *t)
{
	unsigned int n = 0;

	for (; is_digit(at(t, 0)); t->i++)
		if (n < 1000)
			n = n * 10 + (at(t, 0) - '0');
	return n;
}

/* List the names of the arguments for an error message, for example "port, lost". */
static void list_args(const struct text *t, char *buf, size_t size)
{
	size_t n = 0;
	unsigned int i;

	buf[0] = 0;
	for (i = 0; i < t->e->nargs && n < size; i++) {
		int k = snprintf(buf + n, size - n, "%s%s", i ? ", " : "", t->args[i].name);

		if (k < 0)
			break;
		n += k;
	}
}

static bool select_named(struct text *t, unsigned int *arg)
{
	size_t begin = ++t->i, n;
	const char *name = t->p->str + begin;
	char list[200];
	unsigned int i;

	while (at(t, 0) >= 0 && at(t, 0) != ')')
		t->i++;
	n = t->i - begin;
	if (at(t, 0) != ')') {
		fmt_error(t->p, offset(t, begin), "')' is missing after the name of an argument");
		return false;
	}
	t->i++;
	if (!t->e->declared) {
		fmt_error(t->p, offset(t, begin),
			  "'%.*s': arguments have names only in a list before the text",
			  (int)(n > FMT_NAME_MAX ? FMT_NAME_MAX : n), name);
		return false;
	}
	for (i = 0; i < t->e->nargs; i++) {
		if (t->args[i].name_len == n && !memcmp(t->args[i].name, name, n)) {
			*arg = i;
			return true;
		}
	}
	list_args(t, list, sizeof(list));
	fmt_error(t->p, offset(t, begin), "no argument '%.*s'; there %s%s",
		  (int)(n > FMT_NAME_MAX ? FMT_NAME_MAX : n), name,
		  t->e->nargs ? "are: " : "are none", list);
	return false;
}

/* Find the argument of a conversion. @percent: offset of its percent sign. */
static bool select_arg(struct text *t, size_t percent, unsigned int *arg)
{
	size_t save = t->i;

	if (at(t, 0) == '(')
		return select_named(t, arg);
	*arg = small_number(t);
	if (t->i == save || at(t, 0) != '$') {
		t->i = save;
		*arg = t->next;
	} else {
		t->i++;
		if (!*arg) {
			fmt_error(t->p, offset(t, percent), "arguments are counted from 1");
			return false;
		}
		--*arg;
	}
	if (t->e->declared && *arg >= t->e->nargs) {
		fmt_error(t->p, offset(t, percent), "there is no argument %u: the list has only %u",
			  *arg + 1, t->e->nargs);
		return false;
	}
	if (*arg >= FMT_ARGS_MAX) {
		fmt_error(t->p, offset(t, percent), "there is no argument %u: a description has at most %d",
			  *arg + 1, FMT_ARGS_MAX);
		return false;
	}
	return true;
}

/* Parse the "(NAME)" of "%.(NAME)h": this argument has the number of bytes to print. */
static bool parse_limit(struct text *t, struct fmt_op *op)
{
	size_t begin = t->i + 1;
	struct fmt_arg *a;
	unsigned int arg;

	if (!select_named(t, &arg))
		return false;
	a = &t->args[arg];
	if (!(a->accept & FMT_M_INT)) {
		fmt_error(t->p, offset(t, begin), "'%s' is %s, but a number of bytes is an integer",
			  a->name, a->type);
		return false;
	}
	a->accept &= FMT_M_INT;
	a->used = true;
	op->limit = (uint8_t)(arg + 1);
	return true;
}

static bool parse_spec(struct text *t, size_t percent, struct fmt_op *op)
{
	struct out_spec *s = &op->spec;
	unsigned int n;

	s->digits = OUT_NODIGITS;
	for (;; t->i++) {
		switch (at(t, 0)) {
		case '-':
			s->left = true;
			continue;
		case '0':
			s->zero = true;
			continue;
		case '+':
			s->plus = true;
			continue;
		case ' ':
			s->space = true;
			continue;
		case '#':
			s->alt = true;
			continue;
		case '\'':
			s->group = true;
			continue;
		}
		break;
	}
	n = small_number(t);
	if (n > 99) {
		fmt_error(t->p, offset(t, percent), "a width goes up to 99");
		return false;
	}
	s->width = n;
	if (at(t, 0) == '.' && at(t, 1) == '(') {
		t->i++;
		if (!parse_limit(t, op))
			return false;
	} else if (at(t, 0) == '.') {
		t->i++;
		n = small_number(t);
		if (n > 99) {
			fmt_error(t->p, offset(t, percent), "digits go up to 15, characters of a string to 99");
			return false;
		}
		s->digits = n;
	}
	/* Ignore the l in %lu: the element itself tells its size. */
	while (at(t, 0) == 'l')
		t->i++;
	return true;
}

static bool parse_table_name(struct text *t, struct fmt_op *op)
{
	size_t begin = t->i, n;

	while (at(t, 0) >= 0 && at(t, 0) != '}')
		t->i++;
	n = t->i - begin;
	if (at(t, 0) != '}') {
		fmt_error(t->p, offset(t, begin), "'}' is missing after the name of an enum or flags");
		return false;
	}
	t->i++;
	op->table = fmt_table_find(t->p, t->p->str + begin, n);
	if (!op->table)
		fmt_error(t->p, offset(t, begin), "no enum or flags '%.*s' is declared before this in the file",
			  (int)(n > FMT_NAME_MAX ? FMT_NAME_MAX : n), t->p->str + begin);
	return op->table;
}

/*
 * Check that the argument and the conversion match. Remove types from the argument that the
 * conversion cannot print.
 */
static bool check_types(struct text *t, size_t percent, struct fmt_arg *a, struct fmt_op *op)
{
	uint32_t accept = conv_accept(op->conv);
	char letter[3] = { op->conv, op->conv == '{' ? '}' : 0, 0 };

	if (op->conv == 's' && a->table)
		accept |= FMT_M_INT;
	if (op->conv == 'f' && a->scale)
		accept |= FMT_M_INT;
	/* Without an argument list, the first conversion determines the type. */
	if (!t->e->declared && !a->used)
		a->accept = accept;
	if (!(a->accept & accept)) {
		if (t->e->declared)
			fmt_error(t->p, offset(t, percent), "'%s' is %s, but %%%s takes %s",
				  a->name, a->type, letter, conv_takes(op->conv));
		else
			fmt_error(t->p, offset(t, percent),
				  "%%%s takes %s, but an earlier conversion prints argument %u as another type",
				  letter, conv_takes(op->conv), op->arg + 1u);
		return false;
	}
	a->accept &= accept;
	a->used = true;
	return true;
}

/* Parse a conversion whose percent sign is before t->i. */
static bool parse_conv(struct text *t, size_t percent, struct fmt_op *op)
{
	const struct out_spec *s = &op->spec;
	unsigned int arg;
	int c;

	if (!select_arg(t, percent, &arg) || !parse_spec(t, percent, op))
		return false;
	c = at(t, 0);
	if (c <= 0 || !strchr("diuxXobcfegsphHv{", c)) {
		size_t n = c < 0 ? 0 : utf8_len((uint8_t *)t->p->str + t->i, t->p->str_len - t->i);

		fmt_error(t->p, offset(t, percent),
			  "unknown conversion '%%%.*s'; the conversions are: d i u x X o b c f e g s p h H v {NAME}, and %%%% for a percent sign",
			  (int)n, t->p->str + t->i);
		return false;
	}
	t->i++;
	op->conv = c == 'i' ? 'd' : (char)c;
	op->arg = (uint8_t)arg;
	if (c == '{' && !parse_table_name(t, op))
		return false;
	if (op->limit && c != 'h') {
		fmt_error(t->p, offset(t, percent),
			  "only %%h takes the number of bytes from an argument, not %%%c", c);
		return false;
	}
	if (op->spec.digits != OUT_NODIGITS && op->spec.digits > 15 && c != 's') {
		fmt_error(t->p, offset(t, percent), "digits go up to 15");
		return false;
	}
	op->plain = !s->width && s->digits == OUT_NODIGITS && !s->plus && !s->space &&
		    !s->alt && !s->group;
	if (c == 's' || c == 'v')
		op->table = t->args[arg].table;
	if (!check_types(t, percent, &t->args[arg], op))
		return false;
	t->next = arg + 1;
	if (!t->e->declared && t->next > t->e->nargs)
		t->e->nargs = t->next;
	return true;
}

static void add_text(struct text *t, struct fmt_op *op, size_t begin, size_t end)
{
	if (end <= begin)
		return;
	op->text = fmt_copy(t->p, t->p->str + begin, end - begin, true, &op->len);
	t->e->nops++;
}

static void compile_text(struct text *t)
{
	struct fmt_parser *p = t->p;
	struct fmt_entry *e = t->e;
	struct fmt_op *ops;
	unsigned int n = 1;
	size_t i, begin = 0;

	for (i = 0; i < p->str_len; i++)
		n += p->str[i] == '%' ? 2 : 0;
	ops = fmt_alloc(&p->set->arena, n * sizeof(*ops));
	while (t->i < p->str_len) {
		size_t percent = t->i++;
		bool twice = at(t, 0) == '%';

		if (p->str[percent] != '%')
			continue;
		add_text(t, &ops[e->nops], begin, percent + twice);
		if (twice)
			t->i++;
		else if (parse_conv(t, percent, &ops[e->nops]))
			e->nops++;
		begin = t->i;
	}
	add_text(t, &ops[e->nops], begin, p->str_len);
	e->ops = ops;
}

/* A description without a text prints "name=value unit" for each argument. */
static void compile_list(struct text *t)
{
	struct fmt_entry *e = t->e;
	struct fmt_op *op = fmt_alloc(&t->p->set->arena, (2 * e->nargs + 1) * sizeof(*op));
	unsigned int i;

	e->ops = op;
	for (i = 0; i < e->nargs; i++) {
		struct fmt_arg *a = &e->args[i];
		char buf[FMT_NAME_MAX + 3];
		int n = snprintf(buf, sizeof(buf), "%s%.*s=", i ? " " : "", FMT_NAME_MAX, a->name);

		op->text = fmt_copy(t->p, buf, n > 0 ? n : 0, true, &op->len);
		op++;
		op->conv = 'v';
		op->arg = i;
		op->quote = true;
		op->plain = true;
		op->table = a->table;
		op->spec.digits = OUT_NODIGITS;
		op++;
		a->used = true;
	}
	e->nops = 2 * e->nargs;
}

void fmt_compile(struct fmt_parser *p, struct fmt_entry *e, bool has_text)
{
	struct fmt_arg args[FMT_ARGS_MAX];
	struct text t = { .p = p, .e = e, .args = args };
	unsigned int i;

	if (!has_text) {
		if (e->declared) {
			compile_list(&t);
		} else {
			/* Neither text nor arguments: print the elements by their own types. */
			e->ops = NULL;
			e->nops = 0;
		}
		return;
	}
	memset(args, 0, sizeof(args));
	if (e->nargs)
		memcpy(args, e->args, e->nargs * sizeof(args[0]));
	compile_text(&t);
	if (e->nargs) {
		if (!e->args)
			e->args = fmt_alloc(&p->set->arena, e->nargs * sizeof(args[0]));
		memcpy(e->args, args, e->nargs * sizeof(args[0]));
	}
	for (i = 0; i < e->nargs; i++) {
		struct fmt_arg *a = &e->args[i];

		if (!a->used && !e->declared)
			/*
			 * no conversion prints this argument, for example the first one if there
			 * is only %2$d
			 */
			a->accept = FMT_M_ANY;
		else if (!a->used && !p->broken && a->name[0] != '_')
			fmt_warning(p, a->offset, "the text does not print '%s'", a->name);
	}
}
