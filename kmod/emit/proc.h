/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of threads that emitted events
 *
 * They are in a bounded table outside the rings, so the name of a thread outlives the thread. The
 * emit path updates the table when this CPU last saw another thread, or another name of it.
 */
#ifndef DEVTRACE_PROC_H
#define DEVTRACE_PROC_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "ring/clock.h"

/* Number of slots, and of slots in a bucket, which are adjacent. */
#define PROC_SLOTS	1024
#define PROC_WAYS	8

/* A thread, with one of its names. */
struct proc_name {
	u32	tid;
	u32	tgid;
	u64	since;			/* trace clock, ns */
	char	comm[TASK_COMM_LEN];
};

/**
 * struct proc_found - the name that a thread had at a time, and how long that is valid
 * @slot: slot of the name, -1 if no name is known
 * @stamp: unique among the names of the slot, and not 0
 * @until: the thread had no other name before this time, while devtrace_proc_same() holds; 0 if
 *	no name is known
 * @taken: counter of the slots taken in its bucket
 * @nr_taken: value of @taken at the search
 * @seq: sequence number of the slot, or @taken
 * @nr_seq: value of @seq at the search
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

/* Values of proc_last.slot: no slot; the idle task, which has none; a change is in progress. */
#define PROC_SLOT_NONE		-1
#define PROC_SLOT_IDLE		-2
#define PROC_SLOT_CHANGES	-3

/**
 * struct proc_last - the thread that this CPU saw emit last
 * @tid: thread id
 * @slot: its slot in the table, or PROC_SLOT_*
 * @comm: its name
 * @stored: number of its events stored since this CPU saw it
 * @idle: number of events stored while this CPU's idle task was current
 *
 * This CPU alone writes it, in any context.
 */
struct proc_last {
	pid_t	tid;
	int	slot;
	u64	comm[TASK_COMM_LEN / sizeof(u64)];
	unsigned long stored;
	unsigned long idle;
};

DECLARE_PER_CPU(struct proc_last, devtrace_proc_last);

/*
 * Called for each new name of a thread by the writer of slot @i, one at a time for each slot; any
 * context, NMI included, preemption off. After setting it to NULL, call quiet_wait().
 */
typedef void (*proc_told_t)(unsigned int i, u32 nr, const struct task_struct *task,
			    const char *comm, u64 now);
extern proc_told_t devtrace_proc_told;

void devtrace_proc_new(struct task_struct *task);

/* On the emit path, preemption off: are the thread and its name those seen last? */
static __always_inline bool devtrace_proc_known(const struct task_struct *task)
{
	const u64 *comm = (const u64 *)task->comm;

	BUILD_BUG_ON(sizeof(task->comm) != 2 * sizeof(u64));
	/* If a rename is in progress, the name differs now or at the next event. */
	return data_race(likely(task->pid == __this_cpu_read(devtrace_proc_last.tid)) &&
			 likely(comm[0] == __this_cpu_read(devtrace_proc_last.comm[0])) &&
			 likely(comm[1] == __this_cpu_read(devtrace_proc_last.comm[1])));
}

static __always_inline void devtrace_proc_seen(struct task_struct *task)
{
	if (unlikely(!devtrace_proc_known(task)))
		devtrace_proc_new(task);
	/* Only now read the filter result cached for the CPU's thread: see quick_may(). */
	barrier();
}

/* Count a stored event of the thread seen last. */
static __always_inline void devtrace_proc_stored(void)
{
	this_cpu_inc(devtrace_proc_last.stored);
}

void devtrace_proc_count(u32 tid, unsigned long stored);
bool devtrace_proc_find(u32 tid, u64 ts, struct proc_name *name, struct proc_found *found);
bool devtrace_proc_slot(unsigned int i, struct proc_name *name, u64 *stored);

/*
 * Is the result of devtrace_proc_find() still valid? New names of other threads in the bucket do
 * not invalidate it, so a thread that renames itself causes no searches for other threads.
 */
static inline bool devtrace_proc_same(const struct proc_found *found)
{
	/* LMM(sent:B): the table is read after this number; pairs with proc:C. */
	return atomic_read_acquire(found->taken) == found->nr_taken &&
		/* LMM(sent:A): the slot is read after this number; pairs with proc:A. */
	       atomic_read_acquire(found->seq) == found->nr_seq;
}

int devtrace_proc_init(u32 start);
void devtrace_proc_exit(void);

#endif /* DEVTRACE_PROC_H */
