/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc_record.h - RKH's trace points
 *
 * An event has the elements that RKH documents, in RKH's order. They are typed, so readers can
 * print them for any configuration of RKH: a symbol is an OBJ element, an action a FUN, a signal a
 * SIG. If the configuration lacks the low watermark or the sender, "-" or 0 takes its place.
 *
 * A name is added to the dictionaries of the stream; an event beside it contains the kind of the
 * named object and the active object to which it belongs.
 */
#ifndef DEVTRACE_RKHTRC_RECORD_H
#define DEVTRACE_RKHTRC_RECORD_H

#include "rkhtrc_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

void rkh_trc_init(void);
void rkh_trc_obj(RKH_TE_ID_T kind, rui8_t *object, const char *name);
void rkh_trc_sig(RKH_SIG_T sig, const char *name);

#ifdef __cplusplus
}
#endif

/*
 * Expansions of an enabled and of a disabled event. The arguments of a disabled event are dropped,
 * because they may be undeclared.
 */
#define DEVTRACE_RKH_ON_(...)	do { __VA_ARGS__ } while (0)
#define DEVTRACE_RKH_OFF_(...)	((void)0)
#define DEVTRACE_RKH_PRIO_(ao)	RKH_SMA_ACCESS_CONST(ao, prio)

#if RKH_CFG_TRC_EN == RKH_ENABLED && RKH_CFG_TRC_ALL_EN == RKH_ENABLED
#define DEVTRACE_RKH_ALL_	1
#else
#define DEVTRACE_RKH_ALL_	0
#endif
#define DEVTRACE_RKH_HAS_(en)	\
	(DEVTRACE_RKH_ALL_ || (RKH_CFG_TRC_EN == RKH_ENABLED && (en) == RKH_ENABLED))

#if DEVTRACE_RKH_HAS_(RKH_CFG_TRC_MP_EN)
#define DEVTRACE_RKH_MP_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_MP_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_HAS_(RKH_CFG_TRC_QUE_EN)
#define DEVTRACE_RKH_QUE_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_QUE_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_HAS_(RKH_CFG_TRC_SMA_EN)
#define DEVTRACE_RKH_SMA_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SMA_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_HAS_(RKH_CFG_TRC_TMR_EN)
#define DEVTRACE_RKH_TMR_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_TMR_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_HAS_(RKH_CFG_TRC_FWK_EN)
#define DEVTRACE_RKH_FWK_EN_	1
#define DEVTRACE_RKH_FWK_ON_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_FWK_EN_	0
#define DEVTRACE_RKH_FWK_ON_	DEVTRACE_RKH_OFF_
#endif

/* Each event of a state machine is enabled separately. */
#if DEVTRACE_RKH_HAS_(RKH_CFG_TRC_SM_EN)
#define DEVTRACE_RKH_SM_EN_	RKH_ENABLED
#else
#define DEVTRACE_RKH_SM_EN_	RKH_DISABLED
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_INIT_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_INIT_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_INIT_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_CLRH_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_CLRH_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_CLRH_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_DCH_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_DCH_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_DCH_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_TRN_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_TRN_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_TRN_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_STATE_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_STATE_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_STATE_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_ENSTATE_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_ENSTATE_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_ENSTATE_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_EXSTATE_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_EXSTATE_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_EXSTATE_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_NENEX_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_NENEX_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_NENEX_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_NTRNACT_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_NTRNACT_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_NTRNACT_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_TS_STATE_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_TS_STATE_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_TS_STATE_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_PROCESS_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_PROCESS_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_PROCESS_	DEVTRACE_RKH_OFF_
#endif
#if DEVTRACE_RKH_SM_EN_ == RKH_ENABLED && RKH_CFG_TRC_SM_EXE_ACT_EN == RKH_ENABLED
#define DEVTRACE_RKH_SM_EXE_ACT_	DEVTRACE_RKH_ON_
#else
#define DEVTRACE_RKH_SM_EXE_ACT_	DEVTRACE_RKH_OFF_
#endif

/* Memory pools. */
#define RKH_TR_MP_INIT(pool, nblocks, size)					\
	DEVTRACE_RKH_MP_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_MP_INIT)			\
		RKH_TRC_SYM(pool); RKH_TRC_NBLK(nblocks); RKH_TRC_BSIZE(size);	\
	RKH_TRC_END())
#define RKH_TR_MP_GET(pool, nfree, nmin)					\
	DEVTRACE_RKH_MP_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_MP_GET)			\
		RKH_TRC_SYM(pool); RKH_TRC_NBLK(nfree); RKH_TRC_MP_NMIN(nmin);	\
	RKH_TRC_END())
#define RKH_TR_MP_PUT(pool, nfree)						\
	DEVTRACE_RKH_MP_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_MP_PUT)			\
		RKH_TRC_SYM(pool); RKH_TRC_NBLK(nfree);				\
	RKH_TRC_END())

/* Queues. */
#define RKH_TR_QUE_INIT(que, ao, nelem)						\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_INIT)		\
		RKH_TRC_SYM(que); RKH_TRC_SYM(ao); RKH_TRC_NE(nelem);		\
	RKH_TRC_END())
#define RKH_TR_QUE_GET(que, nelem)						\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_GET)			\
		RKH_TRC_SYM(que); RKH_TRC_NE(nelem);				\
	RKH_TRC_END())
#define RKH_TR_QUE_FIFO(que, nelem, nmin)					\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_FIFO)		\
		RKH_TRC_SYM(que); RKH_TRC_NE(nelem); RKH_TRC_QUE_NMIN(nmin);	\
	RKH_TRC_END())
#define RKH_TR_QUE_LIFO(que, nelem, nmin)					\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_LIFO)		\
		RKH_TRC_SYM(que); RKH_TRC_NE(nelem); RKH_TRC_QUE_NMIN(nmin);	\
	RKH_TRC_END())
#define RKH_TR_QUE_FULL(que)							\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_FULL)		\
		RKH_TRC_SYM(que);						\
	RKH_TRC_END())
#define RKH_TR_QUE_DPT(que)							\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_DPT)			\
		RKH_TRC_SYM(que);						\
	RKH_TRC_END())
#define RKH_TR_QUE_GET_LAST(que)						\
	DEVTRACE_RKH_QUE_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_QUE_GET_LAST)		\
		RKH_TRC_SYM(que);						\
	RKH_TRC_END())

/* Active objects. */
#define RKH_TR_SMA_ACT(ao, prio_, quesize)					\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SMA_ACT, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_UI8(prio_); RKH_TRC_UI8(quesize);	\
	RKH_TRC_END())
#define RKH_TR_SMA_TERM(ao, prio_)						\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SMA_TERM, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_UI8(prio_);				\
	RKH_TRC_END())
#define RKH_TR_SMA_GET(ao, evt, pool, refs, nelem, nmin)			\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN(RKH_TE_SMA_GET, DEVTRACE_RKH_PRIO_(ao), (evt)->e) \
		RKH_TRC_SYM(ao); RKH_TRC_SIG((evt)->e); DEVTRACE_RKH_POOL_FROM_1_(pool); \
		RKH_TRC_UI8(refs); RKH_TRC_NE(nelem); RKH_TRC_QUE_NMIN(nmin);	\
	RKH_TRC_END())
#define RKH_TR_SMA_FIFO(ao, evt, sender, pool, refs, nelem, nmin)		\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN(RKH_TE_SMA_FIFO, DEVTRACE_RKH_PRIO_(ao), (evt)->e) \
		RKH_TRC_SYM(ao); RKH_TRC_SIG((evt)->e); RKH_TRC_SNDR(sender);	\
		DEVTRACE_RKH_POOL_FROM_1_(pool); RKH_TRC_UI8(refs); RKH_TRC_NE(nelem);	\
		RKH_TRC_QUE_NMIN(nmin);						\
	RKH_TRC_END())
#define RKH_TR_SMA_LIFO(ao, evt, sender, pool, refs, nelem, nmin)		\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN(RKH_TE_SMA_LIFO, DEVTRACE_RKH_PRIO_(ao), (evt)->e) \
		RKH_TRC_SYM(ao); RKH_TRC_SIG((evt)->e); RKH_TRC_SNDR(sender);	\
		DEVTRACE_RKH_POOL_FROM_1_(pool); RKH_TRC_UI8(refs); RKH_TRC_NE(nelem);	\
		RKH_TRC_QUE_NMIN(nmin);						\
	RKH_TRC_END())
#define RKH_TR_SMA_REG(ao, prio_)						\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SMA_REG, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_UI8(prio_);				\
	RKH_TRC_END())
#define RKH_TR_SMA_UNREG(ao, prio_)						\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SMA_UNREG, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_UI8(prio_);				\
	RKH_TRC_END())
#define RKH_TR_SMA_DEFER(que, evt)						\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_SMA_DEFER)		\
		RKH_TRC_SYM(que); RKH_TRC_SIG((evt)->e);			\
	RKH_TRC_END())
#define RKH_TR_SMA_RCALL(ao, evt)						\
	DEVTRACE_RKH_SMA_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_SMA_RCALL)		\
		RKH_TRC_SYM(ao); RKH_TRC_SIG((evt)->e);				\
	RKH_TRC_END())

/* State machines. */
#define RKH_TR_SM_INIT(ao, state)						\
	DEVTRACE_RKH_SM_INIT_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_INIT, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(state);				\
	RKH_TRC_END())
#define RKH_TR_SM_CLRH(ao, history)						\
	DEVTRACE_RKH_SM_CLRH_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_CLRH, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(history);				\
	RKH_TRC_END())
#define RKH_TR_SM_DCH(ao, evt, state)						\
	DEVTRACE_RKH_SM_DCH_(RKH_TRC_BEGIN(RKH_TE_SM_DCH, DEVTRACE_RKH_PRIO_(ao), (evt)->e) \
		RKH_TRC_SYM(ao); RKH_TRC_SIG((evt)->e); RKH_TRC_SYM(state);	\
	RKH_TRC_END())
#define RKH_TR_SM_TRN(ao, from, to)						\
	DEVTRACE_RKH_SM_TRN_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_TRN, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(from); RKH_TRC_SYM(to);		\
	RKH_TRC_END())
#define RKH_TR_SM_STATE(ao, state)						\
	DEVTRACE_RKH_SM_STATE_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_STATE, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(state);				\
	RKH_TRC_END())
#define RKH_TR_SM_ENSTATE(ao, state)						\
	DEVTRACE_RKH_SM_ENSTATE_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_ENSTATE, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(state);				\
	RKH_TRC_END())
#define RKH_TR_SM_EXSTATE(ao, state)						\
	DEVTRACE_RKH_SM_EXSTATE_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_EXSTATE, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(state);				\
	RKH_TRC_END())
#define RKH_TR_SM_NENEX(ao, nen, nex)						\
	DEVTRACE_RKH_SM_NENEX_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_NENEX, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_UI8(nen); RKH_TRC_UI8(nex);		\
	RKH_TRC_END())
#define RKH_TR_SM_NTRNACT(ao, nacts, nsegs)					\
	DEVTRACE_RKH_SM_NTRNACT_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_NTRNACT, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_UI8(nacts); RKH_TRC_UI8(nsegs);	\
	RKH_TRC_END())
#define RKH_TR_SM_TS_STATE(ao, state)						\
	DEVTRACE_RKH_SM_TS_STATE_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_TS_STATE, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao); RKH_TRC_SYM(state);				\
	RKH_TRC_END())
#define RKH_TR_SM_EVT_PROC(ao)							\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_EVT_PROC, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao);						\
	RKH_TRC_END())
#define RKH_TR_SM_EVT_NFOUND(ao, evt)						\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN(RKH_TE_SM_EVT_NFOUND, DEVTRACE_RKH_PRIO_(ao), (evt)->e) \
		RKH_TRC_SYM(ao); RKH_TRC_SIG((evt)->e);				\
	RKH_TRC_END())
#define RKH_TR_SM_GRD_FALSE(ao)							\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_GRD_FALSE, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao);						\
	RKH_TRC_END())
#define RKH_TR_SM_CND_NFOUND(ao)						\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_CND_NFOUND, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao);						\
	RKH_TRC_END())
#define RKH_TR_SM_UNKN_STATE(ao)						\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_UNKN_STATE, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao);						\
	RKH_TRC_END())
#define RKH_TR_SM_EX_HLEVEL(ao)							\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_EX_HLEVEL, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao);						\
	RKH_TRC_END())
#define RKH_TR_SM_EX_TSEG(ao)							\
	DEVTRACE_RKH_SM_PROCESS_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_EX_TSEG, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_SYM(ao);						\
	RKH_TRC_END())
#define RKH_TR_SM_EXE_ACT(kind, ao, state, act)					\
	DEVTRACE_RKH_SM_EXE_ACT_(RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_EXE_ACT, DEVTRACE_RKH_PRIO_(ao)) \
		RKH_TRC_UI8(kind); RKH_TRC_SYM(ao); RKH_TRC_SYM(state);		\
		RKH_TRC_FUN(act);						\
	RKH_TRC_END())

/* Timers. */
#define RKH_TR_TMR_INIT(timer, sig)						\
	DEVTRACE_RKH_TMR_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_TMR_INIT)		\
		RKH_TRC_SYM(timer); RKH_TRC_SIG(sig);				\
	RKH_TRC_END())
#define RKH_TR_TMR_START(timer, ao, nticks, period)				\
	DEVTRACE_RKH_TMR_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_TMR_START)		\
		RKH_TRC_SYM(timer); RKH_TRC_SYM(ao); RKH_TRC_NTICK(nticks);	\
		RKH_TRC_NTICK(period);						\
	RKH_TRC_END())
#define RKH_TR_TMR_STOP(timer, nticks, period)					\
	DEVTRACE_RKH_TMR_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_TMR_STOP)		\
		RKH_TRC_SYM(timer); RKH_TRC_NTICK(nticks); RKH_TRC_NTICK(period); \
	RKH_TRC_END())
#define RKH_TR_TMR_TOUT(timer, sig, ao)						\
	DEVTRACE_RKH_TMR_(RKH_TRC_BEGIN(RKH_TE_TMR_TOUT, DEVTRACE_RKH_PRIO_(ao), sig) \
		RKH_TRC_SYM(timer); RKH_TRC_SIG(sig); RKH_TRC_SYM(ao);		\
	RKH_TRC_END())
#define RKH_TR_TMR_REM(timer)							\
	DEVTRACE_RKH_TMR_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_TMR_REM)			\
		RKH_TRC_SYM(timer);						\
	RKH_TRC_END())

/* The framework. */
#define RKH_TR_FWK_EN()								\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_FWK_EN)			\
	RKH_TRC_END())
#define RKH_TR_FWK_EX()								\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_FWK_EX)			\
	RKH_TRC_END())
#define RKH_TR_FWK_EPREG(pool, storage, size, nblocks)				\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_FWK_EPREG)		\
		DEVTRACE_RKH_POOL_FROM_1_(pool); RKH_TRC_UI32(storage); RKH_TRC_ES(size); \
		RKH_TRC_NBLK(nblocks);						\
	RKH_TRC_END())
#define RKH_TR_FWK_AE(size, evt, nused, nmin, sender)				\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_FWK_AE)			\
		RKH_TRC_ES(size); RKH_TRC_SIG((evt)->e);			\
		DEVTRACE_RKH_POOL_((evt)->pool - 1); RKH_TRC_UI8((evt)->nref);	\
		RKH_TRC_NBLK(nused); RKH_TRC_MP_NMIN(nmin); RKH_TRC_SYM(sender); \
	RKH_TRC_END())
#define RKH_TR_FWK_GC(evt, pool_, refs)						\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_FWK_GC)			\
		RKH_TRC_SIG((evt)->e); DEVTRACE_RKH_POOL_FROM_1_(pool_);		\
		RKH_TRC_UI8(refs);						\
	RKH_TRC_END())
#define RKH_TR_FWK_GCR(evt, nused, nmin, sender)				\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_FWK_GCR)			\
		RKH_TRC_SIG((evt)->e); DEVTRACE_RKH_POOL_((evt)->pool - 1);	\
		RKH_TRC_UI8((evt)->nref); RKH_TRC_NBLK(nused);			\
		RKH_TRC_MP_NMIN(nmin); RKH_TRC_SYM(sender);			\
	RKH_TRC_END())

#define RKH_TR_FWK_EXE_FUN(function)						\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOFIL(RKH_TE_FWK_EXE_FUN)		\
		RKH_TRC_FUN(function);						\
	RKH_TRC_END())
#define RKH_TR_FWK_SYNC_EVT(function, sender, receiver)				\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOFIL(RKH_TE_FWK_SYNC_EVT)		\
		RKH_TRC_FUN(function); RKH_TRC_SNDR(sender); RKH_TRC_SNDR(receiver); \
	RKH_TRC_END())

/* The configuration as RKH packs it: sizes in bytes, two sizes in one byte. */
#define DEVTRACE_RKH_BIT_(en, n)	((uint32_t)((en) == RKH_ENABLED) << (n))
#define DEVTRACE_RKH_SIZES_(a, b)	((uint8_t)((a) << 4 | (b)))
#define RKH_TR_FWK_TCFG(ts_hz)							\
	DEVTRACE_RKH_FWK_ON_(devtrace_rkh_begin();				\
		RKH_TRC_BEGIN_WOFIL(RKH_TE_FWK_TCFG)		\
		RKH_TRC_UI16(RKH_VERSION_CODE);					\
		devtrace_x32(&devtrace_r_,					\
			     DEVTRACE_RKH_BIT_(RKH_CFG_SMA_TRC_SNDR_EN, 0) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_RTFIL_EN, 1) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_USER_TRACE_EN, 2) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_ALL_EN, 3) |		\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_ASSERT_EN, 10) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_QUE_GET_LWMARK_EN, 11) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_MP_GET_LWM_EN, 12) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_RTFIL_SMA_EN, 13) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_RTFIL_SIGNAL_EN, 14) | \
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_NSEQ_EN, 15) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_TSTAMP_EN, 16) |	\
			     DEVTRACE_RKH_BIT_(RKH_CFG_TRC_CHK_EN, 17));	\
		RKH_TRC_UI8(DEVTRACE_RKH_SIZES_(RKH_CFG_FWK_SIZEOF_EVT / 8,	\
						DEVTRACE_RKH_STAMP_));		\
		RKH_TRC_UI8(DEVTRACE_RKH_SIZES_(sizeof(void *), RKH_CFG_TMR_SIZEOF_NTIMER / 8)); \
		RKH_TRC_UI8(DEVTRACE_RKH_SIZES_(RKH_CFG_MP_SIZEOF_NBLOCK / 8,	\
						RKH_CFG_QUE_SIZEOF_NELEM / 8));	\
		RKH_TRC_UI8(RKH_CFG_FWK_SIZEOF_EVT_SIZE / 8);			\
		RKH_TRC_UI8(DEVTRACE_RKH_SIZES_(RKH_CFG_MP_SIZEOF_BSIZE / 8,	\
						RKH_CFG_FWK_MAX_EVT_POOL));	\
		RKH_TRC_UI16(ts_hz);						\
	RKH_TRC_END())

#if DEVTRACE_RKH_FWK_EN_ && RKH_CFG_TRC_ASSERT_EN == RKH_ENABLED
#define RKH_TR_FWK_ASSERT(module, line) \
	devtrace_rkh_assert((const char *)(module), (unsigned int)(line))
#else
#define RKH_TR_FWK_ASSERT(module, line)		((void)0)
#endif

/* Names. A "&" at the beginning of a name is removed. */
#define DEVTRACE_RKH_NAME_(kind, key, owner, name)				\
	DEVTRACE_RKH_FWK_ON_(devtrace_rkh_symbol((kind), DEVTRACE_KEY_(key),	\
						 DEVTRACE_KEY_(owner), (const char *)(name));)
#define RKH_TR_FWK_OBJ(object) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_OBJ, object, 0, #object)
#define RKH_TR_FWK_OBJ_NAME(object, name) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_OBJ, object, 0, name)
#define RKH_TR_FWK_SIG(sig) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_SIG, sig, 0, #sig)
#define RKH_TR_FWK_FUN(function) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_FUN, function, 0, #function)
#define RKH_TR_FWK_TUSR(te) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_TUSR, te, 0, #te)
#define RKH_TR_FWK_AO(ao) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_AO, ao, 0, RKH_GET_AO_NAME(ao))
#ifdef DEVTRACE_RKH_REAL_
#define DEVTRACE_RKH_STATE_(state)	(CB(state)->name)
#else
#define DEVTRACE_RKH_STATE_(state)	#state
#endif
#define RKH_TR_FWK_STATE(ao, state) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_STATE, state, ao, DEVTRACE_RKH_STATE_(state))
#define RKH_TR_FWK_PSTATE(ao, state) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_PSTATE, state, ao, DEVTRACE_RKH_STATE_(state))
#define RKH_TR_FWK_TIMER(timer) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_TIMER, timer, 0, #timer)
#define RKH_TR_FWK_EPOOL(id, name) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_EPOOL, (uintptr_t)(id), 0, name)
#define RKH_TR_FWK_QUEUE(queue) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_QUEUE, queue, 0, #queue)
#define RKH_TR_FWK_ACTOR(actor, name) \
	DEVTRACE_RKH_NAME_(RKH_TE_FWK_ACTOR, actor, 0, name)

/* Results of a unit test. */
#define RKH_TR_UT(te)								\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(te) RKH_TRC_END())
#define RKH_TR_UT_FAIL(line, text)						\
	DEVTRACE_RKH_FWK_ON_(RKH_TRC_BEGIN_WOAOSIG(RKH_TE_UT_FAIL)		\
		RKH_TRC_UI32(line); RKH_TRC_STR(text);				\
	RKH_TRC_END())

#endif
