// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - the cost of three frequent operations of programs
 *
 * profile.sh runs it with kernel profile events on and off. It prints `name cost`:
 *
 *	getppid		a system call that does almost nothing
 *	pipe		a byte to another process and back: four calls, two switches
 *	fork		a process that ends at once, and the wait for it
 *
 * Costs are in thousandths of a nanosecond; on a board whose clock advances one nanosecond per
 * instruction, in thousandths of an instruction. Runs on a board with one CPU, statically
 * linked. As in insn.c, the median of many batches excludes interrupts, and the first half of
 * the batches fills the ring.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define BATCHES	64

static int there[2], back[2];

static void call_getppid(void)
{
	if (syscall(SYS_getppid) < 0)
		err(1, "getppid");
}

static void call_pipe(void)
{
	char c = 0;

	if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
		err(1, "pipe");
}

static void call_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid)
		_exit(0);
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "waitpid");
}

/* Returns each byte until the pipe is closed. */
static pid_t start_other(void)
{
	char c;
	pid_t pid;

	if (pipe(there) || pipe(back))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	close(there[1]);
	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			_exit(1);
	_exit(0);
}

static void measure(const char *name, void (*call)(void), int batch)
{
	static uint64_t took[2 * BATCHES];

	for (int b = 0; b < 2 * BATCHES; b++) {
		uint64_t begin = now();

		for (int i = 0; i < batch; i++)
			call();
		took[b] = now() - begin;
	}
	qsort(took + BATCHES, BATCHES, sizeof(took[0]), compare);
	printf("%s %" PRIu64 "\n", name, took[BATCHES + BATCHES / 2] * 1000 / batch);
}

int main(void)
{
	pid_t other;
	int status;

	measure("getppid", call_getppid, 512);
	other = start_other();
	measure("pipe", call_pipe, 64);
	close(there[1]);
	if (waitpid(other, &status, 0) != other || status)
		errx(1, "the other process failed");
	measure("fork", call_fork, 32);
	return 0;
}
