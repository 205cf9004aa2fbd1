/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_export.h - symbols that only the modules of devtrace share
 *
 * This is not in compat.h, because few files export symbols. devtrace.ko exports them in a
 * namespace; the other modules import it. Symbols for drivers are exported without a namespace.
 */
#ifndef DEVTRACE_COMPAT_EXPORT_H
#define DEVTRACE_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/module.h>
#include <linux/version.h>

/* Before 6.13 a namespace is written as a word, since then as a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define COMPAT_EXPORT_INTERNAL(sym)	EXPORT_SYMBOL_NS_GPL(sym, DEVTRACE)
#define COMPAT_IMPORT_INTERNAL()	MODULE_IMPORT_NS(DEVTRACE)
#else
#define COMPAT_EXPORT_INTERNAL(sym)	EXPORT_SYMBOL_NS_GPL(sym, "DEVTRACE")
#define COMPAT_IMPORT_INTERNAL()	MODULE_IMPORT_NS("DEVTRACE")
#endif

#endif /* DEVTRACE_COMPAT_EXPORT_H */
