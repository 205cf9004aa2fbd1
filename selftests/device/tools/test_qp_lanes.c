// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_qp_lanes.c - QS records of devtrace/qp with the real device, from two threads by lanes
 *
 * The kernel must accept each number, and a reader must get all records. selftests/unit compares
 * their contents without the module; this test shows that the module does not refuse a number or
 * take it for one of its own frames.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "qs_port.h"
#include "qs_pkg.h"
#include "kselftest_harness.h"
#include "dev.h"

#define THREADS	2
#define ROUNDS	20

static int machine[THREADS];

/* 0, 54 and 60 to 63 are padding and names; 64 is not emitted. */
static bool is_record(unsigned int n)
{
	return n && n <= QS_QF_ACTIVE_DEFER_ATTEMPT && n != QS_ENUM_DICT &&
	       (n < QS_SIG_DICT || n > QS_TARGET_INFO);
}

static void state(void)
{
}

static void *emit(void *arg)
{
	unsigned int thread = (uintptr_t)arg, n, round;

	devtrace_lane(65536);
	for (round = 0; round < ROUNDS; round++) {
		for (n = 1; n <= QS_QF_ACTIVE_DEFER_ATTEMPT; n++) {
			if (!is_record(n))
				continue;
			QS_BEGIN_PRE(n, QS_ID_AO + 1 + thread)
				QS_TIME_PRE();
				QS_SIG_PRE(n);
				QS_OBJ_PRE(&machine[thread]);
				QS_FUN_PRE(&state);
				QS_U32_PRE(round);
			QS_END_PRE()
		}
	}
	return NULL;
}

/* The traced program; its end closes lanes and connection. 0 on success. */
static int program(void)
{
	pthread_t threads[THREADS];
	unsigned int n;

	if (QS_INIT(NULL) != 1 || devtrace_status() != DEVTRACE_OK)
		return 1;
	QS_OBJ_DICTIONARY(&machine[0]);
	QS_FUN_DICTIONARY(&state);
	/* Before the filter is set, only the records that QS always sends */
	emit((void *)0);
	QS_GLB_FILTER(QS_GRP_ALL);
	QS_GLB_FILTER(-QS_QF_TICK);
	for (n = 0; n < THREADS; n++)
		if (pthread_create(&threads[n], NULL, emit, (void *)(uintptr_t)n))
			return 2;
	for (n = 0; n < THREADS; n++)
		pthread_join(threads[n], NULL);
	return devtrace_errors() ? 3 : 0;
}

TEST(each_record_arrives)
{
	unsigned int seen[THREADS][256] = { 0 }, n, records = 0;
	struct tape *t;
	int status;
	size_t i;
	pid_t pid;

	ASSERT_EQ(0, dev_load("size=1M"));
	pid = fork();
	if (!pid)
		_exit(program());
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);

	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_LE(2, t->dicts);
	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		if (e->tgid != pid)
			continue;
		ASSERT_LE(1, e->object);
		ASSERT_GE(THREADS, e->object);
		EXPECT_EQ(e->type, DEVTRACE_QS_TYPE(e->signal));
		seen[e->object - 1][e->signal & 0xff]++;
	}
	for (n = 1; n <= QS_QF_ACTIVE_DEFER_ATTEMPT; n++) {
		unsigned int always = n >= QS_TEST_PAUSED && n <= QS_QF_RUN ? ROUNDS : 0;

		if (!is_record(n))
			continue;
		records++;
		EXPECT_EQ(n == QS_QF_TICK ? 0 : ROUNDS + always, seen[0][n]) TH_LOG("record %u", n);
		EXPECT_EQ(n == QS_QF_TICK ? 0 : ROUNDS, seen[1][n]) TH_LOG("record %u", n);
	}
	EXPECT_EQ(75, records);
	tape_free(t);
	EXPECT_EQ(0, dev_done());
}

TEST_HARNESS_MAIN
