/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints that both profile/ and faults/ attach to
 *
 * A file that includes this must define oom_kill(), on_oom_kill(), block_complete() and
 * on_block_complete(); see compat_trace.h.
 */
#ifndef DEVTRACE_COMPAT_TRACE_BOTH_H
#define DEVTRACE_COMPAT_TRACE_BOTH_H

#include <linux/blkdev.h>
#include <linux/sched.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#include <linux/blk-mq.h>
#endif

#include "compat_probe.h"

#include <trace/events/block.h>
#include <trace/events/oom.h>

static void on_oom_kill(void *data, struct task_struct *task, uid_t uid);
static void oom_kill(pid_t tid);

static void __maybe_unused compat_oom_kill(void *data, int tid)
{
	oom_kill(tid);
}

#define probe_oom_kill	compat_probe(mark_victim, on_oom_kill, compat_oom_kill)

static void on_block_complete(void *data, struct request *rq, blk_status_t error,
			      unsigned int bytes);
static void block_complete(struct request *rq, int error, unsigned int bytes);

/* Up to 5.15 the error is an errno. */
static void __maybe_unused compat_block_complete(void *data, struct request *rq, int error,
						 unsigned int bytes)
{
	block_complete(rq, error, bytes);
}

#define probe_block_complete \
	compat_probe(block_rq_complete, on_block_complete, compat_block_complete)

/* Up to 5.16 the request has a pointer to its disk. */
static inline struct gendisk *compat_request_disk(struct request *rq)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
	return rq->rq_disk;
#else
	return rq->q->disk;
#endif
}

#endif /* DEVTRACE_COMPAT_TRACE_BOTH_H */
