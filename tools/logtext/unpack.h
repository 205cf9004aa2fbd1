/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unpack.h - decompress a section of an ELF file
 */
#ifndef LOGTEXT_UNPACK_H
#define LOGTEXT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decompress a zlib stream (RFC 1950) whose content has exactly @size bytes into @out. Return
 * false if the stream is invalid or has another size.
 */
bool unpack_zlib(const uint8_t *in, size_t len, uint8_t *out, size_t size);

/* The same for zstd. It is only available if unpack_has_zstd() returns true. */
bool unpack_has_zstd(void);
bool unpack_zstd(const uint8_t *in, size_t len, uint8_t *out, size_t size);

#endif
