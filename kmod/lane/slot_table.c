// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of slots, and the events of lanes in each stream
 *
 * slot_memory.c fills the tables, slot.c gives the slots to lanes, and readers look slots up.
 */
#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "slot.h"
#include "slot_priv.h"

DEFINE_RAW_SPINLOCK(slots_lock);
struct slots slots0;
struct slots *slots_all[DEVTRACE_STREAMS_MAX] = { &slots0 };
struct slot *slots_chunks[SLOTS_MAX / SLOTS_CHUNK];
unsigned int slots_made;
u64 slots_first_block = 1;

/* Number of slots; it only grows. */
unsigned int slots_nr(void)
{
	/* LMM(slot_nr:C): pairs with slot_nr:A. */
	return smp_load_acquire(&slots_made);
}
