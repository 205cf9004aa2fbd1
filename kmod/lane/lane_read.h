/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read a lane: memory that a program may change in any way at any time
 *
 * A lane is a circular buffer of blocks. <linux/devtrace_lane.h> has its layout, lanes.rst the
 * order of the writer's stores. Only these functions parse such memory. They use no threads, files
 * or readers; selftests/lane runs them in user space, with writers on a simulated machine and with
 * hostile bytes.
 *
 * Invariants: A word of the lane is loaded once and checked before use. The caller keeps positions
 * in memory of its own. A copied piece is valid only after lane_still() has returned true, and only
 * the copy is parsed. With any content of the lane, a call takes at most 2 * nr steps.
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

#define LANE_HEADER	((u32)sizeof(struct devtrace_lane_block))
/* Length and type in a record's first word. */
#define LANE_HEAD	((1U << DEVTRACE_LANE_NS_SHIFT) - 1)

/**
 * struct lane_mem - memory of a lane
 * @blocks: the first block, which begins with the head of the lane
 * @nr: number of blocks, a power of two
 * @first: number of the block to be written first
 */
struct lane_mem {
	u8	*blocks;
	u32	nr;
	u32	first;
};

/**
 * struct lane_place - a place in a lane
 * @block: number of the block
 * @off: bytes of the block that were taken; 0: its header was not read yet
 * @skipped: blocks that were overwritten since the last block with taken events
 * @idx: number of events before this place, as the thread counts
 * @time: time of the previous event as written, ns
 * @cpu: CPU of the previous event, or DEVTRACE_LANE_NO_CPU
 */
struct lane_place {
	u32	block;
	u32	off;
	u64	skipped;
	u64	idx;
	u64	time;
	u16	cpu;
};

/**
 * struct lane_piece - complete records of one block
 * @from: the first record
 * @len: bytes
 * @time: base of the first record's relative time, ns
 * @cpu: CPU of the first record
 * @lost: number of earlier events that were overwritten before they were taken
 */
struct lane_piece {
	const u8	*from;
	u32		len;
	u64		time;
	u16		cpu;
	u64		lost;
};

/**
 * struct lane_event - an event of a lane
 * @time: time as written, ns
 * @data: its payload, in the copy
 * @len: bytes of payload
 * @head: offset of its first word in the copy
 * @cpu: CPU that emitted it, or DEVTRACE_LANE_NO_CPU
 * @type: event type
 * @severity: severity byte
 * @flags: DEVTRACE_F_*
 */
struct lane_event {
	u64		time;
	const u8	*data;
	u16		len;
	u16		head;
	u16		cpu;
	u8		type;
	u8		severity;
	u8		flags;
};

/*
 * The number of events taken from a lane, stored with a check value. LANE_TOLD_CLOSED: the lane is
 * closed and all its events were taken.
 */
#define LANE_TOLD_CLOSED	0x636c6f7365646c6eULL

static inline u64 lane_told(u32 taken)
{
	return (taken * 0x9e3779b97f4a7c15ULL & ~0ULL << 32) | taken;
}

static inline struct devtrace_lane_head *lane_head(const struct lane_mem *m)
{
	return &((struct devtrace_lane_block *)m->blocks)->head;
}

static inline const struct devtrace_lane_block *lane_block(const struct lane_mem *m, u32 number)
{
	return (const void *)(m->blocks + (size_t)(number & (m->nr - 1)) * DEVTRACE_LANE_BLOCK);
}

/* Has the thread not opened the block at this place yet? */
static inline bool lane_nothing_yet(u32 open, const struct lane_place *p)
{
	return open == p->block - 1 && !p->off;
}

/* Is the block at this place the one being written? */
static inline bool lane_is_at_open(const struct lane_mem *m, const struct lane_place *p)
{
	return READ_ONCE(lane_head(m)->open) == p->block;
}

void lane_begin(const struct lane_mem *m, struct lane_place *p);
int lane_look(const struct lane_mem *m, struct lane_place *p, struct lane_piece *piece);
bool lane_still(const struct lane_mem *m, const struct lane_place *p);
void lane_taken(struct lane_place *p, const struct lane_piece *piece);
void lane_newest(const struct lane_mem *m, u32 *open, u16 *used);
int lane_long(u32 word, const u8 *buf, u32 at, u32 left, struct lane_event *ev);

/* Times of a lane never decrease: saturate instead of wrapping. */
static __always_inline u64 lane_time_after(u64 time, u64 ns)
{
	return likely(time + ns >= time) ? time + ns : ~0ULL;
}

/**
 * lane_next() - parse the next event of a copy
 * @buf: the copy
 * @at: offset in the copy; advanced
 * @len: bytes in the copy
 * @time: time of the previous event; advanced
 * @ev: filled in; @cpu changes only where the lane changes it; type, flags and severity are not
 *	checked
 *
 * Return: 1; 0 at the end; -EPROTO if the record is invalid.
 */
static __always_inline int lane_next(const u8 *buf, u32 *at, u32 len, u64 *time,
				     struct lane_event *ev)
{
	u32 word, left, used;
	u64 ns;
	int words;

	for (;;) {
		left = len - *at;
		if (!left)
			return 0;
		if (unlikely(left < sizeof(word)))
			return -EPROTO;
		word = lane_word(buf + *at);
		if (likely((word & 0x7f) != DEVTRACE_LANE_CPU))
			break;
		ev->cpu = word >> DEVTRACE_LANE_NS_SHIFT;
		*at += sizeof(word);
	}
	ns = word >> DEVTRACE_LANE_NS_SHIFT;
	ev->head = *at;
	ev->type = word >> DEVTRACE_LANE_TYPE_SHIFT;
	ev->len = word & 0x7f;
	ev->flags = 0;
	ev->severity = 0;
	words = 1;
	if (unlikely(ev->len > DEVTRACE_LANE_SHORT)) {
		words = lane_long(word, buf, *at, left, ev);
		if (words < 0)
			return words;
		ns = ev->time;
	}
	used = words * sizeof(word) + ev->len + (ev->len & 1);
	if (unlikely(used > left))
		return -EPROTO;
	ev->data = buf + *at + words * sizeof(word);
	*time = lane_time_after(*time, ns);
	ev->time = *time;
	*at += used;
	return 1;
}

u32 lane_untaken_bytes(const struct lane_mem *m, const struct lane_place *p);

#endif /* DEVTRACE_LANE_READ_H */
