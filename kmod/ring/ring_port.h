/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The primitives of the kernel that the ring uses
 *
 * The counterpart for user space is selftests/ring/ring_port_user.h. A word
 * of the ring is 64 bits, read and written in one piece: plain on 64-bit
 * machines, where one CPU writes it and a compare-and-exchange that is atomic
 * against interrupts is enough; atomic64_t on 32-bit ones.
 */
#ifndef DEVTRACE_RING_PORT_H
#define DEVTRACE_RING_PORT_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#include "clock.h"
#include "compat/compat_atomic.h"

#ifdef CONFIG_64BIT

typedef u64 ring_word_t;

static inline u64 ring_load(const ring_word_t *w)
{
	return READ_ONCE(*w);
}

static inline void ring_store(ring_word_t *w, u64 v)
{
	WRITE_ONCE(*w, v);
}

static inline void ring_store_release(ring_word_t *w, u64 v)
{
	/* The caller says what it pairs with. */
	smp_store_release(w, v);
}

static inline u64 ring_load_acquire(const ring_word_t *w)
{
	/* The caller says what it pairs with. */
	return smp_load_acquire(w);
}

/* Behind all stores before it. */
static inline void ring_mirror(u64 *w, u64 v)
{
	/* Read after a reset, if at all. */
	smp_store_release(w, v);
}

static __always_inline bool ring_try_cmpxchg(ring_word_t *w, u64 old, u64 new)
{
	return cmpxchg_local(w, old, new) == old;
}

#else /* !CONFIG_64BIT */

typedef atomic64_t ring_word_t;

static inline u64 ring_load(const ring_word_t *w)
{
	return atomic64_read(w);
}

static inline void ring_store(ring_word_t *w, u64 v)
{
	atomic64_set(w, v);
}

static inline void ring_store_release(ring_word_t *w, u64 v)
{
	compat_atomic64_set_release(w, v);
}

static inline u64 ring_load_acquire(const ring_word_t *w)
{
	return compat_atomic64_read_acquire(w);
}

/* Two stores, behind ring_store_release(): if the second one is missing, the halves disagree. */
static inline void ring_mirror(u64 *w, u64 v)
{
	WRITE_ONCE(*w, v);
}

static __always_inline bool ring_try_cmpxchg(ring_word_t *w, u64 old, u64 new)
{
	return atomic64_cmpxchg_relaxed(w, old, new) == (s64)old;
}

#endif /* !CONFIG_64BIT */

/*
 * Where the kernel makes atomic64_t of locks, an NMI must not touch one: it may have
 * interrupted whoever holds the lock. DEVTRACE_TEST_NO_NMI is for trying that elsewhere.
 */
#if defined(CONFIG_GENERIC_ATOMIC64) || defined(DEVTRACE_TEST_NO_NMI)
#define RING_NO_NMI	1
#else
#define RING_NO_NMI	0
#endif

/* Rare events, from any context. */
#if RING_NO_NMI
typedef struct {
	atomic64_t	n;
	unsigned long	in_nmi;	/* written by NMIs of one CPU, which do not nest */
} ring_count_t;

#define ring_count_inc(c)	atomic64_inc(&(c)->n)
#define ring_count_inc_nmi(c)	WRITE_ONCE((c)->in_nmi, (c)->in_nmi + 1)
#define ring_count_read(c)	((u64)atomic64_read(&(c)->n) + READ_ONCE((c)->in_nmi))
#else
typedef atomic64_t ring_count_t;

#define ring_count_inc(c)	atomic64_inc(c)
#define ring_count_inc_nmi(c)	atomic64_inc(c)
#define ring_count_read(c)	((u64)atomic64_read(c))
#endif

/*
 * Stores into the ring, and the copy out of it, which may race with them: a
 * reader discards its copy if the tail moved meanwhile.
 */
/* By this CPU alone, which may be interrupted before or after, not within. */
#define ring_inc(p)		data_race((*(p))++)
#define ring_put64(p, v)	WRITE_ONCE(*(p), (v))
#define ring_put16(p, v)	WRITE_ONCE(*(p), (v))
static inline void ring_copy_out(u64 *dst, const void *src, u32 units)
{
#ifdef CONFIG_X86_64
	/* As fast as by bytes where there are fast strings, and not slow where there are none. */
	size_t n = units;

	asm volatile("rep movsq" : "+D" (dst), "+S" (src), "+c" (n) : : "memory");
#else
	/* A torn copy is discarded, see above. */
	data_race(memcpy(dst, src, units * sizeof(*dst)));
#endif
}

#define ring_clock()		devtrace_clock()

/* Of readers, and of whoever changes what they look at; writers take none. */
typedef raw_spinlock_t ring_lock_t;
#define ring_lock_init(l)	raw_spin_lock_init(l)

/* A reader that lost its CPU in the middle of a snapshot would see it wrap. */
#define ring_snapshot_begin()	preempt_disable()
#define ring_snapshot_end()	preempt_enable()

/*
 * Rather no ring than other programs killed to make room for it. __GFP_RETRY_MAYFAIL
 * says so for the pages themselves, but not for the page tables nor for the shadow of
 * KASAN, an eighth: these are to be left. ftrace asks too, without the eighth.
 */
static inline void *ring_alloc(size_t size)
{
	if ((size + size / 8) >> PAGE_SHIFT > (size_t)max(si_mem_available(), 0L))
		return NULL;
	return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

static inline void ring_dealloc(void *p)
{
	kvfree(p);
}

#endif /* DEVTRACE_RING_PORT_H */
