/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zread.h - read a file or stream that is perhaps made of zstd frames
 */
#ifndef COMMON_ZREAD_H
#define COMMON_ZREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of the input from offset on of which nothing can be read. */
typedef void zread_damage_fn(void *arg, uint64_t offset, uint64_t bytes);

struct zread;

/* NULL: no memory. damage may be NULL. */
struct zread *zread_new(zread_damage_fn *damage, void *arg);
void zread_free(struct zread *z);
/*
 * As read(2), of what the frames hold; of another input, its bytes as they are. EINTR also
 * if something was read that is no whole frame yet; ENOTSUP where libzstd is missing.
 */
ssize_t zread_read(struct zread *z, int fd, void *buf, size_t n);
/* Is there something that needs no read(2)? What was read before is decoded as far as it goes. */
bool zread_holds(struct zread *z);
/* Is that the beginning of a zstd frame? */
bool zread_begins(const uint8_t p[4]);

#endif
