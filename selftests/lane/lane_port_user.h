/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_port_user.h - definitions that kmod/lane/lane_read.c and kmod/lane/blocks.c need, in user
 * space
 *
 * The counterpart of kmod/lane/lane_port.h. Each access to shared memory goes through functions
 * that a test supplies.
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
/* The C library may define it. */
#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))

typedef int32_t s32;
typedef int64_t s64;

/* Load 1, 2, 4 or 8 bytes. */
u64 port_load(const void *p, size_t size, bool acquire);
/* Load 4 bytes of a copy, or of a lane that is only counted. */
u32 port_word(const void *p);
void port_rmb(void);
/* A store there, followed by a write barrier; only in blocks.c. */
void port_stored(const void *p);
void port_wmb(void);

#define port_typed(x)		__typeof__((x) + 0)
/* As on a 32-bit machine, which is the harder case. */
typedef u32 tail_low_t;

/* Also for pointers. */
#define READ_ONCE(x)		((port_typed(x))(uintptr_t)port_load(&(x), sizeof(x), false))
#define smp_load_acquire(p)	((port_typed(*(p)))port_load(p, sizeof(*(p)), true))
#define smp_rmb()		port_rmb()
#define smp_wmb()		port_wmb()
#define WRITE_ONCE(x, v)	do {						\
	*(volatile __typeof__(x) *)&(x) = (v);					\
	port_stored(&(x));							\
} while (0)
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
#define lane_word(p)	port_word(p)

static inline u32 lane_copied_word(const void *p)
{
	u32 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

#define __percpu
#define OPTIMIZER_HIDE_VAR(v)	__asm__("" : "+r" (v))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define lane_count_add(counter, n)	(*(counter) += (n))

/* In units of two bytes, as the writer stores them. */
static inline void lane_copy_out(u8 *dst, const u8 *src, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 2) {
		u16 v = port_load(src + i, 2, false);

		memcpy(dst + i, &v, 2);
	}
}

#endif
