// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - read the members of an object of JSON
 *
 * A value that is skipped is only read as far as its end requires. Strings are changed in place.
 *
 * Invariant: p never passes end, where there is a NUL.
 */
#include <stdlib.h>
#include <string.h>
#include "import.h"

static bool json_wrong(struct json *j, const char *problem)
{
	if (!j->problem)
		j->problem = problem;
	return false;
}

static void skip_space(struct json *j)
{
	for (; *j->p == ' ' || *j->p == '\t' || *j->p == '\r' || *j->p == '\n'; j->p++)
		j->line += *j->p == '\n';
}

bool json_begin(struct json *j)
{
	skip_space(j);
	if (*j->p != '{')
		return json_wrong(j, "an object expected");
	j->p++;
	return true;
}

/* Read four hexadecimal digits. Return -1 if there are fewer. */
static long hex4(const char *p)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *digit;
	long v = 0;
	int i;

	for (i = 0; i < 4; i++) {
		digit = p[i] ? strchr(digits, p[i]) : NULL;
		if (!digit)
			return -1;
		v = v << 4 | ((digit - digits) & 15);
	}
	return v;
}

/* Read the escape at p[1] into @to. Return the number of bytes written, or 0. */
static size_t unescape(struct json *j, char *to)
{
	static const char from[] = "\"\\/bfnrt", what[] = "\"\\/\b\f\n\r\t";
	const char *c = j->p[1] ? strchr(from, j->p[1]) : NULL;
	long v, low;

	if (c) {
		*to = what[c - from];
		j->p += 2;
		return 1;
	}
	v = j->p[1] == 'u' ? hex4(j->p + 2) : -1;
	if (v <= 0)
		return 0;
	j->p += 6;
	if (v >= 0xd800 && v < 0xdc00 && j->p[0] == '\\' && j->p[1] == 'u') {
		low = hex4(j->p + 2);
		if (low < 0xdc00 || low > 0xdfff)
			return 0;
		j->p += 6;
		v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
	}
	if (v >= 0xd800 && v < 0xe000)
		return 0;
	return import_utf8(to, (uint32_t)v);
}

const char *json_string(struct json *j)
{
	char *begin, *to;
	size_t n;

	skip_space(j);
	if (*j->p != '"')
		return NULL;
	begin = to = ++j->p;
	while (*j->p != '"') {
		if (j->p == j->end || (uint8_t)*j->p < 0x20) {
			json_wrong(j, "a string does not end");
			return "";
		}
		if (*j->p != '\\') {
			*to++ = *j->p++;
			continue;
		}
		n = unescape(j, to);
		if (!n) {
			json_wrong(j, "an escape in a string is not valid");
			return "";
		}
		to += n;
	}
	j->p++;
	*to = '\0';
	return begin;
}

bool json_member(struct json *j, const char **key)
{
	if (j->problem)
		return false;
	skip_space(j);
	if (*j->p == '}') {
		j->p++;
		return false;
	}
	if (*j->p == ',')
		j->p++;
	*key = json_string(j);
	if (j->problem)
		return false;
	skip_space(j);
	if (!*key || *j->p != ':')
		return json_wrong(j, j->p == j->end ? "the file ends in an object" :
				  "a member \"NAME\": VALUE expected");
	j->p++;
	return true;
}

void json_skip(struct json *j)
{
	size_t depth = 0;

	do {
		skip_space(j);
		if (j->p == j->end || j->problem) {
			json_wrong(j, "the file ends in a value");
			return;
		}
		if (*j->p == '"') {
			json_string(j);
			continue;
		}
		if (*j->p == '{' || *j->p == '[') {
			depth++;
			j->p++;
		} else if (*j->p == '}' || *j->p == ']') {
			if (!depth) {
				json_wrong(j, "a value expected");
				return;
			}
			depth--;
			j->p++;
		} else if (*j->p == ',' || *j->p == ':') {
			if (!depth) {
				json_wrong(j, "a value expected");
				return;
			}
			j->p++;
		} else {
			const size_t n = strcspn(j->p, "{}[],:\" \t\r\n");

			if (!n) {
				json_wrong(j, "a byte 0");
				return;
			}
			j->p += n;
		}
	} while (depth);
}
