/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qs_framework.h - requests of hosts that need QP/C's functions and structures
 *
 * The layouts of QP/C's structures differ between its versions and configurations, so a library
 * that is compiled once cannot contain this code. Each source file of QP/C compiles it, and the
 * linker keeps one copy. The references to QP/C's functions are weak, because a program need not
 * contain all source files of QP/C.
 */
#ifndef DEVTRACE_QP_QS_FRAMEWORK_H
#define DEVTRACE_QP_QS_FRAMEWORK_H

#include <string.h>
#include <devtrace-rx.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct devtrace_qp_framework - functions of QP/C for requests of the receive channel
 * @size: sizeof(struct devtrace_qp_framework)
 * @version: QP_VERSION
 * @tick: process a tick of this rate
 * @event: publish, post or dispatch an event. Returns 0, or another value to refuse.
 * @query: add elements about an object. Returns 0, or another value to refuse.
 */
struct devtrace_qp_framework {
	size_t	size;
	uint16_t version;
	void	(*tick)(void *sender, uint8_t rate);
	int	(*event)(void *sender, const struct devtrace_rx_event *event);
	int	(*query)(void *sender, uint8_t kind, void *object, struct devtrace_record *r);
};

extern const struct devtrace_qp_framework devtrace_qp_framework;

#if defined(QP_H_) && defined(QP_PKG_H_) && !defined(__cplusplus)

extern QActive *QActive_registry_[QF_MAX_ACTIVE + 1U] __attribute__((weak));
extern __typeof__(QF_newX_) QF_newX_ __attribute__((weak));
extern __typeof__(QF_gc) QF_gc __attribute__((weak));
extern __typeof__(QActive_post_) QActive_post_ __attribute__((weak));
extern __typeof__(QActive_publish_) QActive_publish_ __attribute__((weak));

#if QF_MAX_TICK_RATE > 0U
extern __typeof__(QTimeEvt_tick_) QTimeEvt_tick_ __attribute__((weak));

static void devtrace_qp_tick_(void *sender, uint8_t rate)
{
	if (QTimeEvt_tick_ && rate < QF_MAX_TICK_RATE)
		QTimeEvt_tick_(rate, sender);
}
#else
#define devtrace_qp_tick_	NULL
#endif

/*
 * Return the active object at this address, or if object is NULL the one of this priority; NULL:
 * none.
 */
static QActive *devtrace_qp_active_(unsigned int prio, const void *object)
{
	unsigned int i;

	if (!(uintptr_t)QActive_registry_)
		return NULL;
	for (i = 1; i <= QF_MAX_ACTIVE; i++)
		if (QActive_registry_[i] && (object ? QActive_registry_[i] == object : i == prio))
			return QActive_registry_[i];
	return NULL;
}

#ifdef Q_UTEST
/*
 * The fixture may define this function, to change an event from the test script before it is used.
 */
void QS_onTestEvt(QEvt *e) __attribute__((weak));
#define DEVTRACE_QP_ON_TEST_EVT_(e)	do { if (QS_onTestEvt) QS_onTestEvt(e); } while (0)
#else
#define DEVTRACE_QP_ON_TEST_EVT_(e)	((void)0)
#endif

static void devtrace_qp_to_machine_(QAsm *machine, const struct devtrace_rx_event *event,
				    const QEvt *e, uint8_t id)
{
	if (event->to == DEVTRACE_RX_INIT)
		machine->vptr->init(machine, e, id);
	else
		machine->vptr->dispatch(machine, e, id);
}

/*
 * Dispatch an event in a program without QF. Such a program has no event pools, and its state
 * machine does not keep the event, so an event on the stack is enough.
 */
static int devtrace_qp_without_qf_(QAsm *machine, const struct devtrace_rx_event *event)
{
	QEvt room[1 + 2048 / sizeof(QEvt)];

	if (event->len > sizeof(room) - sizeof(*room))
		return 1;
	room[0] = (QEvt)QEVT_INITIALIZER(event->sig);
	if (event->len)
		memcpy(room + 1, event->params, event->len);
	DEVTRACE_QP_ON_TEST_EVT_(room);
	devtrace_qp_to_machine_(machine, event, room, 0);
	return 0;
}

static int devtrace_qp_event_(void *sender, const struct devtrace_rx_event *event)
{
	const bool to_machine = event->to == DEVTRACE_RX_INIT || event->to == DEVTRACE_RX_DISPATCH;
	QActive *const active = devtrace_qp_active_(event->to, event->object);
	QAsm *machine = (QAsm *)event->object;
	QEvt *e;

	if (to_machine ? !machine->vptr : event->to != DEVTRACE_RX_PUBLISH && !active)
		return 1;
	if (to_machine && !QF_newX_)
		return devtrace_qp_without_qf_(machine, event);
	if (!QF_newX_ || !QF_gc ||
	    (event->to == DEVTRACE_RX_PUBLISH ? !QActive_publish_ : !to_machine && !QActive_post_))
		return 1;
	/* With a margin, here 0, QP/C returns NULL if its pool is empty; otherwise it asserts. */
	e = QF_newX_((uint_fast16_t)(sizeof(*e) + event->len), 0, (int)event->sig);
	if (!e)
		return 1;
	if (event->len)
		memcpy(e + 1, event->params, event->len);
	DEVTRACE_QP_ON_TEST_EVT_(e);
	if (event->to == DEVTRACE_RX_PUBLISH) {
		QActive_publish_(e, sender, 0);
		return 0;
	}
	if (!to_machine)
		return !QActive_post_(active, e, 0, sender);
	/* Hold a reference during the dispatch; QF_gc() drops it. */
	e->refCtr_ = 1;
	devtrace_qp_to_machine_(machine, event, e, active ? active->prio : 0);
	QF_gc(e);
	return 0;
}

/*
 * Add elements about an object, one for each field of QS's answer in the same order: qsgate(1)
 * converts them one by one.
 */
static int devtrace_qp_query_(void *sender, uint8_t kind, void *object, struct devtrace_record *r)
{
	(void)sender;
	switch (kind) {
	case DEVTRACE_RX_SM:
	case DEVTRACE_RX_AO:
		if (kind == DEVTRACE_RX_AO && !devtrace_qp_active_(0, object))
			return 1;
		if (kind == DEVTRACE_RX_AO)
			devtrace_u8(r, ((QActive *)object)->prio);
		devtrace_fun(r, (uintptr_t)((QAsm *)object)->state.fun);
		return 0;
#if QF_MAX_TICK_RATE > 0U
	case DEVTRACE_RX_TE:
		devtrace_obj(r, (uintptr_t)((QTimeEvt *)object)->act);
		devtrace_u32(r, ((QTimeEvt *)object)->ctr);
		devtrace_u32(r, ((QTimeEvt *)object)->interval);
		devtrace_sig(r, ((QTimeEvt *)object)->super.sig, 0);
		return 0;
#endif
	case DEVTRACE_RX_AP:
		return 0;
	}
	return 1;
}

const struct devtrace_qp_framework devtrace_qp_framework __attribute__((weak)) = {
	.size = sizeof(devtrace_qp_framework),
	.version = QP_VERSION,
	.tick = devtrace_qp_tick_,
	.event = devtrace_qp_event_,
	.query = devtrace_qp_query_,
};

#endif

#ifdef __cplusplus
}
#endif
#endif
