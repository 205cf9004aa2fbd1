/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's functions that reading a lane needs
 *
 * The counterpart for user space is selftests/lane/lane_port_user.h.
 */
#ifndef DEVTRACE_LANE_PORT_H
#define DEVTRACE_LANE_PORT_H

#include <asm/barrier.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat/compat.h"

/* As much of the number of a block as is loaded in one piece. */
typedef unsigned long tail_low_t;

/*
 * One word, loaded once. The writer of a lane, or of a newer run, may store there
 * meanwhile: the caller checks afterwards whether the word was valid.
 */
static __always_inline u32 lane_word(const void *p)
{
	/* See above. */
	u32 word = data_race(get_unaligned((const u32 *)p));

	/* Or the compiler may load it again where it is used. */
	OPTIMIZER_HIDE_VAR(word);
	return word;
}

/*
 * A program may store there meanwhile: then what was copied is thrown away. By words, which
 * is as fast as by bytes where there are fast strings, and not slow where there are none.
 */
static inline void lane_copy_out(void *dst, const void *src, size_t n)
{
#ifdef CONFIG_X86_64
	size_t words = n / sizeof(u64);

	asm volatile("rep movsq" : "+D" (dst), "+S" (src), "+c" (words) : : "memory");
	n %= sizeof(u64);
#endif
	/* See above. */
	data_race(memcpy(dst, src, n));
}

#endif /* DEVTRACE_LANE_PORT_H */
