// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes whose blocks nobody hands over: the kernel comes by itself
 *
 * A program says that it makes no calls when it asks for its lane (DEVTRACE_LANE_NO_CALLS).
 * Or its calls are refused later, by a filter of seccomp(2), and nobody tells the kernel. So a
 * work looks for full blocks that were not handed over, once in LOOK_MS; if no lane has gone on
 * to another block meanwhile, in IDLE_MS. Where it finds the same one again it comes and takes
 * every NO_CALLS_MS from then on, as it does for a program that said so.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "lane.h"
#include "lane_nocalls.h"
#include "slot.h"
#include "take.h"

#define NO_CALLS_MS	10
#define LOOK_MS		1000
#define LOOK		msecs_to_jiffies(LOOK_MS)
#define IDLE_MS		10000
/* It hands over again, or writes no more, if so often none of its blocks was full. */
#define LATE_ROUNDS	(LOOK_MS / NO_CALLS_MS)

static atomic_t nr_lanes = ATOMIC_INIT(0);
static unsigned int pause_ms = UINT_MAX;	/* until the next look; UINT_MAX: nobody comes */
static u32 all_open;				/* of all lanes, as last seen, added up */

static void nocalls_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(nocalls_work, nocalls_fn);

/* Whether to come again soon. */
static bool come_for(struct lane *l)
{
	u32 block;

	if (!slot_full_block(l, &block)) {
		l->full_since = 0;
	} else if (l->late || (l->full_since && l->full_block == block &&
			       time_after(jiffies, l->full_since + LOOK / 2))) {
		l->late = LATE_ROUNDS;
	} else if (!l->full_since || l->full_block != block) {
		l->full_block = block;
		l->full_since = jiffies ?: 1;
	}
	if (!(l->flags & DEVTRACE_LANE_NO_CALLS) && !l->late)
		return false;
	if (slot_take(l) == -EPIPE)
		return false;
	if (l->late)
		l->late--;
	return true;
}

static void nocalls_fn(struct work_struct *work)
{
	unsigned int i, nr, ms;
	bool soon = false;
	struct lane *l;
	u32 sum = 0;

	WRITE_ONCE(pause_ms, UINT_MAX);
	/* Whoever makes a lane from here on sees that, or we see his lane. */
	smp_mb();
	nr = slots_nr();
	for (i = 0; i < nr; i++) {
		l = slot_lane_get(i);
		if (l) {
			soon |= come_for(l);
			sum += slot_open_block(l);
			lane_put(l);
		}
		cond_resched();
	}
	ms = soon ? NO_CALLS_MS : sum != all_open ? LOOK_MS : IDLE_MS;
	all_open = sum;
	if (atomic_read(&nr_lanes)) {
		WRITE_ONCE(pause_ms, ms);
		schedule_delayed_work(&nocalls_work, msecs_to_jiffies(ms));
	}
}

/**
 * lane_nocalls_made() - a lane is open
 * @l: the lane
 */
void lane_nocalls_made(const struct lane *l)
{
	const unsigned int ms = l->flags & DEVTRACE_LANE_NO_CALLS ? NO_CALLS_MS : LOOK_MS;

	atomic_inc(&nr_lanes);
	/* Pairs with that of nocalls_fn(). */
	smp_mb();
	/* Never later than it would come. */
	if (READ_ONCE(pause_ms) > ms) {
		WRITE_ONCE(pause_ms, ms);
		mod_delayed_work(system_wq, &nocalls_work, msecs_to_jiffies(ms));
	}
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
