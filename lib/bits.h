/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bits.h - set or clear one bit of an array of bytes by an atomic operation
 *
 * Threads and signal handlers may change different bits of one byte at the same time.
 *
 * Some compilers for riscv64 need the library libatomic for an atomic operation on a byte. With
 * such a compiler the function changes the aligned 32-bit word that contains the byte. The word is
 * in the same page as the byte, and the other bytes of the word keep their values.
 */
#ifndef LIB_BITS_H
#define LIB_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void bits_set(uint8_t *bits, unsigned int n, bool wanted)
{
	uint8_t *byte = &bits[n >> 3];
	const uint8_t bit = 1u << (n & 7);

	if (!__atomic_always_lock_free(1, NULL)) {
		const unsigned int at = (uintptr_t)byte & 3;
		uint32_t *word = (uint32_t *)(void *)(byte - at);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		const uint32_t mask = (uint32_t)bit << 8 * at;
#else
		const uint32_t mask = (uint32_t)bit << 8 * (3 - at);
#endif
		if (wanted)
			__atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
		else
			__atomic_fetch_and(word, ~mask, __ATOMIC_RELAXED);
	} else if (wanted) {
		__atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_and(byte, (uint8_t)~bit, __ATOMIC_RELAXED);
	}
}

#endif /* LIB_BITS_H */
