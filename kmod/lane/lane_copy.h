/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copy some of the records of a piece of a lane
 *
 * The copy has the format of a lane, too. A record gives its time relative to the record before it,
 * so a record that follows one that was left out gets a new head. This code uses no threads, files
 * or locks; selftests/lane runs it in user space.
 *
 * Invariants: A reader of the copy gets the events that were added, with their times, CPUs and
 * content. The copy is never longer than the piece: a head grows by at most as many bytes as were
 * left out before its record.
 */
#ifndef DEVTRACE_LANE_COPY_H
#define DEVTRACE_LANE_COPY_H

#include "lane_read.h"

/**
 * struct lane_group - consecutive records with the same length and type in the short form, or one
 *	record of another form
 * @ev: the first event; @cpu as in lane_next()
 * @first_end: offset behind the first record
 * @end: offset behind the last record
 * @nr: number of records
 * @time: time of the last record, ns
 */
struct lane_group {
	struct lane_event	ev;
	u32			first_end;
	u32			end;
	u32			nr;
	u64			time;
};

/**
 * struct lane_copy - records being copied
 * @to: the copy, with room for as many bytes as the piece has
 * @len: bytes of the copy
 * @nr: number of its events
 * @time: time of the last record in the copy, ns; first the base of the piece
 * @cpu: CPU of the next record, if the copy does not change it
 * @gap: records were left out since the last one in the copy
 */
struct lane_copy {
	u8	*to;
	u32	len;
	u32	nr;
	u64	time;
	u16	cpu;
	bool	gap;
};

/**
 * lane_group_next() - parse the next group of records of a piece
 * @buf: the piece
 * @len: bytes of the piece
 * @g: filled in; @end, @time and @ev.cpu are those before the group, and are advanced
 *
 * Return: see lane_next().
 */
static __always_inline int lane_group_next(const u8 *buf, u32 len, struct lane_group *g)
{
	u32 at = g->end, word, next, size;
	u64 ns = 0;
	int ret;

	ret = lane_next(buf, &at, len, &g->time, &g->ev);
	g->first_end = at;
	g->nr = 1;
	if (ret <= 0)
		return ret;
	word = lane_word(buf + g->ev.head);
	size = at - g->ev.head;
	if (likely((word & 0x7f) <= DEVTRACE_LANE_SHORT)) {
		while (len - at >= size) {
			next = lane_word(buf + at);
			if ((next ^ word) & LANE_HEAD)
				break;
			ns += next >> DEVTRACE_LANE_NS_SHIFT;
			at += size;
			g->nr++;
		}
		g->time = lane_time_after(g->time, ns);
	}
	g->end = at;
	return ret;
}

void lane_copy_add(struct lane_copy *c, const u8 *buf, const struct lane_group *g);

/* Leave out the next group. */
static inline void lane_copy_skip(struct lane_copy *c)
{
	c->gap = true;
}

#endif /* DEVTRACE_LANE_COPY_H */
