/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel primitives that reading a lane uses
 *
 * selftests/lane/lane_port_user.h is the counterpart in user space.
 */
#ifndef DEVTRACE_LANE_PORT_H
#define DEVTRACE_LANE_PORT_H

#include <asm/barrier.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat/compat.h"

/* The low bits of a block's number, as many as one load reads. */
typedef unsigned long tail_low_t;

/* Load a word once, though its writer may store meanwhile. The caller checks it afterwards. */
static __always_inline u32 lane_word(const void *p)
{
	/* See above. */
	u32 word = data_race(get_unaligned((const u32 *)p));

	/* Keep the compiler from loading the word again. */
	OPTIMIZER_HIDE_VAR(word);
	return word;
}

/* Load a word of a copy. No other thread changes the copy. */
static __always_inline u32 lane_copied_word(const void *p)
{
	return get_unaligned((const u32 *)p);
}

/* Add to the counter of this CPU. */
#define lane_count_add(counter, n)	this_cpu_add(*(counter), n)

/*
 * Copy memory that a program may change meanwhile; the caller discards an invalid copy. On CPUs
 * with fast string instructions, copying by words is as fast as copying by bytes; on others it is
 * faster.
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
