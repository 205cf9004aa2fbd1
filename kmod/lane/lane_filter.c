// SPDX-License-Identifier: GPL-2.0-only
/*
 * The types that may go into lanes: bits that programs test
 *
 * Two sides decide. The filters say which types stream 0 wants and no other stream or trigger
 * (manage/filter_compile.c); by all other terms an event is judged when it is taken. The state of stream 0 says whether it stores events, and
 * whether nothing may stop it with the next one.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/proc.h"
#include "lane.h"
#include "lane_filter.h"
#include "slot.h"
#include "stream/quiet.h"
#include "stream/table.h"
#include "take.h"
#include <uapi/linux/devtrace.h>

#define WORDS	8
/* The severity bytes of level 2 and 3: of software, and of hardware. */
#define SEVERE	(BIT(DEVTRACE_SW2) | BIT(DEVTRACE_SW3) | BIT(DEVTRACE_HW2) | BIT(DEVTRACE_HW3))

/* With devtrace_lock. */
static struct devtrace_control *lane_control;
static u32 simple[WORDS];
static bool state_runs = true, state_unwatched = true;

static void write_lanes(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(lane_control->lanes[i],
			   state_runs && state_unwatched ? simple[i] : 0);
}

/**
 * lane_filter_narrow() - before the filters change: clear the bits that the new ones clear
 * @lanes: the types that may go into lanes by the new filters
 *
 * Events in lanes are taken, by the filters that are in force.
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_narrow(const u32 *lanes)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(lane_control->lanes[i], lane_control->lanes[i] & lanes[i]);
	slots_take_all();
}

/**
 * lane_filter_table() - the filters have changed, and are in force
 * @lanes: what will do now
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_table(const u32 *lanes)
{
	lockdep_assert_held(&devtrace_lock);
	memcpy(simple, lanes, sizeof(simple));
	write_lanes();
}

/**
 * lane_filter_state() - stream 0 was stopped, or goes on, or may be stopped by an event
 * @runs: it stores events
 * @unwatched: and none may stop it
 *
 * When it has returned, what was in lanes before is stored or dropped as it was said
 * before.
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_state(bool runs, bool unwatched)
{
	const bool other = runs != state_runs;

	lockdep_assert_held(&devtrace_lock);
	state_runs = runs;
	state_unwatched = unwatched;
	/* The bits go before what is in lanes is dropped, and come behind it. */
	if (!runs)
		write_lanes();
	if (other)
		slots_stop(!runs);
	write_lanes();
}

/**
 * lane_filter_init() - everything may
 * @control: the page that programs map
 */
void lane_filter_init(struct devtrace_control *control)
{
	lane_control = control;
}

/**
 * lane_filter_tell_severe() - have somebody told of each severe event when it is in its ring
 * @told: who is told, see emit_severe_told; NULL: nobody any more
 *
 * The library gives such events to the kernel at once, as long as somebody is told.
 *
 * Context: process; with NULL, sleeps until no call is under way.
 */
void lane_filter_tell_severe(void (*told)(struct ring *r))
{
	WRITE_ONCE(lane_control->severe, told ? SEVERE : 0);
	WRITE_ONCE(emit_severe, told ? EMIT_SEVERE : 0);
	WRITE_ONCE(emit_severe_told, told);
	if (!told)
		quiet_wait();
}

/**
 * lane_filter_set() - who wants events of the thread of a lane, on whichever CPU
 * @t: the table, preemption off
 * @l: the lane
 * @cpu: set to the CPU that the thread is on
 *
 * Of a thread that is no more, or has another number since it calls exec(2), the name is
 * the last that it emitted under.
 */
u32 lane_filter_set(const struct filter_table *t, const struct lane *l, unsigned int *cpu)
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
