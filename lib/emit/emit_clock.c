// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_clock.c - the trace clock, without a system call
 *
 * The clock is CLOCK_MONOTONIC_RAW plus the time that the machine spent suspended. The
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
 * In a time namespace clock_gettime(2) gives what the kernel's clock is not; the counter
 * and the control page are as everywhere. So there is no reading by it there, and no lane,
 * whose way to read the clock may change at any time. A process gets into a time namespace
 * by being forked, so a child looks again. One of a single thread can also go there by
 * setns(2), of which nobody tells us, and to look with each reading would cost more than the
 * reading: it says so by devtrace_open(), and gives up its lane; see libdevtrace(3).
 *
 * But for that, which is one word, nothing is written, so it may run in a signal handler
 * over any part of itself.
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

/* The link of the namespace that the kernel begins with: PROC_TIME_INIT_INO. */
#define INITIAL	"time:[4026531834]"

static enum { NOT_LOOKED, UNSHIFTED, SHIFTED } shift;

void dt_clock_look(void)
{
	int saved = errno;
	char link[sizeof(INITIAL)];
	ssize_t n = readlink("/proc/self/ns/time", link, sizeof(link));
	bool other = n >= 0 && (n != sizeof(INITIAL) - 1 || memcmp(link, INITIAL, (size_t)n));

	/* Without the link, this kernel has no time namespaces; or there is no /proc. */
	__atomic_store_n(&shift, other ? SHIFTED : UNSHIFTED, __ATOMIC_RELAXED);
	errno = saved;
}

bool dt_clock_unshifted(void)
{
	if (__builtin_expect(__atomic_load_n(&shift, __ATOMIC_RELAXED) == NOT_LOOKED, 0))
		dt_clock_look();
	return __atomic_load_n(&shift, __ATOMIC_RELAXED) == UNSHIFTED;
}

/* Not later: it may be a child that makes no such calls any more. */
static void forked(void)
{
	if (shift != NOT_LOOKED)
		dt_clock_look();
}

__attribute__((constructor))
static void clock_begin(void)
{
	pthread_atfork(NULL, NULL, forked);
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
		/* 32-bit machines load it in two halves. */
		slept = *(const volatile __u64 *)&c->suspended;
		/* LMM(suspended:B): the time before its number; pairs with slept:B. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* The kernel has interrupts off while it is odd. */
	} while (suspends & 1 || __atomic_load_n(&c->suspends, __ATOMIC_RELAXED) != suspends);
	if (!dt_clock_unshifted() || clock_gettime(CLOCK_MONOTONIC_RAW, &t))
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
