/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_lane.h - a thread's view of its lane
 *
 * Every thread has one struct lane. emit_lane.c writes events by it, emit_lane_get.c
 * gets the memory and gives it back.
 *
 * Invariants. Only the thread itself and its signal handlers look at it. Code that finds
 * @ready set clears it before it looks at anything else, and it alone may write the lane
 * or unmap it until it sets @ready again; code that finds it clear leaves everything alone.
 * So a handler either comes before, and completes all it does, or emits by a system call;
 * and a handler that leaves by siglongjmp(3) leaves @ready clear.
 *
 * @head can always be read: without a lane it is the library's own that says "closed".
 */
#ifndef LIB_EMIT_LANE_H
#define LIB_EMIT_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/devtrace.h>
#include <linux/devtrace_lane.h>

/* The state of a thread's lane. */
enum lane_phase {
	LANE_UNTRIED,	/* the next event asks for one */
	LANE_SETUP,	/* it is being asked for, or given back */
	LANE_OPEN,	/* there is one */
	LANE_NONE,	/* there was none to be had, or it is closed: asked for again later */
	LANE_OFF,	/* none is wanted, or the thread ends */
};

/**
 * struct lane - a thread and its lane
 * @ready: see above
 * @number: of the block that is being written
 * @at: in it, behind the last record
 * @end: of it
 * @block: it
 * @last: time of the last record
 * @count: records that were written
 * @head: what we and the kernel say, or one of our own
 * @cpu_now: the CPU that the thread is on, or a word that says it is not known
 * @cpu: of the last record
 * @blocks: all of them
 * @mask: how many there are, less one
 * @handed: the kernel has all of the blocks before this one
 * @source: number of its source
 * @size: bytes that are mapped at @blocks
 * @pid: process that asked for it
 * @generation: of dt_lane_again() when there was none to be had
 * @calls: full blocks are handed over
 * @phase: enum lane_phase
 */
struct lane {
	uint32_t			ready;
	uint32_t			number;
	uint8_t				*at;
	uint8_t				*end;
	struct devtrace_lane_block	*block;
	uint64_t			last;
	uint64_t			count;
	struct devtrace_lane_head	*head;
	const uint32_t			*cpu_now;

	uint32_t			cpu;
	uint32_t			mask;
	uint8_t				*blocks;
	uint32_t			handed;
	uint32_t			source;
	size_t				size;
	pid_t				pid;
	unsigned int			generation;
	bool				calls;
	enum lane_phase			phase;
} __attribute__((aligned(64)));

/*
 * Found without a call, which a handler could not make. A library that is opened at run
 * time takes it from what the C library keeps free for that.
 */
#define LANE_TLS	__attribute__((visibility("hidden"), tls_model("initial-exec")))

extern __thread struct lane dt_lane_mine LANE_TLS;

/* Does not let the compiler move anything across: a handler may come in between. */
static inline __attribute__((always_inline)) void lane_handler_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * No lane can be written: get one, if that is the time for it. Whether there is one now.
 * May change errno.
 */
bool dt_lane_get(void);

/*
 * The page says "closed" to the one who has cleared @ready: give the lane back, and get
 * another if that one was our parent's. Whether there is one now. May change errno.
 */
bool dt_lane_closed(void);

/*
 * Let the kernel take complete events. @ready may be cleared or not: the call is one
 * step for a handler. Keeps errno.
 */
void dt_lane_hand(struct lane *l);

/* Let threads that found none to be had try again. */
void dt_lane_again(void);

#endif
