/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * philo.h - dining philosophers as active objects, traced in the way of QP or RKH
 *
 * Five philosophers and a table are state machines with queues, timers and events from pools, all
 * in one thread. philo.c contains the program and a minimal framework. philo_qp.c and philo_rkh.c
 * emit its events with the macros of QP and of RKH.
 */
#ifndef PHILO_H
#define PHILO_H

#include <stdint.h>

#define PHILOS	5
#define QUEUE	8
#define POOL	12

/*
 * An event. QP and RKH require these names of members: e is the signal; pool and nref are the
 * framework's.
 */
struct event {
	uint16_t	e;
	uint8_t		pool, nref;
	uint8_t		philo;
};

enum { HUNGRY = 1, EAT, DONE, TIMEOUT, SIGNALS };

struct machine {
	const char	*name;
	uint8_t		prio;
	void		(*state)(struct machine *me, const struct event *e);
	const struct event *queue[QUEUE];
	unsigned int	head, used, most;
	unsigned int	timer;		/* ticks until it expires; 0: not armed */
	/* timer_object: only its address is used, which identifies the timer in the trace */
	char		timer_object;
};

typedef void (*state_fn)(struct machine *me, const struct event *e);

extern struct machine table, philos[PHILOS];
extern struct event pool[POOL];

void thinking(struct machine *me, const struct event *e);
void hungry(struct machine *me, const struct event *e);
void eating(struct machine *me, const struct event *e);
void serving(struct machine *me, const struct event *e);

/* Emit an event for each of these, in the way of QP or RKH. */
void trace_start(void);
void trace_init(struct machine *m);
void trace_post(struct machine *from, struct machine *to, const struct event *e);
void trace_get(struct machine *m, const struct event *e);
void trace_dispatch(struct machine *m, const struct event *e);
void trace_state(struct machine *m, const struct event *e, state_fn from);
void trace_stays(struct machine *m, const struct event *e);
void trace_ignored(struct machine *m, const struct event *e);
void trace_pool(int got, unsigned int nfree, unsigned int least);
void trace_arm(struct machine *m, unsigned int ticks);
void trace_timeout(struct machine *m, const struct event *e);

#endif
