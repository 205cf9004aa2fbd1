/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters: which streams and triggers want an event
 *
 * Each stream and each armed trigger has a filter and a bit: streams 0 to 15, triggers 16 to
 * 31. The filters are kept as requested, to be read back, and compiled together into one table.
 * For an event, the table yields the set of bits that want it in a few loads, however many
 * filters there are.
 *
 * The table is replaced as a whole. When filter_set() returns, no emitter uses the old one.
 * Emitters have preemption off from the lookup until the event is stored.
 *
 * While stream 0 wants everything and no other filter exists, the gate is open and emitters
 * skip the table (see emit.h).
 *
 * Kernel profile events, types 128 to 191, occur only if a filter wants them: filter_set()
 * attaches to their tracepoints and detaches from them, and no other code emits these types. So
 * if stream 0 is the only stream, no lookup is needed for it to get only the profile types that
 * it wants, and the gate can stay open.
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
#include <uapi/linux/devtrace_lane.h>
#include <uapi/linux/devtrace_netlink.h>

#include "compat/compat.h"
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
 * struct filter - terms, as requested
 * @types: bit n: type n passes; the transport's types are always set
 * @hw_severity: lowest hardware severity that passes, 0 to 4
 * @sw_severity: lowest software severity that passes, 0 to 4
 * @origins: DEVTRACE_ORIGIN_*
 * @objects: only these object ids
 * @signals: only these signals
 * @majors: only these major codes, or those of @codes
 * @not_majors: none of these major codes
 * @codes: only these codes, or those of @majors
 * @not_codes: none of these codes
 * @pids: only these processes or threads, or those of @comms
 * @not_pids: none of these processes or threads
 * @comms: only threads with these names, or those of @pids
 * @not_comms: no threads with these names
 * @cpus: only these CPUs
 * @named: of the types registered by name, only these numbers
 *
 * An event without a severity passes all terms about severities; the same holds for objects and
 * codes. An event in interrupt context belongs to no process. Protected by devtrace_lock.
 */
struct filter {
	unsigned long		types[256 / BITS_PER_LONG];
	u8			hw_severity, sw_severity;
	u8			origins;
	struct filter_ranges	objects, signals;
	struct filter_numbers	majors, not_majors, codes, not_codes, pids, not_pids;
	struct filter_names	comms, not_comms;
	struct filter_ranges	cpus;
	struct filter_ranges	named;
};

/* Severity bytes of software and of hardware, a bit each */
#define FILTER_SW	(0xfU << DEVTRACE_SW0)
#define FILTER_HW	(0xfU << DEVTRACE_HW0)

/*
 * The severity bytes that a filter passes, a bit each. Bits below DEVTRACE_SEV_SET are always set:
 * events without severity pass.
 */
static inline u32 filter_severities(const struct filter *f)
{
	return (BIT(DEVTRACE_SEV_SET) - 1) | (FILTER_SW << f->sw_severity & FILTER_SW) |
	       (FILTER_HW << f->hw_severity & FILTER_HW);
}

/*
 * The severity bytes that a filter names: if it limits only software or only hardware, only those.
 */
static inline u32 filter_severities_named(const struct filter *f)
{
	return filter_severities(f) &
	       ((f->sw_severity ? FILTER_SW : 0) | (f->hw_severity ? FILTER_HW : 0));
}

/* Some filter has terms of this kind, for which types[] and severities[] do not suffice. */
#define FILTER_HAS_KEYS		BIT(0)	/* objects, signals, codes, numbers of types */
#define FILTER_HAS_PROCESSES	BIT(1)	/* terms on processes or CPUs */

struct filter_keys;

/**
 * struct filter_bits - bits that emitters test before the table
 * @types: bit n: some filter wants kernel events of type n
 * @objects: bit n: some filter may want kernel events about object n
 * @severities: bit n: some filter wants kernel exceptions of severity byte n
 * @user_types: @types for events of programs; copied to the control page
 * @user_objects: @objects for events of programs
 * @user_severities: severities for events of programs
 *
 * A superfluous bit costs a lookup; a missing bit would lose an event.
 */
struct filter_bits {
	unsigned long		types[256 / BITS_PER_LONG];
	unsigned long		objects[256 / BITS_PER_LONG];
	u32			severities;
	u32			user_types[8];
	u32			user_objects[8];
	u32			user_severities;
};

/* In bytes. The payload of a lane's record in the short form is shorter than this. */
#define FILTER_PLAIN	(DEVTRACE_LANE_SHORT + 1)

/**
 * struct filter_table - all filters, compiled
 * @severities: for each severity byte, the set that wants it
 * @types: for each origin (0 kernel, 1 user) and type, the set that wants it
 * @has: FILTER_HAS_*
 * @generation: differs for each table; never 0
 * @any_process: the set of filters without a term that requires a process
 * @plain: for each type: FILTER_PLAIN if programs may emit it, and stream 0 wants a program's event
 *	of this type without severity, code and object, whatever its process; else 0
 * @lane_streams: streams besides stream 0 that want events of programs
 * @cpus: for each CPU, the set that wants its events
 * @bits: derived from the above, for code that does not use the table
 * @keys: objects, signals, codes, numbers of types and processes; see filter_priv.h
 * @rcu: to free the table
 *
 * Constant once published in devtrace_table.
 */
struct filter_table {
	u32			severities[16];
	u32			types[2][256];
	u32			has;
	u32			generation;
	u32			any_process;
	u8			plain[256];
	u32			lane_streams;
	u32			*cpus;
	struct filter_bits	bits;
	struct filter_keys	*keys;
	struct rcu_head		rcu;
};

extern struct filter_table __rcu *devtrace_table;

/* The set that wants events of the current thread on this CPU; valid for one table generation. */
struct filter_verdict {
	u32	generation;
	u32	set;
};

DECLARE_PER_CPU(struct filter_verdict, devtrace_verdict);

u32 filter_keys_set(const struct filter_table *t, unsigned int type, u32 who, u32 key);
u32 filter_process_set(const struct filter_table *t, struct task_struct *task);
u32 filter_thread_set(const struct filter_table *t, u32 tid, u32 tgid, const char *comm);

/*
 * Return the set that wants a kernel event without severity, code, object and signal, which passes
 * all terms about these. Preemption is off.
 */
static __always_inline u32 filter_wants_plain(const struct filter_table *t, unsigned int type)
{
	return t->types[0][type];
}

/**
 * filter_wants() - the set that wants an event, terms about processes aside
 * @t: the table, preemption off
 * @type: event type
 * @who: as in the record: severity, user, code, object and signal
 * @key: RING_WHO_CODE: the code; RING_WHO_OBJSIG: object | signal << 16; else ignored
 */
static __always_inline u32 filter_wants(const struct filter_table *t, unsigned int type,
					u32 who, u32 key)
{
	u32 set = t->types[!!(who & RING_WHO_USER)][type] &
		  t->severities[who >> RING_WHO_SEV_SHIFT];

	if (unlikely(who & (RING_WHO_CODE | RING_WHO_OBJSIG) && t->has & FILTER_HAS_KEYS))
		set &= filter_keys_set(t, type, who, key);
	return set;
}

/**
 * filter_wants_data() - filter_wants() for an event that may have code, object and signal
 * @t: the table, preemption off
 * @type: event type
 * @who: as in the record
 * @data: payload: code, object and signal, if @who says so
 */
static __always_inline u32 filter_wants_data(const struct filter_table *t, unsigned int type,
					     u32 who, const u8 *data)
{
	const u32 both = RING_WHO_CODE | RING_WHO_OBJSIG;
	u32 set = filter_wants(t, type, who, who & both ? get_unaligned_le32(data) : 0);

	if ((who & both) == both && t->has & FILTER_HAS_KEYS)
		set &= filter_keys_set(t, type, who & ~RING_WHO_CODE,
				       get_unaligned_le32(data + sizeof(__le32)));
	return set;
}

/**
 * filter_wants_process() - the set that wants events of this thread on this CPU
 * @t: the table, which has FILTER_HAS_PROCESSES; preemption is off
 * @task: current; devtrace_proc_seen() has been called for it, which invalidates the verdict
 *	when the thread on this CPU, or its name, changes
 * @in_task: the event is the thread's, not an interrupt's
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
 * filter_known_process() - filter_wants_process() without a function call
 * @t: the table, which has FILTER_HAS_PROCESSES; preemption is off
 * @in_task: the event is the thread's, not an interrupt's
 * @set: bits that do not want the event are cleared
 *
 * Return: false if filter_wants_process() must be called instead.
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
