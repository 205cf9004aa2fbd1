/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_region.h - memory that the kernel reserves by name (reserve_mem=), since 6.12
 *
 * Some older kernels have the function, too, so Kbuild looks for it in the kernel's header.
 */
#ifndef DEVTRACE_COMPAT_REGION_H
#define DEVTRACE_COMPAT_REGION_H

#include <linux/mm.h>
#include <linux/types.h>

#ifdef COMPAT_HAVE_RESERVE_MEM
static inline bool compat_reserved_by_name(const char *name, phys_addr_t *start, phys_addr_t *size)
{
	return reserve_mem_find_by_name(name, start, size);
}
#else
static inline bool compat_reserved_by_name(const char *name, phys_addr_t *start, phys_addr_t *size)
{
	return false;
}
#endif

#endif /* DEVTRACE_COMPAT_REGION_H */
