/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sum_machine.h - --summary: tables of QP and RKH events
 *
 * For each state machine: how many signals it received, how long it was in each state, how long
 * its signals waited from post to dispatch, and the longest step from a dispatch to its end. For
 * queues and pools: the smallest number of free places. For timers: how often they expired.
 *
 * Invariants
 * - A time is not counted if events were lost during it: a loss discards everything unfinished.
 *   Counts may be too small by the number of lost events.
 * - Memory is bounded for any input: the numbers of machines, states, stores (queues, pools and
 *   timers) and waiting signals have limits. Events that would exceed a limit are counted.
 */
#ifndef TRACEINFO_SUM_MACHINE_H
#define TRACEINFO_SUM_MACHINE_H

#include "framework.h"
#include "sum.h"

#define SUM_NAME	64
#define SUM_MACHINES	256
#define SUM_STATES_MAX	64
#define SUM_PENDING	256
#define SUM_STORES	512

struct sum_machine_state {
	uint64_t	key, ns, entered;
	char		name[SUM_NAME];
};

struct sum_machine {
	uint32_t	tgid;
	uint64_t	key;
	char		name[SUM_NAME];
	uint64_t	dispatches, ignored, unhandled, posts, refused;
	struct sum_machine_state states[SUM_STATES_MAX];
	unsigned int	nr_states;
	int		state;		/* -1: unknown */
	uint64_t	since;
	bool		busy;		/* within a step */
	uint64_t	step_ts;
	char		step_signal[SUM_NAME], longest_signal[SUM_NAME];
	struct sum_times latency, steps;
	struct {
		uint32_t	signal;
		uint64_t	ts;
	} pending[SUM_PENDING];		/* oldest first */
	unsigned int	nr_pending;
};

/* A queue, a pool or a timer. */
struct sum_store {
	enum { SUM_QUEUE, SUM_POOL, SUM_TIMER } kind;
	uint32_t	tgid;
	uint64_t	key;
	char		name[SUM_NAME];
	/*
	 * puts, gets: how often something was put in or taken out; for a timer: armed and disarmed
	 */
	uint64_t	puts, gets;
	uint64_t	timeouts;
	int64_t		least, room, most_used;	/* FW_NO: unknown */
};

struct sum_machines {
	struct sum_machine *machines[SUM_MACHINES];
	unsigned int	nr_machines;
	struct sum_store stores[SUM_STORES];
	unsigned int	nr_stores;
	uint64_t	left_out;
	/* events lost in this stream, from CPUs and from lanes */
	uint64_t	lost;
};

struct sum_machines *sum_machines_new(void);
void sum_machines_free(struct sum_machines *m);
void sum_machines_event(struct sum_machines *m, const struct ti_event *e);
/*
 * Forget everything unfinished, after @lost events were lost, after damage, or because another
 * stream begins.
 */
void sum_machines_forget(struct sum_machines *m, uint64_t lost);
/* At the end of the input, count the current state of each machine up to @ts. */
void sum_machines_end(struct sum_machines *m, uint64_t ts);

/*
 * traceinfo/sum_machine_print.c: print the tables, or with --json members of the open JSON object.
 */
void sum_machines_print(struct out *o, const struct ti_printer *p, const struct sum_machines *m);

#endif
