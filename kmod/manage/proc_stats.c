// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much each thread emitted, while it goes on
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "emit/proc.h"
#include "proc_stats.h"

/* Counts of this CPU not yet in the slot, or for PROC_SLOT_IDLE; may be a moment old. */
static unsigned long proc_stats_counted(const struct proc_last *last, int slot)
{
	return READ_ONCE(last->slot) == slot ? READ_ONCE(last->stored) : 0;
}

/* The idle task of the n-th CPU number, if there is such a CPU and it emitted. */
static bool idle_stats(unsigned int cpu, struct proc_name *name, u64 *stored)
{
	const struct proc_last *last;

	if (!cpu_possible(cpu))
		return false;
	last = per_cpu_ptr(&devtrace_proc_last, cpu);
	*stored = READ_ONCE(last->idle) + proc_stats_counted(last, PROC_SLOT_IDLE);
	memset(name, 0, sizeof(*name));
	/* The name has room for a number of five digits; no machine has as many CPUs. */
	snprintf(name->comm, sizeof(name->comm), "swapper/%u", (u16)cpu);
	return *stored;
}

/**
 * devtrace_proc_stats() - how much a thread emitted
 * @slot: number of a slot, 0 at first; moved behind the one that is told
 * @name: filled in: its newest name
 * @stored: filled in: its events that were stored, since it has the slot
 *
 * Return: false if there are no more.
 */
bool devtrace_proc_stats(unsigned int *slot, struct proc_name *name, u64 *stored)
{
	const unsigned int slots = PROC_SLOTS;
	int cpu;
	u64 n;

	while (*slot < slots + nr_cpu_ids) {
		const unsigned int i = (*slot)++;

		if (i >= slots) {
			if (idle_stats(i - slots, name, stored))
				return true;
			continue;
		}
		if (!devtrace_proc_slot(i, name, stored))
			continue;
		n = *stored;
		for_each_possible_cpu(cpu)
			n += proc_stats_counted(per_cpu_ptr(&devtrace_proc_last, cpu), i);
		*stored = n;
		return true;
	}
	return false;
}
