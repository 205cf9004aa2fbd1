// SPDX-License-Identifier: GPL-2.0-only
/*
 * vcd.c - a value change dump, which gtkwave, PulseView and sigrok-cli read
 *
 * The format is that of IEEE 1364. The file has the declarations of all variables first, and then
 * the changes in the order of time. Therefore the changes are written to a temporary file, sorted
 * there, and printed at the end of the input. All numbers have the type "real": sigrok's library
 * 0.5 ignores variables of this type, but stops at the first vector. So an integer of more than 53
 * bits is rounded.
 *
 * The dump begins a microsecond before the first change.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "traceinfo/args.h"
#include "traceinfo/pick.h"
#include "vcd.h"

#define VCD_VARS_MAX	4096

struct vcd_variable {
	char		*name;
	enum vcd_kind	kind;
	/* value: the first value; while changes are printed, the last value */
	double		value;
};

struct vcd_record {
	uint64_t	time;
	double		value;
	uint32_t	var, nr;
};

struct vcd {
	struct view	*view;
	struct vcd_bus	*bus;
	struct hash_key	key;
	struct view_seen *seen;		/* hash of a name -> variable + 1 */
	struct vcd_variable *vars;
	uint32_t	nr_vars;
	FILE		*changes;
	uint32_t	nr;		/* changes so far */
	uint64_t	lost;
	bool		failed;
	struct out	name;
};

unsigned int vcd_machine(const struct vcd *v)
{
	return v->view->machine->nr;
}

size_t vcd_prefix(const struct vcd *v, char *name, size_t size)
{
	const unsigned int nr = vcd_machine(v);
	const int n = nr ? snprintf(name, size, "board%u.", nr + 1) : 0;

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

uint32_t vcd_var(struct vcd *v, const char *name, enum vcd_kind kind, uint64_t idle)
{
	uint64_t *seen = view_seen(v->seen, hash_string(&v->key, kind, name));
	uint32_t i;

	if (*seen)
		return (uint32_t)*seen - 1;
	for (i = 0; i < v->nr_vars; i++)
		if (v->vars[i].kind == kind && !strcmp(v->vars[i].name, name))
			break;
	if (i == VCD_VARS_MAX)
		return VCD_NONE;
	if (i == v->nr_vars) {
		v->vars = view_alloc(v->vars, (i + 1) * sizeof(*v->vars));
		v->vars[i].name = view_alloc(NULL, strlen(name) + 1);
		strcpy(v->vars[i].name, name);
		v->vars[i].kind = kind;
		v->vars[i].value = (double)idle;
		v->nr_vars++;
	}
	*seen = i + 1;
	return i;
}

void vcd_change_real(struct vcd *v, uint32_t var, uint64_t time, double value)
{
	const struct vcd_record r = { .time = time, .value = value, .var = var, .nr = v->nr };

	if (var == VCD_NONE || v->failed)
		return;
	v->failed = v->nr++ == UINT32_MAX || fwrite(&r, sizeof(r), 1, v->changes) != 1;
	if (v->failed) {
		v->view->out.err = v->nr ? errno : EFBIG;
		fprintf(stderr, "devtrace-convert: temporary file in %s: %s\n", P_tmpdir,
			strerror(v->view->out.err));
	}
}

void vcd_change(struct vcd *v, uint32_t var, uint64_t time, bool value)
{
	vcd_change_real(v, var, time, value);
}

static void vcd_begin(struct view *view)
{
	struct vcd *v = view_alloc(NULL, sizeof(*v));

	*v = (struct vcd){ .view = view, .seen = view_seen_new() };
	v->bus = vcd_bus_new(v);
	hash_key_init(&v->key);
	out_init(&v->name, -1);
	v->changes = tmpfile();
	view->state = v;
	if (v->changes)
		return;
	v->failed = true;
	view->out.err = errno;
	fprintf(stderr, "devtrace-convert: temporary file in %s: %s\n", P_tmpdir, strerror(errno));
}

struct vcd_args {
	struct vcd	*v;
	const char	*event;
	uint64_t	time;
};

static void vcd_number(struct vcd *v, const char *name, const struct ti_arg *a, uint64_t time)
{
	const double value = a->kind == TI_ARG_DOUBLE ? a->v.f :
			     a->kind == TI_ARG_INT ? (double)a->v.i : (double)a->v.u;

	vcd_change_real(v, vcd_var(v, name, VCD_REAL, 0), time, value);
}

static void vcd_arg(void *ctx, const struct ti_arg *a)
{
	const struct vcd_args *s = ctx;
	char name[256];
	size_t n = vcd_prefix(s->v, name, sizeof(name));

	if (a->kind == TI_ARG_STR)
		return;
	snprintf(name + n, sizeof(name) - n, "%s.%.*s", s->event, (int)a->name_len, a->name);
	vcd_number(s->v, name, a, s->time);
}

/* The variables that --counter names, or else all numbers of events that are not the kernel's. */
static void vcd_event(struct view *view, const struct ti_event *e)
{
	const struct ti_picks *picks = &view->opt->counters;
	struct vcd *v = view->state;
	struct vcd_args s = { .v = v, .time = view_time(view, e->ev->ts) };
	struct ti_arg value;
	unsigned int i;

	if (vcd_bus_event(v->bus, e, s.time))
		return;
	s.event = ti_args_name(&v->name, e);
	for (i = 0; i < picks->n; i++)
		if (ti_pick_value(&picks->v[i], s.event, e, &value))
			vcd_number(v, picks->v[i].word, &value, s.time);
	if (!picks->n && !devtrace_type_is_profile(e->ev->type))
		ti_args(e, vcd_arg, &s);
}

static void vcd_item(struct view *view, const struct devtrace_item *item)
{
	struct vcd *v = view->state;
	uint64_t count = 0;

	if (item->kind == DEVTRACE_ITEM_LOST)
		count = item->u.lost.count ? item->u.lost.count : 1;
	else if (item->kind == DEVTRACE_ITEM_GAP)
		count = item->u.gap.count;
	else if (item->kind == DEVTRACE_ITEM_DAMAGE)
		count = 1;
	if (!count)
		return;
	v->lost += count;
	vcd_bus_lost(v->bus);
	vcd_change_real(v, vcd_var(v, "lost", VCD_REAL, 0), view->last, (double)v->lost);
}

static int vcd_order(const void *a, const void *b)
{
	const struct vcd_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* The short names of variables are numbers with the digits '!' to '~'. */
static void vcd_id(struct out *o, uint32_t var)
{
	do
		out_char(o, (char)('!' + var % 94));
	while ((var /= 94));
}

/* A name may have letters, digits, '_' and '.'. */
static void vcd_word(struct out *o, const char *s)
{
	for (; *s; s++)
		out_char(o, isalnum((unsigned char)*s) || *s == '.' ? *s : '_');
}

static void vcd_value(struct out *o, const struct vcd_variable *var, uint32_t id)
{
	if (var->kind == VCD_BIT) {
		out_char(o, var->value != 0 ? '1' : '0');
	} else {
		out_char(o, 'r');
		out_double_short(o, var->value, false);
		out_char(o, ' ');
	}
	vcd_id(o, id);
	out_char(o, '\n');
}

static void vcd_head(const struct vcd *v)
{
	static const char *const kinds[] = {
		[VCD_BIT] = "wire 1 ", [VCD_REAL] = "real 64 ",
	};
	struct out *o = &v->view->out;
	uint32_t i;
	int kind;

	OUT_LIT(o, "$version\n\tdevtrace-convert " TI_VERSION "\n$end\n$timescale\n\t1 ns\n$end\n"
		"$scope module devtrace $end\n");
	for (kind = VCD_BIT; kind <= VCD_REAL; kind++) {
		for (i = 0; i < v->nr_vars; i++) {
			if ((int)v->vars[i].kind != kind)
				continue;
			OUT_LIT(o, "$var ");
			out_str(o, kinds[kind]);
			vcd_id(o, i);
			out_char(o, ' ');
			vcd_word(o, v->vars[i].name);
			OUT_LIT(o, " $end\n");
		}
	}
	OUT_LIT(o, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n");
	for (i = 0; i < v->nr_vars; i++)
		vcd_value(o, &v->vars[i], i);
	OUT_LIT(o, "$end\n");
}

static void vcd_body(const struct vcd *v, const struct vcd_record *r)
{
	struct out *o = &v->view->out;
	uint64_t time = 0;
	uint32_t i;

	/* In the first microsecond all lines are idle, so that a decoder sees the first edge. */
	for (i = 0; i < v->nr && !o->err; i++) {
		struct vcd_variable *var = &v->vars[r[i].var];

		if (var->value == r[i].value)
			continue;
		if (time != r[i].time - r[0].time + 1000) {
			time = r[i].time - r[0].time + 1000;
			out_char(o, '#');
			out_u64(o, time);
			out_char(o, '\n');
		}
		var->value = r[i].value;
		vcd_value(o, var, r[i].var);
	}
	out_char(o, '#');
	out_u64(o, time + 1000);
	out_char(o, '\n');
}

static void vcd_print(struct vcd *v)
{
	const size_t size = v->nr * sizeof(struct vcd_record);
	struct vcd_record *r = NULL;

	if (size) {
		r = MAP_FAILED;
		if (!fflush(v->changes))
			r = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
				 fileno(v->changes), 0);
		if (r == MAP_FAILED) {
			v->view->out.err = errno;
			fprintf(stderr, "devtrace-convert: temporary file: %s\n", strerror(errno));
			return;
		}
		qsort(r, v->nr, sizeof(*r), vcd_order);
	}
	vcd_head(v);
	vcd_body(v, r);
	if (r)
		munmap(r, size);
}

static void vcd_end(struct view *view)
{
	struct vcd *v = view->state;
	uint32_t i;

	vcd_bus_end(v->bus);
	if (!v->failed)
		vcd_print(v);
	if (v->changes)
		fclose(v->changes);
	for (i = 0; i < v->nr_vars; i++)
		free(v->vars[i].name);
	free(v->vars);
	vcd_bus_free(v->bus);
	view_seen_free(v->seen);
	out_free(&v->name);
	free(v);
}

const struct view_format view_vcd = {
	.name = "vcd", .counters = true,
	.begin = vcd_begin, .event = vcd_event, .item = vcd_item, .end = vcd_end,
};
