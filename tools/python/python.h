/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python.h - the parts of the Python module devtrace
 *
 * An event passes through these files: source.c reads bytes, reader.c decodes them, event.c makes
 * an object of an event, or table.c adds the event to columns. value.c converts elements, and
 * column.c has the type Column. The module uses Python's stable ABI only.
 *
 * Python's lock protects all static data of these files. Only the functions of source.c that read,
 * and the functions of table.c and column.c that add an event, run without the lock.
 */
#ifndef PYTHON_PYTHON_H
#define PYTHON_PYTHON_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API	0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#if PY_VERSION_HEX < 0x030b0000
#error "The module needs Python 3.11 or newer: PYTHON=python3.11"
#endif
#include "common/link.h"
#include "common/out.h"
#include "fmtlang/value.h"
#include "traceinfo/traceinfo.h"

/* The input of a reader. */
struct source {
	int		fd;		/* -1: closed */
	bool		own, is_link, device, regular, follow;
	struct link	link;
	struct zread	*zread;
	PyObject	*name;		/* for messages */
	/* damaged parts of a compressed input, which the caller must report and set to 0 */
	uint64_t	damages, damage_offset, damage_bytes;
};

int reader_init(PyObject *module);

/* python/value.c: a string; each byte that is not UTF-8 becomes U+FFFD, as in JSON. */
PyObject *value_text(const char *s, size_t n);
/* The same for a name that probably occurs again: equal names share one object. */
PyObject *value_name(const char *s);
/* Return a value as traceinfo --json prints it, but MEM as bytes. @arg: its argument, or NULL. */
PyObject *value_of(const struct fmt_value *v, const struct fmt_arg *arg,
		   const struct fmt_names *names);

/* python/event.c */
int event_init(PyObject *module);
/* Make an object of an event. @real: its time in ns since 1970; NULL: unknown. */
PyObject *event_new(const struct ti_event *e, const int64_t *real);

/* python/source.c */
/* Open a path, a link, a descriptor or the bytes of an object. Return 0, or -1 and an exception. */
int source_open(struct source *s, PyObject *from, bool follow);
void source_close(struct source *s);
/*
 * Read at most @n bytes; wait for bytes without Python's lock. Return the number of bytes, 0 at the
 * end of the input, or -1 and an exception.
 */
Py_ssize_t source_read(struct source *s, void *buf, size_t n);

/* python/column.c: an array that grows. A column of strings has numbers of categories. */
struct column;
enum column_kind { COLUMN_I32 = 'i', COLUMN_U32 = 'I', COLUMN_I64 = 'q', COLUMN_U64 = 'Q',
		   COLUMN_F64 = 'd', COLUMN_TEXT = 't' };
int column_init(PyObject *module);
/* These return NULL or false if there is no memory; they need no lock of Python. */
struct column *column_new(enum column_kind kind);
bool column_add(struct column *c, uint64_t v);
bool column_add_text(struct column *c, const char *s, size_t n);
/*
 * Add a number to a column of numbers of any kind. If the column cannot hold the number exactly,
 * the column becomes one of doubles.
 */
bool column_add_number(struct column *c, const double *f, const int64_t *i, const uint64_t *u);
/* Add a missing value: NaN, or the empty string. */
bool column_add_none(struct column *c);
enum column_kind column_kind(const struct column *c);
size_t column_rows(const struct column *c);
void column_free(struct column *c);
/* Make a Python object of a column, which then owns the column. Return NULL and an exception. */
PyObject *column_object(struct column *c);

/* python/table.c: the columns of the events of a reader. */
struct table;
/* @event: only events of this name, with a column for each argument; NULL: all events */
struct table *table_new(const char *event);
void table_free(struct table *t);
/* Add an event. Return false if there is no memory. */
bool table_add(struct table *t, const struct ti_event *e, const int64_t *real);
size_t table_rows(const struct table *t);
/* Make a dictionary of the columns, and remove the columns from @t. */
PyObject *table_dict(struct table *t);

/* open(source, formats=(), follow=False) */
PyObject *reader_open(PyObject *module, PyObject *args, PyObject *keywords);

/* Add a type to the module. Return the type, or NULL and an exception. */
PyObject *module_type(PyObject *module, const char *name, PyType_Spec *spec);

#endif
