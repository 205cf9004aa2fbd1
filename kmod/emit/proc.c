// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of threads that emitted events
 *
 * A table of buckets by thread id; each entry of a bucket is a slot for a thread and its user.
 *
 * A slot holds the latest names of its thread, each with its start time: an event gets the name
 * that the thread had at the time of the event. A thread that is renamed writes only its own slot,
 * so it evicts only its own names. In a full slot, a new name replaces the oldest one; if that is
 * less than a second old, it replaces the latest instead. So a thread has a bounded number of names
 * per second, and the newest is always present.
 *
 * The kernel's tracepoint task_rename reports a rename, which is stored here before the system call
 * that renames returns. So an event in a lane, which no system call announces, gets the name of its
 * time, too. In a kernel without tracepoints, the thread's next emit by system call finds the new
 * name.
 *
 * A thread without a slot takes one of its bucket. If all are in use, the user with the most of
 * them loses the least recently used one. So a user who floods the table with threads evicts only
 * slots of the same user. Root keeps some slots of each bucket.
 *
 * A writer claims a slot by changing its sequence number from even to odd. A thread that fails to
 * claim a slot continues without one, and tries again with its next event. There is no lock, and no
 * loop that another CPU could prolong.
 *
 * Idle tasks share thread id 0 and have no slot: readers know the CPU from the event's source and
 * call its idle task swapper/CPU.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/task.h>

#include "filter.h"
#include "owner.h"
#include "proc.h"
#include "stream/stream.h"

#define BUCKET_BITS	7
#define BUCKETS		BIT(BUCKET_BITS)
#define WAYS		PROC_WAYS
#define SLOTS		PROC_SLOTS
static_assert(SLOTS == WAYS * BUCKETS);
/* Slots that root keeps of each bucket. */
#define WAYS_ROOT	2
/* Number of names kept for a thread; the oldest is kept at least for this time. */
#define NAMES		4
#define NAMES_NS	NSEC_PER_SEC
#define ROOT		0
/* How often a reader tries again while a writer holds the slot. */
#define READ_TRIES	1000
/* The kernel stores a new name within this time after the tracepoint reported it. */
#define RENAME_NS	(10 * NSEC_PER_MSEC)

/* The keys that a search of a bucket compares, close together. */
struct head {
	atomic_t	seq;		/* odd: being written; 0: never written */
	u32		tid;
	u32		owner;
};

/* @write: low bits of the number of writes, to distinguish names with the same start time */
struct name {
	u64		since;
	u32		tgid;
	u8		write;
	char		comm[TASK_COMM_LEN];
};

/**
 * struct proc_slot - a thread
 * @users: number of CPUs that saw this thread last
 * @last: when a CPU last saw or left the thread, ns; may be torn on 32-bit machines
 * @stored: number of its stored events, without those still counted by the CPUs in @users
 * @nr: number of names
 * @name: the names, the newest last
 *
 * The CPU that made the slot's sequence number odd writes @nr and @name.
 */
struct proc_slot {
	atomic_t	users;
	u64		last;
	atomic_long_t	stored;
	u32		nr;
	struct name	name[NAMES];
};

DEFINE_PER_CPU(struct proc_last, devtrace_proc_last) = { .tid = -1, .slot = PROC_SLOT_NONE };

proc_told_t devtrace_proc_told;

static struct head *heads;
static struct proc_slot *slots;
/* For each bucket, how often a slot of it was taken. */
static atomic_t *changes;
static u32 first_seq;
/* NULL: this kernel has none. */
static struct tracepoint *rename_tp;
static bool renames_told;

/*
 * Without a key, although users choose the ids of their threads: a search looks at WAYS slots
 * whatever the ids are, and slot_victim() shares a bucket among its users.
 */
static unsigned int proc_bucket(u32 tid)
{
	return hash_32(tid, BUCKET_BITS);
}

/* Add this CPU's counts to slot @i, that of the thread this CPU saw last. */
static void leave_last(struct proc_last *last, int i, u64 now)
{
	unsigned long stored;

	/* The thread has no slot: keep its counts, it will try again. */
	if (i == PROC_SLOT_NONE)
		return;
	stored = xchg(&last->stored, 0);
	if (i == PROC_SLOT_IDLE) {
		WRITE_ONCE(last->idle, last->idle + stored);
	} else {
		/* The slot may have another thread by now. */
		if (READ_ONCE(heads[i].tid) == last->tid)
			atomic_long_add(stored, &slots[i].stored);
		WRITE_ONCE(slots[i].last, now);
		atomic_dec(&slots[i].users);
	}
	WRITE_ONCE(last->tid, -1);
}

static void proc_take(struct proc_last *last, int i, const struct task_struct *task,
		      const char *comm, u64 now)
{
	if (i >= 0) {
		atomic_inc(&slots[i].users);
		WRITE_ONCE(slots[i].last, now);
	}
	memcpy(last->comm, comm, sizeof(last->comm));
	WRITE_ONCE(last->tid, task->pid);
}

/* Does another slot have names of this thread id? */
static bool has_twin(unsigned int slot, u32 tid)
{
	const unsigned int first = slot - slot % WAYS;
	unsigned int i;

	for (i = first; i < first + WAYS; i++)
		if (i != slot && READ_ONCE(heads[i].tid) == tid)
			return true;
	return false;
}

/* Add a name to slot @i, which we have claimed. @taken: the slot was not this thread's before. */
static notrace void add_name(unsigned int i, u32 seq, const struct task_struct *task,
			     const char *comm, u64 now, bool taken)
{
	struct proc_slot *s = &slots[i];
	proc_told_t told;
	struct name *n;
	u32 nr = s->nr;

	if (nr == NAMES) {
		if (now - s->name[0].since >= NAMES_NS)
			memmove(s->name, s->name + 1, (NAMES - 1) * sizeof(s->name[0]));
		nr--;
	}
	n = &s->name[nr];
	/* slot_known() in an interrupt here reads nr before it sees the odd sequence number. */
	WRITE_ONCE(s->nr, nr + 1);
	n->since = now;
	n->tgid = task->tgid;
	n->write = seq >> 1;
	memcpy(n->comm, comm, sizeof(n->comm));
	told = READ_ONCE(devtrace_proc_told);
	if (told)
		told(i, seq >> 1, task, comm, now);
	/*
	 * LMM(proc:A): If a reader reads this even number, then it reads the name stored before
	 * it. 0 stays reserved for "never".
	 */
	atomic_set_release(&heads[i].seq, seq + 2 ?: 2);
	/* A reader checks only the sequence number of the slot where it found the name. */
	if (taken || has_twin(i, task->pid))
		/*
		 * LMM(proc:C): If a reader reads this number, then it finds the name stored
		 * before it. Pairs with sent:B.
		 */
		atomic_inc_return_release(&changes[i / WAYS]);
}

static bool take_seq(unsigned int i, u32 seq)
{
	return !(seq & 1) && (u32)atomic_cmpxchg(&heads[i].seq, seq, seq + 1) == seq;
}

/* Compare up to the NUL: before 5.17, the kernel does not clear the bytes after it. */
static bool same_comm(const char *a, const char *b)
{
	/* A rename may change a name meanwhile; callers check the sequence number afterwards. */
	return data_race(!strncmp(a, b, TASK_COMM_LEN));
}

/*
 * The tracepoint has reported the newest name, and the kernel is about to store it in the task: an
 * interrupt that emits meanwhile still finds the previous name there.
 */
static bool is_being_renamed(unsigned int i, u32 nr, const char *comm, u64 now)
{
	const struct name *n = slots[i].name;

	return READ_ONCE(renames_told) && nr > 1 && now - n[nr - 1].since < RENAME_NS &&
	       same_comm(n[nr - 2].comm, comm);
}

/* Find or add the thread's name in its slot. PROC_SLOT_NONE: the slot is being written. */
static notrace int slot_known(unsigned int i, u32 seq, const struct task_struct *task,
			      const char *comm, u64 now, bool renamed)
{
	const u32 nr = READ_ONCE(slots[i].nr);
	const struct name *newest;
	bool same;

	/* nr is 0 for a moment while the slot is reused. */
	if (seq & 1 || !nr || nr > NAMES)
		return PROC_SLOT_NONE;
	newest = &slots[i].name[nr - 1];
	/* The check of the sequence number below detects a change during these loads. */
	same = data_race(newest->tgid == task->tgid) &&
	       (same_comm(newest->comm, comm) ||
		/* See above. */
		(!renamed && data_race(is_being_renamed(i, nr, comm, now))));
	/*
	 * If the comparison read a name being written, then the number loaded below has
	 * changed. Pairs with proc:A.
	 */
	smp_rmb();
	if (same)
		return (u32)atomic_read(&heads[i].seq) == seq ? i : PROC_SLOT_NONE;
	if (!take_seq(i, seq))
		return PROC_SLOT_NONE;
	add_name(i, seq, task, comm, now, false);
	return i;
}

/* Number of a user's slots in a bucket, without the slots that the user keeps in any case. */
static int proc_excess(unsigned int first, u32 owner)
{
	int n = owner == ROOT ? -WAYS_ROOT : 0;
	unsigned int i;

	for (i = first; i < first + WAYS; i++)
		n += READ_ONCE(heads[i].owner) == owner;
	return n;
}

/* Select the slot of a bucket to reuse for a thread of this user; or PROC_SLOT_NONE. */
static int slot_victim(unsigned int first, u32 owner, u32 *victim_seq)
{
	int best = PROC_SLOT_NONE, most = INT_MIN;
	u64 best_rank = 0, best_last = 0;
	unsigned int i;

	for (i = first; i < first + WAYS; i++) {
		/* The owner is loaded after the number; pairs with proc:A. */
		const u32 seq = atomic_read_acquire(&heads[i].seq);
		const u32 his = READ_ONCE(heads[i].owner);
		const u64 last = READ_ONCE(slots[i].last);
		const int n = proc_excess(first, his);
		/* Prefer the user's own slots, and those that no CPU has just seen. */
		const u64 rank = 2 * (his == owner) + !atomic_read(&slots[i].users);
		bool better = best < 0 || n > most;

		if (best >= 0 && n == most)
			better = rank != best_rank ? rank > best_rank : last < best_last;
		if (seq & 1 || !better)
			continue;
		best = i;
		*victim_seq = seq;
		most = n;
		best_rank = rank;
		best_last = last;
	}
	return best;
}

/* Find or take the slot of an emitting thread; or PROC_SLOT_NONE. */
static int slot_of(const struct task_struct *task, const char *comm, u64 now)
{
	const unsigned int first = proc_bucket(task->pid) * WAYS;
	const u32 owner = devtrace_owner();
	int i, never = PROC_SLOT_NONE;
	u32 seq;

	for (i = first; i < first + WAYS; i++) {
		/* The thread is loaded after the number; pairs with proc:A. */
		seq = atomic_read_acquire(&heads[i].seq);
		if (!seq)
			never = never < 0 ? i : never;
		else if (READ_ONCE(heads[i].tid) == task->pid &&
			 READ_ONCE(heads[i].owner) == owner)
			return slot_known(i, seq, task, comm, now, false);
	}
	seq = 0;
	i = never < 0 ? slot_victim(first, owner, &seq) : never;
	if (i < 0 || !take_seq(i, seq))
		return PROC_SLOT_NONE;
	WRITE_ONCE(heads[i].tid, task->pid);
	WRITE_ONCE(heads[i].owner, owner);
	atomic_long_set(&slots[i].stored, 0);
	WRITE_ONCE(slots[i].nr, 0);
	add_name(i, seq ?: first_seq, task, comm, now, true);
	return i;
}

/*
 * Store the name of current, which this CPU did not see last. Any context, NMI included; preemption
 * off.
 */
notrace void devtrace_proc_new(struct task_struct *task)
{
	/* Read the clock first: the name must not start after the event about to be emitted. */
	const u64 now = devtrace_clock_now();
	struct proc_last *last = this_cpu_ptr(&devtrace_proc_last);
	char comm[TASK_COMM_LEN];
	int was, i = PROC_SLOT_IDLE;

	/* The verdict belongs to the previous thread. */
	__this_cpu_write(devtrace_verdict.generation, 0);
	/* See devtrace_proc_seen(). */
	data_race(memcpy(comm, task->comm, sizeof(comm)));
	comm[sizeof(comm) - 1] = 0;
	/*
	 * If this call interrupted another one of this function for the same thread, leave the
	 * change to that call; our event counts for this thread, or for the previous one. Two half
	 * changes would lose counts.
	 */
	was = xchg(&last->slot, PROC_SLOT_CHANGES);
	if (was != PROC_SLOT_CHANGES)
		leave_last(last, was, now);
	/* Store the name in any case: a reader needs it as soon as it has our event. */
	if (task->pid)
		i = slot_of(task, comm, now);
	if (was == PROC_SLOT_CHANGES)
		return;
	if (i != PROC_SLOT_NONE)
		proc_take(last, i, task, comm, now);
	barrier();
	WRITE_ONCE(last->slot, i);
}

/* Store a thread's new name before the kernel does. A thread that has not emitted has no slot. */
static void thread_is_renamed(const struct task_struct *task, const char *comm)
{
	const unsigned int first = proc_bucket(task->pid) * WAYS;
	const u64 now = devtrace_clock_now();
	unsigned int i, tries;
	u32 owner;

	rcu_read_lock();
	owner = devtrace_owner_of(__task_cred(task));
	rcu_read_unlock();
	for (i = first; i < first + WAYS; i++) {
		if (READ_ONCE(heads[i].tid) != task->pid || READ_ONCE(heads[i].owner) != owner)
			continue;
		for (tries = 0; tries < READ_TRIES; tries++) {
			/* The thread is loaded after the number; pairs with proc:A. */
			const u32 seq = atomic_read_acquire(&heads[i].seq);

			/* The slot has been reused for another thread. */
			if (!seq || READ_ONCE(heads[i].tid) != task->pid)
				break;
			if (slot_known(i, seq, task, comm, now, true) != PROC_SLOT_NONE)
				return;
			cpu_relax();
		}
	}
}

/* Called with the task's lock held. Context: process. */
static void rename_probe(void *data, struct task_struct *task, const char *name)
{
	char comm[TASK_COMM_LEN];

	/* Truncate it like the kernel. */
	strscpy_pad(comm, name, sizeof(comm));
	/* An idle task has no slot. */
	if (!task->pid)
		return;
	preempt_disable();
	thread_is_renamed(task, comm);
	preempt_enable();
}

static void is_it_rename(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "task_rename"))
		rename_tp = tp;
}

static void renames_begin(void)
{
	check_trace_callback_type_task_rename(rename_probe);
	for_each_kernel_tracepoint(is_it_rename, NULL);
	if (rename_tp && !tracepoint_probe_register(rename_tp, rename_probe, NULL))
		WRITE_ONCE(renames_told, true);
}

static void renames_end(void)
{
	if (!renames_told)
		return;
	tracepoint_probe_unregister(rename_tp, rename_probe, NULL);
	tracepoint_synchronize_unregister();
	renames_told = false;
}

/* Count events of a thread that were stored from its lane. Any context, preemption off. */
void devtrace_proc_count(u32 tid, unsigned long stored)
{
	const unsigned int first = proc_bucket(tid) * WAYS;
	struct proc_slot *latest = NULL;
	unsigned int i;

	/* If several users had this thread id, take the most recent. */
	for (i = first; i < first + WAYS; i++) {
		if (!atomic_read(&heads[i].seq) || READ_ONCE(heads[i].tid) != tid)
			continue;
		/* @last may change meanwhile; then the choice is a guess. */
		if (!latest || data_race(slots[i].last > latest->last))
			latest = &slots[i];
	}
	if (latest)
		atomic_long_add(stored, &latest->stored);
}

/*
 * Copy the thread and the names of a slot, consistently. Return the number of names; 0 if there are
 * none, or if the slot changed in each of many tries.
 */
static u32 slot_read(unsigned int i, struct proc_name *who, struct name *names, u32 *read_seq)
{
	int tries;

	for (tries = 0; tries < READ_TRIES; tries++) {
		const u32 seq = atomic_read_acquire(&heads[i].seq);
		u32 nr;

		if (!seq)
			return 0;
		if (seq & 1) {
			cpu_relax();
			continue;
		}
		who->tid = READ_ONCE(heads[i].tid);
		nr = READ_ONCE(slots[i].nr);
		/* The check below rejects names that change during the copy. */
		data_race(memcpy(names, slots[i].name, sizeof(slots[i].name)));
		/*
		 * If the copy reads a name being written, then the number loaded below has
		 * changed. Pairs with proc:A.
		 */
		smp_rmb();
		*read_seq = seq;
		if ((u32)atomic_read(&heads[i].seq) == seq)
			return nr;
	}
	return 0;
}

static void name_get(struct proc_name *name, const struct name *n)
{
	name->tgid = n->tgid;
	name->since = n->since;
	memcpy(name->comm, n->comm, sizeof(name->comm));
}

/**
 * devtrace_proc_find() - the name that a thread had at a time
 * @tid: thread id
 * @ts: trace clock, ns
 * @name: filled in
 * @found: filled in
 *
 * Return: false if no name is known.
 */
bool devtrace_proc_find(u32 tid, u64 ts, struct proc_name *name, struct proc_found *found)
{
	unsigned int i, first = proc_bucket(tid) * WAYS;
	struct name names[NAMES];
	struct proc_name who;
	u64 next = U64_MAX;
	u32 k, nr, seq;
	int best = -1;

	/* Load the number before the names, see devtrace_proc_same(). */
	found->taken = &changes[proc_bucket(tid)];
	found->nr_taken = atomic_read_acquire(found->taken);
	found->seq = found->taken;
	found->nr_seq = found->nr_taken;
	for (i = first; i < first + WAYS; i++) {
		if (READ_ONCE(heads[i].tid) != tid)
			continue;
		nr = slot_read(i, &who, names, &seq);
		for (k = 0; k < nr && who.tid == tid; k++) {
			const struct name *n = &names[k];

			if (n->since > ts)
				next = min(next, n->since);
			/* Take the latest name not after ts, or else the earliest. */
			if (best >= 0) {
				if (n->since <= ts && name->since <= ts) {
					if (n->since < name->since)
						continue;
				} else if (n->since > name->since) {
					continue;
				}
			}
			best = i;
			name->tid = tid;
			name_get(name, n);
			found->seq = &heads[i].seq;
			found->nr_seq = seq;
			found->stamp = n->since << 8 | n->write;
		}
	}
	found->slot = best;
	found->until = best < 0 ? 0 : next;
	return best >= 0;
}

/**
 * devtrace_proc_slot() - the thread of a slot
 * @i: number of the slot, below PROC_SLOTS
 * @name: filled in with its newest name
 * @stored: set to the number of its stored events, without those still counted by CPUs that saw
 *	it last
 *
 * Return: false if the slot is unused.
 */
bool devtrace_proc_slot(unsigned int i, struct proc_name *name, u64 *stored)
{
	struct name names[NAMES];
	u32 seq, nr = slot_read(i, name, names, &seq);

	if (!nr)
		return false;
	name_get(name, &names[nr - 1]);
	*stored = atomic_long_read(&slots[i].stored);
	return true;
}

/*
 * Allocate the table. @start: first value of its counters; tests start near the wrap. Return 0 or
 * -ENOMEM.
 */
int devtrace_proc_init(u32 start)
{
	int i;

	first_seq = start & ~1;
	heads = kvcalloc(SLOTS, sizeof(*heads), GFP_KERNEL);
	slots = kvcalloc(SLOTS, sizeof(*slots), GFP_KERNEL);
	changes = kvcalloc(BUCKETS, sizeof(*changes), GFP_KERNEL);
	if (!heads || !slots || !changes) {
		devtrace_proc_exit();
		return -ENOMEM;
	}
	for (i = 0; i < BUCKETS; i++)
		atomic_set(&changes[i], start);
	renames_begin();
	return 0;
}

void devtrace_proc_exit(void)
{
	renames_end();
	kvfree(changes);
	kvfree(slots);
	kvfree(heads);
}
