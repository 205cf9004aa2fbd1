/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a source that both kinds have
 */
#ifndef DEVTRACE_SOURCE_HEAD_H
#define DEVTRACE_SOURCE_HEAD_H

#include <linux/types.h>

enum source_kind {
	SOURCE_RING,		/* the ring of a CPU: struct ring_source */
	SOURCE_LANE,		/* a slot of the lanes: struct lane_source */
};

/**
 * struct source - a reader's place in one source: the head of both kinds
 * @key: the time of the event at the front, or the bound
 * @last: the time of the last event given, 0 if none
 * @lost: events overwritten before the reader came to them, not yet reported
 * @cleared: events cleared, likewise
 * @tid: the thread of the event at the front
 * @number: of the source, as frames have it
 * @kind: enum source_kind
 * @ready: there is an event at the front
 * @busy: a writer was under way at the last refresh
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
