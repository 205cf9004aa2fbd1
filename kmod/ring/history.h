/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last few of something, with numbers
 *
 * Entry n stands at n modulo room, a power of two, of an array that the owner has. One at a
 * time writes the next entry and adds it; any number of readers copy entries without a lock.
 * The number is added behind the entry, and an entry that is overwritten meanwhile is not given.
 */
#ifndef DT_HISTORY_H
#define DT_HISTORY_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct history - what there is of it
 * @nr: how many were added since number 0; the next one has this number. Wraps.
 * @oldest: the number of the oldest that is not overwritten next
 */
struct history {
	unsigned long nr, oldest;
};

/* @start: where the numbers begin, for tests of how they wrap */
static inline void history_start(struct history *h, u32 start)
{
	h->oldest = (long)(s32)start;
	h->nr = h->oldest;
}

/* Whether there is number @n, or a later one. */
static inline bool history_has(const struct history *h, unsigned long n)
{
	return READ_ONCE(h->nr) != n;
}

static inline unsigned long history_oldest(const struct history *h)
{
	return READ_ONCE(h->oldest);
}

void history_add(struct history *h, unsigned int room);
bool history_get(const struct history *h, unsigned int room, const void *entries, size_t size,
		 unsigned long *n, void *entry);

#endif /* DT_HISTORY_H */
