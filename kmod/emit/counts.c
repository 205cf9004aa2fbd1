// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of stored and filtered events, by type
 *
 * notrace: see emit/emit.c.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/devtrace.h>

#include "counts.h"

#if IS_BUILTIN(CONFIG_DEVTRACE)
/* Counts events of drivers that are earlier than emit_counts_init(). Nothing reads these counts. */
static DEFINE_PER_CPU(u64[256], too_early);
u64 __percpu *devtrace_filtered __read_mostly = too_early;
#else
u64 __percpu *devtrace_filtered __read_mostly;
#endif
EXPORT_SYMBOL_GPL(devtrace_filtered);

struct emit_counts __percpu *emit_counts __read_mostly;

/* Count an event that stream 0's filter refused. */
notrace void emit_not_wanted(unsigned int type)
{
	this_cpu_inc(devtrace_filtered[type]);
}

/* Allocate the counters. Return 0 or -ENOMEM. */
int __init emit_counts_init(void)
{
	emit_counts = alloc_percpu(struct emit_counts);
	if (!emit_counts)
		return -ENOMEM;
	devtrace_filtered = emit_counts->filtered;
	return 0;
}

/* Called when no emitter is left. */
void emit_counts_exit(void)
{
	free_percpu(emit_counts);
}
