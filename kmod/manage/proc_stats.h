/* SPDX-License-Identifier: GPL-2.0-only */
/* The number of events of each thread: see proc_stats.c */
#ifndef DEVTRACE_MANAGE_PROC_STATS_H
#define DEVTRACE_MANAGE_PROC_STATS_H

#include <linux/types.h>

struct proc_name;

bool devtrace_proc_stats(unsigned int *slot, struct proc_name *name, u64 *stored);

#endif /* DEVTRACE_MANAGE_PROC_STATS_H */
