// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the threads that emitted
 *
 * A table of buckets by thread id, with a slot for each thread and its user.
 *
 * A slot holds the latest names of its thread, each with the time from which on
 * the thread had it: an event has the name of its time. A thread that takes
 * another name writes into its own slot, and so washes out no names but its
 * own. A new name in a full slot replaces the oldest name, or, if that is not a
 * second old, the latest: so a thread has a bounded number of names in any
 * second, and the newest of them is always there.
 *
 * A thread that renames itself, or is renamed, has its new name here before the system call
 * that does so returns: the kernel's tracepoint task_rename tells. An event that no system
 * call announces, in a lane, thus has the name of its time, too. In a kernel without
 * tracepoints the new name is found with the next system call that the thread makes to emit.
 *
 * A thread that has no slot takes one of its bucket. If all are taken, the user
 * who has the most of them loses one: of those, the slot that was not used for
 * the longest time. A user who floods the table with threads thus loses slots of
 * his own. Of each bucket some slots of root's are not taken for others.
 *
 * A slot is written by whoever takes its sequence number from even to odd;
 * whoever does not get it goes without, and the next event of that thread tries
 * again. No lock, no loop that another CPU could keep going.
 *
 * The idle tasks share thread id 0 and have no slot: each CPU's is called
 * swapper and its number, and the source of an event tells that to readers.
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
/* Slots of a bucket that root keeps, whatever others do. */
#define WAYS_ROOT	2
/* Names of a thread that are kept, and how long at least the first of them is. */
#define NAMES		4
#define NAMES_NS	NSEC_PER_SEC
#define ROOT		0
/* As often a reader looks at a slot that is written under its hands. */
#define READ_TRIES	1000
/* Within that time after the tracepoint told a new name, the thread has it. */
#define RENAME_NS	(10 * NSEC_PER_MSEC)

/* The keys that a search of a bucket compares; side by side. */
struct head {
	atomic_t	seq;		/* odd: being written; 0: never */
	u32		tid;
	u32		owner;
};

/* @write: low bits of the count of writes, for names of one instant */
struct name {
	u64		since;
	u32		tgid;
	u8		write;
	char		comm[TASK_COMM_LEN];
};

/**
 * struct proc_slot - a thread
 * @users: CPUs that saw it last
 * @last: when it was last left or found, ns; a guess on 32-bit machines
 * @stored: its events, but for those of the CPUs that saw it last
 * @nr: how many names it has
 * @name: the names, the newest last
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
/* By bucket: slots that were taken. */
static atomic_t *changes;
static u32 first_seq;
/* NULL: this kernel has none. */
static struct tracepoint *rename_tp;
static bool renames_told;

static unsigned int proc_bucket(u32 tid)
{
	return hash_32(tid, BUCKET_BITS);
}

/* Adds this CPU's counts to the thread that it saw last, in slot @i. */
static void leave_last(struct proc_last *last, int i, u64 now)
{
	unsigned long stored;

	/* They are of one who went without, and is most likely back to look again. */
	if (i == PROC_SLOT_NONE)
		return;
	stored = xchg(&last->stored, 0);
	if (i == PROC_SLOT_IDLE) {
		WRITE_ONCE(last->idle, last->idle + stored);
	} else {
		/* The slot may be another thread's by now. */
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

/* Another slot has names of this thread, or of one that had its number. */
static bool has_twin(unsigned int slot, u32 tid)
{
	const unsigned int first = slot - slot % WAYS;
	unsigned int i;

	for (i = first; i < first + WAYS; i++)
		if (i != slot && READ_ONCE(heads[i].tid) == tid)
			return true;
	return false;
}

/* The slot is ours to write, and has this name from here on; perhaps it was @taken for it. */
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
	/* Whoever interrupts this reads it before its number tells that we write: slot_known(). */
	WRITE_ONCE(s->nr, nr + 1);
	n->since = now;
	n->tgid = task->tgid;
	n->write = seq >> 1;
	memcpy(n->comm, comm, sizeof(n->comm));
	told = READ_ONCE(devtrace_proc_told);
	if (told)
		told(i, seq >> 1, task, comm, now);
	/* LMM(proc:A): the name before its number; 0 stays "never". */
	atomic_set_release(&heads[i].seq, seq + 2 ?: 2);
	/* Readers look at the number of the slot that they know, and at no other's. */
	if (taken || has_twin(i, task->pid))
		/* LMM(proc:C): the name before it is said to be there; pairs with sent:B. */
		atomic_inc_return_release(&changes[i / WAYS]);
}

static bool take_seq(unsigned int i, u32 seq)
{
	return !(seq & 1) && (u32)atomic_cmpxchg(&heads[i].seq, seq, seq + 1) == seq;
}

/* Bytes behind the NUL are no part of a name: kernels before 5.17 leave them as they were. */
static bool same_comm(const char *a, const char *b)
{
	/* A rename may change it meanwhile: callers look at its number again. */
	return data_race(!strncmp(a, b, TASK_COMM_LEN));
}

/*
 * The tracepoint has told the newest name of a slot, but the kernel has not stored it in the
 * thread yet: an interrupt that emits meanwhile finds the name before it there.
 */
static bool is_being_renamed(unsigned int i, u32 nr, const char *comm, u64 now)
{
	const struct name *n = slots[i].name;

	return READ_ONCE(renames_told) && nr > 1 && now - n[nr - 1].since < RENAME_NS &&
	       same_comm(n[nr - 2].comm, comm);
}

/* The slot of the thread, with its name. -1: somebody writes it. */
static notrace int slot_known(unsigned int i, u32 seq, const struct task_struct *task,
			      const char *comm, u64 now, bool renamed)
{
	const u32 nr = READ_ONCE(slots[i].nr);
	const struct name *newest;
	bool same;

	/* 0 for a moment, in a slot that is given up. */
	if (seq & 1 || !nr || nr > NAMES)
		return PROC_SLOT_NONE;
	newest = &slots[i].name[nr - 1];
	/* If it changes meanwhile, the number says so. */
	same = data_race(newest->tgid == task->tgid) &&
	       (same_comm(newest->comm, comm) ||
		/* Likewise: the number of the name says if it changed. */
		(!renamed && data_race(is_being_renamed(i, nr, comm, now))));
	/* The name before the number is looked at again; pairs with proc:A. */
	smp_rmb();
	if (same)
		return (u32)atomic_read(&heads[i].seq) == seq ? i : PROC_SLOT_NONE;
	if (!take_seq(i, seq))
		return PROC_SLOT_NONE;
	add_name(i, seq, task, comm, now, false);
	return i;
}

/* How much a user has of a bucket, beyond what is his anyway. */
static int proc_excess(unsigned int first, u32 owner)
{
	int n = owner == ROOT ? -WAYS_ROOT : 0;
	unsigned int i;

	for (i = first; i < first + WAYS; i++)
		n += READ_ONCE(heads[i].owner) == owner;
	return n;
}

/* Which slot of a bucket is given up for a thread of this user; -1: none now. */
static int slot_victim(unsigned int first, u32 owner, u32 *victim_seq)
{
	int best = PROC_SLOT_NONE, most = INT_MIN;
	u64 best_rank = 0, best_last = 0;
	unsigned int i;

	for (i = first; i < first + WAYS; i++) {
		/* Pairs with proc:A: the owner after the number. */
		const u32 seq = atomic_read_acquire(&heads[i].seq);
		const u32 his = READ_ONCE(heads[i].owner);
		const u64 last = READ_ONCE(slots[i].last);
		const int n = proc_excess(first, his);
		/* Rather one's own, and one that no CPU has just seen. */
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

/* The slot of a thread that emits, -1 if it is to go without. */
static int slot_of(const struct task_struct *task, const char *comm, u64 now)
{
	const unsigned int first = proc_bucket(task->pid) * WAYS;
	const u32 owner = devtrace_owner();
	int i, never = PROC_SLOT_NONE;
	u32 seq;

	for (i = first; i < first + WAYS; i++) {
		/* Pairs with proc:A: the thread after the number. */
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

/**
 * devtrace_proc_new() - remember the name of a thread
 * @task: current
 *
 * Context: any, NMI included; preemption off.
 */
notrace void devtrace_proc_new(struct task_struct *task)
{
	/* Not after the event that is about to be emitted. */
	const u64 now = devtrace_clock_now();
	struct proc_last *last = this_cpu_ptr(&devtrace_proc_last);
	char comm[TASK_COMM_LEN];
	int was, i = PROC_SLOT_IDLE;

	/* Another thread: who wants its events has to be looked up. */
	__this_cpu_write(devtrace_verdict.generation, 0);
	/* See devtrace_proc_seen(). */
	data_race(memcpy(comm, task->comm, sizeof(comm)));
	comm[sizeof(comm) - 1] = 0;
	/*
	 * Whom we interrupt takes this thread too, and what we emit counts as its own; or, before
	 * he takes the count, as one of the thread before. Half of his change and half of ours
	 * would count events for nobody.
	 */
	was = xchg(&last->slot, PROC_SLOT_CHANGES);
	if (was != PROC_SLOT_CHANGES)
		leave_last(last, was, now);
	/* A reader wants the name as soon as it has our event. */
	if (task->pid)
		i = slot_of(task, comm, now);
	if (was == PROC_SLOT_CHANGES)
		return;
	if (i != PROC_SLOT_NONE)
		proc_take(last, i, task, comm, now);
	barrier();
	WRITE_ONCE(last->slot, i);
}

/* A thread gets a name that it does not have yet. Threads that have not emitted have no slot. */
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
			/* Pairs with proc:A: the thread after the number. */
			const u32 seq = atomic_read_acquire(&heads[i].seq);

			/* Given up for another thread. */
			if (!seq || READ_ONCE(heads[i].tid) != task->pid)
				break;
			if (slot_known(i, seq, task, comm, now, true) != PROC_SLOT_NONE)
				return;
			cpu_relax();
		}
	}
}

/* The lock of the task is held. Context: process. */
static void rename_probe(void *data, struct task_struct *task, const char *name)
{
	char comm[TASK_COMM_LEN];

	/* It is cut as the kernel will cut it. */
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

/**
 * devtrace_proc_count() - events of a thread were stored that did not pass by this CPU
 * @tid: thread id
 * @stored: how many
 *
 * Context: any, preemption off.
 */
void devtrace_proc_count(u32 tid, unsigned long stored)
{
	const unsigned int first = proc_bucket(tid) * WAYS;
	struct proc_slot *latest = NULL;
	unsigned int i;

	/* Of several users' threads of this id the one that was here last. */
	for (i = first; i < first + WAYS; i++) {
		if (!atomic_read(&heads[i].seq) || READ_ONCE(heads[i].tid) != tid)
			continue;
		/* A guess where it changes meanwhile. */
		if (!latest || data_race(slots[i].last > latest->last))
			latest = &slots[i];
	}
	if (latest)
		atomic_long_add(stored, &latest->stored);
}

/*
 * The thread of a slot and its names, which are consistent with one another. 0 if
 * there are none; likewise after many tries, each in vain since the thread took yet
 * another name.
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
		/* Names that change meanwhile are not returned. */
		data_race(memcpy(names, slots[i].name, sizeof(slots[i].name)));
		/* The copy before the number is looked at again; pairs with proc:A. */
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
 * devtrace_proc_find() - the name a thread had at a time
 * @tid: thread id
 * @ts: trace clock, ns
 * @name: filled in
 * @found: filled in
 *
 * Return: false if nothing is known.
 */
bool devtrace_proc_find(u32 tid, u64 ts, struct proc_name *name, struct proc_found *found)
{
	unsigned int i, first = proc_bucket(tid) * WAYS;
	struct name names[NAMES];
	struct proc_name who;
	u64 next = U64_MAX;
	u32 k, nr, seq;
	int best = -1;

	/* Before the names, see devtrace_proc_same(). */
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
			/* The latest that is not after ts; failing that, the earliest. */
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
 * @name: filled in: its newest name
 * @stored: filled in: its events that were stored, but for those of the CPUs that saw it last
 *
 * Return: false if there is none.
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

/**
 * devtrace_proc_init() - an empty table
 * @start: where its counters begin, for tests
 *
 * Return: 0 or -ENOMEM.
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
