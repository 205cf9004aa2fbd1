// SPDX-License-Identifier: GPL-2.0-only
/*
 * fakedev.c - see fakedev.h
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fakedev.h"

struct fake *fake;

static struct devtrace_control *page;
static struct stat node;
/* Per process; fork(2) copies them. */
static ino_t lane_inodes[FAKE_LANES];
static void *lane_mine[FAKE_LANES];
static pid_t lane_pids[FAKE_LANES];
static uint8_t *kept;
static __thread volatile int handing;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static size_t lane_bytes(const struct fake_lane *lane)
{
	return (size_t)lane->nr * DEVTRACE_LANE_BLOCK;
}

/* In the child: unmap the parent's lanes. */
static void close_lanes(void)
{
	for (unsigned int i = 0; i < FAKE_LANES; i++) {
		if (!lane_mine[i] || !fake->lanes[i].mapped)
			continue;
		if (__real_mmap(lane_mine[i], lane_bytes(&fake->lanes[i]), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			die("lane of a child");
	}
}

void fake_start(char **argv)
{
	const char *path = getenv("DEVTRACE_DEVICE");
	int fd;

	if (!path) {
		char name[] = "/tmp/devtrace-unit-XXXXXX";

		fd = mkstemp(name);
		if (fd < 0)
			die(name);
		close(fd);
		setenv("DEVTRACE_DEVICE", name, 1);
		execv("/proc/self/exe", argv);
		die("/proc/self/exe");
	}

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 65536) < 0 || fstat(fd, &node) < 0)
		die(path);
	unlink(path);
	page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	kept = mmap(NULL, (size_t)FAKE_LANES * FAKE_KEPT * DEVTRACE_LANE_BLOCK,
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (page == MAP_FAILED || fake == MAP_FAILED || kept == MAP_FAILED)
		die("mmap");
	pthread_atfork(NULL, NULL, close_lanes);
	/* fork(2) and exec(2) keep descriptor 900; the name is removed, so nothing stays behind. */
	if (fcntl(fd, F_DUPFD, 900) != 900)
		die("F_DUPFD");
	close(fd);
}

void fake_reset(void)
{
	memset(fake, 0, sizeof(*fake));
	memset(page->lanes, 0, sizeof(page->lanes));
	page->version = DEVTRACE_WIRE_VERSION;
	page->size = sizeof(*page);
	memset(page->types, 0xff, sizeof(page->types));
	memset(page->objects, 0xff, sizeof(page->objects));
	page->severities = ~0u;
	page->severe = 0;
	page->suspended = 0;
	page->suspends = 0;
	memset(&page->counter, 0, sizeof(page->counter));
}

static void set_bit(uint32_t *words, unsigned int n, int value)
{
	if (value)
		__atomic_or_fetch(&words[n / 32], 1u << n % 32, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&words[n / 32], ~(1u << n % 32), __ATOMIC_RELAXED);
}

void fake_want(unsigned int type, int wanted)
{
	set_bit(page->types, type, wanted);
}

void fake_want_object(unsigned int object, int wanted)
{
	set_bit(page->objects, object, wanted);
}

void fake_want_severity(unsigned int severity, int wanted)
{
	set_bit(&page->severities, severity, wanted);
}

void fake_into_lane(unsigned int type, int may)
{
	set_bit(page->lanes, type, may);
}

void fake_into_lanes(int may)
{
	memset(page->lanes, may ? 0xff : 0, sizeof(page->lanes));
}

void fake_close_lane(struct fake_lane *lane)
{
	__atomic_store_n(&lane->head->state, DEVTRACE_LANE_CLOSED, __ATOMIC_RELEASE);
}

void fake_version(uint32_t version)
{
	page->version = version;
}

void fake_older(void)
{
	page->size = offsetof(struct devtrace_control, objects);
	memset(page->objects, 0, sizeof(page->objects));
	page->severities = 0;
}

int fake_hands(void)
{
	return handing;
}

struct devtrace_control *fake_page(void)
{
	return page;
}

int fake_is(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == node.st_dev && st.st_ino == node.st_ino;
}

static int fake_open(const char *path, int flags)
{
	int fd;

	__atomic_add_fetch(&fake->opens, 1, __ATOMIC_RELAXED);
	if (fake->open_error) {
		errno = fake->open_error;
		return -1;
	}
	if (fake->rdwr_error && (flags & O_ACCMODE) != O_WRONLY) {
		errno = fake->rdwr_error;
		return -1;
	}
	(void)path;
	fd = __real_syscall(SYS_openat, AT_FDCWD, "/proc/self/fd/900", flags);
	if (fake->in_open)
		fake->in_open();
	return fd;
}

long __wrap_syscall(long number, ...)
{
	const char *path = getenv("DEVTRACE_DEVICE");
	va_list args;
	long a[6];
	int i;

	/* Without arguments: the sanitizer reports accesses to them. */
	if (number == SYS_gettid) {
		if (fake)
			__atomic_add_fetch(&fake->tids, 1, __ATOMIC_RELAXED);
		return __real_syscall(number);
	}
	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_openat && path && !strcmp((const char *)a[1], path))
		return fake_open(path, (int)a[2]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* The lane that belongs to this descriptor, or NULL. */
static struct fake_lane *lane_of(int fd)
{
	struct stat st;
	unsigned int i;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	for (i = 0; i < fake->nr_lanes && i < FAKE_LANES; i++)
		if (st.st_ino == lane_inodes[i])
			return &fake->lanes[i];
	return NULL;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct fake_lane *lane = fake ? lane_of(fd) : NULL;

	if (fake && fake->in_map)
		fake->in_map();
	if (!lane)
		return __real_mmap(addr, len, prot, flags, fd, offset);
	/* Like the device, map the whole lane, and only once. */
	if (offset || len != lane_bytes(lane) || !(flags & MAP_SHARED) || lane->mapped) {
		errno = lane->mapped ? EBUSY : EINVAL;
		return MAP_FAILED;
	}
	lane->mine = __real_mmap(addr, len, prot, flags, fd, offset);
	if (lane->mine == MAP_FAILED)
		die("mapping of a lane");
	lane_mine[lane - fake->lanes] = lane->mine;
	lane->mapped = 1;
	return lane->mine;
}

/* A child may unmap a lane that the parent goes on using: that does not count. */
int __wrap_munmap(void *addr, size_t len)
{
	for (unsigned int i = 0; fake && i < FAKE_LANES; i++) {
		struct fake_lane *lane = &fake->lanes[i];

		if (lane->mapped && addr == lane_mine[i] && lane_pids[i] == getpid())
			lane->mapped = 0;
	}
	return __real_munmap(addr, len);
}

static int refuse(int err)
{
	errno = err;
	return -1;
}

/* The same checks as the device, in the same order. */
static int fake_emit(const struct devtrace_emit *ev, size_t size)
{
	unsigned int n;

	if (fake->emit_error)
		return refuse(fake->emit_error);
	if (size < sizeof(*ev))
		return refuse(EINVAL);
	if (size > sizeof(fake->events[0].bytes))
		return refuse(EMSGSIZE);
	if (ev->reserved || (ev->flags & ~DEVTRACE_F_MASK_EMIT))
		return refuse(EINVAL);
	n = __atomic_fetch_add(&fake->nr, 1, __ATOMIC_RELAXED) % FAKE_EVENTS;
	memcpy(fake->events[n].bytes, ev, size);
	/* A concurrent reader waits for the size: see qsgate_program.c. */
	__atomic_store_n(&fake->events[n].size, size, __ATOMIC_RELEASE);
	return 0;
}

static int fake_give_lane(struct devtrace_lane_ask *arg)
{
	struct fake_lane *lane;
	struct stat st;
	unsigned int n;
	uint8_t *mem;
	int fd;

	__atomic_add_fetch(&fake->asked, 1, __ATOMIC_RELAXED);
	if (fake->in_lane)
		fake->in_lane();
	if (fake->lane_error)
		return refuse(fake->lane_error);
	if (arg->flags & ~DEVTRACE_LANE_NO_CALLS || arg->reserved)
		return refuse(EINVAL);
	if (!arg->bytes)
		arg->bytes = fake->lane_bytes ? fake->lane_bytes : DEVTRACE_LANE_MIN;
	if (arg->bytes < DEVTRACE_LANE_MIN || arg->bytes > DEVTRACE_LANE_MAX)
		return refuse(EINVAL);
	while (arg->bytes & (arg->bytes - 1))
		arg->bytes += arg->bytes & -arg->bytes;
	n = __atomic_fetch_add(&fake->nr_lanes, 1, __ATOMIC_SEQ_CST);
	if (n >= FAKE_LANES)
		return refuse(ENOSPC);
	fd = memfd_create("lane", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, arg->bytes) < 0 || fstat(fd, &st) < 0)
		die("lane");
	lane_inodes[n] = st.st_ino;
	lane_pids[n] = getpid();
	mem = __real_mmap(NULL, arg->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		die("lane");
	lane = &fake->lanes[n];
	lane->nr = arg->bytes / DEVTRACE_LANE_BLOCK;
	lane->first = fake->lane_first;
	lane->taken = lane->first;
	lane->flags = arg->flags;
	lane->blocks = mem;
	lane->kept = kept + (size_t)n * FAKE_KEPT * DEVTRACE_LANE_BLOCK;
	for (uint32_t i = 0; i < lane->nr; i++)
		((struct devtrace_lane_block *)(mem + (size_t)i * DEVTRACE_LANE_BLOCK))->number = ~i;
	lane->head = &((struct devtrace_lane_block *)mem)->head;
	lane->head->open = lane->first - 1;
	lane->head->blocks = lane->nr;
	lane->head->first = lane->first;
	lane->head->source = FAKE_SOURCE + n;
	lane->head->state = DEVTRACE_LANE_OPEN;
	arg->source = FAKE_SOURCE + n;
	arg->bytes ^= fake->lane_lie;
	return fd;
}

/* Take the full blocks; the open one is still read from the lane. */
static void take(struct fake_lane *lane)
{
	const uint32_t open = lane->head->open;

	while ((int32_t)(open - lane->taken) > 0) {
		const uint32_t n = lane->taken;

		if (open - n >= lane->nr)
			lane->missed++;
		memcpy(lane->kept + (size_t)(n % FAKE_KEPT) * DEVTRACE_LANE_BLOCK,
		       lane->blocks + (size_t)(n % lane->nr) * DEVTRACE_LANE_BLOCK,
		       DEVTRACE_LANE_BLOCK);
		/* From here on, a concurrent reader finds the block here. */
		__atomic_store_n(&lane->taken, n + 1, __ATOMIC_SEQ_CST);
	}
}

static int fake_hand(unsigned long source)
{
	struct fake_lane *lane = &fake->lanes[source - FAKE_SOURCE];

	if (source < FAKE_SOURCE || source - FAKE_SOURCE >= fake->nr_lanes ||
	    lane_pids[source - FAKE_SOURCE] != getpid())
		return refuse(ENXIO);
	lane->hands++;
	if (fake->in_hand)
		fake->in_hand();
	if (fake->hand_error)
		return refuse(fake->hand_error);
	if (lane->head->state != DEVTRACE_LANE_OPEN)
		return refuse(EPIPE);
	handing = 1;
	take(lane);
	handing = 0;
	return 0;
}

/* The number is the sum of the bytes: the kernel has another hash, and no two equal numbers. */
static int fake_type(struct devtrace_type_name *arg)
{
	unsigned int i;

	__atomic_add_fetch(&fake->nr_types, 1, __ATOMIC_RELAXED);
	if (fake->type_error)
		return refuse(fake->type_error);
	if (!*arg->name || !memchr(arg->name, 0, sizeof(arg->name)) || arg->reserved)
		return refuse(EINVAL);
	arg->number = DEVTRACE_NAMED_FIRST + fake->type_offset;
	for (i = 0; arg->name[i]; i++)
		arg->number += (uint8_t)arg->name[i];
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int mode;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) != DEVTRACE_IOC_MAGIC)
		return __real_ioctl(fd, request, arg);
	if (!fake_is(fd))
		return fake && fake->no_device_error ? refuse(fake->no_device_error) :
					       __real_ioctl(fd, request, arg);

	mode = fcntl(fd, F_GETFL) & O_ACCMODE;
	if (mode == O_RDONLY)
		return refuse(EBADF);
	if (request == DEVTRACE_IOC_EMIT(_IOC_SIZE(request)))
		return fake_emit(arg, _IOC_SIZE(request));
	if (request == DEVTRACE_IOC_DICT) {
		unsigned int n;

		if (fake->in_dict)
			fake->in_dict();
		n = __atomic_fetch_add(&fake->nr_dicts, 1, __ATOMIC_RELAXED);

		fake->dicts[n % FAKE_EVENTS] = *(struct devtrace_dict *)arg;
		return 0;
	}
	if (request == DEVTRACE_IOC_TYPE)
		return fake_type(arg);
	if (request == DEVTRACE_IOC_LANE)
		return fake_give_lane(arg);
	if (request == DEVTRACE_IOC_HAND)
		return fake_hand((unsigned long)arg);
	return refuse(ENOTTY);
}
