/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zread.h - read a file or stream that may consist of zstd frames
 */
#ifndef COMMON_ZREAD_H
#define COMMON_ZREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Called for each place where compressed bytes of the input, beginning at offset, cannot be read.
 */
typedef void zread_damage_fn(void *arg, uint64_t offset, uint64_t bytes);

struct zread;

/* Return NULL if there is no memory. damage is called for each damaged place; it may be NULL. */
struct zread *zread_new(zread_damage_fn *damage, void *arg);
void zread_free(struct zread *z);
/*
 * Like read(2), but returns the content of zstd frames; other input is returned unchanged. Fails
 * with EINTR also after reading an incomplete frame, and with ENOTSUP if the program was built
 * without libzstd.
 */
ssize_t zread_read(struct zread *z, int fd, void *buf, size_t n);
/* Is there output without another read(2)? Decodes the bytes that were read already. */
bool zread_holds(struct zread *z);
/* Is this the magic number of a zstd frame? */
bool zread_begins(const uint8_t p[4]);

#endif
