// SPDX-License-Identifier: GPL-2.0-only
/*
 * out.c - the output buffer: blocks, integers, floats
 *
 * After an error (err != 0) nothing more is written or counted, so callers need to check only
 * once, at the end. len <= size at all times. No byte of the input is ever used as a printf()
 * format.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "out.h"

#define BLOCK	(256 * 1024)

void out_init(struct out *o, int fd)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
}

void out_free(struct out *o)
{
	free(o->buf);
	o->buf = NULL;
	o->len = 0;
	o->size = 0;
}

/*
 * Return how many of @n bytes may be passed to write(2). After a signal to stop, write(2) must not
 * block, because a second signal may never come. Then return only as many bytes as a pipe accepts
 * at once, or 0.
 */
static size_t may_write(const struct out *o, size_t n)
{
	struct pollfd p = { .fd = o->fd, .events = POLLOUT };
	int ret;

	if (!o->stop || !*o->stop)
		return n;
	do
		ret = poll(&p, 1, OUT_PATIENCE);
	while (ret < 0 && errno == EINTR);
	return !ret ? 0 : n < PIPE_BUF ? n : PIPE_BUF;
}

int out_flush(struct out *o)
{
	size_t done = 0;

	while (!o->err && o->fd >= 0 && done < o->len) {
		size_t len = may_write(o, o->len - done);
		ssize_t n;

		if (!len) {
			o->err = EINTR;
			break;
		}
		n = write(o->fd, o->buf + done, len);
		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			o->err = errno;
	}
	if (o->fd >= 0)
		o->len = 0;
	return o->err ? -1 : 0;
}

bool out_grow(struct out *o, size_t n)
{
	size_t size = o->size ? o->size : (o->fd >= 0 ? BLOCK : 256);
	char *buf;

	if (o->fd >= 0 && o->len)
		out_flush(o);
	if (o->err)
		return false;
	if (o->size - o->len >= n)
		return true;
	while (size - o->len < n) {
		if (size > SIZE_MAX / 2) {
			o->err = ENOMEM;
			return false;
		}
		size *= 2;
	}
	buf = realloc(o->buf, size);
	if (!buf) {
		o->err = ENOMEM;
		return false;
	}
	o->buf = buf;
	o->size = size;
	return true;
}

void out_varint(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

void out_zigzag(struct out *o, int64_t v)
{
	out_varint(o, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

void out_fill(struct out *o, char c, size_t n)
{
	if (n && out_room(o, n)) {
		memset(o->buf + o->len, c, n);
		o->len += n;
	}
}

const char out_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334"
	"3536373839404142434445464748495051525354555657585960616263646566676869"
	"707172737475767778798081828384858687888990919293949596979899";

/* Write decimal digits before @p. Return where they begin. */
static char *digits10(char *p, uint64_t v)
{
	while (v >= 100) {
		p -= 2;
		memcpy(p, out_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, out_pairs + v * 2, 2);
	} else {
		*--p = '0' + (char)v;
	}
	return p;
}

void out_u64(struct out *o, uint64_t v)
{
	char buf[20], *p = digits10(buf + sizeof(buf), v);

	out_mem(o, p, buf + sizeof(buf) - p);
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static char *digits2n(char *p, uint64_t v, unsigned int shift, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	do {
		*--p = set[v & ((1u << shift) - 1)];
		v >>= shift;
	} while (v);
	return p;
}

void out_hex(struct out *o, uint64_t v, unsigned int n)
{
	char buf[16], *p = digits2n(buf + sizeof(buf), v, 4, false);
	size_t len = buf + sizeof(buf) - p;

	OUT_LIT(o, "0x");
	if (len < n)
		out_fill(o, '0', n - len);
	out_mem(o, p, len);
}

void out_scaled(struct out *o, int64_t v, unsigned int scale)
{
	static const struct out_spec plain = { .digits = OUT_NODIGITS };

	out_int(o, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0, 10, false, scale, &plain);
}

static void pad(struct out *o, const struct out_spec *s, const char *sign, size_t nsign,
		const char *body, size_t nbody, bool zero)
{
	size_t fill = nsign + nbody < s->width ? s->width - nsign - nbody : 0;

	if (fill && !s->left && !zero)
		out_fill(o, ' ', fill);
	out_mem(o, sign, nsign);
	if (fill && !s->left && zero)
		out_fill(o, '0', fill);
	out_mem(o, body, nbody);
	if (fill && s->left)
		out_fill(o, ' ', fill);
}

/* Round to @digits digits after the decimal point; *scale becomes the number of digits left. */
static uint64_t round_scaled(uint64_t v, unsigned int *scale, unsigned int digits)
{
	while (*scale > digits) {
		unsigned int last = v % 10;

		v /= 10;
		--*scale;
		/* Round up if the last digit that was removed is 5 or more. */
		if (*scale == digits && last >= 5)
			v++;
	}
	return v;
}

void out_int(struct out *o, uint64_t v, bool negative, unsigned int base, bool upper,
	     unsigned int scale, const struct out_spec *s)
{
	char digits[64 + 1], body[160], sign[4];
	char *end = digits + sizeof(digits), *p, *b = body;
	unsigned int extra = 0;
	size_t n, nsign = 0, i;

	if (scale && s->digits != OUT_NODIGITS && s->digits < scale)
		v = round_scaled(v, &scale, s->digits);
	else if (scale && s->digits != OUT_NODIGITS)
		extra = s->digits - scale;

	p = base == 10 ? digits10(end, v) :
	    digits2n(end, v, base == 16 ? 4 : base == 8 ? 3 : 1, upper);
	n = end - p;

	if (negative)
		sign[nsign++] = '-';
	else if (s->plus)
		sign[nsign++] = '+';
	else if (s->space)
		sign[nsign++] = ' ';
	if (s->alt && v && base != 10) {
		sign[nsign++] = '0';
		if (base == 16)
			sign[nsign++] = upper ? 'X' : 'x';
		else if (base == 2)
			sign[nsign++] = 'b';
	}

	/* Digits before the decimal point: one or, if a precision is given, that many. */
	if (!scale && s->digits != OUT_NODIGITS && !extra)
		for (i = n; i < s->digits; i++)
			*b++ = '0';
	if (n <= scale)
		*b++ = '0';
	for (i = n; i > scale; i--) {
		*b++ = *p++;
		if (s->group && base == 10 && i - 1 > scale && (i - 1 - scale) % 3 == 0)
			*b++ = ',';
	}
	if (scale || extra) {
		*b++ = '.';
		for (i = scale; i > n; i--)
			*b++ = '0';
		while (p < end)
			*b++ = *p++;
		while (extra--)
			*b++ = '0';
	}
	pad(o, s, sign, nsign, body, b - body,
	    s->zero && (s->digits == OUT_NODIGITS || scale));
}

void out_double(struct out *o, double v, char conv, const struct out_spec *s)
{
	int digits = s->digits == OUT_NODIGITS ? 6 : s->digits;
	char buf[400], sign[2], *p = buf;
	size_t nsign = 0;
	int n;

	/* The formats are constants of this program, never text from a format file. */
	if (conv == 'e')
		n = snprintf(buf, sizeof(buf), "%.*e", digits, v);
	else if (conv == 'g')
		n = snprintf(buf, sizeof(buf), "%.*g", digits, v);
	else
		n = snprintf(buf, sizeof(buf), "%.*f", digits, v);
	if (n < 0)
		n = 0;
	if (*p == '-') {
		sign[nsign++] = *p++;
		n--;
	} else if (s->plus) {
		sign[nsign++] = '+';
	} else if (s->space) {
		sign[nsign++] = ' ';
	}
	pad(o, s, sign, nsign, p, n, s->zero && *p >= '0' && *p <= '9');
}

/* Write the fewest digits that are read back as @v. Return the number that they are as a double. */
static double short_digits(char *buf, size_t size, double v, bool single)
{
	double back = v;
	int digits;

	for (digits = single ? 6 : 15; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, v);
		back = strtod(buf, NULL);
		if (single ? (float)back == (float)v : back == v)
			break;
	}
	return back;
}

void out_double_short(struct out *o, double v, bool single)
{
	char buf[40];

	short_digits(buf, sizeof(buf), v, single);
	out_str(o, buf);
}

double out_double_printed(double v, bool single)
{
	char buf[40];

	return short_digits(buf, sizeof(buf), v, single);
}
