// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gzip.c - gzip(1) restores what common/gzip.c compressed, whatever it was
 *
 * Files of gzip that are joined are one file, so gzip(1) runs once for all inputs.
 */
#include "kselftest_harness.h"
#include <stdlib.h>
#include "common/gzip.h"

#define MOST	300000
#define INPUTS	400

static uint32_t seed = 1;

static uint32_t number(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Noise, runs, records that differ in a few bytes, or bytes from far away */
static size_t make(uint8_t *p, int kind)
{
	const size_t n = kind < 300 ? (size_t)kind : 1000 + number(MOST - 1000);
	size_t period = 1 + number(kind & 1 ? 300 : 33000), i;

	for (i = 0; i < n; i++) {
		if (kind % 4 == 0)
			p[i] = (uint8_t)number(256);
		else if (kind % 4 == 1)
			p[i] = (uint8_t)number(3);
		else if (i < period)
			p[i] = (uint8_t)number(256);
		else
			p[i] = number(30) ? p[i - period] : (uint8_t)number(256);
		if (kind % 4 == 3 && !number(500))
			period = 1 + number((uint32_t)(i < 33000 ? i + 1 : 33000));
	}
	return n;
}

static bool is_restored(const struct out *plain, const struct out *packed)
{
	char path[] = "/tmp/test_gzip.XXXXXX", line[80];
	int fd = mkstemp(path), c, bad = 0;
	size_t at = 0;
	FILE *f;

	if (fd < 0 || write(fd, packed->buf, packed->len) != (ssize_t)packed->len)
		return false;
	close(fd);
	snprintf(line, sizeof(line), "gzip -dc <%s", path);
	f = popen(line, "r");
	while (f && (c = getc(f)) != EOF)
		bad |= at >= plain->len || (uint8_t)plain->buf[at++] != c;
	unlink(path);
	return f && !pclose(f) && !bad && at == plain->len;
}

TEST(what_was_compressed_comes_back)
{
	uint8_t *p = malloc(MOST);
	struct gzip *z = gzip_new();
	struct out plain, packed;
	int i;

	ASSERT_TRUE(p && z);
	out_init(&plain, -1);
	out_init(&packed, -1);
	for (i = 0; i < INPUTS; i++) {
		/* of its own size, so that AddressSanitizer sees a byte beyond it */
		const size_t n = make(p, i);
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, p, n);
		ASSERT_TRUE(gzip(z, &packed, exact, n));
		out_mem(&plain, exact, n);
		free(exact);
	}
	EXPECT_TRUE(is_restored(&plain, &packed));
	out_free(&plain);
	out_free(&packed);
	gzip_free(z);
	free(p);
}

TEST(similar_records_become_short)
{
	struct gzip *z = gzip_new();
	struct out plain, packed;
	int i;

	ASSERT_TRUE(z != NULL);
	out_init(&plain, -1);
	out_init(&packed, -1);
	for (i = 0; i < 2000; i++) {
		OUT_LIT(&plain, "a record with many words of which most are those of the record before: ");
		out_u64(&plain, (uint64_t)i * 12345);
	}
	ASSERT_TRUE(gzip(z, &packed, plain.buf, plain.len));
	EXPECT_LT(packed.len, 2000 * 16);
	EXPECT_TRUE(is_restored(&plain, &packed));
	out_free(&plain);
	out_free(&packed);
	gzip_free(z);
}

TEST_HARNESS_MAIN
