/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * qp_types.h - the types and functions of QP/C that devtrace/qp/qs_framework.h uses
 *
 * Declarations of our own, with QP/C's names. QP_VERSION chooses between the layouts of 7.3 and
 * 8.1. The include guards are QP/C's, by which the header knows that the types are there.
 */
#ifndef QP_H_
#define QP_H_
#define QP_PORT_H_
#define QP_PKG_H_

#include <stdbool.h>
#include <stdint.h>

#ifndef QF_MAX_ACTIVE
#define QF_MAX_ACTIVE		32U
#endif
#ifndef QF_MAX_TICK_RATE
#define QF_MAX_TICK_RATE	1U
#endif
typedef int enum_t;
typedef int int_t;
typedef uint16_t QSignal;
typedef uint32_t QTimeEvtCtr;
typedef uint_fast8_t QState;

typedef struct QEvt {
#if QP_VERSION >= 810
	uint32_t sig : 16;
	uint32_t poolNum_ : 8;
	uint32_t refCtr_ : 8;
	uint32_t filler_;
#else
	QSignal sig;
	uint8_t volatile refCtr_;
	uint8_t evtTag_;
#endif
} QEvt;

#if QP_VERSION >= 810
#define QEVT_INITIALIZER(sig_)	{ (uint16_t)(sig_), 0U, 0U, 0U }
#else
#define QEVT_INITIALIZER(sig_)	{ (QSignal)(sig_), 0U, 0xE0U }
#endif

typedef QState (*QStateHandler)(void *const me, QEvt const *const e);

union QAsmAttr {
	QStateHandler fun;
	uintptr_t uint;
};

struct QAsmVtable;
typedef struct {
	struct QAsmVtable const *vptr;
	union QAsmAttr state;
	union QAsmAttr temp;
} QAsm;

struct QAsmVtable {
	void (*init)(QAsm *const me, void const *const e, uint_fast8_t const qsId);
	void (*dispatch)(QAsm *const me, QEvt const *const e, uint_fast8_t const qsId);
};

typedef struct QActive {
	QAsm super;
	uint8_t prio;
	uint8_t pthre;
} QActive;

typedef struct QTimeEvt {
	QEvt super;
	struct QTimeEvt *volatile next;
	void *volatile act;
	QTimeEvtCtr volatile ctr;
	QTimeEvtCtr interval;
} QTimeEvt;

extern QActive *QActive_registry_[QF_MAX_ACTIVE + 1U];
QEvt *QF_newX_(uint_fast16_t const evtSize, uint_fast16_t const margin, enum_t const sig);
void QF_gc(QEvt const *const e);
bool QActive_post_(QActive *const me, QEvt const *const e, uint_fast16_t const margin,
		   void const *const sender);
void QActive_publish_(QEvt const *const e, void const *const sender, uint_fast8_t const qsId);
#if QF_MAX_TICK_RATE > 0U
void QTimeEvt_tick_(uint_fast8_t const tickRate, void const *const sender);
#endif

#endif
