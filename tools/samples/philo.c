// SPDX-License-Identifier: GPL-2.0-only
/*
 * philo.c - five dining philosophers: each thinks, asks the table for forks, eats, and returns
 * them
 *
 *	philo-qp [TICKS]	philo-rkh [TICKS]
 *
 * A tick is a millisecond. A hungry philosopher waits until the table grants both forks.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "philo.h"

struct event pool[POOL];
static unsigned int nfree = POOL, least = POOL;

struct machine table = { .name = "table", .prio = PHILOS, .state = serving };
struct machine philos[PHILOS] = {
	{ .name = "philo0", .prio = 0, .state = thinking },
	{ .name = "philo1", .prio = 1, .state = thinking },
	{ .name = "philo2", .prio = 2, .state = thinking },
	{ .name = "philo3", .prio = 3, .state = thinking },
	{ .name = "philo4", .prio = 4, .state = thinking },
};

static const struct event timeout = { .e = TIMEOUT };
static bool fork_used[PHILOS], wants[PHILOS];
static bool handled;
static state_fn target;

static const struct event *new_event(unsigned int sig, unsigned int philo)
{
	unsigned int i;

	for (i = 0; i < POOL; i++) {
		if (pool[i].nref)
			continue;
		pool[i] = (struct event){ .e = (uint16_t)sig, .pool = 1, .nref = 1,
					  .philo = (uint8_t)philo };
		if (--nfree < least)
			least = nfree;
		trace_pool(1, nfree, least);
		return &pool[i];
	}
	fputs("philo: the pool is empty\n", stderr);
	exit(1);
}

static void post(struct machine *from, struct machine *to, const struct event *e)
{
	if (to->used == QUEUE) {
		fputs("philo: a queue is full\n", stderr);
		exit(1);
	}
	to->queue[(to->head + to->used++) % QUEUE] = e;
	if (to->used > to->most)
		to->most = to->used;
	trace_post(from, to, e);
}

static void arm(struct machine *m, unsigned int ticks)
{
	m->timer = ticks;
	trace_arm(m, ticks);
}

static void go_to(state_fn state)
{
	target = state;
	handled = true;
}

static unsigned int number(const struct machine *m)
{
	return (unsigned int)(m - philos);
}

void thinking(struct machine *me, const struct event *e)
{
	if (e->e != TIMEOUT)
		return;
	post(me, &table, new_event(HUNGRY, number(me)));
	go_to(hungry);
}

void hungry(struct machine *me, const struct event *e)
{
	if (e->e != EAT)
		return;
	arm(me, 2 + number(me));
	go_to(eating);
}

void eating(struct machine *me, const struct event *e)
{
	if (e->e != TIMEOUT)
		return;
	post(me, &table, new_event(DONE, number(me)));
	arm(me, 3 + 2 * number(me));
	go_to(thinking);
}

static void serve(struct machine *me, unsigned int n)
{
	const unsigned int right = (n + 1) % PHILOS;

	if (!wants[n] || fork_used[n] || fork_used[right])
		return;
	fork_used[n] = fork_used[right] = true;
	wants[n] = false;
	post(me, &philos[n], new_event(EAT, n));
}

void serving(struct machine *me, const struct event *e)
{
	unsigned int n = e->philo;

	handled = true;
	if (e->e == HUNGRY) {
		wants[n] = true;
		serve(me, n);
	} else if (e->e == DONE) {
		fork_used[n] = fork_used[(n + 1) % PHILOS] = false;
		serve(me, (n + 1) % PHILOS);
		serve(me, (n + PHILOS - 1) % PHILOS);
	} else {
		handled = false;
	}
}

/* Take one event from the queue of @m, and process it completely. */
static void step(struct machine *m)
{
	const struct event *e = m->queue[m->head];
	const state_fn from = m->state;

	m->head = (m->head + 1) % QUEUE;
	m->used--;
	trace_get(m, e);
	trace_dispatch(m, e);
	target = NULL;
	handled = false;
	m->state(m, e);
	if (target) {
		m->state = target;
		trace_state(m, e, from);
	} else if (handled) {
		trace_stays(m, e);
	} else {
		trace_ignored(m, e);
	}
	if (e->pool) {
		pool[e - pool].nref = 0;
		trace_pool(0, ++nfree, least);
	}
}

static bool ready(void)
{
	unsigned int n;

	if (table.used) {
		step(&table);
		return true;
	}
	for (n = 0; n < PHILOS; n++) {
		if (philos[n].used) {
			step(&philos[n]);
			return true;
		}
	}
	return false;
}

static void tick(void)
{
	static const struct timespec ms = { 0, 1000000 };
	unsigned int n;

	nanosleep(&ms, NULL);
	for (n = 0; n < PHILOS; n++) {
		if (!philos[n].timer || --philos[n].timer)
			continue;
		trace_timeout(&philos[n], &timeout);
		post(NULL, &philos[n], &timeout);
	}
}

int main(int argc, char **argv)
{
	unsigned int n;
	long ticks = argc > 1 ? atol(argv[1]) : 100;

	if (argc > 2 || ticks < 1) {
		fprintf(stderr, "usage: %s [TICKS]\n", argv[0]);
		return 2;
	}
	trace_start();
	trace_init(&table);
	for (n = 0; n < PHILOS; n++) {
		trace_init(&philos[n]);
		arm(&philos[n], 1 + n);
	}
	while (ticks--) {
		tick();
		while (ready())
			;
	}
	return 0;
}
