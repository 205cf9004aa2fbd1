/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_lane.h - a thread's view of its lane
 *
 * Every thread has one struct lane. emit_lane.c writes events into the lane, emit_lane_get.c
 * maps and unmaps its memory.
 *
 * Invariants. Only the thread itself and its signal handlers access the structure. Code that
 * finds @ready set clears it before it does anything else. Until it sets @ready again, only that
 * code may write the lane or unmap it; code that finds @ready clear leaves the lane alone. So a
 * handler either runs before @ready is cleared, and completes its event, or emits by a system
 * call. A handler that leaves by siglongjmp(3) leaves @ready clear.
 *
 * @head can always be read: a thread without a lane has the library's own head, which is closed.
 */
#ifndef LIB_EMIT_LANE_H
#define LIB_EMIT_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/devtrace.h>
#include <linux/devtrace_lane.h>

enum lane_phase {
	LANE_UNTRIED,	/* the next event asks for a lane */
	LANE_SETUP,	/* the lane is being requested or given back */
	LANE_OPEN,	/* the thread has a lane */
	LANE_NONE,	/* refused or closed; the thread may ask again later */
	LANE_OFF,	/* no lane wanted, or the thread ends */
};

/**
 * struct lane - a thread's view of its lane
 * @ready: 1 if the lane may be written; see above
 * @number: number of the block that is being written
 * @at: end of the last record in @block
 * @end: end of @block
 * @block: the block that is being written
 * @last: time of the last record, ns
 * @count: records written so far
 * @head: head shared with the kernel; the library's closed head without a lane
 * @cpu_now: CPU the thread runs on, kept by the C library; no_cpu if unknown
 * @cpu: CPU of the last record
 * @blocks: all blocks of the lane
 * @mask: number of blocks - 1
 * @handed: the kernel has taken all blocks before this number
 * @source: number of the lane's source, from the kernel
 * @size: bytes mapped at @blocks
 * @pid: process that asked for the lane
 * @generation: dt_conn_opens() when the kernel refused a lane
 * @calls: full blocks are handed to the kernel by system calls
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
 * The initial-exec model: TLS access never calls a function, so handlers may use it. If the library
 * is opened by dlopen(3), its TLS comes from the reserve that the C library keeps for this.
 */
#define LANE_TLS	__attribute__((visibility("hidden"), tls_model("initial-exec")))

extern __thread struct lane dt_lane_mine LANE_TLS;

/* Compiler barrier between a thread and its own signal handlers. */
static inline __attribute__((always_inline)) void lane_handler_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Called if the thread has no lane to write into: ask for a lane, unless an earlier request
 * failed. Return whether there is a lane now. May change errno.
 */
bool dt_lane_get(void);

/*
 * Called with @ready cleared and the head closed: give the lane back. After a fork the lane was
 * the parent's: then ask for a lane of this thread's own. Return whether there is a lane now. May
 * change errno.
 */
bool dt_lane_closed(void);

/* Let the kernel take complete blocks. @ready may be set or clear. Keeps errno. */
void dt_lane_hand(struct lane *l);

#endif
