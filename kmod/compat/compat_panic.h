/* SPDX-License-Identifier: GPL-2.0-only */
/* The panic notifier list, which has its own header since 5.14 */
#ifndef DEVTRACE_COMPAT_PANIC_H
#define DEVTRACE_COMPAT_PANIC_H

#include <linux/kernel.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic_notifier.h>
#endif

#endif /* DEVTRACE_COMPAT_PANIC_H */
