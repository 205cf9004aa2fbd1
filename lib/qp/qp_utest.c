// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * qp_utest.c - the functions of devtrace/qp/qutest.h: a test fixture executes its script's
 * requests
 *
 * As in QUTest, the thread that calls QF_run() executes the requests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <devtrace-rx.h>
#include <devtrace/qp/qs.h>

static bool stopped;

void devtrace_qp_test_init(void)
{
	stopped = false;
}

int devtrace_qp_test_run(void)
{
	DEVTRACE_RECORD(r, 8);

	/*
	 * Open the channel first, because the script sends its first request when it sees
	 * QS_QF_RUN.
	 */
	devtrace_qp_rx_input();
	if (devtrace_begin_type(&r, DEVTRACE_QS_TYPE(QS_QF_RUN)))
		devtrace_end(&r);
	if (devtrace_rx_fd() < 0) {
		fputs("devtrace: QF_run(): no receive channel; DEVTRACE_DEBUG=1 says why\n",
		      stderr);
		return 1;
	}
	devtrace_qp_test_loop();
	return 0;
}

void devtrace_qp_test_loop(void)
{
	struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

	while (!stopped && p.fd >= 0 && (poll(&p, 1, -1) >= 0 || errno == EINTR)) {
		devtrace_rx_serve();
		/* A request may have closed the channel. */
		p.fd = devtrace_rx_fd();
	}
}

void devtrace_qp_test_stop(void)
{
	stopped = true;
}

void devtrace_qp_test_pause(void)
{
	devtrace_qp_rx_input();
	devtrace_rx_pause();
}

uint32_t devtrace_qp_test_probe(QSpyFunPtr function)
{
	uint32_t data = 0;

	devtrace_rx_probe((const void *)function, &data);
	return data;
}
