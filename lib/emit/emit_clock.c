// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_clock.c - the trace clock, without a system call
 *
 * The trace clock is CLOCK_MONOTONIC_RAW plus the time that the machine was suspended. The control
 * page contains the suspended time. CLOCK_MONOTONIC_RAW is computed from the CPU's counter if the
 * page has the constants for it; otherwise clock_gettime(2) returns it, through the vDSO if there
 * is one.
 *
 * Order of events: in each system call that emits, the kernel executes a barrier before it reads
 * the same clock. devtrace_now() executes the same barrier, so its result is later than the times
 * of all earlier events of the program, and of events in other threads from which the program has
 * received a value. Without the barrier, the CPU could read the counter hundreds of cycles too
 * early, while an earlier load waits for memory.
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
		/* a 32-bit machine loads this in two halves */
		slept = *(const volatile __u64 *)&c->suspended;
		/*
		 * LMM(suspended:B): load the suspended time before loading suspends again; pairs
		 * with slept:B.
		 */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/*
		 * suspends is odd only for a short time, because the kernel changes it with
		 * interrupts off.
		 */
	} while (suspends & 1 || __atomic_load_n(&c->suspends, __ATOMIC_RELAXED) != suspends);
	if (!dt_clock_unshifted() || clock_gettime(CLOCK_MONOTONIC_RAW, &t))
		return 0;
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec + slept;
}

/*
 * The control page is not yet the device's. If no thread has tried to connect, connect. Then read
 * the clock.
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
