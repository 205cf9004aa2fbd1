// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - declarations of a .fmt file
 *
 * The parser is a recursive descent over the grammar in fmt(5). A mistake breaks only the current
 * declaration; parsing continues at the next keyword that begins one. Each round of a loop
 * consumes a token or ends the loop, so parsing ends even for hostile files.
 */
#include <stdio.h>
#include <stdlib.h>
#include "common/severity.h"
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

static bool is_punct(const struct fmt_parser *p, char c)
{
	return p->tok == TOK_PUNCT && p->punct == c;
}

static bool take(struct fmt_parser *p, char c)
{
	if (!is_punct(p, c))
		return false;
	fmt_next(p);
	return true;
}

/* Describe the next token, for the message "... expected, but there is ...". */
static const char *found(const struct fmt_parser *p, char *buf, size_t size)
{
	switch (p->tok) {
	case TOK_END:
		return "the end of the file";
	case TOK_STRING:
		return "a string";
	case TOK_PUNCT:
		snprintf(buf, size, "'%c'", p->punct);
		return buf;
	case TOK_NUMBER:
		snprintf(buf, size, "the number %.*s", (int)(p->cur - p->start),
			 p->file->text + p->start);
		return buf;
	default:
		snprintf(buf, size, "'%.*s'", (int)p->name_len, p->name);
		return buf;
	}
}

static void expected(struct fmt_parser *p, const char *what)
{
	char buf[100];

	/* Report only the first error of a declaration: later ones usually follow from it. */
	if (!p->broken && !p->bad)
		fmt_error(p, p->start, "%s expected, but there is %s", what,
			  found(p, buf, sizeof(buf)));
	p->broken = true;
}

/*
 * After a mistake, skip to a keyword that begins a declaration, or to a '}'. enum and flags may be
 * types, so they begin a declaration only as the first word of a line.
 */
static void resync(struct fmt_parser *p)
{
	while (p->tok != TOK_END && !is_punct(p, '}') && !fmt_begins(p))
		fmt_next(p);
	p->parens = 0;
}

/* Parse number = NUMBER [ "<<" NUMBER ]. */
static bool parse_number(struct fmt_parser *p, uint64_t max, const char *what, uint64_t *v)
{
	size_t at = p->start;

	if (p->tok != TOK_NUMBER) {
		expected(p, what);
		return false;
	}
	*v = p->number;
	fmt_next(p);
	if (take(p, '<')) {
		if (!take(p, '<') || p->tok != TOK_NUMBER || p->number > 63) {
			expected(p, "'<<' and a number up to 63");
			return false;
		}
		if (*v << p->number >> p->number != *v) {
			fmt_error(p, at, "the number does not fit in 64 bits");
			return false;
		}
		*v <<= p->number;
		fmt_next(p);
	}
	if (*v > max) {
		fmt_error(p, at, "%s is at most %llu; %llu is too large", what,
			  (unsigned long long)max, (unsigned long long)*v);
		return false;
	}
	return true;
}

static const char *parse_name(struct fmt_parser *p, const char *what, size_t *len)
{
	const char *name;

	if (p->tok != TOK_NAME) {
		expected(p, what);
		return NULL;
	}
	name = fmt_copy(p, p->name, p->name_len, false, len);
	fmt_next(p);
	return name;
}

/* Parse label = NAME | STRING, and its value. */
static struct fmt_label *parse_label(struct fmt_parser *p, bool is_flags, uint64_t *next)
{
	struct fmt_label *l = fmt_alloc(&p->set->arena, sizeof(*l));
	bool negative = false;

	l->offset = p->start;
	if (p->tok == TOK_STRING) {
		l->name = fmt_copy(p, p->str, p->str_len, false, &l->len);
		fmt_next(p);
	} else {
		l->name = parse_name(p, is_flags ? "the name of a bit or '}'" :
				     "the name of a value or '}'", &l->len);
		if (!l->name)
			return NULL;
	}
	l->value = *next;
	if (take(p, '=')) {
		negative = !is_flags && take(p, '-');
		if (!parse_number(p, negative ? 1ull << 63 : UINT64_MAX, "a value", &l->value))
			return NULL;
		if (negative)
			l->value = -l->value;
	} else if (is_flags && !*next) {
		fmt_error(p, l->offset,
			  "the previous entry has the highest bit, so no value is left for '%s'",
			  l->name);
		return NULL;
	}
	l->mask = l->value;
	if (is_flags && take(p, '/')) {
		if (!parse_number(p, UINT64_MAX, "a mask", &l->mask))
			return NULL;
		if (l->value & ~l->mask) {
			fmt_error(p, l->offset, "'%s' has bits that are not in its mask", l->name);
			return NULL;
		}
	}
	/* The default value of the next entry: one more, or for flags the next higher bit. */
	if (!is_flags) {
		*next = l->value + 1;
	} else {
		uint64_t top = l->mask;

		for (*next = 1; *next && top >= *next; *next <<= 1)
			;
	}
	return l;
}

static void parse_table(struct fmt_parser *p)
{
	struct fmt_table *t = fmt_alloc(&p->set->arena, sizeof(*t));
	struct fmt_label **end = &t->labels;
	uint64_t next;
	size_t at;

	p->broken = false;
	t->is_flags = p->tok == TOK_FLAGS;
	next = t->is_flags ? 1 : 0;
	fmt_next(p);
	at = p->start;
	t->name = parse_name(p, t->is_flags ? "a name for the flags" : "a name for the enum",
			     &t->name_len);
	if (p->nr_tables == FMT_TABLES_MAX) {
		fmt_error(p, at, "more than %d enums and flags in one file", FMT_TABLES_MAX);
		t->name = NULL;
	} else if (t->name && fmt_table_find(p, t->name, t->name_len)) {
		fmt_error(p, at, "this file already has an enum or flags '%s'", t->name);
		t->name = NULL;
	}
	if (!take(p, '{')) {
		expected(p, "'{'");
		resync(p);
		take(p, '}');
		return;
	}
	while (!is_punct(p, '}')) {
		struct fmt_label *l;

		if (p->tok == TOK_END) {
			expected(p, "'}'");
			break;
		}
		l = parse_label(p, t->is_flags, &next);
		if (!l) {
			resync(p);
			break;
		}
		*end = l;
		end = &l->next;
		t->nr++;
		take(p, ',');
	}
	take(p, '}');
	/* If a table contains a mistake, its correct labels are still used. */
	if (!t->name)
		return;
	fmt_check_table(p, t);
	fmt_table_add(p, t);
}

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
			expected(p, is_flags ? "the name of flags" :
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
			  found(p, buf, sizeof(buf)));
	else
		expected(p, "the type of an argument or ')'");
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
	a->name = parse_name(p, "the name of the argument", &a->name_len);
	if (!a->name)
		return false;
	for (i = 0; i < e->nargs; i++) {
		if (!strcmp(e->args[i].name, a->name)) {
			fmt_error(p, a->offset, "the list already has an argument '%s'", a->name);
			return false;
		}
	}
	if (is_punct(p, '/')) {
		size_t at = p->start;

		fmt_next(p);
		if (!parse_number(p, UINT64_MAX, "a power of ten", &n))
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

static bool parse_args(struct fmt_parser *p, struct fmt_entry *e)
{
	struct fmt_arg args[FMT_ARGS_MAX];

	if (!take(p, '('))
		return true;
	e->declared = true;
	e->args = args;
	while (!is_punct(p, ')')) {
		if (e->nargs == FMT_ARGS_MAX) {
			fmt_error(p, p->start, "more than %d arguments", FMT_ARGS_MAX);
			break;
		}
		memset(&args[e->nargs], 0, sizeof(args[0]));
		if (!parse_arg(p, e, &args[e->nargs]))
			break;
		e->nargs++;
		if (!take(p, ',') && !is_punct(p, ')')) {
			expected(p, "',' or ')'");
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

/* Parse NAME [ args ] [ text ]. Return the compiled description, or NULL if it has a mistake. */
static struct fmt_entry *parse_entry(struct fmt_parser *p, size_t at, const char *what)
{
	struct fmt_entry *e = fmt_alloc(&p->set->arena, sizeof(*e));
	bool has_text = false;

	e->place.file = p->file;
	e->place.offset = at;
	e->name = parse_name(p, what, NULL);
	if (!e->name || !parse_args(p, e)) {
		resync(p);
		return NULL;
	}
	if (p->tok == TOK_STRING) {
		p->append = true;
		while (p->tok == TOK_STRING)
			fmt_next(p);
		p->append = false;
		has_text = true;
	}
	fmt_compile(p, e, has_text);
	return p->broken ? NULL : e;
}

static void parse_minor(struct fmt_parser *p, struct fmt_major *m)
{
	size_t at = p->start;
	struct fmt_entry *e;
	uint64_t n = 0;
	int minor = -1;

	p->broken = false;
	fmt_next(p);
	if (!take(p, '*')) {
		if (p->tok != TOK_NUMBER)
			expected(p, "the number of the minor or '*'");
		else
			parse_number(p, 255, "a minor", &n);
		minor = (int)n;
		if (p->broken) {
			resync(p);
			return;
		}
	}
	e = parse_entry(p, at, "the name of the minor");
	if (e && m)
		fmt_add_minor(p, m, minor, e);
}

static void parse_severity(struct fmt_parser *p, struct fmt_major *m)
{
	struct fmt_entry *e = fmt_alloc(&p->set->arena, sizeof(*e));
	uint8_t severity = 0;
	const char *s;

	p->broken = false;
	e->place.file = p->file;
	e->place.offset = p->start;
	fmt_next(p);
	s = p->name;
	if (p->tok == TOK_NAME)
		severity = severity_find(s, p->name_len);
	if (!severity) {
		expected(p, "a severity (hw0 to hw3, sw0 to sw3)");
		resync(p);
		return;
	}
	e->name = fmt_copy(p, s, 3, false, NULL);
	fmt_next(p);
	if (p->tok != TOK_STRING) {
		expected(p, "a text for this severity");
		resync(p);
		return;
	}
	p->append = true;
	while (p->tok == TOK_STRING)
		fmt_next(p);
	p->append = false;
	fmt_compile(p, e, true);
	if (!p->broken && m)
		fmt_add_severity(p, m, severity & 7, e);
}

static void parse_major(struct fmt_parser *p)
{
	struct fmt_major *m = NULL;
	const char *name = NULL;
	size_t at = p->start;
	uint64_t n = 0;
	char buf[100];

	p->broken = false;
	fmt_next(p);
	if (parse_number(p, 0xffffff, "the number of a major", &n))
		name = parse_name(p, "the name of the major", NULL);
	if (name)
		m = fmt_get_major(p, (uint32_t)n, name, at);
	/* Check what is inside the braces even if there is a mistake before them. */
	while (!is_punct(p, '{') && p->tok != TOK_END && p->tok < TOK_ENUM) {
		expected(p, "'{'");
		fmt_next(p);
	}
	if (!take(p, '{')) {
		expected(p, "'{'");
		if (p->tok != TOK_MINOR && p->tok != TOK_SEVERITY)
			return;
	}
	while (!is_punct(p, '}')) {
		switch (p->tok) {
		case TOK_MINOR:
			parse_minor(p, m);
			break;
		case TOK_SEVERITY:
			parse_severity(p, m);
			break;
		case TOK_ENUM:
		case TOK_FLAGS:
			parse_table(p);
			break;
		case TOK_END:
		case TOK_MAJOR:
		case TOK_NEEDS:
		case TOK_RECORD:
			fmt_error(p, p->start, "'}' expected to end the major '%s', but there is %s",
				  name ? name : "?", found(p, buf, sizeof(buf)));
			return;
		default:
			p->broken = false;
			expected(p, "minor, severity, enum, flags or '}'");
			resync(p);
		}
		take(p, ';');
	}
	fmt_next(p);
}

static void parse_record(struct fmt_parser *p)
{
	size_t at = p->start, number_at;
	struct fmt_entry *e;
	uint64_t n;

	p->broken = false;
	fmt_next(p);
	number_at = p->start;
	if (!parse_number(p, 255, "the number of a record type", &n)) {
		resync(p);
		return;
	}
	if (n == DEVTRACE_T_EXC || n == DEVTRACE_T_FAULT)
		fmt_error(p, number_at, "type %u is for %s: describe them with major and minor",
			  (unsigned int)n,
			  n == DEVTRACE_T_EXC ? "exceptions" : "the kernel's own faults");
	else if (n == DEVTRACE_T_TEXT || devtrace_type_is_transport((unsigned int)n))
		fmt_error(p, number_at, "type %u belongs to devtrace itself; use 100-124 or 192-255",
			  (unsigned int)n);
	e = parse_entry(p, at, "the name of the record type");
	if (e)
		fmt_add_record(p, (unsigned int)n, e);
}

/* Parse "needs": later descriptions apply only to programs that give a type a certain name. */
static void parse_needs(struct fmt_parser *p)
{
	size_t at = p->start;
	const char *name;
	uint64_t n;

	p->broken = false;
	fmt_next(p);
	if (!parse_number(p, 255, "the number of a record type", &n)) {
		resync(p);
		return;
	}
	name = parse_name(p, "the name of the record type", NULL);
	if (name)
		fmt_set_needs(p, (unsigned int)n, name, at);
}

void fmt_parse(struct fmt_parser *p)
{
	fmt_next(p);
	while (p->tok != TOK_END) {
		switch (p->tok) {
		case TOK_ENUM:
		case TOK_FLAGS:
			parse_table(p);
			break;
		case TOK_MAJOR:
			parse_major(p);
			break;
		case TOK_NEEDS:
			parse_needs(p);
			break;
		case TOK_RECORD:
			parse_record(p);
			break;
		case TOK_MINOR:
		case TOK_SEVERITY:
			fmt_error(p, p->start, "%s outside of a major",
				  p->tok == TOK_MINOR ? "a minor" : "a severity");
			if (p->tok == TOK_MINOR)
				parse_minor(p, NULL);
			else
				parse_severity(p, NULL);
			break;
		default:
			p->broken = false;
			expected(p, "enum, flags, major, needs or record");
			fmt_next(p);
			resync(p);
			take(p, '}');
		}
		take(p, ';');
	}
}
