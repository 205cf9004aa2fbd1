/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Look up which streams want an event of a lane
 *
 * An event is judged by the filters that are in force when it is taken, with one exception: while
 * its types are in lanes, no trigger wants them.
 */
#ifndef DEVTRACE_LANE_WANTS_H
#define DEVTRACE_LANE_WANTS_H

#include <linux/compiler.h>
#include <linux/threads.h>
#include <linux/types.h>

#include "emit/filter.h"
#include "lane_read.h"

struct lane;

u32 lane_wants_more(const struct filter_table *t, const struct lane_event *ev);
u32 lane_wants_thread(const struct filter_table *t, const struct lane *l, unsigned int *cpu);

/**
 * struct lane_judge - what events of a piece have in common
 * @t: the filters; preemption is off
 * @process: a filter has terms about processes or CPUs
 * @cpu: the CPU of the lane's thread, for events without a CPU; only if @process
 * @mask: the streams that want events of the lane's thread
 */
struct lane_judge {
	const struct filter_table	*t;
	bool				process;
	unsigned int			cpu;
	u32				mask;
};

static inline void lane_judge_begin(struct lane_judge *j, const struct lane *l)
{
	/* Preemption is off. */
	j->t = rcu_dereference_sched_check(devtrace_table, true);
	j->process = j->t->has & FILTER_HAS_PROCESSES;
	j->mask = FILTER_STREAMS;
	if (unlikely(j->process))
		j->mask &= lane_wants_thread(j->t, l, &j->cpu);
}

/*
 * Return the streams that want an event, or FILTER_TRIGGERS if no program may emit such an event.
 */
static __always_inline u32 lane_judge(const struct lane_judge *j, const struct lane_event *ev)
{
	u32 set = j->t->types[1][ev->type];

	if (unlikely(!devtrace_type_is_emittable(ev->type)) &&
	    !(ev->type == DEVTRACE_T_NAMED && ev->flags & DEVTRACE_F_CODE))
		return FILTER_TRIGGERS;
	if (unlikely(ev->flags | ev->severity)) {
		set = lane_wants_more(j->t, ev);
		if (set == FILTER_TRIGGERS)
			return set;
	}
	if (unlikely(j->process))
		set &= j->t->cpus[ev->cpu < nr_cpu_ids ? ev->cpu : j->cpu];
	return set & j->mask;
}

#endif /* DEVTRACE_LANE_WANTS_H */
