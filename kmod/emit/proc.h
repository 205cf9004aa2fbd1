/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the threads that emitted
 *
 * A bounded table outside the rings, so that the name of a thread is still
 * there when the thread is not. Filled on the emit path when a CPU meets a
 * thread, or a new name of one, that it did not just see.
 */
#ifndef DEVTRACE_PROC_H
#define DEVTRACE_PROC_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "ring/clock.h"

/* A thread under one name. */
struct proc_name {
	u32	tid;
	u32	tgid;
	u64	since;			/* trace clock, ns */
	char	comm[TASK_COMM_LEN];
};

/* Who emitted last on this CPU, its slot in the table, and how much since. */
struct proc_last {
	pid_t	tid;
	int	slot;
	u64	comm[TASK_COMM_LEN / sizeof(u64)];
	unsigned long stored;
	unsigned long idle;		/* stored over the idle task of this CPU */
};

DECLARE_PER_CPU(struct proc_last, devtrace_proc_last);

void devtrace_proc_new(struct task_struct *task);

/* On the emit path, preemption off: whether it is the thread and name seen last. */
static __always_inline bool devtrace_proc_known(const struct task_struct *task)
{
	const u64 *comm = (const u64 *)task->comm;

	BUILD_BUG_ON(sizeof(task->comm) != 2 * sizeof(u64));
	/* Half of another name is another name, and so is the whole, next time. */
	return data_race(likely(task->pid == __this_cpu_read(devtrace_proc_last.tid)) &&
			 likely(comm[0] == __this_cpu_read(devtrace_proc_last.comm[0])) &&
			 likely(comm[1] == __this_cpu_read(devtrace_proc_last.comm[1])));
}

static __always_inline void devtrace_proc_seen(struct task_struct *task)
{
	if (unlikely(!devtrace_proc_known(task)))
		devtrace_proc_new(task);
}

/* An event of the one seen last was stored. */
static __always_inline void devtrace_proc_stored(void)
{
	this_cpu_inc(devtrace_proc_last.stored);
}

u32 devtrace_owner(void);

void devtrace_proc_count(u32 tid, unsigned long stored);
unsigned int devtrace_proc_slots(void);
unsigned int devtrace_proc_ways(void);
u32 devtrace_proc_changes(u32 tid);
int devtrace_proc_find(u32 tid, u64 ts, struct proc_name *name, u64 *stamp, u64 *until);
bool devtrace_proc_stats(unsigned int *slot, struct proc_name *name, u64 *stored);

int devtrace_proc_init(u32 start);
void devtrace_proc_exit(void);

#endif /* DEVTRACE_PROC_H */
