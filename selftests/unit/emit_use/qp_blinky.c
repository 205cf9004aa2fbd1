// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * qp_blinky.c - a program of QP/C: linked with its sources where QPC_DIR says where they are
 *
 * Two active objects: a lamp that a time event turns on and off, and a watcher that gets
 * an event from a pool each time, publishes and defers nothing, and stops after ten. It
 * ends with 0, without a device too. With one, the trace has what each did.
 */
#include <stdlib.h>
#include "qpc.h"

enum signals { TIMEOUT_SIG = Q_USER_SIG, BLINK_SIG, ODD_SIG, MAX_PUB_SIG };
enum records { LAMP = QS_USER };

typedef struct {
	QEvt super;
	uint32_t nr;
} Blink;

typedef struct {
	QActive super;
	QTimeEvt timer;
	uint32_t nr;
} Lamp;

typedef struct {
	QActive super;
} Watcher;

#if QP_VERSION < 800
typedef QEvt const *QEvtPtr;
#endif

static Lamp lamp;
static Watcher watcher;

static QState Lamp_off(Lamp * const me, QEvt const * const e);
static QState Lamp_on(Lamp * const me, QEvt const * const e);
static QState Watcher_watching(Watcher * const me, QEvt const * const e);

static QState Lamp_initial(Lamp * const me, void const * const par)
{
	(void)par;
	QTimeEvt_armX(&me->timer, 5U, 5U);
	return Q_TRAN(&Lamp_off);
}

static QState Lamp_off(Lamp * const me, QEvt const * const e)
{
	switch (e->sig) {
	case Q_ENTRY_SIG:
		return Q_HANDLED();
	case TIMEOUT_SIG:
		return Q_TRAN(&Lamp_on);
	}
	return Q_SUPER(&QHsm_top);
}

static QState Lamp_on(Lamp * const me, QEvt const * const e)
{
	Blink *b;

	switch (e->sig) {
	case Q_ENTRY_SIG:
		b = Q_NEW(Blink, BLINK_SIG);
		b->nr = ++me->nr;
		QS_BEGIN_ID(LAMP, me->super.prio)
			QS_U32(0, me->nr);
			QS_STR("on");
		QS_END()
		QACTIVE_PUBLISH(&b->super, &me->super);
		return Q_HANDLED();
	case Q_EXIT_SIG:
		return Q_HANDLED();
	case TIMEOUT_SIG:
		return Q_TRAN(&Lamp_off);
	}
	return Q_SUPER(&QHsm_top);
}

static QState Watcher_initial(Watcher * const me, void const * const par)
{
	(void)par;
	QActive_subscribe(&me->super, BLINK_SIG);
	return Q_TRAN(&Watcher_watching);
}

static QState Watcher_watching(Watcher * const me, QEvt const * const e)
{
	static QEvt const odd = QEVT_INITIALIZER(ODD_SIG);
	uint32_t nr;

	(void)me;
	switch (e->sig) {
	case BLINK_SIG:
		nr = ((Blink const *)e)->nr;
		if (nr % 2)
			QACTIVE_POST(&lamp.super, &odd, &me->super);
		if (nr == 10)
			QF_stop();
		return Q_HANDLED();
	}
	return Q_SUPER(&QHsm_top);
}

void QF_onStartup(void)
{
}

void QF_onCleanup(void)
{
}

void QF_onClockTick(void)
{
	QTIMEEVT_TICK_X(0U, NULL);
	QS_RX_INPUT();
	QS_OUTPUT();
}

Q_NORETURN Q_onError(char const * const module, int_t const id)
{
	QS_ASSERTION(module, id, 10000U);
	abort();
}

int main(void)
{
	static QSubscrList subscribers[MAX_PUB_SIG];
	static QF_MPOOL_EL(Blink) events[50];
	/* A machine may be slow: what a minute of ticks posts has room. */
	static QEvtPtr lamp_queue[200], watcher_queue[100];
	int rc;

	QF_init();
	QActive_psInit(subscribers, Q_DIM(subscribers));
	QF_poolInit(events, sizeof(events), sizeof(events[0]));
	if (QS_INIT((void *)0) == 0U)
		return 1;
	QS_GLB_FILTER(QS_GRP_ALL);
	QS_GLB_FILTER(-QS_QF_TICK);
	QS_OBJ_DICTIONARY(&lamp);
	QS_OBJ_DICTIONARY(&lamp.timer);
	QS_OBJ_DICTIONARY(&watcher);
	QS_FUN_DICTIONARY(&Lamp_initial);
	QS_FUN_DICTIONARY(&Lamp_off);
	QS_FUN_DICTIONARY(&Lamp_on);
	QS_FUN_DICTIONARY(&Watcher_initial);
	QS_FUN_DICTIONARY(&Watcher_watching);
	QS_SIG_DICTIONARY(TIMEOUT_SIG, &lamp);
	QS_SIG_DICTIONARY(BLINK_SIG, 0);
	QS_SIG_DICTIONARY(ODD_SIG, &lamp);
	QS_USR_DICTIONARY(LAMP);
	QActive_ctor(&lamp.super, Q_STATE_CAST(&Lamp_initial));
	QTimeEvt_ctorX(&lamp.timer, &lamp.super, TIMEOUT_SIG, 0U);
	QActive_ctor(&watcher.super, Q_STATE_CAST(&Watcher_initial));
	QACTIVE_START(&lamp.super, 1U, lamp_queue, Q_DIM(lamp_queue), NULL, 0U, NULL);
	QACTIVE_START(&watcher.super, 2U, watcher_queue, Q_DIM(watcher_queue), NULL, 0U, NULL);
	rc = QF_run();
	return rc;
}
