/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * frame.h - the framing layer: escapes and check values
 *
 * Private to the library. A "raw" frame is what stands between two flags; a
 * frame is that without its escapes: seq, type, body, length byte, check.
 */
#ifndef DT_FRAME_H
#define DT_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#define DT_CHECKS	3		/* how many values enum devtrace_check has */

/*
 * Tables for eight bytes at a time, for a CRC of up to 32 bits that takes the
 * low bit of each byte first. They are built by the decoder for itself, so
 * that the library has no writable data and a program that only emits does
 * not carry them.
 */
struct dt_crc {
	uint32_t t[8][256];
};

void dt_crc_init(struct dt_crc *c, enum devtrace_check check);

/* How many bytes the check takes at the end of a frame. */
static inline size_t dt_check_size(enum devtrace_check check)
{
	return (size_t)1 << check;
}

/*
 * The check value of n bytes. c: the tables of this check, or NULL to go
 * without (slower, needs nothing prepared).
 */
uint32_t dt_check_value(enum devtrace_check check, const struct dt_crc *c,
			const uint8_t *p, size_t n);

#define DT_UNESCAPE_BAD		((size_t)-1)	/* escape before another byte */
#define DT_UNESCAPE_LONG	((size_t)-2)	/* does not fit */

/*
 * Take the escapes out of n raw bytes. Only 7D 5D and 7D 5E are escapes: an
 * encoder never makes another, so another is damage. Returns the length.
 */
size_t dt_unescape(uint8_t *out, size_t size, const uint8_t *raw, size_t n);

#endif
