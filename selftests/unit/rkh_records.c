// SPDX-License-Identifier: GPL-2.0-only
/*
 * rkh_records.c - emits each event of RKH's trace facility through the headers of devtrace/rkh
 *
 *	rkh_records | gen_stream > rkh.trace
 *	rkh_records story | gen_stream > story.trace	two machines, one event per millisecond
 *
 * The device is that of fakedev.h. The events are printed as a description for gen_stream;
 * traceinfo/rkh.expected is its transcript.
 */
#include <stdio.h>
#include <string.h>
#include "rkhtrc.h"
#include "tell.h"

enum signals {
	EAT = 1, DONE, TIMEOUT, UNKNOWN = 77,
};

struct evt {
	RKH_SIG_T e;
	uint8_t nref, pool;
};

struct ao {
	const char *name;
	uint8_t prio;
};

static struct ao table = { "table", 0 }, philo = { "philo", 1 };
static const struct ao *const nobody;
static int pool, que, timer, thinking, hungry, hist, isr;
static struct evt eat = { EAT, 1, 1 }, done = { DONE, 0, 0 }, odd = { UNKNOWN, 2, 3 };

static void pick_up(void) { }

/* Like an application: define names, then switch the filters off. */
static void names(void)
{
	RKH_TR_FWK_AO(&table);
	RKH_TR_FWK_AO(&philo);
	RKH_TR_FWK_STATE(&philo, &thinking);
	RKH_TR_FWK_STATE(&philo, &hungry);
	RKH_TR_FWK_PSTATE(&philo, &hist);
	RKH_TR_FWK_TIMER(&timer);
	RKH_TR_FWK_QUEUE(&que);
	RKH_TR_FWK_EPOOL(0, "small");
	RKH_TR_FWK_ACTOR(&isr, "tick");
	RKH_TR_FWK_OBJ(&pool);
	RKH_TR_FWK_FUN(&pick_up);
	RKH_TR_FWK_SIG(EAT);
	RKH_TR_FWK_SIG(DONE);
	RKH_TR_FWK_SIG(TIMEOUT);
	RKH_TR_FWK_TUSR(RKH_TE_USER);
	tell();
}

static void pools_and_queues(void)
{
	RKH_TR_MP_INIT(&pool, 10, 300);
	RKH_TR_MP_GET(&pool, 9, 8);
	RKH_TR_MP_PUT(&pool, 10);
	RKH_TR_QUE_INIT(&que, &philo, 4);
	RKH_TR_QUE_GET(&que, 3);
	RKH_TR_QUE_FIFO(&que, 2, 1);
	RKH_TR_QUE_LIFO(&que, 3, 0);
	RKH_TR_QUE_FULL(&que);
	RKH_TR_QUE_DPT(&que);
	RKH_TR_QUE_GET_LAST(&que);
	tell();
}

static void active_objects(void)
{
	RKH_TR_SMA_ACT(&philo, philo.prio, 4);
	RKH_TR_SMA_TERM(&philo, philo.prio);
	RKH_TR_SMA_GET(&philo, &eat, 1, 1, 3, 2);
	RKH_TR_SMA_FIFO(&table, &done, &philo, 0, 0, 1, 1);
	RKH_TR_SMA_LIFO(&table, &odd, nobody, 2, 2, 2, 1);
	RKH_TR_SMA_REG(&philo, philo.prio);
	RKH_TR_SMA_UNREG(&philo, philo.prio);
	RKH_TR_SMA_DEFER(&que, &eat);
	RKH_TR_SMA_RCALL(&table, &eat);
	tell();
}

static void machines(void)
{
	RKH_TR_SM_INIT(&philo, &thinking);
	RKH_TR_SM_CLRH(&philo, &hist);
	RKH_TR_SM_DCH(&philo, &eat, &thinking);
	RKH_TR_SM_TRN(&philo, &thinking, &hungry);
	RKH_TR_SM_STATE(&philo, &hungry);
	RKH_TR_SM_ENSTATE(&philo, &hungry);
	RKH_TR_SM_EXSTATE(&philo, &thinking);
	RKH_TR_SM_NENEX(&philo, 1, 2);
	RKH_TR_SM_NTRNACT(&philo, 3, 1);
	RKH_TR_SM_TS_STATE(&philo, &hist);
	RKH_TR_SM_EVT_PROC(&philo);
	RKH_TR_SM_EVT_NFOUND(&philo, &odd);
	RKH_TR_SM_GRD_FALSE(&philo);
	RKH_TR_SM_CND_NFOUND(&philo);
	RKH_TR_SM_UNKN_STATE(&philo);
	RKH_TR_SM_EX_HLEVEL(&philo);
	RKH_TR_SM_EX_TSEG(&philo);
	RKH_TR_SM_EXE_ACT(RKH_SUBTE_SM_EXE_ACT_EFF, &philo, &thinking, &pick_up);
	RKH_TR_SM_EXE_ACT(RKH_SUBTE_SM_EXE_ACT_GRD, &philo, &thinking, &pick_up);
	tell();
}

static void timers(void)
{
	RKH_TR_TMR_INIT(&timer, TIMEOUT);
	RKH_TR_TMR_START(&timer, &philo, 100, 0);
	RKH_TR_TMR_STOP(&timer, 40, 100000);
	RKH_TR_TMR_TOUT(&timer, TIMEOUT, &philo);
	RKH_TR_TMR_REM(&timer);
	tell();
}

static void framework(void)
{
	RKH_TR_FWK_EN();
	RKH_TR_FWK_EX();
	RKH_TR_FWK_EPREG(1, 3000, 300, 10);
	RKH_TR_FWK_AE(300, &eat, 1, 9, &philo);
	RKH_TR_FWK_GC(&eat, 1, 1);
	RKH_TR_FWK_GCR(&eat, 0, 9, &table);
	RKH_TR_FWK_EXE_FUN(&pick_up);
	RKH_TR_FWK_SYNC_EVT(&pick_up, &philo, &table);
	RKH_TRC_SEND_CFG(100);
	RKH_TR_FWK_ASSERT("rkhqueue", 300);
	tell();
}

static void unit_test(void)
{
	unsigned int te;

	for (te = RKH_TE_UT_INIT; te <= RKH_TE_UT_SUCCESS; te++)
		RKH_TR_UT(te);
	RKH_TR_UT_FAIL(123, "expected 2 was 3");
	tell();
}

static void application(void)
{
	static const uint8_t bytes[] = { 0x17, 0x84, 0xbb };

	RKH_TRC_USR_BEGIN(RKH_TE_USER)
		RKH_TUSR_I8(0, -8);
		RKH_TUSR_UI8(3, 8);
		RKH_TUSR_I16(0, -1600);
		RKH_TUSR_UI16(0, 1600);
		RKH_TUSR_I32(0, -320000);
		RKH_TUSR_UI32(8, 320000);
		RKH_TUSR_X32(4, 0xbeef);
	RKH_TRC_USR_END();
	RKH_TRC_USR_BEGIN(RKH_TE_USER + 31)
		RKH_TUSR_STR("hungry");
		RKH_TUSR_MEM(bytes, sizeof(bytes));
		RKH_TUSR_OBJ(&philo);
		RKH_TUSR_FUN(&pick_up);
		RKH_TUSR_SIG(EAT);
	RKH_TRC_USR_END();
	tell();
}

/*
 * One EAT waits for 3 ms, the next one for 7; a step takes 3 ms, then 2. A loss hides the end of
 * a third EAT and of its step.
 */
static void story(void)
{
	int round;

	RKH_TR_SM_INIT(&philo, &thinking);
	RKH_TR_SMA_FIFO(&philo, &eat, &table, 0, 1, 1, 3);
	RKH_TR_SMA_FIFO(&philo, &eat, &table, 0, 1, 2, 2);
	for (round = 0; round < 2; round++) {
		RKH_TR_SMA_GET(&philo, &eat, 0, 1, 1, 2);
		RKH_TR_SM_DCH(&philo, &eat, round ? &hungry : &thinking);
		RKH_TR_SM_STATE(&philo, &hungry);
		if (!round)
			RKH_TR_SM_NENEX(&philo, 1, 1);
		RKH_TR_SM_EVT_PROC(&philo);
	}
	RKH_TR_TMR_START(&timer, &philo, 10, 0);
	RKH_TR_TMR_TOUT(&timer, TIMEOUT, &philo);
	RKH_TR_SMA_FIFO(&philo, &eat, &table, 0, 1, 1, 3);
	tell();
	puts("lost 0 1 5 1024000001 1024999999");
	RKH_TR_SM_DCH(&philo, &eat, &hungry);
	RKH_TR_SM_EVT_NFOUND(&philo, &eat);
	tell();
}

int main(int argc, char **argv)
{
	fake_start(argv);
	fake_reset();
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	RKH_TRC_OPEN();
	puts("info");
	printf("clock %llu 1700000000000000000\n", (unsigned long long)now);
	printf("proc %d %d philo\n", PID, PID);
	names();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
	if (argc > 1) {
		story();
		return ferror(stdout) || devtrace_errors();
	}
	pools_and_queues();
	active_objects();
	machines();
	timers();
	framework();
	unit_test();
	application();
	RKH_TRC_FLUSH();
	RKH_TRC_CLOSE();
	return ferror(stdout) || devtrace_errors();
}
