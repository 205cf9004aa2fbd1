// SPDX-License-Identifier: GPL-2.0-only
/* The number of events of each thread, read while it emits */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "emit/proc.h"
#include "proc_stats.h"

/*
 * Return the number of events that a CPU has counted for @slot, but not yet added to the slot. The
 * number may be slightly old. @last: counts of the CPU
 */
static unsigned long proc_stats_counted(const struct proc_last *last, int slot)
{
	return READ_ONCE(last->slot) == slot ? READ_ONCE(last->stored) : 0;
}

/* Describe the idle task of a CPU. Return false if the CPU does not exist or emitted nothing. */
static bool idle_stats(unsigned int cpu, struct proc_name *name, u64 *stored)
{
	const struct proc_last *last;

	if (!cpu_possible(cpu))
		return false;
	last = per_cpu_ptr(&devtrace_proc_last, cpu);
	*stored = READ_ONCE(last->idle) + proc_stats_counted(last, PROC_SLOT_IDLE);
	memset(name, 0, sizeof(*name));
	/* The name has room for five digits, which is enough for the CPUs of any machine. */
	snprintf(name->comm, sizeof(name->comm), "swapper/%u", (u16)cpu);
	return *stored;
}

/**
 * devtrace_proc_stats() - get the number of events of the next thread
 * @slot: 0 in the first call; advanced past the thread that is returned
 * @name: filled in with its newest name
 * @stored: set to the number of events stored for the thread since it got the slot
 *
 * Return: false at the end.
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
