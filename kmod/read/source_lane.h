/* SPDX-License-Identifier: GPL-2.0-only */
/* A reader's place in the events of one slot of lanes: see source_lane.c */
#ifndef DEVTRACE_SOURCE_LANE_H
#define DEVTRACE_SOURCE_LANE_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "lane/slot.h"
#include "source_head.h"
#include "wire.h"

struct reader;

/**
 * struct lane_source - a place in the chain of one slot
 * @src: the head; if ready, @ev is the event at the front
 * @slot: number of the slot
 * @quick: wire_quick() can make the frame of @ev
 * @plain: wire_quick() can, and @head is valid for any record of the short form
 * @at: bytes of @run that were read
 * @len: bytes of records in @run
 * @data: offset of @ev's payload from the end of the run's header
 * @run: the run being read, or read last; 0: none
 * @time: time of the event before @at as written, ns
 * @lo: lower limit of times in the run, ns
 * @hi: upper limit of times in the run, ns
 * @ev: type, length and CPU of the event at the front
 * @head: beginning of that event's frame
 * @turn: call of reader_fill() in which the run was last known to exist, on 32-bit machines
 * @listed: the source is in the reader's heap
 * @idle: at the last look nothing was unread, and the lane's thread slept
 * @idx: number of the slot's events before the front
 * @drops: number of drops reported, by cause
 * @bad: number of invalid lanes reported
 */
struct lane_source {
	struct source	src;
	u16		slot;
	bool		quick, plain;
	u32		at, len, data;
	run_place_t	run;
	u64		time;
	u64		lo, hi;
	struct lane_event ev;
	struct wire_head head;
	unsigned int	turn;
	bool		listed, idle;
	u64		idx;
	u64		drops[SLOT_CAUSES];
	u64		bad;
};

static inline struct lane_source *lane_source(struct source *src)
{
	return container_of(src, struct lane_source, src);
}

void lane_source_init(struct lane_source *s, unsigned int slot);
void lane_source_begin(const struct reader *rd, struct lane_source *s, u64 key);

/* The four operations: see source.h. */
void lane_source_refresh(struct reader *rd, struct lane_source *s);
void lane_source_give(struct reader *rd, struct lane_source *s);
void lane_source_seek(struct reader *rd, struct lane_source *s, u64 ts);
void lane_source_clear(struct reader *rd, struct lane_source *s);

/* Functions of source_lane.c for source_lane_seek.c */
bool lane_source_look(struct reader *rd, struct lane_source *s);
void lane_source_enter(struct reader *rd, struct lane_source *s, run_place_t place,
		       const struct run *r);
bool lane_source_has_news(const struct lane_source *s, const struct slot_view *v);

void lane_source_missed(struct reader *rd, struct lane_source *s, u64 n, u64 to);

/* For all slots, including those for which the reader has no source yet. */
bool lane_sources_unread(struct reader *rd, unsigned int percent);
u64 lane_sources_lag(const struct reader *rd);

#endif /* DEVTRACE_SOURCE_LANE_H */
