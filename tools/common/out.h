/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * out.h - text output in big blocks, without printf
 *
 * Everything that traceinfo prints goes through here: a growing or a flushing
 * buffer, the formatting of integers, and the escaping of what comes from a
 * stream or a file. The hot path is a bounds check and a copy.
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
	int	fd;		/* flushed here when full; -1: grows instead */
	int	err;		/* errno of the first failure; then all is dropped */
	bool	raw;		/* out_safe() leaves all as it is: who reads this escapes it */
	/*
	 * Set by a signal that is to end the program: then who takes nothing for
	 * OUT_PATIENCE ms gets no more, and err is EINTR. NULL: no signal is.
	 */
	const volatile sig_atomic_t *stop;
};

#define OUT_PATIENCE	1000

/* Memory is allocated by the first output; fd -1 makes a buffer in memory. */
void out_init(struct out *o, int fd);
void out_free(struct out *o);
/* Write what is buffered to the descriptor. 0 or -1: see err. */
int out_flush(struct out *o);

/* Make place for n bytes more; false if that is not possible. */
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

/* n times the character c. */
void out_fill(struct out *o, char c, size_t n);

/* "00" to "99" */
extern const char out_pairs[201];

/* How a number or string is to be laid out: the flags of printf(3). */
struct out_spec {
	uint8_t	width, digits;	/* digits: OUT_NODIGITS if not given */
	bool	left, zero, plus, space, alt, group;
};

#define OUT_NODIGITS	0xff

void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
/* 0x and the digits; at least n of them. */
void out_hex(struct out *o, uint64_t v, unsigned int n);
/* v / 10^scale, with all digits after the point. */
void out_scaled(struct out *o, int64_t v, unsigned int scale);

/* Any integer in any base (2, 8, 10, 16; upper: ABCDEF) with a layout. */
void out_int(struct out *o, uint64_t magnitude, bool negative, unsigned int base,
	     bool upper, unsigned int scale, const struct out_spec *s);
/* conv is f, e or g. */
void out_double(struct out *o, double v, char conv, const struct out_spec *s);
/* The shortest form that reads back as the same number. */
void out_double_short(struct out *o, double v, bool single);

/*
 * Bytes of unknown origin, made safe for a terminal: control characters and
 * what is no UTF-8 become \xHH, a backslash stays. The number of columns
 * (characters) is returned.
 */
size_t out_safe(struct out *o, const void *p, size_t n);
/* The same as a C string: quotes and backslash are escaped as well. */
void out_quoted(struct out *o, const void *p, size_t n);
/*
 * A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD, and
 * what a terminal would take for a command is \uXXXX.
 */
void out_json(struct out *o, const void *p, size_t n);
/* The length of the UTF-8 character at p (1-4), 0 if there is none. */
size_t utf8_len(const uint8_t *p, size_t n);

#endif
