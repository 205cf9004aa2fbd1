/* SPDX-License-Identifier: GPL-2.0-only */
/* Copy the payload of an event, without a call if it is short */
#ifndef DEVTRACE_EMIT_PAYLOAD_H
#define DEVTRACE_EMIT_PAYLOAD_H

#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat/compat.h"

/*
 * Is an event of this size copied word by word? The last two words may overlap, so machines
 * without efficient unaligned access use memcpy().
 */
static __always_inline bool payload_is_few_words(unsigned int size)
{
	return IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) &&
	       likely(size >= sizeof(long) && size <= 8 * sizeof(long));
}

static __always_inline void payload_copy_words(u8 *to, const u8 *from, unsigned int size)
{
	const u8 *last = to + size - sizeof(long);

	do {
		*(unsigned long *)to = *(const unsigned long *)from;
		from += sizeof(long);
		to += sizeof(long);
	} while (to < last);
	*(unsigned long *)last = *(const unsigned long *)(from + (last - to));
}

/* Copy less than a word, without a call. */
static __always_inline void payload_copy_bytes(u8 *to, const u8 *from, unsigned int len)
{
	if (len >= sizeof(u32)) {
		const unsigned int last = len - sizeof(u32);
		const u32 begin = get_unaligned((const u32 *)from);

		put_unaligned(get_unaligned((const u32 *)(from + last)), (u32 *)(to + last));
		put_unaligned(begin, (u32 *)to);
	} else if (len) {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}

/* Copy a payload that, with the header of a request, passed payload_is_few_words(). */
static __always_inline void payload_copy_few(u8 *to, const u8 *from, unsigned int len)
{
	if (likely(len >= sizeof(long)))
		payload_copy_words(to, from, len);
	else
		payload_copy_bytes(to, from, len);
}

static __always_inline void payload_copy(void *to, const void *from, unsigned int len)
{
	if (payload_is_few_words(len))
		payload_copy_words(to, from, len);
	else
		memcpy(to, from, len);
}

#endif /* DEVTRACE_EMIT_PAYLOAD_H */
