/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count.h - common code of the programs that count instructions on a board
 *
 * Interrupts are excluded: several readings do the same work, and for each piece of it the
 * shortest one counts.
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

/* The size that busybox's cat reads. */
#define CHUNK		4096
#define CHUNKS_MAX	65536

/* The raw counter, if it counts nanoseconds: no rounding. */
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

/*
 * The cost of a frame depends on its bytes: some need an escape, and a group of eight with such
 * a byte is handled byte by byte. Events to be read therefore have the same times on all boards:
 * the next event comes @ns after a multiple of 2^36 ns of the trace clock. Waits for that
 * multiple and returns it.
 */
static inline uint64_t await_time(uint64_t ns)
{
	const uint64_t unit = UINT64_C(1) << 36;
	struct timespec t;
	uint64_t at = 0, clock;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		clock = t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
		if (!at)
			at = (clock / unit + 1) * unit;
		if (clock >= at + ns)
			return at;
		clock = at + ns - clock;
		t.tv_sec = clock / 1000000000;
		t.tv_nsec = clock % 1000000000;
		nanosleep(&t, NULL);
	}
}

static inline int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Cost of reading everything and writing it to /dev/null, like cat. */
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
