/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of the events of a type: see type_stats.c */
#ifndef DEVTRACE_MANAGE_TYPE_STATS_H
#define DEVTRACE_MANAGE_TYPE_STATS_H

#include <linux/types.h>

void devtrace_type_stats(unsigned int type, u64 *stored, u64 *filtered);

#endif /* DEVTRACE_MANAGE_TYPE_STATS_H */
