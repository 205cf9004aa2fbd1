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

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "ring/clock.h"

/* Slots of the table, and those that the threads of one id share: they stand side by side. */
#define PROC_SLOTS	1024
#define PROC_WAYS	8

/* A thread under one name. */
struct proc_name {
	u32	tid;
	u32	tgid;
	u64	since;			/* trace clock, ns */
	char	comm[TASK_COMM_LEN];
};

/**
 * struct proc_found - the name of a thread at a time, and how long that is so
 * @slot: where it stands, -1: nothing is known
 * @stamp: no other name in this slot has the same, nor has 0
 * @until: up to before this time the thread had no other name, as far as
 *	devtrace_proc_same(); 0 if no name is known
 * @taken: counts the slots that were taken in its bucket
 * @nr_taken: that, then
 * @seq: the number of the slot, or @taken
 * @nr_seq: that, then
 */
struct proc_found {
	int		slot;
	u64		stamp;
	u64		until;
	const atomic_t	*taken;
	int		nr_taken;
	int		nr_seq;
	const atomic_t	*seq;
};

/* In proc_last: no slot; the idle task, which needs none; the rest of it is being changed. */
#define PROC_SLOT_NONE		-1
#define PROC_SLOT_IDLE		-2
#define PROC_SLOT_CHANGES	-3

/* The thread that emitted last on this CPU, its slot in the table, its events since. */
struct proc_last {
	pid_t	tid;
	int	slot;
	u64	comm[TASK_COMM_LEN / sizeof(u64)];
	unsigned long stored;
	unsigned long idle;		/* stored over the idle task of this CPU */
};

DECLARE_PER_CPU(struct proc_last, devtrace_proc_last);

/*
 * Called for each new name of a thread, by the writer of slot @i and so by one at a time: any
 * context, NMI included, preemption off. After setting it to NULL call quiet_wait().
 */
typedef void (*proc_told_t)(unsigned int i, u32 nr, const struct task_struct *task,
			    const char *comm, u64 now);
extern proc_told_t devtrace_proc_told;

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
	/* What is known of the thread is read behind that: see quick_may(). */
	barrier();
}

/* An event of the one seen last was stored. */
static __always_inline void devtrace_proc_stored(void)
{
	this_cpu_inc(devtrace_proc_last.stored);
}

void devtrace_proc_count(u32 tid, unsigned long stored);
bool devtrace_proc_find(u32 tid, u64 ts, struct proc_name *name, struct proc_found *found);
bool devtrace_proc_slot(unsigned int i, struct proc_name *name, u64 *stored);

/*
 * Whether what was found of a thread is still all there is. New names of others in its bucket
 * do not matter: so nobody makes readers look for others' names by renaming himself.
 */
static inline bool devtrace_proc_same(const struct proc_found *found)
{
	/* LMM(sent:B): the table after the number; pairs with proc:C. */
	return atomic_read_acquire(found->taken) == found->nr_taken &&
		/* LMM(sent:A): likewise; pairs with proc:A. */
	       atomic_read_acquire(found->seq) == found->nr_seq;
}

int devtrace_proc_init(u32 start);
void devtrace_proc_exit(void);

#endif /* DEVTRACE_PROC_H */
