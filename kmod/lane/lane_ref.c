// SPDX-License-Identifier: GPL-2.0-only
/* References to a lane, and how its last one frees it */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kref.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "lane.h"

#define DYING_MAX	1024

/* Closed lanes whose grace period is not over. */
static atomic_t lanes_dying = ATOMIC_INIT(0);

static void lane_destroy(struct lane *l)
{
	put_pid(l->pid);
	kfree(l);
}

static void lane_free_rcu(struct rcu_head *rcu)
{
	lane_destroy(container_of(rcu, struct lane, rcu));
	atomic_dec(&lanes_dying);
}

/*
 * A reader may still use the lane that it found in the slot. The last user may be unable to sleep,
 * such as a nonblocking read(2) or a holder of devtrace_lock: use call_rcu().
 */
static void lane_free(struct kref *ref)
{
	struct lane *l = container_of(ref, struct lane, ref);

	if (!l->made) {
		lane_destroy(l);
		return;
	}
	atomic_inc(&lanes_dying);
	call_rcu(&l->rcu, lane_free_rcu);
}

/*
 * Wait while RCU has many lanes to free; otherwise a program that makes and closes lanes could use
 * up the memory. Return 0 or -EINTR.
 */
int lane_wait_for_dying(void)
{
	while (atomic_read(&lanes_dying) >= DYING_MAX) {
		if (fatal_signal_pending(current))
			return -EINTR;
		/* The callbacks of dying lanes run soon after this grace period. */
		synchronize_rcu();
	}
	return 0;
}

/* Drop a reference of slot_lane_get(). */
void lane_put(struct lane *l)
{
	kref_put(&l->ref, lane_free);
}
