// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum_machine.c - --summary: state machines, queues, pools and timers
 *
 * A step of a machine begins with a dispatch. It ends with a transition, with a record that no
 * transition follows, or with the machine's next dispatch. The latency of a signal is the time
 * from its post to its dispatch. If several signals of the same number are waiting, a dispatch is
 * counted for the oldest.
 */
#include <stdlib.h>
#include "sum_machine.h"

static struct sum_machine *machine(struct sum_machines *m, const struct ti_event *e, uint64_t key)
{
	struct sum_machine *s;
	unsigned int i;

	for (i = 0; i < m->nr_machines; i++) {
		s = m->machines[i];
		if (s->key == key && s->tgid == e->tgid)
			return s;
	}
	if (m->nr_machines == SUM_MACHINES) {
		m->left_out++;
		return NULL;
	}
	s = ti_alloc(NULL, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->key = key;
	s->tgid = e->tgid;
	s->state = -1;
	fw_object_name(s->name, sizeof(s->name), e, key);
	m->machines[m->nr_machines++] = s;
	return s;
}

static struct sum_store *store(struct sum_machines *m, const struct ti_event *e, int kind,
			       uint64_t key)
{
	struct sum_store *s;
	unsigned int i;

	for (i = 0; i < m->nr_stores; i++) {
		s = &m->stores[i];
		if (s->key == key && s->tgid == e->tgid && (int)s->kind == kind)
			return s;
	}
	if (m->nr_stores == SUM_STORES) {
		m->left_out++;
		return NULL;
	}
	s = &m->stores[m->nr_stores++];
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->key = key;
	s->tgid = e->tgid;
	s->least = s->room = s->most_used = FW_NO;
	fw_object_name(s->name, sizeof(s->name), e, key);
	return s;
}

/* Update the fill level of a queue or pool after something was put in or taken out (@got). */
static void filled(struct sum_machines *m, const struct ti_event *e, int kind, uint64_t key,
		   const struct fw_event *f, bool got)
{
	struct sum_store *s = store(m, e, kind, key);
	const int64_t least = f->least != FW_NO ? f->least : f->nfree;

	if (!s)
		return;
	got ? s->gets++ : s->puts++;
	if (least != FW_NO && (s->least == FW_NO || least < s->least))
		s->least = least;
	if (f->room > s->room)
		s->room = f->room;
	if (f->used > s->most_used)
		s->most_used = f->used;
}

static void timer(struct sum_machines *m, const struct ti_event *e, const struct fw_event *f)
{
	struct sum_store *s = store(m, e, SUM_TIMER, f->object);

	if (!s)
		return;
	s->puts += f->kind == FW_ARM;
	s->gets += f->kind == FW_DISARM;
	s->timeouts += f->kind == FW_TIMEOUT;
}

/* End the time in the current state. */
static void leave(struct sum_machine *s, uint64_t ts)
{
	if (s->state >= 0 && ts > s->since)
		s->states[s->state].ns += ts - s->since;
	s->since = ts;
}

static void enter(struct sum_machines *m, struct sum_machine *s, const struct ti_event *e,
		  const struct fw_event *f, bool anew)
{
	unsigned int i;

	for (i = 0; i < s->nr_states; i++)
		if (s->states[i].key == f->state)
			break;
	if (i == SUM_STATES_MAX) {
		m->left_out++;
		leave(s, e->ev->ts);
		s->state = -1;
		return;
	}
	if (i == s->nr_states) {
		s->nr_states++;
		memset(&s->states[i], 0, sizeof(s->states[i]));
		s->states[i].key = f->state;
		fw_state_name(s->states[i].name, sizeof(s->states[i].name), e, f);
	}
	leave(s, e->ev->ts);
	s->states[i].entered += anew && s->state != (int)i;
	s->state = (int)i;
}

static void posted(struct sum_machine *s, const struct ti_event *e, const struct fw_event *f)
{
	s->posts++;
	if (s->nr_pending == SUM_PENDING) {
		/*
		 * The list of waiting signals is full. Forget the oldest: its dispatch was lost or
		 * filtered out.
		 */
		s->nr_pending--;
		memmove(&s->pending[0], &s->pending[1], s->nr_pending * sizeof(s->pending[0]));
	}
	s->pending[s->nr_pending].signal = f->signal;
	s->pending[s->nr_pending++].ts = e->ev->ts;
}

static void waited(struct sum_machine *s, uint32_t signal, uint64_t ts)
{
	unsigned int i;

	for (i = 0; i < s->nr_pending; i++) {
		if (s->pending[i].signal != signal)
			continue;
		sum_times_add(&s->latency, ts - s->pending[i].ts, s->pending[i].ts);
		s->nr_pending--;
		memmove(&s->pending[i], &s->pending[i + 1],
			(s->nr_pending - i) * sizeof(s->pending[0]));
		return;
	}
}

static void dispatched(struct sum_machines *m, struct sum_machine *s, const struct ti_event *e,
		       const struct fw_event *f)
{
	s->dispatches++;
	waited(s, f->signal, e->ev->ts);
	s->busy = true;
	s->step_ts = e->ev->ts;
	fw_signal_name(s->step_signal, sizeof(s->step_signal), e, f);
	if (s->state < 0)
		enter(m, s, e, f, false);
}

static void step_ends(struct sum_machine *s, uint64_t ts)
{
	if (!s->busy)
		return;
	s->busy = false;
	sum_times_add(&s->steps, ts - s->step_ts, s->step_ts);
	if (s->steps.max_ts == s->step_ts)
		memcpy(s->longest_signal, s->step_signal, sizeof(s->longest_signal));
}

/* Count an event for one machine. */
static void of_machine(struct sum_machines *m, struct sum_machine *s, const struct ti_event *e,
		       const struct fw_event *f)
{
	switch (f->kind) {
	case FW_POST:
		posted(s, e, f);
		break;
	case FW_REFUSED:
		s->refused++;
		break;
	case FW_DISPATCH:
		dispatched(m, s, e, f);
		break;
	case FW_INIT:
	case FW_STATE:
		enter(m, s, e, f, true);
		break;
	case FW_TRAN:
		enter(m, s, e, f, true);
		step_ends(s, e->ev->ts);
		break;
	case FW_IGNORED:
		s->ignored++;
		step_ends(s, e->ev->ts);
		break;
	case FW_UNHANDLED:
		s->unhandled++;
		/* QP reports the end of the step as a separate event; RKH does not. */
		if (f->rkh)
			step_ends(s, e->ev->ts);
		break;
	default:
		step_ends(s, e->ev->ts);
	}
}

void sum_machines_event(struct sum_machines *m, const struct ti_event *e)
{
	struct sum_machine *s;
	struct fw_event f;
	bool to;

	if (!fw_event(&f, e))
		return;
	if (f.kind == FW_POOL || f.kind == FW_QUEUE) {
		filled(m, e, f.kind == FW_POOL ? SUM_POOL : SUM_QUEUE, f.object, &f, f.got);
		return;
	}
	if (f.kind == FW_ARM || f.kind == FW_DISARM || f.kind == FW_TIMEOUT)
		timer(m, e, &f);
	if (f.kind == FW_ARM || f.kind == FW_DISARM)
		return;
	/* The queue of an active object has the same name as the object. */
	if (f.kind == FW_POST || f.kind == FW_GET)
		filled(m, e, SUM_QUEUE, f.to, &f, f.kind == FW_GET);
	/* The post of a timer's signal is a separate event, which counts the signal. */
	if (f.kind == FW_GET || f.kind == FW_TIMEOUT)
		return;
	to = f.kind == FW_POST || f.kind == FW_REFUSED;
	s = machine(m, e, to ? f.to : f.object);
	if (s)
		of_machine(m, s, e, &f);
}

void sum_machines_forget(struct sum_machines *m, uint64_t lost)
{
	unsigned int i;

	m->lost += lost;
	for (i = 0; i < m->nr_machines; i++) {
		m->machines[i]->state = -1;
		m->machines[i]->busy = false;
		m->machines[i]->nr_pending = 0;
	}
}

void sum_machines_end(struct sum_machines *m, uint64_t ts)
{
	unsigned int i;

	for (i = 0; i < m->nr_machines; i++)
		leave(m->machines[i], ts);
	sum_machines_forget(m, 0);
}

struct sum_machines *sum_machines_new(void)
{
	struct sum_machines *m = ti_alloc(NULL, sizeof(*m));

	memset(m, 0, sizeof(*m));
	return m;
}

void sum_machines_free(struct sum_machines *m)
{
	unsigned int i;

	if (!m)
		return;
	for (i = 0; i < m->nr_machines; i++) {
		free(m->machines[i]->latency.buckets);
		free(m->machines[i]->steps.buckets);
		free(m->machines[i]);
	}
	free(m);
}
