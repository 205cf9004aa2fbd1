/* SPDX-License-Identifier: GPL-2.0-only */
/* persist_port_user.h - what kmod/persist/port.h defines in the kernel, for user space */
#ifndef PERSIST_PORT_USER_H
#define PERSIST_PORT_USER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/devtrace.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define persist_breathe()	do { } while (0)
#define persist_sort		qsort
#define noinline		__attribute__((__noinline__))

static inline void *persist_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	/* The module's memory is zeroed, but no code may rely on that. */
	return p ? memset(p, 0xa5, n) : NULL;
}

static inline void persist_free(void *p)
{
	free(p);
}

static inline u64 div_u64(u64 n, u32 by)
{
	return n / by;
}

/* Like the module's: hides only values that may be an address; the result has bit 63 set. */
static inline u64 persist_hide(u64 address)
{
	return address < 65536 ? address : ~address | 1ULL << 63;
}

#endif /* PERSIST_PORT_USER_H */
