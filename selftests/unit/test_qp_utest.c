// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_qp_utest.c - a fixture of QUTest, compiled with Q_UTEST, and the script that drives it
 *
 * The fixture has a function with test probes, a function that pauses, and a state machine. It runs
 * in a thread, as its main() would. The script is the test, by the receive channel; the records
 * are those that the device of fakedev.h got.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define QP_VERSION	733U
#include "emit_use/qp_types.h"
#include "qs_port.h"
#include "qs_pkg.h"
#include "fakedev.h"
#include "kselftest_harness.h"

#define HANG_MS	120000

/* The fixture */

enum { SUM = QS_USER, CALLED, PAUSED };
enum { RUN_SUM, STOP, PAUSE };

static uint32_t sum(uint32_t a, uint32_t b)
{
	QS_TEST_PROBE_DEF(&sum)
	QS_TEST_PROBE(a = qs_tp_;)
	QS_TEST_PROBE_ID(7, return 0;)
	return a + b;
}

static void called(const char *what, const QEvt *e)
{
	QS_BEGIN_ID(CALLED, 0)
		QS_STR(what);
		QS_U32(0, e ? e->sig : 0);
		QS_STR(e ? (const char *)(e + 1) : "");
	QS_END()
}

static void door_init(QAsm *const me, void const *const e, uint_fast8_t const qsId)
{
	called("init", e);
}

static void door_dispatch(QAsm *const me, QEvt const *const e, uint_fast8_t const qsId)
{
	called("dispatch", e);
}

static const struct QAsmVtable vtable = { door_init, door_dispatch };
static QAsm the_door = { .vptr = &vtable };

void QS_onTestSetup(void) { called("setup", NULL); }
void QS_onTestTeardown(void) { called("teardown", NULL); }
void QS_onTestEvt(QEvt *e) { e->sig = (QSignal)(e->sig + 100); }

void QS_onCommand(uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3)
{
	switch (id) {
	case RUN_SUM:
		QS_BEGIN_ID(SUM, 0)
			QS_U32(0, sum(p1, p2));
		QS_END()
		break;
	case STOP:
		QF_stop();
		break;
	case PAUSE:
		QS_TEST_PAUSE();
		called("continued", NULL);
		break;
	}
}

static void *fixture_main(void *arg)
{
	QF_init();
	if (!QS_INIT(NULL))
		return "QS_INIT";
	QS_GLB_FILTER(QS_ALL_RECORDS);
	QS_FUN_DICTIONARY(&sum);
	QS_OBJ_DICTIONARY(&the_door);
	return QF_run() ? "QF_run" : NULL;
}

/* The script */

FIXTURE(utest) {
	pthread_t thread;
	struct devtrace_rx_host *h;
	struct devtrace_rx_answer a;
	bool over;
};

FIXTURE_SETUP(utest)
{
	int err, tries = HANG_MS;

	fake_reset();
	fake->lane_error = EPERM;
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, fixture_main, NULL));
	while ((err = devtrace_rx_connect(getpid(), &self->h)) == ECONNREFUSED && --tries)
		usleep(1000);
	ASSERT_EQ(0, err);
	/* A script waits for QF_RUN. */
	while (!__atomic_load_n(&fake->nr, __ATOMIC_ACQUIRE))
		usleep(1000);
	ASSERT_EQ(DEVTRACE_QS_TYPE(QS_QF_RUN), fake->events[0].bytes[0]);
	fake->nr = 0;
}

static int ask(struct devtrace_rx_host *h, uint8_t request, const void *data, size_t len)
{
	struct devtrace_rx_answer a;

	return devtrace_rx_call(h, request, data, len, HANG_MS, &a) ? -1 : a.status;
}

#define ASK(request, bytes)	ask(self->h, request, bytes, sizeof(bytes) - 1)

FIXTURE_TEARDOWN(utest)
{
	void *failed = "did not end";

	if (!self->over)
		EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\x01"));
	pthread_join(self->thread, &failed);
	EXPECT_EQ(NULL, failed);
	devtrace_rx_disconnect(self->h);
	devtrace_rx_close();
}

/* True if event @n has this type and these elements. */
static bool event_is(unsigned int n, uint8_t type, const char *data, size_t len)
{
	const struct fake_event *e = &fake->events[n];
	const size_t head = sizeof(struct devtrace_emit);

	return n < fake->nr && e->bytes[0] == type && e->size == head + len &&
	       !memcmp(e->bytes + head, data, len);
}

#define EVENT_IS(n, type, data)	event_is(n, type, data, sizeof(data) - 1)
#define T(record)		DEVTRACE_QS_TYPE(record)

TEST_F(utest, a_command_calls_the_function)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\0\x02\0\0\0\x03\0\0\0"));
	EXPECT_EQ(3, fake->nr);
	EXPECT_TRUE(EVENT_IS(0, T(QS_RX_STATUS), "\x01\x01"));
	EXPECT_TRUE(EVENT_IS(1, SUM, "\x05\x05\0\0\0"));
	EXPECT_TRUE(EVENT_IS(2, T(QS_TARGET_DONE), "\x01\x01"));
}

TEST_F(utest, a_probe_changes_one_call)
{
	const uintptr_t function = (uintptr_t)&sum;
	uint8_t probe[12] = { 9 };

	memcpy(probe + 4, &function, sizeof(function));
	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_PROBE, probe, sizeof(probe)));
	probe[0] = 7;
	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_PROBE, probe, sizeof(probe)));
	fake->nr = 0;
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\0\x02\0\0\0\x03\0\0\0"));
	EXPECT_EQ(T(QS_TEST_PROBE_GET), fake->events[1].bytes[0]);
	EXPECT_TRUE(EVENT_IS(2, SUM, "\x05\x0c\0\0\0"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\0\x02\0\0\0\x03\0\0\0"));
	EXPECT_TRUE(EVENT_IS(6, SUM, "\x05\0\0\0\0"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\0\x02\0\0\0\x03\0\0\0"));
	EXPECT_TRUE(EVENT_IS(9, SUM, "\x05\x05\0\0\0"));
}

TEST_F(utest, setup_and_teardown)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_SETUP, ""));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_TEARDOWN, ""));
	EXPECT_EQ(4, fake->nr);
	EXPECT_TRUE(EVENT_IS(1, CALLED, "\x08setup\0\x05\0\0\0\0\x08\0"));
	EXPECT_TRUE(EVENT_IS(3, CALLED, "\x08teardown\0\x05\0\0\0\0\x08\0"));
}

TEST_F(utest, a_pause_lasts_until_the_script_continues)
{
	struct devtrace_rx_answer a;

	EXPECT_EQ(ETIMEDOUT, devtrace_rx_call(self->h, DEVTRACE_RX_COMMAND, "\x02", 1, 0, &a));
	while (__atomic_load_n(&fake->nr, __ATOMIC_ACQUIRE) < 2)
		usleep(1000);
	EXPECT_TRUE(EVENT_IS(1, T(QS_TEST_PAUSED), ""));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_CONTINUE, ""));
	while (__atomic_load_n(&fake->nr, __ATOMIC_ACQUIRE) < 5)
		usleep(1000);
	EXPECT_TRUE(EVENT_IS(3, CALLED, "\x08" "continued\0\x05\0\0\0\0\x08\0"));
}

TEST_F(utest, a_state_machine_gets_events)
{
	char door[] = "\0\0\0\0\0\0\0\0\0the_door";

	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_CURRENT, door, sizeof(door)));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\xfe\x04\0\0\0\x02\0p\0"));
	EXPECT_TRUE(EVENT_IS(2, CALLED, "\x08init\0\x05\x68\0\0\0\x08p\0"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\xff\x05\0\0\0\x02\0q\0"));
	EXPECT_TRUE(EVENT_IS(5, CALLED, "\x08" "dispatch\0\x05\x69\0\0\0\x08q\0"));
	/* Without QF there is nobody to post to. */
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\0\x05\0\0\0\0\0"));
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\x01\x05\0\0\0\0\0"));
}

/* A RESET executes the fixture anew: same process, and QF_RUN once more. */
TEST(a_reset_executes_the_fixture_anew)
{
	char *const argv[] = { (char []){ "/proc/self/exe" }, (char []){ "--fixture" }, NULL };
	struct devtrace_rx_host *h;
	struct devtrace_rx_answer a;
	int life, err, status = -1;
	pid_t child;

	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		unsetenv("DEVTRACE_DEVICE");
		execv(argv[0], argv);
		_exit(2);
	}
	for (life = 0; life < 2; life++) {
		while ((err = devtrace_rx_connect(child, &h)) == ECONNREFUSED)
			usleep(1000);
		ASSERT_EQ(0, err);
		EXPECT_EQ(0, devtrace_rx_call(h, DEVTRACE_RX_INFO, NULL, 0, HANG_MS, &a));
		if (!life) {
			EXPECT_EQ(EPIPE, devtrace_rx_call(h, DEVTRACE_RX_RESET, NULL, 0, HANG_MS,
							  &a));
		} else {
			EXPECT_EQ(0, devtrace_rx_call(h, DEVTRACE_RX_COMMAND, "\x01", 1, HANG_MS,
						      &a));
		}
		devtrace_rx_disconnect(h);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

int main(int argc, char **argv)
{
	const bool alone = argc == 2 && !strcmp(argv[1], "--fixture");

	/* A device of its own in each life: those of the parent and of the life before are gone. */
	if (alone)
		close(900);
	fake_start(argv);
	if (alone) {
		unsetenv("DEVTRACE_DEVICE");
		fake_reset();
		return fixture_main(NULL) != NULL;
	}
	return test_harness_run(argc, argv);
}
