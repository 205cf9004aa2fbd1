// SPDX-License-Identifier: GPL-2.0-only
/*
 * event.c - the type Event
 *
 * An object gets all names when it is made, because the next frame may change names in the stream.
 */
#include "python.h"
#include "common/severity.h"

struct event {
	PyObject_HEAD
	uint64_t	ts;
	int64_t		real;
	bool		timed;		/* @real is known */
	enum devtrace_sync sync;	/* how exact @real is */
	uint64_t	error;		/* in ns, with DEVTRACE_SYNC_ERROR */
	/* described: a format describes the elements; line: the event is a line of text */
	bool		described, line;
	uint8_t		type, flags, severity;
	uint16_t	source, object, signal;
	int		lane;
	uint32_t	tid, tgid, code;
	/* NULL: none */
	PyObject	*process, *name, *object_name, *signal_name;
	PyObject	*statement, *args, *elements, *broken, *text;
};

static PyTypeObject *event_type;

/* The attributes, in the order of traceinfo --json. */
enum event_attr {
	EVENT_KIND, EVENT_TS, EVENT_TIME, EVENT_LATE, EVENT_CPU, EVENT_LANE, EVENT_CONTEXT,
	EVENT_USER, EVENT_SEVERITY, EVENT_TID, EVENT_PID, EVENT_PROCESS, EVENT_TYPE, EVENT_NAME,
	EVENT_MAJOR, EVENT_MINOR, EVENT_OBJECT, EVENT_OBJECT_NAME, EVENT_SIGNAL,
	EVENT_SIGNAL_NAME, EVENT_IN_JSON,
	/* These attributes are not in the JSON object, or the object has other members for them. */
	EVENT_REALTIME = EVENT_IN_JSON, EVENT_ERROR, EVENT_SYNC, EVENT_STATEMENT, EVENT_ARGS,
	EVENT_ELEMENTS, EVENT_BROKEN, EVENT_TEXT, EVENT_ATTRS
};

static const char *const event_names[EVENT_ATTRS] = {
	"kind", "ts", "time", "late", "cpu", "lane", "context", "user", "severity", "tid", "pid",
	"process", "type", "name", "major", "minor", "object", "object_name", "signal",
	"signal_name", "realtime", "error", "synchronised", "statement", "args", "elements",
	"broken", "text",
};

/* The words of traceinfo --json. */
static const char *const event_syncs[] = {
	[DEVTRACE_SYNC_UNKNOWN] = "unknown", [DEVTRACE_SYNC_NEVER] = "never",
	[DEVTRACE_SYNC_LOST] = "lost", [DEVTRACE_SYNC_ERROR] = "yes",
};

static PyObject *event_none(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

static PyObject *event_maybe(PyObject *o)
{
	if (!o)
		return event_none();
	Py_INCREF(o);
	return o;
}

static PyObject *event_number(bool has, unsigned long v)
{
	return has ? PyLong_FromUnsignedLong(v) : event_none();
}

static PyObject *event_time(const struct event *e)
{
	static struct ti_clock clock;
	PyObject *text;
	struct out o;

	if (!e->timed)
		return event_none();
	out_init(&o, -1);
	ti_clock_iso_real(&o, &clock, e->real);
	text = value_text(o.buf, o.len);
	out_free(&o);
	return text;
}

static const char *event_context(const struct event *e)
{
	const struct devtrace_event ev = { .flags = e->flags };
	const struct ti_event t = { .ev = &ev };

	return ti_event_context(&t);
}

/* Return an attribute. @closure: the index of the attribute in event_names */
static PyObject *event_get(PyObject *self, void *closure)
{
	const struct event *e = (struct event *)self;
	const bool code = e->flags & DEVTRACE_F_CODE, objsig = e->flags & DEVTRACE_F_OBJSIG;

	switch ((enum event_attr)((const char *const *)closure - event_names)) {
	case EVENT_KIND:
		return PyUnicode_InternFromString("event");
	case EVENT_TS:
		return PyLong_FromUnsignedLongLong(e->ts);
	case EVENT_TIME:
		return event_time(e);
	case EVENT_REALTIME:
		return e->timed ? PyLong_FromLongLong(e->real) : event_none();
	case EVENT_ERROR:
		return e->sync == DEVTRACE_SYNC_ERROR ? PyLong_FromUnsignedLongLong(e->error) :
							event_none();
	case EVENT_SYNC:
		return value_name(event_syncs[e->sync]);
	case EVENT_LATE:
		return PyBool_FromLong(e->flags & DEVTRACE_F_LATE);
	case EVENT_CPU:
		return event_number(e->lane < 0, e->source);
	case EVENT_LANE:
		return event_number(e->lane >= 0, (unsigned long)e->lane);
	case EVENT_CONTEXT:
		return PyUnicode_InternFromString(event_context(e));
	case EVENT_USER:
		return PyBool_FromLong(e->flags & DEVTRACE_F_USER);
	case EVENT_SEVERITY:
		return e->severity & DEVTRACE_SEV_SET ?
		       PyUnicode_InternFromString(severity_name(e->severity)) : event_none();
	case EVENT_TID:
		return PyLong_FromUnsignedLong(e->tid);
	case EVENT_PID:
		return event_number(e->tgid, e->tgid);
	case EVENT_PROCESS:
		return event_maybe(e->process);
	case EVENT_TYPE:
		return PyLong_FromUnsignedLong(e->type);
	case EVENT_NAME:
		return event_maybe(e->name);
	case EVENT_MAJOR:
		return event_number(code, DEVTRACE_CODE_MAJOR(e->code));
	case EVENT_MINOR:
		return event_number(code, DEVTRACE_CODE_MINOR(e->code));
	case EVENT_OBJECT:
		return event_number(objsig, e->object);
	case EVENT_OBJECT_NAME:
		return event_maybe(e->object_name);
	case EVENT_SIGNAL:
		return event_number(objsig, e->signal);
	case EVENT_SIGNAL_NAME:
		return event_maybe(e->signal_name);
	case EVENT_STATEMENT:
		return event_maybe(e->statement);
	case EVENT_ARGS:
		return event_maybe(e->args);
	case EVENT_ELEMENTS:
		return event_maybe(e->elements);
	case EVENT_BROKEN:
		return event_maybe(e->broken);
	case EVENT_TEXT:
		return event_maybe(e->text);
	case EVENT_ATTRS:
		break;
	}
	return event_none();
}

/* Set a member of the dictionary, and release the reference. Return false on an exception. */
static bool event_put(PyObject *dict, const char *key, PyObject *v)
{
	const bool done = v && !PyDict_SetItemString(dict, key, v);

	Py_XDECREF(v);
	return done;
}

/* Return the elements without a name as in JSON: a list of objects with one member each. */
static PyObject *event_list(PyObject *elements)
{
	PyObject *list = PyList_New(0), *one, *pair;
	Py_ssize_t i;

	for (i = 0; list && i < PyTuple_Size(elements); i++) {
		pair = PyTuple_GetItem(elements, i);
		one = PyDict_New();
		if (!one || PyList_Append(list, one) ||
		    PyDict_SetItem(one, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1))) {
			Py_DECREF(list);
			list = NULL;
		}
		Py_XDECREF(one);
	}
	return list;
}

static bool event_dict_elements(const struct event *e, PyObject *dict)
{
	if (e->line)
		return true;
	if (e->statement && PyDict_Update(dict, e->statement))
		return false;
	if (e->described && !event_put(dict, "args", event_maybe(e->args)))
		return false;
	if ((!e->described || PyTuple_Size(e->elements) || e->broken) &&
	    !event_put(dict, e->described ? "more" : "elements", event_list(e->elements)))
		return false;
	return !e->broken || event_put(dict, "broken", PySequence_List(e->broken));
}

static PyObject *event_as_dict(PyObject *self, PyObject *unused)
{
	const struct event *e = (struct event *)self;
	PyObject *dict = PyDict_New(), *v;
	unsigned int i;

	(void)unused;
	for (i = 0; dict && i < EVENT_IN_JSON; i++) {
		if (i == EVENT_LATE && !(e->flags & DEVTRACE_F_LATE))
			continue;
		v = event_get(self, (void *)&event_names[i]);
		if (v == Py_None) {
			Py_DECREF(v);
		} else if (!event_put(dict, event_names[i], v)) {
			Py_DECREF(dict);
			return NULL;
		}
	}
	if (dict && (!event_dict_elements(e, dict) ||
		     !event_put(dict, "text", event_maybe(e->text)))) {
		Py_DECREF(dict);
		return NULL;
	}
	return dict;
}

static PyObject *event_repr(PyObject *self)
{
	const struct event *e = (struct event *)self;

	return PyUnicode_FromFormat("<devtrace.Event %llu %U: %U>", (unsigned long long)e->ts,
				    e->name, e->text);
}

static void event_dealloc(PyObject *self)
{
	struct event *e = (struct event *)self;
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(e->process);
	Py_XDECREF(e->name);
	Py_XDECREF(e->object_name);
	Py_XDECREF(e->signal_name);
	Py_XDECREF(e->statement);
	Py_XDECREF(e->args);
	Py_XDECREF(e->elements);
	Py_XDECREF(e->broken);
	Py_XDECREF(e->text);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* Return the text of the event, as traceinfo prints it. */
static PyObject *event_text(const struct ti_event *e, bool *line)
{
	struct devtrace_elem text;
	PyObject *s;
	struct out o;

	*line = ti_event_line(e, &text);
	if (*line)
		return value_text((const char *)text.v.mem.p, text.v.mem.len);
	out_init(&o, -1);
	if (e->log.is_log)
		fmt_log_text(&o, &e->log, e->ev, &e->dict.names);
	else
		fmt_print(&o, e->entry, e->ev->data, e->ev->len, &e->dict.names);
	s = o.err ? PyErr_NoMemory() : value_text(o.buf, o.len);
	out_free(&o);
	return s;
}

static PyObject *event_name(const struct ti_event *e)
{
	PyObject *s;
	struct out o;

	out_init(&o, -1);
	o.raw = true;
	ti_event_name(&o, e);
	out_char(&o, 0);
	s = o.err ? PyErr_NoMemory() : value_name(o.buf);
	out_free(&o);
	return s;
}

/* Return the elements from @pos on, which have no names, as pairs of a type and a value. */
static bool event_elements(struct event *e, const struct ti_event *t, size_t pos)
{
	const struct devtrace_event *ev = t->ev;
	PyObject *list, *pair;
	struct fmt_value v;
	int ret = 0;

	if (pos == ev->len) {
		e->elements = PyTuple_New(0);
		return e->elements;
	}
	list = PyList_New(0);
	while (list && (ret = fmt_value_next(ev->data, ev->len, &pos, &v)) == 1) {
		pair = Py_BuildValue("(sN)", fmt_elem_name(&v.e),
				     value_of(&v, NULL, &t->dict.names));
		if (!pair || PyList_Append(list, pair)) {
			Py_XDECREF(pair);
			Py_DECREF(list);
			return false;
		}
		Py_DECREF(pair);
	}
	if (list && ret < 0)
		e->broken = PyBytes_FromStringAndSize((const char *)ev->data + pos,
						      (Py_ssize_t)(ev->len - pos));
	e->elements = list ? PyList_AsTuple(list) : NULL;
	Py_XDECREF(list);
	return e->elements && (ret >= 0 || e->broken);
}

/* Describe the statement that emitted a LOG event, with the members that it has in JSON. */
static bool event_statement(struct event *e, const struct fmt_log *l)
{
	const struct log_site *s = l->site;
	PyObject *dict = PyDict_New();

	e->statement = dict;
	return dict &&
	       event_put(dict, "image", l->id ? value_name(l->id) : PyLong_FromLong(l->image)) &&
	       event_put(dict, "site", PyLong_FromUnsignedLong(l->index)) &&
	       (!s || (event_put(dict, "level", value_name(log_level_name(s->level))) &&
		       event_put(dict, "file", value_name(s->file)) &&
		       event_put(dict, "line", PyLong_FromUnsignedLong(s->line)) &&
		       (!*s->function || event_put(dict, "function", value_name(s->function)))));
}

static bool event_args(struct event *e, const struct ti_event *t)
{
	struct fmt_fit fit;
	unsigned int i;

	e->args = PyDict_New();
	if (!e->args)
		return false;
	if (e->line) {
		e->elements = PyTuple_New(0);
		return e->elements;
	}
	if (t->log.is_log)
		return event_statement(e, &t->log) && event_elements(e, t, t->log.args);
	e->described = fmt_fit(&fit, t->entry, t->ev->data, t->ev->len);
	for (i = 0; e->described && i < t->entry->nargs; i++) {
		const struct fmt_arg *a = &t->entry->args[i];
		PyObject *key = value_text(a->name, a->name_len);
		PyObject *v = key ? value_of(&fit.values[i], a, &t->dict.names) : NULL;
		const bool done = v && !PyDict_SetItem(e->args, key, v);

		Py_XDECREF(key);
		Py_XDECREF(v);
		if (!done)
			return false;
	}
	return event_elements(e, t, e->described ? fit.end : 0);
}

/* Set *to to the name if the thing has a name. Return false on an exception. */
static bool event_set(PyObject **to, const char *name)
{
	if (name)
		*to = value_name(name);
	return !name || *to;
}

PyObject *event_new(const struct ti_event *t, const int64_t *real)
{
	const struct devtrace_event *ev = t->ev;
	const bool objsig = ev->flags & DEVTRACE_F_OBJSIG;
	struct event *e = PyObject_New(struct event, event_type);

	if (!e)
		return NULL;
	memset((char *)e + sizeof(PyObject), 0, sizeof(*e) - sizeof(PyObject));
	e->ts = ev->ts;
	e->timed = real;
	e->real = real ? *real : 0;
	e->sync = real ? devtrace_decoder_error(t->decoder, t->ev->ts, &e->error) :
			 DEVTRACE_SYNC_UNKNOWN;
	e->type = ev->number;
	e->flags = ev->flags;
	e->severity = ev->severity;
	e->source = ev->source;
	e->lane = ti_event_lane(t);
	e->object = ev->object;
	e->signal = ev->signal;
	e->tid = ev->tid;
	e->tgid = t->tgid;
	e->code = ev->code;
	e->name = event_name(t);
	e->text = event_text(t, &e->line);
	if (e->name && e->text && event_args(e, t) &&
	    event_set(&e->process, ti_event_process(t)) &&
	    event_set(&e->object_name, objsig ? ti_event_object(t) : NULL) &&
	    event_set(&e->signal_name, objsig ? ti_event_signal(t) : NULL))
		return (PyObject *)e;
	Py_DECREF(e);
	return NULL;
}

static PyGetSetDef event_getset[EVENT_ATTRS + 1];

static PyMethodDef event_methods[] = {
	{ "as_dict", event_as_dict, METH_NOARGS,
	  "The event as the dictionary that traceinfo --json prints" },
	{ 0 }
};

static PyType_Slot event_slots[] = {
	{ Py_tp_dealloc, event_dealloc },
	{ Py_tp_getset, event_getset },
	{ Py_tp_methods, event_methods },
	{ Py_tp_repr, event_repr },
	{ Py_tp_doc, "An event of a stream" },
	{ 0 }
};

static PyType_Spec event_spec = {
	.name = "devtrace.Event", .basicsize = sizeof(struct event),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = event_slots,
};

int event_init(PyObject *module)
{
	unsigned int i;

	for (i = 0; i < EVENT_ATTRS; i++) {
		event_getset[i].name = event_names[i];
		event_getset[i].get = event_get;
		event_getset[i].closure = (void *)&event_names[i];
	}
	event_type = (PyTypeObject *)module_type(module, "Event", &event_spec);
	return event_type ? 0 : -1;
}
