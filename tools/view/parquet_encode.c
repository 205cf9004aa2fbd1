// SPDX-License-Identifier: GPL-2.0-only
/*
 * parquet_encode.c - the encodings RLE and DELTA_BINARY_PACKED of Parquet
 *
 * Numbers of fewer than 8 bits are packed from the lowest bit of a byte on.
 */
#include <assert.h>
#include "parquet.h"

#define DELTA_BLOCK	128
#define DELTA_MINI	32	/* numbers in a miniblock */
#define RUN_LEAST	8	/* equal numbers that become a run */

void parquet_little(struct out *o, uint64_t v, unsigned int n)
{
	for (; n; n--, v >>= 8)
		out_char(o, (char)v);
}

unsigned int parquet_width(uint64_t v)
{
	unsigned int n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}

/* Bits that do not fill a byte yet. */
struct bits {
	struct out	*o;
	uint64_t	low;
	unsigned int	n;		/* below 8 between calls */
};

static void put_bits(struct bits *b, uint64_t v, unsigned int width)
{
	while (width) {
		const unsigned int take = width < 56 - b->n ? width : 56 - b->n;

		b->low |= (v & ((1ull << take) - 1)) << b->n;
		b->n += take;
		width -= take;
		v >>= take;
		for (; b->n >= 8; b->n -= 8, b->low >>= 8)
			out_char(b->o, (char)b->low);
	}
}

/* Return how many of the numbers are equal to the first one. */
static size_t run_length(const uint32_t *v, size_t n)
{
	size_t i;

	for (i = 1; i < n && v[i] == v[0]; i++)
		;
	return n ? i : 0;
}

/* Return the length of the numbers, in groups of 8, before the next run. */
static size_t before_run(const uint32_t *v, size_t n)
{
	size_t i;

	for (i = 8; i < n; i += 8)
		if (run_length(v + i, n - i < RUN_LEAST ? n - i : RUN_LEAST) == RUN_LEAST)
			return i;
	return n;
}

void parquet_hybrid(struct out *o, const uint32_t *v, size_t n, unsigned int width)
{
	struct bits b = { .o = o };
	size_t i, len;

	assert(width <= 32);
	while (n) {
		len = run_length(v, n);
		if (len >= RUN_LEAST) {
			out_varint(o, (uint64_t)len << 1);
			parquet_little(o, *v, (width + 7) / 8);
		} else {
			len = before_run(v, n);
			out_varint(o, (uint64_t)((len + 7) / 8) << 1 | 1);
			/* The last group is filled up with zeros. */
			for (i = 0; i < (len + 7) / 8 * 8; i++)
				put_bits(&b, i < len ? v[i] : 0, width);
		}
		v += len;
		n -= len;
	}
}

/* Write a miniblock: numbers of equal width. */
static void put_mini(struct out *o, const uint64_t *v, unsigned int width)
{
	struct bits b = { .o = o };
	unsigned int i;

	for (i = 0; i < DELTA_MINI; i++)
		put_bits(&b, v[i], width);
}

/* Write up to 128 differences. */
static void put_block(struct out *o, uint64_t *delta, unsigned int n)
{
	uint64_t least = delta[0], all;
	unsigned int i, k, width[DELTA_BLOCK / DELTA_MINI];

	for (i = 1; i < n; i++)
		if ((int64_t)delta[i] < (int64_t)least)
			least = delta[i];
	out_zigzag(o, (int64_t)least);
	for (i = 0; i < DELTA_BLOCK; i++)
		delta[i] = i < n ? delta[i] - least : 0;
	for (k = 0; k < DELTA_BLOCK / DELTA_MINI; k++) {
		for (i = 0, all = 0; i < DELTA_MINI; i++)
			all |= delta[k * DELTA_MINI + i];
		width[k] = parquet_width(all);
		out_char(o, (char)width[k]);
	}
	for (k = 0; k * DELTA_MINI < n; k++)
		put_mini(o, delta + (size_t)k * DELTA_MINI, width[k]);
}

void parquet_delta(struct out *o, const uint64_t *v, size_t n)
{
	uint64_t delta[DELTA_BLOCK];
	unsigned int k = 0;
	size_t i;

	out_varint(o, DELTA_BLOCK);
	out_varint(o, DELTA_BLOCK / DELTA_MINI);
	out_varint(o, n);
	out_zigzag(o, n ? (int64_t)v[0] : 0);
	for (i = 1; i < n; i++) {
		delta[k++] = v[i] - v[i - 1];
		if (k < DELTA_BLOCK && i + 1 < n)
			continue;
		put_block(o, delta, k);
		k = 0;
	}
}
