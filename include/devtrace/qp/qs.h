/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qs.h - the interface of QS, QP/Spy's target component, on /dev/trace
 *
 * A QP/C 8.1 or 7.3 program that is compiled with -DQ_SPY, and with this directory before QP/C's
 * own on the search path, writes its trace to the lanes of its threads: QP/C with the macros of
 * qs_pkg.h, the application with those below. The program contains no part of QS; it links
 * libdevtrace-qp, which holds the filters.
 *
 * A record is emitted if the device's filters pass its type and object, and the program's filters
 * pass the record (QS_GLB_FILTER) and its QS-ID (QS_LOC_FILTER). As in QS, the program's filters
 * at first pass only the dictionaries, QS_QF_RUN and QS_ASSERT_FAIL. The QS-ID becomes the object
 * of the event; QS-ID 0 means no object.
 *
 * There is no buffer that a program fills or sends: QS_OUTPUT(), QS_FLUSH() and similar macros are
 * empty. QS_RX_INPUT() answers hosts, see libdevtrace-rx(3). Time stamps are those of the device,
 * whatever QS_TIME_SIZE is.
 *
 * Some records have a number that the transport of /dev/trace uses for its own frames. They become
 * events whose number is higher by DEVTRACE_QS_MOVED. Documentation/frameworks.rst lists them.
 */
#ifndef DEVTRACE_QP_QS_H
#define DEVTRACE_QP_QS_H

/* The include guard of QS's own header: a file that includes both headers gets this one. */
#ifndef QS_H_
#define QS_H_
#endif

#ifdef DEVTRACE_DISABLE
#error "no tracing: compile without Q_SPY, not with DEVTRACE_DISABLE"
#endif

#include <devtrace/qs.h>

/* QP/C may define these names with another meaning. */
#undef QS_AO_ID
#undef QS_EP_ID
#undef QS_EQ_ID
#undef QS_AP_ID
#undef QS_BEGIN
#undef QS_BEGIN_ID
#undef QS_END

/* Numbers of the predefined records. */
enum devtrace_qs_record {
	QS_EMPTY = 0,

	QS_QEP_STATE_ENTRY = 1, QS_QEP_STATE_EXIT, QS_QEP_STATE_INIT, QS_QEP_INIT_TRAN,
	QS_QEP_INTERN_TRAN, QS_QEP_TRAN, QS_QEP_IGNORED, QS_QEP_DISPATCH, QS_QEP_UNHANDLED,

	QS_QF_ACTIVE_DEFER = 10, QS_QF_ACTIVE_RECALL, QS_QF_ACTIVE_SUBSCRIBE,
	QS_QF_ACTIVE_UNSUBSCRIBE, QS_QF_ACTIVE_POST, QS_QF_ACTIVE_POST_LIFO,
	QS_QF_ACTIVE_GET, QS_QF_ACTIVE_GET_LAST, QS_QF_ACTIVE_RECALL_ATTEMPT,

	QS_QF_EQUEUE_POST = 19, QS_QF_EQUEUE_POST_LIFO, QS_QF_EQUEUE_GET,
	QS_QF_EQUEUE_GET_LAST,

	QS_QF_NEW_ATTEMPT = 23, QS_QF_MPOOL_GET, QS_QF_MPOOL_PUT, QS_QF_PUBLISH,
	QS_QF_NEW_REF, QS_QF_NEW, QS_QF_GC_ATTEMPT, QS_QF_GC, QS_QF_TICK,

	QS_QF_TIMEEVT_ARM = 32, QS_QF_TIMEEVT_AUTO_DISARM, QS_QF_TIMEEVT_DISARM_ATTEMPT,
	QS_QF_TIMEEVT_DISARM, QS_QF_TIMEEVT_REARM, QS_QF_TIMEEVT_POST,

	QS_QF_DELETE_REF = 38, QS_QF_CRIT_ENTRY, QS_QF_CRIT_EXIT, QS_QF_ISR_ENTRY,
	QS_QF_ISR_EXIT, QS_QF_INT_DISABLE, QS_QF_INT_ENABLE,

	QS_QF_ACTIVE_POST_ATTEMPT = 45, QS_QF_EQUEUE_POST_ATTEMPT, QS_QF_MPOOL_GET_ATTEMPT,

	QS_SCHED_PREEMPT = 48, QS_SCHED_RESTORE, QS_SCHED_LOCK, QS_SCHED_UNLOCK,
	QS_SCHED_NEXT, QS_SCHED_IDLE,

	QS_ENUM_DICT = 54,

	QS_QEP_TRAN_HIST = 55, QS_QEP_TRAN_EP, QS_QEP_TRAN_XP,

	QS_TEST_PAUSED = 58, QS_TEST_PROBE_GET, QS_SIG_DICT, QS_OBJ_DICT, QS_FUN_DICT,
	QS_USR_DICT, QS_TARGET_INFO, QS_TARGET_DONE, QS_RX_STATUS, QS_QUERY_DATA,
	QS_PEEK_DATA, QS_ASSERT_FAIL, QS_QF_RUN,

	QS_SEM_TAKE = 71, QS_SEM_BLOCK, QS_SEM_SIGNAL, QS_SEM_BLOCK_ATTEMPT,
	QS_MTX_LOCK = 75, QS_MTX_BLOCK, QS_MTX_UNLOCK, QS_MTX_LOCK_ATTEMPT,
	QS_MTX_BLOCK_ATTEMPT, QS_MTX_UNLOCK_ATTEMPT,

	QS_QF_ACTIVE_DEFER_ATTEMPT = 81,
	QS_PRE_MAX
};

/* Groups for QS_GLB_FILTER(), groups and offsets of QS-IDs, kinds of objects. */
enum devtrace_qs_group {
	QS_GRP_ALL = 0xf0, QS_GRP_SM, QS_GRP_AO, QS_GRP_EQ, QS_GRP_MP, QS_GRP_TE,
	QS_GRP_QF, QS_GRP_SC, QS_GRP_SEM, QS_GRP_MTX, QS_GRP_U0, QS_GRP_U1, QS_GRP_U2,
	QS_GRP_U3, QS_GRP_U4, QS_GRP_UA
};

enum devtrace_qs_id {
	QS_ID_AO = 0, QS_ID_EP = 64, QS_ID_EQ = 80, QS_ID_AP = 96
};

enum devtrace_qs_ids {
	QS_IDS_ALL = 0xf0, QS_IDS_AO = 0x80 + QS_ID_AO, QS_IDS_EP = 0x80 + QS_ID_EP,
	QS_IDS_EQ = 0x80 + QS_ID_EQ, QS_IDS_AP = 0x80 + QS_ID_AP
};

enum devtrace_qs_kind {
	QS_OBJ_SM, QS_OBJ_AO, QS_OBJ_MP, QS_OBJ_EQ, QS_OBJ_TE, QS_OBJ_AP, QS_OBJ_SM_AO,
	QS_OBJ_EP
};

/* Names of these before QP 8.1, whose qpc.h defines them. */
#if !defined(QP_VERSION) || QP_VERSION < 810
enum devtrace_qs_group_old {
	QS_ALL_RECORDS = QS_GRP_ALL, QS_SM_RECORDS = QS_GRP_SM, QS_AO_RECORDS = QS_GRP_AO,
	QS_EQ_RECORDS = QS_GRP_EQ, QS_MP_RECORDS = QS_GRP_MP, QS_TE_RECORDS = QS_GRP_TE,
	QS_QF_RECORDS = QS_GRP_QF, QS_SC_RECORDS = QS_GRP_SC, QS_SEM_RECORDS = QS_GRP_SEM,
	QS_MTX_RECORDS = QS_GRP_MTX, QS_U0_RECORDS = QS_GRP_U0, QS_U1_RECORDS = QS_GRP_U1,
	QS_U2_RECORDS = QS_GRP_U2, QS_U3_RECORDS = QS_GRP_U3, QS_U4_RECORDS = QS_GRP_U4,
	QS_UA_RECORDS = QS_GRP_UA
};

enum devtrace_qs_ids_old {
	QS_ALL_IDS = QS_IDS_ALL, QS_AO_IDS = QS_IDS_AO, QS_EP_IDS = QS_IDS_EP,
	QS_EQ_IDS = QS_IDS_EQ, QS_AP_IDS = QS_IDS_AP
};

enum devtrace_qs_kind_old {
	SM_OBJ = QS_OBJ_SM, AO_OBJ = QS_OBJ_AO, MP_OBJ = QS_OBJ_MP, EQ_OBJ = QS_OBJ_EQ,
	TE_OBJ = QS_OBJ_TE, AP_OBJ = QS_OBJ_AP, SM_AO_OBJ = QS_OBJ_SM_AO
};

#define QS_AO_ID		QS_ID_AO
#define QS_EP_ID		QS_ID_EP
#define QS_EQ_ID		QS_ID_EQ
#define QS_AP_ID		QS_ID_AP
#endif

#define QS_CMD			7
#define QS_EOD			((uint16_t)0xffff)

/* A QS-ID in memory, for example &id of an event source. */
typedef struct {
	uint8_t prio;
} QSpyId;

typedef void (*QSpyFunPtr)(void);

/* A port may define these sizes, but they do not change the events. */
#ifndef QS_TIME_SIZE
#define QS_TIME_SIZE		4U
#endif
#if QS_TIME_SIZE == 1U
typedef uint8_t QSTimeCtr;
#elif QS_TIME_SIZE == 2U
typedef uint16_t QSTimeCtr;
#elif QS_TIME_SIZE == 4U
typedef uint32_t QSTimeCtr;
#elif QS_TIME_SIZE == 8U
typedef uint64_t QSTimeCtr;
#else
#error "QS_TIME_SIZE is 1, 2, 4 or 8"
#endif
/* A message instead of a warning, so that a QP program compiles unchanged, even with -Werror. */
#if QS_TIME_SIZE < 4U
#pragma message "QS_TIME_SIZE has no effect: stamps have 64 bits here, and 4 bytes from qsgate(1)"
#endif

/*
 * The transport uses the numbers 58, 59 and 64 to 70, so the records with these numbers get
 * others.
 */
#define DEVTRACE_QS_MOVED	24
#define DEVTRACE_QS_TYPE(record)						\
	((uint8_t)((unsigned int)(record) +					\
		   ((record) == QS_TEST_PAUSED || (record) == QS_TEST_PROBE_GET || \
		    ((record) >= QS_TARGET_INFO && (record) <= QS_QF_RUN) ?	\
		    DEVTRACE_QS_MOVED : 0)))

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct devtrace_qp - the program's filters, and the variables that QP/C expects in QS
 * @glb: bit n is set if records with number n pass
 * @loc: bit n is set if records with QS-ID n pass; bit 0 is always set
 * @locFilter_AP: the only object whose old-style records pass, NULL: all pass. QS_FILTER_AP_OBJ()
 *	of QP/C 7.3 uses the name loc_AP
 * @flags: used by QP/C only: which of its own names it has sent
 */
struct devtrace_qp {
	uint8_t		glb[16];
	uint8_t		loc[16];
	union {
		const void	*locFilter_AP;
		const void	*loc_AP;
	};
	uint8_t		flags;
};

extern struct devtrace_qp devtrace_qp;

/* Connect to the device. Always returns 1, because a program must run without a device, too. */
uint8_t devtrace_qp_init(void);
/*
 * Let records with this number, or of this group, pass from now on; a negative number refuses
 * them. devtrace_qp_loc_filter() does the same for a QS-ID or a group of QS-IDs. Return 0, or
 * EINVAL if the number is unknown. Async-signal-safe.
 */
int devtrace_qp_glb_filter(int record);
int devtrace_qp_loc_filter(int id);
/*
 * Name the array element with this index, or a member of it. name is the source text: from
 * "&all[i]" it becomes "all[3]", from "&all[i].timer" it becomes "all[3].timer".
 */
int devtrace_qp_dict_array(const void *object, unsigned int index, const char *name);
/* Emit a QS_ASSERT_FAIL record. */
void devtrace_qp_assertion(const char *module, int id);

/*
 * Name an object, and let hosts make it the current object. Hosts may then peek, poke and fill its
 * first size bytes. Return 0, or an error of devtrace_dict_obj().
 */
int devtrace_qp_object(const void *object, size_t size, const char *name);
/*
 * QS_RX_INPUT(): answer the waiting requests of hosts in the calling thread, with QP/C's functions
 * and the program's QS_onReset() and QS_onCommand(). Never waits. The first call opens the receive
 * channel of libdevtrace-rx(3).
 */
void devtrace_qp_rx_input(void);

/*
 * For fixtures of QUTest, see qutest.h. devtrace_qp_test_run() emits QS_QF_RUN and serves requests
 * until devtrace_qp_test_stop(). It returns 0, or 1 if there is no receive channel. If the fixture
 * has no QS_onReset(), a RESET request executes the program anew.
 */
void devtrace_qp_test_init(void);
int devtrace_qp_test_run(void);
/* Serve requests until devtrace_qp_test_stop(). */
void devtrace_qp_test_loop(void);
void devtrace_qp_test_stop(void);
/* Emit QS_TEST_PAUSED and serve requests until the test script continues. */
void devtrace_qp_test_pause(void);
/*
 * Return the data that the test script sent for this function, or 0. Each value is returned once.
 */
uint32_t devtrace_qp_test_probe(QSpyFunPtr function);
/* Replace the process by a new run of its program, with the same arguments. */
void devtrace_qp_test_restart(void);

/* The application's functions for the requests of hosts. */
void QS_onReset(void);
void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3);
/* The application's functions for ports: never called. */
uint8_t QS_onStartup(void const *arg);
void QS_onCleanup(void);
void QS_onFlush(void);
QSTimeCtr QS_onGetTime(void);

/*
 * Functions with which a port or a program sends and receives bytes in QS. Here there is no
 * buffer: readers open the device, and requests arrive over the receive channel. A program may
 * define these functions itself.
 */
void QS_initBuf(uint8_t *sto, uint_fast32_t stoSize);
/* Return QS_EOD, or NULL and 0 bytes: nothing waits to be sent. */
uint16_t QS_getByte(void);
uint8_t const *QS_getBlock(uint16_t *pNbytes);
void QS_rxInitBuf(uint8_t *sto, uint16_t stoSize);
/* Does the same as QS_RX_INPUT(). */
void QS_rxParse(void);

#ifdef __cplusplus
}
#endif

/* QP/C accesses two structures of QS by these names. */
#define QS_priv_		devtrace_qp
#define QS_filt_		devtrace_qp

DEVTRACE_INLINE_ bool devtrace_qp_bit_(const uint8_t *bits, unsigned int n)
{
	/* Types from 128 on do not belong to QS; the program's filters pass them. */
	if (n >= 128)
		return true;
	return (__atomic_load_n(&bits[n >> 3], __ATOMIC_RELAXED) >> (n & 7)) & 1;
}

/*
 * Test the device's bit for the type first: a type that the device's filters refuse then costs as
 * little as with the other interfaces.
 */
DEVTRACE_INLINE_ bool devtrace_qp_wanted_(unsigned int record, unsigned int id)
{
	return devtrace_enabled(DEVTRACE_QS_TYPE(record)) &&
	       devtrace_qp_bit_(devtrace_qp.glb, record) &&
	       (!id || (devtrace_qp_bit_(devtrace_qp.loc, id) &&
			devtrace_object_wanted_((uint16_t)id)));
}

DEVTRACE_INLINE_ bool devtrace_qp_ap_wanted_(const void *object)
{
	const void *const only = __atomic_load_n(&devtrace_qp.locFilter_AP, __ATOMIC_RELAXED);

	return !only || only == object;
}

DEVTRACE_INLINE_ void devtrace_qp_begin_(struct devtrace_record *r, unsigned int record,
					 unsigned int id)
{
	if (id)
		devtrace_begin_id_(r, DEVTRACE_QS_TYPE(record), (uint16_t)id, 0);
	else
		devtrace_begin_plain_(r, DEVTRACE_QS_TYPE(record));
}

/*
 * End a record that QS_beginRec_() began. Its callers have tested the program's filters, so this
 * function tests only the filters of the device.
 */
DEVTRACE_INLINE_ void devtrace_qp_end_(struct devtrace_record *r)
{
	if (devtrace_enabled(r->buf[0]))
		devtrace_end(r);
}

#define QS_GLB_CHECK_(record)	devtrace_qp_bit_(devtrace_qp.glb, (unsigned int)(record))
#define QS_LOC_CHECK_(id)	devtrace_qp_bit_(devtrace_qp.loc, (unsigned int)(id))

#define QS_INIT(arg)		(DEVTRACE_UNUSED_(arg), devtrace_qp_init())
#define QS_EXIT()		((void)0)
#define QS_FLUSH()		((void)0)
#define QS_OUTPUT()		((void)0)
#define QS_RX_INPUT()		devtrace_qp_rx_input()
#define QS_RX_PUT(byte)		DEVTRACE_UNUSED_(byte)
#define QS_ONLY(code)		(code)
#define QS_GLB_FILTER(record)	((void)devtrace_qp_glb_filter((int)(record)))
#define QS_LOC_FILTER(id)	((void)devtrace_qp_loc_filter((int)(id)))
#define QS_ASSERTION(module, id, delay) \
	(DEVTRACE_UNUSED_(delay), devtrace_qp_assertion((module), (int)(id)))

/* No critical section is needed, because only the thread that owns a lane writes to it. */
#define QS_CRIT_STAT
#define QS_CRIT_ENTRY()		((void)0)
#define QS_CRIT_EXIT()		((void)0)
#define QS_MEM_SYS()		((void)0)
#define QS_MEM_APP()		((void)0)

#define QS_TR_CRIT_ENTRY()	((void)0)
#define QS_TR_CRIT_EXIT()	((void)0)
#define DEVTRACE_QP_ISR_(record, nest, prio)					\
	do {									\
		if (devtrace_qp_wanted_(record, 0)) {				\
			DEVTRACE_RECORD(devtrace_n_, 8);			\
			devtrace_qp_begin_(&devtrace_n_, record, 0);		\
			devtrace_u8(&devtrace_n_, (uint8_t)(nest));		\
			devtrace_u8(&devtrace_n_, (uint8_t)(prio));		\
			devtrace_end(&devtrace_n_);				\
		}								\
	} while (0)
#define QS_TR_ISR_ENTRY(nest, prio)	DEVTRACE_QP_ISR_(QS_QF_ISR_ENTRY, nest, prio)
#define QS_TR_ISR_EXIT(nest, prio)	DEVTRACE_QP_ISR_(QS_QF_ISR_EXIT, nest, prio)

#ifdef Q_UTEST
#include "qutest.h"
#else
#define QS_TEST_PROBE_DEF(function)
#define QS_TEST_PROBE(code)
#define QS_TEST_PROBE_ID(id, code)
#define QS_TEST_PAUSE()		((void)0)
#endif

/*
 * Records of the application; devtrace/qs.h defines the macros for their elements. Sources for QP
 * before 7.0 use QP/C's compatibility layer, which defines QS_BEGIN() with QS_beginRec_();
 * QS_END() ends these records, too.
 */
#define QS_BEGIN_ID(record, id)							\
	if (devtrace_qp_wanted_((unsigned int)(record), (unsigned int)(id))) {	\
		DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);			\
		devtrace_qp_begin_(&devtrace_r_, (unsigned int)(record), (unsigned int)(id)); {
#define QS_END()		} devtrace_end(&devtrace_r_); }
#define QS_BEGIN_INCRIT(record, id)	QS_BEGIN_ID(record, id)
#define QS_END_INCRIT()			QS_END()

/*
 * Macros of QP 5 and 6, which QP/C 7.3 defines itself. An object of the application is filtered by
 * its address, other objects by their QS-ID.
 */
#define QS_u32_fmt_(format, v)	(DEVTRACE_UNUSED_(format), QS_U32(QS_HEX_FMT, (v)))
#if !defined(QP_VERSION) || QP_VERSION >= 800
#define QS_BEGIN(record, object)						\
	if (devtrace_qp_wanted_((unsigned int)(record), 0) &&			\
	    devtrace_qp_ap_wanted_((const void *)(object))) {			\
		DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);			\
		devtrace_qp_begin_(&devtrace_r_, (unsigned int)(record), 0); {
#define QS_FILTER_ON(record)	QS_GLB_FILTER(record)
#define QS_FILTER_OFF(record)	QS_GLB_FILTER(-(int)(record))
#define QS_FILTER_AP_OBJ(object)						\
	((void)__atomic_store_n(&devtrace_qp.locFilter_AP, (const void *)(object),	\
				__ATOMIC_RELAXED))
#define QS_FILTER_SM_OBJ(object)	DEVTRACE_UNUSED_(object)
#define QS_FILTER_AO_OBJ(object)	DEVTRACE_UNUSED_(object)
#define QS_FILTER_MP_OBJ(object)	DEVTRACE_UNUSED_(object)
#define QS_FILTER_EQ_OBJ(object)	DEVTRACE_UNUSED_(object)
#define QS_FILTER_TE_OBJ(object)	DEVTRACE_UNUSED_(object)
#define QS_U32_HEX(width, v)	QS_u32_fmt_(width, v)
/* Nothing to do: a session begins when a reader opens the device. */
#define QS_RESET()		((void)0)
#endif

#define QS_beginRec_(record)							\
	DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);				\
	devtrace_qp_begin_(&devtrace_r_, (unsigned int)(record), 0)
#define QS_endRec_()		devtrace_qp_end_(&devtrace_r_)
#define QS_TIME_PRE_()		((void)0)

/*
 * Number of bytes of an object that a host may write: 0 if the compiler does not know the object's
 * size or the object is const.
 */
#ifdef __cplusplus
#define DEVTRACE_QP_BYTES_(object)	0
#else
#define DEVTRACE_QP_BYTES_(object)						\
	(__builtin_types_compatible_p(__typeof__(0 ? (object) : (void *)DEVTRACE_KEY_(object)), \
				      const void *) ? 0 :			\
	 __builtin_object_size((const void *)(object), 3))
#endif

#undef QS_OBJ_DICTIONARY
#define QS_OBJ_DICTIONARY(object)						\
	((void)devtrace_qp_object((const void *)(object), DEVTRACE_QP_BYTES_(object),	\
				  devtrace_qs_name_(#object)))
#define QS_OBJ_ARR_DICTIONARY(object, index) \
	((void)devtrace_qp_dict_array((const void *)(object), (unsigned int)(index), #object))
/* QP/C itself uses this macro. */
#define QS_obj_dict_pre_(object, name) \
	((void)devtrace_dict_obj(DEVTRACE_KEY_(object), devtrace_qs_name_(name)))

#endif
