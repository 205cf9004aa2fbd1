// SPDX-License-Identifier: GPL-2.0-only
/*
 * elapsed.c - the shortest time of several runs of a command
 *
 *	elapsed N COMMAND [ARG...]
 *
 * Runs the command once to fill caches, then N times, and prints the shortest time in
 * nanoseconds; on a board whose clock advances one nanosecond per instruction, in instructions.
 */
#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

static uint64_t run(char **argv)
{
	uint64_t begin = now();
	pid_t pid = fork();
	int status;

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	if (status)
		errx(1, "%s failed", argv[0]);
	return now() - begin;
}

int main(int argc, char **argv)
{
	uint64_t best = UINT64_MAX, t;
	int n = argc > 2 ? atoi(argv[1]) : 0;

	if (n < 1) {
		fprintf(stderr, "usage: elapsed N COMMAND [ARG...]\n");
		return 2;
	}
	run(argv + 2);
	while (n--) {
		t = run(argv + 2);
		if (t < best)
			best = t;
		fprintf(stderr, "%" PRIu64 "\n", t);
	}
	printf("%" PRIu64 "\n", best);
	return 0;
}
