// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum_print.c - print --summary as text and JSON
 *
 * Each row shows how losses may have changed it. "lost" is the number of events that may be
 * missing; "untimed" is the number of calls or handlers that have no time; "unknown" is the time
 * for which a thread's state is unknown. Text has times in a suitable unit, and fits 80 columns
 * unless the name at the end of a line is long. JSON has nanoseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include "accuracy.h"
#include "common/duration.h"
#include "sum.h"
#include "sum_machine.h"
#include "sum_plot.h"

#define NS_COLUMNS 8	/* columns of a duration */
#define HOLDERS	3	/* threads printed for one wait, in text */
/* rows of each table in text, unless -v is given */
#define ROWS	20

struct print {
	struct out	*o;
	struct ti_printer *p;
	const struct devtrace_decoder *d;
	const struct sum *s;
	bool		json, first;
};

static void json_number(struct print *t, const char *key, uint64_t v)
{
	out_str(t->o, t->first ? "\"" : ",\"");
	out_str(t->o, key);
	OUT_LIT(t->o, "\":");
	out_u64(t->o, v);
	t->first = false;
}

static void number(struct print *t, const char *key, uint64_t v, unsigned int width)
{
	const struct out_spec spec = { .width = (uint8_t)width, .digits = OUT_NODIGITS };

	if (t->json) {
		json_number(t, key, v);
		return;
	}
	out_int(t->o, v, false, 10, false, 0, &spec);
	out_char(t->o, ' ');
}

static void ns(struct print *t, const char *key, uint64_t v)
{
	if (t->json) {
		json_number(t, key, v);
		return;
	}
	out_duration_right(t->o, v, NS_COLUMNS);
	out_char(t->o, ' ');
}

/* Print how many events were lost. In text, the head of the table has this number. */
static void row_lost(struct print *t)
{
	if (t->json)
		json_number(t, "lost", t->s->lost);
}

/* Print a string. JSON has the key before it; in text the column's head shows its meaning. */
static void string(struct print *t, const char *key, const char *v)
{
	if (t->json) {
		out_str(t->o, t->first ? "\"" : ",\"");
		out_str(t->o, key);
		OUT_LIT(t->o, "\":");
		out_json(t->o, v, strlen(v));
		t->first = false;
	} else {
		out_safe(t->o, v, strlen(v));
	}
}

static void moment(struct print *t, const char *key, uint64_t ts)
{
	if (t->json)
		number(t, key, ts, 0);
	else
		ti_clock_moment(t->o, &t->p->clock, t->d, ts);
}

static void dash(struct print *t, unsigned int width)
{
	out_fill(t->o, ' ', width - 1);
	OUT_LIT(t->o, "- ");
}

/* If no duration is known, minimum and maximum are not printed. */
static void times(struct print *t, const struct sum_times *times, bool call)
{
	bool some = times->n;

	if (!some && t->json)
		return;
	if (call || t->json)
		some ? ns(t, "min", times->min) : dash(t, NS_COLUMNS);
	some ? ns(t, "median", sum_times_median(times)) : dash(t, NS_COLUMNS);
	some ? ns(t, "max", times->max) : dash(t, NS_COLUMNS);
	some ? ns(t, "total", times->total) : dash(t, NS_COLUMNS);
	if (t->json && t->p->opt->plot)
		sum_plot_json(t->o, "histogram", times);
	if (call)
		return;
	if (!some) {
		dash(t, 1);
		return;
	}
	moment(t, "max_at", times->max_ts);
	if (!t->json)
		out_char(t->o, ' ');
}

static void row_begin(struct print *t, size_t i)
{
	if (t->json)
		out_str(t->o, i ? ",{" : "{");
	t->first = true;
}

static void row_end(struct print *t)
{
	out_char(t->o, t->json ? '}' : '\n');
}

/* Begin a table. Return how many of its @rows are printed. */
static size_t table(struct print *t, const char *key, size_t rows, const char *title,
		    const char *head)
{
	if (t->json) {
		OUT_LIT(t->o, ",\"");
		out_str(t->o, key);
		OUT_LIT(t->o, "\":[");
		return rows;
	}
	out_char(t->o, '\n');
	out_str(t->o, title);
	if (!rows) {
		OUT_LIT(t->o, ": no events\n");
		return 0;
	}
	out_char(t->o, '\n');
	if (t->p->color)
		OUT_LIT(t->o, "\033[1m");
	out_str(t->o, head);
	out_str(t->o, t->p->color ? "\033[0m\n" : "\n");
	return rows > ROWS && !t->p->opt->verbose ? ROWS : rows;
}

static void table_end(struct print *t, size_t printed, size_t rows)
{
	if (t->json) {
		out_char(t->o, ']');
	} else if (printed < rows) {
		OUT_LIT(t->o, "and ");
		out_u64(t->o, rows - printed);
		OUT_LIT(t->o, " more; -v prints them\n");
	}
}

static const char *thread_name(struct print *t, uint32_t tid)
{
	const char *name = tid ? devtrace_decoder_proc(t->d, tid, NULL) : "idle";
	const struct sum_task *task;

	if (name)
		return name;
	task = sum_task_known(t->s, tid);
	return task && *task->comm ? task->comm : "?";
}

static void thread(struct print *t, const char *name_key, const char *tid_key, uint32_t tid)
{
	string(t, name_key, thread_name(t, tid));
	if (t->json) {
		number(t, tid_key, tid, 0);
	} else {
		out_char(t->o, '[');
		out_u64(t->o, tid);
		out_char(t->o, ']');
	}
}

static void row_name(struct print *t, const struct sum_row *r)
{
	const char *name = devtrace_decoder_name(t->d, DEVTRACE_T_SIG, 0, r->signal, 0, r->object);
	const char *what = r->object == DEVTRACE_OBJ_SYSCALL ? "" :
			   r->object == DEVTRACE_OBJ_COMPAT ? "compat" :
			   r->object == DEVTRACE_OBJ_IRQ ? "irq" :
			   r->object == DEVTRACE_OBJ_VECTOR ? "vector" :
			   r->object == DEVTRACE_OBJ_SOFTIRQ ? "softirq" : "object";

	if (*r->action)
		name = r->action;
	if (t->json) {
		string(t, "kind", *what ? what : "native");
		number(t, "number", r->signal, 0);
		if (name)
			string(t, "name", name);
		return;
	}
	/* The name of an interrupt vector needs no prefix. */
	if (name && r->object == DEVTRACE_OBJ_VECTOR)
		what = "";
	out_str(t->o, what);
	if (*what)
		out_char(t->o, ' ');
	if (!name || r->object == DEVTRACE_OBJ_IRQ)
		out_u64(t->o, r->signal);
	if (name && r->object == DEVTRACE_OBJ_IRQ)
		out_char(t->o, ' ');
	if (name)
		string(t, "name", name);
}

/* --plot: below a table, a histogram for each of its rows that has durations. */
static void plot_rows(struct print *t, struct sum_row **rows, size_t n)
{
	size_t i, timed = 0;

	for (i = 0; t->p->opt->plot && !t->json && i < n; i++) {
		if (!rows[i]->times.n || (timed++ >= SUM_PLOTS && !t->p->opt->verbose))
			continue;
		out_char(t->o, '\n');
		row_name(t, rows[i]);
		sum_plot(t->o, t->p, &rows[i]->times);
	}
	sum_plot_more(t->o, t->p->opt->verbose ? timed : SUM_PLOTS, timed);
}

static void print_calls(struct print *t, struct sum_row **rows, size_t n)
{
	size_t i, k = table(t, "syscalls", n, "System calls",
		"    count  errors untimed      min   median      max    total name");

	for (i = 0; i < k; i++) {
		const struct sum_row *r = rows[i];

		row_begin(t, i);
		number(t, "count", r->count, 9);
		row_lost(t);
		number(t, "errors", r->errors, 7);
		number(t, "untimed", r->untimed, 7);
		times(t, &r->times, true);
		row_name(t, r);
		row_end(t);
	}
	table_end(t, k, n);
	plot_rows(t, rows, n);
}

static void print_interrupts(struct print *t, struct sum_row **rows, size_t n)
{
	size_t i, k = table(t, "interrupts", n, "Interrupts",
		"   count untimed   median  longest    total longest at, name");

	for (i = 0; i < k; i++) {
		const struct sum_row *r = rows[i];

		row_begin(t, i);
		number(t, "count", r->count, 8);
		row_lost(t);
		number(t, "untimed", r->untimed, 7);
		times(t, &r->times, false);
		row_name(t, r);
		row_end(t);
	}
	table_end(t, k, n);
	plot_rows(t, rows, n);
}

static int compare_tasks(const void *x, const void *y)
{
	const struct sum_task *a = *(struct sum_task *const *)x, *b = *(struct sum_task *const *)y;

	if (a->ns[SUM_RUNNING] != b->ns[SUM_RUNNING])
		return a->ns[SUM_RUNNING] > b->ns[SUM_RUNNING] ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void print_tasks(struct print *t)
{
	struct sum_task **tasks = ti_alloc(NULL, (t->s->nr_tasks + 1) * sizeof(*tasks)), *task;
	size_t i, n = 0, k;

	for (i = 0; i < SUM_HASH; i++)
		for (task = t->s->tasks[i]; task; task = task->next)
			if (task->runs || task->ns[SUM_RUNNING] || task->ns[SUM_WAITING] ||
			    task->ns[SUM_BLOCKED] || task->ns[SUM_UNKNOWN])
				tasks[n++] = task;
	qsort(tasks, n, sizeof(*tasks), compare_tasks);
	k = table(t, "threads", n, "Threads",
		  " running  waiting  blocked  unknown      runs name");
	for (i = 0; i < k; i++) {
		task = tasks[i];
		row_begin(t, i);
		ns(t, "running", task->ns[SUM_RUNNING]);
		ns(t, "waiting", task->ns[SUM_WAITING]);
		ns(t, "blocked", task->ns[SUM_BLOCKED]);
		ns(t, "unknown", task->ns[SUM_UNKNOWN]);
		number(t, "runs", task->runs, 9);
		row_lost(t);
		thread(t, "name", "tid", task->tid);
		row_end(t);
	}
	table_end(t, k, n);
	free(tasks);
}

/* Print the policy and priority in the form of chrt(1) and nice(1). */
static void policy(struct print *t, const struct sum_held *h)
{
	static const char *const names[] = { "deadline", "real time", "normal" };
	unsigned int what = h->prio < 0 ? 0 : h->prio < 100 ? 1 : 2;

	if (!h->tid || !h->prio_known)
		return;
	if (t->json) {
		string(t, "policy", names[what]);
		OUT_LIT(t->o, ",\"prio\":");
		out_i64(t->o, h->prio);
		return;
	}
	OUT_LIT(t->o, " (");
	out_str(t->o, what == 2 ? "nice" : names[what]);
	if (what) {
		out_char(t->o, ' ');
		out_i64(t->o, what == 1 ? 99 - h->prio : h->prio - 120);
	}
	out_char(t->o, ')');
}

static void work(struct print *t, uint64_t fun)
{
	const char *name = fun ? devtrace_decoder_name(t->d, DEVTRACE_T_FUN, 0, 0, 0, fun) : NULL;
	char hex[24];

	if (!fun)
		return;
	if (!name) {
		snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)fun);
		name = hex;
	}
	if (!t->json)
		OUT_LIT(t->o, " work ");
	string(t, "work", name);
}

static void print_held(struct print *t, const struct sum_held *h)
{
	static const char *const in[] = { "thread", "irq", "softirq" };
	bool some = false;
	unsigned int k;

	thread(t, "name", "tid", h->tid);
	work(t, h->work);
	policy(t, h);
	for (k = 0; k < SUM_INS; k++) {
		if (t->json) {
			json_number(t, in[k], h->ns[k]);
		} else if (h->ns[k]) {
			out_str(t->o, some ? ", " : ": ");
			if (k) {
				out_str(t->o, in[k]);
				out_char(t->o, ' ');
			}
			out_duration(t->o, h->ns[k]);
			some = true;
		}
	}
}

static uint64_t held_ns(const struct sum_held *h)
{
	return h->ns[SUM_IN_THREAD] + h->ns[SUM_IN_IRQ] + h->ns[SUM_IN_SOFTIRQ];
}

/* Print the threads that were current on the CPU during a wait; in text at most three. */
static void print_meanwhile(struct print *t, const struct sum_delay *d)
{
	const struct sum_meanwhile *m = d->meanwhile;
	unsigned int i, n = m ? m->nr : 0;
	uint64_t others = m ? m->others : 0, unknown = d->ns - others;

	if (t->json) {
		if (m)
			number(t, "meanwhile_cpu", m->cpu, 0);
		OUT_LIT(t->o, ",\"meanwhile\":[");
	}
	for (i = 0; i < n; i++) {
		unknown -= held_ns(&m->held[i]);
		if (t->json) {
			row_begin(t, i);
			print_held(t, &m->held[i]);
			out_char(t->o, '}');
		} else if (i < HOLDERS) {
			OUT_LIT(t->o, "\n           ");
			print_held(t, &m->held[i]);
		} else {
			others += held_ns(&m->held[i]);
		}
	}
	if (t->json) {
		out_char(t->o, ']');
		t->first = false;
		number(t, "meanwhile_others", others, 0);
		number(t, "meanwhile_unknown", unknown, 0);
		return;
	}
	if (others) {
		OUT_LIT(t->o, "\n           others: ");
		out_duration(t->o, others);
	}
	if (unknown && m) {
		OUT_LIT(t->o, "\n           not known: ");
		out_duration(t->o, unknown);
	}
}

/* Print why the thread had to wait, and which thread or interrupt handler woke it. */
static void print_why(struct print *t, const struct sum_delay *d, bool blocked)
{
	const bool woken = !d->preempted && !(blocked && d->open);

	if (t->json) {
		string(t, "why", !woken ? blocked ? "not woken" : "preempted" :
					  d->by_irq ? "interrupt" : "woken");
		if (woken)
			thread(t, "waker_name", "waker", d->waker);
		out_str(t->o, d->open ? ",\"ended\":false" : ",\"ended\":true");
		return;
	}
	OUT_LIT(t->o, "\n         ");
	out_str(t->o, !woken ? blocked ? "not woken" : "preempted" :
			       d->by_irq ? "woken by an interrupt of " : "woken by ");
	if (woken)
		thread(t, "waker_name", "waker", d->waker);
	if (d->open)
		OUT_LIT(t->o, "; still so when the trace ends");
	if (!d->meanwhile)
		return;
	OUT_LIT(t->o, "; meanwhile");
	if (d->meanwhile->cpu != d->cpu) {
		OUT_LIT(t->o, " on cpu ");
		out_u64(t->o, d->meanwhile->cpu);
	}
	out_char(t->o, ':');
}

static void print_longest(struct print *t, const struct sum_longest *l, bool blocked)
{
	size_t i, k = blocked ?
		table(t, "blocked", l->nr, "Longest blocked",
		      " blocked cpu from, thread, in which call") :
		table(t, "delays", l->nr, "Longest waits for a CPU",
		      "  waited cpu from, thread");

	for (i = 0; i < k; i++) {
		const struct sum_delay *d = &l->delays[i];

		row_begin(t, i);
		ns(t, blocked ? "blocked" : "waited", d->ns);
		row_lost(t);
		number(t, "cpu", d->cpu, 3);
		moment(t, "from", d->ts);
		if (!t->json)
			out_char(t->o, ' ');
		thread(t, "name", "tid", d->tid);
		if (d->call && t->json) {
			OUT_LIT(t->o, ",\"call\":{");
			t->first = true;
			row_name(t, d->call);
			out_char(t->o, '}');
		} else if (d->call) {
			OUT_LIT(t->o, " in ");
			row_name(t, d->call);
		}
		print_why(t, d, blocked);
		print_meanwhile(t, d);
		row_end(t);
	}
	table_end(t, k, l->nr);
}

/* Print how exact the wall clock was at the last event, if the stream says so. */
static void print_accuracy(struct print *t)
{
	uint64_t error;

	if (devtrace_decoder_error(t->d, t->s->last, &error) == DEVTRACE_SYNC_UNKNOWN)
		return;
	if (t->json) {
		ti_accuracy_json(t->o, t->d, t->s->last);
		return;
	}
	OUT_LIT(t->o, "wall clock: ");
	ti_accuracy_text(t->o, t->p, t->d, t->s->last);
	out_char(t->o, '\n');
}

static void print_head(struct print *t, const char *input)
{
	const struct sum *s = t->s;

	if (t->json) {
		OUT_LIT(t->o, "{\"kind\":\"summary\"");
		t->first = false;
		string(t, "input", input);
		moment(t, "from", s->first);
		moment(t, "to", s->last);
		number(t, "events", s->events, 0);
		number(t, "profile_events", s->profile, 0);
		number(t, "lost", s->lost, 0);
		number(t, "lost_before", s->lost_before, 0);
		number(t, "lost_after", s->lost_after, 0);
		number(t, "lost_lanes", s->lost_lanes, 0);
		number(t, "left_out", s->left_out, 0);
		print_accuracy(t);
		return;
	}
	string(t, "input", input);
	if (!s->events) {
		OUT_LIT(t->o, ": no events\n");
		return;
	}
	OUT_LIT(t->o, ": ");
	moment(t, "from", s->first);
	OUT_LIT(t->o, " to ");
	moment(t, "to", s->last);
	OUT_LIT(t->o, "\n");
	print_accuracy(t);
	number(t, "events", s->events, 0);
	OUT_LIT(t->o, "events, ");
	number(t, "profile_events", s->profile, 0);
	OUT_LIT(t->o, "of them kernel profile events, ");
	number(t, "lost", s->lost, 0);
	OUT_LIT(t->o, "lost meanwhile\n");
	if (s->lost)
		OUT_LIT(t->o, "Each count may be too small by the number of lost events. Calls, handlers and\nstates during which events were lost are not in the times.\n");
	if (s->lost_after) {
		number(t, "lost_after", s->lost_after, 0);
		OUT_LIT(t->o, "events were lost after the last event read; no row needs them.\n");
	}
	if (s->lost_lanes) {
		number(t, "lost_lanes", s->lost_lanes, 0);
		OUT_LIT(t->o, "events were lost in lanes of programs; the tables do not use such events.\n");
	}
	if (s->left_out) {
		number(t, "left_out", s->left_out, 0);
		OUT_LIT(t->o, "events are not in the tables: there are too many different calls or handlers.\n");
	}
}

void ti_sum_print(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct sum *s, const char *input)
{
	struct print t = { .o = o, .p = p, .d = d, .s = s, .json = p->opt->json };
	struct sum_row **rows = ti_alloc(NULL, (s->nr_rows + 1) * sizeof(*rows)), *r;
	const unsigned int tables = p->opt->tables;
	size_t i, n = 0, calls = 0;

	for (i = 0; i < SUM_HASH; i++)
		for (r = s->rows[i]; r; r = r->next) {
			rows[n++] = r;
			calls += sum_row_is_call(r);
		}
	qsort(rows, n, sizeof(*rows), sum_row_compare);
	print_head(&t, input);
	if (t.json || s->events) {
		if (tables & TI_TABLE_SYSCALLS)
			print_calls(&t, rows, calls);
		if (tables & TI_TABLE_INTERRUPTS)
			print_interrupts(&t, rows + calls, n - calls);
		if (tables & TI_TABLE_THREADS)
			print_tasks(&t);
		if (tables & TI_TABLE_WAITS) {
			print_longest(&t, &s->waits, false);
			print_longest(&t, &s->blocks, true);
			sum_plot_wakeups(o, p, s);
		}
		sum_machines_print(o, p, s->machines);
	}
	if (t.json)
		OUT_LIT(o, "}\n");
	free(rows);
}
