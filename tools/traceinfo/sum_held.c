// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum_held.c - --summary: which threads were current on a CPU while another thread waited for it
 *
 * Each CPU has a history, which records the thread that was current, and whether the thread, an
 * interrupt or a soft interrupt ran. The history is a ring of SUM_PARTS parts, allocated with the
 * first event of the CPU. If a wait began before the oldest part, that time is counted for no
 * thread. Losses need no care here, because a wait that contains a loss is not counted.
 */
#include <stdlib.h>
#include "sum.h"

static struct sum_part *part(struct sum_cpu *c, uint64_t n)
{
	return &c->parts[n % SUM_PARTS];
}

static enum sum_in in_what(const struct sum_cpu *c)
{
	return c->level ? c->levels[c->level - 1] : SUM_IN_THREAD;
}

/* End the current part of the CPU's history, and begin another one. */
static void begin(struct sum_cpu *c, uint64_t ts, uint32_t tid, int16_t prio, bool prio_known,
		  uint64_t work)
{
	struct sum_part *p;

	if (c->nr_parts)
		part(c, c->nr_parts - 1)->to = ts;
	p = part(c, c->nr_parts++);
	p->from = ts;
	p->to = UINT64_MAX;
	p->tid = tid;
	p->work = work;
	p->prio = prio;
	p->prio_known = prio_known;
	p->in = in_what(c);
}

static void enter(struct sum_cpu *c, enum sum_in in)
{
	if (c->level == SUM_NEST)
		c->level = 0;
	c->levels[c->level++] = in;
}

/* An interrupt handler ends. Handlers nested in it have ended, too: their end events were lost. */
static void leave(struct sum_cpu *c, enum sum_in in)
{
	unsigned int i = c->level;

	while (i && c->levels[i - 1] != in)
		i--;
	if (i)
		c->level = i - 1;
}

/*
 * Return the work function that the thread executes; it may have begun before the thread was
 * blocked.
 */
static uint64_t work_of(struct sum *s, uint32_t tid)
{
	const struct sum_task *t = tid ? sum_task(s, tid) : NULL;

	return t ? t->work : 0;
}

/* The thread begins a kernel work item, or with @work = 0 ends it. */
static void work_begins(struct sum *s, struct sum_cpu *c, const struct devtrace_event *ev,
			uint64_t work)
{
	const struct sum_part *last = part(c, c->nr_parts - 1);
	struct sum_task *t = sum_task(s, ev->tid);

	if (t)
		t->work = work;
	begin(c, ev->ts, ev->tid, last->prio, last->prio_known && last->tid == ev->tid, work);
}

void sum_held_event(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_cpu *c = ev->source < SUM_CPUS ? &s->cpus[ev->source] : NULL;
	struct sum_part *last;
	struct devtrace_elem fun;
	int64_t tid, prio;

	if (!c)
		return;
	if (!c->parts)
		c->parts = ti_alloc(NULL, SUM_PARTS * sizeof(*c->parts));
	if (!c->nr_parts)
		begin(c, ev->ts, ev->tid, 0, false, 0);
	last = part(c, c->nr_parts - 1);
	switch (ev->type) {
	case DEVTRACE_T_SCHED_SWITCH:
		if (!last->prio_known && last->tid == ev->tid && sum_int(ev, 1, &prio)) {
			last->prio = (int16_t)prio;
			last->prio_known = true;
		}
		/*
		 * Threads are never switched in an interrupt, so if a handler seems to run, its
		 * end was lost.
		 */
		c->level = 0;
		if (sum_int(ev, 2, &tid) && sum_int(ev, 3, &prio))
			begin(c, ev->ts, (uint32_t)tid, (int16_t)prio, true,
			      work_of(s, (uint32_t)tid));
		return;
	case DEVTRACE_T_WORK_START:
		if (sum_elem(ev, 1, &fun) && fun.type == DEVTRACE_E_FUN)
			work_begins(s, c, ev, fun.v.u);
		return;
	case DEVTRACE_T_WORK_END:
		work_begins(s, c, ev, 0);
		return;
	case DEVTRACE_T_IRQ_ENTRY:
	case DEVTRACE_T_VECTOR_ENTRY:
		enter(c, SUM_IN_IRQ);
		break;
	case DEVTRACE_T_SOFTIRQ_ENTRY:
		enter(c, SUM_IN_SOFTIRQ);
		break;
	case DEVTRACE_T_IRQ_EXIT:
	case DEVTRACE_T_VECTOR_EXIT:
		leave(c, SUM_IN_IRQ);
		break;
	case DEVTRACE_T_SOFTIRQ_EXIT:
		leave(c, SUM_IN_SOFTIRQ);
		break;
	default:
		return;
	}
	if (in_what(c) != last->in)
		begin(c, ev->ts, last->tid, last->prio, last->prio_known, last->work);
}

static uint64_t held_all(const struct sum_held *h)
{
	return h->ns[SUM_IN_THREAD] + h->ns[SUM_IN_IRQ] + h->ns[SUM_IN_SOFTIRQ];
}

static struct sum_held *holder(struct sum_meanwhile *m, const struct sum_part *p)
{
	unsigned int i, least = 0;
	struct sum_held *h;

	for (i = 0; i < m->nr; i++) {
		if (m->held[i].tid == p->tid && m->held[i].work == p->work) {
			m->held[i].prio = p->prio_known ? p->prio : m->held[i].prio;
			m->held[i].prio_known |= p->prio_known;
			return &m->held[i];
		}
		if (held_all(&m->held[i]) < held_all(&m->held[least]))
			least = i;
	}
	if (m->nr < SUM_HOLDERS) {
		h = &m->held[m->nr++];
	} else {
		h = &m->held[least];
		m->others += held_all(h);
	}
	memset(h, 0, sizeof(*h));
	h->tid = p->tid;
	h->work = p->work;
	h->prio = p->prio;
	h->prio_known = p->prio_known;
	return h;
}

static int by_time(const void *x, const void *y)
{
	uint64_t a = held_all(x), b = held_all(y);

	return a < b ? 1 : a > b ? -1 : 0;
}

struct sum_meanwhile *sum_meanwhile(struct sum *s, uint16_t cpu, uint64_t from, uint64_t to)
{
	struct sum_meanwhile *m;
	struct sum_cpu *c;
	uint64_t n, oldest;

	if (cpu >= SUM_CPUS || !s->cpus[cpu].nr_parts)
		return NULL;
	c = &s->cpus[cpu];
	oldest = c->nr_parts > SUM_PARTS ? c->nr_parts - SUM_PARTS : 0;
	m = ti_alloc(NULL, sizeof(*m));
	memset(m, 0, sizeof(*m));
	m->cpu = cpu;
	for (n = c->nr_parts; n > oldest && part(c, n - 1)->to > from; n--) {
		const struct sum_part *p = part(c, n - 1);
		uint64_t a = p->from > from ? p->from : from, b = p->to < to ? p->to : to;

		if (b > a)
			holder(m, p)->ns[p->in] += b - a;
	}
	qsort(m->held, m->nr, sizeof(m->held[0]), by_time);
	return m;
}
