/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frame.h - the framing layer: escapes and check values
 *
 * Private to the library. A raw frame is the bytes between two flags. Without its escapes it is a
 * frame: sequence number, type, body, length byte, check.
 */
#ifndef DT_FRAME_H
#define DT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#include "bytes.h"

#define DT_CHECKS	3		/* number of enum devtrace_check values */

/*
 * Tables of a CRC of up to 32 bits, to process eight bytes at a time. Each decoder builds its own
 * tables, so that the library has no writable data and programs that only emit do not contain
 * them.
 */
struct dt_crc {
	uint32_t t[8][256];
};

void dt_crc_init(struct dt_crc *c, enum devtrace_check check);

/* Return the number of bytes of the check at the end of a frame. */
static inline size_t dt_check_size(enum devtrace_check check)
{
	return (size_t)1 << check;
}

/*
 * Return the sum of n bytes modulo 256. Eight bytes at a time are added in four fields of 16 bits.
 * Each step adds at most 510 to a field, so after 128 steps the fields are added up.
 */
static inline uint8_t dt_sum8(const uint8_t *p, size_t n)
{
	const uint64_t even = 0x00ff00ff00ff00ffull;
	unsigned int sum = 0;

	while (n >= 8) {
		size_t steps = n / 8 < 128 ? n / 8 : 128;
		uint64_t lanes = 0;

		n -= steps * 8;
		for (; steps; steps--, p += 8) {
			uint64_t x = dt_le64(p);

			lanes += (x & even) + (x >> 8 & even);
		}
		sum += (unsigned int)((lanes & 0xffff) + (lanes >> 16 & 0xffff) +
				      (lanes >> 32 & 0xffff) + (lanes >> 48));
	}
	if (n >= 4) {
		uint32_t x = dt_le32(p);

		x = (x & 0x00ff00ff) + (x >> 8 & 0x00ff00ff);
		sum += (x & 0xffff) + (x >> 16);
		n -= 4;
		p += 4;
	}
	while (n--)
		sum += *p++;
	return (uint8_t)sum;
}

/* Compute the check of n bytes. c: tables of this check, or NULL for a slower computation. */
uint32_t dt_check_value(enum devtrace_check check, const struct dt_crc *c,
			const uint8_t *p, size_t n);

/*
 * Do the last of the n bytes contain the right check of the bytes before them? crc: tables of
 * CRC-16 and CRC-32.
 */
bool dt_check_matches(const struct dt_crc crc[2], enum devtrace_check check,
		      const uint8_t *p, size_t n);

#define DT_UNESCAPE_BAD		((size_t)-1)	/* an escape before an invalid byte */
#define DT_UNESCAPE_LONG	((size_t)-2)	/* does not fit */

/*
 * Remove the escapes from n raw bytes and return the length. The only valid escapes are 7D 5D and
 * 7D 5E; 7D before any other byte is damage.
 */
size_t dt_unescape(uint8_t *out, size_t size, const uint8_t *raw, size_t n);

#endif
