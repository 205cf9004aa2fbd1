// SPDX-License-Identifier: GPL-2.0-only
/*
 * xml.c - read the tags of an XML file
 *
 * Text between tags, comments and processing instructions are skipped. A file with a DOCTYPE is
 * refused, because it may declare entities. Names and values are changed in place.
 *
 * Invariant: p never passes end, where there is a NUL.
 */
#include <stdlib.h>
#include <string.h>
#include "import.h"

static bool xml_wrong(struct xml *x, const char *problem)
{
	x->problem = problem;
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_name(char c)
{
	return c && !is_space(c) && !strchr("<>/='\"&?!", c);
}

/* Go behind the next @mark. */
static bool skip_to(struct xml *x, const char *mark)
{
	const size_t n = strlen(mark);

	for (; (size_t)(x->end - x->p) >= n; x->p++) {
		if (!memcmp(x->p, mark, n)) {
			x->p += n;
			return true;
		}
		x->line += *x->p == '\n';
	}
	return false;
}

static void skip_space(struct xml *x)
{
	for (; is_space(*x->p); x->p++)
		x->line += *x->p == '\n';
}

/* Replace the entity at @from, which ends at @to. Return the number of bytes, or 0. */
static size_t entity(char *out, const char *from, size_t len)
{
	static const struct { const char *name; char c; } names[] = {
		{ "lt", '<' }, { "gt", '>' }, { "amp", '&' }, { "quot", '"' }, { "apos", '\'' },
	};
	unsigned long v;
	char *end;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == len && !memcmp(names[i].name, from, len)) {
			*out = names[i].c;
			return 1;
		}
	}
	if (len < 2 || len > 10 || *from != '#')
		return 0;
	v = from[1] == 'x' ? strtoul(from + 2, &end, 16) : strtoul(from + 1, &end, 10);
	if (end != from + len || !v || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	return import_utf8(out, (uint32_t)v);
}

static bool read_value(struct xml *x, const char **value)
{
	char quote, *to, *close;
	size_t n;

	skip_space(x);
	quote = *x->p;
	if (quote != '"' && quote != '\'')
		return xml_wrong(x, "the value of an attribute must be in quotes");
	*value = to = ++x->p;
	for (; *x->p != quote; x->p++) {
		if (x->p == x->end || *x->p == '<')
			return xml_wrong(x, "the value of an attribute does not end");
		x->line += *x->p == '\n';
		if (!*x->p)
			return xml_wrong(x, "a byte 0");
		if (*x->p != '&') {
			*to++ = *x->p;
			continue;
		}
		close = memchr(x->p, ';', (size_t)(x->end - x->p));
		n = close ? entity(to, x->p + 1, (size_t)(close - x->p - 1)) : 0;
		if (!n)
			return xml_wrong(x, "an unknown entity");
		to += n;
		x->p = close;
	}
	x->p++;
	*to = '\0';
	return true;
}

/* Read the attributes of a tag, whose name is followed by @c. */
static bool read_attributes(struct xml *x, struct xml_tag *t)
{
	char *name, *name_end;

	for (;;) {
		skip_space(x);
		if (*x->p == '>') {
			x->p++;
			return true;
		}
		if (x->p[0] == '/' && x->p[1] == '>') {
			x->p += 2;
			return true;
		}
		name = x->p;
		while (is_name(*x->p))
			x->p++;
		name_end = x->p;
		skip_space(x);
		if (name == name_end || *x->p != '=')
			return xml_wrong(x, x->p == x->end ? "the file ends in a tag" :
					 "no attribute: NAME=\"VALUE\" expected");
		x->p++;
		*name_end = '\0';
		if (t->nr == XML_ATTRIBUTES)
			return xml_wrong(x, "too many attributes");
		t->attributes[t->nr].name = name;
		if (!read_value(x, &t->attributes[t->nr].value))
			return false;
		t->nr++;
	}
}

bool xml_next(struct xml *x, struct xml_tag *t)
{
	char *name, *name_end;

	if (x->problem)
		return false;
	while (skip_to(x, "<")) {
		if (!strncmp(x->p, "!--", 3)) {
			if (!skip_to(x, "-->"))
				return xml_wrong(x, "a comment does not end");
			continue;
		}
		if (*x->p == '?') {
			if (!skip_to(x, "?>"))
				return xml_wrong(x, "a processing instruction does not end");
			continue;
		}
		if (*x->p == '!')
			return xml_wrong(x, "DOCTYPE and CDATA are not supported");
		memset(t, 0, sizeof(*t));
		t->line = x->line;
		t->closes = *x->p == '/';
		x->p += t->closes;
		name = x->p;
		while (is_name(*x->p))
			x->p++;
		name_end = x->p;
		if (name == name_end)
			return xml_wrong(x, "a tag has no name");
		/* The name is ended after the byte behind it was read. */
		if (!read_attributes(x, t))
			return false;
		*name_end = '\0';
		t->name = name;
		return true;
	}
	return false;
}

const char *xml_value(const struct xml_tag *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->attributes[i].name, name))
			return t->attributes[i].value;
	return NULL;
}
