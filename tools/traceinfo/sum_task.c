// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum_task.c - --summary: how threads spent their time
 *
 * A thread is known from the first scheduler event about it. It is running from the sched_switch
 * to the thread until the sched_switch away from it. It is waiting from its wake-up, or from
 * losing the CPU while runnable, until it runs. Otherwise it is blocked. Idle threads, which all
 * have tid 0, are not counted.
 */
#include <stdlib.h>
#include "sum.h"

/* enum task_state of kernel.fmt. */
enum {
	TASK_RUNNING = 0, TASK_UNINTERRUPTIBLE = 2, TASK_DEAD = 5, TASK_ZOMBIE = 6,
	TASK_PREEMPTED = 9,
};

static size_t slot(const struct sum *s, uint32_t tid)
{
	const uint64_t word = tid;

	return hash_words(&s->key, &word, 1) % SUM_HASH;
}

struct sum_task *sum_task_known(const struct sum *s, uint32_t tid)
{
	struct sum_task *t = s->tasks[slot(s, tid)];

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

struct sum_task *sum_task(struct sum *s, uint32_t tid)
{
	struct sum_task **at, *t = sum_task_known(s, tid);

	if (t)
		return t;
	if (s->nr_tasks == SUM_TASKS) {
		s->left_out++;
		return NULL;
	}
	t = ti_alloc(NULL, sizeof(*t));
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	at = &s->tasks[slot(s, tid)];
	t->next = *at;
	*at = t;
	s->nr_tasks++;
	return t;
}

/* Would a wait of this length be among the longest waits known so far? */
static bool may_be_longest(const struct sum_longest *l, uint64_t ns)
{
	return l->nr < SUM_DELAYS || ns > l->delays[SUM_DELAYS - 1].ns;
}

/*
 * End the thread's current state and begin the state @now. If the event contradicts the current
 * state (@as_expected is false), the time in that state does not count. @ev is NULL at the end of
 * the trace.
 */
static void move(struct sum *s, struct sum_task *t, enum sum_state now,
		 const struct devtrace_event *ev, uint64_t ts, bool as_expected)
{
	struct sum_span span = {
		.from = t->since, .to = ts, .task = t, .state = t->state,
		.sure = as_expected, .waker = t->waker, .cpu = ev ? ev->source : t->wait_cpu,
		.delay = t->state == SUM_WAITING && (now == SUM_RUNNING || !ev),
		.block = t->state == SUM_BLOCKED &&
			 (now == SUM_WAITING || (!ev && t->uninterruptible)),
		.open = !ev, .call = t->state == SUM_BLOCKED ? t->blocked_in : NULL,
		.preempted = t->preempted, .by_irq = t->by_irq,
	};

	if (span.block && ev) {
		span.waker = ev->tid;
		span.by_irq = ev->flags & DEVTRACE_F_CONTEXT;
	}
	/*
	 * Record what ran meanwhile: on the CPU for which the thread waited or, if it was blocked,
	 * on the CPU of the thread that woke it.
	 */
	if (as_expected && ts > t->since) {
		if (span.delay && may_be_longest(&s->waits, ts - t->since))
			span.meanwhile = sum_meanwhile(s, t->wait_cpu, t->since, ts);
		if (span.block && ev && may_be_longest(&s->blocks, ts - t->since))
			span.meanwhile = sum_meanwhile(s, ev->source, t->since, ts);
	}
	if (t->state != SUM_UNKNOWN)
		sum_late(s, &span);
	t->state = now;
	t->since = ts;
}

static void add_delay(struct sum_longest *l, const struct sum_delay *d)
{
	unsigned int i = l->nr;

	if (i == SUM_DELAYS) {
		if (d->ns <= l->delays[i - 1].ns) {
			free(d->meanwhile);
			return;
		}
		free(l->delays[--i].meanwhile);
	} else {
		l->nr++;
	}
	for (; i && l->delays[i - 1].ns < d->ns; i--)
		l->delays[i] = l->delays[i - 1];
	l->delays[i] = *d;
}

void sum_task_span(struct sum *s, const struct sum_span *span, bool certain)
{
	const struct sum_delay d = {
		.ts = span->from, .ns = span->to > span->from ? span->to - span->from : 0,
		.tid = span->task->tid, .call = span->call, .open = span->open,
		.waker = span->waker, .cpu = span->cpu, .meanwhile = span->meanwhile,
		.preempted = span->preempted, .by_irq = span->by_irq,
	};

	certain = certain && span->sure;
	span->task->ns[certain ? span->state : SUM_UNKNOWN] += d.ns;
	if (certain && span->delay && !span->preempted && !span->open)
		sum_times_add(&s->wakeups, d.ns, d.ts);
	if (certain && span->delay)
		add_delay(&s->waits, &d);
	else if (certain && span->block)
		add_delay(&s->blocks, &d);
	else
		free(d.meanwhile);
}

static void switched_out(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t = ev->tid ? sum_task(s, ev->tid) : NULL;
	int64_t state = TASK_RUNNING;

	if (!t)
		return;
	sum_int(ev, 0, &state);
	/* If the thread did not seem to be running, the event that gave it the CPU was lost. */
	if (state == TASK_RUNNING || state == TASK_PREEMPTED) {
		move(s, t, SUM_WAITING, ev, ev->ts, t->state == SUM_RUNNING);
		t->preempted = true;
		t->wait_cpu = ev->source;
	} else if (state == TASK_DEAD || state == TASK_ZOMBIE) {
		move(s, t, SUM_UNKNOWN, ev, ev->ts, t->state == SUM_RUNNING);
	} else {
		move(s, t, SUM_BLOCKED, ev, ev->ts, t->state == SUM_RUNNING);
		t->blocked_in = t->call;
		t->uninterruptible = state == TASK_UNINTERRUPTIBLE;
		t->wait_cpu = ev->source;
	}
}

static void switched_in(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t;
	int64_t tid;

	if (!sum_int(ev, 2, &tid) || tid <= 0 || tid > UINT32_MAX)
		return;
	t = sum_task(s, (uint32_t)tid);
	if (!t)
		return;
	sum_string(ev, 4, t->comm, sizeof(t->comm));
	/*
	 * If wake-ups are traced, a blocked thread runs only after one; otherwise an event was
	 * lost.
	 */
	move(s, t, SUM_RUNNING, ev, ev->ts,
	     t->state == SUM_WAITING || (t->state == SUM_BLOCKED && !s->wakes));
	t->runs++;
}

/* A thread was woken. The kernel also reports this for threads that are running or waiting. */
static void woken(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t;
	int64_t tid, cpu;

	if (!sum_int(ev, 0, &tid) || tid <= 0 || tid > UINT32_MAX)
		return;
	t = sum_task(s, (uint32_t)tid);
	if (!t)
		return;
	/*
	 * The WAKEUP event has the CPU that was finally chosen; the WAKING event may have another.
	 */
	if (sum_int(ev, 2, &cpu) && cpu >= 0 && cpu < SUM_CPUS &&
	    (t->state != SUM_WAITING || !t->preempted))
		t->wait_cpu = (uint16_t)cpu;
	sum_string(ev, 3, t->comm, sizeof(t->comm));
	s->wakes = true;
	/*
	 * The thread is awake already, unless events were lost: it may have been blocked
	 * meanwhile.
	 */
	if ((t->state == SUM_RUNNING || t->state == SUM_WAITING) &&
	    sum_certain(s, t->since, ev->ts))
		return;
	move(s, t, SUM_WAITING, ev, ev->ts, t->state == SUM_BLOCKED);
	t->preempted = false;
	t->waker = ev->tid;
	t->by_irq = ev->flags & DEVTRACE_F_CONTEXT;
}

/*
 * A thread that was not the first of its process called exec(), and so becomes the first thread
 * and gets its tid.
 */
static void renumbered(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t, *old;
	int64_t tid;

	if (!sum_int(ev, 0, &tid) || tid <= 0 || tid > UINT32_MAX || (uint32_t)tid == ev->tid)
		return;
	old = sum_task(s, (uint32_t)tid);
	t = sum_task(s, ev->tid);
	if (!t || !old)
		return;
	if (t->call)
		t->call->untimed++;
	t->call = old->call;
	t->call_ts = old->call_ts;
	old->call = NULL;
	move(s, t, old->state, ev, ev->ts, false);
	t->since = old->since;
	old->state = SUM_UNKNOWN;
}

static void left(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t = sum_task(s, ev->tid);

	if (t && t->call)
		t->call->untimed++;
	if (t)
		t->call = NULL;
}

void sum_sched(struct sum *s, const struct devtrace_event *ev)
{
	switch (ev->type) {
	case DEVTRACE_T_SCHED_SWITCH:
		switched_out(s, ev);
		switched_in(s, ev);
		break;
	case DEVTRACE_T_SCHED_WAKING:
	case DEVTRACE_T_SCHED_WAKEUP:
	case DEVTRACE_T_SCHED_WAKEUP_NEW:
		woken(s, ev);
		break;
	case DEVTRACE_T_SCHED_EXEC:
		renumbered(s, ev);
		break;
	case DEVTRACE_T_SCHED_EXIT:
		left(s, ev);
		break;
	}
}

void sum_tasks_end(struct sum *s)
{
	struct sum_task *t;
	size_t i;

	for (i = 0; i < SUM_HASH; i++) {
		for (t = s->tasks[i]; t; t = t->next) {
			t->work = 0;
			if (t->call)
				t->call->untimed++;
			t->call = NULL;
			move(s, t, SUM_UNKNOWN, NULL, s->last, true);
		}
	}
}
