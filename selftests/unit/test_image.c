// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_image.c - images of firmware, and the records that a program emits for it
 *
 * The bytes are written by hand from Documentation/log.rst. The device is that of fakedev.c, and
 * each test is a process of its own.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace/image.h>
#include "fakedev.h"
#include "kselftest_harness.h"
#include "teststream.h"

#define ID	"00112233aabbccdd"

FIXTURE(image) {
	char	path[32];
	int	fd;
};

FIXTURE_SETUP(image)
{
	fake_reset();
	strcpy(self->path, "/tmp/test_image.XXXXXX");
	self->fd = mkstemp(self->path);
	ASSERT_LE(0, self->fd);
	errno = 1234;
}

FIXTURE_TEARDOWN(image)
{
	unlink(self->path);
	close(self->fd);
}

static const uint8_t record[] = { 127, 0xa, 0, 0, 5, 3, 0, 0, 255, 1, 7 };

static const struct fake_event *last_event(void)
{
	return &fake->events[(fake->nr - 1) % FAKE_EVENTS];
}

TEST_F(image, by_build_id)
{
	int image = -1, again = -1, other = -1;

	/* Without a connection, the names are sent when the library connects. */
	EXPECT_EQ(0, devtrace_image(ID, "/lib/firmware/m4.elf", &image));
	EXPECT_EQ(0, image);
	EXPECT_EQ(0, fake->nr_dicts);
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	ASSERT_EQ(3, fake->nr_dicts);
	EXPECT_STREQ(ID, fake->dicts[0].name);
	EXPECT_STREQ("/lib/firmware/m4.elf", fake->dicts[1].name);
	EXPECT_STREQ("0x0", fake->dicts[2].name);
	EXPECT_EQ(65, fake->dicts[0].kind);
	EXPECT_EQ(0, fake->dicts[0].value);
	EXPECT_EQ(1, fake->dicts[1].group);
	/* Connected, at once; and the same build-id has the same number. */
	EXPECT_EQ(0, devtrace_image("abcd", NULL, &other));
	EXPECT_EQ(1, other);
	ASSERT_EQ(6, fake->nr_dicts);
	EXPECT_EQ(1, fake->dicts[3].value);
	EXPECT_STREQ("-", fake->dicts[4].name);
	EXPECT_EQ(0, devtrace_image(ID, NULL, &again));
	EXPECT_EQ(0, again);
	EXPECT_EQ(6, fake->nr_dicts);
	EXPECT_EQ(1234, errno);
}

TEST_F(image, record_gets_the_image)
{
	uint8_t with_object[] = { 127, 0, 0x10, 0, 7, 0, 9, 0, 5, 3, 0, 0, 255, 1, 7 };
	static const uint8_t user[] = { 100, 0, 0, 0, 5, 1, 2, 3, 4 };
	int image = -1;

	EXPECT_EQ(0, devtrace_image("abcd", NULL, &image));
	EXPECT_EQ(0, devtrace_image("abce", NULL, &image));
	EXPECT_EQ(1, image);
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	ASSERT_EQ(1, fake->nr);
	EXPECT_EQ(sizeof(record), last_event()->size);
	EXPECT_EQ(1, last_event()->bytes[8]);
	EXPECT_EQ(0, memcmp(last_event()->bytes, record, 8));
	EXPECT_EQ(0, memcmp(last_event()->bytes + 9, record + 9, 2));
	EXPECT_EQ(0, devtrace_image_emit(&image, with_object, sizeof(with_object)));
	EXPECT_EQ(1, last_event()->bytes[12]);
	/* Other events of firmware are emitted as they are. */
	EXPECT_EQ(0, devtrace_image_emit(&image, user, sizeof(user)));
	EXPECT_EQ(0, memcmp(last_event()->bytes, user, sizeof(user)));
	/* An image that is not known */
	image = -1;
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	EXPECT_EQ(255, last_event()->bytes[8]);
	image = 300;
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	EXPECT_EQ(255, last_event()->bytes[8]);
	EXPECT_EQ(5, fake->nr);
}

TEST_F(image, filters)
{
	static const uint8_t user[] = { 100, 0, 0x10, 0, 7, 0, 0, 0 };
	int image = -1;

	devtrace_open();
	fake_page()->types[127 / 32] &= ~(1u << 127 % 32);
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	fake_page()->objects[0] &= ~(1u << 7);
	EXPECT_EQ(0, devtrace_image_emit(&image, user, sizeof(user)));
	EXPECT_EQ(0, fake->nr);
}

TEST_F(image, hello)
{
	static const uint8_t hello[] = { 65, 0, 0, 0, 9, 4, 0xab, 0xcd, 0xef, 1 };
	static const uint8_t other[] = { 65, 0, 0, 0, 9, 2, 0xab, 0xcd };
	static const uint8_t wrong[][8] = {
		{ 65, 0, 0, 0, 9, 1, 0xab, 0xcd }, { 65, 0, 0, 0, 9, 3, 0xab, 0xcd },
		{ 65, 0, 0, 0, 8, 2, 0xab, 0xcd },
	};
	int image = -1;
	size_t i;

	EXPECT_EQ(0, devtrace_image_emit(&image, hello, sizeof(hello)));
	EXPECT_EQ(0, image);
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	EXPECT_STREQ("abcdef01", fake->dicts[0].name);
	EXPECT_EQ(0, last_event()->bytes[8]);
	/* Other firmware runs there now. */
	EXPECT_EQ(0, devtrace_image_emit(&image, other, sizeof(other)));
	EXPECT_EQ(1, image);
	EXPECT_EQ(0, devtrace_image_emit(&image, hello, sizeof(hello)));
	EXPECT_EQ(0, image);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(EBADMSG, devtrace_image_emit(&image, wrong[i], 8));
	EXPECT_EQ(EBADMSG, devtrace_image_emit(&image, hello, 5));
	EXPECT_EQ(0, image);
}

TEST_F(image, no_records)
{
	static const uint8_t wrong[][9] = {
		{ 64, 0, 0, 0, 5, 1, 2, 3, 4 },		/* a type of the transport */
		{ 128, 0, 0, 0, 5, 1, 2, 3, 4 },	/* of the kernel */
		{ 127, 1, 0, 0, 5, 1, 2, 3, 4 },	/* no severity */
		{ 127, 0, 0x04, 0, 5, 1, 2, 3, 4 },	/* a flag of the kernel */
		{ 127, 0, 0, 1, 5, 1, 2, 3, 4 },
		{ 127, 0, 0, 0, 4, 1, 2, 3, 4 },	/* no site */
		{ 127, 0, 0x10, 0, 5, 1, 2, 3, 4 },	/* no room for it */
	};
	uint8_t *large = calloc(1, 8192);
	int image = 0;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_EQ(EBADMSG, devtrace_image_emit(&image, wrong[i], 9)) {
			TH_LOG("record %zu", i);
		}
	for (i = 0; i < 9; i++)
		EXPECT_EQ(EBADMSG, devtrace_image_emit(&image, record, i));
	large[0] = 100;
	EXPECT_EQ(0, devtrace_image_emit(&image, large, 4004));
	EXPECT_EQ(EBADMSG, devtrace_image_emit(&image, large, 4005));
	EXPECT_EQ(1, fake->nr);
	free(large);
}

TEST_F(image, numbers_end)
{
	int image = -1, n;
	char id[16];

	for (n = 0; n < 255; n++) {
		snprintf(id, sizeof(id), "%04x", n);
		ASSERT_EQ(0, devtrace_image(id, NULL, &image));
		ASSERT_EQ(n, image);
	}
	EXPECT_EQ(ENOSPC, devtrace_image("ffff", NULL, &image));
	EXPECT_EQ(254, image);
	EXPECT_EQ(0, devtrace_image("0007", NULL, &image));
	EXPECT_EQ(7, image);
}

TEST_F(image, no_build_ids)
{
	static const char *const wrong[] = {
		"", "abc", "ABCD", "abcg", "abcd ", "-",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	};
	int image = -1;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_EQ(EINVAL, devtrace_image(wrong[i], NULL, &image));
	EXPECT_EQ(EINVAL, devtrace_image(NULL, NULL, &image));
	EXPECT_EQ(-1, image);
	EXPECT_EQ(0, devtrace_image("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd",
				    NULL, &image));
}

/* A child of fork(2) sends the images again, because its events have another scope. */
TEST_F(image, child)
{
	int image = -1, status;
	pid_t pid;

	EXPECT_EQ(0, devtrace_image("abcd", NULL, &image));
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	EXPECT_EQ(3, fake->nr_dicts);
	pid = fork();
	if (!pid)
		_exit(devtrace_image_emit(&image, record, sizeof(record)));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(6, fake->nr_dicts);
	EXPECT_EQ(2, fake->nr);
}

static unsigned int names_before;	/* that the device has when another thread emits */

/* Another thread puts the same image and emits. */
static void another(void)
{
	int image = -1;

	fake->in_dict = NULL;
	devtrace_image(ID, "x", &image);
	names_before = fake->nr_dicts;
	devtrace_image_emit(&image, record, sizeof(record));
}

TEST_F(image, two_threads)
{
	int image = -1;

	EXPECT_EQ(0, devtrace_image("abcd", NULL, &image));
	EXPECT_EQ(0, devtrace_image_emit(&image, record, sizeof(record)));
	fake->nr_dicts = 0;
	fake->in_dict = another;
	EXPECT_EQ(0, devtrace_image(ID, "x", &image));
	EXPECT_EQ(1, image);
	EXPECT_EQ(3, names_before);
	EXPECT_STREQ(ID, fake->dicts[0].name);
	EXPECT_EQ(1, last_event()->bytes[8]);
}

static void put(uint8_t *to, unsigned int n, uint64_t v, bool big)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		to[big ? n - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

#define PUT(at, n, v)	put(p + (at), n, v, big)

/*
 * A file of this class and byte order with a note of the build-id ab cd ef 01, in a section or in a
 * segment.
 */
static size_t make_elf(uint8_t *p, bool wide, bool big, bool segment)
{
	const unsigned int w = wide ? 8 : 4, head = wide ? 64 : 52;
	const unsigned int entry = segment ? (wide ? 56 : 32) : wide ? 64 : 40, note = head + 2 * entry;

	memset(p, 0, 512);
	memcpy(p, ELFMAG, SELFMAG);
	p[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	p[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	PUT(segment ? 24 + w : 24 + 2 * w, w, head);
	PUT(segment ? 30 + 3 * w : 34 + 3 * w, 2, entry);
	PUT(segment ? 32 + 3 * w : 36 + 3 * w, 2, 2);
	PUT(head + entry + (segment ? 0 : 4), 4, segment ? PT_NOTE : SHT_NOTE);
	PUT(head + entry + (segment ? w : 8 + 2 * w), w, note);
	PUT(head + entry + (segment ? 4 * w : 8 + 3 * w), w, 20 + 20);
	/* Another note comes first. */
	PUT(note, 4, 4);
	PUT(note + 4, 4, 4);
	PUT(note + 8, 4, 1);
	memcpy(p + note + 12, "GNU", 4);
	PUT(note + 20, 4, 4);
	PUT(note + 24, 4, 4);
	PUT(note + 28, 4, NT_GNU_BUILD_ID);
	memcpy(p + note + 32, "GNU\0\xab\xcd\xef\x01", 8);
	return note + 40;
}

TEST_F(image, by_file)
{
	int kind, image, want = 0;
	uint8_t elf[512];
	size_t n;

	for (kind = 0; kind < 8; kind++) {
		n = make_elf(elf, kind & 1, kind & 2, kind & 4);
		ASSERT_EQ(0, ftruncate(self->fd, 0));
		ASSERT_EQ(n, pwrite(self->fd, elf, n, 0));
		image = -1;
		EXPECT_EQ(0, devtrace_image(NULL, self->path, &image)) {
			TH_LOG("kind %d", kind);
		}
		EXPECT_EQ(want, image);
	}
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(0, devtrace_open());
	EXPECT_STREQ("abcdef01", fake->dicts[0].name);
	EXPECT_STREQ(self->path, fake->dicts[1].name);
	/* The build-id that the caller gives is not compared with the file. */
	EXPECT_EQ(0, devtrace_image("abcd", self->path, &image));
	EXPECT_EQ(1, image);
}

TEST_F(image, no_files)
{
	char path[64];
	int image = -1;

	snprintf(path, sizeof(path), "%s.fifo", self->path);
	EXPECT_EQ(ENOENT, devtrace_image(NULL, "/nonexistent", &image));
	EXPECT_EQ(ENOEXEC, devtrace_image(NULL, self->path, &image));
	EXPECT_EQ(ENOEXEC, devtrace_image(NULL, "/tmp", &image));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(ENOEXEC, devtrace_image(NULL, path, &image));
	unlink(path);
	EXPECT_EQ(-1, image);
}

/* Any damage gives the right build-id, another one or an error; the sanitizers watch. */
TEST_F(image, damaged_files)
{
	struct rng r = { test_seed("test_image") };
	uint8_t elf[512];
	unsigned int i, k;
	size_t n;
	int image, ret;

	for (i = 0; i < 2000; i++) {
		n = make_elf(elf, i & 1, i & 2, i & 4);
		for (k = 0; k < 1 + i % 3; k++)
			elf[rng_below(&r, n)] = rng_below(&r, 3) ? (uint8_t)rng_next(&r) : 255;
		if (i % 5 == 0)
			n = rng_below(&r, n);
		ASSERT_EQ(0, ftruncate(self->fd, 0));
		ASSERT_EQ(n, pwrite(self->fd, elf, n, 0));
		ret = devtrace_image(NULL, self->path, &image);
		EXPECT_TRUE(!ret || ret == ENODATA || ret == ENOEXEC || ret == EINVAL || ret == ENOSPC) {
			TH_LOG("file %u: %s", i, strerror(ret));
		}
	}
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
