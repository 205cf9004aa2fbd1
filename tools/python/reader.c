// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader.c - the type Reader: decode an input, and return its events, its items, or columns
 *
 * Only one thread at a time uses a reader. While @busy is set, other callers are refused, also a
 * destructor that Python runs meanwhile. Memory is bounded, except for columns.
 */
#include "python.h"
#include <sys/ioctl.h>
#include "common/zread.h"

#define READER_BLOCK	(256 * 1024)

struct reader {
	PyObject_HEAD
	struct source	source;
	struct fmt_set	fmts;
	struct devtrace_decoder *decoder;
	struct devtrace_totals totals;	/* copy for the time after @decoder is freed */
	struct ti_evidence evidence;
	struct devtrace_clock first;	/* first CLOCK frame of a file */
	bool		have_first;
	uint8_t		*buf;
	size_t		pos, len;
	/* ended: the input was read to its end; finished: an incomplete frame was reported */
	bool		busy, ended, finished;
	uint64_t	end_ts;		/* an event after this ends the input */
	/* The next item becomes the object @got, or a row of @table. */
	bool		items;		/* also return items that are not events */
	struct table	*table;
	size_t		limit;		/* maximum number of rows */
	PyObject	*got;		/* the object */
	bool		failed;		/* an exception is set; with @table: there is no memory */
};

static PyTypeObject *reader_type, *items_type;
static PyObject *reader_loads;		/* json.loads */

/* Return an item that is not an event as the dictionary that traceinfo --json -v prints. */
static PyObject *reader_dict(struct reader *r, const struct devtrace_item *item)
{
	static struct ti_printer printer;
	PyObject *text, *dict = NULL;
	struct out o;

	out_init(&o, -1);
	ti_clock_first(r->have_first ? &r->first : NULL);
	ti_json_item(&o, &printer, r->decoder, item);
	text = o.err ? PyErr_NoMemory() : value_text(o.buf, o.len);
	if (text)
		dict = PyObject_CallFunctionObjArgs(reader_loads, text, NULL);
	Py_XDECREF(text);
	out_free(&o);
	return dict;
}

static bool reader_real(const struct reader *r, uint64_t ts, int64_t *real)
{
	if (devtrace_decoder_real(r->decoder, ts, real))
		return true;
	*real = (int64_t)((uint64_t)r->first.real + (ts - r->first.ts));
	return r->have_first;
}

static int reader_event(struct reader *r, const struct devtrace_event *ev)
{
	const int64_t *known;
	struct ti_event e;
	int64_t real;

	if (ev->ts > r->end_ts) {
		r->ended = r->finished = true;
		return 1;
	}
	known = reader_real(r, ev->ts, &real) ? &real : NULL;
	ti_event_init(&e, ev, r->decoder, &r->fmts);
	if (r->table) {
		r->failed = !table_add(r->table, &e, known);
		return r->failed || table_rows(r->table) >= r->limit;
	}
	r->got = event_new(&e, known);
	r->failed = !r->got;
	return 1;
}

static int reader_item(const struct devtrace_item *item, void *arg)
{
	struct reader *r = arg;

	if (!r->evidence.found)
		ti_evidence(&r->evidence, item);
	if (item->kind == DEVTRACE_ITEM_EVENT)
		return reader_event(r, &item->u.event);
	/* After this CLOCK frame the decoder itself can compute dates. */
	if (item->kind == DEVTRACE_ITEM_CLOCK)
		r->have_first = false;
	if (!r->items)
		return 0;
	r->got = reader_dict(r, item);
	r->failed = !r->got;
	return 1;
}

static int reader_first(const struct devtrace_item *item, void *arg)
{
	struct reader *r = arg;

	if (item->kind != DEVTRACE_ITEM_CLOCK)
		return 0;
	r->first = item->u.clock;
	r->have_first = true;
	return 1;
}

/* If the first block has a CLOCK frame, it dates the events before that frame, too. */
static void reader_ahead(struct reader *r)
{
	struct devtrace_decoder *d = devtrace_decoder_new(reader_first, r);

	if (d)
		devtrace_decoder_feed(d, r->buf, r->len, NULL);
	devtrace_decoder_free(d);
}

/* Read the next block. Return false on an exception. */
static bool reader_fill(struct reader *r)
{
	const bool is_first = !devtrace_decoder_totals(r->decoder)->bytes;
	const Py_ssize_t n = source_read(&r->source, r->buf, READER_BLOCK);

	if (n < 0)
		return false;
	r->pos = 0;
	r->len = (size_t)n;
	r->ended = !n;
	if (is_first && r->source.regular)
		reader_ahead(r);
	if (r->source.damages) {
		const struct devtrace_item item = {
			.kind = DEVTRACE_ITEM_DAMAGE, .u.damage = {
				.reason = (enum devtrace_damage_reason)TI_DAMAGE_ZSTD,
				.offset = r->source.damage_offset, .bytes = r->source.damage_bytes,
			},
		};

		r->source.damages = r->source.damage_bytes = 0;
		reader_item(&item, r);
	}
	return !r->failed;
}

static void reader_feed(struct reader *r)
{
	size_t used = 0;

	if (r->table) {
		Py_BEGIN_ALLOW_THREADS
		devtrace_decoder_feed(r->decoder, r->buf + r->pos, r->len - r->pos, &used);
		Py_END_ALLOW_THREADS
	} else {
		devtrace_decoder_feed(r->decoder, r->buf + r->pos, r->len - r->pos, &used);
	}
	r->pos += used;
}

/* At the end of the input, report an incomplete frame. Return true if nothing more is reported. */
static bool reader_finish(struct reader *r)
{
	const struct devtrace_totals *t = devtrace_decoder_totals(r->decoder);

	if (!r->finished) {
		r->finished = !devtrace_decoder_finish(r->decoder);
		return false;
	}
	if (!r->evidence.found && !r->source.device) {
		if (!t->bytes)
			PyErr_Format(PyExc_ValueError, "%S: not a trace stream: the input is empty",
				     r->source.name);
		else
			PyErr_Format(PyExc_ValueError, "%S: not a trace stream: no %s in its %llu "
				     "byte%s", r->source.name,
				     t->frames ? "frames in a row" : "whole frame",
				     (unsigned long long)t->bytes, t->bytes == 1 ? "" : "s");
		r->evidence.found = r->failed = true;
	}
	return true;
}

/* Decode until there is an object, all rows, the end of the input, or an exception. */
static void reader_advance(struct reader *r)
{
	while (!r->got && !r->failed && (!r->table || table_rows(r->table) < r->limit)) {
		if (r->pos < r->len && !(r->ended && r->finished))
			reader_feed(r);
		else if (r->ended && reader_finish(r))
			return;
		else if (!r->ended && (PyErr_CheckSignals() || !reader_fill(r)))
			r->failed = true;
	}
}

static bool reader_enter(struct reader *r)
{
	if (r->busy)
		PyErr_SetString(PyExc_RuntimeError, "the reader is in use, by another thread perhaps; "
				"open the stream once for each thread");
	else if (!r->decoder)
		PyErr_SetString(PyExc_ValueError, "the reader is closed");
	else
		r->busy = true;
	return !PyErr_Occurred();
}

static PyObject *reader_object(struct reader *r, bool items)
{
	PyObject *got;

	if (!reader_enter(r))
		return NULL;
	r->items = items;
	reader_advance(r);
	got = r->got;
	r->got = NULL;
	r->failed = r->busy = false;
	return got;
}

static PyObject *reader_next(PyObject *self)
{
	return reader_object((struct reader *)self, false);
}

static PyObject *reader_self(PyObject *self)
{
	Py_INCREF(self);
	return self;
}

static PyObject *reader_columns(PyObject *self, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = { "event", "limit", NULL };
	struct reader *r = (struct reader *)self;
	PyObject *limit = Py_None, *dict = NULL;
	const char *event = NULL;
	size_t rows = SIZE_MAX;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|zO:columns", (char **)names, &event,
					 &limit))
		return NULL;
	if (limit != Py_None)
		rows = PyLong_AsSize_t(limit);
	if (PyErr_Occurred()) {
		if (PyErr_ExceptionMatches(PyExc_OverflowError))
			PyErr_Format(PyExc_ValueError, "limit is a number of events, not %S",
				     limit);
		return NULL;
	}
	if (limit == Py_None && r->source.follow) {
		PyErr_SetString(PyExc_ValueError, "columns() of a reader that follows needs a limit");
		return NULL;
	}
	if (!reader_enter(r))
		return NULL;
	r->items = false;
	r->limit = rows;
	r->table = table_new(event);
	if (r->table)
		reader_advance(r);
	if (!r->table || (r->failed && !PyErr_Occurred()))
		PyErr_NoMemory();
	else if (!PyErr_Occurred())
		dict = table_dict(r->table);
	table_free(r->table);
	r->table = NULL;
	r->failed = r->busy = false;
	return dict;
}

static PyObject *reader_totals(PyObject *self, void *unused)
{
	const struct reader *r = (struct reader *)self;
	const struct devtrace_totals *t = &r->totals;

	(void)unused;
	if (r->decoder)
		t = devtrace_decoder_totals(r->decoder);
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "bytes", t->bytes,
			     "frames", t->frames, "events", t->events, "missing", t->missing,
			     "damages", t->damages,
			     "damaged_bytes", t->damaged_bytes, "lost", t->lost);
}

static void reader_end(struct reader *r)
{
	if (!r->decoder)
		return;
	r->totals = *devtrace_decoder_totals(r->decoder);
	devtrace_decoder_free(r->decoder);
	r->decoder = NULL;
	source_close(&r->source);
	PyMem_Free(r->buf);
	r->buf = NULL;
}

static PyObject *reader_close(PyObject *self, PyObject *unused)
{
	struct reader *r = (struct reader *)self;

	(void)unused;
	if (r->decoder && !reader_enter(r))
		return NULL;
	reader_end(r);
	r->busy = false;
	Py_INCREF(Py_None);
	return Py_None;
}

static PyObject *reader_exit(PyObject *self, PyObject *unused)
{
	return reader_close(self, unused);
}

static PyObject *reader_with(PyObject *self, PyObject *unused)
{
	(void)unused;
	return reader_self(self);
}

static PyObject *reader_fileno(PyObject *self, PyObject *unused)
{
	struct reader *r = (struct reader *)self;

	(void)unused;
	if (!r->decoder) {
		PyErr_SetString(PyExc_ValueError, "the reader is closed");
		return NULL;
	}
	return PyLong_FromLong(r->source.fd);
}

static void reader_dealloc(PyObject *self)
{
	struct reader *r = (struct reader *)self;
	PyTypeObject *type = Py_TYPE(self);

	reader_end(r);
	source_close(&r->source);
	fmt_set_free(&r->fmts);
	PyMem_Free(r->buf);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* The iterator of items() */
struct items {
	PyObject_HEAD
	PyObject	*reader;
};

static PyObject *reader_items(PyObject *self, PyObject *unused)
{
	struct items *i = PyObject_New(struct items, items_type);

	(void)unused;
	if (i) {
		Py_INCREF(self);
		i->reader = self;
	}
	return (PyObject *)i;
}

static PyObject *items_next(PyObject *self)
{
	return reader_object((struct reader *)((struct items *)self)->reader, true);
}

static void items_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_DECREF(((struct items *)self)->reader);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* A mistake in a format file causes only a warning, because the rest of the file is used. */
static void reader_mistake(void *arg, enum fmt_level level, const char *path, unsigned int line,
			   unsigned int column, const char *message)
{
	(void)arg;
	(void)column;
	if (level == FMT_ERROR && line && !PyErr_Occurred())
		PyErr_WarnFormat(PyExc_UserWarning, 2, "%s:%u: %s", path, line, message);
}

/* Load format files in the order of traceinfo. Return false on an exception. */
static bool reader_formats(struct reader *r, PyObject *formats)
{
	const char *env = getenv("DEVTRACE_FMT_PATH");
	PyObject *list = PySequence_Tuple(formats), *path;
	Py_ssize_t i;

	for (i = 0; list && i < PyTuple_Size(list) && !PyErr_Occurred(); i++) {
		if (!PyUnicode_FSConverter(PyTuple_GetItem(list, i), &path))
			break;
		if (fmt_add_file(&r->fmts, PyBytes_AsString(path)) && !PyErr_Occurred())
			PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError,
							     PyTuple_GetItem(list, i));
		Py_DECREF(path);
	}
	Py_XDECREF(list);
	if (PyErr_Occurred())
		return false;
	fmt_next_place(&r->fmts);
	r->fmts.given = 1;
	if (env)
		fmt_add_path(&r->fmts, env);
	fmt_add_default(&r->fmts);
	return !PyErr_Occurred();
}

PyObject *reader_open(PyObject *module, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = { "source", "formats", "follow", NULL };
	struct devtrace_stats stats = { .cpu = -1 };
	PyObject *from, *formats = NULL, *none = NULL;
	struct reader *r;
	int follow = 0;
	bool done;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|Op:open", (char **)names, &from,
					 &formats, &follow))
		return NULL;
	if (formats && PyUnicode_Check(formats)) {
		PyErr_SetString(PyExc_TypeError, "formats is a list of paths, such as [\"board.fmt\"]");
		return NULL;
	}
	r = PyObject_New(struct reader, reader_type);
	if (!r)
		return NULL;
	memset((char *)r + sizeof(PyObject), 0, sizeof(*r) - sizeof(PyObject));
	r->source.fd = -1;
	r->end_ts = UINT64_MAX;
	fmt_set_init(&r->fmts, reader_mistake, NULL);
	none = formats ? NULL : PyTuple_New(0);
	done = (formats || none) && reader_formats(r, formats ? formats : none) &&
	       !source_open(&r->source, from, follow);
	Py_XDECREF(none);
	if (done) {
		r->buf = PyMem_Malloc(READER_BLOCK);
		r->decoder = r->buf ? devtrace_decoder_new(reader_item, r) : NULL;
	}
	if (done && r->decoder) {
		/* Programs may emit faster than the reader reads: leave out newer events. */
		if (r->source.device && !follow && !ioctl(r->source.fd, DEVTRACE_IOC_STATS, &stats))
			r->end_ts = stats.now;
		return (PyObject *)r;
	}
	if (done)
		PyErr_NoMemory();
	Py_DECREF(r);
	return NULL;
}

static PyMethodDef reader_methods[] = {
	{ "items", reader_items, METH_NOARGS,
	  "Iterate over all items: events, and dictionaries for losses, damage, names and so on" },
	{ "columns", (PyCFunction)(void (*)(void))reader_columns, METH_VARARGS | METH_KEYWORDS,
	  "columns(event=None, limit=None)\n\nRead the rest of the stream into columns" },
	{ "close", reader_close, METH_NOARGS, "Close the input" },
	{ "fileno", reader_fileno, METH_NOARGS, "The descriptor of the input, for select" },
	{ "__enter__", reader_with, METH_NOARGS, NULL },
	{ "__exit__", reader_exit, METH_VARARGS, NULL },
	{ 0 }
};

static PyGetSetDef reader_getset[] = {
	{ .name = "totals", .get = reader_totals, .doc = "Counts of what was read so far" },
	{ 0 }
};

static PyType_Slot reader_slots[] = {
	{ Py_tp_dealloc, reader_dealloc },
	{ Py_tp_iter, reader_self },
	{ Py_tp_iternext, reader_next },
	{ Py_tp_methods, reader_methods },
	{ Py_tp_getset, reader_getset },
	{ Py_tp_doc, "A stream that is being read; an iterator over its events" },
	{ 0 }
};

static PyType_Spec reader_spec = {
	.name = "devtrace.Reader", .basicsize = sizeof(struct reader),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = reader_slots,
};

static PyType_Slot items_slots[] = {
	{ Py_tp_dealloc, items_dealloc },
	{ Py_tp_iter, reader_self },
	{ Py_tp_iternext, items_next },
	{ 0 }
};

static PyType_Spec items_spec = {
	.name = "devtrace._Items", .basicsize = sizeof(struct items),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = items_slots,
};

int reader_init(PyObject *module)
{
	PyObject *json = PyImport_ImportModule("json");

	reader_loads = json ? PyObject_GetAttrString(json, "loads") : NULL;
	Py_XDECREF(json);
	if (!reader_loads)
		return -1;
	reader_type = (PyTypeObject *)module_type(module, "Reader", &reader_spec);
	items_type = (PyTypeObject *)PyType_FromSpec(&items_spec);
	return reader_type && items_type ? 0 : -1;
}
