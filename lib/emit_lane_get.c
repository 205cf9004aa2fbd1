// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_lane_get.c - get the memory of a thread's lane, and give it back
 *
 * A thread asks for its lane with its first event that may go there, once: where there is
 * none to be had it goes on by system calls until devtrace_open() or devtrace_lane().
 * It gives it back when it ends; what it wrote stays with the kernel.
 *
 * After fork(2) the child has the mappings of its parent, and in the page stands
 * "closed". Who finds that asks for his process: if it is not the one that got the lane,
 * he gets one of his own. A child of vfork(2) writes on in its parent's lane, but does not
 * ask for one: it would be the parent's then, under the number of the child.
 *
 * All of it may run in a signal handler but devtrace_lane(). Nothing here is a
 * cancellation point.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_lane.h"

#define BLOCKS_MIN	(DEVTRACE_LANE_MIN / DEVTRACE_LANE_BLOCK)
#define BLOCKS_MAX	(DEVTRACE_LANE_MAX / DEVTRACE_LANE_BLOCK)

/*
 * glibc has room in the thread itself for so many keys; to set one of the others it
 * allocates memory, which a handler must not.
 */
#define KEYS_WITHOUT_MEMORY	32

static const struct devtrace_lane_page no_page = { .state = DEVTRACE_LANE_CLOSED };

__thread struct lane dt_lane_mine LANE_TLS = { .page = &no_page };

/* Of devtrace_open(): a thread that found no lane before the last of them tries again. */
static unsigned int generation;

static pthread_key_t key;
static bool key_there;

/* What the environment says: bytes for whoever does not say it himself. */
static uint32_t default_bytes;
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

/* It is claimed. */
static void drop(struct lane *l, enum lane_phase phase)
{
	void *page = (void *)l->page, *head = l->head;

	l->page = &no_page;
	l->head = NULL;
	lane_handler_barrier();
	if (head) {
		munmap(head, l->size);
		munmap(page, sysconf(_SC_PAGESIZE));
	}
	l->generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
	lane_handler_barrier();
	l->phase = phase;
}

/* The thread ends. What other destructors emit goes by system calls. */
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
		if (!*end && !errno && n <= DEVTRACE_LANE_MAX) {
			default_bytes = n;
			never = !n;
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

/* Map what fd gives. 0 or an errno number. */
static int map(struct lane *l, int fd, int populate)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	struct devtrace_lane_page *page;
	uint32_t blocks, first;
	uint8_t *rest;

	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return errno;
	blocks = __atomic_load_n(&page->blocks, __ATOMIC_RELAXED);
	first = __atomic_load_n(&page->first, __ATOMIC_RELAXED);
	if (blocks < BLOCKS_MIN || blocks > BLOCKS_MAX || blocks & (blocks - 1)) {
		munmap(page, size);
		return EPROTO;
	}
	l->size = size + blocks * DEVTRACE_LANE_BLOCK;
	rest = mmap(NULL, l->size, PROT_READ | PROT_WRITE, MAP_SHARED | populate, fd, size);
	if (rest == MAP_FAILED || pthread_setspecific(key, l)) {
		int err = rest == MAP_FAILED ? errno : ENOMEM;

		if (rest != MAP_FAILED)
			munmap(rest, l->size);
		munmap(page, size);
		return err;
	}
	l->head = (struct devtrace_lane_head *)rest;
	l->blocks = rest + size;
	l->mask = blocks - 1;
	l->number = first - 1;
	/* No block is open, and nothing fits: the first event opens one. */
	l->block = NULL;
	l->at = l->blocks;
	l->end = l->at;
	l->count = 0;
	l->page = page;
	return 0;
}

/* The counter may be read: for what it is worth, one may forbid it later. */
static bool counter_allowed(void)
{
	int how;

	return prctl(PR_GET_TSC, &how) || how == PR_TSC_ENABLE;
}

/* It is claimed, and there is no lane. 0 or an errno number. */
static int setup(struct lane *l, uint32_t bytes, int populate)
{
	struct devtrace_lane_ask arg = { .bytes = bytes };
	int fd, err;

	/* Before we ask: whoever forks in between does not get one for both. */
	l->pid = getpid();
	l->generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
	lane_handler_barrier();
	if (__atomic_load_n(&key_there, __ATOMIC_RELAXED) && counter_allowed())
		fd = dt_conn_lane(&arg);
	else
		fd = -ENOTSUP;
	if (fd >= 0) {
		err = map(l, fd, populate);
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
	if (!own_memory())
		return false;
	/* In one step: a handler that comes before it may get the lane. */
	if (!__atomic_compare_exchange_n(&l->phase, &phase, LANE_SETUP, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return true;
	if (never) {
		l->phase = LANE_OFF;
		return false;
	}
	return !setup(l, default_bytes, 0);
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
		err = never ? EPERM : bytes > UINT32_MAX ? EINVAL : 0;
		if (!err)
			err = setup(l, bytes, MAP_POPULATE);
		else
			l->phase = LANE_NONE;
	}
	errno = saved;
	return err ? emit_error(err) : 0;
}
