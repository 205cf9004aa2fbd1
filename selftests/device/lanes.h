/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lanes.h - write a lane without the library
 *
 * A minimal writer that follows <linux/devtrace_lane.h>. It tests the kernel independently of
 * the library, and lets tests write what the library never would.
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>
#include <linux/devtrace_lane.h>

/**
 * struct lane - a mapped lane
 * @head: shared with the kernel
 * @dev: descriptor through which full blocks are handed over; -1: they are not
 * @blocks: the first block
 * @bytes: size of the mapped blocks
 * @nr: number of blocks
 * @n: number of the current block
 * @used: bytes used in it; 0 before the first one
 * @count: events written
 * @last: time of the last event
 */
struct lane {
	volatile struct devtrace_lane_head *head;
	int		dev;
	uint8_t		*blocks;
	size_t		bytes;
	uint32_t	nr, n, used;
	uint64_t	count, last;
};

uint64_t dev_now(void);		/* in dev.c; programs without it define their own */

/* Change one number of the module's parameter lane_limits, whose order this is; 0 or -1. */
enum lane_limit { LANE_LIMIT_ALL, LANE_LIMIT_USER, LANE_LIMIT_PROCESS, LANE_LIMITS };
int lane_limit(enum lane_limit which, uint64_t bytes);
int lane_limits_read(uint64_t bytes[LANE_LIMITS]);
int lane_no_limits(void);			/* 1G each */

int lane_fd(int dev, uint32_t bytes, struct devtrace_lane_ask *l);	/* or -1 */
int lane_map(struct lane *l, int fd, uint32_t bytes);		/* or -1 */
int lane_open(struct lane *l, int dev, uint32_t bytes);		/* both of the above */
void lane_close(struct lane *l);
int lane_hand(const struct lane *l);		/* hand over complete blocks; 0 or -1 */
struct devtrace_lane_block *lane_block(const struct lane *l, uint32_t number);
/* Write an event with this time, in the shortest form. */
void lane_emit_at(struct lane *l, uint64_t ts, uint8_t type, const void *data, size_t len);
/* Write U32 tag, U32 nr; lane_mark() with the current time. */
void lane_mark_at(struct lane *l, uint64_t ts, uint8_t type, uint32_t tag, uint32_t nr);
void lane_mark(struct lane *l, uint8_t type, uint32_t tag, uint32_t nr);

#endif /* LANES_H */
