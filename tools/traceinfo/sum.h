/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sum.h - what --summary makes of the kernel's profile events
 *
 * One summary an input: of system calls and interrupts a row each, of threads the
 * time they spent running, waiting for a CPU and blocked, and the longest waits.
 *
 * Invariants
 * - A time is counted only if no loss lies in it: sums may be too small, and how
 *   much is missing is said beside them, but what they hold is so. Counts may be
 *   too small too, by as many events as were lost.
 *   A loss on a CPU is told with the next event of that CPU only, so a time that has
 *   ended waits for SUM_LATE others to end before it is counted: a loss that is told
 *   until then, and that lies in it, is found.
 * - What a program wrote into a lane is never a profile event, whatever it says, and
 *   what was lost of a lane is missing in no row and no time here.
 * - Memory is bounded, whatever the stream says: rows, threads and nested
 *   interrupts have a limit, durations go into buckets.
 */
#ifndef TRACEINFO_TI_SUM_H
#define TRACEINFO_TI_SUM_H

#include "common/hash.h"
#include "traceinfo.h"

#define SUM_ROWS	4096
#define SUM_TASKS	65536
#define SUM_HASH	8192		/* a power of two */
#define SUM_NEST	16		/* interrupts in one another, on a CPU */
#define SUM_CPUS	1024
#define SUM_DELAYS	10
#define SUM_PARTS	4096		/* of the history of a CPU */
#define SUM_HOLDERS	8		/* of a CPU, during one wait */
#define SUM_EARLY	64
#define SUM_LOSSES	64
#define SUM_LATE	65536		/* a power of two */

/*
 * Durations. Buckets are exact below 128 ns; from there each power of two has 64
 * of them, up to 2^40 ns, so that the median is right to 1 in 128.
 */
#define SUM_BUCKETS	(128 + 33 * 64)

struct sum_times {
	uint64_t	n, min, max, total;
	uint64_t	max_ts;		/* when the longest began */
	uint32_t	*buckets;	/* NULL before the first */
};

void sum_times_add(struct sum_times *t, uint64_t ns, uint64_t ts);
uint64_t sum_times_median(const struct sum_times *t);

/* A system call or interrupt. */
struct sum_row {
	struct sum_row	*next;		/* with the same hash */
	uint16_t	object, signal;
	char		action[32];	/* of an interrupt's handler, cut */
	uint64_t	count;		/* begun, and ended without a beginning */
	uint64_t	errors;
	uint64_t	untimed;	/* without a beginning or an end, or a loss within */
	struct sum_times times;
};

enum sum_state { SUM_UNKNOWN, SUM_RUNNING, SUM_WAITING, SUM_BLOCKED, SUM_STATES };

struct sum_task {
	struct sum_task	*next;		/* with the same hash */
	uint32_t	tid;
	enum sum_state	state;
	uint64_t	since;
	uint64_t	ns[SUM_STATES];	/* SUM_UNKNOWN: with a loss within */
	uint64_t	runs;		/* how often it was given a CPU */
	char		comm[16];	/* where the stream names it no better */
	/* while it waits */
	bool		preempted;
	bool		by_irq;
	uint32_t	waker;
	uint16_t	wait_cpu;
	uint64_t	work;		/* function of the work item that it executes; 0: none */
	bool		uninterruptible; /* while it is blocked: not just idle */
	struct sum_row	*blocked_in;	/* the call it blocked in; NULL: not known */
	/* the system call it is in */
	struct sum_row	*call;
	uint64_t	call_ts;
};

enum sum_in { SUM_IN_THREAD, SUM_IN_IRQ, SUM_IN_SOFTIRQ, SUM_INS };

/* A time in which one thread had a CPU, and the thread or a handler ran. */
struct sum_part {
	uint64_t	from, to;
	uint64_t	work;		/* the work item's function; 0: none */
	uint32_t	tid;
	int16_t		prio;		/* as the kernel has it: 120 is nice 0 */
	bool		prio_known;
	uint8_t		in;
};

struct sum_held {
	uint64_t	ns[SUM_INS];
	uint64_t	work;
	uint32_t	tid;
	int16_t		prio;
	bool		prio_known;
};

/* The threads that held a CPU during a wait, longest first. */
struct sum_meanwhile {
	uint16_t	cpu;
	unsigned int	nr;
	uint64_t	others;		/* for which there was no room */
	struct sum_held	held[SUM_HOLDERS];
};

/* A thread waited for a CPU, or was blocked. */
struct sum_delay {
	struct sum_meanwhile *meanwhile;	/* NULL: not known */
	struct sum_row	*call;		/* blocked in it; NULL: in none, or not known */
	uint64_t	ts, ns;
	uint32_t	tid, waker;
	uint16_t	cpu;
	bool		preempted, by_irq;
	bool		open;		/* it goes on at the end of the trace */
};

/* The SUM_DELAYS longest ones, longest first. */
struct sum_longest {
	struct sum_delay delays[SUM_DELAYS];
	unsigned int	nr;
};

struct sum_cpu {
	unsigned int	depth;
	struct {
		struct sum_row	*row;
		uint64_t	ts;
	} in[SUM_NEST];
	/* its history */
	struct sum_part	*parts;
	uint64_t	nr_parts;
	unsigned int	level;
	uint8_t		levels[SUM_NEST];
};

/* Before the first event: until it is known when that is. Later: of which no time is sure. */
struct sum_loss {
	uint64_t	count, from, to;
};

/* A time that has ended: of a thread in a state, or (row) of a system call. */
struct sum_span {
	uint64_t	from, to;
	struct sum_row	*row;
	struct sum_task	*task;
	struct sum_row	*call;		/* it blocked in it */
	uint32_t	waker;
	uint16_t	cpu;
	uint8_t		state;
	bool		sure;		/* but for losses */
	bool		delay;		/* it waited, and then was given the CPU */
	bool		block;		/* it was blocked, and then was woken */
	bool		open;		/* of either: the trace ends first */
	bool		preempted, by_irq;
	struct sum_meanwhile *meanwhile;	/* of a long wait */
};

struct sum {
	bool		begun;		/* this stream has had an event */
	uint64_t	first, last;	/* events; first of the first stream */
	uint64_t	events, profile;
	uint64_t	lost;		/* in this time, or that may have been */
	uint64_t	lost_before;	/* earlier than the first event */
	uint64_t	lost_after;	/* later than the last event of their stream */
	uint64_t	pending;	/* lost_after, unless an event is later than pending_ts */
	uint64_t	pending_ts;
	uint64_t	lost_lanes;	/* in lanes, at any time; not in the others */
	uint64_t	loss;		/* losses that are not kept are no later; 0: none */
	struct sum_loss	losses[SUM_LOSSES];	/* the last that were told */
	unsigned int	nr_losses;
	struct sum_span	*late;		/* ring of SUM_LATE */
	uint64_t	late_begin, late_end;
	uint64_t	left_out;	/* events for which there was no room */
	bool		wakes;		/* wake-ups are traced */
	struct sum_loss	early[SUM_EARLY];
	unsigned int	nr_early;
	struct hash_key	key;
	struct sum_row	*rows[SUM_HASH];
	size_t		nr_rows;
	struct sum_task	*tasks[SUM_HASH];
	size_t		nr_tasks;
	struct sum_cpu	cpus[SUM_CPUS];
	struct sum_longest waits;	/* for a CPU */
	struct sum_longest blocks;
	struct sum_machines *machines;	/* sum_machine.h */
};

struct sum *sum_new(void);
void sum_free(struct sum *s);
void sum_event(struct sum *s, const struct devtrace_event *ev, bool of_lane);
/* A loss, a gap, damage, the beginning of another stream; others mean nothing here. */
void sum_item(struct sum *s, const struct devtrace_item *item, bool of_lane);
/* That was all: what goes on is counted up to here. */
void sum_end(struct sum *s);

/* Has this time no loss in it, as far as is known? */
bool sum_certain(const struct sum *s, uint64_t from, uint64_t to);
/* The span has ended. */
void sum_late(struct sum *s, const struct sum_span *span);

/* traceinfo/sum_task.c; NULL: no room */
struct sum_task *sum_task(struct sum *s, uint32_t tid);
/* NULL: no event of the stream was about it. */
struct sum_task *sum_task_known(const struct sum *s, uint32_t tid);
void sum_sched(struct sum *s, const struct devtrace_event *ev);
/* Counts a thread's time, once it is known whether a loss lies within. */
void sum_task_span(struct sum *s, const struct sum_span *span, bool certain);
/* Current states are counted up to the last event, and then forgotten. */
void sum_tasks_end(struct sum *s);

/* traceinfo/sum_held.c: an event of the profile, in the history of its CPU. */
void sum_held_event(struct sum *s, const struct devtrace_event *ev);
/* NULL: nothing is known of this CPU. To be freed. */
struct sum_meanwhile *sum_meanwhile(struct sum *s, uint16_t cpu, uint64_t from, uint64_t to);

/* The n-th element of an event; as an integer or a string, if it is one. */
bool sum_elem(const struct devtrace_event *ev, unsigned int n, struct devtrace_elem *e);
bool sum_int(const struct devtrace_event *ev, unsigned int n, int64_t *v);
bool sum_string(const struct devtrace_event *ev, unsigned int n, char *s, size_t size);

/* traceinfo/sum_print.c */
void ti_sum_print(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct sum *s, const char *input);

#endif
