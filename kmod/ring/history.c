// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last few of something, with numbers
 *
 * notrace: see emit/emit.c.
 */
#include <linux/string.h>

#include "history.h"

/**
 * history_add() - the next entry is written
 * @h: the history
 * @room: how many entries its array has, a power of two
 *
 * Context: any, NMI included; one caller at a time, who wrote entry @h->nr.
 */
notrace void history_add(struct history *h, unsigned int room)
{
	const unsigned long nr = h->nr + 1;

	/* One may be being written: it is not counted on. */
	if (nr - h->oldest >= room)
		WRITE_ONCE(h->oldest, h->oldest + 1);
	/* LMM(history:A): the entry before its number; pairs with history:B. */
	smp_store_release(&h->nr, nr);
}

/**
 * history_get() - a copy of an entry
 * @h: the history
 * @room: how many entries its array has, a power of two
 * @entries: the array
 * @size: of an entry, bytes
 * @n: its number, from history_oldest() on; moved forward to the oldest there is
 * @entry: filled in
 *
 * Context: any.
 * Return: false if there is none yet.
 */
bool history_get(const struct history *h, unsigned int room, const void *entries, size_t size,
		 unsigned long *n, void *entry)
{
	unsigned long nr;

	for (;;) {
		/* LMM(history:B): pairs with history:A. */
		nr = smp_load_acquire(&h->nr);
		if (*n == nr)
			return false;
		if (nr - *n >= room)
			*n = history_oldest(h);
		/* An entry that is overwritten meanwhile is not returned. */
		data_race(memcpy(entry, entries + (*n & (room - 1)) * size, size));
		/* The copy before the number is looked at again. */
		smp_rmb();
		if (READ_ONCE(h->nr) - *n < room)
			return true;
	}
}
