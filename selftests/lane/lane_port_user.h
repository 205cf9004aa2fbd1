/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_port_user.h - what reading a lane needs, in user space
 *
 * The counterpart of kmod/lane_port.h. Every access to memory that the writer changes
 * meanwhile goes through port_load(), which a test supplies.
 */
#ifndef LANE_PORT_USER_H
#define LANE_PORT_USER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BIT_ULL(n)	(1ULL << (n))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* 1, 2, 4 or 8 bytes. */
u64 port_load(const void *p, size_t size, bool acquire);
void port_rmb(void);

#define port_typed(x)		__typeof__((x) + 0)
#define READ_ONCE(x)		((port_typed(x))port_load(&(x), sizeof(x), false))
#define smp_load_acquire(p)	((port_typed(*(p)))port_load(p, sizeof(*(p)), true))
#define smp_rmb()		port_rmb()

static inline u32 get_unaligned_u32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#define get_unaligned(p)	get_unaligned_u32(p)

/* Pieces of two bytes, as a writer makes them complete. */
static inline void lane_copy_out(u8 *dst, const u8 *src, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 2) {
		u16 v = port_load(src + i, 2, false);

		memcpy(dst + i, &v, 2);
	}
}

#endif
