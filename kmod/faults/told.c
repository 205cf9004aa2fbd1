// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes whose end has been reported
 *
 * Each thread of a process may notice that the process ends, the last thread long after the first,
 * for example after an uninterruptible wait for a disk. The kernel does not record which thread was
 * first. So told[] has a place for each multithreaded process that is ending. The place is free
 * again when all threads of the process have ended. If no place is free, the newest process takes
 * one from another process, which may then be reported twice.
 *
 * A process takes the first free place at or after its home place, and a used place never becomes
 * 0 again. So a search may stop at the first 0.
 *
 * The caller holds the process's siglock, so threads of one process come one after the other. Two
 * processes may race for a free place; cmpxchg decides.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/threads.h>

#include "faults.h"

#define PLACES		512	/* a power of two */
#define PID_BITS	22	/* PIDs are less than PID_MAX_LIMIT */
#define START_BITS	38	/* in units of about 1 us; wraps after three days */

static_assert(PID_MAX_LIMIT <= 1 << PID_BITS);

static atomic64_t told[PLACES];

/*
 * A later process with the same PID has the same start time only with a chance of 1 in 2^38. The
 * key includes self_exec_id, because an execve(2) in one thread may save a process whose end is
 * already reported.
 */
static u64 key_of(const struct task_struct *leader)
{
	const u64 start = leader->start_time >> 10 & (BIT_ULL(START_BITS) - 1);

	return leader->self_exec_id << (PID_BITS + START_BITS) |
	       start << PID_BITS | leader->tgid;
}

static bool is_ending(u64 key)
{
	const struct task_struct *leader;
	bool ending;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(key & (BIT(PID_BITS) - 1), &init_pid_ns), PIDTYPE_TGID);
	ending = leader && key_of(leader) == key && atomic_read(&leader->signal->live);
	rcu_read_unlock();
	return ending;
}

/*
 * Claim the report of the end of the current process; false: another of its threads has claimed it.
 * siglock held.
 */
bool fault_tell_once(void)
{
	const u64 key = key_of(current->group_leader);
	const unsigned int home = current->tgid % PLACES;
	unsigned int i;
	u64 seen;

	for (i = 0; i < PLACES; i++) {
		seen = atomic64_read(&told[(home + i) % PLACES]);
		if (seen == key)
			return false;
		if (!seen)
			break;
	}
	/* No other thread can report the end. */
	if (thread_group_empty(current))
		return true;
	for (i = 0; i < PLACES; i++) {
		atomic64_t *place = &told[(home + i) % PLACES];

		seen = atomic64_read(place);
		if (!is_ending(seen) && atomic64_cmpxchg(place, seen, key) == seen)
			return true;
	}
	atomic64_set(&told[home], key);
	return true;
}
