// SPDX-License-Identifier: GPL-2.0-only
/* Statistics of the events of a type, read while emitters count */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/devtrace.h>

#include "emit/emit.h"
#include "type_stats.h"

/*
 * Statistics of a type. @stored: events stored, in all streams together; @filtered: events that
 * stream 0's filter refused.
 */
void devtrace_type_stats(unsigned int type, u64 *stored, u64 *filtered)
{
	int cpu;

	*stored = 0;
	*filtered = 0;
	for_each_possible_cpu(cpu) {
		*stored += READ_ONCE(per_cpu_ptr(emit_counts, cpu)->stored[type]);
		*filtered += READ_ONCE(per_cpu_ptr(emit_counts, cpu)->filtered[type]);
	}
}
