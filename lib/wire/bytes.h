/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bytes.h - little-endian numbers in unaligned bytes
 *
 * Frames are little-endian on every machine. The functions use shifts, which depend neither on the
 * machine's byte order nor on alignment; the compiler turns them into one load where possible.
 */
#ifndef DT_BYTES_H
#define DT_BYTES_H

#include <stdint.h>

static inline uint16_t dt_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t dt_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 |
	       (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t dt_le64(const uint8_t *p)
{
	return (uint64_t)dt_le32(p) | (uint64_t)dt_le32(p + 4) << 32;
}

#endif
