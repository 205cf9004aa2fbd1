// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum_machine_print.c - print the machines, queues, pools and timers of --summary
 *
 * If the stream has no events of QP or RKH, nothing is printed. Text has times in a suitable unit
 * and "-" for an unknown number. JSON has nanoseconds, and omits unknown numbers.
 */
#include <stdlib.h>
#include "common/duration.h"
#include "sum_machine.h"
#include "sum_plot.h"

static void number(struct out *o, uint64_t v, unsigned int width)
{
	const struct out_spec spec = { .width = (uint8_t)width, .digits = OUT_NODIGITS };

	out_int(o, v, false, 10, false, 0, &spec);
	out_char(o, ' ');
}

static void dash(struct out *o, unsigned int width)
{
	out_fill(o, ' ', width - 1);
	OUT_LIT(o, "- ");
}

static void known(struct out *o, bool is, uint64_t v, unsigned int width)
{
	if (is)
		number(o, v, width);
	else
		dash(o, width);
}

static void ns(struct out *o, bool is, uint64_t v, unsigned int width)
{
	if (!is) {
		dash(o, width);
		return;
	}
	out_duration_right(o, v, width);
	out_char(o, ' ');
}

static void name(struct out *o, const char *s)
{
	out_safe(o, s, strlen(s));
}

static void member(struct out *o, const char *key, uint64_t v)
{
	OUT_LIT(o, ",\"");
	out_str(o, key);
	OUT_LIT(o, "\":");
	out_u64(o, v);
}

static void object(struct out *o, bool first, const char *v)
{
	out_str(o, first ? "{\"name\":" : ",{\"name\":");
	out_json(o, v, strlen(v));
}

static uint64_t time_known(const struct sum_machine *s)
{
	uint64_t ns = 0;
	unsigned int i;

	for (i = 0; i < s->nr_states; i++)
		ns += s->states[i].ns;
	return ns;
}

static void machines_text(struct out *o, const struct sum_machines *m)
{
	unsigned int i;

	OUT_LIT(o, "\nState machines; median and max are from post to dispatch\n"
		   "  dispatches  ignored unhandled   median      max longest step name\n");
	for (i = 0; i < m->nr_machines; i++) {
		const struct sum_machine *s = m->machines[i];

		number(o, s->dispatches, 12);
		number(o, s->ignored, 8);
		number(o, s->unhandled, 9);
		ns(o, s->latency.n, sum_times_median(&s->latency), 8);
		ns(o, s->latency.n, s->latency.max, 8);
		ns(o, s->steps.n, s->steps.max, 12);
		name(o, s->name);
		if (s->steps.n) {
			OUT_LIT(o, " (");
			name(o, s->longest_signal);
			out_char(o, ')');
		}
		if (s->refused) {
			OUT_LIT(o, ", refused ");
			out_u64(o, s->refused);
		}
		out_char(o, '\n');
	}
}

static void states_text(struct out *o, const struct sum_machines *m)
{
	unsigned int i, j;

	OUT_LIT(o, "\nStates\n     entered   within     % machine: state\n");
	for (i = 0; i < m->nr_machines; i++) {
		const struct sum_machine *s = m->machines[i];
		const uint64_t all = time_known(s);

		for (j = 0; j < s->nr_states; j++) {
			const struct sum_machine_state *st = &s->states[j];

			number(o, st->entered, 12);
			ns(o, true, st->ns, 8);
			known(o, all,
			      all ? (uint64_t)((double)st->ns * 100 / (double)all + .5) : 0, 5);
			name(o, s->name);
			OUT_LIT(o, ": ");
			name(o, st->name);
			out_char(o, '\n');
		}
	}
}

/* --plot: a histogram for each machine, of the times from post to dispatch. */
static void machines_plot(struct out *o, const struct ti_printer *p, const struct sum_machines *m)
{
	size_t timed = 0;
	unsigned int i;

	for (i = 0; p->opt->plot && i < m->nr_machines; i++) {
		const struct sum_machine *s = m->machines[i];

		if (!s->latency.n || (timed++ >= SUM_PLOTS && !p->opt->verbose))
			continue;
		OUT_LIT(o, "\nPost to dispatch, ");
		name(o, s->name);
		sum_plot(o, p, &s->latency);
	}
	sum_plot_more(o, p->opt->verbose ? timed : SUM_PLOTS, timed);
}

static void machines_json(struct out *o, const struct ti_printer *p, const struct sum_machines *m)
{
	unsigned int i, j;

	OUT_LIT(o, ",\"machines\":[");
	for (i = 0; i < m->nr_machines; i++) {
		const struct sum_machine *s = m->machines[i];

		object(o, !i, s->name);
		member(o, "dispatches", s->dispatches);
		member(o, "ignored", s->ignored);
		member(o, "unhandled", s->unhandled);
		member(o, "posts", s->posts);
		member(o, "refused", s->refused);
		if (s->latency.n) {
			member(o, "latency_median", sum_times_median(&s->latency));
			member(o, "latency_max", s->latency.max);
			if (p->opt->plot)
				sum_plot_json(o, "latency_histogram", &s->latency);
		}
		if (s->steps.n) {
			member(o, "step_median", sum_times_median(&s->steps));
			member(o, "step_max", s->steps.max);
			member(o, "step_max_at", s->steps.max_ts);
			OUT_LIT(o, ",\"step_max_signal\":");
			out_json(o, s->longest_signal, strlen(s->longest_signal));
		}
		OUT_LIT(o, ",\"states\":[");
		for (j = 0; j < s->nr_states; j++) {
			object(o, !j, s->states[j].name);
			member(o, "entered", s->states[j].entered);
			member(o, "within", s->states[j].ns);
			out_char(o, '}');
		}
		OUT_LIT(o, "]}");
	}
	out_char(o, ']');
}

/*
 * Return the highest fill level. RKH reports it. QP reports only free places, so the result is the
 * known capacity minus the smallest number of free places. The capacity of a QP queue is known
 * only after a put into the empty queue; until then the result may be too small.
 */
static int64_t fullest(const struct sum_store *s)
{
	if (s->most_used != FW_NO)
		return s->most_used;
	if (s->room != FW_NO && s->least != FW_NO)
		return s->room - s->least;
	return FW_NO;
}

static bool has(const struct sum_machines *m, bool timers)
{
	unsigned int i;

	for (i = 0; i < m->nr_stores; i++)
		if (m->stores[i].kind == SUM_TIMER ? timers : !timers)
			return true;
	return false;
}

static void stores_text(struct out *o, const struct sum_machines *m)
{
	unsigned int i;

	if (has(m, false))
		OUT_LIT(o, "\nQueues and pools\n         put      taken  least free  fullest  name\n");
	for (i = 0; i < m->nr_stores; i++) {
		const struct sum_store *s = &m->stores[i];
		const int64_t full = fullest(s);

		if (s->kind == SUM_TIMER)
			continue;
		number(o, s->puts, 12);
		number(o, s->gets, 10);
		known(o, s->least != FW_NO, (uint64_t)s->least, 11);
		known(o, full != FW_NO, (uint64_t)full, 8);
		out_str(o, s->kind == SUM_POOL ? " pool " : " queue ");
		name(o, s->name);
		out_char(o, '\n');
	}
	if (has(m, true))
		OUT_LIT(o, "\nTime events\n       armed   disarmed    ran out  name\n");
	for (i = 0; i < m->nr_stores; i++) {
		const struct sum_store *s = &m->stores[i];

		if (s->kind != SUM_TIMER)
			continue;
		number(o, s->puts, 12);
		number(o, s->gets, 10);
		number(o, s->timeouts, 10);
		out_char(o, ' ');
		name(o, s->name);
		out_char(o, '\n');
	}
}

static void stores_json(struct out *o, const struct sum_machines *m)
{
	static const char *const kinds[] = { "queue", "pool", "timer" };
	unsigned int i;

	OUT_LIT(o, ",\"stores\":[");
	for (i = 0; i < m->nr_stores; i++) {
		const struct sum_store *s = &m->stores[i];
		const bool is_timer = s->kind == SUM_TIMER;
		const int64_t full = fullest(s);

		object(o, !i, s->name);
		OUT_LIT(o, ",\"store\":\"");
		out_str(o, kinds[s->kind]);
		out_char(o, '"');
		member(o, is_timer ? "armed" : "put", s->puts);
		member(o, is_timer ? "disarmed" : "taken", s->gets);
		if (is_timer)
			member(o, "timeouts", s->timeouts);
		if (s->least != FW_NO)
			member(o, "least_free", (uint64_t)s->least);
		if (full != FW_NO)
			member(o, "fullest", (uint64_t)full);
		out_char(o, '}');
	}
	out_char(o, ']');
}

void sum_machines_print(struct out *o, const struct ti_printer *p, const struct sum_machines *m)
{
	const unsigned int tables = p->opt->tables &
				    (TI_TABLE_MACHINES | TI_TABLE_STATES | TI_TABLE_QUEUES);

	if ((!m->nr_machines && !m->nr_stores) || !tables)
		return;
	if (p->opt->json) {
		if (tables & (TI_TABLE_MACHINES | TI_TABLE_STATES))
			machines_json(o, p, m);
		if (tables & TI_TABLE_QUEUES)
			stores_json(o, m);
		member(o, "machines_lost", m->lost);
		member(o, "machines_left_out", m->left_out);
		return;
	}
	if ((tables & TI_TABLE_MACHINES) && m->nr_machines) {
		machines_text(o, m);
		machines_plot(o, p, m);
	}
	if ((tables & TI_TABLE_STATES) && m->nr_machines)
		states_text(o, m);
	if (tables & TI_TABLE_QUEUES)
		stores_text(o, m);
	if (m->lost) {
		if (p->opt->plot)
			out_char(o, '\n');
		OUT_LIT(o, "These counts may be too small by ");
		out_u64(o, m->lost);
		OUT_LIT(o, " lost events. Times during\nwhich events were lost are not counted.\n");
	}
	if (m->left_out) {
		out_u64(o, m->left_out);
		OUT_LIT(o, " events of machines are not in these tables: there are too many machines or queues.\n");
	}
}
