// SPDX-License-Identifier: GPL-2.0-only
/*
 * chrome.c - JSON of Chrome's trace viewer, which speedscope and Perfetto can read, too
 *
 * Times are in microseconds with three decimals. Each event becomes an instant event, whose "args"
 * have the values of traceinfo --json. A SCHED_SWITCH also becomes a slice of the thread that
 * leaves the CPU, in a process named "CPUs".
 */
#include <stdlib.h>
#include "common/severity.h"
#include "view.h"

#define CHROME_CPUS	0x7fffffff	/* the process whose threads are CPUs */

struct chrome {
	struct view	*view;
	bool		any;
	struct view_seen *seen;
	struct out	name, text;
};

static void chrome_begin(struct chrome *c, const char *phase)
{
	struct out *o = &c->view->out;

	out_str(o, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	c->any = true;
	out_str(o, phase);
	out_char(o, '"');
}

static void chrome_num(struct out *o, const char *key, uint64_t v)
{
	out_str(o, key);
	out_u64(o, v);
}

static void chrome_str(struct out *o, const char *key, const char *s, size_t len)
{
	out_str(o, key);
	out_json(o, s, len);
}

static void chrome_us(struct out *o, const char *key, uint64_t ns)
{
	out_str(o, key);
	out_u64(o, ns / 1000);
	out_char(o, '.');
	out_char(o, (char)('0' + ns / 100 % 10));
	out_char(o, (char)('0' + ns / 10 % 10));
	out_char(o, (char)('0' + ns % 10));
}

/*
 * Return a process ID that is unique for each machine: those of the second machine begin at 2^32.
 */
static uint64_t chrome_pid(const struct chrome *c, uint32_t pid)
{
	return (uint64_t)c->view->machine->nr << 32 | pid;
}

static void chrome_name(struct chrome *c, const char *what, uint64_t pid, uint64_t tid,
			const char *name)
{
	struct out *o = &c->view->out;

	chrome_begin(c, "M");
	chrome_str(o, ",\"name\":", what, strlen(what));
	chrome_num(o, ",\"pid\":", pid);
	chrome_num(o, ",\"tid\":", tid);
	chrome_str(o, ",\"args\":{\"name\":", name, strlen(name));
	OUT_LIT(o, "}}");
}

struct chrome_args {
	struct out	*o;
	bool		any;
};

static void chrome_arg(void *ctx, const struct ti_arg *a)
{
	struct chrome_args *s = ctx;

	view_json_arg(s->o, s->any, a);
	s->any = true;
}

static void chrome_args(struct chrome *c, const struct ti_event *e)
{
	struct chrome_args s = { .o = &c->view->out };
	struct devtrace_elem text;
	struct ti_arg a = { .name = "text", .name_len = 4, .kind = TI_ARG_STR };

	OUT_LIT(s.o, ",\"args\":{");
	ti_args_text(&c->text, e);
	if (!ti_event_line(e, &text))
		ti_args(e, chrome_arg, &s);
	a.str = c->text.buf;
	a.len = c->text.len - 1;
	chrome_arg(&s, &a);
	out_char(s.o, '}');
}

/* Print the process and thread of an event; for an event of an interrupt, the CPU. */
static void chrome_place(struct chrome *c, const struct ti_event *e)
{
	struct out *o = &c->view->out;

	if (ti_event_interrupted(e) || !e->ev->tid) {
		chrome_num(o, ",\"pid\":", chrome_pid(c, CHROME_CPUS));
		chrome_num(o, ",\"tid\":", e->ev->source);
		return;
	}
	chrome_num(o, ",\"pid\":", chrome_pid(c, e->tgid ? e->tgid : e->ev->tid));
	chrome_num(o, ",\"tid\":", e->ev->tid);
}

static void chrome_cpus(struct chrome *c)
{
	uint64_t *seen = view_seen(c->seen, chrome_pid(c, CHROME_CPUS));

	if (*seen)
		return;
	*seen = 1;
	chrome_name(c, "process_name", chrome_pid(c, CHROME_CPUS), 0, "CPUs");
}

/* Print a slice for the thread that leaves the CPU, from the previous switch to this one. */
static void chrome_ran(struct chrome *c, const struct ti_event *e)
{
	const uint64_t key = 1ull << 63 | chrome_pid(c, e->ev->source);
	const char *name = ti_event_process(e);
	const uint64_t time = view_time(c->view, e->ev->ts);
	uint64_t *since;
	struct out *o = &c->view->out;

	if (e->ev->type != DEVTRACE_T_SCHED_SWITCH || ti_event_lane(e) >= 0)
		return;
	since = view_seen(c->seen, key);
	if (*since && *since <= time && e->ev->tid) {
		chrome_begin(c, "X");
		chrome_str(o, ",\"name\":", name ? name : "?", name ? strlen(name) : 1);
		chrome_us(o, ",\"ts\":", *since);
		chrome_us(o, ",\"dur\":", time - *since);
		chrome_num(o, ",\"pid\":", chrome_pid(c, CHROME_CPUS));
		chrome_num(o, ",\"tid\":", e->ev->source);
		chrome_num(o, ",\"args\":{\"tid\":", e->ev->tid);
		OUT_LIT(o, "}}");
	}
	*view_seen(c->seen, key) = time;
}

/* Return the phase: "B" or "E" if the event begins or ends a --slice, else "i" for an instant. */
static const char *chrome_phase(const struct chrome *c, const char *name)
{
	const struct ti_picks *picks = &c->view->opt->slices;
	unsigned int i;

	for (i = 0; i < picks->n; i++) {
		if (!strcmp(picks->v[i].first, name))
			return "B";
		if (!strcmp(picks->v[i].second, name))
			return "E";
	}
	return "i";
}

static void chrome_counters(struct chrome *c, const struct ti_event *e, const char *name)
{
	const struct ti_picks *picks = &c->view->opt->counters;
	struct out *o = &c->view->out;
	struct ti_arg value;
	unsigned int i;

	for (i = 0; i < picks->n; i++) {
		struct chrome_args s = { .o = o };

		if (!ti_pick_value(&picks->v[i], name, e, &value))
			continue;
		chrome_begin(c, "C");
		chrome_str(o, ",\"name\":", picks->v[i].word, strlen(picks->v[i].word));
		chrome_us(o, ",\"ts\":", view_time(c->view, e->ev->ts));
		chrome_num(o, ",\"pid\":", chrome_pid(c, e->tgid ? e->tgid : e->ev->tid));
		OUT_LIT(o, ",\"args\":{");
		chrome_arg(&s, &value);
		OUT_LIT(o, "}}");
	}
}

static void chrome_event(struct view *v, const struct ti_event *e)
{
	struct chrome *c = v->state;
	const char *name = ti_args_name(&c->name, e), *phase = chrome_phase(c, name);
	struct out *o = &v->out;

	chrome_cpus(c);
	chrome_begin(c, phase);
	chrome_str(o, ",\"name\":", name, strlen(name));
	if (e->ev->severity & DEVTRACE_SEV_SET) {
		OUT_LIT(o, ",\"cat\":\"sev:");
		out_str(o, severity_name(e->ev->severity));
		out_char(o, '"');
	}
	chrome_us(o, ",\"ts\":", view_time(v, e->ev->ts));
	chrome_place(c, e);
	if (*phase == 'i')
		OUT_LIT(o, ",\"s\":\"t\"");
	chrome_args(c, e);
	out_char(o, '}');
	chrome_ran(c, e);
	chrome_counters(c, e, name);
}

static void chrome_loss(struct chrome *c, const char *name, uint64_t time, uint64_t count)
{
	struct out *o = &c->view->out;

	chrome_begin(c, "i");
	chrome_str(o, ",\"cat\":\"lost\",\"name\":", name, strlen(name));
	chrome_us(o, ",\"ts\":", time);
	chrome_num(o, ",\"pid\":", chrome_pid(c, CHROME_CPUS));
	OUT_LIT(o, ",\"tid\":0,\"s\":\"g\",\"args\":{\"count\":");
	out_u64(o, count);
	OUT_LIT(o, "}}");
}

static void chrome_item(struct view *v, const struct devtrace_item *item)
{
	struct chrome *c = v->state;
	const struct devtrace_proc *p = &item->u.proc;
	const struct devtrace_lost *l = &item->u.lost;

	switch (item->kind) {
	case DEVTRACE_ITEM_PROC:
		if (p->tid == p->tgid || !p->tgid)
			chrome_name(c, "process_name", chrome_pid(c, p->tid), p->tid, p->name);
		chrome_name(c, "thread_name", chrome_pid(c, p->tgid ? p->tgid : p->tid), p->tid,
			    p->name);
		break;
	case DEVTRACE_ITEM_LOST:
		chrome_loss(c, ti_lost_cause(l->cause), l->to ? view_time(v, l->to) : v->last,
			    l->count);
		break;
	case DEVTRACE_ITEM_GAP:
		chrome_loss(c, "frames missing", v->last, item->u.gap.count);
		break;
	case DEVTRACE_ITEM_DAMAGE:
		chrome_loss(c, "damaged bytes", v->last, item->u.damage.bytes);
		break;
	default:
		break;
	}
}

static void chrome_start(struct view *v)
{
	struct chrome *c = view_alloc(NULL, sizeof(*c));

	memset(c, 0, sizeof(*c));
	c->view = v;
	c->seen = view_seen_new();
	out_init(&c->name, -1);
	out_init(&c->text, -1);
	v->state = c;
	OUT_LIT(&v->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static void chrome_finish(struct view *v)
{
	struct chrome *c = v->state;

	OUT_LIT(&v->out, "\n]}\n");
	view_seen_free(c->seen);
	out_free(&c->name);
	out_free(&c->text);
	free(c);
}

const struct view_format view_chrome = {
	.name = "chrome", .counters = true, .slices = true,
	.begin = chrome_start, .event = chrome_event, .item = chrome_item,
	.end = chrome_finish,
};
