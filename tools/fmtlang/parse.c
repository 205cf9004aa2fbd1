// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - declarations of a .fmt file
 *
 * The parser is a recursive descent over the grammar in fmt(5). A mistake breaks only the current
 * declaration; parsing continues at the next keyword that begins one. Each round of a loop
 * consumes a token or ends the loop, so parsing ends even for hostile files. expect.c takes the
 * tokens, arg.c has the arguments of a description, image.c the texts of DT_LOG(), and owner.c to
 * whom descriptions are bound.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/severity.h"
#include "internal.h"

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
		l->name = fmt_parse_name(p, is_flags ? "the name of a bit or '}'" :
					 "the name of a value or '}'", &l->len);
		if (!l->name)
			return NULL;
	}
	l->value = *next;
	if (fmt_take(p, '=')) {
		negative = !is_flags && fmt_take(p, '-');
		if (!fmt_parse_number(p, negative ? 1ull << 63 : UINT64_MAX, "a value", &l->value))
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
	if (is_flags && fmt_take(p, '/')) {
		if (!fmt_parse_number(p, UINT64_MAX, "a mask", &l->mask))
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
	t->name = fmt_parse_name(p, t->is_flags ? "a name for the flags" : "a name for the enum",
				 &t->name_len);
	if (p->nr_tables == FMT_TABLES_MAX) {
		fmt_error(p, at, "more than %d enums and flags in one file", FMT_TABLES_MAX);
		t->name = NULL;
	} else if (t->name && fmt_table_find(p, t->name, t->name_len)) {
		fmt_error(p, at, "this file already has an enum or flags '%s'", t->name);
		t->name = NULL;
	}
	if (!fmt_take(p, '{')) {
		fmt_expected(p, "'{'");
		fmt_resync(p);
		fmt_take(p, '}');
		return;
	}
	while (!fmt_is_punct(p, '}')) {
		struct fmt_label *l;

		if (p->tok == TOK_END) {
			fmt_expected(p, "'}'");
			break;
		}
		l = parse_label(p, t->is_flags, &next);
		if (!l) {
			fmt_resync(p);
			break;
		}
		*end = l;
		end = &l->next;
		t->nr++;
		fmt_take(p, ',');
	}
	fmt_take(p, '}');
	/* If a table contains a mistake, its correct labels are still used. */
	if (!t->name)
		return;
	fmt_check_table(p, t);
	fmt_table_add(p, t);
}

/*
 * Parse [ args ] [ text ] of the description @name. Return the compiled description, or NULL if
 * there is a mistake or no name.
 */
static struct fmt_entry *parse_description(struct fmt_parser *p, size_t at, const char *name)
{
	struct fmt_entry *e = fmt_alloc(&p->set->arena, sizeof(*e));
	bool has_text = false;

	e->place.file = p->file;
	e->place.offset = at;
	e->name = name;
	if (!e->name || !fmt_parse_args(p, e)) {
		fmt_resync(p);
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

/* Parse NAME [ args ] [ text ]. */
static struct fmt_entry *parse_entry(struct fmt_parser *p, size_t at, const char *what)
{
	return parse_description(p, at, fmt_parse_name(p, what, NULL));
}

static void parse_minor(struct fmt_parser *p)
{
	size_t at = p->start;
	struct fmt_entry *e;
	uint64_t n = 0;
	int minor = -1;

	p->broken = false;
	fmt_next(p);
	if (!fmt_take(p, '*')) {
		if (p->tok != TOK_NUMBER)
			fmt_expected(p, "the number of the minor or '*'");
		else
			fmt_parse_number(p, 255, "a minor", &n);
		minor = (int)n;
		if (p->broken) {
			fmt_resync(p);
			return;
		}
	}
	e = parse_entry(p, at, "the name of the minor");
	if (e)
		fmt_add_minor(p, minor, e);
}

static void parse_severity(struct fmt_parser *p)
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
		fmt_expected(p, "a severity (hw0 to hw3, sw0 to sw3)");
		fmt_resync(p);
		return;
	}
	e->name = fmt_copy(p, s, 3, false, NULL);
	fmt_next(p);
	if (p->tok != TOK_STRING) {
		fmt_expected(p, "a text for this severity");
		fmt_resync(p);
		return;
	}
	p->append = true;
	while (p->tok == TOK_STRING)
		fmt_next(p);
	p->append = false;
	fmt_compile(p, e, true);
	if (!p->broken)
		fmt_add_severity(p, severity & 7, e);
}

static void parse_minors(struct fmt_parser *p)
{
	const char *name = NULL;
	size_t at = p->start;
	uint64_t n = 0;
	char buf[100];

	p->broken = false;
	fmt_next(p);
	if (fmt_parse_number(p, 0xffffff, "the number of a major", &n))
		name = fmt_parse_name(p, "the name of the major", NULL);
	if (name)
		fmt_begin_major(p, (uint32_t)n, name, at);
	/* Check what is inside the braces even if there is a mistake before them. */
	while (!fmt_is_punct(p, '{') && p->tok != TOK_END && p->tok < TOK_ENUM) {
		fmt_expected(p, "'{'");
		fmt_next(p);
	}
	if (!fmt_take(p, '{')) {
		fmt_expected(p, "'{'");
		if (p->tok != TOK_MINOR && p->tok != TOK_SEVERITY)
			return;
	}
	while (!fmt_is_punct(p, '}')) {
		switch (p->tok) {
		case TOK_MINOR:
			parse_minor(p);
			break;
		case TOK_SEVERITY:
			parse_severity(p);
			break;
		case TOK_ENUM:
		case TOK_FLAGS:
			parse_table(p);
			break;
		case TOK_END:
		case TOK_FOR:
		case TOK_IMAGE:
		case TOK_MAJOR:
		case TOK_NEEDS:
		case TOK_RECORD:
			fmt_error(p, p->start, "'}' expected to end the major '%s', but there is %s",
				  name ? name : "?", fmt_found(p, buf, sizeof(buf)));
			return;
		default:
			p->broken = false;
			fmt_expected(p, "minor, severity, enum, flags or '}'");
			fmt_resync(p);
		}
		fmt_take(p, ';');
	}
	fmt_next(p);
}

static void parse_major(struct fmt_parser *p)
{
	parse_minors(p);
	p->nr_majors = 0;
}

/*
 * Is the string SYSTEM:EVENT, or a name without a colon, in characters that the dictionary of a
 * stream can have?
 */
static bool names_tracepoint(const struct fmt_parser *p)
{
	const char *colon = p->str_len ? memchr(p->str, ':', p->str_len) : NULL;
	size_t i;

	for (i = 0; i < p->str_len; i++)
		if (!isgraph((unsigned char)p->str[i]))
			return false;
	if (!p->str_len || p->str_len > FMT_NAME_MAX)
		return false;
	return !colon || (colon > p->str && colon + 1 < p->str + p->str_len);
}

/*
 * Parse "NAME" [ args ] [ text ]: the record of a type that programs register by name, or, with a
 * colon in the name, of a tracepoint that is added by name.
 */
static void parse_tracepoint(struct fmt_parser *p, size_t at)
{
	const char *name = fmt_copy(p, p->str, p->str_len, false, NULL);
	struct fmt_entry *e;

	if (!names_tracepoint(p))
		fmt_error(p, p->start,
			  "'%.*s' is neither the name of a type, such as PHILO_STAT, nor a tracepoint, such as i2c:i2c_write",
			  FMT_NAME_MAX, name);
	if (p->nr_owners)
		fmt_error(p, at, "a tracepoint belongs to the kernel, not to a program or module");
	fmt_next(p);
	e = parse_description(p, at, name);
	if (!e)
		return;
	if (p->nr_tracepoints++ == FMT_TRACEPOINTS_MAX)
		fmt_error(p, at, "more than %d tracepoints in one file", FMT_TRACEPOINTS_MAX);
	if (p->nr_tracepoints <= FMT_TRACEPOINTS_MAX)
		fmt_add_tracepoint(p, e);
}

static void parse_record(struct fmt_parser *p)
{
	size_t at = p->start, number_at;
	struct fmt_entry *e;
	uint64_t n = 0;

	p->broken = false;
	fmt_next(p);
	number_at = p->start;
	if (p->tok == TOK_STRING) {
		parse_tracepoint(p, at);
		return;
	}
	if (p->tok != TOK_NUMBER)
		fmt_expected(p, "the number of a record type, or in quotes the name of a type or a tracepoint");
	else
		fmt_parse_number(p, 255, "the number of a record type", &n);
	if (p->broken) {
		fmt_resync(p);
		return;
	}
	if (n == DEVTRACE_T_EXC || n == DEVTRACE_T_FAULT)
		fmt_error(p, number_at, "type %u is for %s: describe them with major and minor",
			  (unsigned int)n,
			  n == DEVTRACE_T_EXC ? "exceptions" : "the kernel's own faults");
	else if (n == DEVTRACE_T_TEXT || n == DEVTRACE_T_LOG || n == DEVTRACE_T_NAMED ||
		 devtrace_type_is_transport((unsigned int)n))
		fmt_error(p, number_at, "type %u belongs to devtrace itself; use 100-124 or 192-255",
			  (unsigned int)n);
	else if (p->nr_owners && devtrace_type_is_profile((unsigned int)n))
		fmt_error(p, number_at, "type %u belongs to the kernel, not to a program or module",
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
	if (!fmt_parse_number(p, 255, "the number of a record type", &n)) {
		fmt_resync(p);
		return;
	}
	name = fmt_parse_name(p, "the name of the record type", NULL);
	if (name)
		fmt_set_needs(p, (unsigned int)n, name, at);
}

/* Parse what is not inside braces: one declaration, or a mistake. */
static void parse_decl(struct fmt_parser *p, const char *expected)
{
	switch (p->tok) {
	case TOK_ENUM:
	case TOK_FLAGS:
		parse_table(p);
		break;
	case TOK_MAJOR:
		parse_major(p);
		break;
	case TOK_RECORD:
		parse_record(p);
		break;
	case TOK_MINOR:
	case TOK_SEVERITY:
		fmt_error(p, p->start, "%s outside of a major",
			  p->tok == TOK_MINOR ? "a minor" : "a severity");
		if (p->tok == TOK_MINOR)
			parse_minor(p);
		else
			parse_severity(p);
		break;
	default:
		p->broken = false;
		fmt_expected(p, expected);
		fmt_next(p);
		fmt_resync(p);
	}
}

/* Parse the declarations between the braces of "for". */
static void parse_bound(struct fmt_parser *p)
{
	char buf[100];

	while (!fmt_is_punct(p, '}')) {
		switch (p->tok) {
		case TOK_END:
		case TOK_FOR:
		case TOK_IMAGE:
		case TOK_NEEDS:
			fmt_error(p, p->start, "'}' expected to end 'for', but there is %s",
				  fmt_found(p, buf, sizeof(buf)));
			return;
		default:
			parse_decl(p, "enum, flags, major, record or '}'");
		}
		fmt_take(p, ';');
	}
	fmt_next(p);
}

/* Parse "for": to whom the descriptions in braces, or the rest of the file, are bound. */
static void parse_for(struct fmt_parser *p)
{
	const unsigned int nr = p->nr_owners;
	struct fmt_owner *owners[FMT_FOR_MAX];
	const bool lost = p->lost;

	memcpy(owners, p->owners, sizeof(owners));
	fmt_parse_for(p);
	if (p->lost)
		while (p->tok != TOK_END && !fmt_is_punct(p, '{') && !fmt_begins(p))
			fmt_next(p);
	if (!fmt_take(p, '{'))
		return;
	parse_bound(p);
	memcpy(p->owners, owners, sizeof(owners));
	p->nr_owners = nr;
	p->lost = lost;
}

void fmt_parse(struct fmt_parser *p)
{
	fmt_next(p);
	while (p->tok != TOK_END) {
		switch (p->tok) {
		case TOK_FOR:
			parse_for(p);
			break;
		case TOK_IMAGE:
			fmt_parse_image(p);
			break;
		case TOK_NEEDS:
			parse_needs(p);
			break;
		default:
			parse_decl(p, "enum, flags, for, image, major, needs or record");
			fmt_take(p, '}');
		}
		fmt_take(p, ';');
	}
	fmt_images_end(p);
}
