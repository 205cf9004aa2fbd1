/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nodevice.h - lanes without the module, for measurements
 *
 * The empty, writable file that DEVTRACE_DEVICE names becomes the control page; memory files are
 * the memory of lanes. The library is the real one. The call that hands over a block is replaced
 * by a pwrite(2) of the block's 4096 bytes into a memory file: like the module, it enters the
 * kernel, which copies them into memory of its own that was written before. (It has to find, lock
 * and account for the file, which the module need not.) Then the records of the copy are checked
 * and counted by the module's own code, lane_plain.h. The parameters of the CPU's counter are
 * measured here instead of taken from the kernel.
 *
 * Exactly one source of a program may include this, as it defines ioctl().
 */
#ifndef BENCH_NODEVICE_H
#define BENCH_NODEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include <linux/devtrace_lane.h>
#include "lane_port_user.h"
#include "lane_plain.h"

#define ROOM	65536		/* for a control page of any machine */
#define BLOCKS	2		/* the default */
#define KEPT	256		/* the size of LTTng's buffers per CPU in flight.c */
#define FIRST	1u
#define LANES	64		/* at most */

static unsigned int calls;	/* events emitted by system call */
static unsigned int nr_lanes, handed;
static struct fake {
	const uint8_t	*blocks;
	int		kept;
	const uint8_t	*copies;
} lanes[LANES];
static uint8_t limits[256];	/* filled such that all types are wanted */
static _Thread_local unsigned long stored[256];

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

static uint64_t ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int give_lane(struct devtrace_lane_ask *ask)
{
	const size_t size = BLOCKS * DEVTRACE_LANE_BLOCK;
	unsigned int n = __atomic_fetch_add(&nr_lanes, 1, __ATOMIC_RELAXED);
	int fd = memfd_create("lane", MFD_CLOEXEC);
	static const uint8_t nothing[DEVTRACE_LANE_BLOCK];
	struct devtrace_lane_head *head;
	void *mem;

	if (n >= LANES || fd < 0 || ftruncate(fd, (off_t)size) < 0)
		fail("no memory for a lane");
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		fail("no memory for a lane");
	head = &((struct devtrace_lane_block *)mem)->head;
	head->open = FIRST - 1;
	head->blocks = BLOCKS;
	head->first = FIRST;
	head->state = DEVTRACE_LANE_OPEN;
	lanes[n].blocks = mem;
	lanes[n].kept = memfd_create("kept", MFD_CLOEXEC);
	for (int i = 0; i < KEPT; i++)
		if (pwrite(lanes[n].kept, nothing, sizeof(nothing),
			   (off_t)(i * sizeof(nothing))) != sizeof(nothing))
			fail("no memory for what is handed over");
	lanes[n].copies = mmap(NULL, KEPT * DEVTRACE_LANE_BLOCK, PROT_READ,
			       MAP_SHARED | MAP_POPULATE, lanes[n].kept, 0);
	if (lanes[n].copies == MAP_FAILED)
		fail("no memory for what is handed over");
	ask->bytes = (uint32_t)size;
	ask->source = n;
	return fd;
}

/* Needed by lane_read.c. No other thread changes the copy. */
u64 port_load(const void *p, size_t size, bool acquire)
{
	u64 value = 0;

	(void)acquire;
	memcpy(&value, p, size);
	return value;
}

u32 port_word(const void *p)
{
	return lane_copied_word(p);
}

void port_rmb(void)
{
}

/* Count the plain records, and parse the records between them, as take.c does. */
static int scan(const uint8_t *copy)
{
	const struct devtrace_lane_block *block = (const void *)copy;
	struct lane_plain p = {
		.limits = limits, .stored = stored,
		.at = copy + LANE_HEADER, .end = copy + block->used,
	};
	const uint8_t *buf = p.at;
	struct lane_event ev = { 0 };
	uint32_t at = 0;
	uint64_t time = 0;
	int ret;

	do {
		lane_plain_count(&p);
		at = (uint32_t)(p.at - buf);
		ret = lane_next(buf, &at, (uint32_t)(p.end - buf), &time, &ev);
		p.at = buf + at;
	} while (ret > 0);
	return ret;
}

/* Return the block before the open block. */
static uint32_t newest_full(unsigned long n)
{
	return ((const struct devtrace_lane_block *)lanes[n].blocks)->head.open - 1;
}

static inline const uint8_t *newest_copy(unsigned long n)
{
	return lanes[n].copies + newest_full(n) % KEPT * DEVTRACE_LANE_BLOCK;
}

static int hand_over(unsigned long n)
{
	const uint32_t number = newest_full(n);
	const size_t to = (size_t)(number % KEPT) * DEVTRACE_LANE_BLOCK;

	__atomic_fetch_add(&handed, 1, __ATOMIC_RELAXED);
	if (pwrite(lanes[n].kept, lanes[n].blocks + number % BLOCKS * DEVTRACE_LANE_BLOCK,
		   DEVTRACE_LANE_BLOCK, (off_t)to) != DEVTRACE_LANE_BLOCK)
		return -1;
	return scan(lanes[n].copies + to);
}

/* Replaces the C library's, also for the library. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) != DEVTRACE_IOC_MAGIC)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	if (request == DEVTRACE_IOC_LANE)
		return give_lane(arg);
	if (request == DEVTRACE_IOC_HAND)
		return hand_over((unsigned long)arg);
	/* The library checks with this call whether it is the device. */
	if (request == DEVTRACE_IOC_EMIT(0)) {
		errno = EINVAL;
		return -1;
	}
	/* Names of images, once for each process */
	if (request != DEVTRACE_IOC_DICT)
		calls++;
	return 0;
}

#if defined(__x86_64__)
/* raw = (tsc * mult + offset) >> 32, with the present values */
static void calibrate(struct devtrace_counter *c)
{
	uint64_t raw[2], tsc[2];
	unsigned __int128 offset;

	for (int i = 0; i < 2; i++) {
		raw[i] = ns(CLOCK_MONOTONIC_RAW);
		tsc[i] = __builtin_ia32_rdtsc();
		if (!i)
			usleep(100000);
	}
	c->mult = (uint64_t)((double)(raw[1] - raw[0]) / (double)(tsc[1] - tsc[0]) * 4294967296.0);
	offset = ((unsigned __int128)raw[1] << 32) - (unsigned __int128)tsc[1] * c->mult;
	c->offset_lo = (uint64_t)offset;
	c->offset_hi = (uint64_t)(offset >> 64);
	c->seq = 1;
}
#else
static void calibrate(struct devtrace_counter *c)
{
	c->seq = 0;
}
#endif

static void make_device(void)
{
	const char *name = getenv("DEVTRACE_DEVICE");
	struct devtrace_control *c;
	int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || ftruncate(fd, ROOM) < 0)
		fail("DEVTRACE_DEVICE is not a file to write");
	c = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (c == MAP_FAILED)
		fail("no control page");
	memset(limits, DEVTRACE_LANE_SHORT + 1, sizeof(limits));
	c->version = DEVTRACE_WIRE_VERSION;
	c->size = sizeof(*c);
	memset(c->types, 0xff, sizeof(c->types));
	memset(c->objects, 0xff, sizeof(c->objects));
	memset(c->lanes, 0xff, sizeof(c->lanes));
	c->severities = ~0u;
	calibrate(&c->counter);
	close(fd);
}

#endif
