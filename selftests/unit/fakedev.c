// SPDX-License-Identifier: GPL-2.0-only
/*
 * fakedev.c - see fakedev.h
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);

static void die(const char *what)
{
	perror(what);
	exit(1);
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
	if (page == MAP_FAILED || fake == MAP_FAILED)
		die("mmap");
	/* Opened again below by number: the name is gone, so nothing stays behind. */
	if (fcntl(fd, F_DUPFD, 900) != 900)
		die("F_DUPFD");
	close(fd);
}

void fake_reset(void)
{
	memset(fake, 0, sizeof(*fake));
	page->version = DEVTRACE_WIRE_VERSION;
	page->size = sizeof(*page);
	memset(page->types, 0xff, sizeof(page->types));
	memset(page->objects, 0xff, sizeof(page->objects));
	page->severities = ~0u;
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

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_openat && path && !strcmp((const char *)a[1], path))
		return fake_open(path, (int)a[2]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (fake && fake->in_map)
		fake->in_map();
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

static int refuse(int err)
{
	errno = err;
	return -1;
}

/* As the device does, in the order of its checks. */
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
	fake->events[n].size = size;
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
	if (_IOC_TYPE(request) != DEVTRACE_IOC_MAGIC || !fake_is(fd))
		return __real_ioctl(fd, request, arg);

	mode = fcntl(fd, F_GETFL) & O_ACCMODE;
	if (mode == O_RDONLY)
		return refuse(EBADF);
	if (request == DEVTRACE_IOC_EMIT(_IOC_SIZE(request)))
		return fake_emit(arg, _IOC_SIZE(request));
	if (request == DEVTRACE_IOC_DICT) {
		unsigned int n = __atomic_fetch_add(&fake->nr_dicts, 1, __ATOMIC_RELAXED);

		fake->dicts[n % FAKE_EVENTS] = *(struct devtrace_dict *)arg;
		return 0;
	}
	return refuse(ENOTTY);
}
