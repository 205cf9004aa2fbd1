// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which slots have changed since a reader looked
 *
 * Looks of readers are numbered. A slot and its chunk keep the number of the next look after their
 * last change: events stored or dropped, another lane. So a reader that remembers its last look
 * finds the slots that changed since, in steps by chunks; and of many changes between two looks
 * only the first one costs more than a comparison.
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
