// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the threads that emitted
 *
 * A table of buckets by thread id. A slot is written by whoever takes its
 * sequence number from even to odd; whoever does not get it goes without, and
 * the next event of that thread tries again. A thread that changes its name,
 * or an id that is used again, takes a further slot, so that older events keep
 * the older name; the oldest slot of a bucket is given up first.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "filter.h"
#include "proc.h"

#define BUCKET_BITS	8
#define BUCKET_SLOTS	4
#define SLOTS		(BUCKET_SLOTS << BUCKET_BITS)

struct slot {
	atomic_t	seq;		/* odd: being written; 0: never */
	struct proc_name name;
	atomic_long_t	stored;		/* but for the CPUs that saw it last */
};

DEFINE_PER_CPU(struct proc_last, devtrace_proc_last) = { .tid = -1, .slot = -1 };

atomic_t devtrace_proc_changes = ATOMIC_INIT(0);

static struct slot *slots;

static unsigned int bucket(u32 tid)
{
	return hash_32(tid, BUCKET_BITS) * BUCKET_SLOTS;
}

/* A consistent copy of a slot; false if it is empty or being written. */
static bool slot_read(struct slot *s, struct proc_name *name, u32 *seq)
{
	*seq = atomic_read_acquire(&s->seq);
	if (!*seq || *seq & 1)
		return false;
	/* A name that changes meanwhile is not returned. */
	*name = data_race(s->name);
	/* The copy before the number is looked at again; pairs with proc:A. */
	smp_rmb();
	return atomic_read(&s->seq) == *seq;
}

/* What this CPU counted for the thread that it saw last. */
static void leave_last(struct proc_last *last)
{
	const unsigned long stored = xchg(&last->stored, 0);

	const int slot = READ_ONCE(last->slot);

	if (slot >= 0)
		atomic_long_add(stored, &slots[slot].stored);
	WRITE_ONCE(last->slot, -1);
}

/**
 * devtrace_proc_new() - remember the name of a thread
 * @task: current
 *
 * Context: any, NMI included; preemption off.
 */
void devtrace_proc_new(struct task_struct *task)
{
	/* Not after the event that is about to be emitted. */
	const u64 now = devtrace_clock();
	struct proc_last *last = this_cpu_ptr(&devtrace_proc_last);
	unsigned int i, first = bucket(task->pid), victim = first;
	char comm[TASK_COMM_LEN];
	struct proc_name name;
	u64 oldest = U64_MAX;
	u32 seq, victim_seq = 0;

	/* Another thread: who wants its events has to be looked up. */
	__this_cpu_write(devtrace_verdict.generation, 0);
	leave_last(last);
	/* See devtrace_proc_seen(). */
	data_race(memcpy(comm, task->comm, sizeof(comm)));
	comm[sizeof(comm) - 1] = 0;

	for (i = first; i < first + BUCKET_SLOTS; i++) {
		seq = atomic_read(&slots[i].seq);
		if (seq & 1)
			continue;
		if (seq && slot_read(&slots[i], &name, &seq)) {
			if (name.tid == task->pid && name.tgid == task->tgid &&
			    !memcmp(name.comm, comm, sizeof(comm))) {
				victim = i;
				goto known;
			}
		} else if (seq) {
			continue;
		} else {
			name.since = 0;
		}
		if (name.since < oldest) {
			oldest = name.since;
			victim = i;
			victim_seq = seq;
		}
	}
	if (oldest == U64_MAX)
		return;
	if ((u32)atomic_cmpxchg(&slots[victim].seq, victim_seq, victim_seq + 1) != victim_seq)
		return;
	slots[victim].name.tid = task->pid;
	slots[victim].name.tgid = task->tgid;
	slots[victim].name.since = now;
	memcpy(slots[victim].name.comm, comm, sizeof(comm));
	atomic_long_set(&slots[victim].stored, 0);
	/* LMM(proc:A): the name before its number; 0 stays "never". */
	atomic_set_release(&slots[victim].seq, victim_seq + 2 ?: 2);
	/* LMM(proc:C): the name before it is said to be there; pairs with sent:B. */
	atomic_inc_return_release(&devtrace_proc_changes);
known:
	/* An interrupt in between may leave a mixture: then we come here again. */
	data_race(memcpy(last->comm, comm, sizeof(comm)));
	WRITE_ONCE(last->slot, victim);
	WRITE_ONCE(last->tid, task->pid);
}

unsigned int devtrace_proc_slots(void)
{
	return SLOTS;
}

/* Slots that the names of one thread share; they stand side by side. */
unsigned int devtrace_proc_ways(void)
{
	return BUCKET_SLOTS;
}

/**
 * devtrace_proc_find() - the name a thread had at a time
 * @tid: thread id
 * @ts: trace clock, ns
 * @name: filled in
 * @stamp: filled in: changes when the slot is used for another name
 * @until: filled in: from @ts up to before this time it had no other name,
 *	unless devtrace_proc_changes changes; 0 if no name is known
 *
 * Return: the slot's number, or -1 if nothing is known.
 */
int devtrace_proc_find(u32 tid, u64 ts, struct proc_name *name, u32 *stamp, u64 *until)
{
	unsigned int i, first = bucket(tid);
	struct proc_name n;
	u64 next = U64_MAX;
	int best = -1;
	u32 seq;

	for (i = first; i < first + BUCKET_SLOTS; i++) {
		if (!slot_read(&slots[i], &n, &seq) || n.tid != tid)
			continue;
		if (n.since > ts)
			next = min(next, n.since);
		/* The latest that is not after ts; failing that, the earliest. */
		if (best >= 0) {
			if (n.since <= ts && name->since <= ts) {
				if (n.since < name->since)
					continue;
			} else if (n.since > name->since) {
				continue;
			}
		}
		best = i;
		*name = n;
		*stamp = seq;
	}
	*until = best < 0 ? 0 : next;
	return best;
}

/**
 * devtrace_proc_stats() - how much a thread emitted
 * @slot: number of a slot, 0 at first; moved behind the one that is told
 * @name: filled in
 * @stored: filled in: its events that were stored, since it has the slot
 *
 * Return: false if there are no more.
 */
bool devtrace_proc_stats(unsigned int *slot, struct proc_name *name, u64 *stored)
{
	u32 seq;
	int cpu;

	while (*slot < SLOTS) {
		struct slot *s = &slots[(*slot)++];

		if (!slot_read(s, name, &seq))
			continue;
		*stored = atomic_long_read(&s->stored);
		for_each_possible_cpu(cpu) {
			const struct proc_last *last = per_cpu_ptr(&devtrace_proc_last, cpu);

			/* A moment ago is good enough. */
			if (READ_ONCE(last->slot) == s - slots)
				*stored += READ_ONCE(last->stored);
		}
		return true;
	}
	return false;
}

int devtrace_proc_init(void)
{
	slots = kvcalloc(SLOTS, sizeof(*slots), GFP_KERNEL);
	return slots ? 0 : -ENOMEM;
}

void devtrace_proc_exit(void)
{
	kvfree(slots);
}
