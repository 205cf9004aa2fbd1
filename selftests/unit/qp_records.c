// SPDX-License-Identifier: GPL-2.0-only
/*
 * qp_records.c - emits each record of QS through the headers of devtrace/qp
 *
 *	qp_records | gen_stream > qp.trace
 *	qp_records story | gen_stream > story.trace	one machine, in the order of QP/C
 *
 * The trace points follow the record layouts of QP/C. They are compiled like QP/C's sources:
 * with -DQ_SPY, and devtrace/qp first in the include path. The device is that of fakedev.h. The
 * events are printed as a description for gen_stream; traceinfo/qp.expected is its transcript.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "qs_port.h"
#include "qs_pkg.h"
#include "fakedev.h"
#include "tell.h"

enum signals {
	EAT_SIG = 4, DONE_SIG, TIMEOUT_SIG,
};

enum records {
	PHILO_STAT = QS_USER, IO_CALL, DATA_RX, FP_DATA, ENUM_DATA, TOO_LATE,
};

enum states {
	THINKING, HUNGRY,
};

enum answer {
	NO = 0, YES = 1,
};

static struct {
	int x;
} table, philo[3], l_uart2, que, pool, timer;

static void Philo_thinking(void) { }
static void Philo_hungry(void) { }
static void IO_Read(void) { }

static void names(void)
{
	int n;

	QS_OBJ_DICTIONARY(&table);
	for (n = 0; n < 3; n++)
		QS_OBJ_ARR_DICTIONARY(&philo[n], n);
	QS_OBJ_DICTIONARY(&l_uart2);
	QS_OBJ_DICTIONARY(&que);
	QS_obj_dict_pre_(&pool, "EvtPool1");
	QS_OBJ_DICTIONARY(&timer);
	QS_FUN_DICTIONARY(&Philo_thinking);
	QS_FUN_DICTIONARY(&Philo_hungry);
	QS_FUN_DICTIONARY(&IO_Read);
	QS_SIG_DICTIONARY(EAT_SIG, 0);
	QS_SIG_DICTIONARY(DONE_SIG, &table);
	QS_SIG_DICTIONARY(TIMEOUT_SIG, &philo[1]);
	QS_USR_DICTIONARY(PHILO_STAT);
	QS_USR_DICTIONARY(IO_CALL);
	QS_USR_DICTIONARY(DATA_RX);
	QS_USR_DICTIONARY(FP_DATA);
	QS_USR_DICTIONARY(ENUM_DATA);
	QS_USR_DICTIONARY(TOO_LATE);
	QS_ENUM_DICTIONARY(YES, 2);
	tell();
}

/* A record with an object and a state, or two states. */
static void machine(unsigned int record, unsigned int id)
{
	QS_BEGIN_PRE(record, id)
		QS_OBJ_PRE(&philo[1]);
		QS_FUN_PRE(&Philo_thinking);
	QS_END_PRE()
	tell();
}

static void machine2(unsigned int record, unsigned int id)
{
	QS_BEGIN_PRE(record, id)
		QS_OBJ_PRE(&philo[1]);
		QS_FUN_PRE(&Philo_thinking);
		QS_FUN_PRE(&Philo_hungry);
	QS_END_PRE()
	tell();
}

static void step(unsigned int record, unsigned int id)
{
	QS_BEGIN_PRE(record, id)
		QS_TIME_PRE();
		QS_SIG_PRE(TIMEOUT_SIG);
		QS_OBJ_PRE(&philo[1]);
		QS_FUN_PRE(&Philo_thinking);
	QS_END_PRE()
	tell();
}

static void machines(void)
{
	machine(QS_QEP_STATE_ENTRY, 2);
	machine(QS_QEP_STATE_EXIT, 2);
	machine2(QS_QEP_STATE_INIT, 2);
	machine(QS_QEP_INIT_TRAN, 2);
	step(QS_QEP_INTERN_TRAN, 2);
	QS_BEGIN_PRE(QS_QEP_TRAN, 2)
		QS_TIME_PRE();
		QS_SIG_PRE(TIMEOUT_SIG);
		QS_OBJ_PRE(&philo[1]);
		QS_FUN_PRE(&Philo_thinking);
		QS_FUN_PRE(&Philo_hungry);
	QS_END_PRE()
	step(QS_QEP_IGNORED, 2);
	step(QS_QEP_DISPATCH, 2);
	step(QS_QEP_UNHANDLED, 2);
	machine2(QS_QEP_TRAN_HIST, 2);
	machine2(QS_QEP_TRAN_EP, 2);
	machine2(QS_QEP_TRAN_XP, 0);
}

static void deferred(unsigned int record)
{
	QS_BEGIN_PRE(record, 1)
		QS_TIME_PRE();
		QS_OBJ_PRE(&table);
		QS_OBJ_PRE(&que);
		QS_SIG_PRE(DONE_SIG);
		QS_2U8_PRE(1, 2);
	QS_END_PRE()
	tell();
}

static void posted(unsigned int record, const void *sender)
{
	QS_BEGIN_PRE(record, 1)
		QS_TIME_PRE();
		QS_OBJ_PRE(sender);
		QS_SIG_PRE(DONE_SIG);
		QS_OBJ_PRE(&table);
		QS_2U8_PRE(1, 2);
		QS_EQC_PRE(5);
		QS_EQC_PRE(3);
	QS_END_PRE()
	tell();
}

/* @numbers: how many numbers of the queue follow */
static void queued(unsigned int record, const void *object, unsigned int id, int numbers)
{
	QS_BEGIN_PRE(record, id)
		QS_TIME_PRE();
		QS_SIG_PRE(EAT_SIG);
		QS_OBJ_PRE(object);
		QS_2U8_PRE(0, 0);
		if (numbers > 0)
			QS_EQC_PRE(4);
		if (numbers > 1)
			QS_EQC_PRE(2);
	QS_END_PRE()
	tell();
}

static void actives(void)
{
	int on;

	deferred(QS_QF_ACTIVE_DEFER);
	deferred(QS_QF_ACTIVE_RECALL);
	for (on = 0; on < 2; on++) {
		QS_BEGIN_PRE(on ? QS_QF_ACTIVE_SUBSCRIBE : QS_QF_ACTIVE_UNSUBSCRIBE, 1)
			QS_TIME_PRE();
			QS_SIG_PRE(DONE_SIG);
			QS_OBJ_PRE(&table);
		QS_END_PRE()
	}
	posted(QS_QF_ACTIVE_POST, &philo[2]);
	queued(QS_QF_ACTIVE_POST_LIFO, &table, 1, 2);
	queued(QS_QF_ACTIVE_GET, &table, 1, 1);
	queued(QS_QF_ACTIVE_GET_LAST, &table, 1, 0);
	QS_BEGIN_PRE(QS_QF_ACTIVE_RECALL_ATTEMPT, 1)
		QS_TIME_PRE();
		QS_OBJ_PRE(&table);
		QS_OBJ_PRE(&que);
	QS_END_PRE()
	posted(QS_QF_ACTIVE_POST_ATTEMPT, NULL);
	deferred(QS_QF_ACTIVE_DEFER_ATTEMPT);
	queued(QS_QF_EQUEUE_POST, &que, QS_ID_EQ + 1, 2);
	queued(QS_QF_EQUEUE_POST_LIFO, &que, QS_ID_EQ + 1, 2);
	queued(QS_QF_EQUEUE_GET, &que, QS_ID_EQ + 1, 1);
	queued(QS_QF_EQUEUE_GET_LAST, &que, QS_ID_EQ + 1, 0);
	queued(QS_QF_EQUEUE_POST_ATTEMPT, &que, 0, 2);
}

/* A signal, the pool of the event, and its references. */
static void event(unsigned int record)
{
	QS_BEGIN_PRE(record, QS_ID_EP + 1)
		QS_TIME_PRE();
		QS_SIG_PRE(EAT_SIG);
		QS_2U8_PRE(1, 2);
	QS_END_PRE()
	tell();
}

static void pools(void)
{
	int tried;

	for (tried = 0; tried < 2; tried++) {
		QS_BEGIN_PRE(tried ? QS_QF_MPOOL_GET_ATTEMPT : QS_QF_MPOOL_GET, QS_ID_EP + 1)
			QS_TIME_PRE();
			QS_OBJ_PRE(&pool);
			QS_MPC_PRE(300);
			QS_MPC_PRE(299);
		QS_END_PRE()
		QS_BEGIN_PRE(tried ? QS_QF_NEW_ATTEMPT : QS_QF_NEW, QS_ID_EP + 1)
			QS_TIME_PRE();
			QS_EVS_PRE(24);
			QS_SIG_PRE(EAT_SIG);
		QS_END_PRE()
	}
	QS_BEGIN_PRE(QS_QF_MPOOL_PUT, QS_ID_EP + 1)
		QS_TIME_PRE();
		QS_OBJ_PRE(&pool);
		QS_MPC_PRE(301);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QF_PUBLISH, 1)
		QS_TIME_PRE();
		QS_OBJ_PRE(&table);
		QS_SIG_PRE(EAT_SIG);
		QS_2U8_PRE(1, 0);
	QS_END_PRE()
	event(QS_QF_NEW_REF);
	event(QS_QF_GC_ATTEMPT);
	event(QS_QF_GC);
	event(QS_QF_DELETE_REF);
}

static void runs_out(void)
{
	QS_BEGIN_PRE(QS_QF_TIMEEVT_POST, 2)
		QS_TIME_PRE();
		QS_OBJ_PRE(&timer);
		QS_SIG_PRE(TIMEOUT_SIG);
		QS_OBJ_PRE(&philo[1]);
		QS_U8_PRE(0);
	QS_END_PRE()
}

static void times(void)
{
	int armed;

	for (armed = 0; armed < 2; armed++) {
		QS_BEGIN_PRE(armed ? QS_QF_TIMEEVT_ARM : QS_QF_TIMEEVT_DISARM, 2)
			QS_TIME_PRE();
			QS_OBJ_PRE(&timer);
			QS_OBJ_PRE(&philo[1]);
			QS_TEC_PRE(70000);
			QS_TEC_PRE(0);
			QS_U8_PRE(0);
		QS_END_PRE()
		QS_BEGIN_PRE(armed ? QS_QF_TIMEEVT_AUTO_DISARM : QS_QF_TIMEEVT_DISARM_ATTEMPT, 2)
			QS_OBJ_PRE(&timer);
			QS_OBJ_PRE(&philo[1]);
			QS_U8_PRE(1);
		QS_END_PRE()
	}
	QS_BEGIN_PRE(QS_QF_TIMEEVT_REARM, 2)
		QS_TIME_PRE();
		QS_OBJ_PRE(&timer);
		QS_OBJ_PRE(&philo[1]);
		QS_TEC_PRE(10);
		QS_TEC_PRE(20);
		QS_2U8_PRE(0, 1);
	QS_END_PRE()
	runs_out();
	QS_BEGIN_PRE(QS_QF_TICK, 0)
		QS_TEC_PRE(12345);
		QS_U8_PRE(0);
	QS_END_PRE()
	tell();
}

static void numbers(unsigned int record, int nr)
{
	QS_BEGIN_PRE(record, 3)
		QS_TIME_PRE();
		if (nr == 1)
			QS_U8_PRE(3);
		if (nr == 2)
			QS_2U8_PRE(3, 1);
	QS_END_PRE()
	tell();
}

static void thread(unsigned int record)
{
	QS_BEGIN_PRE(record, 3)
		QS_TIME_PRE();
		QS_OBJ_PRE(&que);
		QS_2U8_PRE(3, 1);
	QS_END_PRE()
	tell();
}

static void others(void)
{
	unsigned int record;

	numbers(QS_QF_CRIT_ENTRY, 1);
	numbers(QS_QF_CRIT_EXIT, 1);
	QS_TR_ISR_ENTRY(1, 5);
	QS_TR_ISR_EXIT(0, 5);
	numbers(QS_QF_INT_DISABLE, 0);
	numbers(QS_QF_INT_ENABLE, 0);
	for (record = QS_SCHED_PREEMPT; record < QS_SCHED_IDLE; record++)
		numbers(record, 2);
	numbers(QS_SCHED_IDLE, 1);
	for (record = QS_SEM_TAKE; record <= QS_MTX_UNLOCK_ATTEMPT; record++)
		thread(record);
	QS_BEGIN_PRE(QS_QF_RUN, 0)
	QS_END_PRE()
	QS_beginRec_(QS_QF_RUN);
	QS_endRec_();
	QS_ASSERTION("philo", 110, 10000U);
	tell();
}

/* The examples of the QS manual. */
static void application(void)
{
	const uint8_t data[] = { 0x10, 0x17, 0x84, 0xbb };
	unsigned int none = told_dicts - told_dicts;

	QS_BEGIN_ID(PHILO_STAT, 2)
		QS_U8(1, 1);
		QS_STR("thinking");
	QS_END()
	QS_BEGIN_INCRIT(IO_CALL, none)
		QS_FUN(&IO_Read);
		QS_I32(0, -129);
		QS_U8(0, 0);
	QS_END_INCRIT()
	QS_BEGIN_NOCRIT(DATA_RX, QS_ID_AP + 1)
		QS_OBJ(&l_uart2);
		QS_MEM(data, sizeof(data));
	QS_END_NOCRIT()
	QS_BEGIN_ID(FP_DATA, QS_ID_AP)
		QS_F32(6, 3.1415F);
		QS_F64(10, -271828.1828);
	QS_END()
	QS_BEGIN_ID(ENUM_DATA, 0)
		QS_ENUM(2, YES);
		QS_SIG(TIMEOUT_SIG, &philo[1]);
		QS_U16(QS_HEX_FMT, 0xbeef);
	QS_END()
	tell();
}

/* The queue of philo[1] has room for five. */
static void tells_philo(const void *sender, int sig, int nfree, int least)
{
	QS_BEGIN_PRE(QS_QF_ACTIVE_POST, 2)
		QS_TIME_PRE();
		QS_OBJ_PRE(sender);
		QS_SIG_PRE(sig);
		QS_OBJ_PRE(&philo[1]);
		QS_2U8_PRE(0, 0);
		QS_EQC_PRE(nfree);
		QS_EQC_PRE(least);
	QS_END_PRE()
}

/* nfree 0: the last event, for which QP does not tell the free entries. */
static void gets(int sig, int nfree)
{
	QS_BEGIN_PRE(nfree ? QS_QF_ACTIVE_GET : QS_QF_ACTIVE_GET_LAST, 2)
		QS_TIME_PRE();
		QS_SIG_PRE(sig);
		QS_OBJ_PRE(&philo[1]);
		QS_2U8_PRE(0, 0);
		if (nfree)
			QS_EQC_PRE(nfree);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QEP_DISPATCH, 2)
		QS_TIME_PRE();
		QS_SIG_PRE(sig);
		QS_OBJ_PRE(&philo[1]);
		QS_FUN_PRE(&Philo_thinking);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QEP_INTERN_TRAN, 2)
		QS_TIME_PRE();
		QS_SIG_PRE(sig);
		QS_OBJ_PRE(&philo[1]);
		QS_FUN_PRE(&Philo_thinking);
	QS_END_PRE()
	tell();
}

static void story(void)
{
	/* QP/C reports a timeout twice; here the table posts between the two. */
	runs_out();
	tells_philo(&table, EAT_SIG, 4, 4);
	tells_philo(NULL, TIMEOUT_SIG, 3, 3);
	gets(EAT_SIG, 4);
	gets(TIMEOUT_SIG, 0);
	/* The same signal, but not from a time event. */
	tells_philo(&table, TIMEOUT_SIG, 4, 3);
	gets(TIMEOUT_SIG, 0);
	/* Reported once only: the second record is lost. */
	runs_out();
	tell();
	puts("lost 0 1 1 1014000001 1014999999");
	gets(TIMEOUT_SIG, 0);
	tells_philo(&table, TIMEOUT_SIG, 4, 3);
	gets(TIMEOUT_SIG, 0);
}

int main(int argc, char **argv)
{
	fake_start(argv);
	fake_reset();
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (QS_INIT(NULL) != 1)
		return 1;
	puts("info");
	printf("clock %llu 1700000000000000000\n", (unsigned long long)now);
	printf("proc %d %d philo\n", PID, PID);
	names();
	QS_GLB_FILTER(QS_GRP_ALL);
	QS_LOC_FILTER(QS_IDS_ALL);
	if (argc > 1) {
		story();
		return ferror(stdout) || devtrace_errors();
	}
	machines();
	actives();
	pools();
	times();
	others();
	application();
	return ferror(stdout) || devtrace_errors();
}
