// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols.c - the kernel's words for values of a tracepoint's fields, as enums of fmt(5)
 *
 * A file in tracefs describes how the kernel prints the records of a tracepoint. If the kernel
 * prints the values of a field as words, the description contains
 * __print_symbolic(REC->FIELD, { 1, "WORD" }, ...). If these words cannot be parsed, the field
 * remains a number.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include "tracectl.h"

#define CALL	"__print_symbolic(REC->"
/* Maximum number of words of one field. */
#define WORDS	1024

/* If the next character, after spaces, is @c, return the text after it, otherwise NULL. */
static const char *after(const char *p, char c)
{
	if (!p)
		return NULL;
	p += strspn(p, " ");
	return *p == c ? p + 1 : NULL;
}

/* Find the words of a field. Return the text after "REC->FIELD,", or NULL. */
static const char *find_words(const char *format, const char *field, size_t len)
{
	const char *p = format;

	while ((p = strstr(p, CALL))) {
		p += strlen(CALL);
		if (!strncmp(p, field, len) && after(p + len, ','))
			return after(p + len, ',');
	}
	return NULL;
}

/* Print the labels of an enum. Return false if the words do not have the form { 1, "WORD" }. */
static bool put_labels(struct out *o, const char *p)
{
	static long long seen[WORDS];
	unsigned int nr = 0, i;

	for (;;) {
		const char *next;
		char *end;
		size_t len;

		p = after(p, '{');
		if (!p || nr == WORDS)
			return false;
		errno = 0;
		seen[nr] = strtoll(p, &end, 0);
		if (errno || end == p)
			return false;
		p = after(after(end + strspn(end, "uUlL"), ','), '"');
		if (!p)
			return false;
		len = strcspn(p, "\"\\\n");
		/* The kernel prints the first word that has the value. */
		for (i = 0; seen[i] != seen[nr]; i++)
			;
		if (i == nr) {
			OUT_LIT(o, "\t\"");
			out_safe(o, p, len);
			OUT_LIT(o, "\" = ");
			out_i64(o, seen[nr++]);
			OUT_LIT(o, ",\n");
		}
		p = after(after(p + len, '"'), '}');
		next = after(p, ',');
		if (!next)
			return after(p, ')');
		p = next;
	}
}

/* Print an enum for the field. Return false and print nothing if no words are known. */
static bool put_enum(struct out *o, const char *format, const char *field, size_t len,
		     unsigned int type)
{
	const char *words = find_words(format, field, len);
	const size_t begin = o->len;

	if (!words)
		return false;
	OUT_LIT(o, "enum ");
	out_safe(o, field, len);
	out_char(o, '_');
	out_u64(o, type);
	OUT_LIT(o, " {\n");
	if (!put_labels(o, words)) {
		o->len = begin;
		return false;
	}
	OUT_LIT(o, "}\n");
	return true;
}

void tc_symbols(struct out *enums, struct out *args, const char *format, unsigned int type,
		const char *elements)
{
	const char *p = elements;

	while (*p) {
		const size_t all = strcspn(p, ","), kind = strcspn(p, " ,");
		const char *name = p + kind + (p[kind] == ' ');
		const size_t len = strcspn(name, " ,");

		/* Only integers, i8 to u64 and any, can be arguments of an enum. */
		if (strchr("iua", *p) && put_enum(enums, format, name, len, type)) {
			OUT_LIT(args, "enum ");
			out_safe(args, name, len);
			out_char(args, '_');
			out_u64(args, type);
			out_char(args, ' ');
			out_safe(args, name, len);
		} else {
			out_safe(args, p, all);
		}
		p += all + strspn(p + all, ", ");
		if (*p)
			OUT_LIT(args, ", ");
	}
}
