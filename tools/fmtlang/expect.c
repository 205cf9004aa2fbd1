// SPDX-License-Identifier: GPL-2.0-only
/*
 * expect.c - the tokens that a rule of the grammar expects, and what follows a mistake
 *
 * Invariants
 * - A function that fails has reported why, or an earlier mistake broke the declaration already.
 * - After fmt_resync() the next token begins a declaration, is '}', or is the end of the file.
 */
#include <stdio.h>
#include "internal.h"

bool fmt_is_punct(const struct fmt_parser *p, char c)
{
	return p->tok == TOK_PUNCT && p->punct == c;
}

bool fmt_take(struct fmt_parser *p, char c)
{
	if (!fmt_is_punct(p, c))
		return false;
	fmt_next(p);
	return true;
}

const char *fmt_found(const struct fmt_parser *p, char *buf, size_t size)
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

void fmt_expected(struct fmt_parser *p, const char *what)
{
	char buf[100];

	/* Report only the first error of a declaration: later ones usually follow from it. */
	if (!p->broken && !p->bad)
		fmt_error(p, p->start, "%s expected, but there is %s", what,
			  fmt_found(p, buf, sizeof(buf)));
	p->broken = true;
}

void fmt_resync(struct fmt_parser *p)
{
	while (p->tok != TOK_END && !fmt_is_punct(p, '}') && !fmt_begins(p))
		fmt_next(p);
	p->parens = 0;
}

bool fmt_parse_number(struct fmt_parser *p, uint64_t max, const char *what, uint64_t *v)
{
	size_t at = p->start;

	if (p->tok != TOK_NUMBER) {
		fmt_expected(p, what);
		return false;
	}
	*v = p->number;
	fmt_next(p);
	if (fmt_take(p, '<')) {
		if (!fmt_take(p, '<') || p->tok != TOK_NUMBER || p->number > 63) {
			fmt_expected(p, "'<<' and a number up to 63");
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

const char *fmt_parse_name(struct fmt_parser *p, const char *what, size_t *len)
{
	const char *name;

	if (p->tok != TOK_NAME) {
		fmt_expected(p, what);
		return NULL;
	}
	name = fmt_copy(p, p->name, p->name_len, false, len);
	fmt_next(p);
	return name;
}
