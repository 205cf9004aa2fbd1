// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_clock.c - the trace clock, without a system call
 *
 * The trace clock is CLOCK_MONOTONIC_RAW plus the time that the machine was suspended. The
 * control page holds the suspended time. CLOCK_MONOTONIC_RAW comes from the CPU's counter if the
 * page has its constants, otherwise from clock_gettime(2), which uses the vDSO if there is one.
 *
 * Order among events: in each system call that emits, the kernel reads the same clock after a
 * barrier. devtrace_now() has the same barrier, so its reading is later than everything before it
 * in the program, including system calls and values received from other threads. Later readings
 * are ordered by their own barrier. Without the barrier, the CPU can read the counter hundreds of
 * cycles early, while it waits for an earlier load that missed the caches.
 *
 * In a time namespace clock_gettime(2) is not used: see emit_timens.c.
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
		/* 32-bit machines load this in two halves. */
		slept = *(const volatile __u64 *)&c->suspended;
		/* LMM(suspended:B): the time before suspends; pairs with slept:B. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/*
		 * The value is odd only for a short time: the kernel changes it with interrupts
		 * off.
		 */
	} while (suspends & 1 || __atomic_load_n(&c->suspends, __ATOMIC_RELAXED) != suspends);
	if (!dt_clock_unshifted() || clock_gettime(CLOCK_MONOTONIC_RAW, &t))
		return 0;
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec + slept;
}

/*
 * The control page is still the library's own. If no thread has tried to connect yet, connect,
 * and then read the clock.
 */
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
