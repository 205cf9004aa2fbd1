/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of open lanes: see lane_stats.c */
#ifndef DEVTRACE_MANAGE_LANE_STATS_H
#define DEVTRACE_MANAGE_LANE_STATS_H

#include <linux/sched.h>
#include <linux/types.h>

#include "lane/slot.h"

/**
 * struct slot_stats - statistics of an open lane
 * @slot: number of its slot
 * @state: enum devtrace_lane_state; DEVTRACE_LANE_OPEN + 1: the lane is open, and its thread makes
 *	no system calls
 * @tid: the thread
 * @tgid: its process
 * @comm: its name; empty if the thread has ended
 * @size: size of the lane, bytes
 * @used: bytes of events in the lane that the kernel has not taken yet
 * @stored: number of events stored
 * @overwritten: number of these that were overwritten in the ring of blocks
 * @dropped: number of events dropped, by cause
 * @oldest: time of the oldest event that is held, trace clock ns; 0: none
 */
struct slot_stats {
	u16	slot;
	u8	state;
	u32	tid, tgid;
	char	comm[TASK_COMM_LEN];
	u64	size, used;
	u64	stored, overwritten;
	u64	dropped[SLOT_CAUSES];
	u64	oldest;
};

bool slot_stats(unsigned int slot, struct slot_stats *st);

#endif /* DEVTRACE_MANAGE_LANE_STATS_H */
