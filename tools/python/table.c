// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - the columns of events
 *
 * Each event is a row. A missing number is -1 in the columns that every table has, because other
 * numbers in these columns are not negative. A missing argument is NaN or "".
 */
#include "python.h"
#include "common/severity.h"
#include "traceinfo/args.h"

#define TABLE_ARGS_MAX	64	/* further arguments of an event are left out */

enum table_column {
	TABLE_TS, TABLE_REALTIME, TABLE_CPU, TABLE_LANE, TABLE_CONTEXT, TABLE_SEVERITY, TABLE_TID,
	TABLE_PID, TABLE_PROCESS, TABLE_TYPE, TABLE_NAME, TABLE_CODE, TABLE_OBJECT, TABLE_SIGNAL,
	TABLE_COLUMNS
};

static const struct {
	const char		*name;
	enum column_kind	kind;
} table_columns[TABLE_COLUMNS] = {
	[TABLE_TS] = { "ts", COLUMN_U64 },
	[TABLE_REALTIME] = { "realtime", COLUMN_I64 },
	[TABLE_CPU] = { "cpu", COLUMN_I32 },
	[TABLE_LANE] = { "lane", COLUMN_I32 },
	[TABLE_CONTEXT] = { "context", COLUMN_TEXT },
	[TABLE_SEVERITY] = { "severity", COLUMN_TEXT },
	[TABLE_TID] = { "tid", COLUMN_U32 },
	[TABLE_PID] = { "pid", COLUMN_I64 },
	[TABLE_PROCESS] = { "process", COLUMN_TEXT },
	[TABLE_TYPE] = { "type", COLUMN_U32 },
	[TABLE_NAME] = { "name", COLUMN_TEXT },
	[TABLE_CODE] = { "code", COLUMN_I64 },
	[TABLE_OBJECT] = { "object", COLUMN_I32 },
	[TABLE_SIGNAL] = { "signal", COLUMN_I32 },
};

struct table_arg {
	/* "args.", the name, and the suffix ":text" or ":number" for a second column of the name */
	char		*name;
	size_t		len, full;	/* length without and with the suffix */
	struct column	*column;
};

struct table {
	const char	*event;
	size_t		rows;
	struct out	name;
	struct column	*columns[TABLE_COLUMNS];
	struct table_arg args[TABLE_ARGS_MAX];
	unsigned int	nr_args, next;	/* next: probable index of the next argument */
	bool		failed;
};

struct table *table_new(const char *event)
{
	struct table *t = calloc(1, sizeof(*t));
	unsigned int i;

	if (!t)
		return NULL;
	t->event = event;
	out_init(&t->name, -1);
	for (i = 0; i < TABLE_COLUMNS; i++) {
		t->columns[i] = column_new(table_columns[i].kind);
		if (!t->columns[i]) {
			table_free(t);
			return NULL;
		}
	}
	return t;
}

void table_free(struct table *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < TABLE_COLUMNS; i++)
		column_free(t->columns[i]);
	for (i = 0; i < t->nr_args; i++) {
		column_free(t->args[i].column);
		free(t->args[i].name);
	}
	out_free(&t->name);
	free(t);
}

size_t table_rows(const struct table *t)
{
	return t->rows;
}

static bool table_text(struct table *t, enum table_column c, const char *s)
{
	return column_add_text(t->columns[c], s ? s : "", s ? strlen(s) : 0);
}

static bool table_row(struct table *t, const struct ti_event *e, const int64_t *real)
{
	const struct devtrace_event *ev = e->ev;
	const bool objsig = ev->flags & DEVTRACE_F_OBJSIG;
	const int lane = ti_event_lane(e);
	struct column **c = t->columns;

	return column_add(c[TABLE_TS], ev->ts) &&
	       column_add(c[TABLE_REALTIME], real ? (uint64_t)*real : (uint64_t)-1) &&
	       column_add(c[TABLE_CPU], lane < 0 ? ev->source : (uint64_t)-1) &&
	       column_add(c[TABLE_LANE], (uint64_t)lane) &&
	       table_text(t, TABLE_CONTEXT, ti_event_context(e)) &&
	       table_text(t, TABLE_SEVERITY, ev->severity & DEVTRACE_SEV_SET ?
			  severity_name(ev->severity) : NULL) &&
	       column_add(c[TABLE_TID], ev->tid) &&
	       column_add(c[TABLE_PID], e->tgid ? e->tgid : (uint64_t)-1) &&
	       table_text(t, TABLE_PROCESS, ti_event_process(e)) &&
	       column_add(c[TABLE_TYPE], ev->number) &&
	       column_add_text(c[TABLE_NAME], t->name.buf, t->name.len) &&
	       column_add(c[TABLE_CODE], ev->flags & DEVTRACE_F_CODE ? ev->code : (uint64_t)-1) &&
	       column_add(c[TABLE_OBJECT], objsig ? ev->object : (uint64_t)-1) &&
	       column_add(c[TABLE_SIGNAL], objsig ? ev->signal : (uint64_t)-1);
}

static bool table_is_text(const struct ti_arg *a)
{
	return a->kind == TI_ARG_STR && !a->is_float;
}

/* Make a column for the kind of an argument. The column has no rows yet. */
static struct column *table_arg_column(const struct table *t, const struct ti_arg *a)
{
	static const enum column_kind kinds[] = {
		[TI_ARG_INT] = COLUMN_I64, [TI_ARG_UINT] = COLUMN_U64, [TI_ARG_DOUBLE] = COLUMN_F64,
		[TI_ARG_STR] = COLUMN_TEXT,
	};
	struct column *c = column_new(a->is_float ? COLUMN_F64 : kinds[a->kind]);
	size_t i;

	for (i = 0; c && i < t->rows; i++) {
		if (!column_add_none(c)) {
			column_free(c);
			return NULL;
		}
	}
	return c;
}

/*
 * Find the column of an argument, or add a column. An argument that is a number in one event and a
 * string in another has two columns. Return NULL if there is no memory, or if the table is full.
 */
static struct table_arg *table_find(struct table *t, const struct ti_arg *a, bool *full)
{
	static const char prefix[] = "args.";
	const char *suffix = "";
	struct table_arg *arg;
	unsigned int i;

	for (i = 0; i < t->nr_args; i++) {
		arg = &t->args[(t->next + i) % t->nr_args];
		if (arg->len == a->name_len + sizeof(prefix) - 1 &&
		    !memcmp(arg->name + sizeof(prefix) - 1, a->name, a->name_len)) {
			if ((column_kind(arg->column) == COLUMN_TEXT) == table_is_text(a)) {
				t->next = (unsigned int)(arg - t->args) + 1;
				return arg;
			}
			suffix = table_is_text(a) ? ":text" : ":number";
		}
	}
	*full = t->nr_args == TABLE_ARGS_MAX;
	if (*full)
		return NULL;
	arg = &t->args[t->nr_args];
	arg->len = a->name_len + sizeof(prefix) - 1;
	arg->full = arg->len + strlen(suffix);
	arg->name = malloc(arg->full);
	arg->column = table_arg_column(t, a);
	if (!arg->name || !arg->column) {
		free(arg->name);
		column_free(arg->column);
		return NULL;
	}
	memcpy(arg->name, prefix, sizeof(prefix) - 1);
	memcpy(arg->name + sizeof(prefix) - 1, a->name, a->name_len);
	memcpy(arg->name + arg->len, suffix, strlen(suffix));
	t->nr_args++;
	return arg;
}

static void table_arg(void *ctx, const struct ti_arg *a)
{
	struct table *t = ctx;
	bool full = false;
	struct table_arg *arg = t->failed ? NULL : table_find(t, a, &full);

	if (!arg) {
		t->failed = t->failed || !full;
		return;
	}
	/* An argument that the event has twice counts once. */
	if (column_rows(arg->column) > t->rows)
		return;
	if (table_is_text(a))
		t->failed = !column_add_text(arg->column, a->str, a->len);
	else
		t->failed = !column_add_number(arg->column,
					       a->kind == TI_ARG_DOUBLE || a->is_float ?
					       &a->v.f : NULL,
					       a->kind == TI_ARG_INT ? &a->v.i : NULL,
					       a->kind == TI_ARG_UINT ? &a->v.u : NULL);
}

bool table_add(struct table *t, const struct ti_event *e, const int64_t *real)
{
	struct devtrace_elem text;
	unsigned int i;

	t->name.len = 0;
	t->name.raw = true;
	ti_event_name(&t->name, e);
	if (t->event && (strlen(t->event) != t->name.len ||
			 memcmp(t->event, t->name.buf, t->name.len)))
		return true;
	if (t->name.err || !table_row(t, e, real))
		return false;
	t->next = 0;
	if (t->event && !ti_event_line(e, &text))
		ti_args(e, table_arg, t);
	for (i = 0; i < t->nr_args && !t->failed; i++)
		if (column_rows(t->args[i].column) == t->rows)
			t->failed = !column_add_none(t->args[i].column);
	t->rows++;
	return !t->failed;
}

/* Move a column to the dictionary. Return false on an exception. */
static bool table_give(PyObject *dict, const char *name, size_t len, struct column **column)
{
	PyObject *key = value_text(name, len), *c = NULL;
	bool done;

	if (key) {
		c = column_object(*column);
		*column = NULL;
	}
	done = c && !PyDict_SetItem(dict, key, c);
	Py_XDECREF(key);
	Py_XDECREF(c);
	return done;
}

PyObject *table_dict(struct table *t)
{
	PyObject *dict = PyDict_New();
	unsigned int i;
	bool done = dict;

	for (i = 0; i < TABLE_COLUMNS && done; i++)
		done = table_give(dict, table_columns[i].name, strlen(table_columns[i].name),
				  &t->columns[i]);
	for (i = 0; i < t->nr_args && done; i++)
		done = table_give(dict, t->args[i].name, t->args[i].full, &t->args[i].column);
	if (done)
		return dict;
	Py_XDECREF(dict);
	return NULL;
}
