/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a lane: memory that a program writes meanwhile, whatever it likes
 *
 * A lane is a row of blocks, written one after the other and over again; its layout is
 * in <linux/devtrace_lane.h>, the order of the writer's stores in lanes.rst. Here is all
 * that looks into such memory, and nothing that knows of threads, files or readers: it
 * runs on the host too, against writers on a simulated machine and hostile bytes.
 *
 * Invariants. A word of the lane is loaded once and checked before it is used. Positions
 * are the reader's own. What was copied is looked at only after it is known that it was
 * not being overwritten, and nothing is looked at but the copy. Whatever stands in the
 * lane, a call ends after at most as many steps as there are blocks, and touches nothing
 * outside of the lane and the buffer.
 */
#ifndef DEVTRACE_LANE_READ_H
#define DEVTRACE_LANE_READ_H

#ifdef __KERNEL__
#include <uapi/linux/devtrace.h>
#include <uapi/linux/devtrace_lane.h>
#include "lane_port.h"
#else
#include <linux/devtrace.h>
#include <linux/devtrace_lane.h>
#include "lane_port_user.h"
#endif

/**
 * struct lane_mem - where a lane is
 * @head: what its thread says about it
 * @blocks: the first block
 * @nr: how many, a power of two
 * @first: number of the one that was to be written first
 */
struct lane_mem {
	const struct devtrace_lane_head	*head;
	const u8	*blocks;
	u32		nr;
	u32		first;
};

/**
 * struct lane_place - a place in a lane
 * @block: number of the block
 * @off: bytes of it that were taken; 0: not even its header
 * @idx: events before this place
 * @time: of the event before, as it was written
 */
struct lane_place {
	u32	block;
	u32	off;
	u64	idx;
	u64	time;
};

/**
 * struct lane_event - an event of a lane
 * @time: as it was written, ns
 * @data: its payload, in the copy
 * @len: length of that
 * @type: event type
 * @severity: severity byte
 * @flags: DEVTRACE_F_*
 */
struct lane_event {
	u64		time;
	const u8	*data;
	u16		len;
	u8		type;
	u8		severity;
	u8		flags;
};

void lane_begin(const struct lane_mem *m, struct lane_place *p);
int lane_fetch(const struct lane_mem *m, struct lane_place *p, u8 *buf, u32 *len, u64 *lost);
int lane_next(struct lane_place *p, const u8 *buf, u32 *at, u32 len, struct lane_event *ev);
int lane_end(const struct lane_mem *m, struct lane_place *p, u8 *buf);
void lane_find(const struct lane_mem *m, struct lane_place *p, u64 ts);
void lane_newest(const struct lane_mem *m, u32 *open, u16 *used);
bool lane_unread(const struct lane_mem *m, const struct lane_place *p, u32 blocks);

#endif /* DEVTRACE_LANE_READ_H */
