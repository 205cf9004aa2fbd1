// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take events from lanes whose thread never makes the system call that hands them over
 *
 * A program that makes no system calls says so when it requests its lane (DEVTRACE_LANE_NO_CALLS).
 * If a seccomp(2) filter refuses its calls later, the library sets a flag in the head of the lane.
 * A work item takes the events of such lanes. It checks all lanes every LOOK_MS, or every
 * NO_CALLS_MS while such a lane is open.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "lane.h"
#include "lane_nocalls.h"
#include "slot.h"
#include "take.h"

#define NO_CALLS_MS	10
#define LOOK_MS		1000

static atomic_t nr_lanes = ATOMIC_INIT(0);

static void nocalls_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(nocalls_work, nocalls_fn);

/* Take the lane's events if its thread makes no system calls. Return true to check again soon. */
static bool come_for(struct lane *l)
{
	return (l->flags & DEVTRACE_LANE_NO_CALLS || slot_makes_no_calls(l)) &&
	       slot_take(l) != -EPIPE;
}

static void nocalls_fn(struct work_struct *work)
{
	unsigned int i, nr = slots_nr();
	bool soon = false;
	struct lane *l;

	for (i = 0; i < nr; i++) {
		l = slot_lane_get(i);
		if (l) {
			soon |= come_for(l);
			lane_put(l);
		}
		cond_resched();
	}
	if (atomic_read(&nr_lanes))
		schedule_delayed_work(&nocalls_work,
				      soon ? msecs_to_jiffies(NO_CALLS_MS) :
					     msecs_to_jiffies(LOOK_MS));
}

/* A lane was opened, in its slot. */
void lane_nocalls_made(const struct lane *l)
{
	atomic_inc(&nr_lanes);
	/* Run the work item at once, so that a series of new lanes cannot postpone it for ever. */
	if (l->flags & DEVTRACE_LANE_NO_CALLS)
		mod_delayed_work(system_wq, &nocalls_work, 0);
	else
		schedule_delayed_work(&nocalls_work, msecs_to_jiffies(LOOK_MS));
}

/* A lane was closed. */
void lane_nocalls_closed(void)
{
	atomic_dec(&nr_lanes);
}

/* Called when no lane is left. */
void lane_nocalls_exit(void)
{
	cancel_delayed_work_sync(&nocalls_work);
}
