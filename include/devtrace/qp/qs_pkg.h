/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qs_pkg.h - the trace points inside QP/C
 *
 * A predefined record becomes an event of typed elements, so readers can print it for any
 * configuration of QP/C. A signal element contains an object, under which readers look up the
 * signal's name: the object that follows the signal in the record, or in records of deferred
 * events the first object. If the record has a QS-ID, the event has the signal also in its header,
 * for filters. All this is decided at compile time: a record costs its stores and one call.
 *
 * Since 8.1, QP/C's names of these macros have no trailing underscore.
 */
#ifndef DEVTRACE_QP_QS_PKG_H
#define DEVTRACE_QP_QS_PKG_H

#ifndef QS_PKG_H_
#define QS_PKG_H_
#endif

#include "qs_port.h"
#include "qs_framework.h"

/* The longest record has three objects and six numbers. */
#define DEVTRACE_QP_ROOM	96

/**
 * struct devtrace_qp_pre - state of a predefined record being built
 * @sig: position after the signal element, whose object is not yet known; 0: no signal so far
 * @first: key of the record's first object; 0: none so far
 */
struct devtrace_qp_pre {
	size_t		sig;
	uint64_t	first;
};

DEVTRACE_INLINE_ void devtrace_qp_sig_(struct devtrace_record *r, struct devtrace_qp_pre *pre,
				       uint32_t sig)
{
	const bool deferred = r->buf[0] == QS_QF_ACTIVE_DEFER ||
			      r->buf[0] == QS_QF_ACTIVE_RECALL ||
			      r->buf[0] == QS_QF_ACTIVE_DEFER_ATTEMPT;

	if (r->buf[2] & DEVTRACE_F_OBJSIG && sig <= UINT16_MAX)
		devtrace_store16_(r->buf + sizeof(struct devtrace_emit) + 2, (uint16_t)sig);
	devtrace_sig(r, sig, deferred ? pre->first : 0);
	if (!deferred)
		pre->sig = r->pos;
}

DEVTRACE_INLINE_ void devtrace_qp_obj_(struct devtrace_record *r, struct devtrace_qp_pre *pre,
				       uint64_t key)
{
	if (!pre->first)
		pre->first = key;
	if (pre->sig && pre->sig == r->pos)
		devtrace_store64_(r->buf + r->pos - sizeof(key), key);
	devtrace_obj(r, key);
}

/* Put a number in the width that QP/C is configured for. QP/C passes it with 32 bits. */
DEVTRACE_INLINE_ void devtrace_qp_number_(struct devtrace_record *r, unsigned int bytes,
					  uint32_t v)
{
	if (bytes == 1)
		devtrace_u8(r, (uint8_t)v);
	else if (bytes == 2)
		devtrace_u16(r, (uint16_t)v);
	else
		devtrace_u32(r, v);
}

#ifndef QF_EQUEUE_CTR_SIZE
#define QF_EQUEUE_CTR_SIZE	1U
#endif
#ifndef QF_MPOOL_CTR_SIZE
#define QF_MPOOL_CTR_SIZE	2U
#endif
#ifndef QF_MPOOL_SIZ_SIZE
#define QF_MPOOL_SIZ_SIZE	2U
#endif
#ifndef QF_TIMEEVT_CTR_SIZE
#define QF_TIMEEVT_CTR_SIZE	4U
#endif
#ifndef QF_EVENT_SIZ_SIZE
#define QF_EVENT_SIZ_SIZE	2U
#endif

#define QS_BEGIN_PRE(record, id)						\
	{									\
		const unsigned int devtrace_i_ = (unsigned int)(id);		\
		if (devtrace_qp_wanted_(record, devtrace_i_)) {			\
			struct devtrace_qp_pre devtrace_p_ = { 0, 0 };		\
			DEVTRACE_RECORD(devtrace_r_, DEVTRACE_QP_ROOM);		\
			devtrace_qp_begin_(&devtrace_r_, record, devtrace_i_);	\
			(void)devtrace_p_;
#define QS_END_PRE()								\
			devtrace_end(&devtrace_r_);				\
		}								\
	}

#define QS_TIME_PRE()		((void)0)
#define QS_U8_PRE(v)		devtrace_u8(&devtrace_r_, (uint8_t)(v))
#define QS_2U8_PRE(v, w)	(QS_U8_PRE(v), QS_U8_PRE(w))
#define QS_U16_PRE(v)		devtrace_u16(&devtrace_r_, (uint16_t)(v))
#define QS_U32_PRE(v)		devtrace_u32(&devtrace_r_, (uint32_t)(v))
#define QS_STR_PRE(s)		devtrace_str(&devtrace_r_, (s))
#define QS_SIG_PRE(sig)		devtrace_qp_sig_(&devtrace_r_, &devtrace_p_, (uint32_t)(sig))
#define QS_OBJ_PRE(object)	\
	devtrace_qp_obj_(&devtrace_r_, &devtrace_p_, DEVTRACE_KEY_(object))
#define QS_FUN_PRE(function)	devtrace_fun(&devtrace_r_, DEVTRACE_KEY_(function))
#define DEVTRACE_QP_NUMBER_(bytes, v) \
	devtrace_qp_number_(&devtrace_r_, (bytes), (uint32_t)(v))
#define QS_EQC_PRE(v)		DEVTRACE_QP_NUMBER_(QF_EQUEUE_CTR_SIZE, v)
#define QS_MPC_PRE(v)		DEVTRACE_QP_NUMBER_(QF_MPOOL_CTR_SIZE, v)
#define QS_MPS_PRE(v)		DEVTRACE_QP_NUMBER_(QF_MPOOL_SIZ_SIZE, v)
#define QS_TEC_PRE(v)		DEVTRACE_QP_NUMBER_(QF_TIMEEVT_CTR_SIZE, v)
#define QS_EVS_PRE(v)		DEVTRACE_QP_NUMBER_(QF_EVENT_SIZ_SIZE, v)

/* Names of these macros before QP/C 8.1. */
#define QS_BEGIN_PRE_(record, id)	QS_BEGIN_PRE(record, id)
#define QS_END_PRE_()			QS_END_PRE()
#define QS_U8_PRE_(v)			QS_U8_PRE(v)
#define QS_2U8_PRE_(v, w)		QS_2U8_PRE(v, w)
#define QS_U16_PRE_(v)			QS_U16_PRE(v)
#define QS_U32_PRE_(v)			QS_U32_PRE(v)
#define QS_STR_PRE_(s)			QS_STR_PRE(s)
#define QS_SIG_PRE_(sig)		QS_SIG_PRE(sig)
#define QS_OBJ_PRE_(object)		QS_OBJ_PRE(object)
#define QS_FUN_PRE_(function)		QS_FUN_PRE(function)
#define QS_EQC_PRE_(v)			QS_EQC_PRE(v)
#define QS_MPC_PRE_(v)			QS_MPC_PRE(v)
#define QS_MPS_PRE_(v)			QS_MPS_PRE(v)
#define QS_TEC_PRE_(v)			QS_TEC_PRE(v)
#define QS_EVS_PRE_(v)			QS_EVS_PRE(v)

#endif
