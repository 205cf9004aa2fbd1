/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sum.h - --summary: tables of kernel profile events
 *
 * A summary for each input: a row for each system call and interrupt; for each thread the time
 * running, waiting for a CPU and blocked; and the longest waits.
 *
 * Invariants
 * - A time is counted only if it contains no loss. So sums may be too small, but are never too
 *   large; the summary also says how much is missing. Counts may be too small by the number of
 *   lost events. A loss on a CPU is reported only with the next event of that CPU, so a finished
 *   time is counted only after SUM_LATE further times have finished: a loss that is reported
 *   meanwhile is considered.
 * - An event from a lane never counts as a profile event, whatever its type. A loss of a lane
 *   affects no row and no time.
 * - Memory is bounded for any input: rows, threads and nested interrupts have limits, and
 *   durations go into buckets.
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
 * Durations. Below 128 ns there is a bucket for each ns; above, up to 2^40 ns, each power of two
 * has 64 buckets, so the error of the median is at most 1 in 128.
 */
#define SUM_BUCKETS	(128 + 33 * 64)

struct sum_times {
	uint64_t	n, min, max, total;
	uint64_t	max_ts;		/* when the longest time began */
	uint32_t	*buckets;	/* NULL: no duration yet */
};

void sum_times_add(struct sum_times *t, uint64_t ns, uint64_t ts);
uint64_t sum_times_median(const struct sum_times *t);

/* A system call or interrupt. */
struct sum_row {
	struct sum_row	*next;		/* with the same hash */
	uint16_t	object, signal;
	char		action[32];	/* name of an interrupt's handler, truncated */
	uint64_t	count;		/* number of begins, and of ends whose begin is missing */
	uint64_t	errors;
	/*
	 * calls not in the times: without a begin or an end, or time in which a loss makes the
	 * state uncertain in between
	 */
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
	char		comm[16];	/* used if the stream has no better name */
	/* while waiting: */
	bool		preempted;
	bool		by_irq;
	uint32_t	waker;
	uint16_t	wait_cpu;
	/* function of the kernel work item that the thread executes; 0: none */
	uint64_t	work;
	bool		uninterruptible; /* while blocked: in uninterruptible sleep */
	struct sum_row	*blocked_in;	/* system call in which the thread blocked; NULL: unknown */
	/* current system call: */
	struct sum_row	*call;
	uint64_t	call_ts;
};

enum sum_in { SUM_IN_THREAD, SUM_IN_IRQ, SUM_IN_SOFTIRQ, SUM_INS };

/* A part of a CPU's time in which one thread had it, and the thread or a handler ran. */
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

/* The threads that held a CPU during a wait, longest first. */
struct sum_meanwhile {
	uint16_t	cpu;
	unsigned int	nr;
	uint64_t	others;		/* time of threads that are not listed */
	struct sum_held	held[SUM_HOLDERS];
};

/* A thread waited for a CPU, or was blocked. */
struct sum_delay {
	struct sum_meanwhile *meanwhile;	/* NULL: unknown */
	/* system call in which the thread blocked; NULL: none or unknown */
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
 * A loss of events between two times. Before the first event of a stream, its time decides
 * whether it counts. Later, all times that overlap it are uncertain.
 */
struct sum_loss {
	uint64_t	count, from, to;
};

/* A finished time: of a thread in a state, or (row) of a system call. */
struct sum_span {
	uint64_t	from, to;
	struct sum_row	*row;
	struct sum_task	*task;
	struct sum_row	*call;		/* system call in which the thread blocked */
	uint32_t	waker;
	uint16_t	cpu;
	uint8_t		state;
	bool		sure;		/* the time is certain unless it contains a loss */
	bool		delay;		/* waited, then got the CPU */
	bool		block;		/* was blocked, then woken */
	bool		open;		/* delay or block: the trace ends first */
	bool		preempted, by_irq;
	struct sum_meanwhile *meanwhile;	/* of a long wait */
};

struct sum {
	bool		begun;		/* this stream has had an event */
	/* times of the last event, and of the first event of the first stream */
	uint64_t	first, last;
	uint64_t	events, profile;
	/* events that were, or may have been, lost between @first and @last */
	uint64_t	lost;
	uint64_t	lost_before;	/* before the first event */
	uint64_t	lost_after;	/* after the last event of their stream */
	/* added to @lost_after, unless an event later than pending_ts comes */
	uint64_t	pending;
	uint64_t	pending_ts;
	/* events lost in lanes at any time; no other count has them */
	uint64_t	lost_lanes;
	uint64_t	loss;		/* end of the latest dropped loss; 0: none */
	struct sum_loss	losses[SUM_LOSSES];	/* the latest ones */
	unsigned int	nr_losses;
	struct sum_span	*late;		/* ring of SUM_LATE */
	uint64_t	late_begin, late_end;
	uint64_t	left_out;	/* events without a row because the table is full */
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
/* Process a loss, a gap or the begin of another stream; other items have no effect. */
void sum_item(struct sum *s, const struct devtrace_item *item, bool of_lane);
/* End of input: count unfinished states up to here. */
void sum_end(struct sum *s);

/* Is no loss known in this time? */
bool sum_certain(const struct sum *s, uint64_t from, uint64_t to);
/* A span has finished. Count it after SUM_LATE further spans. */
void sum_late(struct sum *s, const struct sum_span *span);

/* traceinfo/sum_task.c: find or add a thread. Return NULL if the table is full. */
struct sum_task *sum_task(struct sum *s, uint32_t tid);
/* Find a thread. Return NULL if no event of the stream concerned it. */
struct sum_task *sum_task_known(const struct sum *s, uint32_t tid);
void sum_sched(struct sum *s, const struct devtrace_event *ev);
/* Count a thread's time, once it is known whether it contains a loss. */
void sum_task_span(struct sum *s, const struct sum_span *span, bool certain);
/* Count current states up to the last event, and forget them. */
void sum_tasks_end(struct sum *s);

/* traceinfo/sum_held.c: record a profile event in the history of its CPU. */
void sum_held_event(struct sum *s, const struct devtrace_event *ev);
/* Return NULL if nothing is known of this CPU. The caller frees the result. */
struct sum_meanwhile *sum_meanwhile(struct sum *s, uint16_t cpu, uint64_t from, uint64_t to);

/* The n-th element of an event; as an integer or a string, if it is one. */
bool sum_elem(const struct devtrace_event *ev, unsigned int n, struct devtrace_elem *e);
bool sum_int(const struct devtrace_event *ev, unsigned int n, int64_t *v);
bool sum_string(const struct devtrace_event *ev, unsigned int n, char *s, size_t size);

/* traceinfo/sum_print.c */
void ti_sum_print(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct sum *s, const char *input);

#endif
