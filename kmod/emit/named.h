/* SPDX-License-Identifier: GPL-2.0-only */
/* Types that programs and drivers register by name: see named.c */
#ifndef DEVTRACE_EMIT_NAMED_H
#define DEVTRACE_EMIT_NAMED_H

#include <linux/types.h>
#include <linux/devtrace.h>

/* The user who is charged for the types of drivers: root */
#define NAMED_ROOT	0

int devtrace_named_number(u32 uid, const char name[DEVTRACE_NAME_MAX]);
void devtrace_named_exit(void);

#endif /* DEVTRACE_EMIT_NAMED_H */
