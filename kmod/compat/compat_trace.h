/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences in tracepoints between kernels
 *
 * The arguments of a tracepoint change between kernels. Such changes are backported to
 * stable kernels, so the version is not enough. The kernel's headers declare for each
 * tracepoint a function check_trace_callback_type_NAME(), which takes a probe of the right
 * type. Here only its type is used. It is never called, so there is no reference to the
 * tracepoint itself, which is not exported.
 */
#ifndef DEVTRACE_COMPAT_TRACE_H
#define DEVTRACE_COMPAT_TRACE_H

#include <linux/blkdev.h>
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#include <linux/blk-mq.h>
#endif

#include "compat_probe.h"
#include "compat_trace_both.h"

#include <trace/events/block.h>
#include <trace/events/irq.h>
#include <trace/events/module.h>
#include <trace/events/oom.h>
#include <trace/events/power.h>
#include <trace/events/printk.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>
#ifdef CONFIG_X86
#include <asm/trace/irq_vectors.h>
#ifdef COMPAT_HAVE_ARCH_EXCEPTIONS
#include <asm/trace/exceptions.h>
#else
#include <trace/events/exceptions.h>
#endif
#else
#include <trace/events/ipi.h>
#endif

/* The probe; compilation fails unless it has the right type for the tracepoint. */
#define compat_check(tracepoint, probe)					\
	_Generic(&check_trace_callback_type_##tracepoint,		\
		 void (*)(typeof(&(probe))): (probe))
/* Only check the type of a probe, which is the same for all kernels. */
#define compat_assert(tracepoint, probe)				\
	static_assert(_Generic(&check_trace_callback_type_##tracepoint,	\
			       void (*)(typeof(&(probe))): true))

/*
 * on_NAME() is the probe for the newest kernel, compat_NAME() for older ones. probe_NAME is the
 * right one for this kernel.
 */

static void on_sched_switch(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int state);

/* The argument state came in 5.18. Without it, prev may be woken before its state is read. */
static void __maybe_unused compat_sched_switch(void *data, bool preempt,
					       struct task_struct *prev,
					       struct task_struct *next)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	on_sched_switch(data, preempt, prev, next, prev->state);
#else
	on_sched_switch(data, preempt, prev, next, READ_ONCE(prev->__state));
#endif
}

#define probe_sched_switch \
	compat_probe(sched_switch, on_sched_switch, compat_sched_switch)

static void on_sched_exit(void *data, struct task_struct *p, bool group_dead);

static void __maybe_unused compat_sched_exit(void *data, struct task_struct *p)
{
	on_sched_exit(data, p, false);
}

#define probe_sched_exit \
	compat_probe(sched_process_exit, on_sched_exit, compat_sched_exit)

static void on_timer_start(void *data, struct timer_list *timer, unsigned long expiry);

static void __maybe_unused compat_timer_start(void *data, struct timer_list *timer,
					      unsigned long expires, unsigned int flags)
{
	on_timer_start(data, timer, expires);
}

#define probe_timer_start \
	compat_probe(timer_start, on_timer_start, compat_timer_start)

static void on_hrtimer_start(void *data, struct hrtimer *timer, enum hrtimer_mode mode,
			     bool was_armed);

static void __maybe_unused compat_hrtimer_start(void *data, struct hrtimer *timer,
						enum hrtimer_mode mode)
{
	on_hrtimer_start(data, timer, mode, false);
}

#define probe_hrtimer_start \
	compat_probe(hrtimer_start, on_hrtimer_start, compat_hrtimer_start)

static void on_hrtimer_entry(void *data, struct hrtimer *timer, ktime_t now);

/* Before 7.2 the time is passed by reference. */
static void __maybe_unused compat_hrtimer_entry(void *data, struct hrtimer *timer, ktime_t *now)
{
	on_hrtimer_entry(data, timer, *now);
}

#define probe_hrtimer_entry \
	compat_probe(hrtimer_expire_entry, on_hrtimer_entry, compat_hrtimer_entry)

static void on_block_insert(void *data, struct request *rq);
static void on_block_issue(void *data, struct request *rq);

/* The tracepoints of 5.10 also pass the queue. */
static void __maybe_unused compat_block_insert(void *data, struct request_queue *q,
					       struct request *rq)
{
	on_block_insert(data, rq);
}

static void __maybe_unused compat_block_issue(void *data, struct request_queue *q,
					      struct request *rq)
{
	on_block_issue(data, rq);
}

#define probe_block_insert \
	compat_probe(block_rq_insert, on_block_insert, compat_block_insert)
#define probe_block_issue \
	compat_probe(block_rq_issue, on_block_issue, compat_block_issue)

static void on_work_queue(void *data, int cpu, struct pool_workqueue *pwq,
			     struct work_struct *work);

static void __maybe_unused compat_work_queue(void *data, unsigned int cpu,
					     struct pool_workqueue *pwq,
					     struct work_struct *work)
{
	on_work_queue(data, cpu, pwq, work);
}

#define probe_work_queue \
	compat_probe(workqueue_queue_work, on_work_queue, compat_work_queue)

static void on_console(void *data, const char *text, size_t len);

/* 5.10 with PREEMPT_RT still has the tracepoint, but its printk does not call it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0) && defined(CONFIG_PREEMPT_RT)
#define probe_console	NULL
#else
#define probe_console	on_console
#endif

static inline unsigned int compat_task_state_index(unsigned int state,
						   unsigned int exit_state)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
	state = (state | exit_state) & TASK_REPORT;
	if (state == TASK_IDLE)
		state = TASK_REPORT_IDLE;
	return fls(state);
#else
	return __task_state_index(state, exit_state);
#endif
}

#endif /* DEVTRACE_COMPAT_TRACE_H */
