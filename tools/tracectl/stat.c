// SPDX-License-Identifier: GPL-2.0-only
/*
 * stat.c - statistics, once or at an interval
 *
 * A sample is what the kernel reported at one time. A rate is the difference of two samples
 * divided by the time between them, measured by the trace clock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tracectl.h"

struct row {
	struct devtrace_ctl_stats s;
	double	rate;			/* events a second; negative: unknown */
};

struct sample {
	struct tc *tc;
	struct row *v;
	size_t	nr;
};

static int take(const struct devtrace_ctl_stats *s, void *arg)
{
	struct sample *all = arg;
	struct row *r = NULL;
	unsigned int c;
	size_t i;

	for (i = 0; !all->tc->cpu && i < all->nr && !r; i++)
		if (!strcmp(all->v[i].s.stream, s->stream))
			r = &all->v[i];
	if (!r) {
		all->v = tc_alloc(all->v, (all->nr + 1) * sizeof(*all->v));
		r = &all->v[all->nr++];
		r->s = *s;
		r->rate = -1;
		return 0;
	}
	r->s.emitted += s->emitted;
	r->s.stored += s->stored;
	r->s.filtered += s->filtered;
	r->s.overwritten += s->overwritten;
	for (c = 0; c < DEVTRACE_LOST_CAUSES; c++)
		r->s.dropped[c] += s->dropped[c];
	r->s.size += s->size;
	r->s.used += s->used;
	if (s->oldest && (!r->s.oldest || s->oldest < r->s.oldest))
		r->s.oldest = s->oldest;
	if (s->now > r->s.now)
		r->s.now = s->now;
	return 0;
}

/*
 * Compute the rates since the previous sample. If the stream was removed and added again, its
 * counts began at 0, so it has no rate.
 */
static void rates(struct sample *now, const struct sample *before)
{
	size_t i, k;

	for (i = 0; i < now->nr; i++) {
		struct devtrace_ctl_stats *a = &now->v[i].s;

		for (k = 0; k < before->nr; k++) {
			const struct devtrace_ctl_stats *b = &before->v[k].s;

			if (strcmp(a->stream, b->stream) ||
			    (now->tc->cpu && a->cpu != b->cpu) ||
			    a->now <= b->now || a->emitted < b->emitted)
				continue;
			now->v[i].rate = (double)(a->emitted - b->emitted) * 1e9 /
					 (double)(a->now - b->now);
		}
	}
}

static const char *const causes[DEVTRACE_LOST_CAUSES] = {
	[DEVTRACE_LOST_OVERWRITTEN] = "overwritten", [DEVTRACE_LOST_CLEARED] = "cleared",
	[DEVTRACE_LOST_BUSY] = "busy", [DEVTRACE_LOST_TOOBIG] = "toobig",
	[DEVTRACE_LOST_NORING] = "noring", [DEVTRACE_LOST_STOPPED] = "stopped",
};

static void rate(struct out *o, double r)
{
	static const struct out_spec whole = { .digits = 0 };

	out_double(o, r, 'f', &whole);
}

static void json(struct sample *all)
{
	struct out *o = &all->tc->out;
	unsigned int c;
	size_t i;

	OUT_LIT(o, "{\"stats\":[");
	for (i = 0; i < all->nr; i++) {
		const struct devtrace_ctl_stats *s = &all->v[i].s;

		tc_json_str(o, i ? ",{\"stream\":" : "{\"stream\":", s->stream);
		if (!all->tc->cpu)
			OUT_LIT(o, ",\"cpu\":null");
		else if (s->cpu == DEVTRACE_CPU_LANES)
			OUT_LIT(o, ",\"cpu\":\"lanes\"");
		else
			tc_json_num(o, ",\"cpu\":", s->cpu);
		tc_json_num(o, ",\"emitted\":", s->emitted);
		tc_json_num(o, ",\"filtered\":", s->filtered);
		tc_json_num(o, ",\"stored\":", s->stored);
		tc_json_num(o, ",\"overwritten\":", s->overwritten);
		for (c = DEVTRACE_LOST_BUSY; c < DEVTRACE_LOST_CAUSES; c++) {
			out_str(o, c == DEVTRACE_LOST_BUSY ? ",\"dropped\":{\"" : ",\"");
			out_str(o, causes[c]);
			tc_json_num(o, "\":", s->dropped[c]);
		}
		tc_json_num(o, "},\"size\":", s->size);
		tc_json_num(o, ",\"used\":", s->used);
		tc_json_num(o, ",\"oldest\":", s->oldest);
		tc_json_num(o, ",\"now\":", s->now);
		OUT_LIT(o, ",\"rate\":");
		if (all->v[i].rate < 0)
			OUT_LIT(o, "null");
		else
			rate(o, all->v[i].rate);
		out_char(o, '}');
	}
	OUT_LIT(o, "]}\n");
}

static void text(struct sample *all, bool again)
{
	bool cpu = all->tc->cpu;
	struct out rows, *o = &rows;
	size_t i;

	out_init(o, -1);
	out_str(o, cpu ? "STREAM\tCPU" : "STREAM");
	out_str(o, again ? "\tEVENTS/S|EV/S" : "");
	OUT_LIT(o, "\tEMITTED|EMIT\tFILTERED|FILT\tSTORED|STORE\tOVERWRITTEN|OVERW");
	OUT_LIT(o, "\tBUSY\tTOOBIG|BIG\tNORING|NORNG\tSTOPPED|STOP\tUSED\tHOLDS\n");
	for (i = 0; i < all->nr; i++) {
		const struct devtrace_ctl_stats *s = &all->v[i].s;
		const uint64_t n[] = { s->emitted, s->filtered, s->stored, s->overwritten };

		tc_safe(o, s->stream);
		if (cpu) {
			out_char(o, '\t');
			if (s->cpu == DEVTRACE_CPU_LANES)
				OUT_LIT(o, "lanes");
			else
				out_u64(o, s->cpu);
		}
		if (again) {
			out_char(o, '\t');
			if (all->v[i].rate < 0)
				out_char(o, '-');
			else
				rate(o, all->v[i].rate);
		}
		tc_cells(o, n, NR(n));
		tc_cells(o, s->dropped + DEVTRACE_LOST_BUSY,
			 DEVTRACE_LOST_CAUSES - DEVTRACE_LOST_BUSY);
		out_char(o, '\t');
		out_u64(o, s->size ? s->used * 100 / s->size : 0);
		OUT_LIT(o, "%\t");
		/* Age of the oldest event in the ring, rounded down to 1 ms. */
		tc_put_ns(o, s->oldest && s->now > s->oldest ?
			  (s->now - s->oldest) / 1000000 * 1000000 : 0);
		out_char(o, '\n');
	}
	tc_table(&all->tc->out, o, cpu && again ? "crnnnnnXXXXrd" : cpu ? "crnnnnXXXXrd" :
		 again ? "cnnnnnXXXXrd" : "cnnnnXXXXrd");
	out_free(o);
}

/* The other tables: one function prints each row, as text or as JSON. */
static void json_word(struct out *o, const char *key, const char *word)
{
	out_str(o, key);
	if (word)
		out_json(o, word, strlen(word));
	else
		OUT_LIT(o, "null");
}

static int one_type(const struct devtrace_ctl_type *y, void *arg)
{
	struct tc_list *t = arg;
	struct out *o = tc_list_next(t);
	/* Type 0 stands for invalid events of drivers, which the kernel counts but never stores. */
	bool alone = false;
	const char *group = y->type ? tc_type_group(y->type, &alone) : "refused";
	const char *name = y->type ? tc_type_name(t->tc, y->type) : NULL;

	if (!name && alone)
		name = group;
	if (t->tc->json) {
		tc_json_num(o, "\"type\":", y->type);
		json_word(o, ",\"group\":", group);
	} else {
		out_u64(o, y->type);
		out_char(o, '\t');
		out_str(o, group ? group : "-");
	}
	tc_json_num(o, t->tc->json ? ",\"stored\":" : "\t", y->stored);
	tc_json_num(o, t->tc->json ? ",\"filtered\":" : "\t", y->filtered);
	if (t->tc->json) {
		json_word(o, ",\"name\":", name);
	} else {
		out_char(o, '\t');
		tc_safe(o, name ? name : "-");
	}
	return 0;
}

/* Collect all types before names are looked up: a look-up is a request of its own. */
struct types {
	struct devtrace_ctl_type v[256];
	unsigned int nr;
};

static int keep_type(const struct devtrace_ctl_type *y, void *arg)
{
	struct types *all = arg;

	if (all->nr < NR(all->v))
		all->v[all->nr++] = *y;
	return 0;
}

static int types(struct tc_list *t)
{
	struct types all = { .nr = 0 };
	int ret = devtrace_ctl_types(t->tc->ctl, keep_type, &all);
	unsigned int i;

	for (i = 0; !ret && i < all.nr; i++)
		one_type(&all.v[i], t);
	return ret;
}

static int one_process(const struct devtrace_ctl_process *p, void *arg)
{
	struct tc_list *t = arg;
	struct out *o = tc_list_next(t);

	if (t->tc->json) {
		tc_json_num(o, "\"pid\":", p->pid);
		tc_json_num(o, ",\"tid\":", p->tid);
		tc_json_str(o, ",\"name\":", p->comm);
	} else {
		tc_safe(o, p->comm);
		out_char(o, '\t');
		out_u64(o, p->pid);
		out_char(o, '\t');
		out_u64(o, p->tid);
	}
	tc_json_num(o, t->tc->json ? ",\"stored\":" : "\t", p->stored);
	return 0;
}

struct processes {
	struct devtrace_ctl_process *v;
	size_t	nr, room;
};

static int keep_process(const struct devtrace_ctl_process *p, void *arg)
{
	struct processes *all = arg;

	if (all->nr == all->room) {
		all->room = all->room ? 2 * all->room : 64;
		all->v = tc_alloc(all->v, all->room * sizeof(*all->v));
	}
	all->v[all->nr++] = *p;
	return 0;
}

/* Order: most events first. */
static int by_stored(const void *a, const void *b)
{
	const struct devtrace_ctl_process *p = a, *q = b;

	if (p->stored != q->stored)
		return p->stored < q->stored ? 1 : -1;
	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	return (p->tid > q->tid) - (p->tid < q->tid);
}

static int processes(struct tc_list *t)
{
	struct processes all = { 0 };
	int ret = devtrace_ctl_processes(t->tc->ctl, keep_process, &all);
	size_t i;

	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), by_stored);
	for (i = 0; !ret && i < all.nr; i++)
		one_process(&all.v[i], t);
	free(all.v);
	return ret;
}

static int one_reader(const struct devtrace_ctl_reader *r, void *arg)
{
	const uint64_t n[] = { r->pid, r->read, r->lost, r->lag };
	struct tc_list *t = arg;
	struct out *o = tc_list_next(t);

	if (t->tc->json) {
		tc_json_str(o, "\"stream\":", r->stream);
		tc_json_num(o, ",\"pid\":", r->pid);
		tc_json_str(o, ",\"name\":", r->comm);
		tc_json_num(o, ",\"position\":", r->position);
		tc_json_num(o, ",\"lag\":", r->lag);
		tc_json_num(o, ",\"read\":", r->read);
		tc_json_num(o, ",\"lost\":", r->lost);
		return 0;
	}
	tc_safe(o, r->stream);
	out_char(o, '\t');
	tc_safe(o, r->comm);
	tc_cells(o, n, NR(n));
	out_char(o, '\t');
	tc_put_ns(o, r->position);
	return 0;
}

static const char *const lane_states[] = { "closed", "open", "no-calls" };

static uint64_t lane_dropped(const struct devtrace_ctl_lane *l)
{
	uint64_t n = 0;
	size_t c;

	for (c = 0; c < NR(l->dropped); c++)
		n += l->dropped[c];
	return n;
}

static int one_lane(const struct devtrace_ctl_lane *l, void *arg)
{
	const char *state = l->state < NR(lane_states) ? lane_states[l->state] : "?";
	const uint64_t n[] = {
		l->source, l->size, l->used, l->stored, l->overwritten, lane_dropped(l),
	};
	static const char *const keys[] = {
		",\"source\":", ",\"size\":", ",\"used\":", ",\"stored\":", ",\"overwritten\":",
		",\"dropped\":",
	};
	const uint64_t thread[] = { l->pid, l->tid };
	struct tc_list *t = arg;
	struct out *o = tc_list_next(t);
	size_t i;

	if (t->tc->json) {
		tc_json_num(o, "\"pid\":", l->pid);
		tc_json_num(o, ",\"tid\":", l->tid);
		tc_json_str(o, ",\"name\":", l->comm);
		for (i = 0; i < NR(n); i++)
			tc_json_num(o, keys[i], n[i]);
		tc_json_num(o, ",\"oldest\":", l->oldest);
		tc_json_num(o, ",\"now\":", l->now);
		tc_json_str(o, ",\"state\":", state);
		return 0;
	}
	tc_safe(o, l->comm);
	tc_cells(o, thread, NR(thread));
	tc_cells(o, n, NR(n));
	out_char(o, '\t');
	tc_put_ns(o, l->oldest && l->now > l->oldest ?
		  (l->now - l->oldest) / 1000000 * 1000000 : 0);
	out_char(o, '\t');
	out_str(o, state);
	return 0;
}

static int table(struct tc *tc)
{
	const char *align, *key, *head;
	struct tc_list t;
	int ret;

	if (tc->types) {
		key = "{\"types\":[";
		head = "TYPE\tGROUP\tSTORED\tFILTERED\tNAME\n";
		align = "rlnnc";
	} else if (tc->processes) {
		key = "{\"processes\":[";
		head = "PROCESS\tPID\tTID\tSTORED\n";
		align = "crrn";
	} else if (tc->lanes) {
		key = "{\"lanes\":[";
		head = "THREAD\tPID\tTID\tSOURCE|SRC\tSIZE\tUSED\t"
		       "STORED|STORE\tOVERWRITTEN|OVERW\tDROPPED|DROP\tHOLDS\tSTATE\n";
		align = "crrrbbnnxdl";
	} else {
		key = "{\"readers\":[";
		head = "STREAM\tREADER\tPID\tEVENTS\tLOST\tLAG\tPOSITION\n";
		align = "ccrnxbr";
	}
	tc_list_begin(&t, tc, key, head, align);
	ret = tc->types ? types(&t) :
	      tc->processes ? processes(&t) :
	      tc->lanes ? devtrace_ctl_lanes(tc->ctl, one_lane, &t) :
	      devtrace_ctl_readers(tc->ctl, tc->stream, one_reader, &t);
	return tc_list_end(&t, ret, tc->stream);
}

static bool seconds(const char *s, struct timespec *ts)
{
	char *end;
	double v;

	if (!strchr("0123456789.", *s) || !*s)
		return false;
	v = strtod(s, &end);
	if (*end || !(v >= 0.01) || v > 1e6)
		return false;
	ts->tv_sec = (time_t)v;
	ts->tv_nsec = (long)((v - (double)ts->tv_sec) * 1e9);
	return true;
}

int tc_stat(struct tc *tc)
{
	struct sample before = { .tc = tc }, now;
	struct timespec interval;
	uint64_t count = tc->interval ? UINT64_MAX : 1, i;
	int ret = 0;

	if (tc->cpu + tc->types + tc->processes + tc->readers + tc->lanes > 1)
		tc_usage(tc, "--cpu, --types, --processes, --readers and --lanes", "are one at a time");
	if (tc->stream && (tc->types || tc->processes || tc->lanes))
		tc_usage(tc, "--stream", "cannot be combined with --types, --processes and --lanes, which cover all streams");
	if (tc->interval && !seconds(tc->interval, &interval))
		tc_usage(tc, tc->interval, "is not an interval in seconds, 0.01 or more");
	if (tc->nr) {
		const char *s = tc_next(tc, "COUNT");

		if (!tc->interval || !tc_number(s, UINT64_MAX, &count) || !count)
			tc_usage(tc, s, tc->interval ? "is not a COUNT; write 1 or more" :
				 "is one word too many: a COUNT is only for --interval");
	}
	tc_begin(tc);
	for (i = 0; i < count && !ret && !tc->out.err; i++) {
		if (i)
			nanosleep(&interval, NULL);
		if (tc->types || tc->processes || tc->readers || tc->lanes) {
			ret = table(tc);
		} else {
			now = (struct sample){ .tc = tc };
			if (devtrace_ctl_stats(tc->ctl, tc->stream, take, &now)) {
				ret = tc_fail(tc, tc->stream);
			} else {
				rates(&now, &before);
				if (tc->json)
					json(&now);
				else
					text(&now, tc->interval);
			}
			free(before.v);
			before = now;
		}
		out_flush(&tc->out);
	}
	free(before.v);
	return ret;
}
