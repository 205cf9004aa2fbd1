// SPDX-License-Identifier: GPL-2.0-only
/*
 * parquet.c - a table for DuckDB, ClickHouse, Spark and pandas: a row for each event and each loss
 *
 * The names of the columns are those of traceinfo --json, as far as they are no words of SQL. The
 * elements of an event are one column of text, a JSON object, because all readers have functions
 * for JSON, but few read a column of maps. Each --counter is a column of numbers.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/severity.h"
#include "parquet.h"
#include "traceinfo/args.h"
#include "traceinfo/pick.h"
#include "view.h"

enum table_column {
	COL_NUMBER, COL_KIND, COL_TIME, COL_MONOTONIC, COL_TS, COL_BOARD, COL_BOOT, COL_STREAM,
	COL_CPU, COL_LANE, COL_TID, COL_PID, COL_PROCESS, COL_CONTEXT, COL_SEVERITY, COL_TYPE,
	COL_NAME, COL_MAJOR, COL_MINOR, COL_OBJECT, COL_OBJECT_NAME, COL_SIGNAL, COL_SIGNAL_NAME,
	COL_TEXT, COL_ARGS, COL_LOST_COUNT, COL_LOST_BYTES, COL_LOST_CAUSE, COL_LOST_FROM,
	COL_LOST_TO, COLS
};

static const struct parquet_field table_fields[COLS] = {
	[COL_NUMBER] = { .name = "number", .type = PARQUET_INT64, .rises = true },
	[COL_KIND] = { .name = "kind", .type = PARQUET_STRING },
	[COL_TIME] = { .name = "time", .type = PARQUET_INT64, .time = true, .rises = true },
	[COL_MONOTONIC] = { .name = "monotonic", .type = PARQUET_INT64, .rises = true },
	[COL_TS] = { .name = "ts", .type = PARQUET_INT64, .rises = true },
	[COL_BOARD] = { .name = "board", .type = PARQUET_STRING },
	[COL_BOOT] = { .name = "boot", .type = PARQUET_STRING },
	[COL_STREAM] = { .name = "stream", .type = PARQUET_STRING },
	[COL_CPU] = { .name = "cpu", .type = PARQUET_INT32 },
	[COL_LANE] = { .name = "lane", .type = PARQUET_INT32 },
	[COL_TID] = { .name = "tid", .type = PARQUET_INT64 },
	[COL_PID] = { .name = "pid", .type = PARQUET_INT64 },
	[COL_PROCESS] = { .name = "process", .type = PARQUET_STRING },
	[COL_CONTEXT] = { .name = "context", .type = PARQUET_STRING },
	[COL_SEVERITY] = { .name = "severity", .type = PARQUET_STRING },
	[COL_TYPE] = { .name = "type", .type = PARQUET_INT32 },
	[COL_NAME] = { .name = "name", .type = PARQUET_STRING },
	[COL_MAJOR] = { .name = "major", .type = PARQUET_INT32 },
	[COL_MINOR] = { .name = "minor", .type = PARQUET_INT32 },
	[COL_OBJECT] = { .name = "object", .type = PARQUET_INT32 },
	[COL_OBJECT_NAME] = { .name = "object_name", .type = PARQUET_STRING },
	[COL_SIGNAL] = { .name = "signal", .type = PARQUET_INT32 },
	[COL_SIGNAL_NAME] = { .name = "signal_name", .type = PARQUET_STRING },
	[COL_TEXT] = { .name = "text", .type = PARQUET_STRING },
	[COL_ARGS] = { .name = "args", .type = PARQUET_STRING },
	[COL_LOST_COUNT] = { .name = "lost_count", .type = PARQUET_INT64 },
	[COL_LOST_BYTES] = { .name = "lost_bytes", .type = PARQUET_INT64 },
	[COL_LOST_CAUSE] = { .name = "lost_cause", .type = PARQUET_STRING },
	[COL_LOST_FROM] = { .name = "lost_from", .type = PARQUET_INT64 },
	[COL_LOST_TO] = { .name = "lost_to", .type = PARQUET_INT64 },
};

struct table {
	struct view	*view;
	struct parquet_file *file;
	char		names[TI_PICKS_MAX][128];	/* of the columns of --counter */
	const char	*path;		/* the input that @board, @boot and @stream are of */
	char		board[128], boot[40], stream[DEVTRACE_NAME_MAX];
	struct out	name, text, args;
};

static void put_text(struct table *t, enum table_column column, const char *s)
{
	if (s)
		parquet_put_text(t->file, column, s, strlen(s));
}

/* A number that no signed integer has is left out. */
static void put_number(struct table *t, enum table_column column, uint64_t v)
{
	if (v <= INT64_MAX)
		parquet_put(t->file, column, (int64_t)v);
}

/* Write the times of a row: those of traceinfo, by the last CLOCK frame before the event. */
static void put_times(struct table *t, uint64_t ts)
{
	const struct view *v = t->view;
	const struct view_machine *m = v->machine;
	uint64_t mono = m->first.mono + (ts - m->first.ts);
	int64_t real = (int64_t)((uint64_t)m->first.real + (ts - m->first.ts));

	put_number(t, COL_TS, ts);
	if (devtrace_decoder_real(v->decoder, ts, &real) || m->dated)
		parquet_put(t->file, COL_TIME, real);
	if (devtrace_decoder_mono(v->decoder, ts, &mono) || m->dated)
		put_number(t, COL_MONOTONIC, mono);
}

static void put_source(struct table *t, uint16_t source)
{
	const int lane = devtrace_decoder_lane(t->view->decoder, source);

	parquet_put(t->file, lane < 0 ? COL_CPU : COL_LANE, lane < 0 ? source : lane);
}

/* If another input has begun, its board and stream are not known yet. */
static void enter_input(struct table *t)
{
	if (t->path == t->view->path)
		return;
	t->path = t->view->path;
	*t->board = 0;
	*t->boot = 0;
	*t->stream = 0;
}

/* Write what all rows have. */
static void begin_row(struct table *t, const char *kind)
{
	enter_input(t);
	parquet_put(t->file, COL_NUMBER, (int64_t)parquet_rows(t->file) + 1);
	put_text(t, COL_KIND, kind);
	put_text(t, COL_BOARD, *t->board ? t->board : NULL);
	put_text(t, COL_BOOT, *t->boot ? t->boot : NULL);
	put_text(t, COL_STREAM, *t->stream ? t->stream : NULL);
}

static void add_arg(void *ctx, const struct ti_arg *a)
{
	struct table *t = ctx;

	view_json_arg(&t->args, t->args.len > 1, a);
}

static void put_elements(struct table *t, const struct ti_event *e)
{
	struct devtrace_elem line;

	ti_args_text(&t->text, e);
	if (t->text.len)
		parquet_put_text(t->file, COL_TEXT, t->text.buf, t->text.len - 1);
	if (ti_event_line(e, &line))
		return;
	t->args.len = 0;
	out_char(&t->args, '{');
	ti_args(e, add_arg, t);
	out_char(&t->args, '}');
	if (t->args.err)
		view_no_memory();
	if (t->args.len > 2)
		parquet_put_text(t->file, COL_ARGS, t->args.buf, t->args.len);
}

static void put_counters(struct table *t, const struct ti_event *e)
{
	const struct ti_picks *picks = &t->view->opt->counters;
	struct ti_arg a;
	unsigned int i;

	for (i = 0; i < picks->n; i++)
		if (ti_pick_value(&picks->v[i], t->name.buf, e, &a))
			parquet_put_double(t->file, COLS + i, a.kind == TI_ARG_DOUBLE ? a.v.f :
					   a.kind == TI_ARG_INT ? (double)a.v.i : (double)a.v.u);
}

static void table_event(struct view *v, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	struct table *t = v->state;

	begin_row(t, "event");
	put_times(t, ev->ts);
	put_source(t, ev->source);
	parquet_put(t->file, COL_TID, ev->tid);
	if (e->tgid)
		parquet_put(t->file, COL_PID, e->tgid);
	put_text(t, COL_PROCESS, ti_event_process(e));
	put_text(t, COL_CONTEXT, ti_event_context(e));
	if (ev->severity & DEVTRACE_SEV_SET)
		put_text(t, COL_SEVERITY, severity_name(ev->severity));
	parquet_put(t->file, COL_TYPE, ev->number);
	put_text(t, COL_NAME, ti_args_name(&t->name, e));
	if (ev->flags & DEVTRACE_F_CODE) {
		parquet_put(t->file, COL_MAJOR, DEVTRACE_CODE_MAJOR(ev->code));
		parquet_put(t->file, COL_MINOR, DEVTRACE_CODE_MINOR(ev->code));
	}
	if (ev->flags & DEVTRACE_F_OBJSIG) {
		parquet_put(t->file, COL_OBJECT, ev->object);
		put_text(t, COL_OBJECT_NAME, ti_event_object(e));
		parquet_put(t->file, COL_SIGNAL, ev->signal);
		put_text(t, COL_SIGNAL_NAME, ti_event_signal(e));
	}
	put_elements(t, e);
	put_counters(t, e);
	parquet_row(t->file);
}

static void table_lost(struct table *t, const struct devtrace_lost *l)
{
	begin_row(t, "lost");
	put_times(t, l->to);
	put_source(t, l->source);
	put_number(t, COL_LOST_COUNT, l->count);
	put_text(t, COL_LOST_CAUSE, ti_lost_cause(l->cause));
	put_number(t, COL_LOST_FROM, l->from);
	put_number(t, COL_LOST_TO, l->to);
	parquet_row(t->file);
}

static void table_gap(struct table *t, const struct devtrace_gap *g)
{
	begin_row(t, "gap");
	if (g->ts_before)
		put_times(t, g->ts_before);
	put_number(t, COL_LOST_COUNT, g->count);
	put_text(t, COL_LOST_CAUSE, "frames missing");
	put_number(t, COL_LOST_FROM, g->ts_before);
	parquet_row(t->file);
}

static void table_damage(struct table *t, const struct devtrace_damage *d)
{
	begin_row(t, "damage");
	put_number(t, COL_LOST_BYTES, d->bytes);
	put_text(t, COL_LOST_CAUSE, ti_damage_reason(d->reason));
	parquet_row(t->file);
}

static void table_state(struct table *t, const struct devtrace_state_item *s)
{
	begin_row(t, "state");
	put_times(t, s->ts);
	put_text(t, COL_TEXT, ti_state_name(s->state));
	if (s->by_trigger)
		put_text(t, COL_NAME, s->trigger);
	parquet_row(t->file);
}

static void table_note(struct table *t, const struct devtrace_note *n)
{
	enter_input(t);
	if (!strcmp(n->name, "board"))
		snprintf(t->board, sizeof(t->board), "%s", n->value);
	begin_row(t, "note");
	put_text(t, COL_NAME, n->name);
	put_text(t, COL_TEXT, n->value);
	parquet_row(t->file);
}

/* The rows from here on are of this boot and stream. A random boot id is not the kernel's. */
static void table_info(struct table *t, const struct devtrace_info *i)
{
	struct out id;

	enter_input(t);
	snprintf(t->stream, sizeof(t->stream), "%s", i->stream);
	out_init(&id, -1);
	if (i->flags & DEVTRACE_INFO_BOOT_ID)
		ti_boot_id(&id, i->boot_id);
	out_char(&id, 0);
	if (id.err)
		view_no_memory();
	snprintf(t->boot, sizeof(t->boot), "%s", id.buf);
	out_free(&id);
}

static void table_item(struct view *v, const struct devtrace_item *item)
{
	struct table *t = v->state;

	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		table_lost(t, &item->u.lost);
		break;
	case DEVTRACE_ITEM_GAP:
		table_gap(t, &item->u.gap);
		break;
	case DEVTRACE_ITEM_DAMAGE:
		table_damage(t, &item->u.damage);
		break;
	case DEVTRACE_ITEM_STATE:
		table_state(t, &item->u.state);
		break;
	case DEVTRACE_ITEM_NOTE:
		table_note(t, &item->u.note);
		break;
	case DEVTRACE_ITEM_INFO:
		table_info(t, &item->u.info);
		break;
	default:
		break;
	}
}

/* Make the name of a column from EVENT.ARGUMENT: letters, digits and '_', different from others. */
static void name_counter(struct table *t, unsigned int i, const char *word)
{
	char *name = t->names[i];
	unsigned int k, nr = 1;
	size_t n;

	for (n = 0; n < sizeof(t->names[i]) - 8 && word[n]; n++)
		name[n] = (char)(isalnum((unsigned char)word[n]) ? word[n] : '_');
	name[n] = 0;
	for (k = 0; k < i; k++) {
		if (strcmp(t->names[k], name))
			continue;
		snprintf(name + n, 8, "_%u", ++nr);
		k = (unsigned int)-1;
	}
}

static void table_begin(struct view *v)
{
	const struct ti_picks *picks = &v->opt->counters;
	struct parquet_field fields[COLS + TI_PICKS_MAX];
	struct table *t = view_alloc(NULL, sizeof(*t));
	unsigned int i;

	memset(t, 0, sizeof(*t));
	t->view = v;
	memcpy(fields, table_fields, sizeof(table_fields));
	for (i = 0; i < picks->n; i++) {
		name_counter(t, i, picks->v[i].word);
		fields[COLS + i] = (struct parquet_field){
			.name = t->names[i], .type = PARQUET_DOUBLE,
		};
	}
	out_init(&t->name, -1);
	out_init(&t->text, -1);
	out_init(&t->args, -1);
	t->file = parquet_file_new(&v->out, fields, COLS + picks->n);
	v->state = t;
}

static void table_end(struct view *v)
{
	struct table *t = v->state;

	parquet_file_end(t->file);
	out_free(&t->name);
	out_free(&t->text);
	out_free(&t->args);
	free(t);
}

const struct view_format view_parquet = {
	.name = "parquet", .counters = true,
	.begin = table_begin, .event = table_event, .item = table_item, .end = table_end,
};
