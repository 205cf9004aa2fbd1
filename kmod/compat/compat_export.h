/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_export.h - symbols that our modules share with each other, and with no other
 *
 * Not in compat.h, because few files have any. devtrace.ko has the symbols;
 * devtrace_control.ko and devtrace_profile.ko import the namespace. What drivers use
 * is exported without one.
 */
#ifndef DEVTRACE_COMPAT_EXPORT_H
#define DEVTRACE_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/module.h>
#include <linux/version.h>

/* A namespace was a word until 6.13, and is a string since. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define COMPAT_EXPORT_INTERNAL(sym)	EXPORT_SYMBOL_NS_GPL(sym, DEVTRACE_INTERNAL)
#define COMPAT_IMPORT_INTERNAL()	MODULE_IMPORT_NS(DEVTRACE_INTERNAL)
#else
#define COMPAT_EXPORT_INTERNAL(sym)	EXPORT_SYMBOL_NS_GPL(sym, "DEVTRACE_INTERNAL")
#define COMPAT_IMPORT_INTERNAL()	MODULE_IMPORT_NS("DEVTRACE_INTERNAL")
#endif

#endif /* DEVTRACE_COMPAT_EXPORT_H */
