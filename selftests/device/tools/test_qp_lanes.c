// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_qp_lanes.c - QS's records through devtrace/qp against the real device: the kernel
 * takes each number, from two threads by their lanes, and a reader gets what was emitted
 *
 * What the records say is compared in selftests/unit, with a device that is none; here
 * it is that no number is one that the module refuses or takes for a frame of its own.
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

/* The program: its lanes and its connection go with it. 0: all went well. */
static int program(void)
{
	pthread_t threads[THREADS];
	unsigned int n;

	if (QS_INIT(NULL) != 1 || devtrace_status() != DEVTRACE_OK)
		return 1;
	QS_OBJ_DICTIONARY(&machine[0]);
	QS_FUN_DICTIONARY(&state);
	/* Before it is asked for, nothing but what QS always sends */
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
