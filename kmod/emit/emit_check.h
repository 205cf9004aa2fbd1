/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May a program emit this event?
 *
 * System calls and lanes share these checks. Decoders check the elements.
 */
#ifndef DEVTRACE_EMIT_CHECK_H
#define DEVTRACE_EMIT_CHECK_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <uapi/linux/devtrace.h>

/* May a program emit this type? */
static __always_inline bool emit_check_type(u8 type)
{
	if (likely(type >= DEVTRACE_T_USER && type < DEVTRACE_T_KERNEL))
		return true;
	if (devtrace_type_is_transport(type))
		return false;
	return type < DEVTRACE_T_KERNEL || type >= DEVTRACE_T_USER2;
}

/* Check flags, severity and length of an event against each other. Return 0 or -EINVAL. */
static inline int emit_check_rest(const struct devtrace_emit *e, unsigned int len)
{
	unsigned int need = 0;

	if (e->flags & DEVTRACE_F_CODE)
		need += sizeof(__le32);
	if (e->flags & DEVTRACE_F_OBJSIG)
		need += 2 * sizeof(__le16);
	if (e->reserved || e->flags & ~DEVTRACE_F_MASK_EMIT || len < need ||
	    (e->severity && e->severity >> 3 != 1))
		return -EINVAL;
	return 0;
}

#endif /* DEVTRACE_EMIT_CHECK_H */
