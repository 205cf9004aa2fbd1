/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of the elements of events. This file is also compiled in user space. */
#ifndef DEVTRACE_ELEM_H
#define DEVTRACE_ELEM_H

#ifdef __KERNEL__
#include <uapi/linux/devtrace.h>
#else
#include <linux/devtrace.h>
#endif

#include "ring.h"

/**
 * elem_size() - size of an element's value, in bytes
 * @format: the format byte before the value
 * @p: the value
 * @left: bytes from @p to the end of the event
 *
 * Programs write elements, too, so every length is checked.
 *
 * Return: the size, or -1 if the value does not end within the event.
 */
static inline int elem_size(u8 format, const u8 *p, u32 left)
{
	static const u8 fixed[16] = {
		[DEVTRACE_E_I8] = 1, [DEVTRACE_E_U8] = 1,
		[DEVTRACE_E_I16] = 2, [DEVTRACE_E_U16] = 2,
		[DEVTRACE_E_I32] = 4, [DEVTRACE_E_U32] = 4, [DEVTRACE_E_X32] = 4,
		[DEVTRACE_E_F32] = 4, [DEVTRACE_E_F64] = 8,
		[DEVTRACE_E_SIG] = 12, [DEVTRACE_E_OBJ] = 8, [DEVTRACE_E_FUN] = 8,
		[DEVTRACE_E_I64] = 8, [DEVTRACE_E_U64] = 8,
	};
	u32 n;

	switch (format & 0xf) {
	case DEVTRACE_E_STR:
		n = strnlen((const char *)p, left) + 1;
		break;
	case DEVTRACE_E_MEM:
		n = left ? 1 + p[0] : 1;
		break;
	default:
		n = fixed[format & 0xf];
	}
	return n <= left ? (int)n : -1;
}

#endif /* DEVTRACE_ELEM_H */
