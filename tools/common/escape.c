// SPDX-License-Identifier: GPL-2.0-only
/*
 * escape.c - make strings from streams and files safe to print
 *
 * Names in a trace are chosen by the programs that emit it. They must neither move the terminal's
 * cursor nor break JSON. Printable ASCII is printed unchanged. Valid UTF-8 is, too, unless it is a
 * C1 control character or changes the direction of writing.
 */
#include "out.h"

size_t utf8_len(const uint8_t *p, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c;
	size_t len, i;

	if (!n)
		return 0;
	if (*p < 0x80)
		return 1;
	len = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	if (*p < 0xc2 || *p > 0xf4 || len > n)
		return 0;
	c = *p & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

/* Would this multi-byte character change how the rest of the line is shown? */
static bool unsafe_utf8(const uint8_t *p, size_t len)
{
	if (len == 2)
		return (p[0] == 0xc2 && p[1] < 0xa0) ||	/* C1 */
		       (p[0] == 0xd8 && p[1] == 0x9c);	/* 061C */
	if (len == 3 && p[0] == 0xe2 && p[1] == 0x80)
		return (p[2] >= 0xa8 && p[2] <= 0xae) ||	/* 2028-202E */
		       p[2] == 0x8e || p[2] == 0x8f;	/* 200E, 200F */
	return len == 3 && p[0] == 0xe2 && p[1] == 0x81 &&
	       p[2] >= 0xa6 && p[2] <= 0xa9;		/* 2066-2069 */
}

static void out_xbyte(struct out *o, uint8_t c)
{
	static const char set[] = "0123456789abcdef";
	char x[4] = { '\\', 'x', set[c >> 4], set[c & 15] };

	out_mem(o, x, sizeof(x));
}

size_t out_safe(struct out *o, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t columns = 0, run = 0;

	if (o->raw) {
		out_mem(o, data, n);
		return n;
	}
	while (n) {
		size_t len;

		while (run < n && p[run] >= 0x20 && p[run] < 0x7f)
			run++;
		out_mem(o, p, run);
		columns += run;
		p += run;
		n -= run;
		run = 0;
		if (!n)
			break;
		len = utf8_len(p, n);
		if (len > 1 && !unsafe_utf8(p, len)) {
			out_mem(o, p, len);
			columns++;
		} else {
			size_t i;

			if (!len)
				len = 1;
			for (i = 0; i < len; i++)
				out_xbyte(o, p[i]);
			columns += 4 * len;
		}
		p += len;
		n -= len;
	}
	return columns;
}

void out_quoted(struct out *o, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t run;

	out_char(o, '"');
	while (n) {
		for (run = 0; run < n && p[run] != '"' && p[run] != '\\'; run++)
			;
		out_safe(o, p, run);
		p += run;
		n -= run;
		if (n) {
			out_char(o, '\\');
			out_char(o, (char)*p++);
			n--;
		}
	}
	out_char(o, '"');
}

/* Print a character up to U+FFFF as \uXXXX. */
static void out_uxxxx(struct out *o, const uint8_t *p, size_t len)
{
	static const char set[] = "0123456789abcdef";
	uint32_t c = len == 1 ? *p : len == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3f) :
		     (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3f);
	char u[6] = { '\\', 'u', set[c >> 12], set[c >> 8 & 15], set[c >> 4 & 15], set[c & 15] };

	out_mem(o, u, sizeof(u));
}

void out_json(struct out *o, const void *data, size_t n)
{
	const uint8_t *p = data;

	out_char(o, '"');
	while (n) {
		size_t run = 0, len;

		while (run < n && p[run] >= 0x20 && p[run] < 0x7f && p[run] != '"' &&
		       p[run] != '\\')
			run++;
		out_mem(o, p, run);
		p += run;
		n -= run;
		if (!n)
			break;
		len = utf8_len(p, n);
		if (len > 1 && !unsafe_utf8(p, len)) {
			out_mem(o, p, len);
		} else if (!len) {
			OUT_LIT(o, "\\ufffd");
			len = 1;
		} else if (*p == '"' || *p == '\\') {
			out_char(o, '\\');
			out_char(o, (char)*p);
		} else if (*p == '\n') {
			OUT_LIT(o, "\\n");
		} else {
			out_uxxxx(o, p, len);
		}
		p += len;
		n -= len;
	}
	out_char(o, '"');
}

void out_utf8(struct out *o, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n) {
		size_t run = 0, len;

		while (run < n && p[run] && p[run] < 0x80)
			run++;
		out_mem(o, p, run);
		p += run;
		n -= run;
		if (!n)
			break;
		len = *p ? utf8_len(p, n) : 0;
		if (len)
			out_mem(o, p, len);
		else
			OUT_LIT(o, "\xef\xbf\xbd");
		len += !len;
		p += len;
		n -= len;
	}
}

void out_fmt_string(struct out *o, const char *s)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = (const uint8_t *)s;
	size_t left = strlen(s), n;

	out_char(o, '"');
	for (; left; p += n, left -= n) {
		n = utf8_len(p, left);
		if (n > 1) {
			out_mem(o, p, n);
		} else if (*p == '"' || *p == '\\') {
			OUT_LIT(o, "\\");
			out_char(o, (char)*p);
		} else if (*p == '\n' || *p == '\t') {
			out_str(o, *p == '\n' ? "\\n" : "\\t");
		} else if (!n || *p < 0x20 || *p == 0x7f) {
			OUT_LIT(o, "\\x");
			out_char(o, digits[*p >> 4]);
			out_char(o, digits[*p & 15]);
			n = 1;
		} else {
			out_char(o, (char)*p);
		}
	}
	out_char(o, '"');
}
