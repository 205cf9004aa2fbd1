// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bounded history of numbered entries
 *
 * notrace: see emit/emit.c.
 */
#include <linux/string.h>

#include "history.h"

/**
 * history_add() - make the entry that was just written visible
 * @h: the history
 * @room: entries in its array, a power of two
 *
 * Context: any, NMI included; one caller at a time, which has written entry @h->nr.
 */
notrace void history_add(struct history *h, unsigned int room)
{
	const unsigned long nr = h->nr + 1;

	/* Keep one entry of the array out of the history: the writer may be overwriting it. */
	if (nr - h->oldest >= room)
		WRITE_ONCE(h->oldest, h->oldest + 1);
	/*
	 * LMM(history:A): If a reader reads this number, then it reads the entry that was
	 * stored before it. Pairs with history:B.
	 */
	smp_store_release(&h->nr, nr);
}

/**
 * history_get() - copy an entry
 * @h: the history
 * @room: entries in its array, a power of two
 * @entries: the array
 * @size: size of an entry, bytes
 * @n: number of the entry; if it was overwritten, set to the number of the oldest entry
 * @entry: filled in
 *
 * Context: any.
 * Return: false if entry @n does not exist yet.
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
		/* The check below rejects an entry that is overwritten during the copy. */
		data_race(memcpy(entry, entries + (*n & (room - 1)) * size, size));
		/*
		 * If the copy reads data of a writer that overwrites entry @n, then the number
		 * loaded below is at least @n + @room: history_add() released that number before
		 * the writer began.
		 */
		smp_rmb();
		if (READ_ONCE(h->nr) - *n < room)
			return true;
	}
}
