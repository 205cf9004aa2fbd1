// SPDX-License-Identifier: GPL-2.0-only
/*
 * Look into lanes for waiting readers, and when a thread ends
 *
 * While a reader waits and a thread with a lane runs, the timer of wake.c calls lane_wake_look().
 * The timer stops when all such threads sleep; when one of them runs, a probe on the tracepoint
 * sched_switch starts it again. So a reader sees a thread's event soon, and the timer does not wake
 * a system whose tracing threads sleep.
 *
 * The timer is dequeued before it looks at the threads. If a thread wakes after that look, the
 * scheduler switches to it while the timer is not queued, and the probe starts the timer. If the
 * thread wakes earlier, the look sees it running. A reader that begins to wait starts the timer
 * itself.
 *
 * The probe stays attached for a while after its last use: attaching and detaching patch the
 * kernel.
 *
 * A thread may end without calling us, or exec(2) another program while a process that shares its
 * memory still writes into its lane. So from the first lane on, probes on sched_process_exit and
 * sched_process_exec take the remaining events of the thread.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "compat/compat.h"
#include "compat/compat_probe.h"
#include "emit/proc.h"
#include "lane.h"
#include "lane_awake.h"
#include "lane_nocalls.h"
#include "lane_wake.h"
#include "slot.h"
#include "stream/wake.h"
#include "take.h"

#define KEEP_PROBE	(10 * HZ)
#define WAKE_BUCKETS	1024
#define MANY		U32_MAX
#define TID_HASH_BITS	8

/* Protects the list of open lanes, the buckets, and changes of by_tid. */
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(open_lanes);
/* For look_at_awake(): too large for the stack of an interrupt. */
static DECLARE_BITMAP(awake_slots, SLOTS_MAX);
static struct bucket {
	u32	tid;		/* 0: none; MANY: several threads */
	u32	lanes;
} *buckets;
static atomic_t nr_open = ATOMIC_INIT(0), followers = ATOMIC_INIT(0);

/* Open lanes by thread id; read under RCU. */
static struct hlist_head *by_tid;

static struct tracepoint *sched_switch_tp, *exit_tp, *exec_tp;
static bool probed, exit_probed, exec_probed;
static DEFINE_MUTEX(ends_lock);
static void probe_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(probe_work, probe_work_fn);

static struct bucket *bucket_of(u32 tid)
{
	return &buckets[tid % WAKE_BUCKETS];
}

/* Count a lane of a thread: @lanes is 1 or -1. With lock held. */
static void bucket_count(u32 tid, int lanes)
{
	struct bucket *b = bucket_of(tid);

	b->lanes += lanes;
	if (!b->lanes)
		WRITE_ONCE(b->tid, 0);
	else if (b->lanes == 1 && lanes > 0)
		WRITE_ONCE(b->tid, tid);
	else if (b->tid != tid)
		WRITE_ONCE(b->tid, MANY);
}

/* The scheduler switches to a thread, with its lock held. */
static void switched_to(const struct task_struct *next)
{
	const u32 tid = READ_ONCE(bucket_of(next->pid)->tid);

	if (likely(!tid || (tid != next->pid && tid != MANY)))
		return;
	lane_awake_switch(next->pid);
	wake_look_soon();
}

static void probe_new(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int state)
{
	switched_to(next);
}

static void probe_old(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next)
{
	switched_to(next);
}

#define PROBE	compat_probe(sched_switch, probe_new, probe_old)

/* May the lane's thread be emitting? */
static bool lane_runs(const struct lane *l)
{
	const struct task_struct *task;
	bool runs;

	if (!READ_ONCE(probed))
		return true;
	rcu_read_lock();
	task = pid_task(l->pid, PIDTYPE_PID);
	runs = task && compat_task_runs(task);
	rcu_read_unlock();
	return runs;
}

static bool lane_has_new(struct lane *l)
{
	u32 open;
	u16 used;

	lane_newest(&l->mem, &open, &used);
	if (open == l->seen_open && used == l->seen_used)
		return false;
	/* lane_awake_sleep() reads them without lock. */
	WRITE_ONCE(l->seen_open, open);
	WRITE_ONCE(l->seen_used, used);
	return true;
}

/* Has the lane something new, and does its thread run? With lock held. */
static void look_at_lane(struct lane *l, bool *fresh, bool *runs)
{
	/* A closed lane may stay mapped, and written, for long. */
	if (READ_ONCE(l->closed))
		return;
	/*
	 * While @waits of a lane is set, readers hold back other events because of this lane. Wake
	 * the readers, so that they return these events to user space in time.
	 */
	*fresh |= lane_has_new(l) || READ_ONCE(l->waits);
	*runs |= lane_runs(l);
}

/* Look at the lanes that are awake, of those in the list. With lock held. */
static void look_at_awake(bool *fresh, bool *runs)
{
	const unsigned int nr = slots_nr();
	struct lane *l;
	unsigned int i;

	bitmap_zero(awake_slots, SLOTS_MAX);
	lane_awake_news(awake_slots, nr);
	rcu_read_lock();
	for_each_set_bit(i, awake_slots, nr) {
		l = slot_lane(i);
		if (l && !list_empty(&l->awake))
			look_at_lane(l, fresh, runs);
	}
	rcu_read_unlock();
}

/* Is something new in a lane; @again: does a thread run? Called by the timer: see wake_look_t. */
bool lane_wake_look(bool *again)
{
	bool fresh = false;
	struct lane *l;

	spin_lock(&lock);
	if (lane_awake_watched())
		look_at_awake(&fresh, again);
	else
		list_for_each_entry(l, &open_lanes, awake)
			look_at_lane(l, &fresh, again);
	spin_unlock(&lock);
	fresh |= lane_awake_unseen();
	*again |= fresh;
	return fresh;
}

/* A reader is about to look for events and then wait. */
void lane_wake_prepare(void)
{
	/*
	 * LMM(wake:C): If the timer does not find this reader, the reader sees that the timer is
	 * not queued: see wake:A.
	 */
	smp_mb();
	if (atomic_read(&nr_open))
		wake_start();
}

/* Attach the probe, or detach it. */
static void probe_work_fn(struct work_struct *work)
{
	const bool want = atomic_read(&nr_open) && atomic_read(&followers);

	if (!sched_switch_tp || want == probed)
		return;
	if (want) {
		if (tracepoint_probe_register(sched_switch_tp, PROBE, NULL))
			return;
		WRITE_ONCE(probed, true);
		lane_awake_watch();
		/* Cover threads that ran before the probe was attached. */
		wake_start();
	} else {
		WRITE_ONCE(probed, false);
		lane_awake_unwatch();
		tracepoint_probe_unregister(sched_switch_tp, PROBE, NULL);
	}
}

static void look_at_probe(void)
{
	const bool want = atomic_read(&nr_open) && atomic_read(&followers);

	if (want != READ_ONCE(probed))
		mod_delayed_work(system_wq, &probe_work, want ? 0 : KEEP_PROBE);
}

/*
 * The current thread ends; preemption is off. It may have several lanes; the limit lane_limits
 * bounds the bytes to take.
 */
static void thread_exits(struct task_struct *task)
{
	struct lane *l;

	rcu_read_lock();
	hlist_for_each_entry_rcu(l, &by_tid[lane_awake_hash(task->pid, TID_HASH_BITS)], by_tid)
		if (l->pid == task_pid(task)) {
			/* The thread may have been renamed since it asked for the lane. */
			devtrace_proc_seen(task);
			slot_close(l);
		}
	rcu_read_unlock();
}

static void exit_new(void *data, struct task_struct *task, bool group_dead)
{
	thread_exits(task);
}

static void exit_old(void *data, struct task_struct *task)
{
	thread_exits(task);
}

#define EXIT_PROBE	compat_probe(sched_process_exit, exit_new, exit_old)

/*
 * The thread has called exec(2), and the other threads of its process have ended. @old_pid is its
 * id when it requested the lane.
 */
static void exec_probe(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct lane *l;

	rcu_read_lock();
	hlist_for_each_entry_rcu(l, &by_tid[lane_awake_hash(old_pid, TID_HASH_BITS)], by_tid)
		if (l->tid == old_pid && l->tgid == task->tgid)
			slot_close(l);
	rcu_read_unlock();
}

/* With ends_lock held. */
static void probe_end(struct tracepoint *tp, bool *is_probed, void *probe)
{
	if (!*is_probed && tp && !tracepoint_probe_register(tp, probe, NULL))
		WRITE_ONCE(*is_probed, true);
}

/* Called for the first lane. If a probe cannot be attached, lanes are closed only when unmapped. */
static void probe_ends(void)
{
	if (READ_ONCE(exit_probed) && READ_ONCE(exec_probed))
		return;
	check_trace_callback_type_sched_process_exec(exec_probe);
	mutex_lock(&ends_lock);
	probe_end(exit_tp, &exit_probed, EXIT_PROBE);
	probe_end(exec_tp, &exec_probed, exec_probe);
	mutex_unlock(&ends_lock);
}

/* A lane was opened. */
void lane_wake_made(struct lane *l)
{
	unsigned long flags;

	probe_ends();
	spin_lock_irqsave(&lock, flags);
	hlist_add_head_rcu(&l->by_tid, &by_tid[lane_awake_hash(l->tid, TID_HASH_BITS)]);
	list_add_tail(&l->awake, &open_lanes);
	lane_newest(&l->mem, &l->seen_open, &l->seen_used);
	bucket_count(l->tid, 1);
	spin_unlock_irqrestore(&lock, flags);
	lane_awake_made(l);
	atomic_inc(&nr_open);
	lane_nocalls_made(l);
	look_at_probe();
	/* Readers that already wait have not looked at this lane. */
	if (atomic_read(&followers))
		wake_start();
}

/* A lane was closed; its last events may be unread. May be called more than once. */
void lane_wake_closed(struct lane *l)
{
	unsigned long flags;
	bool was_open;

	spin_lock_irqsave(&lock, flags);
	was_open = !list_empty(&l->awake);
	if (was_open) {
		list_del_init(&l->awake);
		hlist_del_rcu(&l->by_tid);
		bucket_count(l->tid, -1);
	}
	spin_unlock_irqrestore(&lock, flags);
	if (!was_open)
		return;
	lane_awake_closed(l);
	lane_nocalls_closed();
	atomic_dec(&nr_open);
	look_at_probe();
}

/* The number of readers that may wait has changed by one; @one_more: it has increased. */
void lane_wake_follow(bool one_more)
{
	if (one_more)
		atomic_inc(&followers);
	else
		atomic_dec(&followers);
	look_at_probe();
}

static void is_it_ours(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch_tp = tp;
	if (!strcmp(tp->name, "sched_process_exit"))
		exit_tp = tp;
	if (!strcmp(tp->name, "sched_process_exec"))
		exec_tp = tp;
}

int lane_wake_init(void)
{
	buckets = kvcalloc(WAKE_BUCKETS, sizeof(*buckets), GFP_KERNEL);
	by_tid = kvcalloc(1 << TID_HASH_BITS, sizeof(*by_tid), GFP_KERNEL);
	if (!buckets || !by_tid || lane_awake_init()) {
		kvfree(buckets);
		kvfree(by_tid);
		return -ENOMEM;
	}
	for_each_kernel_tracepoint(is_it_ours, NULL);
	return 0;
}

/* Called when no lane is open and no reader is left. */
void lane_wake_exit(void)
{
	cancel_delayed_work_sync(&probe_work);
	if (probed)
		tracepoint_probe_unregister(sched_switch_tp, PROBE, NULL);
	if (exit_probed)
		tracepoint_probe_unregister(exit_tp, EXIT_PROBE, NULL);
	if (exec_probed)
		tracepoint_probe_unregister(exec_tp, exec_probe, NULL);
	tracepoint_synchronize_unregister();
	lane_nocalls_exit();
	lane_awake_exit();
	kvfree(buckets);
	kvfree(by_tid);
}
