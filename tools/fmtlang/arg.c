// SPDX-License-Identifier: GPL-2.0-only
/*
 * arg.c - the arguments of a description: ( TYPE NAME [ "/" NUMBER ] [ "unit" ], ... )
 *
 * Invariants
 * - An argument has a type, a name that no other of its list has, and the set of the elements that
 *   it accepts. Only an integer has a divisor, which is a power of ten.
 * - A list has at most FMT_ARGS_MAX arguments. If it contains a mistake, none of them is kept.
 */
#include <string.h>
#include "internal.h"

static const struct {
	const char *name;
	uint32_t accept;
} types[] = {
	{ "i8", FMT_BIT(DEVTRACE_E_I8) },
	{ "u8", FMT_BIT(DEVTRACE_E_U8) },
	{ "i16", FMT_BIT(DEVTRACE_E_I16) },
	{ "u16", FMT_BIT(DEVTRACE_E_U16) },
	{ "i32", FMT_BIT(DEVTRACE_E_I32) },
	{ "u32", FMT_BIT(DEVTRACE_E_U32) | FMT_BIT(DEVTRACE_E_X32) },
	{ "i64", FMT_BIT(DEVTRACE_E_I64) },
	{ "u64", FMT_BIT(DEVTRACE_E_U64) },
	{ "f32", FMT_BIT(DEVTRACE_E_F32) },
	{ "f64", FMT_BIT(DEVTRACE_E_F64) },
	{ "int", FMT_M_INT & ~FMT_M_ENUM },
	{ "float", FMT_M_FLOAT },
	{ "any", FMT_M_ANY },
	{ "str", FMT_BIT(DEVTRACE_E_STR) },
	{ "mem", FMT_BIT(DEVTRACE_E_MEM) },
	{ "obj", FMT_BIT(DEVTRACE_E_OBJ) },
	{ "fun", FMT_BIT(DEVTRACE_E_FUN) },
	{ "sig", FMT_BIT(DEVTRACE_E_SIG) },
};

#define TYPE_NAMES "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 int float any str mem obj fun sig enum flags"

static bool parse_type(struct fmt_parser *p, struct fmt_arg *a)
{
	bool is_flags = p->tok == TOK_FLAGS;
	char buf[100];
	size_t i;
	int c;

	if (p->tok == TOK_ENUM || is_flags) {
		a->type = is_flags ? "flags" : "enum";
		fmt_next(p);
		a->accept = FMT_M_INT;
		if (p->tok != TOK_NAME) {
			fmt_expected(p, is_flags ? "the name of flags" :
				     "the name of an enum or of the argument");
			return false;
		}
		a->table = fmt_table_find(p, p->name, p->name_len);
		if (a->table && a->table->is_flags == is_flags) {
			fmt_next(p);
			return true;
		}
		if (a->table) {
			fmt_error(p, p->start, "'%s' is %s", a->table->name,
				  is_flags ? "an enum, not flags" : "flags, not an enum");
			return false;
		}
		/*
		 * "enum NAME" without a type: NAME is the argument, and the stream has the names
		 * of its values.
		 */
		c = fmt_ahead(p);
		if (!is_flags && c > 0 && strchr(",)/\"", c)) {
			a->accept = FMT_M_ENUM;
			return true;
		}
		fmt_error(p, p->start, "no %s '%.*s' is declared before this in the file",
			  is_flags ? "flags" : "enum", (int)p->name_len, p->name);
		return false;
	}
	for (i = 0; p->tok == TOK_NAME && i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) == p->name_len &&
		    !memcmp(types[i].name, p->name, p->name_len)) {
			a->type = types[i].name;
			a->accept = types[i].accept;
			fmt_next(p);
			return true;
		}
	}
	if (p->tok == TOK_NAME)
		fmt_error(p, p->start, "unknown type %s; there are: " TYPE_NAMES,
			  fmt_found(p, buf, sizeof(buf)));
	else
		fmt_expected(p, "the type of an argument or ')'");
	return false;
}

/* Copy the unit, with a blank before it. */
static const char *parse_unit(struct fmt_parser *p, size_t *len)
{
	const char *safe = fmt_copy(p, p->str, p->str_len, false, len);
	char *unit = fmt_alloc(&p->set->arena, *len + 2);

	unit[0] = ' ';
	memcpy(unit + 1, safe, *len + 1);
	++*len;
	return unit;
}

static bool parse_arg(struct fmt_parser *p, struct fmt_entry *e, struct fmt_arg *a)
{
	unsigned int i;
	uint64_t n;

	if (!parse_type(p, a))
		return false;
	a->offset = p->start;
	a->name = fmt_parse_name(p, "the name of the argument", &a->name_len);
	if (!a->name)
		return false;
	for (i = 0; i < e->nargs; i++) {
		if (!strcmp(e->args[i].name, a->name)) {
			fmt_error(p, a->offset, "the list already has an argument '%s'", a->name);
			return false;
		}
	}
	if (fmt_is_punct(p, '/')) {
		size_t at = p->start;

		fmt_next(p);
		if (!fmt_parse_number(p, UINT64_MAX, "a power of ten", &n))
			return false;
		for (a->scale = 0; n >= 10 && n % 10 == 0; n /= 10)
			a->scale++;
		if (n != 1 || !a->scale || a->scale > 9) {
			fmt_error(p, at + 1, "the divisor must be a power of ten from 10 to 1000000000");
			return false;
		}
		if (a->table || (a->accept & ~FMT_M_INT)) {
			fmt_error(p, at, "only an integer can have a divisor, not %s", a->type);
			return false;
		}
	}
	if (p->tok == TOK_STRING) {
		a->unit = parse_unit(p, &a->unit_len);
		fmt_next(p);
	}
	return true;
}

bool fmt_parse_args(struct fmt_parser *p, struct fmt_entry *e)
{
	struct fmt_arg args[FMT_ARGS_MAX];

	if (!fmt_take(p, '('))
		return true;
	e->declared = true;
	e->args = args;
	while (!fmt_is_punct(p, ')')) {
		if (e->nargs == FMT_ARGS_MAX) {
			fmt_error(p, p->start, "more than %d arguments", FMT_ARGS_MAX);
			break;
		}
		memset(&args[e->nargs], 0, sizeof(args[0]));
		if (!parse_arg(p, e, &args[e->nargs]))
			break;
		e->nargs++;
		if (!fmt_take(p, ',') && !fmt_is_punct(p, ')')) {
			fmt_expected(p, "',' or ')'");
			break;
		}
	}
	e->args = NULL;
	if (p->broken)
		return false;
	fmt_next(p);
	if (e->nargs) {
		e->args = fmt_alloc(&p->set->arena, e->nargs * sizeof(args[0]));
		memcpy(e->args, args, e->nargs * sizeof(args[0]));
	}
	return true;
}
