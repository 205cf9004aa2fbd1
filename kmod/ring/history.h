/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded history of numbered entries
 *
 * The owner has an array whose size is a power of two. Entry n is at index n modulo the size. One
 * writer at a time writes the next entry and calls history_add(). Any number of readers copy
 * entries without a lock, and never get an entry that was overwritten during the copy.
 */
#ifndef DT_HISTORY_H
#define DT_HISTORY_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct history - the range of valid numbers
 * @nr: number of the next entry; wraps
 * @oldest: number of the oldest entry that the writer does not overwrite next
 *
 * The writer alone stores both; readers load them without a lock.
 */
struct history {
	unsigned long nr, oldest;
};

/* Begin an empty history. @start: number of its first entry; tests set one that wraps soon */
static inline void history_start(struct history *h, u32 start)
{
	h->oldest = (long)(s32)start;
	h->nr = h->oldest;
}

/* Does entry @n, or a later one, exist? */
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
