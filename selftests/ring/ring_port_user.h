/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_port_user.h - definitions that the ring needs, in user space
 *
 * The counterpart of kmod/ring/ring_port.h. Each access of the ring to shared memory goes
 * through here, and first calls ring_port_step(), where a test interrupts a writer or lets a
 * writer overtake a reader.
 *
 * The same ring.c is tested in three variants:
 *
 * - plain: C11 atomics, relaxed where the kernel's are; ThreadSanitizer sees each intended race
 *   as intended
 * - RING_PORT_WEAK: loads and stores go to weak.c, which reorders them like a weakly ordered
 *   machine
 * - RING_PORT_ATOMIC64: 64-bit words have a separate type, like atomic64_t on 32-bit machines,
 *   where this is implied
 */
#ifndef RING_PORT_USER_H
#define RING_PORT_USER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

#define BIT(n)		(1UL << (n))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define __packed	__attribute__((__packed__))
#define notrace
#ifndef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#endif

/* No other thread accesses @x. */
#define data_race(x)	(x)

#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define clamp_t(type, v, lo, hi)	min_t(type, (type)(v) < (type)(lo) ? (lo) : (v), hi)
#ifndef U32_MAX
#define U32_MAX			UINT32_MAX
#endif
#define ilog2(n)		(31 - __builtin_clz(n))

/*
 * Supplied by the test. ring_port_exchanged() and ring_port_released() report what the writer
 * publishes, at that time.
 */
void ring_port_step(void);
u64 ring_port_clock(void);
void ring_port_exchanged(const void *w, u64 old, u64 new);
void ring_port_released(const void *w, u64 v);
/* This allocation from now on fails; 0: none. */
extern unsigned int ring_port_alloc_fails;

#ifdef RING_PORT_WEAK

u64 weak_load(const void *p, size_t size);
u64 weak_load_acquire(const void *p, size_t size);
void weak_store(void *p, u64 v, size_t size);
void weak_store_release(void *p, u64 v, size_t size);
bool weak_cmpxchg64(void *p, u64 old, u64 new);
void weak_copy(void *dst, const void *src, u32 units);
void weak_wmb(void);
void weak_rmb(void);

#define port_load		weak_load
#define port_load_acquire	weak_load_acquire
#define port_store		weak_store
#define port_store_release	weak_store_release
#define port_cmpxchg64		weak_cmpxchg64
#define port_copy		weak_copy
#define port_wmb		weak_wmb
#define port_rmb		weak_rmb
#define port_mb			weak_rmb	/* readers do not store */

#else /* !RING_PORT_WEAK */

#define PORT_LOAD(name, order)						\
static __always_inline u64 name(const void *p, size_t size)		\
{									\
	switch (size) {							\
	case 1:								\
		return __atomic_load_n((const u8 *)p, order);		\
	case 2:								\
		return __atomic_load_n((const u16 *)p, order);		\
	case 4:								\
		return __atomic_load_n((const u32 *)p, order);		\
	default:							\
		return __atomic_load_n((const u64 *)p, order);		\
	}								\
}

#define PORT_STORE(name, order)						\
static __always_inline void name(void *p, u64 v, size_t size)		\
{									\
	switch (size) {							\
	case 1:								\
		__atomic_store_n((u8 *)p, v, order);			\
		break;							\
	case 2:								\
		__atomic_store_n((u16 *)p, v, order);			\
		break;							\
	case 4:								\
		__atomic_store_n((u32 *)p, v, order);			\
		break;							\
	default:							\
		__atomic_store_n((u64 *)p, v, order);			\
		break;							\
	}								\
}

PORT_LOAD(port_load, __ATOMIC_RELAXED)
PORT_LOAD(port_load_acquire, __ATOMIC_ACQUIRE)
PORT_STORE(port_store, __ATOMIC_RELAXED)
PORT_STORE(port_store_release, __ATOMIC_RELEASE)

static __always_inline bool port_cmpxchg64(void *p, u64 old, u64 new)
{
	return __atomic_compare_exchange_n((u64 *)p, &old, new, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Word by word, as the words are stored. */
static inline void port_copy(void *dst, const void *src, u32 units)
{
	u32 i;

	for (i = 0; i < units; i++) {
		ring_port_step();
		((u64 *)dst)[i] = port_load((const u64 *)src + i, sizeof(u64));
	}
}

/* ThreadSanitizer does not support fences, but the processor does. */
#pragma GCC diagnostic push
#ifdef __SANITIZE_THREAD__
#pragma GCC diagnostic ignored "-Wtsan"
#endif
static __always_inline void port_wmb(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static __always_inline void port_rmb(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static __always_inline void port_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#pragma GCC diagnostic pop

#endif /* !RING_PORT_WEAK */

/* The kernel's names. A step precedes each access. */

#define port_typed(x)		__typeof__((x) + 0)

#define barrier() do {							\
	__atomic_signal_fence(__ATOMIC_SEQ_CST);			\
	ring_port_step();						\
} while (0)

/* For integers and pointers. */
#define port_from(type, bits) ({					\
	const u64 __bits = (bits);					\
	type __value;							\
	memcpy(&__value, &__bits, sizeof(__value));			\
	__value;							\
})

#define port_bits(v) ({							\
	port_typed(v) __value = (v);					\
	u64 __bits = 0;							\
	memcpy(&__bits, &__value, sizeof(__value));			\
	__bits;								\
})

#define READ_ONCE(x) ({							\
	ring_port_step();						\
	port_from(port_typed(x), port_load(&(x), sizeof(x)));		\
})

#define WRITE_ONCE(x, v) do {						\
	u64 __v = port_bits(v);						\
	ring_port_step();						\
	port_store(&(x), __v, sizeof(x));				\
} while (0)

/* For pointers and longs, which have the size of the machine's words. */
#define smp_load_acquire(p)						\
	((port_typed(*(p)))(uintptr_t)port_load_acquire(p, sizeof(*(p))))

#define smp_store_release(p, v) do {					\
	u64 __v = (u64)(uintptr_t)(v);					\
	ring_port_step();						\
	port_store_release(p, __v, sizeof(*(p)));			\
} while (0)

#define smp_wmb()	port_wmb()
#define smp_rmb()	port_rmb()
#define smp_mb()	port_mb()

/* A 64-bit word of the ring, accessed as a whole. */
#if defined(RING_PORT_ATOMIC64) || __SIZEOF_LONG__ == 4
typedef struct {
	u64 v __attribute__((__aligned__(8)));
} ring_word_t;
#define port_word(w)	(&(w)->v)
#else
typedef u64 ring_word_t;
#define port_word(w)	(w)
#endif

static inline u64 ring_load(const ring_word_t *w)
{
	ring_port_step();
	return port_load(port_word(w), sizeof(u64));
}

static inline u64 ring_load_acquire(const ring_word_t *w)
{
	ring_port_step();
	return port_load_acquire(port_word(w), sizeof(u64));
}

static inline void ring_store(ring_word_t *w, u64 v)
{
	ring_port_step();
	port_store(port_word(w), v, sizeof(u64));
}

static inline void ring_store_release(ring_word_t *w, u64 v)
{
	ring_port_step();
	port_store_release(port_word(w), v, sizeof(u64));
	ring_port_released(w, v);
}

/* Read only after a reset: no thread of a test reads it. */
static inline void ring_mirror(u64 *w, u64 v)
{
	*w = v;
}

static inline bool ring_try_cmpxchg(ring_word_t *w, u64 old, u64 new)
{
	ring_port_step();
	if (!port_cmpxchg64(port_word(w), old, new))
		return false;
	ring_port_exchanged(w, old, new);
	return true;
}

static inline bool ring_try_cmpxchg_long(unsigned long *w, unsigned long old, unsigned long new)
{
	ring_port_step();
	return __atomic_compare_exchange_n(w, &old, new, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

#define ring_inc(p)	WRITE_ONCE(*(p), *(p) + 1)

typedef struct {
	u64 v __attribute__((__aligned__(8)));
} ring_count_t;

#define ring_count_inc(c) do {						\
	ring_port_step();						\
	__atomic_fetch_add(&(c)->v, 1, __ATOMIC_RELAXED);		\
} while (0)
#define ring_count_read(c)	__atomic_load_n(&(c)->v, __ATOMIC_RELAXED)

#define port_put(p, type, value) do {					\
	ring_port_step();						\
	port_store(p, (type)(value), sizeof(type));			\
} while (0)
#define ring_put64(p, value)	port_put(p, u64, value)
#define ring_put32(p, value)	port_put(p, u32, value)
#define ring_put16(p, value)	port_put(p, u16, value)
#define ring_copy_out(dst, src, units)	port_copy(dst, src, units)

static __always_inline u64 ring_clock(void)
{
	ring_port_step();
	return ring_port_clock();
}

/* A test with threads does its own locking. */
typedef char ring_lock_t;
#define ring_lock_init(l)	(*(l) = 0)

#define ring_snapshot_begin()	do { } while (0)
#define ring_snapshot_end()	do { } while (0)

static inline void *ring_alloc(size_t size)
{
	if (ring_port_alloc_fails && !--ring_port_alloc_fails)
		return NULL;
	return calloc(1, size);
}

static inline void ring_dealloc(void *p)
{
	free(p);
}

#endif /* RING_PORT_USER_H */
