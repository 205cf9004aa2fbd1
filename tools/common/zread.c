// SPDX-License-Identifier: GPL-2.0-only
/*
 * zread.c - read a file or stream that may consist of zstd frames
 *
 * Invariants
 * - The content of a frame of up to FRAME bytes is returned only after its checksum was found to
 *   match. If the end of the input cuts a frame, the content before the cut is returned.
 * - After an unreadable frame, reading continues at the next magic number inside or after it. All
 *   skipped bytes are reported once.
 * - Memory is bounded: the content of a larger frame, which tracelogger never writes, is returned
 *   while it is being decompressed.
 * - The time is linear in the size of the input, however small the frames are: bytes are moved
 *   only when the buffer is refilled.
 * - Hostile input cannot make it longer, with frames that turn out to be unreadable only after
 *   much work, and each of which begins inside the previous one. This work is limited to PER_BYTE
 *   for each skipped byte. When the credit is used up, a frame is skipped and reported as damage.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/zread.h"
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* limit of the size of a frame, and of its content, in bytes */
#define FRAME	(512 * 1024)
/*
 * Credit for decompressing bytes that are then discarded: PER_BYTE for each byte of the input, and
 * CREDIT at the beginning.
 */
#define PER_BYTE	64
#define CREDIT		(64 * 1024 * 1024)
/* credit that is used for examining the head of a block */
#define BLOCK		8
#define NONE		SIZE_MAX

static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

struct zread {
	zread_damage_fn	*damage;
	void		*arg;
	enum { UNKNOWN, PLAIN, ZSTD } kind;
	/* eof: the input has ended; @streams: inside a frame that is larger than FRAME */
	bool		eof, streams;
	/* cut: the input ended inside a frame, or directly after one */
	bool		cut;
	uint8_t		*in, *out;	/* FRAME bytes each; out: only for zstd */
	size_t		from, len;	/* unread part of in[] */
	size_t		at, ready;	/* unread part of out[] */
	uint64_t	offset;		/* of in[from] in the input */
	uint64_t	bad_at, bad;	/* skipped bytes, not reported yet */
	/* walked: offset of the block of the frame that is examined next; 0: the frame's head is */
	size_t		walked;
	int64_t		credit;
#ifdef HAVE_ZSTD
	struct ZSTD_DCtx_s *ctx;
#endif
};

struct zread *zread_new(zread_damage_fn *damage, void *arg)
{
	struct zread *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->damage = damage;
	z->arg = arg;
	z->credit = CREDIT;
	return z;
}

void zread_free(struct zread *z)
{
	if (!z)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(z->ctx);
#endif
	free(z->in);
	free(z->out);
	free(z);
}

static bool ready(const struct zread *z)
{
	return z->at < z->ready;
}

bool zread_begins(const uint8_t p[4])
{
	return !memcmp(p, magic, sizeof(magic));
}

static ssize_t give(struct zread *z, void *buf, size_t n)
{
	if (n > z->ready - z->at)
		n = z->ready - z->at;
	memcpy(buf, z->out + z->at, n);
	z->at += n;
	return (ssize_t)n;
}

/* Read the first bytes: is it zstd? */
static ssize_t look(struct zread *z, int fd, void *buf, size_t n)
{
	ssize_t got;

	if (!z->in)
		z->in = malloc(FRAME);
	if (!z->in) {
		errno = ENOMEM;
		return -1;
	}
	got = read(fd, z->in + z->len, n - z->len < FRAME - z->len ? n - z->len : FRAME - z->len);
	if (got < 0)
		return -1;
	z->len += (size_t)got;
	if (got && z->len < sizeof(magic) && !memcmp(z->in, magic, z->len)) {
		errno = EINTR;
		return -1;
	}
	if (z->len >= sizeof(magic) && !memcmp(z->in, magic, sizeof(magic))) {
		z->kind = ZSTD;
		errno = EINTR;
		return -1;
	}
	z->kind = PLAIN;
	memcpy(buf, z->in, z->len);
	return (ssize_t)z->len;
}

#ifdef HAVE_ZSTD
/* Bytes read but not decoded. */
static const uint8_t *rest(const struct zread *z)
{
	return z->in + z->from;
}

static void drop(struct zread *z, size_t n)
{
	z->from += n;
	z->len -= n;
	z->offset += n;
	z->walked = 0;
	z->credit += (int64_t)n * PER_BYTE;
}

/* Skip n unreadable bytes. */
static void skip(struct zread *z, size_t n)
{
	if (!z->bad)
		z->bad_at = z->offset;
	z->bad += n;
	drop(z, n);
}

static void report(struct zread *z)
{
	if ((z->bad || z->cut) && z->damage)
		z->damage(z->arg, z->bad ? z->bad_at : z->offset, z->bad);
	z->bad = 0;
	z->cut = false;
}

/* A frame for other programs (RFC 8878). */
static bool skippable(const uint8_t p[4])
{
	return (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18;
}

/* Skip to the next magic number, or to the end if a magic number may begin there. */
static void resync(struct zread *z)
{
	const uint8_t *p = z->len > 1 ?
			   memmem(rest(z) + 1, z->len - 1, magic, sizeof(magic)) : NULL;
	size_t keep = sizeof(magic) - 1;

	if (p)
		skip(z, (size_t)(p - rest(z)));
	else
		skip(z, z->eof || z->len <= keep ? z->len : z->len - keep);
	z->streams = false;
}

static uint32_t le(const uint8_t *p, int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/*
 * Return the size of a frame's head (RFC 8878, 3.1.1.1). @descriptor is the byte after the magic
 * number.
 */
static size_t head_size(uint8_t descriptor)
{
	static const uint8_t dictionary[] = { 0, 1, 2, 4 }, content[] = { 0, 2, 4, 8 };
	const bool single = descriptor & 0x20;

	return sizeof(magic) + 1 + !single + dictionary[descriptor & 3] +
	       (single && !(descriptor >> 6) ? 1 : content[descriptor >> 6]);
}

/*
 * Return the size of the frame, 0 if it is incomplete, or NONE if it is not a frame or there is no
 * credit to examine it. While the frame is being read, each of its blocks is examined only once.
 */
static size_t frame_size(struct zread *z)
{
	const uint8_t *p = rest(z);
	uint32_t block;
	size_t end;

	if (z->len < sizeof(magic) + 1)
		return 0;
	if (skippable(p)) {
		end = z->len < 8 ? 0 : 8 + (size_t)le(p + 4, 4);
		return end <= z->len ? end : 0;
	}
	if (!z->walked)
		z->walked = head_size(p[4]);
	while (z->walked + 3 <= z->len) {
		block = le(p + z->walked, 3);
		z->credit -= BLOCK;
		if ((block >> 1 & 3) == 3 || z->credit < 0)
			return NONE;
		end = z->walked + 3 + ((block >> 1 & 3) == 1 ? 1 : block >> 3);
		if (block & 1) {
			end += p[4] & 4 ? 4 : 0;
			return end <= z->len ? end : 0;
		}
		z->walked = end;
	}
	return 0;
}

/* Decompress as much as possible of a frame that is cut or larger than FRAME. */
static void stream(struct zread *z)
{
	ZSTD_inBuffer in = { rest(z), z->len, 0 };
	ZSTD_outBuffer out = { z->out, FRAME, 0 };
	size_t ret;

	if (!z->streams && z->credit < FRAME) {
		resync(z);
		return;
	}
	if (!z->streams)
		ZSTD_DCtx_reset(z->ctx, ZSTD_reset_session_only);
	z->streams = true;
	ret = ZSTD_decompressStream(z->ctx, &out, &in);
	if (ZSTD_isError(ret)) {
		z->credit -= FRAME;
		resync(z);
		return;
	}
	z->ready = out.pos;
	if (z->eof && ret && in.pos == in.size && out.pos < out.size) {
		/* The input ends inside this frame: the rest is missing. */
		skip(z, z->len);
		z->cut = true;
		z->streams = false;
		return;
	}
	drop(z, in.pos);
	if (!ret)
		z->streams = false;
}

/* Decode the next frame, or skip bytes. */
static void decode(struct zread *z)
{
	unsigned long long holds;
	size_t size, ret;

	z->at = 0;
	z->ready = 0;
	if (!z->len && !z->streams)
		return;
	if (z->streams) {
		stream(z);
		return;
	}
	if (z->len >= sizeof(magic) && !zread_begins(rest(z)) && !skippable(rest(z))) {
		resync(z);
		return;
	}
	size = frame_size(z);
	if (size == NONE) {
		resync(z);
		return;
	}
	if (!size) {
		/* Incomplete, cut, or too large. */
		if (z->eof || z->len == FRAME)
			stream(z);
		return;
	}
	holds = ZSTD_getFrameContentSize(rest(z), z->len);
	if (holds > FRAME) {
		stream(z);
		return;
	}
	if (z->credit < (int64_t)holds) {
		resync(z);
		return;
	}
	ret = ZSTD_decompressDCtx(z->ctx, z->out, (size_t)holds, rest(z), size);
	if (ZSTD_isError(ret)) {
		z->credit -= (int64_t)holds;
		resync(z);
		return;
	}
	report(z);
	z->ready = ret;
	drop(z, size);
}

static bool prepared(struct zread *z)
{
	if (!z->out)
		z->out = malloc(FRAME);
	if (!z->ctx)
		z->ctx = ZSTD_createDCtx();
	return z->out && z->ctx;
}

/* Decode until there is output. */
static bool more(struct zread *z)
{
	size_t before;

	do {
		before = z->len;
		decode(z);
		if (ready(z)) {
			if (!z->eof || z->len)
				report(z);
			return true;
		}
	} while (z->len && z->len != before);
	return false;
}

static ssize_t next(struct zread *z, int fd, void *buf, size_t n)
{
	ssize_t got;

	if (!prepared(z)) {
		errno = ENOMEM;
		return -1;
	}
	for (;;) {
		if (more(z))
			return give(z, buf, n);
		if (z->eof) {
			if (z->len)
				skip(z, z->len);
			report(z);
			return 0;
		}
		if (z->from)
			memmove(z->in, rest(z), z->len);
		z->from = 0;
		got = read(fd, z->in + z->len, FRAME - z->len);
		if (got < 0)
			return -1;
		z->len += (size_t)got;
		z->eof = !got;
		if (got) {
			if (more(z))
				return give(z, buf, n);
			errno = EINTR;
			return -1;
		}
	}
}
#else
static bool prepared(struct zread *z)
{
	return z;
}

/* next() reports that zstd is not supported. */
static bool more(struct zread *z)
{
	return z;
}

static ssize_t next(struct zread *z, int fd, void *buf, size_t n)
{
	(void)z;
	(void)fd;
	(void)buf;
	(void)n;
	errno = ENOTSUP;
	return -1;
}
#endif

bool zread_holds(struct zread *z)
{
	return ready(z) || (z->kind == ZSTD && prepared(z) && more(z));
}

ssize_t zread_read(struct zread *z, int fd, void *buf, size_t n)
{
	if (ready(z))
		return give(z, buf, n);
	if (z->kind == UNKNOWN)
		return look(z, fd, buf, n);
	if (z->kind == PLAIN)
		return read(fd, buf, n);
	return next(z, fd, buf, n);
}
