// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_clock.c - the trace clock, without a system call
 *
 * It is CLOCK_MONOTONIC_RAW plus the time that the machine spent suspended. The
 * second is in the control page. The first comes by the CPU's counter, if the
 * page tells how; otherwise by clock_gettime(2), which the C library reads from
 * the vDSO where the machine has that.
 *
 * Where a reading stands among the events: the kernel reads the same clock
 * behind a barrier in each system call that emits. So does devtrace_now(), so its
 * reading comes after all that stands before it in the program, system calls and
 * what was learnt from other threads included; and what comes after it is ordered
 * by the kernel's barrier, or by that of the next reading. Without it a reading is
 * taken hundreds of cycles early where a load before it misses the caches.
 *
 * Nothing is written, so it may run in a signal handler over any part of itself.
 */
#include <errno.h>
#include <time.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_clock.h"

#define NSEC	UINT64_C(1000000000)

uint64_t dt_now_by_call(void)
{
	const struct devtrace_control *c = &devtrace_control;
	uint32_t suspends;
	struct timespec t;
	uint64_t slept;

	do {
		/* LMM(suspended:A): pairs with slept:C. */
		suspends = __atomic_load_n(&c->suspends, __ATOMIC_ACQUIRE);
		/* 32-bit machines load it in two halves. */
		slept = *(const volatile __u64 *)&c->suspended;
		/* LMM(suspended:B): the time before its number; pairs with slept:B. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* The kernel has interrupts off while it is odd. */
	} while (suspends & 1 || __atomic_load_n(&c->suspends, __ATOMIC_RELAXED) != suspends);
	if (clock_gettime(CLOCK_MONOTONIC_RAW, &t))
		return 0;
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec + slept;
}

/* The page is not that of the device: perhaps nobody has connected yet. */
static __attribute__((noinline)) uint64_t now_unconnected(void)
{
	int saved = errno;
	bool there = conn_page();

	errno = saved;
	return there ? dt_now_by_call() : 0;
}

uint64_t devtrace_now(void)
{
	if (__builtin_expect(__atomic_load_n(&devtrace_control.version, __ATOMIC_ACQUIRE) !=
			     DEVTRACE_WIRE_VERSION, 0))
		return now_unconnected();
	return now_connected(COUNTER_BEHIND);
}
