// SPDX-License-Identifier: GPL-2.0-only
/* philo_rkh.c - the events of philo.c as events of RKH */
#include <rkhtrc.h>
#include "philo.h"

void trace_start(void)
{
	unsigned int n;

	RKH_TRC_OPEN();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
	RKH_TR_FWK_AO(&table);
	for (n = 0; n < PHILOS; n++) {
		RKH_TR_FWK_AO(&philos[n]);
		RKH_TR_FWK_OBJ_NAME(&philos[n].timer_object, "timer");
	}
	RKH_TR_FWK_OBJ(pool);
	RKH_TR_FWK_STATE(&philos[0], thinking);
	RKH_TR_FWK_STATE(&philos[0], hungry);
	RKH_TR_FWK_STATE(&philos[0], eating);
	RKH_TR_FWK_STATE(&table, serving);
	RKH_TR_FWK_SIG(HUNGRY);
	RKH_TR_FWK_SIG(EAT);
	RKH_TR_FWK_SIG(DONE);
	RKH_TR_FWK_SIG(TIMEOUT);
	RKH_TR_FWK_EN();
}

void trace_init(struct machine *m)
{
	RKH_TR_SM_INIT(m, m->state);
}

void trace_post(struct machine *from, struct machine *to, const struct event *e)
{
	RKH_TR_SMA_FIFO(to, e, from, e->pool, e->nref, to->used, QUEUE - to->most);
}

void trace_get(struct machine *m, const struct event *e)
{
	RKH_TR_SMA_GET(m, e, e->pool, e->nref, m->used, QUEUE - m->most);
}

void trace_dispatch(struct machine *m, const struct event *e)
{
	RKH_TR_SM_DCH(m, e, m->state);
}

void trace_state(struct machine *m, const struct event *e, state_fn from)
{
	(void)e;
	RKH_TR_SM_TRN(m, from, m->state);
	RKH_TR_SM_STATE(m, m->state);
	RKH_TR_SM_EVT_PROC(m);
}

void trace_stays(struct machine *m, const struct event *e)
{
	(void)e;
	RKH_TR_SM_EVT_PROC(m);
}

void trace_ignored(struct machine *m, const struct event *e)
{
	RKH_TR_SM_EVT_NFOUND(m, e);
}

void trace_pool(int got, unsigned int nfree, unsigned int least)
{
	if (got)
		RKH_TR_MP_GET(pool, nfree, least);
	else
		RKH_TR_MP_PUT(pool, nfree);
}

void trace_arm(struct machine *m, unsigned int ticks)
{
	RKH_TR_TMR_START(&m->timer_object, m, ticks, 0);
}

void trace_timeout(struct machine *m, const struct event *e)
{
	RKH_TR_TMR_TOUT(&m->timer_object, e->e, m);
}
