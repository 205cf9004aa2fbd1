/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_clock.h - the trace clock, and CLOCK_MONOTONIC_RAW from the CPU's counter
 *
 * These functions are inline, because reading the clock takes most of the time of devtrace_now()
 * and of writing an event into a lane. They change no state.
 */
#ifndef LIB_EMIT_CLOCK_H
#define LIB_EMIT_CLOCK_H

#include <devtrace/emit.h>

/*
 * Read the trace clock by clock_gettime(2). The caller has checked that the control page is the
 * device's.
 */
uint64_t dt_now_by_call(void);

/*
 * COUNTER_BEHIND: read the counter after all earlier loads of the program, by an LFENCE. The
 * kernel provides the constants in devtrace_counter only if LFENCE has this effect on RDTSC.
 */
enum counter_order { COUNTER_ANY, COUNTER_BEHIND };

#if defined(__x86_64__)
/*
 * Compute CLOCK_MONOTONIC_RAW = (counter * mult + offset) >> 32, in 128 bits. Return false if the
 * control page has no constants or the kernel changed them meanwhile. The constants are memory
 * operands, to save registers.
 */
static inline __attribute__((always_inline))
bool raw_counter(const struct devtrace_counter *c, uint64_t *ns, enum counter_order order)
{
	uint64_t seq, hi;

	/* LMM(now:A): load seq before the constants; pairs with tsc_write:C. */
	seq = __atomic_load_n(&c->seq, __ATOMIC_ACQUIRE);
	if (__builtin_expect(!seq, 0))
		return false;
	if (order == COUNTER_BEHIND)
		__asm__ volatile("lfence" : : : "memory");
	__asm__ volatile("rdtsc\n\t"
			 "shlq $32, %%rdx\n\t"
			 "orq %%rdx, %%rax\n\t"
			 "mulq %[mult]\n\t"
			 "addq %[offset_lo], %%rax\n\t"
			 "adcq %[offset_hi], %%rdx\n\t"
			 "shrdq $32, %%rdx, %%rax"
			 : "=&a" (*ns), "=&d" (hi)
			 : [mult] "m" (c->mult), [offset_lo] "m" (c->offset_lo),
			   [offset_hi] "m" (c->offset_hi)
			 : "cc", "memory");
	/* LMM(now:B): load the constants before loading seq again; pairs with tsc_write:B. */
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
 * Read the trace clock without a system call; return false if that is impossible. The caller has
 * checked that the control page is the device's. As in the kernel, the suspended time is loaded
 * before the counter.
 */
static inline __attribute__((always_inline))
bool raw_and_slept(uint64_t *ns, enum counter_order order)
{
	const struct devtrace_control *c = &devtrace_control;
	uint64_t slept = *(const volatile __u64 *)&c->suspended;
	uint64_t raw;

	if (!__builtin_expect(raw_counter(&c->counter, &raw, order), 1))
		return false;
	*ns = raw + slept;
	return true;
}

static inline __attribute__((always_inline)) bool now_by_counter(uint64_t *ns)
{
	return raw_and_slept(ns, COUNTER_ANY);
}

static inline __attribute__((always_inline)) uint64_t now_connected(enum counter_order order)
{
	uint64_t ns;

	return raw_and_slept(&ns, order) ? ns : dt_now_by_call();
}

#endif
