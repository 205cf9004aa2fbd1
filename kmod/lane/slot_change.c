// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which slots have changed since a reader's last look at them
 *
 * Each look has a number. A change of a slot (events stored or dropped, or another lane) stores
 * the number of the next look in the slot and in its chunk. A reader that remembers its last look
 * thus finds the slots that have changed since, chunk by chunk. Only the first change
 * between two looks costs more than a comparison.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include "slot.h"
#include "slot_priv.h"

static void chunk_changed_since(u64 seen, unsigned int chunk, unsigned long *slots,
				unsigned int nr)
{
	const unsigned int end = min((chunk + 1) * SLOTS_CHUNK, nr);
	unsigned int i;

	raw_spin_lock(&slots_lock);
	for (i = chunk * SLOTS_CHUNK; i < end; i++)
		if (slot_at(i)->change > seen)
			__set_bit(i, slots);
	raw_spin_unlock(&slots_lock);
}

/**
 * slots_changed_since() - find the slots that have changed
 * @seen: number of the last look, or 0; becomes the number of this look
 * @slots: bitmap; the bits of changed slots are set
 * @nr: number of slots to look at
 */
void slots_changed_since(u64 *seen, unsigned long *slots, unsigned int nr)
{
	DECLARE_BITMAP(chunks, SLOTS_MAX / SLOTS_CHUNK) = { 0 };
	const u64 since = *seen;
	unsigned int i;

	raw_spin_lock(&slots_lock);
	*seen = slots_next_look++;
	if (slots_newest_change > since)
		for (i = 0; i * SLOTS_CHUNK < nr; i++)
			if (slots_chunk_changes[i] > since)
				__set_bit(i, chunks);
	raw_spin_unlock(&slots_lock);
	for_each_set_bit(i, chunks, SLOTS_MAX / SLOTS_CHUNK)
		chunk_changed_since(since, i, slots, nr);
}
