/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_port_user.h - definitions that kmod/lane/lane_read.c and kmod/lane/blocks.c need, for
 * programs that also have a ring
 *
 * The lane has no concurrent writer here, unlike in selftests/lane/lane_port_user.h.
 */
#ifndef PERSIST_LANE_PORT_USER_H
#define PERSIST_LANE_PORT_USER_H

#include "ring_port_user.h"

typedef int64_t s64;
typedef unsigned long tail_low_t;

static inline u32 lane_word(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif /* PERSIST_LANE_PORT_USER_H */
