// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_check.c - check that each line of standard input is one JSON object
 *
 * The check is strict: RFC 8259, UTF-8 without surrogates or overlong forms, no duplicate key in
 * an object. It prints the number of lines; for a wrong line it prints that line, with exit
 * status 1. It shares no code with the programs that print JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char *p;
static unsigned long line_nr;

static _Noreturn void bad(const char *why)
{
	printf("line %lu: %s before: %.40s\n", line_nr, why, (const char *)p);
	exit(1);
}

static void utf8(void)
{
	unsigned long c;
	int n;

	if (*p < 0x80) {
		p++;
		return;
	}
	if (*p >= 0xc2 && *p <= 0xdf)
		n = 1;
	else if ((*p & 0xf0) == 0xe0)
		n = 2;
	else if (*p >= 0xf0 && *p <= 0xf4)
		n = 3;
	else
		bad("no UTF-8");
	c = *p++ & (0x3f >> n);
	for (int i = 0; i < n; i++) {
		if ((*p & 0xc0) != 0x80)
			bad("no UTF-8");
		c = c << 6 | (*p++ & 0x3f);
	}
	if ((n == 2 && c < 0x800) || (n == 3 && c < 0x10000) || c > 0x10ffff ||
	    (c >= 0xd800 && c <= 0xdfff))
		bad("no UTF-8");
}

static void string(void)
{
	if (*p++ != '"')
		bad("a string must begin");
	while (*p != '"') {
		if (*p < 0x20)
			bad("a control character");
		if (*p != '\\') {
			utf8();
			continue;
		}
		p++;
		if (*p == 'u') {
			for (int i = 1; i <= 4; i++)
				if (!strchr("0123456789abcdefABCDEF", p[i]) || !p[i])
					bad("no \\uXXXX");
			p += 5;
		} else if (*p && strchr("\"\\/bfnrt", *p)) {
			p++;
		} else {
			bad("an unknown escape");
		}
	}
	p++;
}

static void digits(void)
{
	if (*p < '0' || *p > '9')
		bad("a digit is missing");
	while (*p >= '0' && *p <= '9')
		p++;
}

static void number(void)
{
	if (*p == '-')
		p++;
	if (*p == '0')
		p++;
	else
		digits();
	if (*p == '.') {
		p++;
		digits();
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		digits();
	}
}

static void value(int depth);

static void object(int depth)
{
	const unsigned char *keys[64];
	size_t lens[64];
	int n = 0;

	for (p++; *p != '}';) {
		const unsigned char *key = p;

		string();
		for (int i = 0; i < n; i++)
			if (lens[i] == (size_t)(p - key) && !memcmp(keys[i], key, lens[i]))
				bad("a key stands twice");
		if (n < 64) {
			keys[n] = key;
			lens[n++] = p - key;
		}
		if (*p++ != ':')
			bad("':' is missing");
		value(depth + 1);
		if (*p == ',' && p[1] != '}')
			p++;
		else if (*p != '}')
			bad("'}' is missing");
	}
	p++;
}

static void array(int depth)
{
	for (p++; *p != ']';) {
		value(depth + 1);
		if (*p == ',' && p[1] != ']')
			p++;
		else if (*p != ']')
			bad("']' is missing");
	}
	p++;
}

static void value(int depth)
{
	if (depth > 10)
		bad("too deep");
	if (*p == '{')
		object(depth);
	else if (*p == '[')
		array(depth);
	else if (*p == '"')
		string();
	else if (!strncmp((const char *)p, "true", 4) || !strncmp((const char *)p, "null", 4))
		p += 4;
	else if (!strncmp((const char *)p, "false", 5))
		p += 5;
	else
		number();
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0) {
		line_nr++;
		p = (const unsigned char *)line;
		if (strlen(line) != (size_t)n || line[n - 1] != '\n')
			bad("a NUL or no line end");
		if (*p != '{')
			bad("no object");
		value(0);
		if (*p != '\n')
			bad("something behind the object");
	}
	free(line);
	printf("%lu\n", line_nr);
	return 0;
}
