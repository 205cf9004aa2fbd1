// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum.c - --summary: system calls, interrupts, and the effect of losses on them
 *
 * A system call begins and ends in the same thread. An interrupt begins and ends on the same CPU,
 * where it may be interrupted by another one.
 */
#include <stdlib.h>
#include "sum.h"
#include "sum_machine.h"

static size_t bucket(uint64_t ns)
{
	unsigned int e;

	if (ns < 128)
		return ns;
	e = 63 - __builtin_clzll(ns);
	if (e > 39)
		return SUM_BUCKETS - 1;
	return 128 + (e - 7) * 64 + (ns >> (e - 6) & 63);
}

/* The middle of a bucket. */
static uint64_t bucket_ns(uint64_t i)
{
	unsigned int e = 7 + (i - 128) / 64;

	if (i < 128)
		return i;
	return ((64 + i % 64) << (e - 6)) + (1ull << (e - 6)) / 2;
}

void sum_times_add(struct sum_times *t, uint64_t ns, uint64_t ts)
{
	if (!t->buckets) {
		t->buckets = ti_alloc(NULL, SUM_BUCKETS * sizeof(*t->buckets));
		memset(t->buckets, 0, SUM_BUCKETS * sizeof(*t->buckets));
	}
	t->buckets[bucket(ns)]++;
	if (!t->n || ns < t->min)
		t->min = ns;
	if (!t->n || ns > t->max) {
		t->max = ns;
		t->max_ts = ts;
	}
	t->total += ns;
	t->n++;
}

uint64_t sum_times_percentile(const struct sum_times *t, unsigned int percent)
{
	/* The smallest number of durations that are at least @percent of all */
	const uint64_t rank = t->n / 100 * percent + (t->n % 100 * percent + 99) / 100;
	uint64_t seen = 0, ns = 0;
	size_t i;

	for (i = 0; t->n && i < SUM_BUCKETS; i++) {
		seen += t->buckets[i];
		if (seen >= rank)
			break;
	}
	if (t->n)
		ns = bucket_ns(i);
	return ns < t->min ? t->min : ns > t->max ? t->max : ns;
}

void sum_times_powers(const struct sum_times *t, uint64_t v[SUM_POWERS])
{
	uint64_t ns;
	size_t i;

	memset(v, 0, SUM_POWERS * sizeof(*v));
	for (i = 0; t->n && i < SUM_BUCKETS; i++) {
		ns = bucket_ns(i);
		v[ns ? 64 - __builtin_clzll(ns) : 0] += t->buckets[i];
	}
}

bool sum_elem(const struct devtrace_event *ev, unsigned int n, struct devtrace_elem *e)
{
	size_t pos = 0;

	do {
		if (devtrace_elem_next(ev->data, ev->len, &pos, e) != 1)
			return false;
	} while (n--);
	return true;
}

bool sum_int(const struct devtrace_event *ev, unsigned int n, int64_t *v)
{
	struct devtrace_elem e;

	if (!sum_elem(ev, n, &e))
		return false;
	if (e.is_enum) {
		*v = (int64_t)e.v.u;
		return true;
	}
	switch (e.type) {
	case DEVTRACE_E_I8:
	case DEVTRACE_E_I16:
	case DEVTRACE_E_I32:
	case DEVTRACE_E_I64:
		*v = e.v.i;
		return true;
	case DEVTRACE_E_U8:
	case DEVTRACE_E_U16:
	case DEVTRACE_E_U32:
	case DEVTRACE_E_U64:
	case DEVTRACE_E_X32:
		*v = (int64_t)e.v.u;
		return true;
	}
	return false;
}

bool sum_string(const struct devtrace_event *ev, unsigned int n, char *s, size_t size)
{
	struct devtrace_elem e;
	size_t len;

	if (!sum_elem(ev, n, &e) || e.is_enum || e.type != DEVTRACE_E_STR)
		return false;
	len = e.v.mem.len < size - 1 ? e.v.mem.len : size - 1;
	memcpy(s, e.v.mem.p, len);
	s[len] = 0;
	return true;
}

/* Find or add the row of a system call or interrupt. Return NULL if the table is full. */
static struct sum_row *row(struct sum *s, const struct devtrace_event *ev, const char *action)
{
	const uint64_t hash = hash_string(&s->key, (uint64_t)ev->object << 16 | ev->signal, action);
	struct sum_row **at, *r;

	at = &s->rows[hash % SUM_HASH];
	for (r = *at; r; r = r->next)
		if (r->object == ev->object && r->signal == ev->signal &&
		    !strcmp(r->action, action))
			return r;
	if (s->nr_rows == SUM_ROWS) {
		s->left_out++;
		return NULL;
	}
	r = ti_alloc(NULL, sizeof(*r));
	memset(r, 0, sizeof(*r));
	r->object = ev->object;
	r->signal = ev->signal;
	strcpy(r->action, action);
	r->next = *at;
	*at = r;
	s->nr_rows++;
	return r;
}

bool sum_row_is_call(const struct sum_row *r)
{
	return r->object == DEVTRACE_OBJ_SYSCALL || r->object == DEVTRACE_OBJ_COMPAT;
}

static int by_number(const struct sum_row *a, const struct sum_row *b)
{
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->signal != b->signal)
		return a->signal < b->signal ? -1 : 1;
	return strcmp(a->action, b->action);
}

int sum_row_compare(const void *x, const void *y)
{
	const struct sum_row *a = *(struct sum_row *const *)x, *b = *(struct sum_row *const *)y;

	if (sum_row_is_call(a) != sum_row_is_call(b))
		return sum_row_is_call(a) ? -1 : 1;
	if (sum_row_is_call(a) && a->times.total != b->times.total)
		return a->times.total > b->times.total ? -1 : 1;
	if (!sum_row_is_call(a) && a->times.max != b->times.max)
		return a->times.max > b->times.max ? -1 : 1;
	return by_number(a, b);
}

/* Finished times, and losses. */

bool sum_certain(const struct sum *s, uint64_t from, uint64_t to)
{
	unsigned int i;

	if (from <= s->loss || to < from)
		return false;
	for (i = 0; i < s->nr_losses; i++)
		if (s->losses[i].from <= to && s->losses[i].to >= from)
			return false;
	return true;
}

static void count_oldest(struct sum *s)
{
	const struct sum_span *span = &s->late[s->late_begin++ % SUM_LATE];
	bool certain = sum_certain(s, span->from, span->to);

	if (!span->row)
		sum_task_span(s, span, certain);
	else if (certain)
		sum_times_add(&span->row->times, span->to - span->from, span->from);
	else
		span->row->untimed++;
}

void sum_late(struct sum *s, const struct sum_span *span)
{
	if (s->late_end - s->late_begin == SUM_LATE)
		count_oldest(s);
	s->late[s->late_end++ % SUM_LATE] = *span;
}

static void timed(struct sum *s, struct sum_row *r, uint64_t from, uint64_t to)
{
	const struct sum_span span = { .from = from, .to = to, .row = r };

	sum_late(s, &span);
}

static void call_enter(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t = sum_task(s, ev->tid);
	struct sum_row *r = row(s, ev, "");

	if (r)
		r->count++;
	if (!t) {
		if (r)
			r->untimed++;
		return;
	}
	/* The previous call has not returned, or its return was lost. */
	if (t->call)
		t->call->untimed++;
	t->call = r;
	t->call_ts = ev->ts;
}

static void call_exit(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_task *t = sum_task(s, ev->tid);
	struct sum_row *r = row(s, ev, "");
	int64_t ret;

	if (r && sum_int(ev, 0, &ret) && ret < 0 && ret >= -4095)
		r->errors++;
	if (t && t->call && t->call == r) {
		timed(s, r, t->call_ts, ev->ts);
		t->call = NULL;
		return;
	}
	/* After this call another one began; the return of that call was lost. */
	if (t && t->call)
		t->call->untimed++;
	if (t)
		t->call = NULL;
	if (r) {
		r->count++;
		r->untimed++;
	}
}

/*
 * Forget the unfinished handlers on this CPU from the n-th on (the outermost handler is the 0th).
 */
static void cut_off(struct sum_cpu *c, unsigned int n)
{
	while (c->depth > n)
		if (c->in[--c->depth].row)
			c->in[c->depth].row->untimed++;
}

/* Remove only the n-th handler. */
static void take_out(struct sum_cpu *c, unsigned int n)
{
	c->depth--;
	memmove(&c->in[n], &c->in[n + 1], (c->depth - n) * sizeof(c->in[0]));
}

static void irq_entry(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_cpu *c;
	struct sum_row *r;
	char action[sizeof(r->action)] = "";
	unsigned int i;

	if (ev->type != DEVTRACE_T_SOFTIRQ_ENTRY)
		sum_string(ev, 0, action, sizeof(action));
	r = row(s, ev, action);
	if (r)
		r->count++;
	if (ev->source >= SUM_CPUS) {
		if (r)
			r->untimed++;
		return;
	}
	c = &s->cpus[ev->source];
	/*
	 * A handler cannot interrupt itself. If it is still listed as running, the end of its
	 * previous run is missing: that event was lost, or was not traced yet, because types are
	 * turned on one after the other. Handlers that interrupted the previous run may still run.
	 */
	for (i = 0; i < c->depth; i++) {
		if (c->in[i].row != r)
			continue;
		if (r)
			r->untimed++;
		take_out(c, i);
		break;
	}
	if (c->depth == SUM_NEST)
		cut_off(c, 0);
	c->in[c->depth].row = r;
	c->in[c->depth++].ts = ev->ts;
}

static void irq_exit(struct sum *s, const struct devtrace_event *ev)
{
	struct sum_cpu *c = ev->source < SUM_CPUS ? &s->cpus[ev->source] : NULL;
	char name[sizeof(((struct sum_row *)NULL)->action)] = "";
	struct sum_row *r;
	unsigned int i;

	if (ev->type == DEVTRACE_T_VECTOR_EXIT)
		sum_string(ev, 0, name, sizeof(name));
	for (i = c ? c->depth : 0; i; i--) {
		r = c->in[i - 1].row;
		if (!r || r->object != ev->object || r->signal != ev->signal ||
		    (*name && strcmp(r->action, name)))
			continue;
		/*
		 * End all handlers that are nested in this one. After a loss, keep them: this end
		 * may belong to another run of the handler, which began during the loss.
		 */
		if (sum_certain(s, c->in[i - 1].ts, ev->ts))
			cut_off(c, i);
		timed(s, r, c->in[i - 1].ts, ev->ts);
		take_out(c, i - 1);
		return;
	}
	/*
	 * The begin of the handler is missing, and with it the name of the device's handler: use
	 * the row without this name.
	 */
	r = row(s, ev, name);
	if (r) {
		r->count++;
		r->untimed++;
	}
}

/*
 * Add a loss. If the table is full, drop the oldest loss, and then count all times as uncertain
 * that begin before the end of the dropped one.
 */
static void add_loss(struct sum *s, const struct sum_loss *loss)
{
	unsigned int i, oldest = 0;

	if (s->nr_losses < SUM_LOSSES) {
		s->losses[s->nr_losses++] = *loss;
		return;
	}
	for (i = 1; i < SUM_LOSSES; i++)
		if (s->losses[i].to < s->losses[oldest].to)
			oldest = i;
	if (loss->to <= s->losses[oldest].to) {
		if (loss->to > s->loss)
			s->loss = loss->to;
		return;
	}
	if (s->losses[oldest].to > s->loss)
		s->loss = s->losses[oldest].to;
	s->losses[oldest] = *loss;
}

/* The first event of a stream: losses before it do not count. */
static void begin(struct sum *s, uint64_t ts)
{
	unsigned int i;

	s->begun = true;
	if (!s->events)
		s->first = ts;
	for (i = 0; i < s->nr_early; i++) {
		if (s->early[i].to < ts) {
			s->lost_before += s->early[i].count;
		} else {
			s->lost += s->early[i].count;
			/* unknown time: before this event */
			if (s->early[i].to == UINT64_MAX)
				s->early[i].to = ts;
			add_loss(s, &s->early[i]);
		}
	}
	memset(s->early, 0, sizeof(s->early));
	s->nr_early = 0;
}

/* Another stream begins: end all calls, handlers and states that are in progress. */
static void stop(struct sum *s)
{
	unsigned int i;

	sum_machines_end(s->machines, s->last);
	sum_tasks_end(s);
	for (i = 0; i < SUM_CPUS; i++)
		cut_off(&s->cpus[i], 0);
	for (i = 0; i < SUM_CPUS; i++)
		s->cpus[i].nr_parts = s->cpus[i].level = 0;
	while (s->late_begin != s->late_end)
		count_oldest(s);
	s->lost_after += s->pending;
	s->pending = 0;
	s->begun = false;
	s->loss = 0;
	s->nr_losses = 0;
}

void sum_event(struct sum *s, const struct devtrace_event *ev, bool of_lane)
{
	if (!s->begun)
		begin(s, ev->ts);
	s->last = ev->ts;
	s->events++;
	if (s->pending && ev->ts > s->pending_ts) {
		s->lost += s->pending;
		s->pending = 0;
	}
	if (of_lane || ev->type < DEVTRACE_T_KERNEL || ev->type >= DEVTRACE_T_ADDED)
		return;
	s->profile++;
	sum_held_event(s, ev);
	switch (ev->type) {
	case DEVTRACE_T_SYS_ENTER:
		call_enter(s, ev);
		break;
	case DEVTRACE_T_SYS_EXIT:
		call_exit(s, ev);
		break;
	case DEVTRACE_T_IRQ_ENTRY:
	case DEVTRACE_T_VECTOR_ENTRY:
	case DEVTRACE_T_SOFTIRQ_ENTRY:
		irq_entry(s, ev);
		break;
	case DEVTRACE_T_IRQ_EXIT:
	case DEVTRACE_T_VECTOR_EXIT:
	case DEVTRACE_T_SOFTIRQ_EXIT:
		irq_exit(s, ev);
		break;
	default:
		sum_sched(s, ev);
	}
}

/*
 * Count a loss, unless it is later than the stream's last event: the summary ends with that event.
 * In a stopped stream, unfinished events may still be stored after the loss began, so only an
 * event after the end of the loss shows that the stream continued.
 */
static void loss_in_time(struct sum *s, const struct sum_loss *l, bool stopped)
{
	uint64_t ts = stopped ? l->to : l->from;

	if (ts <= s->last) {
		s->lost += l->count;
		return;
	}
	if (!s->pending || ts < s->pending_ts)
		s->pending_ts = ts;
	s->pending += l->count;
}

static void loss(struct sum *s, uint64_t count, uint64_t from, uint64_t to, bool stopped)
{
	struct sum_loss *e, l = { count, from, to };

	if (s->begun) {
		/* The time of the loss is unknown, but the loss was before the next event. */
		if (!to)
			l.to = s->last;
		loss_in_time(s, &l, stopped);
		add_loss(s, &l);
		return;
	}
	if (s->nr_early < SUM_EARLY)
		s->nr_early++;
	e = &s->early[s->nr_early - 1];
	e->count += count;
	e->from = 0;
	if (to > e->to || !to)
		e->to = to ? to : UINT64_MAX;
}

void sum_item(struct sum *s, const struct devtrace_item *item, bool of_lane)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		sum_machines_forget(s->machines, item->u.lost.count);
		if (of_lane)
			s->lost_lanes += item->u.lost.count;
		else
			loss(s, item->u.lost.count, item->u.lost.from, item->u.lost.to,
			     item->u.lost.cause == DEVTRACE_LOST_STOPPED);
		break;
	case DEVTRACE_ITEM_GAP:
		sum_machines_forget(s->machines, item->u.gap.count);
		loss(s, item->u.gap.count, 0, 0, false);
		break;
	case DEVTRACE_ITEM_INFO:
		if (item->u.info.reason == DEVTRACE_INFO_OPEN ||
		    item->u.info.reason == DEVTRACE_INFO_SEEK)
			stop(s);
		break;
	default:
		break;
	}
}

void sum_end(struct sum *s)
{
	unsigned int i;

	stop(s);
	/* These losses have no event after them. */
	for (i = 0; i < s->nr_early; i++)
		s->lost_before += s->early[i].count;
}

struct sum *sum_new(void)
{
	struct sum *s = ti_alloc(NULL, sizeof(*s));

	memset(s, 0, sizeof(*s));
	hash_key_init(&s->key);
	s->late = ti_alloc(NULL, SUM_LATE * sizeof(*s->late));
	s->machines = sum_machines_new();
	return s;
}

void sum_free(struct sum *s)
{
	size_t i;

	for (i = 0; s && i < SUM_HASH; i++) {
		while (s->rows[i]) {
			struct sum_row *r = s->rows[i];

			s->rows[i] = r->next;
			free(r->times.buckets);
			free(r);
		}
		while (s->tasks[i]) {
			struct sum_task *t = s->tasks[i];

			s->tasks[i] = t->next;
			free(t);
		}
	}
	for (i = 0; s && i < SUM_CPUS; i++)
		free(s->cpus[i].parts);
	for (i = 0; s && i < s->waits.nr; i++)
		free(s->waits.delays[i].meanwhile);
	for (i = 0; s && i < s->blocks.nr; i++)
		free(s->blocks.delays[i].meanwhile);
	if (s) {
		free(s->late);
		free(s->wakeups.buckets);
		sum_machines_free(s->machines);
	}
	free(s);
}
