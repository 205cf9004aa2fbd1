/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel primitives that the ring uses
 *
 * selftests/ring/ring_port_user.h is the counterpart in user space. A word of the ring has 64 bits
 * and is loaded and stored as a whole: a plain u64 on 64-bit machines, atomic64_t on 32-bit
 * machines. Only the owning CPU writes it, so a compare-and-exchange need only be atomic against
 * interrupts.
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
	/* A comment at the call names the partner. */
	smp_store_release(w, v);
}

static inline u64 ring_load_acquire(const ring_word_t *w)
{
	/* A comment at the call names the partner. */
	return smp_load_acquire(w);
}

/* Store a copy of commit, after all earlier stores. */
static inline void ring_mirror(u64 *w, u64 v)
{
	/* If this store survives a reset, so do all earlier ones. No reader pairs with it. */
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

/*
 * A 32-bit CPU makes two stores of this, after the caller's ring_store_release(). If a reset loses
 * the second, the halves disagree.
 */
static inline void ring_mirror(u64 *w, u64 v)
{
	WRITE_ONCE(*w, v);
}

static __always_inline bool ring_try_cmpxchg(ring_word_t *w, u64 old, u64 new)
{
	return atomic64_cmpxchg_relaxed(w, old, new) == (s64)old;
}

#endif /* !CONFIG_64BIT */

static __always_inline bool ring_try_cmpxchg_long(unsigned long *w, unsigned long old,
						  unsigned long new)
{
	return cmpxchg_local(w, old, new) == old;
}

/*
 * If atomic64_t needs locks, an NMI must not touch one: it may have interrupted the owner of the
 * lock. DEVTRACE_TEST_NO_NMI tests this on other machines.
 */
#if defined(CONFIG_GENERIC_ATOMIC64) || defined(DEVTRACE_TEST_NO_NMI)
#define RING_NO_NMI	1
#else
#define RING_NO_NMI	0
#endif

/* Counters of rare events, incremented in any context. */
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
 * The stores of ring_put64() and ring_put16() race with ring_copy_out(). Readers discard records
 * that the tail has passed.
 */
/* Only the owning CPU increments *p, and an interrupt restores the value before it returns. */
#define ring_inc(p)		data_race((*(p))++)
#define ring_put64(p, v)	WRITE_ONCE(*(p), (v))
#define ring_put16(p, v)	WRITE_ONCE(*(p), (v))
static inline void ring_copy_out(u64 *dst, const void *src, u32 units)
{
#ifdef CONFIG_X86_64
	/*
	 * On CPUs with fast strings, copying words is as fast as copying bytes; on others it is
	 * faster.
	 */
	size_t n = units;

	asm volatile("rep movsq" : "+D" (dst), "+S" (src), "+c" (n) : : "memory");
#else
	/* The caller discards a torn copy, see above. */
	data_race(memcpy(dst, src, units * sizeof(*dst)));
#endif
}

#define ring_clock()		devtrace_clock()

/* Taken by readers, clear and resize; never by writers. */
typedef raw_spinlock_t ring_lock_t;
#define ring_lock_init(l)	raw_spin_lock_init(l)

/* A reader preempted in the middle of a snapshot could see a counter wrap. */
#define ring_snapshot_begin()	preempt_disable()
#define ring_snapshot_end()	preempt_enable()

/*
 * If memory is short, fail without calling the OOM killer. __GFP_RETRY_MAYFAIL covers the pages,
 * but not page tables and KASAN's shadow, an eighth of the size. So check first that the size plus
 * an eighth is available; ftrace checks the size alone.
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
