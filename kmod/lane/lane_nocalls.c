// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes whose blocks nobody hands over: the kernel comes by itself
 *
 * A program says that it makes no calls when it asks for its lane (DEVTRACE_LANE_NO_CALLS).
 * Or its calls are refused later, by a filter of seccomp(2): then the library says so in the
 * head of the lane. A work looks at all lanes once in LOOK_MS, and every NO_CALLS_MS as long
 * as there is one of these; what is in them it takes.
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

/* Whether to come again soon. */
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

/**
 * lane_nocalls_made() - a lane is open, and in its slot
 * @l: the lane
 */
void lane_nocalls_made(const struct lane *l)
{
	atomic_inc(&nr_lanes);
	/* At once, so that many of them cannot put it off. */
	if (l->flags & DEVTRACE_LANE_NO_CALLS)
		mod_delayed_work(system_wq, &nocalls_work, 0);
	else
		schedule_delayed_work(&nocalls_work, msecs_to_jiffies(LOOK_MS));
}

/* One is closed. */
void lane_nocalls_closed(void)
{
	atomic_dec(&nr_lanes);
}

/* None is left. */
void lane_nocalls_exit(void)
{
	cancel_delayed_work_sync(&nocalls_work);
}
