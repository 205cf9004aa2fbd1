// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rx_kill.c - the receive channel while hosts and programs are killed
 *
 * Built without sanitizers, as it forks a thousand processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "kselftest_harness.h"
#include "teststream.h"

#define GUARD	64

static const struct devtrace_rx_ops ops = { .size = sizeof(ops) };

/* The status, or 1000 plus errno. */
static int ask(struct devtrace_rx_host *h, uint8_t request, const void *data, size_t n)
{
	struct devtrace_rx_answer answer;
	int err = devtrace_rx_call(h, request, data, n, 10000, &answer);

	return err ? 1000 + err : answer.status;
}

static int make_current(struct devtrace_rx_host *h)
{
	static const char motor[] = "\5\0\0\0\0\0\0\0\0motor";

	return ask(h, DEVTRACE_RX_CURRENT, motor, sizeof(motor));
}

static struct shared {
	uint8_t before[GUARD], object[16], after[GUARD];
} *shared;

/* A child that listens, with memory shared with its parent. */
static pid_t program(int *ready)
{
	pid_t child = fork();

	if (child)
		return child;
	devtrace_rx_object(DEVTRACE_RX_AP, shared->object, 16, "motor");
	if (devtrace_rx_open(&ops, NULL, 0) || write(ready[1], "x", 1) != 1)
		_exit(1);
	for (;;) {
		struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

		poll(&p, 1, -1);
		devtrace_rx_serve();
	}
}

/*
 * Hosts and programs are killed at any instruction: memory beside the object stays unchanged, a
 * program goes on without its hosts, and a host notices the end of its program.
 */
TEST(a_thousand_kills_in_mid_command)
{
	struct rng r = { .state = test_seed("test_rx kills") };
	struct devtrace_rx_host *h;
	int ready[2], i, k, ret, ended = 0, pokes = 0;
	volatile uint32_t spin;
	pid_t prog = 0, host;
	char c;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	memset(shared, 0xaa, sizeof(*shared));
	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < 1000; i++) {
		if (!prog) {
			prog = program(ready);
			ASSERT_EQ(1, read(ready[0], &c, 1));
		}
		if (i % 2) {
			host = fork();
			if (!host) {
				if (devtrace_rx_connect(prog, &h) ||
				    make_current(h))
					_exit(1);
				for (;;)
					ask(h, DEVTRACE_RX_POKE, "\0\0\1\20aaaaaaaaaaaaaaaa", 20);
			}
			for (spin = rng_below(&r, 1000000); spin; spin--)
				;
			kill(host, SIGKILL);
			waitpid(host, NULL, 0);
			continue;
		}
		ASSERT_EQ(0, devtrace_rx_connect(prog, &h));
		ret = make_current(h);
		ASSERT_EQ(0, ret);
		k = rng_below(&r, 10);
		while (!(ret = ask(h, DEVTRACE_RX_POKE, "\0\0\1\20bbbbbbbbbbbbbbbb", 20))) {
			pokes++;
			if (!k--)
				kill(prog, SIGKILL);
		}
		EXPECT_TRUE(ret == 1000 + EPIPE || ret == 1000 + ECONNRESET);
		ended++;
		devtrace_rx_disconnect(h);
		waitpid(prog, NULL, 0);
		prog = 0;
	}
	if (prog) {
		ASSERT_EQ(0, devtrace_rx_connect(prog, &h));
		EXPECT_EQ(0, ask(h, DEVTRACE_RX_INFO, NULL, 0));
		devtrace_rx_disconnect(h);
		kill(prog, SIGKILL);
		waitpid(prog, NULL, 0);
	}
	EXPECT_EQ(500, ended);
	EXPECT_LT(250, pokes);
	for (i = 0; i < GUARD; i++) {
		EXPECT_EQ(0xaa, shared->before[i]);
		EXPECT_EQ(0xaa, shared->after[i]);
	}
}

TEST_HARNESS_MAIN
