/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_clock.h - CLOCK_MONOTONIC_RAW by the CPU's counter, and the trace clock by it
 *
 * What is in here is inline because both who ask for the time and who emit into a
 * lane do little else. Nothing is written.
 */
#ifndef LIB_EMIT_CLOCK_H
#define LIB_EMIT_CLOCK_H

#include <devtrace/emit.h>

/* The trace clock by clock_gettime(2): the control page is that of the device. */
uint64_t dt_now_by_call(void);

/*
 * Whether the reading is to come after all that stands before it in the program. The
 * kernel fills in devtrace_counter where LFENCE is a barrier for RDTSC.
 */
enum counter_order { COUNTER_ANY, COUNTER_BEHIND };

#if defined(__x86_64__)
static inline __attribute__((always_inline)) uint64_t counter(enum counter_order order)
{
	uint32_t lo, hi;

	if (order == COUNTER_BEHIND)
		__asm__ volatile("lfence\n\trdtsc" : "=a" (lo), "=d" (hi) : : "memory");
	else
		__asm__ volatile("rdtsc" : "=a" (lo), "=d" (hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

/* CLOCK_MONOTONIC_RAW, if it can be had so. */
static inline __attribute__((always_inline))
bool raw_counter(const struct devtrace_counter *c, uint64_t *ns, enum counter_order order)
{
	unsigned __int128 offset;
	uint64_t seq;

	/* LMM(now:A): the number before the constants; pairs with tsc_write:C. */
	seq = __atomic_load_n(&c->seq, __ATOMIC_ACQUIRE);
	if (__builtin_expect(!seq, 0))
		return false;
	offset = (unsigned __int128)__atomic_load_n(&c->offset_hi, __ATOMIC_RELAXED) << 64;
	offset |= __atomic_load_n(&c->offset_lo, __ATOMIC_RELAXED);
	*ns = (offset + (unsigned __int128)counter(order) *
			__atomic_load_n(&c->mult, __ATOMIC_RELAXED)) >> 32;
	/* LMM(now:B): the constants before the number; pairs with tsc_write:B. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __builtin_expect(__atomic_load_n(&c->seq, __ATOMIC_RELAXED) == seq, 1);
}
#else
static inline bool raw_counter(const struct devtrace_counter *c, uint64_t *ns,
			       enum counter_order order)
{
	(void)c;
	(void)ns;
	(void)order;
	return false;
}
#endif

/*
 * The trace clock: the control page is that of the device. The time suspended is loaded
 * before the rest is read, as by the kernel.
 */
static inline __attribute__((always_inline)) uint64_t now_connected(enum counter_order order)
{
	const struct devtrace_control *c = &devtrace_control;
	uint64_t slept = *(const volatile __u64 *)&c->suspended;
	uint64_t raw;

	if (__builtin_expect(raw_counter(&c->counter, &raw, order), 1))
		return raw + slept;
	return dt_now_by_call();
}

#endif
