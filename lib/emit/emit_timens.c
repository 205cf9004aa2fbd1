// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_timens.c - is this process in a time namespace?
 *
 * In a time namespace clock_gettime(2) returns a shifted time, but the CPU's counter and the
 * control page stay those of the kernel. The times in a lane come from the counter. If the kernel
 * forbids the counter, which it may do at any time, only clock_gettime(2) is left. To avoid wrong
 * times in that case, a thread in a time namespace gets no lane.
 *
 * A process normally enters a time namespace by fork(2), so a child of fork(2) checks again. A
 * single-threaded process can also enter one by setns(2), which the library cannot notice; a check
 * at each reading of the clock would cost more than the reading. Such a program must call
 * devtrace_open() afterwards and give up its lane; see libdevtrace(3).
 *
 * The functions write only the result of the check, one word, so all of them may run in a signal
 * handler that interrupts another.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "emit.h"

/* Text of the link in the initial time namespace. The number is the kernel's PROC_TIME_INIT_INO. */
#define INITIAL	"time:[4026531834]"

static enum { NOT_LOOKED, UNSHIFTED, SHIFTED } shift;

void dt_timens_look(void)
{
	int saved = errno;
	char link[sizeof(INITIAL)];
	ssize_t n = readlink("/proc/self/ns/time", link, sizeof(link));
	bool other = n >= 0 && (n != sizeof(INITIAL) - 1 || memcmp(link, INITIAL, (size_t)n));

	/* If the link is missing, the kernel has no time namespaces, or /proc is not mounted. */
	__atomic_store_n(&shift, other ? SHIFTED : UNSHIFTED, __ATOMIC_RELAXED);
	errno = saved;
}

bool dt_clock_unshifted(void)
{
	if (__builtin_expect(__atomic_load_n(&shift, __ATOMIC_RELAXED) == NOT_LOOKED, 0))
		dt_timens_look();
	return __atomic_load_n(&shift, __ATOMIC_RELAXED) == UNSHIFTED;
}

/* Check in the child at once, because seccomp(2) may later forbid it these calls. */
static void timens_forked(void)
{
	if (shift != NOT_LOOKED)
		dt_timens_look();
}

__attribute__((constructor))
static void timens_begin(void)
{
	pthread_atfork(NULL, NULL, timens_forked);
}
