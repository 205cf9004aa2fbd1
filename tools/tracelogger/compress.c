// SPDX-License-Identifier: GPL-2.0-only
/*
 * compress.c - --zstd: each write becomes a zstd frame that can be decompressed alone
 *
 * Invariants
 * - A zstd frame has a checksum and contains all bytes of one call of tl_zip_write(). It does not
 *   refer to earlier frames, so a file may end after any zstd frame.
 * - A frame is compressed only if the file has room for the largest possible result.
 * - A partly written zstd frame is completed before the next one begins. If the file is given up
 *   after a write error, the next file gets the same bytes in a new zstd frame.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "run.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

#define LARGEST	TL_BUF

struct tl_zip {
	ZSTD_CCtx	*ctx;
	uint8_t		*out;
	/* @len: bytes in @out; @done: how many of them are written */
	size_t		len, done;
	size_t		plain;		/* bytes before compression */
};

const bool tl_zip_built = true;

struct tl_zip *tl_zip_new(int level)
{
	struct tl_zip *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->ctx = ZSTD_createCCtx();
	z->out = malloc(ZSTD_compressBound(LARGEST));
	if (!z->ctx || !z->out) {
		tl_zip_free(z);
		return NULL;
	}
	ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_checksumFlag, 1);
	return z;
}

void tl_zip_free(struct tl_zip *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->ctx);
	free(z->out);
	free(z);
}

void tl_zip_reset(struct tl_zip *z)
{
	z->len = 0;
	z->done = 0;
}

size_t tl_zip_fits(const struct tl_zip *z, uint64_t room, size_t want)
{
	if (want > LARGEST)
		want = LARGEST;
	/* The room for a partly written frame was checked before its first byte was written. */
	if (z->len || ZSTD_compressBound(want) <= room)
		return want;
	return room > 1024 ? (size_t)((room - 1024) / 256 * 255) : 0;
}

size_t tl_zip_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

ssize_t tl_zip_write(struct tl_zip *z, int fd, const uint8_t *p, size_t n, uint64_t *written)
{
	ssize_t done;

	if (!z->len) {
		z->len = ZSTD_compress2(z->ctx, z->out, ZSTD_compressBound(LARGEST), p, n);
		if (ZSTD_isError(z->len)) {
			z->len = 0;
			errno = ENOMEM;
			return -1;
		}
		z->plain = n;
		z->done = 0;
	}
	while (z->done < z->len) {
		done = write(fd, z->out + z->done, z->len - z->done);
		if (done < 0)
			return -1;
		z->done += (size_t)done;
		*written += (uint64_t)done;
	}
	tl_zip_reset(z);
	return (ssize_t)z->plain;
}
#else
const bool tl_zip_built;

struct tl_zip *tl_zip_new(int level)
{
	(void)level;
	return NULL;
}

void tl_zip_free(struct tl_zip *z)
{
	(void)z;
}

void tl_zip_reset(struct tl_zip *z)
{
	(void)z;
}

size_t tl_zip_fits(const struct tl_zip *z, uint64_t room, size_t want)
{
	(void)z;
	return room < want ? (size_t)room : want;
}

size_t tl_zip_bound(size_t n)
{
	return n;
}

ssize_t tl_zip_write(struct tl_zip *z, int fd, const uint8_t *p, size_t n, uint64_t *written)
{
	(void)z;
	(void)fd;
	(void)p;
	(void)n;
	(void)written;
	errno = ENOTSUP;
	return -1;
}
#endif
