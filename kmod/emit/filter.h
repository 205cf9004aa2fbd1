/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The streams and triggers that want an event
 *
 * Each stream and each armed trigger has a filter, and a bit: streams 0 to 15,
 * triggers 16 to 31. The filters are kept as they were asked for, to be read
 * back, and are compiled together into one table. For an event the table gives
 * the set of those that want it, in a few loads, however many they are.
 *
 * The table is replaced as a whole. When filter_set() returns, no emitter uses
 * the one before. Emitters have preemption off from looking into the table until
 * the event is stored.
 *
 * As long as stream 0 wants everything and is the only one, the gate is open and
 * emitters do not look into the table at all (see emit.c).
 *
 * Kernel profile events, types 128 to 191, come only if a filter of the table wants
 * them: filter_set() attaches to their tracepoints and detaches from them. So a
 * stream 0 that is the only one gets those that it wants and no others without a
 * look, and the gate is open whichever they are. Nothing else emits these types.
 */
#ifndef DEVTRACE_FILTER_H
#define DEVTRACE_FILTER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

#include "ring/ring.h"
#include "stream/rings.h"

#define FILTER_BITS		32
#define FILTER_TRIGGER_BIT	16
#define FILTER_STREAMS		0x0000ffffU
#define FILTER_TRIGGERS		0xffff0000U
#define FILTER_STREAM0		STREAM0_BIT

struct filter_ranges {
	bool			given;
	u16			nr;
	struct devtrace_range	r[DEVTRACE_TERMS_MAX];
};

struct filter_numbers {
	bool			given;
	u16			nr;
	u32			v[DEVTRACE_TERMS_MAX];
};

struct filter_names {
	bool			given;
	u16			nr;
	char			v[DEVTRACE_TERMS_MAX][TASK_COMM_LEN];
};

/**
 * struct filter - terms as they were asked for
 * @types: bit n: type n is wanted; those of the transport are always set
 * @hw_severity: hardware severities from this level on, 0 to 4
 * @sw_severity: the same for software
 * @origins: DEVTRACE_ORIGIN_*
 * @objects: only these object ids
 * @signals: only these signals
 * @majors: only these major codes, or those of @codes
 * @not_majors: none of these
 * @codes: only these codes, or those of @majors
 * @not_codes: none of these
 * @pids: only these processes or threads, or those of @comms
 * @not_pids: none of these
 * @comms: only these names, or those of @pids
 * @not_comms: none of these
 * @cpus: only on these CPUs
 *
 * An event without a severity, object or code passes terms about it. An event in
 * interrupt context belongs to no process.
 */
struct filter {
	unsigned long		types[256 / BITS_PER_LONG];
	u8			hw_severity, sw_severity;
	u8			origins;
	struct filter_ranges	objects, signals;
	struct filter_numbers	majors, not_majors, codes, not_codes, pids, not_pids;
	struct filter_names	comms, not_comms;
	struct filter_ranges	cpus;
};

/* Terms that some filter has and that are not in the two arrays. */
#define FILTER_HAS_KEYS		BIT(0)	/* objects, signals, codes */
#define FILTER_HAS_PROCESSES	BIT(1)	/* or CPUs: a verdict holds on one CPU */

struct filter_keys;

/**
 * struct filter_bits - what emitters look at before any table
 * @types: bit n: somebody wants events of type n, of the kernel's
 * @objects: bit n: somebody may want events about object n, likewise
 * @severities: bit n: somebody wants exceptions of severity n, likewise
 * @user_types: of programs', as the control page has them
 * @user_objects: likewise
 * @user_severities: likewise
 * @lanes: types of programs' that stream 0 alone wants, whatever else they are
 *
 * A bit too many costs a look into the table; a bit too few, an event.
 */
struct filter_bits {
	unsigned long		types[256 / BITS_PER_LONG];
	unsigned long		objects[256 / BITS_PER_LONG];
	u32			severities;
	u32			user_types[8];
	u32			user_objects[8];
	u32			user_severities;
	u32			lanes[8];
};

/**
 * struct filter_table - all filters, compiled
 * @severities: by severity byte: who wants it
 * @types: by origin (0 kernel, 1 user) and type: who wants it
 * @has: FILTER_HAS_*
 * @generation: another one for each table, never 0
 * @any_process: who has no terms about processes that ask for one
 * @plain: by type: stream 0 wants an event of a program that is nothing but a type, as
 *	far as its process does not matter, and programs may emit it
 * @cpus: by CPU: who wants events of it
 * @bits: what follows from all that for who does not look into the table
 * @keys: objects, signals and codes, private to filter_priv.h
 * @rcu: to free it
 */
struct filter_table {
	u32			severities[16];
	u32			types[2][256];
	u32			has;
	u32			generation;
	u32			any_process;
	u8			plain[256];
	u32			*cpus;
	struct filter_bits	bits;
	struct filter_keys	*keys;
	struct rcu_head		rcu;
};

extern struct filter_table __rcu *devtrace_table;

/* The set that wants events of this thread on this CPU; valid until the table changes. */
struct filter_verdict {
	u32	generation;
	u32	set;
};

DECLARE_PER_CPU(struct filter_verdict, devtrace_verdict);

u32 filter_keys_set(const struct filter_table *t, u32 who, u32 key);
u32 filter_process_set(const struct filter_table *t, struct task_struct *task);
u32 filter_thread_set(const struct filter_table *t, u32 tid, u32 tgid, const char *comm);

/**
 * filter_wants_plain() - who wants an event of the kernel's that is nothing but a type
 * @t: the table, preemption off
 * @type: event type
 *
 * The event has no severity, so terms about it pass, and no code, object or signal.
 */
static __always_inline u32 filter_wants_plain(const struct filter_table *t, unsigned int type)
{
	return t->types[0][type];
}

/**
 * filter_wants() - who wants an event, as far as its processes do not matter
 * @t: the table, preemption off
 * @type: event type
 * @who: as in the record: severity, user, code, object and signal
 * @key: RING_WHO_CODE: the code; RING_WHO_OBJSIG: object | signal << 16; else any
 */
static __always_inline u32 filter_wants(const struct filter_table *t, unsigned int type,
					u32 who, u32 key)
{
	u32 set = t->types[!!(who & RING_WHO_USER)][type] &
		  t->severities[who >> RING_WHO_SEV_SHIFT];

	if (unlikely(who & (RING_WHO_CODE | RING_WHO_OBJSIG) && t->has & FILTER_HAS_KEYS))
		set &= filter_keys_set(t, who, key);
	return set;
}

/**
 * filter_wants_process() - who wants events of this thread on this CPU
 * @t: the table, preemption off, FILTER_HAS_PROCESSES
 * @task: current, and devtrace_proc_seen() has seen it: that forgets the verdict
 *	when the CPU meets another thread, or another name of it
 * @in_task: the event is the thread's, and not an interrupt's
 */
static __always_inline u32 filter_wants_process(const struct filter_table *t,
						struct task_struct *task, bool in_task)
{
	if (!in_task)
		return t->any_process & t->cpus[smp_processor_id()];
	if (likely(__this_cpu_read(devtrace_verdict.generation) == t->generation))
		return __this_cpu_read(devtrace_verdict.set);
	return filter_process_set(t, task);
}

/**
 * filter_known_process() - filter_wants_process() as far as nothing has to be called
 * @t: the table, preemption off, FILTER_HAS_PROCESSES
 * @in_task: the event is the thread's, and not an interrupt's
 * @set: whoever does not want it is taken out
 *
 * Return: false if filter_wants_process() is to be asked.
 */
static __always_inline bool filter_known_process(const struct filter_table *t, bool in_task,
						 u32 *set)
{
	if (unlikely(!in_task))
		*set &= t->any_process & t->cpus[smp_processor_id()];
	else if (likely(__this_cpu_read(devtrace_verdict.generation) == t->generation))
		*set &= __this_cpu_read(devtrace_verdict.set);
	else
		return false;
	return true;
}

#endif /* DEVTRACE_FILTER_H */
