/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes as an administrator writes them: 65536, 64K, 1M */
#ifndef DEVTRACE_SIZE_H
#define DEVTRACE_SIZE_H

#include <linux/moduleparam.h>
#include <linux/types.h>

int devtrace_size_parse(const char *val, u64 *bytes);

/* Operations of a module parameter of type unsigned long. */
extern const struct kernel_param_ops devtrace_size_ops;

#endif /* DEVTRACE_SIZE_H */
