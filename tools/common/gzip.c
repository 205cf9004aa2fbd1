// SPDX-License-Identifier: GPL-2.0-only
/*
 * gzip.c - compress with gzip (RFC 1951, RFC 1952), without a library
 *
 * This is for messages in which each record is similar to the records just before it. A record
 * then is a few copies from one distance, with bytes of its own between them. So the distance of
 * the previous copy is tried first, and each four bytes are looked up only once, in a table without
 * chains. The codes are the fixed ones of RFC 1951. Compared with the fastest level of zlib this
 * takes a fifth of the instructions, and needs no library.
 *
 * Invariants
 * - The result depends only on the input.
 * - A copy refers at most WINDOW bytes back, and never before the input's first byte.
 */
#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/gzip.h"

#define WINDOW		32768
#define COPY_MIN	4
#define COPY_MAX	258
#define HASH_BITS	12
#define END_OF_BLOCK	256
/* the longest token: a copy */
#define TOKEN_BITS	(8 + 5 + 5 + 13)
#define SLICES		8

/* A code with its extra bits, in the order in which they are written. */
struct gzip_code {
	uint32_t	bits;
	uint8_t		n;
};

struct gzip {
	struct gzip_code literal[END_OF_BLOCK + 1];
	struct gzip_code length[COPY_MAX + 1];
	/* distance: the code of distance d is at d - 1, or from 257 on at 256 + ((d - 1) >> 7) */
	uint8_t		distance[512];
	struct gzip_code distance_code[30];
	uint16_t	distance_base[30];
	uint32_t	crc[SLICES][256];
	/* last: one more than the place where bytes with this hash were seen last; 0: nowhere */
	uint32_t	last[1 << HASH_BITS];
};

/* Bits that are not written yet, the first one lowest. */
struct gzip_bits {
	uint64_t	v;
	unsigned int	n;
	uint8_t		*to;
};

static uint32_t gzip_reverse(uint32_t v, unsigned int n)
{
	uint32_t r = 0;

	while (n--) {
		r = r << 1 | (v & 1);
		v >>= 1;
	}
	return r;
}

/* The fixed code of a literal or length (RFC 1951, 3.2.6). */
static struct gzip_code gzip_fixed(unsigned int symbol)
{
	struct gzip_code c;

	if (symbol < 144)
		c = (struct gzip_code){ 0x30 + symbol, 8 };
	else if (symbol < 256)
		c = (struct gzip_code){ 0x190 + symbol - 144, 9 };
	else if (symbol < 280)
		c = (struct gzip_code){ symbol - 256, 7 };
	else
		c = (struct gzip_code){ 0xc0 + symbol - 280, 8 };
	c.bits = gzip_reverse(c.bits, c.n);
	return c;
}

static void gzip_lengths(struct gzip *z)
{
	unsigned int symbol = 257, extra = 0, len = 3, i, k;

	/* Four symbols for each number of extra bits, but eight for none. */
	for (i = 0; len < COPY_MAX; i++, symbol++) {
		const struct gzip_code c = gzip_fixed(symbol);

		extra = i < 8 ? 0 : i / 4 - 1;
		for (k = 0; k < 1u << extra && len < COPY_MAX; k++)
			z->length[len++] = (struct gzip_code){ c.bits | k << c.n, c.n + extra };
	}
	z->length[COPY_MAX] = gzip_fixed(285);
}

static void gzip_distances(struct gzip *z)
{
	unsigned int code, extra, d = 1, k;

	for (code = 0; code < 30; code++) {
		extra = code < 4 ? 0 : code / 2 - 1;
		z->distance_base[code] = (uint16_t)d;
		z->distance_code[code] = (struct gzip_code){ gzip_reverse(code, 5), extra };
		for (k = d - 1; k < d - 1 + (1u << extra); k++)
			z->distance[k < 256 ? k : 256 + (k >> 7)] = (uint8_t)code;
		d += 1u << extra;
	}
}

static void gzip_crc_init(struct gzip *z)
{
	uint32_t v;
	int i, k;

	for (i = 0; i < 256; i++) {
		for (v = (uint32_t)i, k = 0; k < 8; k++)
			v = v >> 1 ^ (v & 1 ? 0xedb88320 : 0);
		z->crc[0][i] = v;
	}
	for (k = 1; k < SLICES; k++)
		for (i = 0; i < 256; i++)
			z->crc[k][i] = z->crc[k - 1][i] >> 8 ^ z->crc[0][z->crc[k - 1][i] & 0xff];
}

static uint32_t gzip_crc(const struct gzip *z, const uint8_t *p, size_t n)
{
	uint32_t v = ~0u;
	uint64_t w;

	for (; n >= SLICES; n -= SLICES, p += SLICES) {
		memcpy(&w, p, sizeof(w));
		w = le64toh(w) ^ v;
		v = z->crc[7][w & 0xff] ^ z->crc[6][w >> 8 & 0xff] ^
		    z->crc[5][w >> 16 & 0xff] ^ z->crc[4][w >> 24 & 0xff] ^
		    z->crc[3][w >> 32 & 0xff] ^ z->crc[2][w >> 40 & 0xff] ^
		    z->crc[1][w >> 48 & 0xff] ^ z->crc[0][w >> 56];
	}
	while (n--)
		v = v >> 8 ^ z->crc[0][(v ^ *p++) & 0xff];
	return ~v;
}

/* Append bits. There is room for 32 more. */
static inline void gzip_put(struct gzip_bits *b, uint32_t bits, unsigned int n)
{
	b->v |= (uint64_t)bits << b->n;
	b->n += n;
	if (b->n >= 32) {
		const uint32_t w = htole32((uint32_t)b->v);

		memcpy(b->to, &w, sizeof(w));
		b->to += sizeof(w);
		b->v >>= 32;
		b->n -= 32;
	}
}

static inline uint32_t gzip_load(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The number of bytes, at most @most, that are the same at @a and @b. */
static inline size_t gzip_same(const uint8_t *a, const uint8_t *b, size_t most)
{
	uint64_t x, y;
	size_t n;

	for (n = 0; n + sizeof(x) <= most; n += sizeof(x)) {
		memcpy(&x, a + n, sizeof(x));
		memcpy(&y, b + n, sizeof(y));
		if (x != y)
			return n + (size_t)__builtin_ctzll(le64toh(x ^ y)) / 8;
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

static inline uint32_t *gzip_slot(struct gzip *z, uint32_t four)
{
	return &z->last[le32toh(four) * 2654435761u >> (32 - HASH_BITS)];
}

static inline void gzip_copy(const struct gzip *z, struct gzip_bits *b, size_t len, size_t d)
{
	const unsigned int code = z->distance[d <= 256 ? d - 1 : 256 + ((d - 1) >> 7)];
	const struct gzip_code *c = &z->distance_code[code];

	gzip_put(b, z->length[len].bits, z->length[len].n);
	gzip_put(b, c->bits | (uint32_t)(d - z->distance_base[code]) << 5, 5u + c->n);
}

/* The distance of earlier bytes that equal the four at @i; 0: there are none. */
static inline size_t gzip_find(struct gzip *z, const uint8_t *p, size_t i, size_t before)
{
	const uint32_t four = gzip_load(p + i);
	uint32_t *slot = gzip_slot(z, four);
	const size_t at = *slot;

	*slot = (uint32_t)i + 1;
	if (before && before <= i && gzip_load(p + i - before) == four)
		return before;
	if (at && i + 1 - at <= WINDOW && gzip_load(p + at - 1) == four)
		return i + 1 - at;
	return 0;
}

static void gzip_block(struct gzip *z, struct gzip_bits *b, const uint8_t *p, size_t n)
{
	size_t i = 0, d = 0, found, len;

	memset(z->last, 0, sizeof(z->last));
	gzip_put(b, 3, 3);	/* the last block; fixed codes */
	while (i < n) {
		found = n - i >= COPY_MIN ? gzip_find(z, p, i, d) : 0;
		if (!found) {
			gzip_put(b, z->literal[p[i]].bits, z->literal[p[i]].n);
			i++;
			continue;
		}
		d = found;
		len = COPY_MIN + gzip_same(p + i + COPY_MIN, p + i + COPY_MIN - d,
					   (n - i < COPY_MAX ? n - i : COPY_MAX) - COPY_MIN);
		gzip_copy(z, b, len, d);
		i += len;
	}
	gzip_put(b, z->literal[END_OF_BLOCK].bits, z->literal[END_OF_BLOCK].n);
}

bool gzip(struct gzip *z, struct out *to, const void *p, size_t n)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255 };
	const size_t most = sizeof(head) + n / 8 * 9 + 9 + 16 + 8;
	struct gzip_bits b = { .n = 0 };
	uint32_t tail[2];

	if (n > UINT32_MAX / 2 || !out_room(to, most))
		return false;
	out_mem(to, head, sizeof(head));
	b.to = (uint8_t *)to->buf + to->len;
	gzip_block(z, &b, p, n);
	for (; b.n; b.n -= b.n < 8 ? b.n : 8) {
		*b.to++ = (uint8_t)b.v;
		b.v >>= 8;
	}
	tail[0] = htole32(gzip_crc(z, p, n));
	tail[1] = htole32((uint32_t)n);
	memcpy(b.to, tail, sizeof(tail));
	to->len = (size_t)((char *)b.to + sizeof(tail) - to->buf);
	return true;
}

struct gzip *gzip_new(void)
{
	struct gzip *z = malloc(sizeof(*z));
	unsigned int i;

	if (!z)
		return NULL;
	for (i = 0; i <= END_OF_BLOCK; i++)
		z->literal[i] = gzip_fixed(i);
	gzip_lengths(z);
	gzip_distances(z);
	gzip_crc_init(z);
	return z;
}

void gzip_free(struct gzip *z)
{
	free(z);
}
