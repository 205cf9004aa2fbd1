// SPDX-License-Identifier: GPL-2.0-only
/*
 * column.c - the type Column: an array that grows, and gives its memory to other types
 *
 * C code fills a column without Python's lock. Then column_object() makes an object that owns the
 * column and never changes it, so the buffer that memoryview() and numpy get remains valid. A
 * column of strings is a column of numbers: each different string is a category with a number.
 */
#include "python.h"
#include <math.h>
#include "common/hash.h"

struct column {
	enum column_kind kind;
	size_t		n, room;	/* values */
	union {
		void	 *any;
		int32_t	 *i32;
		uint32_t *u32;
		int64_t	 *i64;
		uint64_t *u64;
		double	 *f64;
	} v;
	/* Categories: string i is the part of @text from @starts[i] to the next start. */
	struct hash_key	key;
	struct out	text;
	size_t		*starts;
	uint64_t	*hashes;
	uint32_t	nr, nr_room;
	uint32_t	*slots;		/* category + 1; 0: free */
	uint32_t	nr_slots;	/* a power of two */
};

static size_t column_size(enum column_kind kind)
{
	return kind == COLUMN_I32 || kind == COLUMN_U32 || kind == COLUMN_TEXT ? 4 : 8;
}

struct column *column_new(enum column_kind kind)
{
	struct column *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->kind = kind;
	out_init(&c->text, -1);
	if (kind == COLUMN_TEXT)
		hash_key_init(&c->key);
	return c;
}

void column_free(struct column *c)
{
	if (!c)
		return;
	free(c->v.any);
	free(c->starts);
	free(c->hashes);
	free(c->slots);
	out_free(&c->text);
	free(c);
}

enum column_kind column_kind(const struct column *c)
{
	return c->kind;
}

size_t column_rows(const struct column *c)
{
	return c->n;
}

static bool column_grow(struct column *c)
{
	const size_t room = c->room ? 2 * c->room : 256;
	void *p = realloc(c->v.any, room * column_size(c->kind));

	if (!p)
		return false;
	c->v.any = p;
	c->room = room;
	return true;
}

bool column_add(struct column *c, uint64_t v)
{
	if (c->n == c->room && !column_grow(c))
		return false;
	if (column_size(c->kind) == 4)
		c->v.u32[c->n++] = (uint32_t)v;
	else
		c->v.u64[c->n++] = v;
	return true;
}

/* Convert the numbers of 64 bits to doubles. */
static void column_double(struct column *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		c->v.f64[i] = c->kind == COLUMN_I64 ? (double)c->v.i64[i] : (double)c->v.u64[i];
	c->kind = COLUMN_F64;
}

static bool column_add_double(struct column *c, double f)
{
	if (c->n == c->room && !column_grow(c))
		return false;
	if (c->kind != COLUMN_F64)
		column_double(c);
	c->v.f64[c->n++] = f;
	return true;
}

bool column_add_number(struct column *c, const double *f, const int64_t *i, const uint64_t *u)
{
	if (c->kind == COLUMN_I64 && i)
		return column_add(c, (uint64_t)*i);
	if (c->kind == COLUMN_U64 && u)
		return column_add(c, *u);
	if (c->kind == COLUMN_I64 && u && *u <= INT64_MAX)
		return column_add(c, *u);
	if (c->kind == COLUMN_U64 && i && *i >= 0)
		return column_add(c, (uint64_t)*i);
	return column_add_double(c, f ? *f : i ? (double)*i : (double)*u);
}

static uint64_t column_hash(const struct column *c, const char *s, size_t n)
{
	uint64_t words[16] = { n };

	while (n > sizeof(words) - sizeof(words[0])) {
		memcpy(words + 1, s, sizeof(words) - sizeof(words[0]));
		s += sizeof(words) - sizeof(words[0]);
		n -= sizeof(words) - sizeof(words[0]);
		words[0] ^= hash_words(&c->key, words, 16);
	}
	memset(words + 1, 0, sizeof(words) - sizeof(words[0]));
	memcpy(words + 1, s, n);
	return hash_words(&c->key, words, 1 + (n + 7) / 8);
}

static size_t column_end(const struct column *c, uint32_t i)
{
	return i + 1 < c->nr ? c->starts[i + 1] : c->text.len;
}

static bool column_is(const struct column *c, uint32_t i, const char *s, size_t n)
{
	return column_end(c, i) - c->starts[i] == n &&
	       (!n || !memcmp(c->text.buf + c->starts[i], s, n));
}

/* Double the number of slots, and give each category a new slot. */
static bool column_rehash(struct column *c)
{
	const uint32_t nr = c->nr_slots ? 2 * c->nr_slots : 64;
	uint32_t *slots = calloc(nr, sizeof(*slots)), i, at;

	if (!slots)
		return false;
	for (i = 0; i < c->nr; i++) {
		for (at = (uint32_t)c->hashes[i] & (nr - 1); slots[at]; at = (at + 1) & (nr - 1))
			;
		slots[at] = i + 1;
	}
	free(c->slots);
	c->slots = slots;
	c->nr_slots = nr;
	return true;
}

static bool column_category(struct column *c, const char *s, size_t n, uint64_t hash)
{
	if (c->nr == c->nr_room) {
		const uint32_t room = c->nr_room ? 2 * c->nr_room : 64;
		size_t *starts = realloc(c->starts, room * sizeof(*starts));
		uint64_t *hashes;

		if (!starts)
			return false;
		c->starts = starts;
		hashes = realloc(c->hashes, room * sizeof(*hashes));
		if (!hashes)
			return false;
		c->hashes = hashes;
		c->nr_room = room;
	}
	c->starts[c->nr] = c->text.len;
	c->hashes[c->nr] = hash;
	out_mem(&c->text, s, n);
	c->nr += !c->text.err;
	return !c->text.err;
}

bool column_add_text(struct column *c, const char *s, size_t n)
{
	uint64_t hash;
	uint32_t at, i;

	if (!n)
		s = "";
	/* In many columns, most events have the same string as the event before. */
	if (c->n && column_is(c, c->v.u32[c->n - 1], s, n))
		return column_add(c, c->v.u32[c->n - 1]);
	hash = column_hash(c, s, n);
	/* At most half of the slots are in use, so that the search always finds a free slot. */
	if (2 * (c->nr + 1) > c->nr_slots && !column_rehash(c))
		return false;
	for (at = (uint32_t)hash & (c->nr_slots - 1); c->slots[at];
	     at = (at + 1) & (c->nr_slots - 1)) {
		i = c->slots[at] - 1;
		if (c->hashes[i] == hash && column_is(c, i, s, n))
			return column_add(c, i);
	}
	if (!column_category(c, s, n, hash))
		return false;
	c->slots[at] = c->nr;
	return column_add(c, c->nr - 1);
}

bool column_add_none(struct column *c)
{
	return c->kind == COLUMN_TEXT ? column_add_text(c, "", 0) :
	       column_add_double(c, (double)NAN);
}

/* The object. */
struct column_py {
	PyObject_HEAD
	struct column	*c;
	PyObject	*categories;	/* a tuple; NULL: numbers */
	char		format[2];
	Py_ssize_t	shape, stride;
};

static PyTypeObject *column_type;

static PyObject *column_categories(const struct column *c)
{
	PyObject *all = PyTuple_New(c->nr), *s;
	uint32_t i;

	for (i = 0; all && i < c->nr; i++) {
		s = value_text(c->text.buf ? c->text.buf + c->starts[i] : "",
			       column_end(c, i) - c->starts[i]);
		if (!s || PyTuple_SetItem(all, i, s)) {
			Py_DECREF(all);
			return NULL;
		}
	}
	return all;
}

PyObject *column_object(struct column *c)
{
	struct column_py *p = PyObject_New(struct column_py, column_type);

	if (!p) {
		column_free(c);
		return NULL;
	}
	p->c = c;
	p->categories = NULL;
	p->format[0] = c->kind == COLUMN_TEXT ? 'I' : (char)c->kind;
	p->format[1] = 0;
	p->shape = (Py_ssize_t)c->n;
	p->stride = (Py_ssize_t)column_size(c->kind);
	if (c->kind != COLUMN_TEXT)
		return (PyObject *)p;
	p->categories = column_categories(c);
	if (p->categories)
		return (PyObject *)p;
	Py_DECREF(p);
	return NULL;
}

static int column_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column_py *p = (struct column_py *)self;
	static uint64_t empty;

	if (flags & PyBUF_WRITABLE) {
		view->obj = NULL;
		PyErr_SetString(PyExc_BufferError, "a column cannot be changed; copy it");
		return -1;
	}
	*view = (Py_buffer){
		.buf = p->c->v.any ? p->c->v.any : &empty, .len = p->shape * p->stride,
		.itemsize = p->stride, .readonly = 1, .ndim = 1,
		.format = flags & PyBUF_FORMAT ? p->format : NULL,
		.shape = flags & PyBUF_ND ? &p->shape : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &p->stride : NULL,
	};
	Py_INCREF(self);
	view->obj = self;
	return 0;
}

static Py_ssize_t column_length(PyObject *self)
{
	return ((struct column_py *)self)->shape;
}

static PyObject *column_value(PyObject *self, Py_ssize_t i)
{
	const struct column_py *p = (struct column_py *)self;
	PyObject *s;

	if (i < 0 || i >= p->shape) {
		PyErr_SetString(PyExc_IndexError, "a column ends before this index");
		return NULL;
	}
	switch (p->c->kind) {
	case COLUMN_I32:
		return PyLong_FromLong(p->c->v.i32[i]);
	case COLUMN_U32:
		return PyLong_FromUnsignedLong(p->c->v.u32[i]);
	case COLUMN_I64:
		return PyLong_FromLongLong(p->c->v.i64[i]);
	case COLUMN_U64:
		return PyLong_FromUnsignedLongLong(p->c->v.u64[i]);
	case COLUMN_F64:
		return PyFloat_FromDouble(p->c->v.f64[i]);
	case COLUMN_TEXT:
		break;
	}
	s = PyTuple_GetItem(p->categories, (Py_ssize_t)p->c->v.u32[i]);
	Py_XINCREF(s);
	return s;
}

static PyObject *column_get_categories(PyObject *self, void *unused)
{
	PyObject *o = ((struct column_py *)self)->categories;

	(void)unused;
	o = o ? o : Py_None;
	Py_INCREF(o);
	return o;
}

static PyObject *column_get_format(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromString(((struct column_py *)self)->format);
}

static void column_dealloc(PyObject *self)
{
	struct column_py *p = (struct column_py *)self;
	PyTypeObject *type = Py_TYPE(self);

	column_free(p->c);
	Py_XDECREF(p->categories);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyGetSetDef column_getset[] = {
	{ .name = "categories", .get = column_get_categories,
	  .doc = "The strings for which the numbers stand; None: the numbers are values" },
	{ .name = "format", .get = column_get_format, .doc = "The type of a value, as for struct" },
	{ 0 }
};

static PyType_Slot column_slots[] = {
	{ Py_tp_dealloc, column_dealloc },
	{ Py_tp_getset, column_getset },
	{ Py_sq_length, column_length },
	{ Py_sq_item, column_value },
	{ Py_bf_getbuffer, column_buffer },
	{ Py_tp_doc, "The values of a field in all events; a buffer" },
	{ 0 }
};

static PyType_Spec column_spec = {
	.name = "devtrace.Column", .basicsize = sizeof(struct column_py),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = column_slots,
};

int column_init(PyObject *module)
{
	column_type = (PyTypeObject *)module_type(module, "Column", &column_spec);
	return column_type ? 0 : -1;
}
