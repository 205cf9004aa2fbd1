/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sum.h - --summary: tables of kernel profile events
 *
 * A summary of an input has a row for each system call and each interrupt; for each thread the
 * time it ran, waited for a CPU and was blocked; and the longest waits.
 *
 * Invariants
 * - A time is counted only if no event was lost during it. So sums may be too small, but are never
 *   too large, and the summary says how many events are missing.
 * - A finished time is counted only after SUM_LATE further times have finished. The reason is that
 *   a loss on a CPU is reported only with the next event of that CPU, which may come later.
 * - An event from a lane (the buffer of a program's thread) never counts as a profile event,
 *   whatever its type. So a loss in a lane does not affect any row or time.
 * - Memory is bounded for any input: rows, threads and nested interrupts have limits, and
 *   durations are counted in buckets.
 */
#ifndef TRACEINFO_TI_SUM_H
#define TRACEINFO_TI_SUM_H

#include "common/hash.h"
#include "traceinfo.h"

#define SUM_ROWS	4096
#define SUM_TASKS	65536
#define SUM_HASH	8192		/* a power of two */
#define SUM_NEST	16		/* nested interrupts on a CPU */
#define SUM_CPUS	1024
#define SUM_DELAYS	10
#define SUM_PARTS	4096		/* parts in the history of a CPU */
#define SUM_HOLDERS	8		/* threads that are listed for one wait */
#define SUM_EARLY	64
#define SUM_LOSSES	64
#define SUM_LATE	65536		/* a power of two */

/*
 * Durations are counted in buckets. Below 128 ns there is a bucket for each ns. From there up to
 * 2^40 ns there are 64 buckets for each power of two, so the error of the median is at most 1/128.
 */
#define SUM_BUCKETS	(128 + 33 * 64)
/*
 * Number of buckets of a histogram: one for 0 ns, and one for each power of two up to 2^39 ns. The
 * last bucket also has all longer durations.
 */
#define SUM_POWERS	41

struct sum_times {
	uint64_t	n, min, max, total;
	uint64_t	max_ts;		/* when the longest time began */
	uint32_t	*buckets;	/* NULL: no duration yet */
};

void sum_times_add(struct sum_times *t, uint64_t ns, uint64_t ts);
/* Return a duration that @percent of the durations do not exceed. */
uint64_t sum_times_percentile(const struct sum_times *t, unsigned int percent);

/*
 * Return the median. If the number of durations is even, return the lower of the two in the
 * middle.
 */
static inline uint64_t sum_times_median(const struct sum_times *t)
{
	return sum_times_percentile(t, 50);
}

/* Count the durations of 0 ns in v[0], and those from 2^(i-1) to 2^i - 1 ns in v[i]. */
void sum_times_powers(const struct sum_times *t, uint64_t v[SUM_POWERS]);

/* A system call or interrupt. */
struct sum_row {
	struct sum_row	*next;		/* with the same hash */
	uint16_t	object, signal;
	char		action[32];	/* name of an interrupt's handler, truncated */
	/* count: number of calls or interrupts; one may lack its begin or its end */
	uint64_t	count;
	uint64_t	errors;
	/* untimed: calls without a time: begin or end is missing, or events were lost between */
	uint64_t	untimed;
	struct sum_times times;
};

enum sum_state { SUM_UNKNOWN, SUM_RUNNING, SUM_WAITING, SUM_BLOCKED, SUM_STATES };

struct sum_task {
	struct sum_task	*next;		/* with the same hash */
	uint32_t	tid;
	enum sum_state	state;
	uint64_t	since;
	uint64_t	ns[SUM_STATES];	/* SUM_UNKNOWN: with a loss */
	uint64_t	runs;		/* how often the thread got a CPU */
	/* comm: name of the thread, from an event; used if the stream has no better name */
	char		comm[16];
	/* while waiting: */
	bool		preempted;
	bool		by_irq;
	uint32_t	waker;
	uint16_t	wait_cpu;
	/* work: address of the kernel's work function that the thread executes; 0: none */
	uint64_t	work;
	bool		uninterruptible; /* while blocked: in uninterruptible sleep */
	/* blocked_in: system call in which the thread blocked; NULL: unknown */
	struct sum_row	*blocked_in;
	/* current system call: */
	struct sum_row	*call;
	uint64_t	call_ts;
};

enum sum_in { SUM_IN_THREAD, SUM_IN_IRQ, SUM_IN_SOFTIRQ, SUM_INS };

/*
 * A part of a CPU's history, in which the same thread was current, and either the thread or one
 * kind of interrupt handler ran.
 */
struct sum_part {
	uint64_t	from, to;
	uint64_t	work;		/* function of the work item; 0: none */
	uint32_t	tid;
	int16_t		prio;		/* kernel priority: 120 is nice 0 */
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

/* The threads that were current on a CPU while another thread waited for it, longest time first. */
struct sum_meanwhile {
	uint16_t	cpu;
	unsigned int	nr;
	uint64_t	others;		/* time of threads that are not listed */
	struct sum_held	held[SUM_HOLDERS];
};

/* A time in which a thread waited for a CPU or was blocked. */
struct sum_delay {
	struct sum_meanwhile *meanwhile;	/* NULL: unknown */
	/* call: system call in which the thread blocked; NULL: none or unknown */
	struct sum_row	*call;
	uint64_t	ts, ns;
	uint32_t	tid, waker;
	uint16_t	cpu;
	bool		preempted, by_irq;
	bool		open;		/* not ended when the trace ends */
};

/* The SUM_DELAYS longest, longest first. */
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
	/* its history: */
	struct sum_part	*parts;
	uint64_t	nr_parts;
	unsigned int	level;
	uint8_t		levels[SUM_NEST];
};

/*
 * @count events were lost between the times @from and @to. A loss that ended before the first
 * event of the stream does not count. Any other loss makes all times that overlap it uncertain.
 */
struct sum_loss {
	uint64_t	count, from, to;
};

/* A finished time: of a system call if @row is set, otherwise of a thread in a state. */
struct sum_span {
	uint64_t	from, to;
	struct sum_row	*row;
	struct sum_task	*task;
	struct sum_row	*call;		/* system call in which the thread blocked */
	uint32_t	waker;
	uint16_t	cpu;
	uint8_t		state;
	/* sure: begin and end are known, so the time counts unless it contains a loss */
	bool		sure;
	bool		delay;		/* waited, then got the CPU */
	bool		block;		/* was blocked, then woken */
	bool		open;		/* delay or block: the trace ends first */
	bool		preempted, by_irq;
	struct sum_meanwhile *meanwhile;	/* of a long wait */
};

struct sum {
	bool		begun;		/* this stream has had an event */
	/* time of the first event of the first stream, and of the last event */
	uint64_t	first, last;
	uint64_t	events, profile;
	/* lost: events that were lost, or may have been lost, between @first and @last */
	uint64_t	lost;
	uint64_t	lost_before;	/* before the first event */
	uint64_t	lost_after;	/* after the last event of their stream */
	/* lost events, added to @lost_after unless an event later than @pending_ts follows */
	uint64_t	pending;
	uint64_t	pending_ts;
	/* events lost in lanes at any time; the other counts do not contain them */
	uint64_t	lost_lanes;
	/* loss: end of the latest loss for which @losses had no room; 0: none */
	uint64_t	loss;
	struct sum_loss	losses[SUM_LOSSES];	/* the latest ones */
	unsigned int	nr_losses;
	struct sum_span	*late;		/* ring of SUM_LATE */
	uint64_t	late_begin, late_end;
	/* left_out: events that are in no row because the table of rows is full */
	uint64_t	left_out;
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
	/* wakeups: times from the wake-up of a thread until it got a CPU */
	struct sum_times wakeups;
	struct sum_machines *machines;	/* sum_machine.h */
};

struct sum *sum_new(void);
void sum_free(struct sum *s);
void sum_event(struct sum *s, const struct devtrace_event *ev, bool of_lane);
/*
 * Process a report of lost or missing events, or the begin of another stream. Other items have no
 * effect.
 */
void sum_item(struct sum *s, const struct devtrace_item *item, bool of_lane);
/* At the end of the input, count unfinished states up to the last event. */
void sum_end(struct sum *s);

/* Return true for the row of a system call, and false for the row of an interrupt. */
bool sum_row_is_call(const struct sum_row *r);
/*
 * Compare two pointers to rows, for qsort(3): first system calls, longest total time first; then
 * interrupts, longest time first.
 */
int sum_row_compare(const void *x, const void *y);

/* Is no loss known in this time? */
bool sum_certain(const struct sum *s, uint64_t from, uint64_t to);
/*
 * Queue a finished time. It is counted after SUM_LATE further times, when losses that were
 * reported late are known.
 */
void sum_late(struct sum *s, const struct sum_span *span);

/* traceinfo/sum_task.c: find the thread, or add it. Return NULL if the table is full. */
struct sum_task *sum_task(struct sum *s, uint32_t tid);
/* Find the thread. Return NULL if the stream has no event about it so far. */
struct sum_task *sum_task_known(const struct sum *s, uint32_t tid);
void sum_sched(struct sum *s, const struct devtrace_event *ev);
/* Add a time to the thread's sums. @certain: no event was lost during the time. */
void sum_task_span(struct sum *s, const struct sum_span *span, bool certain);
/* Count the current state of each thread up to the last event, then forget the states. */
void sum_tasks_end(struct sum *s);

/* traceinfo/sum_held.c: add a profile event to the history of its CPU. */
void sum_held_event(struct sum *s, const struct devtrace_event *ev);
/*
 * Find the threads that were current on the CPU between two times. Return NULL if the CPU has no
 * history. The caller frees the result.
 */
struct sum_meanwhile *sum_meanwhile(struct sum *s, uint16_t cpu, uint64_t from, uint64_t to);

/*
 * Read the n-th element of an event. sum_int() and sum_string() return false if the element has
 * another type.
 */
bool sum_elem(const struct devtrace_event *ev, unsigned int n, struct devtrace_elem *e);
bool sum_int(const struct devtrace_event *ev, unsigned int n, int64_t *v);
bool sum_string(const struct devtrace_event *ev, unsigned int n, char *s, size_t size);

/* traceinfo/sum_print.c */
void ti_sum_print(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct sum *s, const char *input);

#endif
