/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that the portable files of this folder use
 *
 * layout.c, check.c, lanes.c, sums.c and the files render*.c compile in user space, too, with
 * selftests/unit/persist_port_user.h instead of the kernel part below.
 */
#ifndef DEVTRACE_PERSIST_PORT_H
#define DEVTRACE_PERSIST_PORT_H

#ifdef __KERNEL__

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sort.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>
#include <uapi/linux/devtrace.h>

/* Called in long loops, so that other threads can run. */
#define persist_breathe()	cond_resched()
/* Takes n log n comparisons at most, with any content of a damaged region. */
#define persist_sort(base, n, size, compare)	sort(base, n, size, compare, NULL)

void *persist_alloc(size_t n);
void persist_free(void *p);
u64 persist_hide(u64 address);

#else
#include "persist_port_user.h"
#endif

#define PERSIST_SUM_FIRST	0xdeb7ace0U
/* Odd, so that different words have different products. */
#define PERSIST_SUM_BY		0x9fb21c651e98df25ULL

/*
 * A checksum that finds damage, not forgery. Each word is multiplied, and the upper half of the
 * product is folded into the lower half before the next word.
 */
static inline u32 persist_sum_add(u32 sum, const void *p, size_t n)
{
	const u8 *b = p;
	u64 h = sum, word;
	size_t i;

	for (; n >= sizeof(word); n -= sizeof(word), b += sizeof(word)) {
		memcpy(&word, b, sizeof(word));
		h = (h ^ word) * PERSIST_SUM_BY;
		h ^= h >> 32;
	}
	if (n) {
		for (i = 0, word = n; i < n; i++)
			word = word << 8 | b[i];
		h = (h ^ word) * PERSIST_SUM_BY;
		h ^= h >> 32;
	}
	return h;
}

static inline u32 persist_crc(const void *p, size_t n)
{
	return persist_sum_add(PERSIST_SUM_FIRST, p, n);
}

#endif /* DEVTRACE_PERSIST_PORT_H */
