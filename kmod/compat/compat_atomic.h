/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_atomic.h - 64-bit atomics with acquire and release
 *
 * This is not in compat.h, because ring/ includes as few headers as possible. Before 5.18 the
 * kernel's atomic64_read_acquire() and atomic64_set_release() did not compile on 32-bit machines;
 * some stable kernels have the fix, others do not. The functions here have the code of 5.18.
 */
#ifndef DEVTRACE_COMPAT_ATOMIC_H
#define DEVTRACE_COMPAT_ATOMIC_H

#include <linux/atomic.h>
#include <linux/version.h>

static __always_inline s64 compat_atomic64_read_acquire(const atomic64_t *v)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0) && !defined(CONFIG_64BIT)
	const s64 ret = atomic64_read(v);

	__atomic_acquire_fence();	/* A comment at the call names the partner. */
	return ret;
#else
	return atomic64_read_acquire(v);
#endif
}

static __always_inline void compat_atomic64_set_release(atomic64_t *v, s64 i)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0) && !defined(CONFIG_64BIT)
	__atomic_release_fence();	/* A comment at the call names the partner. */
	atomic64_set(v, i);
#else
	atomic64_set_release(v, i);
#endif
}

#endif /* DEVTRACE_COMPAT_ATOMIC_H */
