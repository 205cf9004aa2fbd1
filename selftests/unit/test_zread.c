// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_zread.c - zstd frames, however small, take time as they have bytes
 *
 * Bytes that are moved in memory are counted, not time.
 */
#include "kselftest_harness.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/zread.h"

#define FRAMES	6000	/* more than is read at once, which ends within a frame */
#define HOLDS	91	/* each */

static uint64_t moved;

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);

void *__wrap_memmove(void *to, const void *from, size_t n)
{
	moved += n;
	return __real_memmove(to, from, n);
}

/* Of one block that is not compressed, the last, without a checksum. */
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

/* How many bytes the frames hold. bad: this one has no magic number. */
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

/* A pipe that is silent: what came before does not wait for what comes next. */
TEST(what_was_read_is_held)
{
	struct zread *z = zread_new(NULL, NULL);
	char buf[2 * HOLDS];
	int fd[2], i;

	ASSERT_NE(NULL, z);
	ASSERT_EQ(0, pipe(fd));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(sizeof(frame), write(fd[1], frame, sizeof(frame)));
	/* Half of one more */
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

TEST_HARNESS_MAIN
