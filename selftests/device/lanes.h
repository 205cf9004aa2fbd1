/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lanes.h - a lane of a test's own, without the library
 *
 * The simplest writer there can be, from what <linux/devtrace_lane.h> says: so that
 * the kernel is tested by another writer than the library's, and tests can write what
 * that never would.
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>
#include <linux/devtrace_lane.h>

/**
 * struct lane - a lane that is mapped
 * @head: what we and the kernel say
 * @dev: the device, by which full blocks are handed over; -1: nobody does
 * @blocks: the first block
 * @bytes: of blocks, as mapped
 * @nr: blocks
 * @n: number of the block that is being written
 * @used: of that, 0 before there is one
 * @count: events written
 * @last: time of the last one
 */
struct lane {
	volatile struct devtrace_lane_head *head;
	int		dev;
	uint8_t		*blocks;
	size_t		bytes;
	uint32_t	nr, n, used;
	uint64_t	count, last;
};

uint64_t dev_now(void);		/* of dev.h; whoever has no dev.c supplies it */

int lane_fd(int dev, uint32_t bytes, struct devtrace_lane_ask *l);	/* or -1 */
int lane_map(struct lane *l, int fd, uint32_t bytes);		/* or -1 */
int lane_open(struct lane *l, int dev, uint32_t bytes);		/* both */
void lane_close(struct lane *l);
int lane_hand(const struct lane *l);		/* let the kernel take what is complete, or -1 */
struct devtrace_lane_block *lane_block(const struct lane *l, uint32_t number);
/* An event of this time, in the shortest form. */
void lane_emit_at(struct lane *l, uint64_t ts, uint8_t type, const void *data, size_t len);
/* U32 tag, U32 nr; now. */
void lane_mark_at(struct lane *l, uint64_t ts, uint8_t type, uint32_t tag, uint32_t nr);
void lane_mark(struct lane *l, uint8_t type, uint32_t tag, uint32_t nr);

#endif /* LANES_H */
