/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of the events of an open lane: see lane_stats.c
 */
#ifndef DEVTRACE_MANAGE_LANE_STATS_H
#define DEVTRACE_MANAGE_LANE_STATS_H

#include <linux/sched.h>
#include <linux/types.h>

#include "lane/slot.h"

/**
 * struct slot_stats - what became of the events of an open lane
 * @slot: its number
 * @state: enum devtrace_lane_state; one more: open, and its thread makes no calls
 * @tid: the thread
 * @tgid: its process
 * @comm: its name, empty if it is no more
 * @size: bytes of the lane
 * @used: of these, bytes that were not taken yet
 * @stored: events that were stored
 * @overwritten: of these, in the ring
 * @dropped: events that were not stored, by cause
 * @oldest: the time of the oldest one that is held, 0: none is
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
