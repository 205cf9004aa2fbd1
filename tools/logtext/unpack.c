// SPDX-License-Identifier: GPL-2.0-only
/*
 * unpack.c - decompress a section of an ELF file
 *
 * The debug sections that Debian and other distributions install are compressed with zlib. This
 * small decoder of the format (RFC 1950 and 1951) makes no library necessary. Its time is linear
 * in the sizes of input and output.
 *
 * Invariants: nothing is read beyond the input, and nothing is written beyond the output. After
 * the first error nothing more is decoded.
 */
#include <string.h>
#include "logtext/unpack.h"
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define CODE_BITS	15		/* longest code */
#define LITERALS	288
#define DISTANCES	30

struct inflate {
	const uint8_t	*in;
	size_t		len, at;
	uint32_t	bits;		/* bits that were read, but not used */
	unsigned int	nr_bits;
	uint8_t		*out;
	size_t		size, done;
	bool		bad;
};

/* A Huffman code: the number of codes of each length, and the symbols in their order */
struct code {
	uint16_t	count[CODE_BITS + 1];
	uint16_t	symbol[LITERALS];
};

static unsigned int take_bits(struct inflate *s, unsigned int n)
{
	uint32_t v;

	while (s->nr_bits < n) {
		if (s->at == s->len) {
			s->bad = true;
			return 0;
		}
		s->bits |= (uint32_t)s->in[s->at++] << s->nr_bits;
		s->nr_bits += 8;
	}
	v = s->bits & ((1u << n) - 1);
	s->bits >>= n;
	s->nr_bits -= n;
	return v;
}

/* Build a code from the lengths of its symbols. A length of 0 means that a symbol is unused. */
static bool code_build(struct code *c, const uint8_t *lengths, unsigned int n)
{
	uint16_t offset[CODE_BITS + 1];
	unsigned int i;
	int left = 1;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < n; i++)
		c->count[lengths[i]]++;
	offset[1] = 0;
	for (i = 1; i < CODE_BITS; i++)
		offset[i + 1] = offset[i] + c->count[i];
	for (i = 0; i < n; i++)
		if (lengths[i])
			c->symbol[offset[lengths[i]]++] = (uint16_t)i;
	c->count[0] = 0;
	for (i = 1; i <= CODE_BITS; i++) {
		left = (left << 1) - c->count[i];
		if (left < 0)
			return false;		/* more codes than bits can express */
	}
	return true;
}

/* Read the next symbol, bit by bit: codes of one length are consecutive numbers. */
static unsigned int code_next(struct inflate *s, const struct code *c)
{
	unsigned int code = 0, first = 0, index = 0, i;

	for (i = 1; i <= CODE_BITS && !s->bad; i++) {
		code |= take_bits(s, 1);
		if (code < first + c->count[i])
			return c->symbol[index + code - first];
		index += c->count[i];
		first = (first + c->count[i]) << 1;
		code <<= 1;
	}
	s->bad = true;
	return 0;
}

static void put_byte(struct inflate *s, uint8_t c)
{
	if (s->done < s->size)
		s->out[s->done++] = c;
	else
		s->bad = true;
}

/* Copy bytes from the output made so far. The ranges may overlap: the copy repeats them. */
static void put_copy(struct inflate *s, unsigned int distance, unsigned int n)
{
	if (distance > s->done || n > s->size - s->done) {
		s->bad = true;
		return;
	}
	for (; n; n--, s->done++)
		s->out[s->done] = s->out[s->done - distance];
}

static void inflate_codes(struct inflate *s, const struct code *literal,
			  const struct code *distance)
{
	static const uint16_t lens[] = {
		3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99,
		115, 131, 163, 195, 227, 258,
	};
	static const uint8_t len_bits[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5,
		0,
	};
	static const uint16_t dists[DISTANCES] = {
		1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025,
		1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
	};
	static const uint8_t dist_bits[DISTANCES] = {
		0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11,
		12, 12, 13, 13,
	};

	while (!s->bad) {
		unsigned int n, d, symbol = code_next(s, literal);

		if (s->bad || symbol == 256)
			return;
		if (symbol < 256) {
			put_byte(s, (uint8_t)symbol);
			continue;
		}
		symbol -= 257;
		if (symbol >= sizeof(lens) / sizeof(lens[0])) {
			s->bad = true;
			return;
		}
		n = lens[symbol] + take_bits(s, len_bits[symbol]);
		d = code_next(s, distance);
		if (s->bad || d >= DISTANCES) {
			s->bad = true;
			return;
		}
		d = dists[d] + take_bits(s, dist_bits[d]);
		if (!s->bad)
			put_copy(s, d, n);
	}
}

static void inflate_stored(struct inflate *s)
{
	unsigned int n;

	s->bits = 0;
	s->nr_bits = 0;
	if (s->len - s->at < 4) {
		s->bad = true;
		return;
	}
	n = s->in[s->at] | (unsigned int)s->in[s->at + 1] << 8;
	if ((n ^ 0xffff) != (s->in[s->at + 2] | (unsigned int)s->in[s->at + 3] << 8) ||
	    s->len - s->at - 4 < n || s->size - s->done < n) {
		s->bad = true;
		return;
	}
	memcpy(s->out + s->done, s->in + s->at + 4, n);
	s->at += 4 + n;
	s->done += n;
}

static void inflate_fixed(struct inflate *s)
{
	uint8_t lengths[LITERALS];
	struct code literal, distance;

	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	code_build(&literal, lengths, LITERALS);
	memset(lengths, 5, DISTANCES);
	code_build(&distance, lengths, DISTANCES);
	inflate_codes(s, &literal, &distance);
}

/* Read the lengths of both codes, which are compressed with a third code. */
static void inflate_dynamic(struct inflate *s)
{
	static const uint8_t order[19] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
	};
	unsigned int literals = take_bits(s, 5) + 257, distances = take_bits(s, 5) + 1;
	unsigned int nr = take_bits(s, 4) + 4, i, n, symbol;
	uint8_t lengths[LITERALS + 32] = { 0 }, value;
	struct code literal, distance;

	for (i = 0; i < nr; i++)
		lengths[order[i]] = (uint8_t)take_bits(s, 3);
	if (s->bad || literals > 286 || distances > DISTANCES ||
	    !code_build(&literal, lengths, 19)) {
		s->bad = true;
		return;
	}
	memset(lengths, 0, sizeof(lengths));
	for (i = 0; i < literals + distances && !s->bad;) {
		symbol = code_next(s, &literal);
		if (symbol < 16) {
			lengths[i++] = (uint8_t)symbol;
			continue;
		}
		value = 0;
		if (symbol == 16 && i)
			value = lengths[i - 1];
		else if (symbol == 16)
			s->bad = true;
		n = symbol == 16 ? 3 + take_bits(s, 2) : symbol == 17 ? 3 + take_bits(s, 3) :
		    11 + take_bits(s, 7);
		if (n > literals + distances - i)
			s->bad = true;
		for (; n && !s->bad; n--)
			lengths[i++] = value;
	}
	if (s->bad || !code_build(&literal, lengths, literals) ||
	    !code_build(&distance, lengths + literals, distances)) {
		s->bad = true;
		return;
	}
	inflate_codes(s, &literal, &distance);
}

static uint32_t adler32(const uint8_t *p, size_t n)
{
	uint32_t a = 1, b = 0;

	while (n) {
		/* The sums fit in 32 bits for so many bytes. */
		size_t part = n < 5552 ? n : 5552;

		n -= part;
		for (; part; part--) {
			a += *p++;
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}

bool unpack_zlib(const uint8_t *in, size_t len, uint8_t *out, size_t size)
{
	struct inflate s = { .in = in, .len = len, .at = 2, .out = out, .size = size };
	bool last = false;

	if (len < 2 || (in[0] & 15) != 8 || (in[1] & 0x20) || (in[0] << 8 | in[1]) % 31)
		return false;
	while (!last && !s.bad) {
		last = take_bits(&s, 1);
		switch (take_bits(&s, 2)) {
		case 0:
			inflate_stored(&s);
			break;
		case 1:
			inflate_fixed(&s);
			break;
		case 2:
			inflate_dynamic(&s);
			break;
		default:
			s.bad = true;
		}
	}
	return !s.bad && s.done == size && len - s.at >= 4 &&
	       adler32(out, size) == ((uint32_t)in[s.at] << 24 | (uint32_t)in[s.at + 1] << 16 |
				      (uint32_t)in[s.at + 2] << 8 | in[s.at + 3]);
}

bool unpack_has_zstd(void)
{
#ifdef HAVE_ZSTD
	return true;
#else
	return false;
#endif
}

bool unpack_zstd(const uint8_t *in, size_t len, uint8_t *out, size_t size)
{
#ifdef HAVE_ZSTD
	return ZSTD_decompress(out, size, in, len) == size;
#else
	(void)in;
	(void)len;
	(void)out;
	(void)size;
	return false;
#endif
}
