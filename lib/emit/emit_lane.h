/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_lane.h - a thread's view of its lane
 *
 * Every thread has one struct lane. emit_lane.c writes events into the lane, emit_lane_get.c maps
 * and unmaps its memory.
 *
 * Invariants. Only the thread itself and its signal handlers access the structure. Code that finds
 * @ready set clears it first. Until this code sets @ready again, it alone may write to the lane or
 * unmap it; a signal handler that finds @ready clear emits by a system call instead. A handler
 * that leaves by siglongjmp(3) leaves @ready clear.
 *
 * @head is always valid: for a thread without a lane it points to a head of the library's own,
 * which is closed.
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
	LANE_SETUP,	/* the thread is requesting the lane or giving it back */
	LANE_OPEN,	/* the thread has a lane */
	LANE_NONE,	/* refused or closed; the thread may request one later */
	LANE_OFF,	/* no lane wanted, or the thread is ending */
};

/**
 * struct lane - a thread's view of its lane
 * @ready: 1 if the lane may be written; see above
 * @number: number of the block that is being written
 * @at: end of the last record in @block
 * @end: end of @block
 * @block: the block that is being written
 * @last: time of the last record, ns
 * @count: number of records written so far
 * @head: head of the lane, shared with the kernel; without a lane a closed head of the library
 * @cpu_now: where the C library stores the CPU that the thread runs on; no_cpu if it does not
 * @cpu: CPU of the last record
 * @blocks: memory of all blocks of the lane
 * @mask: number of blocks - 1
 * @handed: number of the first block that the kernel has not taken
 * @source: source number that the kernel gave to the lane
 * @size: bytes mapped at @blocks
 * @pid: process that requested the lane
 * @generation: dt_conn_opens() when the lane was requested
 * @calls: true if the thread hands full blocks to the kernel by system calls
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
 * With the initial-exec model, access to TLS never calls a function, so signal handlers may use
 * it. If the library is loaded by dlopen(3), its TLS is taken from the C library's reserve for
 * this case.
 */
#define LANE_TLS	__attribute__((visibility("hidden"), tls_model("initial-exec")))

extern __thread struct lane dt_lane_mine LANE_TLS;

/* Compiler barrier between a thread and its own signal handlers. */
static inline __attribute__((always_inline)) void lane_handler_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Request a lane for a thread that has none, unless an earlier request failed. Return true if the
 * thread has a lane now. May change errno.
 */
bool dt_lane_get(void);

/*
 * Give back a lane that the kernel has closed; the caller has cleared @ready. After fork(2), where
 * the lane was the parent's, request a new one. Return true if the thread has a lane now. May
 * change errno.
 */
bool dt_lane_closed(void);

/* Let the kernel take the complete blocks. @ready may be set or clear. Keeps errno. */
void dt_lane_hand(struct lane *l);

#endif
