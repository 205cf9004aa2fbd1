// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * frame.c - the framing layer: flag and escapes, check values, and the encoder
 *
 * Invariants: in an encoded frame, the byte 7E is only the last byte, and the byte 7D is only
 * before 5D or 5E. dt_unescape() accepts only what the encoder can produce.
 */
#include <string.h>

#include "bytes.h"
#include "devtrace-decode.h"
#include "frame.h"

/* The polynomials 1021 and 04C11DB7, with their bits in reverse order. */
#define POLY_CRC16	0x8408u
#define POLY_CRC32	0xedb88320u

static uint32_t crc_poly(enum devtrace_check check)
{
	return check == DEVTRACE_CHECK_CRC16 ? POLY_CRC16 : POLY_CRC32;
}

static uint32_t crc_mask(enum devtrace_check check)
{
	return check == DEVTRACE_CHECK_CRC16 ? 0xffffu : 0xffffffffu;
}

static uint32_t crc_bits(uint32_t poly, uint32_t crc, int bits)
{
	while (bits--)
		crc = crc >> 1 ^ (poly & -(crc & 1));
	return crc;
}

void dt_crc_init(struct dt_crc *c, enum devtrace_check check)
{
	uint32_t poly = crc_poly(check);

	for (unsigned int i = 0; i < 256; i++)
		c->t[0][i] = crc_bits(poly, i, 8);
	/* Entry i of table k is the CRC of byte i followed by k zero bytes. */
	for (int k = 1; k < 8; k++)
		for (unsigned int i = 0; i < 256; i++)
			c->t[k][i] = c->t[k - 1][i] >> 8 ^
				     c->t[0][c->t[k - 1][i] & 0xff];
}

static uint32_t crc_tables(const struct dt_crc *c, uint32_t crc,
			   const uint8_t *p, size_t n)
{
	for (; n >= 8; n -= 8, p += 8) {
		uint32_t a = dt_le32(p) ^ crc, b = dt_le32(p + 4);

		crc = c->t[7][a & 0xff] ^ c->t[6][a >> 8 & 0xff] ^
		      c->t[5][a >> 16 & 0xff] ^ c->t[4][a >> 24] ^
		      c->t[3][b & 0xff] ^ c->t[2][b >> 8 & 0xff] ^
		      c->t[1][b >> 16 & 0xff] ^ c->t[0][b >> 24];
	}
	if (n >= 4) {
		uint32_t a = dt_le32(p) ^ crc;

		crc = c->t[3][a & 0xff] ^ c->t[2][a >> 8 & 0xff] ^
		      c->t[1][a >> 16 & 0xff] ^ c->t[0][a >> 24];
		n -= 4;
		p += 4;
	}
	while (n--)
		crc = crc >> 8 ^ c->t[0][(crc ^ *p++) & 0xff];
	return crc;
}

static uint32_t crc_plain(uint32_t poly, uint32_t crc, const uint8_t *p, size_t n)
{
	while (n--)
		crc = crc_bits(poly, crc ^ *p++, 8);
	return crc;
}

uint32_t dt_check_value(enum devtrace_check check, const struct dt_crc *c,
			const uint8_t *p, size_t n)
{
	uint32_t mask;

	if (check == DEVTRACE_CHECK_SUM8)
		return (uint8_t)~dt_sum8(p, n);
	mask = crc_mask(check);
	if (c)
		return crc_tables(c, mask, p, n) ^ mask;
	return crc_plain(crc_poly(check), mask, p, n) ^ mask;
}

bool dt_check_matches(const struct dt_crc crc[2], enum devtrace_check check,
		      const uint8_t *p, size_t n)
{
	n -= dt_check_size(check);
	switch (check) {
	case DEVTRACE_CHECK_CRC16:
		return dt_check_value(check, &crc[0], p, n) == dt_le16(p + n);
	case DEVTRACE_CHECK_CRC32:
		return dt_check_value(check, &crc[1], p, n) == dt_le32(p + n);
	default:
		return (uint8_t)(dt_sum8(p, n) + p[n]) == 0xff;
	}
}

size_t dt_unescape(uint8_t *out, size_t size, const uint8_t *raw, size_t n)
{
	const uint8_t *end = raw + n;
	size_t len = 0;

	while (raw < end) {
		const uint8_t *esc = memchr(raw, DEVTRACE_ESCAPE, (size_t)(end - raw));
		size_t run = (size_t)((esc ? esc : end) - raw);

		if (run > size - len)
			return DT_UNESCAPE_LONG;
		memcpy(out + len, raw, run);
		len += run;
		if (!esc)
			break;
		if (esc + 1 == end ||
		    (esc[1] != (DEVTRACE_ESCAPE ^ DEVTRACE_ESCAPE_XOR) &&
		     esc[1] != (DEVTRACE_FLAG ^ DEVTRACE_ESCAPE_XOR)))
			return DT_UNESCAPE_BAD;
		if (len == size)
			return DT_UNESCAPE_LONG;
		out[len++] = esc[1] ^ DEVTRACE_ESCAPE_XOR;
		raw = esc + 2;
	}
	return len;
}

struct sink {
	uint8_t	*out;
	size_t	size, len;		/* len > size: the frame did not fit */
};

static void frame_put(struct sink *s, uint8_t byte)
{
	if (s->len < s->size)
		s->out[s->len] = byte;
	s->len++;
}

static void put_escaped(struct sink *s, uint8_t byte)
{
	if (byte == DEVTRACE_FLAG || byte == DEVTRACE_ESCAPE) {
		frame_put(s, DEVTRACE_ESCAPE);
		byte ^= DEVTRACE_ESCAPE_XOR;
	}
	frame_put(s, byte);
}

/* Continue the computation of a check over n bytes of the frame. */
static uint32_t check_more(enum devtrace_check check, uint32_t state,
			   const uint8_t *p, size_t n)
{
	if (check == DEVTRACE_CHECK_SUM8)
		return state + dt_sum8(p, n);
	return crc_plain(crc_poly(check), state, p, n);
}

size_t devtrace_frame_encode(uint8_t *out, size_t size, enum devtrace_check check,
			     uint8_t seq, uint8_t type, const void *body, size_t len,
			     bool add_len)
{
	const uint8_t head[2] = { seq, type }, tail = DEVTRACE_BODY_LEN(len);
	struct sink s = { .out = out, .size = size };
	const uint8_t *p = body;
	uint32_t state;

	if ((unsigned int)check >= DT_CHECKS)
		return 0;
	state = check == DEVTRACE_CHECK_SUM8 ? 0 : crc_mask(check);
	state = check_more(check, state, head, sizeof(head));
	state = check_more(check, state, p, len);
	if (add_len)
		state = check_more(check, state, &tail, 1);
	state = ~state;

	put_escaped(&s, seq);
	put_escaped(&s, type);
	for (size_t i = 0; i < len; i++)
		put_escaped(&s, p[i]);
	if (add_len)
		put_escaped(&s, tail);
	for (size_t i = 0; i < dt_check_size(check); i++)
		put_escaped(&s, (uint8_t)(state >> 8 * i));
	frame_put(&s, DEVTRACE_FLAG);
	return s.len <= size ? s.len : 0;
}
