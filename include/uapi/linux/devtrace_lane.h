/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Lanes: memory that one thread writes events into, and the kernel reads
 *
 * DEVTRACE_IOC_LANE gives a descriptor. Two things are mapped of it, MAP_SHARED:
 *
 *	offset 0, one page, PROT_READ
 *		struct devtrace_lane_page, written by the kernel alone
 *	offset of one page, one page and @blocks of 4096 bytes, PROT_READ | PROT_WRITE
 *		struct devtrace_lane_head, then from the next page on the blocks
 *
 * Block number n, counted modulo 2^32 from @first on, is the (n % @blocks)-th. Only the
 * thread that asked for the lane may write, and not while @state is
 * DEVTRACE_LANE_CLOSED. All is in the byte order of the machine, and the same for
 * 32-bit and 64-bit programs. What the writer stores in which order, and why, is in
 * Documentation/lanes.rst; nothing that is written here can harm anything but the
 * events of this lane.
 */
#ifndef _UAPI_LINUX_DEVTRACE_LANE_H
#define _UAPI_LINUX_DEVTRACE_LANE_H

#include <linux/types.h>

#define DEVTRACE_LANE_BLOCK	4096
#define DEVTRACE_LANE_MIN	(8 * DEVTRACE_LANE_BLOCK)
#define DEVTRACE_LANE_MAX	(4096 * DEVTRACE_LANE_BLOCK)

enum devtrace_lane_state {
	DEVTRACE_LANE_CLOSED	= 0,	/* not, or no more, or not in this process */
	DEVTRACE_LANE_OPEN	= 1,
};

/**
 * struct devtrace_lane_page - what the kernel says about a lane
 * @state: enum devtrace_lane_state
 * @blocks: how many, a power of two
 * @first: number of the block that is to be written first
 * @source: the number that its events have as their source
 * @tid: the thread whose events these are
 */
struct devtrace_lane_page {
	__u32	state;
	__u32	blocks;
	__u32	first;
	__u32	source;
	__u32	tid;
};

/**
 * struct devtrace_lane_head - what the thread says about its lane
 * @open: the block that is being written; @first - 1 before there is one
 * @busy: not 0 from before the clock is read until the event is complete
 */
struct devtrace_lane_head {
	__u32	open;
	__u32	busy;
};

/**
 * struct devtrace_lane_block - what a block begins with
 * @time: trace clock to which the first record's time is relative
 * @count: events that were written into this lane before this block
 * @number: its own number, stored after all else here but @used
 * @used: bytes of the block that are complete, this header included; even
 * @reserved: 0
 */
struct devtrace_lane_block {
	__u64	time;
	__u64	count;
	__u32	number;
	__u16	used;
	__u16	reserved;
};

/*
 * A record is a word, perhaps more words, and the payload that the event would have
 * after struct devtrace_emit, padded to an even number of bytes. It does not cross a
 * block. Its first word:
 *
 *	bits 0-6	length of the payload, if at most 119; else one of the forms
 *	bits 7-14	type
 *	bits 15-31	ns since the record before, or since @time of the block
 *
 * The forms, with what stands in bits 15-31 and in the words that follow:
 *
 *	DELAY	length of the payload; a word: ns
 *	FULL	ns; a word: bits 0-15 length, 16-23 flags, 24-31 severity
 *	LATE	length of the payload; a word: bits 0-7 flags, 8-15 severity, 16-31
 *		the upper 16 bits of ns; a word: the lower 32
 *
 * Where it says nothing of flags and severity they are 0.
 */
#define DEVTRACE_LANE_SHORT	119U
#define DEVTRACE_LANE_DELAY	125U
#define DEVTRACE_LANE_FULL	126U
#define DEVTRACE_LANE_LATE	127U

#define DEVTRACE_LANE_TYPE_SHIFT 7
#define DEVTRACE_LANE_NS_SHIFT	15
#define DEVTRACE_LANE_NS_MAX	0x1ffffU

#endif /* _UAPI_LINUX_DEVTRACE_LANE_H */
