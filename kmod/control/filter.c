// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wants an event: the filters, and the table they are compiled into
 *
 * What a table says of object ids, signals, codes and processes is private to
 * this file: for ids and signals pages of sets, one shared page for all ids that
 * no filter names; for major codes a hash whose empty places have the set of all
 * other codes; for processes sorted lists, looked at only when a CPU meets another
 * thread. A filter without a term is in every set of that term.
 *
 * The table decides. What emitters look at before it, devtrace_wanted,
 * devtrace_severities and the control page, only spares them the way; all of
 * these have every bit that the table needs by the time filter_set() returns.
 */
#include <linux/bitmap.h>
#include <linux/bsearch.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "core.h"
#include "emit/emit_check.h"
#include "filter.h"
#include "lane/lane.h"
#include "lane/lane_filter.h"
#include "emit/proc.h"
#include "stream/profile_ops.h"
#include "admin/stream.h"

#define PAGE_IDS	256
#define PAGES		(65536 / PAGE_IDS)

/* Sets by object id or by signal; all pages that no range touches are @rest. */
struct ids {
	u32		*pages[PAGES];
	u32		rest[PAGE_IDS];
};

/* Codes have 24 bits of major, so this is none. */
#define NO_MAJOR	U32_MAX

struct major {
	u32		major;
	u32		set;
};

/* A process or thread id, or a name, and who asks for it or refuses it. */
struct process {
	union {
		u32	pid;
		char	comm[TASK_COMM_LEN];
	};
	u32		asks;
	u32		refuses;
};

struct filter_keys {
	struct ids	objects;
	struct ids	signals;
	struct major	*majors;
	unsigned int	majors_shift;	/* 32 - log2 of how many places there are */
	struct process	*pids, *comms;
	unsigned int	nr_pids, nr_comms;
};

struct filter_table __rcu *devtrace_table;
DEFINE_PER_CPU(struct filter_verdict, devtrace_verdict);

/* All under devtrace_lock. */
static struct filter *filters[FILTER_BITS];
static u32 generations[FILTER_BITS];
static u32 table_generation;
static struct devtrace_control *control_page;

static unsigned int major_place(u32 major, unsigned int shift)
{
	return major * 0x9e3779b1U >> shift;
}

/* The place of a major code, or the empty one where it would be. */
static __always_inline struct major *major_find(const struct filter_keys *k, u32 major)
{
	unsigned int i = major_place(major, k->majors_shift);
	const unsigned int mask = U32_MAX >> k->majors_shift;

	while (k->majors[i].major != major && k->majors[i].major != NO_MAJOR)
		i = (i + 1) & mask;
	return &k->majors[i];
}

/**
 * filter_keys_set() - who wants a code, or an object and a signal
 * @t: the table, preemption off
 * @who: as in the record
 * @key: the code if @who has RING_WHO_CODE; otherwise object | signal << 16
 *
 * An event that has both is asked about twice, once without RING_WHO_CODE.
 * Context: any.
 */
u32 filter_keys_set(const struct filter_table *t, u32 who, u32 key)
{
	const struct filter_keys *k = t->keys;

	if (who & RING_WHO_CODE)
		return major_find(k, DEVTRACE_CODE_MAJOR(key))->set;
	return k->objects.pages[(u8)(key >> 8)][(u8)key] &
	       k->signals.pages[key >> 24][(u8)(key >> 16)];
}

static int compare_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static int compare_comm(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return memcmp(p->comm, q->comm, sizeof(p->comm));
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

/* Who wants events of a thread of this name, wherever it is. */
static u32 thread_set(const struct filter_table *t, u32 tid, u32 tgid, const char *comm)
{
	const struct filter_keys *k = t->keys;
	struct process key = { .comm = "" };
	u32 asks = t->any_process, refuses = 0;

	/* As in the lists: nothing behind the NUL. */
	strscpy_pad(key.comm, comm, sizeof(key.comm));
	process_add(k->comms, k->nr_comms, &key, compare_comm, &asks, &refuses);
	key.pid = tid;
	process_add(k->pids, k->nr_pids, &key, compare_pid, &asks, &refuses);
	if (tgid != tid) {
		key.pid = tgid;
		process_add(k->pids, k->nr_pids, &key, compare_pid, &asks, &refuses);
	}
	return asks & ~refuses;
}

/**
 * filter_lane_set() - who wants events of the thread of a lane, on whichever CPU
 * @t: the table, preemption off
 * @l: the lane
 * @cpu: set to the CPU that the thread is on
 *
 * Of a thread that is no more, or has another number since it calls exec(2), the name is
 * the last that it emitted under.
 */
u32 filter_lane_set(const struct filter_table *t, const struct lane *l, unsigned int *cpu)
{
	const struct task_struct *task;
	struct proc_found found;
	struct proc_name name;

	*cpu = 0;
	name.comm[0] = 0;
	rcu_read_lock();
	task = pid_task(l->pid, PIDTYPE_PID);
	if (task) {
		/* See devtrace_proc_seen(). */
		data_race(memcpy(name.comm, task->comm, sizeof(name.comm)));
		*cpu = task_cpu(task);
	} else {
		devtrace_proc_find(l->tid, U64_MAX, &name, &found);
	}
	rcu_read_unlock();
	return thread_set(t, l->tid, l->tgid, name.comm);
}

/**
 * filter_process_set() - who wants events of a thread on this CPU
 * @t: the table, preemption off
 * @task: current
 *
 * Leaves the verdict for the next event of this thread. Interrupts do not look at
 * verdicts; but one that comes in between, and finds that the name has changed,
 * means to forget the verdict that is only about to be left. So after it is left,
 * the name must still be the one that it is about; a change after that finds it.
 *
 * Context: any; for events in task context.
 */
u32 filter_process_set(const struct filter_table *t, struct task_struct *task)
{
	struct filter_verdict *v = this_cpu_ptr(&devtrace_verdict);
	char comm[TASK_COMM_LEN];
	u32 set;

	/* See devtrace_proc_seen(). */
	data_race(memcpy(comm, task->comm, sizeof(comm)));
	set = thread_set(t, task->pid, task->tgid, comm) & t->cpus[smp_processor_id()];

	WRITE_ONCE(v->set, set);
	barrier();
	WRITE_ONCE(v->generation, t->generation);
	barrier();
	/* What changes while it is compared differs, or is seen next time. */
	if (data_race(memcmp(comm, task->comm, sizeof(comm))))
		WRITE_ONCE(v->generation, 0);
	return set;
}

static void ids_free(struct ids *ids)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		if (ids->pages[i] != ids->rest)
			kfree(ids->pages[i]);
}

static void table_free(struct filter_table *t)
{
	if (!t)
		return;
	if (t->keys) {
		ids_free(&t->keys->objects);
		ids_free(&t->keys->signals);
		kvfree(t->keys->majors);
		kvfree(t->keys->pids);
		kvfree(t->keys->comms);
		kvfree(t->keys);
	}
	kfree(t->cpus);
	kfree(t);
}

/* A page of its own for the ids around @id. */
static u32 *ids_page(struct ids *ids, unsigned int id)
{
	u32 **page = &ids->pages[id / PAGE_IDS];

	if (*page == ids->rest) {
		u32 *own = kmemdup(ids->rest, sizeof(ids->rest), GFP_KERNEL);

		if (!own)
			return NULL;
		*page = own;
	}
	return *page;
}

static int ids_add(struct ids *ids, const struct filter_ranges *ranges, u32 bit)
{
	unsigned int i, id;
	u32 *page;

	for (i = 0; i < ranges->nr; i++) {
		for (id = ranges->r[i].first; id <= ranges->r[i].last; id++) {
			page = ids_page(ids, id);
			if (!page)
				return -ENOMEM;
			page[id % PAGE_IDS] |= bit;
		}
	}
	return 0;
}

/* @ranges: by bit: the term, NULL where there is none. */
static int ids_compile(struct ids *ids, const struct filter_ranges *const *ranges)
{
	u32 rest = U32_MAX;
	unsigned int b, i;
	int err;

	for (b = 0; b < FILTER_BITS; b++)
		if (ranges[b])
			rest &= ~BIT(b);
	for (i = 0; i < PAGE_IDS; i++)
		ids->rest[i] = rest;
	for (i = 0; i < PAGES; i++)
		ids->pages[i] = ids->rest;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!ranges[b])
			continue;
		err = ids_add(ids, ranges[b], BIT(b));
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static void majors_enter(struct filter_keys *k, const struct filter_numbers *n)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		major_find(k, n->v[i])->major = n->v[i];
}

static int majors_compile(struct filter_keys *k, struct filter *const *f)
{
	unsigned int b, i, places, nr = 0;
	u32 rest = U32_MAX;

	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		nr += f[b]->majors.nr + f[b]->not_majors.nr;
		if (f[b]->majors.given)
			rest &= ~BIT(b);
	}
	/* At most a quarter is in use, so that the first look mostly tells. */
	places = roundup_pow_of_two(4 * nr + 2);
	k->majors_shift = 32 - ilog2(places);
	k->majors = kvmalloc_array(places, sizeof(*k->majors), GFP_KERNEL);
	if (!k->majors)
		return -ENOMEM;
	for (i = 0; i < places; i++)
		k->majors[i] = (struct major){ .major = NO_MAJOR, .set = rest };
	/* All places first: until a place is taken, it is no code's. */
	for (b = 0; b < FILTER_BITS; b++) {
		if (f[b]) {
			majors_enter(k, &f[b]->majors);
			majors_enter(k, &f[b]->not_majors);
		}
	}
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		for (i = 0; i < f[b]->majors.nr; i++)
			major_find(k, f[b]->majors.v[i])->set |= BIT(b);
	}
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		for (i = 0; i < f[b]->not_majors.nr; i++)
			major_find(k, f[b]->not_majors.v[i])->set &= ~BIT(b);
	}
	return 0;
}

static int keys_compile(struct filter_keys *k, struct filter *const *f)
{
	const struct filter_ranges *objects[FILTER_BITS], *signals[FILTER_BITS];
	unsigned int b;

	for (b = 0; b < FILTER_BITS; b++) {
		objects[b] = f[b] && f[b]->objects.given ? &f[b]->objects : NULL;
		signals[b] = f[b] && f[b]->signals.given ? &f[b]->signals : NULL;
	}
	return ids_compile(&k->objects, objects) ?: ids_compile(&k->signals, signals) ?:
	       majors_compile(k, f);
}

/* One entry for each id or name, with all who ask for it or refuse it. */
static unsigned int processes_merge(struct process *list, unsigned int nr,
				    int (*compare)(const void *, const void *))
{
	unsigned int i, n = 0;

	if (!nr)
		return 0;
	sort(list, nr, sizeof(*list), compare, NULL);
	for (i = 1; i < nr; i++) {
		if (compare(&list[n], &list[i])) {
			list[++n] = list[i];
		} else {
			list[n].asks |= list[i].asks;
			list[n].refuses |= list[i].refuses;
		}
	}
	return n + 1;
}

static struct process *pids_add(struct process *p, const struct filter_numbers *n,
				u32 asks, u32 refuses)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		*p++ = (struct process){
			.pid = n->v[i], .asks = asks, .refuses = refuses,
		};
	return p;
}

static struct process *comms_add(struct process *p, const struct filter_names *n,
				 u32 asks, u32 refuses)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++, p++) {
		memcpy(p->comm, n->v[i], sizeof(p->comm));
		p->asks = asks;
		p->refuses = refuses;
	}
	return p;
}

static int processes_compile(struct filter_table *t, struct filter *const *f)
{
	struct filter_keys *k = t->keys;
	unsigned int b, pids = 0, comms = 0;
	struct process *pid, *comm;

	t->any_process = U32_MAX;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		pids += f[b]->pids.nr + f[b]->not_pids.nr;
		comms += f[b]->comms.nr + f[b]->not_comms.nr;
		if (f[b]->pids.given || f[b]->comms.given)
			t->any_process &= ~BIT(b);
		if (f[b]->pids.given || f[b]->comms.given || f[b]->not_pids.nr ||
		    f[b]->not_comms.nr)
			t->has |= FILTER_HAS_PROCESSES;
	}
	k->pids = kvcalloc(pids ?: 1, sizeof(*pid), GFP_KERNEL);
	k->comms = kvcalloc(comms ?: 1, sizeof(*comm), GFP_KERNEL);
	if (!k->pids || !k->comms)
		return -ENOMEM;
	pid = k->pids;
	comm = k->comms;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		pid = pids_add(pid, &f[b]->pids, BIT(b), 0);
		pid = pids_add(pid, &f[b]->not_pids, 0, BIT(b));
		comm = comms_add(comm, &f[b]->comms, BIT(b), 0);
		comm = comms_add(comm, &f[b]->not_comms, 0, BIT(b));
	}
	k->nr_pids = processes_merge(k->pids, pids, compare_pid);
	k->nr_comms = processes_merge(k->comms, comms, compare_comm);
	return 0;
}

static int cpus_compile(struct filter_table *t, struct filter *const *f)
{
	unsigned int b, i, cpu;

	t->cpus = kmalloc_array(nr_cpu_ids, sizeof(*t->cpus), GFP_KERNEL);
	if (!t->cpus)
		return -ENOMEM;
	memset(t->cpus, 0xff, nr_cpu_ids * sizeof(*t->cpus));
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b] || !f[b]->cpus.given)
			continue;
		t->has |= FILTER_HAS_PROCESSES;
		for (cpu = 0; cpu < nr_cpu_ids; cpu++)
			t->cpus[cpu] &= ~BIT(b);
		for (i = 0; i < f[b]->cpus.nr; i++)
			for (cpu = f[b]->cpus.r[i].first;
			     cpu <= f[b]->cpus.r[i].last && cpu < nr_cpu_ids; cpu++)
				t->cpus[cpu] |= BIT(b);
	}
	return 0;
}

/* Whether a filter lets events with this severity byte pass. */
static bool severity_passes(const struct filter *f, unsigned int severity)
{
	if (!(severity & DEVTRACE_SEV_SET))
		return true;
	return (severity & DEVTRACE_SEV_LEVEL) >=
	       (severity & DEVTRACE_SEV_HW ? f->hw_severity : f->sw_severity);
}

static void types_compile(struct filter_table *t, const struct filter *f, u32 bit)
{
	unsigned int i;

	for_each_set_bit(i, f->types, 256) {
		if (f->origins & DEVTRACE_ORIGIN_KERNEL)
			t->types[0][i] |= bit;
		if (f->origins & DEVTRACE_ORIGIN_USER)
			t->types[1][i] |= bit;
	}
	for (i = 0; i < ARRAY_SIZE(t->severities); i++)
		if (severity_passes(f, i))
			t->severities[i] |= bit;
	if (f->objects.given || f->signals.given || f->majors.given || f->not_majors.nr)
		t->has |= FILTER_HAS_KEYS;
}

static struct filter_table *table_compile(struct filter *const *f)
{
	struct filter_table *t = kzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int b;

	if (!t)
		return NULL;
	t->keys = kvzalloc(sizeof(*t->keys), GFP_KERNEL);
	if (!t->keys)
		goto out_free;
	if (keys_compile(t->keys, f) || processes_compile(t, f) || cpus_compile(t, f))
		goto out_free;
	for (b = 0; b < FILTER_BITS; b++)
		if (f[b])
			types_compile(t, f[b], BIT(b));
	for (b = 0; b < ARRAY_SIZE(t->plain); b++)
		t->plain[b] = t->types[1][b] & FILTER_STREAM0 && emit_check_type(b);
	t->generation = table_generation + 1 ?: 1;
	return t;

out_free:
	table_free(t);
	return NULL;
}

/*
 * Whether stream 0 is the only one that wants anything, and wants everything there is:
 * profile events that it does not want there are none.
 */
static bool plain(struct filter *const *f)
{
	unsigned int b;

	for (b = 1; b < FILTER_BITS; b++)
		if (f[b])
			return false;
	return f[0] && filter_is_open(f[0]);
}

/* Who wants events of this origin at all. */
static u32 origin_set(const struct filter_table *t, unsigned int origin)
{
	unsigned int i;
	u32 set = 0;

	for (i = 0; i < 256; i++)
		if (!filter_transport_type(i))
			set |= t->types[origin][i];
	return set;
}

/* @set: who wants events that can have a severity. */
static u32 severity_bits(const struct filter_table *t, u32 set)
{
	unsigned int i;
	u32 bits = 0;

	for (i = 0; i < ARRAY_SIZE(t->severities); i++)
		if (t->severities[i] & set)
			bits |= BIT(i);
	return bits;
}

/*
 * What emitters look at first. Bits that go are still looked up in the table by
 * whoever read them before, and bits that come are there before anybody is told.
 */
static void publish(const struct filter_table *t)
{
	const u32 any[2] = { origin_set(t, 0), origin_set(t, 1) };
	unsigned long wanted;
	unsigned int i, n;
	u32 word;

	for (i = 0; i < ARRAY_SIZE(devtrace_wanted); i++) {
		for (n = 0, wanted = 0; n < BITS_PER_LONG; n++)
			if (t->types[0][i * BITS_PER_LONG + n])
				wanted |= BIT(n);
		WRITE_ONCE(devtrace_wanted[i], wanted);
	}
	/* Only of exceptions does the kernel ask it. */
	WRITE_ONCE(devtrace_severities, severity_bits(t, t->types[0][DEVTRACE_T_EXC]));
	for (i = 0; i < ARRAY_SIZE(devtrace_objects); i++) {
		for (n = 0, wanted = 0; n < BITS_PER_LONG; n++)
			if (t->keys->objects.pages[0][i * BITS_PER_LONG + n] & any[0])
				wanted |= BIT(n);
		WRITE_ONCE(devtrace_objects[i], wanted);
	}

	WRITE_ONCE(control_page->severities, severity_bits(t, any[1]));
	for (i = 0; i < ARRAY_SIZE(control_page->types); i++) {
		for (n = 0, word = 0; n < 32; n++)
			if (t->types[1][i * 32 + n])
				word |= BIT(n);
		WRITE_ONCE(control_page->types[i], word);
		for (n = 0, word = 0; n < 32; n++)
			if (t->keys->objects.pages[0][i * 32 + n] & any[1])
				word |= BIT(n);
		WRITE_ONCE(control_page->objects[i], word);
	}
}

/**
 * filter_attach_profile() - have the kernel profile events come that filters want
 *
 * Attach to the tracepoints of what the table in force wants, detach from the rest.
 * What cannot be attached leaves the filters again: it does not come.
 */
void filter_attach_profile(void)
{
	DECLARE_BITMAP(refused, 256);
	unsigned int b;

	if (!devtrace_profile_apply(devtrace_wanted, refused))
		return;
	for (b = 0; b < FILTER_BITS; b++)
		if (filters[b])
			bitmap_andnot(filters[b]->types, filters[b]->types, refused, 256);
}

/* The table that stands for filters[] takes the place of the one before. */
static void put_in_force(struct filter_table *t)
{
	struct filter_table *old = rcu_dereference_protected(devtrace_table,
							     lockdep_is_held(&devtrace_lock));
	const bool open = plain(filters);

	/*
	 * Whoever finds the gate open stores without a look. So it closes before the
	 * wait, and opens behind it: until then the old table is looked into, and may
	 * refuse what nobody else knows to be wanted already.
	 */
	if (!open)
		devtrace_emit_gate(false);
	table_generation = t->generation;
	lane_filter_narrow(t);
	rcu_assign_pointer(devtrace_table, t);
	publish(t);
	/* Emitters have preemption off; no normal wait: there may be many changes. */
	synchronize_rcu_expedited();
	/*
	 * What comes now finds a table that knows it. What stream 0 does not want has
	 * gone by the time the gate opens.
	 */
	lane_filter_table(t);
	filter_attach_profile();
	if (open)
		devtrace_emit_gate(true);
	table_free(old);
}

/**
 * filter_set() - another filter for a stream or a trigger
 * @bit: whose
 * @f: copied; NULL: it wants nothing any more
 *
 * When it returns, no event is stored that @f refuses, and none is refused that
 * it lets pass. The types that are wanted may have changed. Kernel profile events
 * that nobody wants any more have ended, and those that are wanted now come.
 *
 * Context: process; may sleep.
 *
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int filter_set(unsigned int bit, const struct filter *f)
{
	struct filter *copy = NULL, *old = filters[bit];
	struct filter_table *t;

	lockdep_assert_held(&devtrace_lock);
	if (f && bit) {
		int err = emit_slots_alloc();

		if (err)
			return err;
	}
	if (f) {
		copy = kmemdup(f, sizeof(*f), GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	filters[bit] = copy;
	t = table_compile(filters);
	if (!t) {
		filters[bit] = old;
		kfree(copy);
		return -ENOMEM;
	}
	generations[bit] = generations[bit] + 1 ?: 1;
	put_in_force(t);
	kfree(old);
	return 0;
}

/**
 * filter_get() - the filter of a stream or a trigger
 * @bit: whose
 * @generation: filled in if not NULL: changes with each filter_set() of this bit
 *
 * Return: as long as devtrace_lock is held; NULL if it wants nothing.
 */
const struct filter *filter_get(unsigned int bit, u32 *generation)
{
	lockdep_assert_held(&devtrace_lock);
	if (generation)
		*generation = generations[bit];
	return filters[bit];
}

/**
 * filter_init() - stream 0 wants everything
 * @control: the page that programs map
 * @start: where generations begin, for tests
 *
 * Return: 0 or -ENOMEM.
 */
int filter_init(struct devtrace_control *control, u32 start)
{
	struct filter *f = kmalloc(sizeof(*f), GFP_KERNEL);
	int err, b;

	if (!f)
		return -ENOMEM;
	control_page = control;
	table_generation = start;
	for (b = 0; b < FILTER_BITS; b++)
		generations[b] = start;
	lane_filter_init(control);
	filter_all(f);
	mutex_lock(&devtrace_lock);
	err = filter_set(0, f);
	mutex_unlock(&devtrace_lock);
	kfree(f);
	return err;
}

/* No emitter is left. */
void filter_exit(void)
{
	unsigned int b;

	table_free(rcu_dereference_protected(devtrace_table, true));
	RCU_INIT_POINTER(devtrace_table, NULL);
	for (b = 0; b < FILTER_BITS; b++) {
		kfree(filters[b]);
		filters[b] = NULL;
	}
}
