// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_page.c - the control page, at a fixed address
 *
 * The symbol devtrace_control is a page of the library's data. Its initial content makes all
 * events pass. The page is not written but replaced by mmap(2) or mremap(2), which other threads
 * see as one step. The replacement is the device's page, or a page that passes everything if the
 * device's cannot be mapped, or one that passes nothing if there is no device.
 *
 * The page's version tells which one it is: DEVTRACE_WIRE_VERSION is the device's page, 0 the
 * initial one, PAGE_OURS one that the library made.
 *
 * The page of an older module may end before the words that the inline tests load. The zeros there
 * would refuse every object and severity, so such a page is not used and everything passes: an
 * unwanted event costs a system call, in which the kernel refuses it. If the page ends before the
 * clock's words, it is used: zeros there mean that the counter cannot be used.
 *
 * A program may have its own copy of the symbol (a copy relocation), with the same size and
 * alignment; all code here then uses that copy.
 *
 * <devtrace/emit.h> declares the symbol as a structure without padding to the page size, so that
 * programs do not depend on the page size. This file declares it otherwise and cannot include that
 * header.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/devtrace.h>
#include "emit.h"

/*
 * The largest page size that a kernel for this architecture can have. With a larger page size the
 * page is not replaced and everything passes here; the kernel still filters.
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

/* Replace the page by one whose words for types, objects and severities all are @word. */
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

/* Map the device's page. Return -1 if it cannot be mapped or is too old. */
static int page_device(size_t size, int fd)
{
	struct devtrace_control *p;
	int usable;

	/* Check the device's page before it takes effect. */
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
	/*
	 * Check the time namespace now: a thread that connects opens files anyway, and seccomp(2)
	 * may forbid this later.
	 */
	dt_timens_look();
	return 0;
}

/*
 * Replace the page by the one for this state of the connection. If that fails, the old page stays:
 * then unwanted events cost a system call, or no events are emitted.
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
