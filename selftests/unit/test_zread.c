// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_zread.c - small zstd frames take time in proportion to their bytes, whatever they claim
 *
 * Moved bytes, bytes that libzstd may write, and steps are counted instead of time.
 */
#include "kselftest_harness.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>
#include "common/zread.h"

#define FRAMES	6000	/* more than one read, which ends within a frame */
#define HOLDS	91	/* bytes of content each */

static uint64_t moved, offered, steps;

#ifdef __clang__
#define UNCOUNTED	__attribute__((no_sanitize("coverage")))
#else
#define UNCOUNTED	__attribute__((no_sanitize_coverage))
#endif

/* Called at each step of zread.c by compiler instrumentation. */
void __sanitizer_cov_trace_pc(void);

UNCOUNTED void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

size_t __real_ZSTD_decompressStream(ZSTD_DStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __real_ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t size, const void *from, size_t n);
size_t __wrap_ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t size, const void *from, size_t n);

size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	offered += out->size - out->pos;
	return __real_ZSTD_decompressStream(s, out, in);
}

size_t __wrap_ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t size, const void *from, size_t n)
{
	offered += size;
	return __real_ZSTD_decompressDCtx(c, to, size, from, n);
}

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);

void *__wrap_memmove(void *to, const void *from, size_t n)
{
	moved += n;
	return __real_memmove(to, from, n);
}

/* One uncompressed block, the last, without a checksum. */
static const uint8_t frame[9 + HOLDS] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x20, HOLDS, (HOLDS << 3 | 1) & 0xff, HOLDS >> 5,
};

struct damage {
	unsigned int times;
	uint64_t at, bytes;
};

static void on_damage(void *arg, uint64_t offset, uint64_t n)
{
	struct damage *d = arg;

	d->times++;
	d->at = offset;
	d->bytes = n;
}

/* Number of bytes decoded. bad: this frame has no magic number. */
static size_t held(unsigned int bad, struct damage *damage)
{
	static uint8_t all[FRAMES][sizeof(frame)];
	struct zread *z = zread_new(on_damage, damage);
	int fd = memfd_create("frames", MFD_CLOEXEC);
	char buf[4096];
	size_t sum = 0;
	ssize_t n;
	unsigned int i;

	for (i = 0; i < FRAMES; i++)
		memcpy(all[i], frame, sizeof(frame));
	if (bad < FRAMES)
		all[bad][1] = 0;
	if (!z || fd < 0 || write(fd, all, sizeof(all)) != sizeof(all) || lseek(fd, 0, SEEK_SET))
		abort();
	moved = 0;
	while ((n = zread_read(z, fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR)
			abort();
		sum += n > 0 ? (size_t)n : 0;
	}
	zread_free(z);
	close(fd);
	return sum;
}

TEST(small_frames)
{
	struct damage damage = { 0 };

	EXPECT_EQ(FRAMES * HOLDS, held(FRAMES, &damage));
	EXPECT_EQ(0, damage.times);
	EXPECT_LT(0, moved);
	EXPECT_GT(sizeof(frame) * FRAMES, moved);
}

TEST(places_behind_what_was_dropped)
{
	static const unsigned int bad[] = { 1, FRAMES / 2, FRAMES * 3 / 4, FRAMES - 1 };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct damage damage = { 0 };

		EXPECT_EQ((FRAMES - 1) * HOLDS, held(bad[i], &damage));
		EXPECT_EQ(1, damage.times);
		EXPECT_EQ(bad[i] * sizeof(frame), damage.at);
		EXPECT_EQ(sizeof(frame), damage.bytes);
	}
}

/* A silent pipe: bytes that have arrived are delivered at once. */
TEST(what_was_read_is_held)
{
	struct zread *z = zread_new(NULL, NULL);
	char buf[2 * HOLDS];
	int fd[2], i;

	ASSERT_NE(NULL, z);
	ASSERT_EQ(0, pipe(fd));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(sizeof(frame), write(fd[1], frame, sizeof(frame)));
	/* Half of another frame */
	ASSERT_EQ(sizeof(frame) / 2, write(fd[1], frame, sizeof(frame) / 2));
	EXPECT_EQ(-1, zread_read(z, fd[0], buf, 4 * sizeof(frame)));
	EXPECT_EQ(EINTR, errno);
	for (i = 0; i < 3; i++) {
		EXPECT_TRUE(zread_holds(z));
		EXPECT_EQ(HOLDS - 1, zread_read(z, fd[0], buf, HOLDS - 1));
		EXPECT_TRUE(zread_holds(z));
		EXPECT_EQ(1, zread_read(z, fd[0], buf, sizeof(buf)));
	}
	EXPECT_FALSE(zread_holds(z));
	ASSERT_EQ(sizeof(frame) / 2, write(fd[1], frame + sizeof(frame) / 2, sizeof(frame) / 2));
	EXPECT_FALSE(zread_holds(z));
	EXPECT_EQ(HOLDS, zread_read(z, fd[0], buf, sizeof(buf)));
	EXPECT_FALSE(zread_holds(z));
	close(fd[1]);
	EXPECT_EQ(0, zread_read(z, fd[0], buf, sizeof(buf)));
	zread_free(z);
	close(fd[0]);
}

/*
 * Frame headers, each with a block that contains the following headers, then a tail that ends
 * them all. This is repeated, with one intact frame.
 */
#define HEADS	2048
#define HEAD	16

struct hostile {
	uint8_t		*p;
	size_t		len;
};

static void put(struct hostile *h, const void *p, size_t n)
{
	memcpy(h->p + h->len, p, n);
	h->len += n;
}

static void put_block(struct hostile *h, uint32_t type, uint32_t size, bool last)
{
	const uint32_t v = size << 3 | type << 1 | last;
	const uint8_t head[] = { v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff };

	put(h, head, sizeof(head));
}

/* holds: the header claims a content of 256 KiB. */
static void put_heads(struct hostile *h, bool holds)
{
	const size_t begin = h->len;
	unsigned int i;

	for (i = 0; i < HEADS; i++) {
		uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, holds ? 0xa4 : 0x04, 0x50, 0, 4, 0 };

		if (holds)
			head[5] = 0;
		put(h, head, holds ? sizeof(head) : 6);
		put_block(h, 0, (uint32_t)(begin + HEADS * HEAD - h->len - 3), false);
		memset(h->p + h->len, 0, HEAD);
		h->len = begin + (i + 1) * HEAD;
	}
}

static size_t read_hostile(struct hostile *h, struct damage *damage)
{
	struct zread *z = zread_new(on_damage, damage);
	int fd = memfd_create("hostile", MFD_CLOEXEC);
	char buf[4096];
	size_t sum = 0;
	ssize_t n;

	if (!z || fd < 0 || write(fd, h->p, h->len) != (ssize_t)h->len || lseek(fd, 0, SEEK_SET))
		abort();
	offered = 0;
	steps = 0;
	while ((n = zread_read(z, fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR)
			abort();
		sum += n > 0 ? (size_t)n : 0;
	}
	zread_free(z);
	close(fd);
	return sum;
}

FIXTURE(overlaps) {
	struct hostile h;
};

FIXTURE_VARIANT(overlaps) {
	bool holds, small;	/* small: the tail has empty blocks */
};

FIXTURE_VARIANT_ADD(overlaps, size_told) { .holds = true, .small = false };
FIXTURE_VARIANT_ADD(overlaps, size_not_told) { .holds = false, .small = false };
FIXTURE_VARIANT_ADD(overlaps, blocks) { .holds = true, .small = true };

FIXTURE_SETUP(overlaps)
{
	self->h.len = 0;
	self->h.p = malloc(8 * 1024 * 1024);
	ASSERT_NE(NULL, self->h.p);
}

FIXTURE_TEARDOWN(overlaps)
{
	free(self->h.p);
}

/* The limits of zread.c: per byte, and in advance */
#define PER_BYTE	64
#define CREDIT		(64ull * 1024 * 1024)
#define MOST		(512 * 1024)	/* per frame */

TEST_F(overlaps, take_time_as_they_have_bytes)
{
	struct damage damage = { 0 };
	struct hostile *h = &self->h;
	uint64_t done[2], most;
	unsigned int i, k;

	for (k = 0; k < 2; k++) {
		h->len = 0;
		while (h->len < (k ? 4 : 1) * 1024 * 1024) {
			put_heads(h, variant->holds);
			if (variant->small)
				for (i = 0; i < 100000; i++)
					put_block(h, 0, 0, i == 99999);
			else
				for (i = 0; i < 2; i++) {
					put_block(h, 1, 100000, i == 1);
					put(h, "x", 1);
				}
			put(h, "sum?", 4);
		}
		put(h, frame, sizeof(frame));
		memset(&damage, 0, sizeof(damage));
		EXPECT_EQ(HOLDS, read_hostile(h, &damage));
		EXPECT_EQ(1, damage.times);
		EXPECT_EQ(h->len - sizeof(frame), damage.bytes);
		done[k] = offered;
		most = CREDIT + PER_BYTE * (uint64_t)h->len + MOST;
		EXPECT_LE(offered, most);
		/* A block counts as 8 bytes, and takes some steps. */
		EXPECT_LE(steps, most / 8 * 16);
		EXPECT_GT(variant->small ? steps : offered,
			  CREDIT / (variant->small ? 8 : 2));
	}
	EXPECT_LE(done[1], done[0] * 4);
}

TEST_HARNESS_MAIN
