/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * out.h - text output in large blocks, without printf()
 *
 * All output of traceinfo is written through this buffer, which also formats integers and escapes
 * text from the input. The usual case is a check of the room and a copy.
 */
#ifndef TRACEINFO_OUT_H
#define TRACEINFO_OUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct out {
	char	*buf;
	size_t	len, size;
	/* fd: the descriptor to which a full buffer is written; -1: the buffer grows instead */
	int	fd;
	/* err: errno of the first failure; all later output is dropped */
	int	err;
	bool	raw;		/* out_safe() does not escape: its caller will */
	/*
	 * Set by a signal that ends the program: afterwards, if a reader accepts nothing for
	 * OUT_PATIENCE ms, nothing more is written and err is EINTR. NULL: there is no such
	 * signal.
	 */
	const volatile sig_atomic_t *stop;
};

#define OUT_PATIENCE	1000

/* The first output allocates the memory. */
void out_init(struct out *o, int fd);
void out_free(struct out *o);
/* Write the buffer to the descriptor. Return 0, or -1: see err. */
int out_flush(struct out *o);

/* Make room for @n bytes. Return false if that fails. */
bool out_grow(struct out *o, size_t n);

static inline bool out_room(struct out *o, size_t n)
{
	return o->size - o->len >= n || out_grow(o, n);
}

static inline void out_char(struct out *o, char c)
{
	if (out_room(o, 1))
		o->buf[o->len++] = c;
}

static inline void out_mem(struct out *o, const void *p, size_t n)
{
	if (n && out_room(o, n)) {
		memcpy(o->buf + o->len, p, n);
		o->len += n;
	}
}

static inline void out_str(struct out *o, const char *s)
{
	out_mem(o, s, strlen(s));
}

#define OUT_LIT(o, s)	out_mem(o, s, sizeof(s) - 1)

/* Write a number as a varint (LEB128), lowest 7 bits first; or a signed one in zigzag form. */
void out_varint(struct out *o, uint64_t v);
void out_zigzag(struct out *o, int64_t v);

/* Print the character c n times. */
void out_fill(struct out *o, char c, size_t n);

/* "00" to "99" */
extern const char out_pairs[201];

/* Layout of a number or string: the flags of printf(3). */
struct out_spec {
	uint8_t	width, digits;	/* OUT_NODIGITS: no precision */
	bool	left, zero, plus, space, alt, group;
};

#define OUT_NODIGITS	0xff

void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
/* Print 0x and at least n digits. */
void out_hex(struct out *o, uint64_t v, unsigned int n);
/* Print v / 10^scale with all digits after the point. */
void out_scaled(struct out *o, int64_t v, unsigned int scale);

/* Print an integer in base 2, 8, 10 or 16; @upper: with the digits A to F, not a to f. */
void out_int(struct out *o, uint64_t magnitude, bool negative, unsigned int base,
	     bool upper, unsigned int scale, const struct out_spec *s);
/* conv is f, e or g. */
void out_double(struct out *o, double v, char conv, const struct out_spec *s);
/* Print the shortest decimal number that reads back as the same value. */
void out_double_short(struct out *o, double v, bool single);
/* Return that decimal number as a double: for the single 0.1f, it is 0.1. */
double out_double_printed(double v, bool single);

/*
 * Print bytes for a terminal: control characters and invalid UTF-8 become \xHH; a backslash stays
 * as it is. Return the number of columns (characters).
 */
size_t out_safe(struct out *o, const void *p, size_t n);
/* Print bytes in the form of a C string: quotes and backslashes are escaped, too. */
void out_quoted(struct out *o, const void *p, size_t n);
/* Print a JSON string with quotes. Invalid UTF-8 becomes U+FFFD, and control characters \uXXXX. */
void out_json(struct out *o, const void *p, size_t n);
/* Copy text. Bytes that are not UTF-8, and NUL, become U+FFFD. */
void out_utf8(struct out *o, const void *p, size_t n);
/* Print a string of fmt(5), in quotes. Bytes that are not printable UTF-8 become \xHH. */
void out_fmt_string(struct out *o, const char *s);
/* Return the length of the UTF-8 character at @p, 1 to 4 bytes, or 0 if it is invalid. */
size_t utf8_len(const uint8_t *p, size_t n);

#endif
