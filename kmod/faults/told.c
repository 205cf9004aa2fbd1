// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes whose end has been reported
 *
 * Several threads may see the end of one process, the last of them long after the first: it may
 * be in an uninterruptible wait for a disk. The kernel does not note which thread saw it first.
 * So told[] has a place for each multithreaded process that has begun to end. Once all its
 * threads have ended, the place is free for another process. Only if all places belong to
 * processes that still end does the newest process take one of them; the process that had it
 * may then be reported twice.
 *
 * A place never becomes 0 again. A process takes the first free place from its own one on, so
 * no place before that is 0, and a search ends at a 0.
 *
 * The threads of one process come one after the other: the kernel holds their siglock. So the
 * only race is between two processes that want one free place; cmpxchg decides it.
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
#define PID_BITS	22	/* of PID_MAX_LIMIT */
#define START_BITS	38	/* in units of about a microsecond: three days */

static_assert(PID_MAX_LIMIT <= 1 << PID_BITS);

static atomic64_t told[PLACES];

/*
 * Another process with the same id has another start time, except with a chance of 1 in 2^38.
 * execve(2) in a thread may save a process whose end is reported already; it changes
 * self_exec_id.
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

/**
 * fault_tell_once() - claim the report of the end of the current process
 *
 * Context: siglock held.
 * Return: false if another of its threads has claimed it.
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
