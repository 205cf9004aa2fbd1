// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_lane_get.c - get the memory of a thread's lane, and give it back
 *
 * A thread asks for its lane with its first event that may go there, once: where there is
 * none to be had it goes on by system calls until devtrace_open() or devtrace_lane().
 * The thread gives the lane back when it ends; the kernel takes the events in it.
 *
 * After fork(2) the child has the mappings of its parent, marked "closed". A thread
 * that finds the mark compares its process: if it is not the one that got the lane,
 * it gets one of its own. A child of vfork(2) writes on in its parent's lane, but does not
 * ask for one: it would be the parent's then, under the number of the child.
 *
 * All of it may run in a signal handler but devtrace_lane(). Nothing here is a
 * cancellation point.
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
#include "emit_lane.h"

/* From glibc 2.35 on; and a compiler that knows where a thread's area is. */
#if defined(__GLIBC__) && !defined(__clang__) && !defined(__arm__)
#if __GLIBC_PREREQ(2, 35)
#include <sys/rseq.h>
#define HAVE_RSEQ
#endif
#endif

#define BLOCKS_MIN	(DEVTRACE_LANE_MIN / DEVTRACE_LANE_BLOCK)
#define BLOCKS_MAX	(DEVTRACE_LANE_MAX / DEVTRACE_LANE_BLOCK)
/* A lane of more is as good as the largest. */
#define BYTES_MAX	(16U << 20)

/*
 * glibc has room in the thread itself for so many keys; to set one of the others it
 * allocates memory, which a handler must not.
 */
#define KEYS_WITHOUT_MEMORY	32

/* Never written: it is closed. */
static struct devtrace_lane_head no_head = { .state = DEVTRACE_LANE_CLOSED };

/* The CPU of a thread whose C library does not say it. */
static const uint32_t no_cpu = DEVTRACE_LANE_NO_CPU;

__thread struct lane dt_lane_mine LANE_TLS = { .head = &no_head, .cpu_now = &no_cpu };

/* Of devtrace_open(): a thread that found no lane before the last of them tries again. */
static unsigned int generation;

static pthread_key_t key;
static bool key_there;

/* Values of the environment, for programs that do not pass any themselves. */
static uint32_t default_bytes;
static uint32_t default_flags;
static bool never;

void dt_lane_again(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

/*
 * Keep all handlers off: with @ready clear and in this phase they leave everything alone.
 * One that comes in between may have done anything.
 */
static void claim(struct lane *l)
{
	do {
		l->phase = LANE_SETUP;
		lane_handler_barrier();
		l->ready = 0;
		lane_handler_barrier();
	} while (l->phase != LANE_SETUP);
}

/* The lane is claimed. */
static void drop(struct lane *l, enum lane_phase phase)
{
	void *blocks = l->blocks;

	l->head = &no_head;
	l->blocks = NULL;
	lane_handler_barrier();
	if (blocks)
		munmap(blocks, l->size);
	l->generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
	lane_handler_barrier();
	l->phase = phase;
}

/* The thread ends. Events of other destructors go by system calls. */
static void thread_ends(void *arg)
{
	struct lane *l = arg;
	int saved = errno;

	claim(l);
	drop(l, LANE_OFF);
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
		key_there = true;
	}
}

/* Linked statically into something that is unloaded: nobody may come back to us. */
__attribute__((destructor))
static void lane_end(void)
{
	if (__atomic_exchange_n(&key_there, false, __ATOMIC_RELAXED))
		pthread_key_delete(key);
}

/* Where the C library keeps the CPU that this thread is on, if it does. */
static const uint32_t *cpu_word(void)
{
#ifdef HAVE_RSEQ
	if (__rseq_size)
		return (const uint32_t *)((char *)__builtin_thread_pointer() + __rseq_offset) + 1;
#endif
	return &no_cpu;
}

/* Map what fd gives. 0 or an errno number. */
static int map(struct lane *l, int fd, const struct devtrace_lane_ask *ask, int populate)
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
	/* No block is open, and nothing fits: the first event opens one. */
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

	/* A handler may have got another lane meanwhile. */
	if (!err && source == l->source && (int32_t)(number - l->handed) > 0)
		l->handed = number;
	/* No such call may be made, now or ever: the kernel comes for what is full. */
	if (err == EPERM || err == EACCES || err == ENOSYS) {
		l->calls = false;
		__atomic_store_n(&l->head->no_calls, 1, __ATOMIC_RELAXED);
	}
	errno = saved;
}

/* The counter may be read: for what it is worth, one may forbid it later. */
static bool counter_allowed(void)
{
	int how;

	return prctl(PR_GET_TSC, &how) || how == PR_TSC_ENABLE;
}

/* @l is claimed, and there is no lane. Returns 0 or an errno number. */
static int setup(struct lane *l, uint32_t bytes, uint32_t flags, int populate)
{
	struct devtrace_lane_ask arg = {
		.bytes = bytes < DEVTRACE_LANE_MAX ? bytes : DEVTRACE_LANE_MAX,
		.flags = flags,
	};
	int fd, err;

	/* Before we ask: whoever forks in between does not get one for both. */
	l->pid = getpid();
	l->generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
	lane_handler_barrier();
	if (__atomic_load_n(&key_there, __ATOMIC_RELAXED) && counter_allowed() &&
	    dt_clock_unshifted())
		fd = dt_conn_lane(&arg);
	else
		fd = -ENOTSUP;
	if (fd >= 0) {
		err = map(l, fd, &arg, populate);
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
 * Not a child of vfork(2), which has the memory of another thread: that thread's number
 * is in the number of its clock, as the kernel makes it.
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

	/* A handler was here just before. */
	if (phase == LANE_OPEN)
		return l->ready;
	if (phase != LANE_UNTRIED &&
	    (phase != LANE_NONE || l->generation == __atomic_load_n(&generation, __ATOMIC_RELAXED)))
		return false;
	/* Before any call that a program without lanes may have given up. */
	if (never) {
		l->phase = LANE_OFF;
		return false;
	}
	if (!own_memory())
		return false;
	/* In one step: a handler that comes before it may get the lane. */
	if (!__atomic_compare_exchange_n(&l->phase, &phase, LANE_SETUP, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return true;
	return !setup(l, default_bytes, default_flags, 0);
}

bool dt_lane_closed(void)
{
	struct lane *l = &dt_lane_mine;
	/* A child of another pid namespace may have our number: it goes without a lane. */
	bool own = l->pid == getpid();

	claim(l);
	drop(l, own ? LANE_NONE : LANE_UNTRIED);
	return dt_lane_get();
}

int devtrace_lane(size_t bytes)
{
	struct lane *l = &dt_lane_mine;
	int saved = errno;
	int err = 0;

	if (!own_memory())
		return emit_error(EPERM);
	claim(l);
	drop(l, bytes ? LANE_SETUP : LANE_OFF);
	if (bytes) {
		err = never ? EPERM : bytes > (BYTES_MAX | DEVTRACE_LANE_NO_CALLS) ? EINVAL : 0;
		if (!err)
			err = setup(l, bytes & ~DEVTRACE_LANE_NO_CALLS,
				    (bytes & DEVTRACE_LANE_NO_CALLS) | default_flags, MAP_POPULATE);
		else
			l->phase = LANE_NONE;
	}
	errno = saved;
	return err ? emit_error(err) : 0;
}
