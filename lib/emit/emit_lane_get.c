// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_lane_get.c - get the memory of a thread's lane, and give it back
 *
 * A thread requests a lane once, at its first event that may go into one. If the kernel refuses,
 * the thread emits by system calls until devtrace_open() or devtrace_lane() is called. The thread
 * gives the lane back when it ends; the kernel then takes the remaining events.
 *
 * After fork(2) the child has its parent's mappings, and the kernel has marked the lanes there as
 * closed. A thread that finds this mark requests a lane of its own if it is not in the process
 * that got the old one. A child of vfork(2) runs on its parent's memory and writes to its parent's
 * lane. It never requests a lane, because the parent would go on to use it, and the events would
 * have the child's thread id.
 *
 * All functions except devtrace_lane() may run in a signal handler. No function is a cancellation
 * point.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_image.h"
#include "emit_lane.h"

/*
 * glibc has rseq since 2.35. Its address is computed with __builtin_thread_pointer(), which not
 * every compiler has.
 */
#if defined(__GLIBC__) && !defined(__clang__) && !defined(__arm__)
#if __GLIBC_PREREQ(2, 35)
#include <sys/rseq.h>
#define HAVE_RSEQ
#endif
#endif

#define BLOCKS_MIN	(DEVTRACE_LANE_MIN / DEVTRACE_LANE_BLOCK)
#define BLOCKS_MAX	(DEVTRACE_LANE_MAX / DEVTRACE_LANE_BLOCK)
/* The largest size that devtrace_lane() accepts: a larger lane has no advantage. */
#define BYTES_MAX	(16U << 20)

/*
 * glibc stores so many keys in the thread's descriptor. For further keys it allocates memory,
 * which is not allowed in a signal handler.
 */
#define KEYS_WITHOUT_MEMORY	32

/* The head that threads without a lane use: never written, and always closed. */
static struct devtrace_lane_head no_head = { .state = DEVTRACE_LANE_CLOSED };

/* CPU number for threads whose C library does not provide it. */
static const uint32_t no_cpu = DEVTRACE_LANE_NO_CPU;

__thread struct lane dt_lane_mine LANE_TLS = { .head = &no_head, .cpu_now = &no_cpu };

static pthread_key_t key;
/* An int, not a bool: some compilers for riscv64 cannot exchange a byte without libatomic. */
static int key_there;

/* Defaults from the environment variable DEVTRACE_LANE. */
static uint32_t default_bytes;
static uint32_t default_flags;
static bool never;

/*
 * Keep all signal handlers of the thread out of the lane: in the phase LANE_SETUP they do not use
 * it while @ready is clear. If a handler ran in between and changed the phase, try again.
 */
static void lane_claim(struct lane *l)
{
	do {
		l->phase = LANE_SETUP;
		lane_handler_barrier();
		l->ready = 0;
		lane_handler_barrier();
	} while (l->phase != LANE_SETUP);
}

/* Unmap the lane, which the caller has claimed. */
static void lane_drop(struct lane *l, enum lane_phase phase)
{
	void *blocks = l->blocks;

	l->head = &no_head;
	l->blocks = NULL;
	lane_handler_barrier();
	if (blocks)
		munmap(blocks, l->size);
	l->generation = dt_conn_opens();
	lane_handler_barrier();
	l->phase = phase;
}

/* The thread ends. Destructors that run later emit events by system calls. */
static void thread_ends(void *arg)
{
	struct lane *l = arg;
	int saved = errno;

	lane_claim(l);
	lane_drop(l, LANE_OFF);
	errno = saved;
}

__attribute__((constructor(102)))
static void lane_begin(void)
{
	const char *bytes = secure_getenv("DEVTRACE_LANE");
	int saved = errno;
	unsigned long n;
	char *end;

	if (bytes && *bytes) {
		errno = 0;
		n = strtoul(bytes, &end, 0);
		if (!strcmp(end, end == bytes ? "nocalls" : ",nocalls")) {
			default_flags = DEVTRACE_LANE_NO_CALLS;
			end += strlen(end);
		}
		if (!*end && !errno && n <= BYTES_MAX) {
			default_bytes = n;
			never = !n && !default_flags;
		}
		errno = saved;
	}
	if (!pthread_key_create(&key, thread_ends)) {
#ifdef __GLIBC__
		if (key >= KEYS_WITHOUT_MEMORY) {
			pthread_key_delete(key);
			return;
		}
#endif
		key_there = 1;
	}
}

/*
 * If this library is linked into a shared object that is unloaded, the C library must not call
 * thread_ends() any more.
 */
__attribute__((destructor))
static void lane_end(void)
{
	if (__atomic_exchange_n(&key_there, 0, __ATOMIC_RELAXED))
		pthread_key_delete(key);
}

/* Return the address at which the C library stores the CPU of this thread. */
static const uint32_t *cpu_word(void)
{
#ifdef HAVE_RSEQ
	if (__rseq_size)
		return (const uint32_t *)((char *)__builtin_thread_pointer() + __rseq_offset) + 1;
#endif
	return &no_cpu;
}

/* Map the lane that fd refers to. Return 0 or an errno number. */
static int lane_map(struct lane *l, int fd, const struct devtrace_lane_ask *ask, int populate)
{
	const uint32_t nr = ask->bytes / DEVTRACE_LANE_BLOCK;
	struct devtrace_lane_block *b;
	uint32_t first;

	if (nr < BLOCKS_MIN || nr > BLOCKS_MAX || nr & (nr - 1))
		return EPROTO;
	b = mmap(NULL, ask->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | populate, fd, 0);
	if (b == MAP_FAILED)
		return errno;
	if (pthread_setspecific(key, l)) {
		munmap(b, ask->bytes);
		return ENOMEM;
	}
	first = __atomic_load_n(&b->head.first, __ATOMIC_RELAXED);
	l->size = ask->bytes;
	l->blocks = (uint8_t *)b;
	l->mask = nr - 1;
	l->number = first - 1;
	l->handed = first;
	l->source = ask->source;
	l->calls = !(ask->flags & DEVTRACE_LANE_NO_CALLS);
	/* No block is open and there is no room for a record, so the first event opens a block. */
	l->block = NULL;
	l->at = l->blocks;
	l->end = l->at;
	l->count = 0;
	l->cpu_now = cpu_word();
	l->cpu = DEVTRACE_LANE_NO_CPU;
	l->head = &b->head;
	return 0;
}

void dt_lane_hand(struct lane *l)
{
	const uint32_t number = l->number, source = l->source;
	int saved = errno;
	int err = dt_conn_hand(source);

	/* A signal handler may have got another lane in the meantime. */
	if (!err && source == l->source && (int32_t)(number - l->handed) > 0)
		l->handed = number;
	/*
	 * The thread must not make this call, now or later: let the kernel take full blocks by
	 * itself.
	 */
	if (err == EPERM || err == EACCES || err == ENOSYS) {
		l->calls = false;
		__atomic_store_n(&l->head->no_calls, 1, __ATOMIC_RELAXED);
	}
	errno = saved;
}

/* May the thread read the CPU's counter? The kernel could still forbid it later. */
static bool counter_allowed(void)
{
	int how;

	return prctl(PR_GET_TSC, &how) || how == PR_TSC_ENABLE;
}

/* Get a lane for @l, which the caller has claimed. Return 0 or an errno number. */
static int lane_setup(struct lane *l, uint32_t bytes, uint32_t flags, int populate)
{
	struct devtrace_lane_ask arg = {
		.bytes = bytes < DEVTRACE_LANE_MAX ? bytes : DEVTRACE_LANE_MAX,
		.flags = flags,
	};
	int fd, err;

	/*
	 * Store the process id before the request: a child that is forked in between must not take
	 * its parent's lane for its own.
	 */
	l->pid = getpid();
	l->generation = dt_conn_opens();
	lane_handler_barrier();
	if (__atomic_load_n(&key_there, __ATOMIC_RELAXED) && counter_allowed() &&
	    dt_clock_unshifted())
		fd = dt_conn_lane(&arg);
	else
		fd = -ENOTSUP;
	if (fd >= 0) {
		err = lane_map(l, fd, &arg, populate);
		dt_close_quietly(fd);
	} else {
		err = -fd;
	}
	lane_handler_barrier();
	l->phase = err ? LANE_NONE : LANE_OPEN;
	lane_handler_barrier();
	l->ready = !err;
	return err;
}

/*
 * False in a child of vfork(2), which runs on the memory of its parent's thread: pthread_self() is
 * then still the parent's thread. The id of a thread's CPU clock contains the thread id in its
 * upper bits.
 */
static bool own_memory(void)
{
	clockid_t id;

	return pthread_getcpuclockid(pthread_self(), &id) ||
	       ~(id >> 3) == (clockid_t)syscall(SYS_gettid);
}

bool dt_lane_get(void)
{
	struct lane *l = &dt_lane_mine;
	enum lane_phase phase = l->phase;

	/* A signal handler has just got the lane. */
	if (phase == LANE_OPEN)
		return l->ready;
	if (phase != LANE_UNTRIED &&
	    (phase != LANE_NONE || l->generation == dt_conn_opens()))
		return false;
	/*
	 * Test this before any system call: a program that wants no lanes may have forbidden those
	 * calls with seccomp(2).
	 */
	if (never) {
		l->phase = LANE_OFF;
		return false;
	}
	if (!own_memory())
		return false;
	/* Compare and exchange, because a signal handler may get the lane just before. */
	if (!__atomic_compare_exchange_n(&l->phase, &phase, LANE_SETUP, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return true;
	return !lane_setup(l, default_bytes, default_flags, 0);
}

bool dt_lane_closed(void)
{
	struct lane *l = &dt_lane_mine;
	/*
	 * The kernel has closed the lane. In another PID namespace, a child may have the same
	 * number as its parent; it gets no lane.
	 */
	bool own = l->pid == getpid();

	/* fork(2) has called our handler; clone(2) has not. */
	if (!own)
		dt_images_forked();
	lane_claim(l);
	lane_drop(l, own ? LANE_NONE : LANE_UNTRIED);
	return dt_lane_get();
}

int devtrace_lane(size_t bytes)
{
	struct lane *l = &dt_lane_mine;
	int saved = errno;
	int err = 0;

	if (!own_memory())
		return emit_error(EPERM);
	lane_claim(l);
	lane_drop(l, bytes ? LANE_SETUP : LANE_OFF);
	if (bytes) {
		err = never ? EPERM : bytes > (BYTES_MAX | DEVTRACE_LANE_NO_CALLS) ? EINVAL : 0;
		if (!err)
			err = lane_setup(l, bytes & ~DEVTRACE_LANE_NO_CALLS,
					 (bytes & DEVTRACE_LANE_NO_CALLS) | default_flags,
					 MAP_POPULATE);
		else
			l->phase = LANE_NONE;
	}
	errno = saved;
	return err ? emit_error(err) : 0;
}
