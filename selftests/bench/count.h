/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count.h - what the programs that count on a board have in common
 *
 * What interrupts take is kept out: of readings that all do the same work, each piece
 * counts as long as its shortest took.
 */
#ifndef COUNT_H
#define COUNT_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* As busybox's cat does. */
#define CHUNK		4096
#define CHUNKS_MAX	65536

/* The counter itself where it counts nanoseconds: no rounding. */
static inline uint64_t now(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
#endif
}

static inline int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* What it costs to read all there is and to write it to /dev/null, as cat does. */
static inline uint64_t read_all(int readings, uint64_t *bytes)
{
	static uint32_t best[CHUNKS_MAX];
	static char buf[CHUNK];
	unsigned int i, chunks = 0;
	uint64_t total = 0;
	int null_fd = open("/dev/null", O_WRONLY);

	memset(best, 0xff, sizeof(best));
	for (int reading = 0; reading < readings; reading++) {
		int trace = open("/dev/trace", O_RDONLY | O_NONBLOCK);

		if (trace < 0)
			err(1, "/dev/trace");
		*bytes = 0;
		for (i = 0; ; i++) {
			uint64_t begin = now(), took;
			ssize_t n = read(trace, buf, sizeof(buf));

			if (n < 0 && errno == EAGAIN)
				break;
			if (n <= 0 || write(null_fd, buf, n) != n)
				err(1, "cannot read");
			took = now() - begin;
			if (i == CHUNKS_MAX)
				errx(1, "more than %d pieces", CHUNKS_MAX);
			if (took < best[i])
				best[i] = took;
			*bytes += n;
		}
		if (reading && i != chunks)
			errx(1, "two readings differ: %u and %u pieces", chunks, i);
		chunks = i;
		close(trace);
	}
	close(null_fd);
	for (i = 0; i < chunks; i++)
		total += best[i];
	return total;
}

#endif
