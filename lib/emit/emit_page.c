// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_page.c - the control page, at a fixed place
 *
 * The symbol devtrace_control is a page of the library's data. Its initial
 * content says that everything is wanted. It is never written, only
 * replaced, by mmap(2) or mremap(2) over it, which other threads see as one
 * step: by the device's own page, by one with everything wanted (the device
 * cannot be read), or by one with nothing (there is no device).
 *
 * The version tells which: DEVTRACE_WIRE_VERSION only in the device's own page, 0
 * in the file, and PAGE_OURS in one that we made.
 *
 * The page of an older module ends before the words that the inline tests load: there
 * it has zeros, which would refuse every object and severity. Such a page is not used, and
 * everything counts as wanted: an unwanted event costs a call then, and the
 * kernel refuses it. If the page ends before the words of the clock, there are zeros
 * that mean: not by the counter.
 *
 * A program may have a copy of the symbol in its own data (a copy relocation);
 * it has the same size and alignment, and all in here means that copy.
 *
 * <devtrace/emit.h> declares the symbol as the structure alone, so that
 * programs do not depend on the page size; hence it is not included.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/devtrace.h>
#include "emit.h"

/*
 * Room for a page of the machine, whatever size its kernel was built with.
 * Should one be larger still, it is not mapped and everything stays wanted: the
 * kernel filters too.
 */
#if defined(__x86_64__) || defined(__i386__) || defined(__arm__) || defined(__s390__) || \
	defined(__riscv)
#define ROOM	4096
#else
#define ROOM	65536
#endif

#define ALL	0xffffffff

union control_page {
	struct devtrace_control control;
	uint8_t room[ROOM];
};

extern union control_page devtrace_control;
union control_page devtrace_control __attribute__((aligned(ROOM))) = {
	.control = {
		.size = sizeof(struct devtrace_control),
		.types = { ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL },
		.objects = { ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL },
		.severities = ALL,
	},
};

/* A page with this word for all types, objects and severities. */
static void page_plain(size_t size, uint32_t word)
{
	union control_page *p;
	unsigned int i;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	p->control.version = PAGE_OURS;
	p->control.size = sizeof(p->control);
	for (i = 0; i < sizeof(p->control.types) / sizeof(p->control.types[0]); i++) {
		p->control.types[i] = word;
		p->control.objects[i] = word;
	}
	p->control.severities = word;
	if (mprotect(p, size, PROT_READ) < 0 ||
	    mremap(p, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, &devtrace_control) == MAP_FAILED)
		munmap(p, size);
}

/* The page of the device; -1 if it has none, or one that we cannot read or use. */
static int page_device(size_t size, int fd)
{
	struct devtrace_control *p;
	int usable;

	/* Look at it before it counts. */
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -1;
	usable = p->version == DEVTRACE_WIRE_VERSION &&
		 p->size >= offsetof(struct devtrace_control, suspends);
	munmap(p, size);
	if (!usable)
		return -1;
	p = mmap(&devtrace_control, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	if (p == MAP_FAILED)
		return -1;
	/* Here, as who connects may open files. */
	dt_clock_look();
	return 0;
}

/*
 * If a page cannot be had, the old one stays: then events that nobody wants
 * cost a call, or events that were off stay off. Nothing is emitted wrongly.
 */
void page_set(int state)
{
	long size = sysconf(_SC_PAGESIZE);

	if (size <= 0 || size > ROOM || (uintptr_t)&devtrace_control % size)
		return;
	if (state <= CONN_OFF)
		page_plain(size, 0);
	else if (state >= 0 && page_device(size, state) < 0)
		page_plain(size, ALL);
}
