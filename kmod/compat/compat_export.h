/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_export.h - symbols that our modules share with each other, and with no other
 *
 * Not in compat.h, because few files have any. devtrace.ko has the symbols, and
 * devtrace_streams.ko; the modules beside it import the namespace. What drivers use
 * is exported without one.
 */
#ifndef DEVTRACE_COMPAT_EXPORT_H
#define DEVTRACE_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/module.h>
#include <linux/version.h>

/* A namespace was a word until 6.13, and is a string since. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define COMPAT_EXPORT_INTERNAL(sym)	EXPORT_SYMBOL_NS_GPL(sym, DEVTRACE)
#define COMPAT_IMPORT_INTERNAL()	MODULE_IMPORT_NS(DEVTRACE)
#else
#define COMPAT_EXPORT_INTERNAL(sym)	EXPORT_SYMBOL_NS_GPL(sym, "DEVTRACE")
#define COMPAT_IMPORT_INTERNAL()	MODULE_IMPORT_NS("DEVTRACE")
#endif

#endif /* DEVTRACE_COMPAT_EXPORT_H */
