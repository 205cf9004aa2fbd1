/* SPDX-License-Identifier: GPL-2.0-only */
/* Compile all filters into one table: see filter_compile.c */
#ifndef DEVTRACE_MANAGE_FILTER_COMPILE_H
#define DEVTRACE_MANAGE_FILTER_COMPILE_H

#include <linux/types.h>

struct filter;
struct filter_table;

struct filter_table *filter_table_compile(struct filter *const *f, u32 generation);

#endif /* DEVTRACE_MANAGE_FILTER_COMPILE_H */
