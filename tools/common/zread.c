// SPDX-License-Identifier: GPL-2.0-only
/*
 * zread.c - read a file or stream that is perhaps made of zstd frames
 *
 * Invariants
 * - What a frame of up to FRAME bytes holds is given only when its checksum was right. Of a
 *   frame that is cut at the end of the input, what comes before the cut is given.
 * - After a frame that cannot be read the next magic number is looked for, right behind
 *   the one of that frame. All bytes in between are reported, once.
 * - Memory is bounded: a larger frame, which none of ours is, is given as it comes.
 * - Bytes are moved only before more are read behind them, not for each frame: however small
 *   frames are, an input takes time as it has bytes.
 * - So it does where frames that cannot be read overlap: each may have its beginning in the one
 *   before it, and be as large as a frame can be. What is done for frames that turn out to be
 *   none has a limit of PER_BYTE for each byte that is passed by; without credit a frame is
 *   skipped, and reported as damage.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/zread.h"
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define FRAME	(512 * 1024)	/* bytes of a frame, and of what it holds */
/* In bytes that are decompressed in vain: for each byte of the input, and before the first. */
#define PER_BYTE	64
#define CREDIT		(64 * 1024 * 1024)
#define BLOCK		8	/* to look at the head of a block is worth as many of them */
#define NONE		SIZE_MAX

static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

struct zread {
	zread_damage_fn	*damage;
	void		*arg;
	enum { UNKNOWN, PLAIN, ZSTD } kind;
	bool		eof, streams;	/* streams: within a frame that is too large */
	bool		cut;		/* one was, though perhaps no byte of it is left */
	uint8_t		*in, *out;	/* FRAME bytes each; out: only of zstd */
	size_t		from, len;	/* of what stands in the first */
	size_t		at, ready;	/* of what stands in the second */
	uint64_t	offset;		/* of in[from] in the input */
	uint64_t	bad_at, bad;	/* not reported yet */
	size_t		walked;		/* of this frame: to its next block; 0: its head */
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

/* Its first bytes: is it zstd? */
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
/* What has been read and not decoded yet. */
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

/* The first n bytes are nothing that can be read. */
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

/* A frame for other programs. */
static bool skippable(const uint8_t p[4])
{
	return (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18;
}

/* To the next magic number behind the first byte, or where one may begin at the end. */
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

/* The head of a frame, as its first byte behind the magic number tells (RFC 8878, 3.1.1.1). */
static size_t head_size(uint8_t descriptor)
{
	static const uint8_t dictionary[] = { 0, 1, 2, 4 }, content[] = { 0, 2, 4, 8 };
	const bool single = descriptor & 0x20;

	return sizeof(magic) + 1 + !single + dictionary[descriptor & 3] +
	       (single && !(descriptor >> 6) ? 1 : content[descriptor >> 6]);
}

/*
 * How many bytes the frame has; 0: not all of it is here; NONE: it is no frame, or too long to
 * look at. No block is looked at twice, however often more of the frame comes.
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

/* Decompresses as much as possible of a frame that is cut or too large. */
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
		/* The rest of it is missing: the bytes that are there end in the middle. */
		skip(z, z->len);
		z->cut = true;
		z->streams = false;
		return;
	}
	drop(z, in.pos);
	if (!ret)
		z->streams = false;
}

/* Something of what is in memory: what a frame holds, or bytes that are skipped. */
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
		/* Not whole yet, cut, or too large. */
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

/* Is there something to give, of what has been read? */
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

/* That it cannot be read. */
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
