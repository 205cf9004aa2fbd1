/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do data caches alias: may one page at two addresses be in two cache lines?
 *
 * With such caches the kernel may not see what a program writes into a lane, nor a program what
 * the kernel writes, until caches are flushed. Since 6.9 the kernel has a function for all
 * machines. For older kernels, the first list below has the machines whose caches never alias. ARM
 * and MIPS ask the running CPU. All other machines are assumed to have caches that alias.
 */
#ifndef DEVTRACE_COMPAT_CACHE_H
#define DEVTRACE_COMPAT_CACHE_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#include <linux/cacheinfo.h>
#define compat_dcache_aliases()	cpu_dcache_is_aliasing()
#elif defined(CONFIG_X86) || defined(CONFIG_ARM64) || defined(CONFIG_S390) || \
	defined(CONFIG_PPC) || defined(CONFIG_RISCV) || defined(CONFIG_LOONGARCH)
#define compat_dcache_aliases()	false
#elif defined(CONFIG_ARM)
#include <asm/cachetype.h>
#define compat_dcache_aliases()	(cache_is_vivt() || cache_is_vipt_aliasing())
#elif defined(CONFIG_MIPS)
#include <asm/cpu-features.h>
#define compat_dcache_aliases()	cpu_has_dc_aliases
#else
#define compat_dcache_aliases()	true
#endif

#endif /* DEVTRACE_COMPAT_CACHE_H */
