// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_qp_rx.c - a QP program whose only line for hosts is QS_RX_INPUT()
 *
 * The framework is the few functions here, which note how the receive channel calls them. The
 * device is that of fakedev.h. A thread calls QS_RX_INPUT() as an idle loop does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define QP_VERSION	815U
#include "emit_use/qp_types.h"
#include "qs_port.h"
#include "qs_pkg.h"
#include "fakedev.h"
#include "kselftest_harness.h"

#define HANG_MS	120000

/* The last call of the framework. */
static struct {
	char what[16];
	unsigned int n, rate, sig, id;
	const void *to, *sender;
	char params[64];
	unsigned int gone;	/* events that QF_gc() freed */
	unsigned int live;
} did;

static bool pool_is_empty, queue_is_full;
static uint32_t command[4];
static int resets;
static bool over;

void QS_onCommand(uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3)
{
	command[0] = id;
	command[1] = p1;
	command[2] = p2;
	command[3] = p3;
}

void QS_onReset(void)
{
	resets++;
}

QActive *QActive_registry_[QF_MAX_ACTIVE + 1U];

QEvt *QF_newX_(uint_fast16_t const evtSize, uint_fast16_t const margin, enum_t const sig)
{
	QEvt *e;

	if (pool_is_empty && margin != 0xffff)
		return NULL;
	/* and a byte that ends the parameters as a string */
	e = calloc(1, evtSize + 1);
	e->sig = (QSignal)sig;
	e->poolNum_ = 1;
	did.live++;
	return e;
}

void QF_gc(QEvt const *const e)
{
	if (e->refCtr_ > 1)
		return;
	free((void *)e);
	did.gone++;
	did.live--;
}

static void note(const char *what, const void *to, const QEvt *e, const void *sender)
{
	did.n++;
	snprintf(did.what, sizeof(did.what), "%s", what);
	did.to = to;
	did.sender = sender;
	did.sig = e->sig;
	snprintf(did.params, sizeof(did.params), "%s", (const char *)(e + 1));
}

bool QActive_post_(QActive *const me, QEvt const *const e, uint_fast16_t const margin,
		   void const *const sender)
{
	note("post", me, e, sender);
	QF_gc(e);
	return !(queue_is_full && margin != 0xffff);
}

void QActive_publish_(QEvt const *const e, void const *const sender, uint_fast8_t const qsId)
{
	note("publish", NULL, e, sender);
	did.id = qsId;
	QF_gc(e);
}

void QTimeEvt_tick_(uint_fast8_t const tickRate, void const *const sender)
{
	did.n++;
	did.rate = tickRate;
	did.sender = sender;
}

static void machine_init(QAsm *const me, void const *const e, uint_fast8_t const qsId)
{
	note("init", me, e, NULL);
	did.id = qsId;
}

static void machine_dispatch(QAsm *const me, QEvt const *const e, uint_fast8_t const qsId)
{
	note("dispatch", me, e, NULL);
	did.id = qsId;
}

static QState on(void *const me, QEvt const *const e)
{
	return 0;
}

static const struct QAsmVtable vtable = { machine_init, machine_dispatch };
static QActive lift = { .super = { .vptr = &vtable, .state = { .fun = on } }, .prio = 7 };
static QAsm door = { .vptr = &vtable, .state = { .fun = on } };
static QAsm no_machine;
static QTimeEvt timer = { .super = { .sig = 12 }, .act = &lift, .ctr = 5, .interval = 9 };
static uint32_t speeds[3] = { 1, 2, 3 };
static const uint32_t limits[3] = { 7, 8, 9 };
static QActive philo[3];

static void *idle(void *arg)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		QS_RX_INPUT();
		usleep(200);
	}
	return NULL;
}

FIXTURE(qp) {
	pthread_t thread;
	struct devtrace_rx_host *h;
	struct devtrace_rx_answer a;
};

FIXTURE_SETUP(qp)
{
	int err = ECONNREFUSED, tries = HANG_MS;

	fake_reset();
	fake->lane_error = EPERM;
	memset(&did, 0, sizeof(did));
	pool_is_empty = queue_is_full = over = false;
	QActive_registry_[7] = &lift;
	QS_INIT(NULL);
	QS_OBJ_DICTIONARY(&lift);
	QS_OBJ_DICTIONARY(&door);
	QS_OBJ_DICTIONARY(&no_machine);
	QS_OBJ_DICTIONARY(&timer);
	QS_OBJ_DICTIONARY(speeds);
	QS_OBJ_DICTIONARY(limits);
	QS_OBJ_ARR_DICTIONARY(&philo[2], 2);
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, idle, NULL));
	while ((err = devtrace_rx_connect(getpid(), &self->h)) == ECONNREFUSED && --tries)
		usleep(1000);
	ASSERT_EQ(0, err);
}

FIXTURE_TEARDOWN(qp)
{
	devtrace_rx_disconnect(self->h);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, did.live);
}

static int ask(struct devtrace_rx_host *h, struct devtrace_rx_answer *a, uint8_t request,
	       const void *data, size_t len)
{
	if (devtrace_rx_call(h, request, data, len, HANG_MS, a))
		return -1;
	return a->status;
}

#define ASK(request, bytes)	ask(self->h, &self->a, request, bytes, sizeof(bytes) - 1)

static int current(struct devtrace_rx_host *h, uint8_t kind, const char *name)
{
	struct devtrace_rx_answer a;
	uint8_t b[64] = { kind };

	memcpy(b + 9, name, strlen(name) + 1);
	return ask(h, &a, DEVTRACE_RX_CURRENT, b, 10 + strlen(name));
}

TEST_F(qp, commands_and_resets)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_INFO, ""));
	EXPECT_EQ(815, self->a.data[0] | self->a.data[1] << 8);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\x05\x01\0\0\0\x02\0\0\0\x03\0\0\0"));
	EXPECT_EQ(5, command[0]);
	EXPECT_EQ(1, command[1]);
	EXPECT_EQ(2, command[2]);
	EXPECT_EQ(3, command[3]);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_RESET, ""));
	EXPECT_EQ(1, resets);
}

TEST_F(qp, ticks)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_TICK, "\0"));
	EXPECT_EQ(1, did.n);
	EXPECT_NE(NULL, did.sender);
	/* A rate that this configuration of QP/C does not have would be an assertion. */
	ASK(DEVTRACE_RX_TICK, "\x01");
	EXPECT_EQ(1, did.n);
}

TEST_F(qp, events)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\0\x0a\0\0\0\x03\0pq\0"));
	EXPECT_STREQ("publish", did.what);
	EXPECT_STREQ("pq", did.params);
	EXPECT_EQ(10, did.sig);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\x07\x0b\0\0\0\x02\0r\0"));
	EXPECT_STREQ("post", did.what);
	EXPECT_EQ(&lift, did.to);
	EXPECT_STREQ("r", did.params);
	EXPECT_EQ(11, did.sig);
	/* No active object has these priorities. */
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\x08\x0b\0\0\0\0\0"));
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\x80\x0b\0\0\0\0\0"));
	EXPECT_EQ(2, did.n);
}

TEST_F(qp, events_to_the_current_object)
{
	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ASK(DEVTRACE_RX_EVENT, "\xfd\x0b\0\0\0\0\0"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_SM_AO, "lift"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\xfd\x0b\0\0\0\x02\0x\0"));
	EXPECT_STREQ("post", did.what);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\xff\x0c\0\0\0\x02\0y\0"));
	EXPECT_STREQ("dispatch", did.what);
	EXPECT_EQ(&lift, did.to);
	EXPECT_EQ(7, did.id);
	EXPECT_STREQ("y", did.params);
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_SM, "door"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\xfe\x0d\0\0\0\x02\0z\0"));
	EXPECT_STREQ("init", did.what);
	EXPECT_EQ(&door, did.to);
	EXPECT_EQ(0, did.id);
	EXPECT_EQ(13, did.sig);
	/* A machine is no active object, and memory of zeros is no machine. */
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AO, "door"));
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\xfd\x0b\0\0\0\0\0"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_SM, "no_machine"));
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\xff\x0b\0\0\0\0\0"));
	EXPECT_EQ(3, did.n);
	EXPECT_EQ(3, did.gone);
}

TEST_F(qp, a_pool_or_queue_without_room_refuses)
{
	pool_is_empty = true;
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\x07\x0b\0\0\0\0\0"));
	EXPECT_EQ(0, did.n);
	pool_is_empty = false;
	queue_is_full = true;
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\x07\x0b\0\0\0\0\0"));
	EXPECT_EQ(1, did.n);
}

TEST_F(qp, memory_of_named_objects)
{
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AP, "speeds"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_PEEK, "\x04\0\x04\x02"));
	EXPECT_EQ(2, self->a.data[0]);
	EXPECT_EQ(3, self->a.data[4]);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_POKE, "\0\0\x04\x01\x2a\0\0\0"));
	EXPECT_EQ(42, speeds[0]);
	EXPECT_EQ(DEVTRACE_RX_BOUNDS, ASK(DEVTRACE_RX_PEEK, "\x04\0\x04\x03"));
	/* Constants, and elements whose size the dictionary does not know, are named only. */
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AP, "limits"));
	EXPECT_EQ(DEVTRACE_RX_BOUNDS, ASK(DEVTRACE_RX_POKE, "\0\0\x04\x01\x2a\0\0\0"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AP, "philo[2]"));
	EXPECT_EQ(DEVTRACE_RX_BOUNDS, ASK(DEVTRACE_RX_PEEK, "\0\0\x01\x01"));
}

TEST_F(qp, queries)
{
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_SM_AO, "lift"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_QUERY, "\0"));
	/* kind, object, state */
	ASSERT_EQ(2 + 9 + 9, self->a.len);
	EXPECT_EQ(0, memcmp(self->a.data + 12, &(uintptr_t){ (uintptr_t)on }, sizeof(uintptr_t)));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_QUERY, "\x01"));
	EXPECT_EQ(7, self->a.data[12]);
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_TE, "timer"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_QUERY, "\x04"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_EQ, "timer"));
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_QUERY, "\x03"));
}

/* A child has no channel until it calls QS_RX_INPUT() itself. */
TEST_F(qp, a_child_opens_its_own)
{
	int status = -1;
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child) {
		if (devtrace_rx_listens(getpid()) != ECONNREFUSED)
			_exit(1);
		QS_RX_INPUT();
		_exit(devtrace_rx_listens(getpid()) ? 2 : 0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_INFO, ""));
}

int main(int argc, char **argv)
{
	fake_start(argv);
	return test_harness_run(argc, argv);
}
