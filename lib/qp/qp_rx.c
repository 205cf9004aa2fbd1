// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * qp_rx.c - the receive channel of a QP program, which calls QS_RX_INPUT()
 *
 * A request is executed by the same functions that QS calls, in the thread that calls
 * QS_RX_INPUT(), or by QP/C through the functions of devtrace/qp/qs_framework.h. A program that
 * never calls QS_RX_INPUT() has no channel. If the program has called devtrace_rx_open() itself,
 * that channel stays.
 *
 * Invariant: one thread of a process serves at a time; the calls of other threads return at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <devtrace/qp/qs.h>
#include <devtrace/qp/qs_framework.h>

#define WEAK	__attribute__((weak))

/* The program or QP/C may define these; only QUTest's fixtures have the last three. */
WEAK void QS_onReset(void);
WEAK void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3);
extern WEAK const struct devtrace_qp_framework devtrace_qp_framework;
WEAK void QS_onTestSetup(void);
WEAK void QS_onTestTeardown(void);
extern WEAK char devtrace_qp_is_fixture;

/* The sender of a host's events. QS uses the same name. */
static char qp_sender;

static void qp_command(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3)
{
	(void)arg;
	QS_onCommand(command, p1, p2, p3);
}

static void qp_reset(void *arg)
{
	(void)arg;
	if (QS_onReset)
		QS_onReset();
	else
		devtrace_qp_test_restart();
}

static void qp_setup(void *arg)
{
	(void)arg;
	QS_onTestSetup();
}

static void qp_teardown(void *arg)
{
	(void)arg;
	QS_onTestTeardown();
}

static void qp_say_closed(int err)
{
	const char *debug = secure_getenv("DEVTRACE_DEBUG");

	if (debug && *debug && strcmp(debug, "0"))
		fprintf(stderr, "devtrace: QS_RX_INPUT(): no receive channel: %s\n", strerror(err));
}

static void qp_open(void)
{
	struct devtrace_rx_ops ops = {
		.size = sizeof(ops),
		.command = QS_onCommand ? qp_command : NULL,
		.reset = QS_onReset || &devtrace_qp_is_fixture ? qp_reset : NULL,
		.setup = QS_onTestSetup ? qp_setup : NULL,
		.teardown = QS_onTestTeardown ? qp_teardown : NULL,
	};
	int err;

	if (&devtrace_qp_framework) {
		ops.version = devtrace_qp_framework.version;
		ops.tick = devtrace_qp_framework.tick;
		ops.event = devtrace_qp_framework.event;
		ops.query = devtrace_qp_framework.query;
	}
	err = devtrace_rx_open(&ops, &qp_sender, 0);
	if (!err)
		devtrace_dict_obj((uintptr_t)&qp_sender, "QS_RX");
	else if (err != EALREADY)
		qp_say_closed(err);
}

void devtrace_qp_rx_input(void)
{
	/*
	 * After fork(2) the child has no channel, and a thread of the parent that was serving is
	 * not in the child.
	 */
	static pid_t opened_by, served_by;
	const pid_t me = getpid();
	pid_t before = __atomic_load_n(&served_by, __ATOMIC_RELAXED);

	/* Pairs with the release store below: see all stores of the thread that served before. */
	if (before == me || !__atomic_compare_exchange_n(&served_by, &before, me, false,
							 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (opened_by != me) {
		opened_by = me;
		qp_open();
	}
	devtrace_rx_serve();
	__atomic_store_n(&served_by, 0, __ATOMIC_RELEASE);
}

int devtrace_qp_object(const void *object, size_t size, const char *name)
{
	/*
	 * Registering the object also names it. This fails only if the address or the name is not
	 * valid for hosts.
	 */
	if (!devtrace_rx_object(DEVTRACE_RX_ANY, (void *)object, size, name))
		return 0;
	return devtrace_dict_obj((uintptr_t)object, name);
}
