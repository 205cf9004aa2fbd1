/* SPDX-License-Identifier: GPL-2.0-only */
/* le.h - little-endian numbers whose size in bytes is known at run time only */
#ifndef LE_H
#define LE_H

#include <stdint.h>

/* Return the number in 0 to 8 bytes. */
static inline uint64_t le_read(const uint8_t *p, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

#endif
