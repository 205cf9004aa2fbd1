// SPDX-License-Identifier: GPL-2.0-only
/*
 * qp.c - the parts of QS that QP/C and its applications use
 *
 * test_qp_build.sh compiles it with QP_VERSION 733 and 815, and runs it without a device. The
 * compatibility layers of each version's qpc.h are copied here: enumerators from 8.1 on, the
 * macros of QP 5 in 7.3.
 */
#include "qp_types.h"
#include "qs_port.h"
#include "qs_pkg.h"

#if QP_VERSION >= 810
enum groups_before { QS_ALL_RECORDS = QS_GRP_ALL, QS_SM_RECORDS = QS_GRP_SM };
enum ids_before { QS_ALL_IDS = QS_IDS_ALL, QS_AO_IDS = QS_IDS_AO };
enum kinds_before { SM_OBJ = QS_OBJ_SM, SM_AO_OBJ = QS_OBJ_SM_AO };
#define QS_AO_ID	QS_ID_AO
#define QS_EP_ID	QS_ID_EP
#define QS_EQ_ID	QS_ID_EQ
#define QS_AP_ID	QS_ID_AP
#elif QP_VERSION < 800
/* As 7.3 has them: those of devtrace/qp must not be beside them. */
#define QS_FILTER_ON(rec)	QS_GLB_FILTER((rec))
#define QS_FILTER_OFF(rec)	QS_GLB_FILTER(-(rec))
#define QS_FILTER_SM_OBJ(obj)	((void)0)
#define QS_FILTER_AO_OBJ(obj)	((void)0)
#define QS_FILTER_MP_OBJ(obj)	((void)0)
#define QS_FILTER_EQ_OBJ(obj)	((void)0)
#define QS_FILTER_TE_OBJ(obj)	((void)0)
#define QS_FILTER_AP_OBJ(obj)	(QS_filt_.loc_AP = (obj))
#define QS_U32_HEX(width, data)	\
	(QS_u32_fmt_((uint8_t)(((width) << 4)) | QS_HEX_FMT, (data)))
#define QS_RESET()		((void)0)
#define QS_BEGIN(rec, obj)							\
	if (((QS_filt_.glb[(uint_fast8_t)(rec) >> 3U] &				\
	      (1U << ((uint_fast8_t)(rec) & 7U))) != 0U) &&			\
	    (QS_priv_.locFilter_AP == NULL || QS_priv_.locFilter_AP == (obj))) { \
		QS_CRIT_STAT							\
		QS_CRIT_ENTRY();						\
		QS_beginRec_((uint_fast8_t)(rec));				\
		QS_TIME_PRE_(); {
#endif

enum records { FIRST = QS_USER, SECOND = QS_USER0 + 1, LAST = QS_USER4 + 4 };

static QSpyId const tick = { QS_AP_ID + 1 };
static int object;
static void state(void) { }
void run(uint_fast16_t qsId, int const *sender);

/* QP's own variables are wider than the fields of records. */
void run(uint_fast16_t qsId, int const *sender)
{
	uint_fast16_t const nFree = 5;
	QS_CRIT_STAT
	QS_CRIT_ENTRY();
	QS_MEM_SYS();
	if ((QS_priv_.flags & 1U) == 0U) {
		QS_priv_.flags |= 1U;
		QS_FUN_DICTIONARY(&state);
		QS_obj_dict_pre_(&object, "EvtPool1");
	}
	QS_TEST_PROBE_DEF(&run)
	QS_TEST_PROBE_ID(1, return;)
	QS_BEGIN_PRE(QS_QF_ACTIVE_POST, qsId)
		QS_TIME_PRE();
		QS_OBJ_PRE(sender);
		QS_SIG_PRE(4U);
		QS_OBJ_PRE(&object);
		QS_2U8_PRE(1U, 2U);
		QS_EQC_PRE(nFree);
		QS_EQC_PRE(nFree);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QF_NEW, (uint_fast8_t)QS_EP_ID + 1U)
		QS_EVS_PRE(nFree);
		QS_MPC_PRE(nFree);
		QS_MPS_PRE(nFree);
		QS_TEC_PRE(nFree);
		QS_U8_PRE(1U);
		QS_U16_PRE(1U);
		QS_U32_PRE(1U);
		QS_STR_PRE("s");
		QS_FUN_PRE(&state);
	QS_END_PRE()
	/* the spelling before 8.1 */
	QS_BEGIN_PRE_(QS_QEP_TRAN_EP, qsId)
		QS_TIME_PRE_();
		QS_SIG_PRE_(4U);
		QS_OBJ_PRE_(&object);
		QS_FUN_PRE_(&state);
		QS_U8_PRE_(1U);
		QS_2U8_PRE_(1U, 2U);
		QS_U16_PRE_(1U);
		QS_U32_PRE_(1U);
		QS_STR_PRE_("s");
		QS_EQC_PRE_(nFree);
		QS_EVS_PRE_(nFree);
		QS_MPC_PRE_(nFree);
		QS_MPS_PRE_(nFree);
		QS_TEC_PRE_(nFree);
	QS_END_PRE_()
	if (qsId == 1U) {
		QS_beginRec_((uint_fast8_t)QS_QF_RUN);
		QS_endRec_();
	}
	QS_TR_CRIT_ENTRY();
	QS_TR_CRIT_EXIT();
	QS_TR_ISR_ENTRY(1, 2);
	QS_TR_ISR_EXIT(0, 2);
	QS_MEM_APP();
	QS_CRIT_EXIT();
	QS_FLUSH();
}

/* Callbacks that the application defines. */
void QS_onReset(void) { }
void QS_onCleanup(void) { }
void QS_onFlush(void) { }
uint8_t QS_onStartup(void const *arg) { return arg != NULL; }
QSTimeCtr QS_onGetTime(void) { return 0; }
void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3)
{
	(void)cmdId;
	(void)(param1 + param2 + param3);
}

int main(void)
{
	uint8_t data[3] = { 1, 2, 3 };
	uint16_t bytes = 1;

	if (QS_INIT((void *)0) == 0U)
		return 1;
	/* Calls of a program and a port of QS that manage buffers */
	QS_initBuf(data, sizeof(data));
	QS_rxInitBuf(data, sizeof(data));
	QS_rxParse();
	if (QS_getByte() != QS_EOD || QS_getBlock(&bytes) || bytes)
		return 1;
	QS_GLB_FILTER(QS_ALL_RECORDS);
	QS_FILTER_OFF(QS_QF_TICK);
	if (QS_GLB_CHECK_(QS_QF_TICK))
		return 1;
	QS_FILTER_ON(QS_QF_TICK);
	if (!QS_GLB_CHECK_(QS_QF_TICK))
		return 1;
	QS_FILTER_AP_OBJ(&object);
	if (QS_priv_.locFilter_AP != &object)
		return 1;
	QS_FILTER_AP_OBJ(NULL);
	QS_FILTER_SM_OBJ(&object);
	QS_FILTER_AO_OBJ(&object);
	QS_FILTER_MP_OBJ(&object);
	QS_FILTER_EQ_OBJ(&object);
	QS_FILTER_TE_OBJ(&object);
	QS_RESET();
	QS_GLB_FILTER(QS_SM_RECORDS);
	QS_GLB_FILTER(-QS_QF_TICK);
	QS_GLB_FILTER(QS_GRP_UA);
	QS_LOC_FILTER(QS_ALL_IDS);
	QS_LOC_FILTER(-QS_AO_IDS);
	QS_LOC_FILTER(QS_AO_ID + 3);
	QS_LOC_FILTER(-(QS_EQ_ID + 3));
	QS_OBJ_DICTIONARY(&object);
	QS_OBJ_ARR_DICTIONARY(&data[1], 1);
	QS_SIG_DICTIONARY(FIRST, &object);
	QS_USR_DICTIONARY(FIRST);
	QS_ENUM_DICTIONARY(SECOND, QS_CMD);
	QS_BEGIN_ID(FIRST, tick.prio)
		QS_I8(0, -1); QS_U8(1, 1); QS_I16(2, -1); QS_U16(QS_HEX_FMT, 1);
		QS_I32(4, -1); QS_U32(5, 1); QS_I64(6, -1); QS_U64(7, 1);
		QS_F32(6, 3.1415F); QS_F64(10, -271828.1828);
		QS_STR("s"); QS_MEM(data, sizeof(data)); QS_ENUM(1, 2);
		QS_SIG(4U, &object); QS_OBJ(&object); QS_FUN(&state);
	QS_END()
	QS_BEGIN_INCRIT(SECOND, 0U)
		QS_U8(0, 1);
	QS_END_INCRIT()
	QS_BEGIN_NOCRIT(LAST, 0U)
		QS_U8(0, 1);
	QS_END_NOCRIT()
	QS_BEGIN(FIRST, &object)
		QS_U8(0, 1);
		QS_U32_HEX(8, 0xdeadbeef);
	QS_END()
	run(1, NULL);
	QS_ONLY(object = 1);
	QS_TEST_PROBE(object = 2;)
	QS_TEST_PAUSE();
	QS_OUTPUT();
	QS_RX_INPUT();
	QS_RX_PUT(data[0]);
	QS_ASSERTION("module", 110, 10000U);
	QS_EXIT();
	return SM_OBJ == 0 && SM_AO_OBJ == 6 && QS_EOD == 0xffff && object == 1 ? 0 : 1;
}
