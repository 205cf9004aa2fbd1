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

/* Called for each damaged place: @bytes compressed bytes of the input at @offset cannot be read. */
typedef void zread_damage_fn(void *arg, uint64_t offset, uint64_t bytes);

struct zread;

/*
 * Return NULL if there is no memory. Unless @damage is NULL, it is called for each damaged place.
 */
struct zread *zread_new(zread_damage_fn *damage, void *arg);
void zread_free(struct zread *z);
/*
 * Like read(2), but return the content of zstd frames; other input is returned unchanged. After
 * reading an incomplete frame it fails with EINTR: call it again. If the program was built without
 * libzstd, it fails with ENOTSUP at a zstd frame.
 */
ssize_t zread_read(struct zread *z, int fd, void *buf, size_t n);
/* Is there output without another read(2)? Decodes the bytes that were read already. */
bool zread_holds(struct zread *z);
/* Is this the magic number of a zstd frame? */
bool zread_begins(const uint8_t p[4]);

#endif
