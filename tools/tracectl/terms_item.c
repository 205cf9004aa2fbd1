// SPDX-License-Identifier: GPL-2.0-only
/*
 * terms_item.c - an item of a TERM: its sign, its quotes, its text
 */
#include <ctype.h>
#include <string.h>
#include "tracectl.h"

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ?
	       tolower((unsigned char)c) - 'a' + 10 : -1;
}

/*
 * Copy a quoted text; *s is after the opening quote. Return false if the closing quote is missing,
 * or an escape is wrong.
 */
static bool quoted(const char **s, char *to, size_t size)
{
	size_t n = 0;

	while (**s != '"') {
		char c = *(*s)++;

		if (c == '\\' && (**s == '\\' || **s == '"')) {
			c = *(*s)++;
		} else if (c == '\\' && **s == 'x' && hex((*s)[1]) >= 0 && hex((*s)[2]) >= 0) {
			c = (char)(hex((*s)[1]) << 4 | hex((*s)[2]));
			*s += 3;
		} else if (c == '\\') {
			return false;
		}
		if (!c || n == size - 1)
			return false;
		to[n++] = c;
	}
	(*s)++;
	to[n] = '\0';
	return true;
}

const char *tc_item_next(const char **s, struct tc_item *item)
{
	size_t n;

	memset(item, 0, sizeof(*item));
	if (**s && strchr("!+-", **s))
		item->sign = *(*s)++;
	if (**s == '"') {
		(*s)++;
		item->quoted = true;
		if (!quoted(s, item->text, sizeof(item->text)))
			return "is not a name in quotes; inside, write \\\" \\\\ or \\xHH";
	} else {
		n = strcspn(*s, ",");
		if (n >= sizeof(item->text))
			return "is too long";
		memcpy(item->text, *s, n);
		*s += n;
	}
	if (!*item->text)
		return "has a missing value before or after a comma";
	if (**s == ',' && (*s)[1])
		(*s)++;
	else if (**s)
		return **s == ',' ? "ends with a comma" :
		       "continues after the quotes; write a comma there";
	return NULL;
}
