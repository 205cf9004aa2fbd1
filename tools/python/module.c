// SPDX-License-Identifier: GPL-2.0-only
/*
 * module.c - the extension module devtrace._devtrace
 */
#include "python.h"

PyObject *module_type(PyObject *module, const char *name, PyType_Spec *spec)
{
	PyObject *type = PyType_FromSpec(spec);

	if (type && PyModule_AddObjectRef(module, name, type)) {
		Py_DECREF(type);
		return NULL;
	}
	return type;
}

static PyMethodDef module_methods[] = {
	{ "open", (PyCFunction)(void (*)(void))reader_open, METH_VARARGS | METH_KEYWORDS,
	  "open(source, formats=(), follow=False) -> Reader\n\n"
	  "Read a stream from a path, a link, a file descriptor or bytes." },
	{ 0 }
};

static struct PyModuleDef module_def = {
	PyModuleDef_HEAD_INIT, .m_name = "_devtrace", .m_size = -1, .m_methods = module_methods,
	.m_doc = "Read streams of devtrace",
};

PyMODINIT_FUNC PyInit__devtrace(void);
PyMODINIT_FUNC PyInit__devtrace(void)
{
	PyObject *m = PyModule_Create(&module_def);

	if (m && (event_init(m) || column_init(m) || reader_init(m) ||
		  PyModule_AddStringConstant(m, "__version__", TI_VERSION))) {
		Py_DECREF(m);
		return NULL;
	}
	return m;
}
