/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sum_machine.h - what --summary makes of events of QP and RKH
 *
 * Of each state machine how often it was given a signal, how long each of its states held
 * it, how long its signals waited from post to dispatch, and the longest step from a
 * dispatch to its end; of queues and pools the least that was free; of timers how often they
 * ran out.
 *
 * Invariants
 * - A time that a loss lies in is not counted: at a loss all that goes on is forgotten.
 *   Counts may be too small by what was lost.
 * - Memory is bounded, whatever the stream says: machines, states, stores and signals that
 *   wait have a limit, and what finds no place is counted.
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
	int		state;		/* -1: not known */
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
	uint64_t	puts, gets;	/* a timer: armed, disarmed */
	uint64_t	timeouts;
	int64_t		least, room, most_used;	/* FW_NO: not known */
};

struct sum_machines {
	struct sum_machine *machines[SUM_MACHINES];
	unsigned int	nr_machines;
	struct sum_store stores[SUM_STORES];
	unsigned int	nr_stores;
	uint64_t	left_out;
	uint64_t	lost;		/* told in this stream, wherever */
};

struct sum_machines *sum_machines_new(void);
void sum_machines_free(struct sum_machines *m);
void sum_machines_event(struct sum_machines *m, const struct ti_event *e);
/* Something was lost or damaged, or another stream begins: what goes on is not known. */
void sum_machines_forget(struct sum_machines *m, uint64_t lost);
/* That was all: states that go on are counted up to here. */
void sum_machines_end(struct sum_machines *m, uint64_t ts);

/* traceinfo/sum_machine_print.c: tables, or members of the JSON object that is open. */
void sum_machines_print(struct out *o, const struct sum_machines *m, unsigned int tables,
			bool json);

#endif
