// SPDX-License-Identifier: GPL-2.0-only
/*
 * parquet_pack.c - compress the pages of a Parquet file
 *
 * The codec is zstd. If the program was built without libzstd, it is gzip.
 */
#include <stdlib.h>
#include "common/gzip.h"
#include "parquet.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

#define LEVEL	3

const int parquet_codec = 6;

struct parquet_pack {
	ZSTD_CCtx	*zstd;
};

struct parquet_pack *parquet_pack_new(void)
{
	struct parquet_pack *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->zstd = ZSTD_createCCtx();
	if (p->zstd)
		return p;
	free(p);
	return NULL;
}

void parquet_pack_free(struct parquet_pack *p)
{
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

bool parquet_pack(struct parquet_pack *p, struct out *o, const void *page, size_t n)
{
	const size_t bound = ZSTD_compressBound(n);
	size_t len;

	if (!out_room(o, bound))
		return false;
	len = ZSTD_compressCCtx(p->zstd, o->buf + o->len, bound, page, n, LEVEL);
	if (ZSTD_isError(len))
		return false;
	o->len += len;
	return true;
}

#else

const int parquet_codec = 2;

struct parquet_pack {
	struct gzip	*gzip;
};

struct parquet_pack *parquet_pack_new(void)
{
	struct parquet_pack *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->gzip = gzip_new();
	if (p->gzip)
		return p;
	free(p);
	return NULL;
}

void parquet_pack_free(struct parquet_pack *p)
{
	gzip_free(p->gzip);
	free(p);
}

bool parquet_pack(struct parquet_pack *p, struct out *o, const void *page, size_t n)
{
	return gzip(p->gzip, o, page, n);
}

#endif
