/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc_define.h - numbers, filters and elements of RKH's trace events
 *
 * The RKH_TE_ numbers are those of RKH: three bits of group, five of event. DEVTRACE_RKH_TYPE()
 * returns the event type in /dev/trace: 192 to 254, or for events of the application 100 to 124,
 * 95 to 99, 86 and 87.
 *
 * An event is emitted if the device's filters pass its type and object, and the program's filters
 * pass its event, group, active object and signal. As in RKH, the program's filters at first pass
 * only names and the events that belong to names, until the program turns filters off. The object
 * of an event is the priority of its active object plus 1, because object 0 means none.
 *
 * If RKH's sources are on the search path, their configuration is used, otherwise the one below.
 */
#ifndef DEVTRACE_RKHTRC_DEFINE_H
#define DEVTRACE_RKHTRC_DEFINE_H

#ifdef DEVTRACE_DISABLE
#error "no tracing: set RKH_CFG_TRC_EN to RKH_DISABLED, do not define DEVTRACE_DISABLE"
#endif

#if defined(__has_include)
#if __has_include("rkhitl.h")
#define DEVTRACE_RKH_REAL_
#include "rkhitl.h"
#endif
#if __has_include("rkhfwk_version.h")
#include "rkhfwk_version.h"
#endif
#endif

#include <devtrace/record.h>

/* Definitions of RKH's headers, for programs compiled without those headers. */
#ifndef DEVTRACE_RKH_REAL_
typedef uint8_t rui8_t;
typedef uint16_t rui16_t;
typedef uint32_t rui32_t;
typedef int8_t ri8_t;
typedef int16_t ri16_t;
typedef int32_t ri32_t;
typedef unsigned int ruint;
typedef rui8_t rbool_t;
#ifndef RKHROM
#define RKHROM				const
#endif
#ifndef RKH_ENABLED
#define RKH_ENABLED			1
#define RKH_DISABLED			0
#endif
#ifndef RKH_CFG_TRC_EN
#define RKH_CFG_TRC_EN			RKH_ENABLED
#endif
#ifndef RKH_CFG_TRC_ALL_EN
#define RKH_CFG_TRC_ALL_EN		RKH_ENABLED
#endif
#ifndef RKH_CFG_TRC_RTFIL_EN
#define RKH_CFG_TRC_RTFIL_EN		RKH_ENABLED
#define RKH_CFG_TRC_RTFIL_SMA_EN	RKH_ENABLED
#define RKH_CFG_TRC_RTFIL_SIGNAL_EN	RKH_ENABLED
#endif
#ifndef RKH_CFG_TRC_USER_TRACE_EN
#define RKH_CFG_TRC_USER_TRACE_EN	RKH_ENABLED
#endif
#define RKH_CFG_TRC_ASSERT_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_INIT_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_DCH_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_CLRH_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_TRN_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_STATE_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_ENSTATE_EN	RKH_ENABLED
#define RKH_CFG_TRC_SM_EXSTATE_EN	RKH_ENABLED
#define RKH_CFG_TRC_SM_NENEX_EN		RKH_ENABLED
#define RKH_CFG_TRC_SM_NTRNACT_EN	RKH_ENABLED
#define RKH_CFG_TRC_SM_TS_STATE_EN	RKH_ENABLED
#define RKH_CFG_TRC_SM_PROCESS_EN	RKH_ENABLED
#define RKH_CFG_TRC_SM_EXE_ACT_EN	RKH_ENABLED
#ifndef RKH_CFG_QUE_GET_LWMARK_EN
#define RKH_CFG_QUE_GET_LWMARK_EN	RKH_ENABLED
#define RKH_CFG_MP_GET_LWM_EN		RKH_ENABLED
#endif
#ifndef RKH_CFG_SMA_TRC_SNDR_EN
#define RKH_CFG_SMA_TRC_SNDR_EN		RKH_ENABLED
#endif
#if RKH_CFG_SMA_TRC_SNDR_EN == RKH_ENABLED
#define RKH_USE_TRC_SENDER
#endif
#define RKH_CFG_TRC_NSEQ_EN		RKH_ENABLED
#define RKH_CFG_TRC_CHK_EN		RKH_ENABLED
#define RKH_CFG_TRC_TSTAMP_EN		RKH_ENABLED
#define RKH_CFG_FWK_SIZEOF_EVT		16
#define RKH_CFG_FWK_SIZEOF_EVT_SIZE	16
#define RKH_CFG_FWK_MAX_EVT_POOL	4
#define RKH_CFG_TMR_SIZEOF_NTIMER	32
#define RKH_CFG_MP_SIZEOF_NBLOCK	16
#define RKH_CFG_MP_SIZEOF_BSIZE		16
#define RKH_CFG_QUE_SIZEOF_NELEM	16
typedef rui16_t RKH_SIG_T;
#define RKH_ANY				((RKH_SIG_T)(-1))
#define RKH_COMPLETION_EVENT		(RKH_ANY - 1)
#define RKH_SR_ALLOC()			((void)0)
/* The structure of an active object must have the members prio and name. */
#ifndef RKH_SMA_ACCESS_CONST
#define RKH_SMA_ACCESS_CONST(ao, member)	((ao)->member)
#endif
#ifndef RKH_GET_AO_NAME
#define RKH_GET_AO_NAME(ao)		RKH_SMA_ACCESS_CONST(ao, name)
#endif
#endif /* DEVTRACE_RKH_REAL_ */

#ifndef RKH_VERSION_CODE
#define RKH_VERSION_CODE		0x3400
#endif

/* A message instead of a warning, so that an RKH program compiles unchanged, even with -Werror. */
#if defined(RKH_CFG_TRC_SIZEOF_TE_ID) && RKH_CFG_TRC_SIZEOF_TE_ID != 8
#pragma message "RKH_CFG_TRC_SIZEOF_TE_ID has no effect: the number of an event has 8 bits here"
#endif

/* Bytes of a time stamp in the output of qsgate(1) --rkh. Events in the device have 64 bits. */
#if defined(RKH_CFG_TRC_SIZEOF_TSTAMP)
#define DEVTRACE_RKH_STAMP_	(RKH_CFG_TRC_SIZEOF_TSTAMP / 8)
#elif defined(RKH_CFGPORT_TRC_SIZEOF_TSTAMP)
#define DEVTRACE_RKH_STAMP_	(RKH_CFGPORT_TRC_SIZEOF_TSTAMP / 8)
#else
#define DEVTRACE_RKH_STAMP_	8
#endif

/* Groups. */
enum devtrace_rkh_group {
	RKH_TG_MP, RKH_TG_QUE, RKH_TG_SMA, RKH_TG_SM, RKH_TG_TMR, RKH_TG_FWK, RKH_TG_USR,
	RKH_TG_UT, RKH_TG_NGROUP
};

/* Events: group << 5 | number. */
enum devtrace_rkh_event {
	RKH_TE_MP_INIT = RKH_TG_MP << 5, RKH_TE_MP_GET, RKH_TE_MP_PUT,

	RKH_TE_QUE_INIT = RKH_TG_QUE << 5, RKH_TE_QUE_GET, RKH_TE_QUE_FIFO, RKH_TE_QUE_LIFO,
	RKH_TE_QUE_FULL, RKH_TE_QUE_DPT, RKH_TE_QUE_GET_LAST,

	RKH_TE_SMA_ACT = RKH_TG_SMA << 5, RKH_TE_SMA_TERM, RKH_TE_SMA_GET, RKH_TE_SMA_FIFO,
	RKH_TE_SMA_LIFO, RKH_TE_SMA_REG, RKH_TE_SMA_UNREG, RKH_TE_SMA_DEFER,
	RKH_TE_SMA_RCALL,

	RKH_TE_SM_INIT = RKH_TG_SM << 5, RKH_TE_SM_CLRH, RKH_TE_SM_TRN, RKH_TE_SM_STATE,
	RKH_TE_SM_ENSTATE, RKH_TE_SM_EXSTATE, RKH_TE_SM_NENEX, RKH_TE_SM_NTRNACT,
	RKH_TE_SM_TS_STATE, RKH_TE_SM_EVT_PROC, RKH_TE_SM_EVT_NFOUND, RKH_TE_SM_GRD_FALSE,
	RKH_TE_SM_CND_NFOUND, RKH_TE_SM_UNKN_STATE, RKH_TE_SM_EX_HLEVEL, RKH_TE_SM_EX_TSEG,
	RKH_TE_SM_EXE_ACT, RKH_TE_SM_DCH,

	RKH_TE_TMR_INIT = RKH_TG_TMR << 5, RKH_TE_TMR_START, RKH_TE_TMR_STOP,
	RKH_TE_TMR_TOUT, RKH_TE_TMR_REM,

	RKH_TE_FWK_EN = RKH_TG_FWK << 5, RKH_TE_FWK_EX, RKH_TE_FWK_EPREG, RKH_TE_FWK_AE,
	RKH_TE_FWK_GC, RKH_TE_FWK_GCR, RKH_TE_FWK_OBJ, RKH_TE_FWK_SIG, RKH_TE_FWK_FUN,
	RKH_TE_FWK_EXE_FUN, RKH_TE_FWK_SYNC_EVT, RKH_TE_FWK_TUSR, RKH_TE_FWK_TCFG,
	RKH_TE_FWK_ASSERT, RKH_TE_FWK_AO, RKH_TE_FWK_STATE, RKH_TE_FWK_PSTATE,
	RKH_TE_FWK_TIMER, RKH_TE_FWK_EPOOL, RKH_TE_FWK_QUEUE, RKH_TE_FWK_ACTOR,

	RKH_TE_USER = RKH_TG_USR << 5,

	RKH_TE_UT_INIT = RKH_TG_UT << 5, RKH_TE_UT_CLEANUP, RKH_TE_UT_VERIFY,
	RKH_TE_UT_IGNORE_GROUP, RKH_TE_UT_EXPECT, RKH_TE_UT_EXPECT_ANYARGS,
	RKH_TE_UT_IGNORE, RKH_TE_UT_IGNORE_ARG, RKH_TE_UT_SUCCESS, RKH_TE_UT_FAIL,
	RKH_TE_NEVENT = 256
};

#define RKH_TRC_ALL_GROUPS	RKH_TG_NGROUP
#define RKH_TRC_ALL_EVENTS	RKH_TE_NEVENT
#define GETGRP(e)		((RKH_TG_T)((e) >> 5 & 7))
#define GETEVT(e)		((RKH_TE_ID_T)((e) & 31))
#define EXTE(te, grp)		((RKH_TE_ID_T)((te) - ((grp) << 5)))
#define ECHANGE			0
#define EUNCHANGE		1

typedef rui8_t RKH_TE_ID_T;
typedef rui8_t RKH_TG_T;
typedef rui32_t RKH_TS_T;
typedef rui16_t TRCQTY_T;

typedef enum RKH_SUBTE_SM_EXE_ACT {
	RKH_SUBTE_SM_EXE_ACT_EFF, RKH_SUBTE_SM_EXE_ACT_EN, RKH_SUBTE_SM_EXE_ACT_EX,
	RKH_SUBTE_SM_EXE_ACT_INI, RKH_SUBTE_SM_EXE_ACT_PP, RKH_SUBTE_SM_EXE_ACT_GRD
} RKH_SUBTE_SM_EXE_ACT;

/* Event types of RKH's events. All names share one type; an element tells their kind. */
#define DEVTRACE_RKH_FIRST	192
#define DEVTRACE_RKH_SYMBOL	244
#define DEVTRACE_RKH_FWK_(n)							\
	((n) <= 5 ? 234 + (n) : (n) == 9 || (n) == 10 ? 231 + (n) :		\
	 (n) == 12 || (n) == 13 ? 230 + (n) : DEVTRACE_RKH_SYMBOL)
#define DEVTRACE_RKH_USER_(n)							\
	((n) < 25 ? 100 + (n) : (n) < 30 ? 70 + (n) : 56 + (n))
#define DEVTRACE_RKH_IN_(group, n)						\
	((group) == RKH_TG_MP ? 192 + (n) : (group) == RKH_TG_QUE ? 195 + (n) :	\
	 (group) == RKH_TG_SMA ? 202 + (n) : (group) == RKH_TG_SM ? 211 + (n) :	\
	 (group) == RKH_TG_TMR ? 229 + (n) :					\
	 (group) == RKH_TG_FWK ? DEVTRACE_RKH_FWK_(n) :				\
	 (group) == RKH_TG_USR ? DEVTRACE_RKH_USER_(n) : 245 + (n))
#define DEVTRACE_RKH_TYPE(te) \
	((uint8_t)DEVTRACE_RKH_IN_((unsigned int)(te) >> 5 & 7, ((unsigned int)(te) & 31)))

/*
 * A pool is identified by a number. Readers find the name of a pool in these enumerations. In the
 * events EPOOL, AE and GCR, RKH counts pools from 0. In other events RKH counts pools from 1, and 0
 * stands for an event without a pool, which is static.
 */
#define DEVTRACE_RKH_POOLS		6
#define DEVTRACE_RKH_POOLS_FROM_1	7

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct devtrace_rkh - the program's filters: a set bit passes events
 * @groups: a bit for each RKH_TG_ number
 * @events: a bit for each RKH_TE_ number; the group's bit must be set, too
 * @sma: a bit for each priority of an active object
 * @signals: a bit for each signal
 */
struct devtrace_rkh {
	uint8_t	groups;
	uint8_t	events[32];
	uint8_t	sma[32];
	uint8_t	signals[8192];
};

extern struct devtrace_rkh devtrace_rkh;

/*
 * Tell readers that this process emits RKH's events, so that they format these with rkh.fmt. All
 * functions of this library and RKH_TRC_SEND_CFG() call it; only the first call has an effect.
 */
void devtrace_rkh_begin(void);
/* Name an object. @kind: RKH_TE_FWK_...; @owner: the active object to which it belongs, or 0. */
void devtrace_rkh_symbol(unsigned int kind, uint64_t key, uint64_t owner, const char *name);
/* Emit a RKH_TE_FWK_ASSERT event. */
void devtrace_rkh_assert(const char *module, unsigned int line);

#ifdef __cplusplus
}
#endif

DEVTRACE_INLINE_ bool devtrace_rkh_bit_(const uint8_t *bits, unsigned int n)
{
	return (__atomic_load_n(&bits[n >> 3], __ATOMIC_RELAXED) >> (n & 7)) & 1;
}

/*
 * Test the device's bit for the type first: a type that the device's filters refuse then costs as
 * little as with the other interfaces.
 */
DEVTRACE_INLINE_ bool devtrace_rkh_wanted_(unsigned int te)
{
	if (!devtrace_enabled(DEVTRACE_RKH_TYPE(te)))
		return false;
#if RKH_CFG_TRC_RTFIL_EN == RKH_ENABLED
	return devtrace_rkh_bit_(&devtrace_rkh.groups, te >> 5 & 7) &&
	       devtrace_rkh_bit_(devtrace_rkh.events, te & 255);
#else
	return true;
#endif
}

DEVTRACE_INLINE_ bool devtrace_rkh_sma_wanted_(unsigned int prio)
{
#if RKH_CFG_TRC_RTFIL_EN == RKH_ENABLED && RKH_CFG_TRC_RTFIL_SMA_EN == RKH_ENABLED
	if (!devtrace_rkh_bit_(devtrace_rkh.sma, prio & 255))
		return false;
#endif
	return devtrace_object_wanted_((uint16_t)(prio + 1));
}

/* The completion event is not a signal of the program, so its number is never filtered. */
DEVTRACE_INLINE_ bool devtrace_rkh_signal_wanted_(uint32_t sig)
{
#if RKH_CFG_TRC_RTFIL_EN == RKH_ENABLED && RKH_CFG_TRC_RTFIL_SIGNAL_EN == RKH_ENABLED
	return sig == (uint32_t)RKH_COMPLETION_EVENT || sig > UINT16_MAX ||
	       devtrace_rkh_bit_(devtrace_rkh.signals, sig);
#else
	(void)sig;
	return true;
#endif
}

DEVTRACE_INLINE_ void devtrace_rkh_number_(struct devtrace_record *r, unsigned int bits,
					   uint32_t v)
{
	if (bits == 8)
		devtrace_u8(r, (uint8_t)v);
	else if (bits == 16)
		devtrace_u16(r, (uint16_t)v);
	else
		devtrace_u32(r, v);
}

/*
 * Bytes for elements: the longest event has four objects and six numbers. Names use another
 * buffer.
 */
#define DEVTRACE_RKH_ROOM	96

#define DEVTRACE_RKH_PLAIN_(te, room)						\
		DEVTRACE_RECORD(devtrace_r_, room);				\
		devtrace_begin_plain_(&devtrace_r_, DEVTRACE_RKH_TYPE(te));
#define DEVTRACE_RKH_ID_(te, prio, sig)						\
		DEVTRACE_RECORD(devtrace_r_, DEVTRACE_RKH_ROOM);		\
		devtrace_begin_id_(&devtrace_r_, DEVTRACE_RKH_TYPE(te),		\
				   (uint16_t)((unsigned int)(prio) + 1), (uint16_t)(sig));

/* Begin an event with or without an active object and a signal. */
#define RKH_TRC_BEGIN(te, prio, sig)						\
	if (devtrace_rkh_wanted_(te) && devtrace_rkh_sma_wanted_(prio) &&	\
	    devtrace_rkh_signal_wanted_(sig)) {					\
		DEVTRACE_RKH_ID_(te, prio, sig)
#define RKH_TRC_BEGIN_WOSIG(te, prio)						\
	if (devtrace_rkh_wanted_(te) && devtrace_rkh_sma_wanted_(prio)) {	\
		DEVTRACE_RKH_ID_(te, prio, 0)
#define RKH_TRC_BEGIN_WOAO(te, sig)						\
	if (devtrace_rkh_wanted_(te) && devtrace_rkh_signal_wanted_(sig)) {	\
		DEVTRACE_RKH_PLAIN_(te, DEVTRACE_RKH_ROOM)
#define RKH_TRC_BEGIN_WOAOSIG(te)						\
	if (devtrace_rkh_wanted_(te)) {						\
		DEVTRACE_RKH_PLAIN_(te, DEVTRACE_RKH_ROOM)
#define RKH_TRC_BEGIN_WOFIL(te)							\
	if (devtrace_enabled(DEVTRACE_RKH_TYPE(te))) {				\
		DEVTRACE_RKH_PLAIN_(te, DEVTRACE_RKH_ROOM)
#define RKH_TRC_END()								\
		devtrace_end(&devtrace_r_);					\
	}

/* No critical section is needed, because only the thread that owns a lane writes to it. */
#define RKH_TRC_BEGIN_NOCRIT(te, prio, sig)	RKH_TRC_BEGIN(te, prio, sig)
#define RKH_TRC_BEGIN_WOSIG_NOCRIT(te, prio)	RKH_TRC_BEGIN_WOSIG(te, prio)
#define RKH_TRC_BEGIN_WOAO_NOCRIT(te, sig)	RKH_TRC_BEGIN_WOAO(te, sig)
#define RKH_TRC_BEGIN_WOAOSIG_NOCRIT(te)	RKH_TRC_BEGIN_WOAOSIG(te)
#define RKH_TRC_BEGIN_WOFIL_NOCRIT(te)		RKH_TRC_BEGIN_WOFIL(te)
#define RKH_TRC_BEGIN_DFT(te)			RKH_TRC_BEGIN_WOFIL(te)
#define RKH_TRC_END_NOCRIT()			RKH_TRC_END()
#define RKH_TRC_END_WOFIL()			RKH_TRC_END()
#define RKH_TRC_END_WOFIL_NOCRIT()		RKH_TRC_END()
#define RKH_TRC_END_DFT()			RKH_TRC_END()

/* Elements, named by their meaning. */
#define RKH_TRC_UI8(v)		devtrace_u8(&devtrace_r_, (uint8_t)(v))
#define RKH_TRC_UI16(v)		devtrace_u16(&devtrace_r_, (uint16_t)(v))
#define RKH_TRC_UI32(v)		devtrace_u32(&devtrace_r_, (uint32_t)(v))
#define RKH_TRC_TE_ID(te)	RKH_TRC_UI8(te)
#define RKH_TRC_STR(s)		devtrace_str(&devtrace_r_, (const char *)(s))
#define RKH_TRC_SYM(symbol)	devtrace_obj(&devtrace_r_, DEVTRACE_KEY_(symbol))
#define RKH_TRC_FUN(function)	devtrace_fun(&devtrace_r_, DEVTRACE_KEY_(function))
#define RKH_TRC_SIG(sig)	devtrace_sig(&devtrace_r_, (uint32_t)(sig), 0)
#define RKH_TRC_NTICK(n)	DEVTRACE_RKH_N_(RKH_CFG_TMR_SIZEOF_NTIMER, n)
#define RKH_TRC_NBLK(n)		DEVTRACE_RKH_N_(RKH_CFG_MP_SIZEOF_NBLOCK, n)
#define RKH_TRC_BSIZE(n)	DEVTRACE_RKH_N_(RKH_CFG_MP_SIZEOF_BSIZE, n)
#define RKH_TRC_NE(n)		DEVTRACE_RKH_N_(RKH_CFG_QUE_SIZEOF_NELEM, n)
#define RKH_TRC_ES(n)		DEVTRACE_RKH_N_(RKH_CFG_FWK_SIZEOF_EVT_SIZE, n)
#define DEVTRACE_RKH_N_(bits, n) \
	devtrace_rkh_number_(&devtrace_r_, (bits), (uint32_t)(n))
#define DEVTRACE_RKH_POOL_(id) \
	devtrace_enum(&devtrace_r_, DEVTRACE_RKH_POOLS, (uint8_t)(id))
#define DEVTRACE_RKH_POOL_FROM_1_(id) \
	devtrace_enum(&devtrace_r_, DEVTRACE_RKH_POOLS_FROM_1, (uint8_t)(id))

/*
 * Values that this configuration of RKH lacks are replaced, so that later elements keep their
 * place.
 */
#define DEVTRACE_RKH_UNKNOWN_()	devtrace_str(&devtrace_r_, "-")
#if RKH_CFG_QUE_GET_LWMARK_EN == RKH_ENABLED
#define RKH_TRC_QUE_NMIN(n)	RKH_TRC_NE(n)
#else
#define RKH_TRC_QUE_NMIN(n)	DEVTRACE_RKH_UNKNOWN_()
#endif
#if RKH_CFG_MP_GET_LWM_EN == RKH_ENABLED
#define RKH_TRC_MP_NMIN(n)	RKH_TRC_NBLK(n)
#else
#define RKH_TRC_MP_NMIN(n)	DEVTRACE_RKH_UNKNOWN_()
#endif
#ifdef RKH_USE_TRC_SENDER
#define RKH_TRC_SNDR(symbol)	RKH_TRC_SYM(symbol)
#else
#define RKH_TRC_SNDR(symbol)	RKH_TRC_SYM(0)
#endif

/* Events of the application. As in QS, the largest print width is 14. */
#if RKH_CFG_TRC_EN == RKH_ENABLED && RKH_CFG_TRC_USER_TRACE_EN == RKH_ENABLED
#define RKH_TRC_USR_BEGIN(te)							\
	if (devtrace_rkh_wanted_(te)) {						\
		DEVTRACE_RKH_PLAIN_(te, DEVTRACE_BUFFER)
#define RKH_TRC_USR_END()		RKH_TRC_END()
/*
 * The format byte of an I8 has no room for a width of 8 or more, so such a value is emitted as an
 * I16.
 */
#define RKH_TUSR_I8(width, v)							\
	((width) & 8 ? devtrace_i16_w(&devtrace_r_, (width), (int8_t)(v)) :	\
	 devtrace_i8_w(&devtrace_r_, (width), (int8_t)(v)))
#define RKH_TUSR_UI8(width, v)		devtrace_u8_w(&devtrace_r_, (width), (uint8_t)(v))
#define RKH_TUSR_I16(width, v)		devtrace_i16_w(&devtrace_r_, (width), (int16_t)(v))
#define RKH_TUSR_UI16(width, v)		devtrace_u16_w(&devtrace_r_, (width), (uint16_t)(v))
#define RKH_TUSR_I32(width, v)		devtrace_i32_w(&devtrace_r_, (width), (int32_t)(v))
#define RKH_TUSR_UI32(width, v)		devtrace_u32_w(&devtrace_r_, (width), (uint32_t)(v))
#define RKH_TUSR_X32(width, v)		(DEVTRACE_UNUSED_(width), \
					 devtrace_x32(&devtrace_r_, (uint32_t)(v)))
#define RKH_TUSR_STR(s)			RKH_TRC_STR(s)
#define RKH_TUSR_MEM(mem, size)		devtrace_mem(&devtrace_r_, (mem), (size_t)(size))
#define RKH_TUSR_OBJ(object)		RKH_TRC_SYM(object)
#define RKH_TUSR_FUN(function)		RKH_TRC_FUN(function)
#define RKH_TUSR_SIG(sig)		RKH_TRC_SIG(sig)
#else
#define RKH_TRC_USR_BEGIN(te)		{
#define RKH_TRC_USR_END()		}
#define RKH_TUSR_I8(width, v)		((void)0)
#define RKH_TUSR_UI8(width, v)		((void)0)
#define RKH_TUSR_I16(width, v)		((void)0)
#define RKH_TUSR_UI16(width, v)		((void)0)
#define RKH_TUSR_I32(width, v)		((void)0)
#define RKH_TUSR_UI32(width, v)		((void)0)
#define RKH_TUSR_X32(width, v)		((void)0)
#define RKH_TUSR_STR(s)			((void)0)
#define RKH_TUSR_MEM(mem, size)		((void)0)
#define RKH_TUSR_OBJ(object)		((void)0)
#define RKH_TUSR_FUN(function)		((void)0)
#define RKH_TUSR_SIG(sig)		((void)0)
#endif
#define RKH_TRC_USR_BEGIN_NOCRIT(te)	RKH_TRC_USR_BEGIN(te)
#define RKH_TRC_USR_END_NOCRIT()	RKH_TRC_USR_END()

#endif
