/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Lanes: memory into which one thread writes events, to hand them to the kernel block by block
 *
 * DEVTRACE_IOC_LANE returns a descriptor and a size. The program maps all of it at once, with
 * MAP_SHARED and PROT_READ | PROT_WRITE, from offset 0. The lane consists of blocks of 4096 bytes.
 * Block numbers begin at @first and wrap at 2^32; block n is at index n % @blocks. The header of
 * the block at offset 0 contains the head of the lane.
 *
 * A lane is only a staging area. The kernel copies complete events from it to the ring when the
 * thread hands blocks over (DEVTRACE_IOC_HAND), when a program reads the stream, and when the
 * thread ends for any reason.
 *
 * Only the thread that requested the lane may write to it, and only while @state is
 * DEVTRACE_LANE_OPEN. All values are in the byte order of the machine, and the same for 32-bit and
 * 64-bit programs. Documentation/lanes.rst explains the order of the writer's stores. A wrong
 * store harms only the events of this lane.
 */
#ifndef _UAPI_LINUX_DEVTRACE_LANE_H
#define _UAPI_LINUX_DEVTRACE_LANE_H

#include <linux/types.h>
#include <linux/devtrace.h>

#define DEVTRACE_LANE_BLOCK	4096
#define DEVTRACE_LANE_MIN	(2 * DEVTRACE_LANE_BLOCK)
#define DEVTRACE_LANE_MAX	(64 * DEVTRACE_LANE_BLOCK)

enum devtrace_lane_state {
	DEVTRACE_LANE_CLOSED	= 0,	/* not yet open, closed, or inherited by another process */
	DEVTRACE_LANE_OPEN	= 1,
};

/**
 * struct devtrace_lane_head - state of a lane; the thread and the kernel write different members
 * @open: written by the thread: number of the block being written; before the first one @first - 1
 * @busy: written by the thread: not 0 from before it reads the clock until the event is complete
 * @state: written by the kernel: enum devtrace_lane_state
 * @blocks: written by the kernel: number of blocks, a power of two
 * @first: written by the kernel: number of the first block to write
 * @source: written by the kernel: source number of the lane's events
 * @no_calls: written by the thread: not 0 if its system calls are refused, so that the kernel must
 *	take the events by itself
 * @reserved: 0
 *
 * The kernel never reads the members that it writes, because the program can change them.
 */
struct devtrace_lane_head {
	__u32	open;
	__u32	busy;
	__u32	state;
	__u32	blocks;
	__u32	first;
	__u32	source;
	__u32	no_calls;
	__u32	reserved;
};

/* The record's CPU is unknown. */
#define DEVTRACE_LANE_NO_CPU	0xffff

/**
 * struct devtrace_lane_block - header of a block
 * @time: base of the first record's relative time, trace clock ns
 * @count: number of events written into this lane before this block
 * @number: number of the block, stored after all members except @used
 * @used: bytes of the block that are complete, including this header; even
 * @cpu: CPU of the first record, or DEVTRACE_LANE_NO_CPU
 * @reserved: 0
 * @head: the lane's head, only in the block at offset 0
 */
struct devtrace_lane_block {
	__u64	time;
	__u64	count;
	__u32	number;
	__u16	used;
	__u16	cpu;
	__u32	reserved[2];
	struct devtrace_lane_head head;
};

/*
 * A record is one or more 32-bit words, then the bytes that follow struct devtrace_emit (the
 * payload), padded to an even number. It lies within one block. Its first word:
 *
 *	bits 0-6	length of the payload, if at most 119; else one of the forms below
 *	bits 7-14	type
 *	bits 15-31	ns since the previous record, or since @time of the block
 *
 * The forms, with the meaning of bits 15-31 and of the following words:
 *
 *	CPU	the CPU of all following records; no event
 *	DELAY	length of the payload; a word: ns
 *	FULL	ns; a word: bits 0-15 length, 16-23 flags, 24-31 severity
 *	LATE	length of the payload; a word: bits 0-7 flags, 8-15 severity, 16-31
 *		the upper 16 bits of ns; a word: the lower 32
 *
 * In forms without flags and severity, both are 0.
 */
#define DEVTRACE_LANE_SHORT	119U
#define DEVTRACE_LANE_CPU	124U
#define DEVTRACE_LANE_DELAY	125U
#define DEVTRACE_LANE_FULL	126U
#define DEVTRACE_LANE_LATE	127U

#define DEVTRACE_LANE_TYPE_SHIFT 7
#define DEVTRACE_LANE_NS_SHIFT	15
#define DEVTRACE_LANE_NS_MAX	0x1ffffU

/**
 * devtrace_named_is_valid() - does an event of the type DEVTRACE_T_NAMED have a number?
 * @flags: DEVTRACE_F_*
 * @data: payload, with room for the code if @flags announce one
 *
 * Return: not 0 if the code is the number of a type that may be registered by name.
 */
static inline int devtrace_named_is_valid(unsigned int flags, const __u8 *data)
{
	return flags & DEVTRACE_F_CODE && data[1] && !data[2] && !data[3];
}

/**
 * devtrace_event_is_valid() - may a program emit this event?
 * @type: event type
 * @flags: DEVTRACE_F_*
 * @severity: severity byte
 * @data: payload
 * @len: bytes of payload, including the code, object and signal if @flags announce them
 *
 * Return: not 0 if the type is valid, and all that devtrace_head_is_valid() checks.
 */
static inline int devtrace_event_is_valid(unsigned int type, unsigned int flags,
					  unsigned int severity, const __u8 *data,
					  unsigned long len)
{
	return devtrace_head_is_valid(flags, severity, len) &&
	       (devtrace_type_is_emittable(type) ||
		(type == DEVTRACE_T_NAMED && devtrace_named_is_valid(flags, data)));
}

#endif /* _UAPI_LINUX_DEVTRACE_LANE_H */
