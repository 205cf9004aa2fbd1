/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All filters in one table: see filter_compile.c
 */
#ifndef DEVTRACE_FILTER_COMPILE_H
#define DEVTRACE_FILTER_COMPILE_H

#include <linux/types.h>

struct filter;
struct filter_table;

struct filter_table *filter_table_compile(struct filter *const *f, u32 generation);
void filter_table_free(struct filter_table *t);

#endif /* DEVTRACE_FILTER_COMPILE_H */
