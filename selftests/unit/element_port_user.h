/* SPDX-License-Identifier: GPL-2.0-only */
/* element_port_user.h - kernel definitions that kmod/control/element.c needs, in user space */
#ifndef ELEMENT_PORT_USER_H
#define ELEMENT_PORT_USER_H

#include "ring_port_user.h"

typedef int8_t s8;
typedef int16_t s16;
typedef int64_t s64;

#ifndef U64_MAX
#define U64_MAX		UINT64_MAX
#endif

#ifndef U16_MAX
#define U16_MAX		UINT16_MAX
#endif

static inline u16 get_unaligned_le16(const u8 *p)
{
	return p[0] | p[1] << 8;
}

static inline u32 get_unaligned_le32(const u8 *p)
{
	return get_unaligned_le16(p) | (u32)get_unaligned_le16(p + 2) << 16;
}

static inline u64 get_unaligned_le64(const u8 *p)
{
	return get_unaligned_le32(p) | (u64)get_unaligned_le32(p + 4) << 32;
}

#endif /* ELEMENT_PORT_USER_H */
