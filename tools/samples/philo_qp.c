// SPDX-License-Identifier: GPL-2.0-only
/* philo_qp.c - the events of philo.c as records of QS */
#include <qs_port.h>
#include <qs_pkg.h>
#include "philo.h"

void trace_start(void)
{
	unsigned int n;

	QS_INIT(NULL);
	QS_GLB_FILTER(QS_GRP_ALL);
	devtrace_dict_obj(DEVTRACE_KEY_(&table), table.name);
	for (n = 0; n < PHILOS; n++) {
		devtrace_dict_obj(DEVTRACE_KEY_(&philos[n]), philos[n].name);
		devtrace_qp_dict_array(&philos[n].timer_object, n, "timer");
	}
	QS_OBJ_DICTIONARY(pool);
	QS_FUN_DICTIONARY(&thinking);
	QS_FUN_DICTIONARY(&hungry);
	QS_FUN_DICTIONARY(&eating);
	QS_FUN_DICTIONARY(&serving);
	QS_SIG_DICTIONARY(HUNGRY, 0);
	QS_SIG_DICTIONARY(EAT, 0);
	QS_SIG_DICTIONARY(DONE, 0);
	QS_SIG_DICTIONARY(TIMEOUT, 0);
}

void trace_init(struct machine *m)
{
	QS_BEGIN_PRE(QS_QEP_INIT_TRAN, m->prio + 1U)
		QS_OBJ_PRE(m); QS_FUN_PRE(m->state);
	QS_END_PRE()
}

void trace_post(struct machine *from, struct machine *to, const struct event *e)
{
	QS_BEGIN_PRE(QS_QF_ACTIVE_POST, to->prio + 1U)
		QS_OBJ_PRE(from); QS_SIG_PRE(e->e); QS_OBJ_PRE(to); QS_2U8_PRE(e->pool, e->nref);
		QS_EQC_PRE(QUEUE - to->used); QS_EQC_PRE(QUEUE - to->most);
	QS_END_PRE()
}

/* QP has a separate record for taking the last event from a queue. */
void trace_get(struct machine *m, const struct event *e)
{
	QS_BEGIN_PRE(m->used ? QS_QF_ACTIVE_GET : QS_QF_ACTIVE_GET_LAST, m->prio + 1U)
		QS_SIG_PRE(e->e); QS_OBJ_PRE(m); QS_2U8_PRE(e->pool, e->nref);
		if (m->used)
			QS_EQC_PRE(QUEUE - m->used);
	QS_END_PRE()
}

static void of_state(struct machine *m, const struct event *e, unsigned int record)
{
	QS_BEGIN_PRE(record, m->prio + 1U)
		QS_SIG_PRE(e->e); QS_OBJ_PRE(m); QS_FUN_PRE(m->state);
	QS_END_PRE()
}

void trace_dispatch(struct machine *m, const struct event *e)
{
	of_state(m, e, QS_QEP_DISPATCH);
}

void trace_state(struct machine *m, const struct event *e, state_fn from)
{
	QS_BEGIN_PRE(QS_QEP_TRAN, m->prio + 1U)
		QS_SIG_PRE(e->e); QS_OBJ_PRE(m); QS_FUN_PRE(from); QS_FUN_PRE(m->state);
	QS_END_PRE()
}

void trace_stays(struct machine *m, const struct event *e)
{
	of_state(m, e, QS_QEP_INTERN_TRAN);
}

void trace_ignored(struct machine *m, const struct event *e)
{
	of_state(m, e, QS_QEP_IGNORED);
}

void trace_pool(int got, unsigned int nfree, unsigned int least)
{
	QS_BEGIN_PRE(got ? QS_QF_MPOOL_GET : QS_QF_MPOOL_PUT, QS_ID_EP + 1U)
		QS_OBJ_PRE(pool); QS_MPC_PRE(nfree);
		if (got)
			QS_MPC_PRE(least);
	QS_END_PRE()
}

void trace_arm(struct machine *m, unsigned int ticks)
{
	QS_BEGIN_PRE(QS_QF_TIMEEVT_ARM, m->prio + 1U)
		QS_OBJ_PRE(&m->timer_object); QS_OBJ_PRE(m); QS_TEC_PRE(ticks); QS_TEC_PRE(0);
		QS_U8_PRE(0);
	QS_END_PRE()
}

void trace_timeout(struct machine *m, const struct event *e)
{
	QS_BEGIN_PRE(QS_QF_TIMEEVT_POST, m->prio + 1U)
		QS_OBJ_PRE(&m->timer_object); QS_SIG_PRE(e->e); QS_OBJ_PRE(m); QS_U8_PRE(0);
	QS_END_PRE()
}
