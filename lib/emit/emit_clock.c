// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_clock.c - the trace clock, without a system call
 *
 * The trace clock is CLOCK_MONOTONIC_RAW plus the time that the machine was suspended. The
 * control page holds the suspended time. CLOCK_MONOTONIC_RAW comes from the CPU's counter if the
 * page has its constants, otherwise from clock_gettime(2), which uses the vDSO if there is one.
 *
 * Order among events: in each system call that emits, the kernel reads the same clock behind a
 * barrier. devtrace_now() has the same barrier, so its reading is later than everything before
 * it in the program, including system calls and values received from other threads. Later
 * readings are ordered by their own barrier. Without the barrier, a load that misses the caches
 * lets the counter be read hundreds of cycles early.
 *
 * In a time namespace clock_gettime(2) differs from the kernel's clock, but the counter and the
 * control page do not. So clock_gettime(2) is not used there, and the thread gets no lane,
 * because the kernel may withdraw the counter at any time. A process normally enters a time
 * namespace by fork(2), so a child checks again. A single-threaded process can also enter one by
 * setns(2), which the library cannot notice; checking at each reading would cost more than the
 * reading. Such a program calls devtrace_open() afterwards and gives up its lane; see
 * libdevtrace(3).
 *
 * Only the result of that check, one word, is written, so all functions may run in a signal
 * handler that interrupts any of them.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_clock.h"

#define NSEC	UINT64_C(1000000000)

/* Link of the initial time namespace: PROC_TIME_INIT_INO. */
#define INITIAL	"time:[4026531834]"

static enum { NOT_LOOKED, UNSHIFTED, SHIFTED } shift;

void dt_clock_look(void)
{
	int saved = errno;
	char link[sizeof(INITIAL)];
	ssize_t n = readlink("/proc/self/ns/time", link, sizeof(link));
	bool other = n >= 0 && (n != sizeof(INITIAL) - 1 || memcmp(link, INITIAL, (size_t)n));

	/* Without the link the kernel has no time namespaces, or /proc is not mounted. */
	__atomic_store_n(&shift, other ? SHIFTED : UNSHIFTED, __ATOMIC_RELAXED);
	errno = saved;
}

bool dt_clock_unshifted(void)
{
	if (__builtin_expect(__atomic_load_n(&shift, __ATOMIC_RELAXED) == NOT_LOOKED, 0))
		dt_clock_look();
	return __atomic_load_n(&shift, __ATOMIC_RELAXED) == UNSHIFTED;
}

/* Check at once: seccomp may forbid the child these calls later. */
static void clock_forked(void)
{
	if (shift != NOT_LOOKED)
		dt_clock_look();
}

__attribute__((constructor))
static void clock_begin(void)
{
	pthread_atfork(NULL, NULL, clock_forked);
}

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
		/* An odd value cannot last: the kernel changes it with interrupts off. */
	} while (suspends & 1 || __atomic_load_n(&c->suspends, __ATOMIC_RELAXED) != suspends);
	if (!dt_clock_unshifted() || clock_gettime(CLOCK_MONOTONIC_RAW, &t))
		return 0;
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec + slept;
}

/* The control page is not the device's; perhaps no thread has connected yet. */
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
