/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The notifier list of panics: it has a header of its own since 5.14
 */
#ifndef DEVTRACE_COMPAT_PANIC_H
#define DEVTRACE_COMPAT_PANIC_H

#include <linux/kernel.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic_notifier.h>
#endif

#endif /* DEVTRACE_COMPAT_PANIC_H */
