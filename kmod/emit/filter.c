// SPDX-License-Identifier: GPL-2.0-only
/*
 * Look up which streams and triggers want an event
 *
 * The table decides. Emitters first test devtrace_wanted, devtrace_severities and the control
 * page, only to save the lookup. When filter_set() returns, these have a bit set for everything
 * that the table lets pass.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/bsearch.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "filter.h"
#include "filter_priv.h"

struct filter_table __rcu *devtrace_table;
DEFINE_PER_CPU(struct filter_verdict, devtrace_verdict);

/* The set for a code whose major appears in a filter's codes. */
static u32 code_set(const struct filter_keys *k, const struct major *m, u32 code)
{
	const struct code *codes = &k->codes[m->first];
	unsigned int low = 0, high = m->nr;

	while (low < high) {
		const unsigned int mid = (low + high) / 2;

		if (codes[mid].code == code)
			return codes[mid].set;
		if (codes[mid].code < code)
			low = mid + 1;
		else
			high = mid;
	}
	return m->set;
}

/**
 * filter_keys_set() - the set that wants a code, or an object and a signal
 * @t: the table, preemption off
 * @type: event type: the code of DEVTRACE_T_NAMED is the number of a type
 * @who: as in the record
 * @key: the code if @who has RING_WHO_CODE; otherwise object | signal << 16
 *
 * An event with a code and an object needs two calls, one without RING_WHO_CODE in @who.
 * Context: any.
 */
notrace u32 filter_keys_set(const struct filter_table *t, unsigned int type, u32 who, u32 key)
{
	const struct filter_keys *k = t->keys;
	const struct major *m;

	if (who & RING_WHO_CODE) {
		if (unlikely(type == DEVTRACE_T_NAMED))
			return k->named.pages[(u8)(key >> 8)][(u8)key];
		m = major_find(k, DEVTRACE_CODE_MAJOR(key));
		return likely(!m->nr) ? m->set : code_set(k, m, key);
	}
	return k->objects.pages[(u8)(key >> 8)][(u8)key] &
	       k->signals.pages[key >> 24][(u8)(key >> 16)];
}

static void process_add(const struct process *list, unsigned int nr, const struct process *key,
			int (*compare)(const void *, const void *), u32 *asks, u32 *refuses)
{
	const struct process *p = bsearch(key, list, nr, sizeof(*list), compare);

	if (p) {
		*asks |= p->asks;
		*refuses |= p->refuses;
	}
}

/* The set that wants events of a thread, on any CPU. Preemption is off. */
notrace u32 filter_thread_set(const struct filter_table *t, u32 tid, u32 tgid, const char *comm)
{
	const struct filter_keys *k = t->keys;
	struct process key = { .comm = "" };
	u32 asks = t->any_process, refuses = 0;

	/* The lists' names are padded with zeros, so pad this one, too. */
	strscpy(key.comm, comm, sizeof(key.comm));
	process_add(k->comms, k->nr_comms, &key, filter_compare_comm, &asks, &refuses);
	key.pid = tid;
	process_add(k->pids, k->nr_pids, &key, filter_compare_pid, &asks, &refuses);
	if (tgid != tid) {
		key.pid = tgid;
		process_add(k->pids, k->nr_pids, &key, filter_compare_pid, &asks, &refuses);
	}
	return asks & ~refuses;
}

/**
 * filter_process_set() - the set that wants events of a thread on this CPU
 * @t: the table, preemption off
 * @task: current
 *
 * Caches the verdict for the thread's next event. Events in interrupts do not use verdicts. But
 * an interrupt in this function may see that the thread's name has changed, and invalidate the
 * cached verdict before we store ours. So compare the name again after storing the verdict. A
 * later change of the name invalidates the stored verdict.
 *
 * Context: any; for events in task context.
 */
notrace u32 filter_process_set(const struct filter_table *t, struct task_struct *task)
{
	struct filter_verdict *v = this_cpu_ptr(&devtrace_verdict);
	char comm[TASK_COMM_LEN];
	u32 set;

	/* See devtrace_proc_seen(). */
	data_race(memcpy(comm, task->comm, sizeof(comm)));
	set = filter_thread_set(t, task->pid, task->tgid, comm) & t->cpus[smp_processor_id()];

	WRITE_ONCE(v->set, set);
	barrier();
	WRITE_ONCE(v->generation, t->generation);
	barrier();
	/* If the name changes during the comparison, this or the next event notices. */
	if (data_race(memcmp(comm, task->comm, sizeof(comm))))
		WRITE_ONCE(v->generation, 0);
	return set;
}
