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

/*
 * What it takes to make a frame depends on its bytes: some have to be escaped, and eight
 * that have one like these among them are looked at one by one. So the events that are to
 * be read have the same times on each board: what comes next comes @ns behind a multiple
 * of 2^36 ns of the trace clock. Return: that multiple, to which it waits.
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
