// SPDX-License-Identifier: GPL-2.0-only
/*
 * value.c - values of elements as Python objects
 */
#include "python.h"
#include <math.h>

static PyObject *value_mended(const char *s, size_t n)
{
	PyObject *text;
	struct out o;

	PyErr_Clear();
	out_init(&o, -1);
	while (n) {
		size_t len = utf8_len((const uint8_t *)s, n);

		if (len)
			out_mem(&o, s, len);
		else
			OUT_LIT(&o, "\xef\xbf\xbd");
		len = len ? len : 1;
		s += len;
		n -= len;
	}
	text = o.err ? PyErr_NoMemory() :
	       PyUnicode_DecodeUTF8(o.buf ? o.buf : "", (Py_ssize_t)o.len, "replace");
	out_free(&o);
	return text;
}

PyObject *value_text(const char *s, size_t n)
{
	PyObject *text = PyUnicode_DecodeUTF8(n ? s : "", (Py_ssize_t)n, NULL);

	if (!text && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))
		text = value_mended(s, n);
	return text;
}

PyObject *value_name(const char *s)
{
	PyObject *text = value_text(s, strlen(s));

	if (text)
		PyUnicode_InternInPlace(&text);
	return text;
}

/* Return the text that traceinfo prints for a value, or the bytes of MEM. */
static PyObject *value_printed(const struct fmt_value *v, const struct fmt_table *table,
			       const struct fmt_names *names)
{
	const bool is_mem = !table && fmt_elem_bit(&v->e) == FMT_BIT(DEVTRACE_E_MEM);
	PyObject *value;
	struct out o;

	out_init(&o, -1);
	o.raw = true;
	if (table)
		fmt_value_table(&o, &v->e, table);
	else if (is_mem)
		fmt_value_content(&o, v);
	else
		fmt_value_print(&o, v, false, names);
	if (o.err)
		value = PyErr_NoMemory();
	else if (is_mem)
		value = PyBytes_FromStringAndSize(o.buf, (Py_ssize_t)o.len);
	else
		value = value_text(o.buf, o.len);
	out_free(&o);
	return value;
}

PyObject *value_of(const struct fmt_value *v, const struct fmt_arg *arg,
		   const struct fmt_names *names)
{
	const struct fmt_table *table = arg ? arg->table : NULL;
	const uint32_t bit = fmt_elem_bit(&v->e);

	if (table)
		return value_printed(v, table, names);
	if (arg && arg->scale && (bit & (FMT_M_SINT | FMT_M_UINT)))
		return PyFloat_FromDouble(fmt_value_scaled(&v->e, arg->scale));
	if (bit & FMT_M_SINT)
		return PyLong_FromLongLong(fmt_value_signed(&v->e));
	if (bit & FMT_M_UINT)
		return PyLong_FromUnsignedLongLong(fmt_value_unsigned(&v->e));
	if (bit & FMT_M_FLOAT)
		return PyFloat_FromDouble(!isfinite(v->e.v.f) ? v->e.v.f :
			out_double_printed(v->e.v.f, v->e.type == DEVTRACE_E_F32));
	if (bit == FMT_BIT(DEVTRACE_E_STR))
		return value_text((const char *)v->e.v.mem.p, v->e.v.mem.len);
	return value_printed(v, NULL, names);
}
