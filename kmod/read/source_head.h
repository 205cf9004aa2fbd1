/* SPDX-License-Identifier: GPL-2.0-only */
/* The part that both kinds of source share */
#ifndef DEVTRACE_SOURCE_HEAD_H
#define DEVTRACE_SOURCE_HEAD_H

#include <linux/types.h>

enum source_kind {
	SOURCE_RING,		/* the ring of a CPU: struct ring_source */
	SOURCE_LANE,		/* a slot of the lanes: struct lane_source */
};

/**
 * struct source - a reader's place in one source: the head of both kinds
 * @key: time of the event at the front, or the bound; ns
 * @last: time of the last event given, ns; 0 if none
 * @lost: number of events overwritten before the reader reached them, not yet reported
 * @cleared: number of events cleared before the reader reached them, not yet reported
 * @tid: thread of the event at the front
 * @number: number of the source in frames
 * @kind: enum source_kind
 * @ready: an event is at the front
 * @busy: a writer was active at the last refresh
 */
struct source {
	u64		key;
	u64		last;
	u64		lost;
	u64		cleared;
	u32		tid;
	u16		number;
	u8		kind;
	bool		ready;
	bool		busy;
};

#endif /* DEVTRACE_SOURCE_HEAD_H */
