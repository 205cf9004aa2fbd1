// SPDX-License-Identifier: GPL-2.0-only
/* Look up the filter set of an event of a lane */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "emit/filter.h"
#include "emit/proc.h"
#include "lane.h"
#include "lane_wants.h"

/*
 * The filter set of a record with flags or a severity: the streams that want it, or FILTER_TRIGGERS
 * if no program may emit such an event. Preemption is off.
 */
u32 lane_wants_more(const struct filter_table *t, const struct lane_event *ev)
{
	u32 who;

	if (!devtrace_event_is_valid(ev->type, ev->flags, ev->severity, ev->data, ev->len))
		return FILTER_TRIGGERS;
	who = RING_WHO_USER | (u32)ev->flags << RING_WHO_CTX_SHIFT |
	      (u32)ev->severity << RING_WHO_SEV_SHIFT;
	return filter_wants_data(t, ev->type, who, ev->data) & FILTER_STREAMS;
}

/*
 * The filter set for events of a lane's thread, on any CPU; set @cpu to the thread's CPU.
 * Preemption is off. A thread that has ended or called exec(2) has the name it had when it emitted
 * last.
 */
u32 lane_wants_thread(const struct filter_table *t, const struct lane *l, unsigned int *cpu)
{
	const struct task_struct *task;
	struct proc_found found;
	struct proc_name name;

	*cpu = 0;
	name.comm[0] = 0;
	rcu_read_lock();
	task = pid_task(l->pid, PIDTYPE_PID);
	if (task) {
		/* See devtrace_proc_seen(). */
		data_race(memcpy(name.comm, task->comm, sizeof(name.comm)));
		*cpu = task_cpu(task);
	} else {
		devtrace_proc_find(l->tid, U64_MAX, &name, &found);
	}
	rcu_read_unlock();
	return filter_thread_set(t, l->tid, l->tgid, name.comm);
}
