// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for events of the kernel that are not for stream 0 alone
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "slots.h"
#include "slots_priv.h"

/**
 * emit_slots_alloc() - be ready for events that more than stream 0 wants, or that is stopped
 *
 * Context: process, devtrace_lock held.
 * Return: 0 or -ENOMEM.
 */
int emit_slots_alloc(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct emit_slots *s = per_cpu(emit_slots, cpu);

		if (s)
			continue;
		s = kvzalloc_node(sizeof(*s), GFP_KERNEL, cpu_to_node(cpu));
		if (!s)
			return -ENOMEM;
		for (i = 0; i < EMIT_SLOTS; i++)
			s->slot[i].below = EMIT_SLOT_FREE;
		/* LMM(slots:A): filled in before it is there; the reader depends on it. */
		smp_store_release(per_cpu_ptr(&emit_slots, cpu), s);
	}
	return 0;
}
