/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the portable part of this room takes from the kernel
 *
 * layout.h, check.c and render.c compile in user space too, with
 * selftests/unit/persist_port_user.h in place of this.
 */
#ifndef DEVTRACE_PERSIST_PORT_H
#define DEVTRACE_PERSIST_PORT_H

#ifdef __KERNEL__

#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>
#include <uapi/linux/devtrace.h>

/* Zeros do not have the sum 0. */
static inline u32 persist_sum_add(u32 sum, const void *p, size_t n)
{
	return crc32_le(sum, p, n);
}

/* Somebody waits, and there is much to do. */
#define persist_breathe()	cond_resched()

void *persist_alloc(size_t n);
void persist_free(void *p);
u64 persist_hide(u64 address);

#else
#include "persist_port_user.h"
#endif

#define PERSIST_SUM_FIRST	0xdeb7ace0U

static inline u32 persist_crc(const void *p, size_t n)
{
	return persist_sum_add(PERSIST_SUM_FIRST, p, n);
}

#endif /* DEVTRACE_PERSIST_PORT_H */
