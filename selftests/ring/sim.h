/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - a CPU that writes a ring, CPUs that read it, and the expected contents
 *
 * The simulation runs in one thread. Before each access of the ring, ring_port_step() may
 * interrupt a writer with another one, let a reader read an incomplete state, or let writers
 * overtake a reader. All choices follow from a seed, so that each run can be repeated.
 *
 * The expected contents are a list of records, to which each reservation is appended. All
 * actions of the ring are compared with it at once; the first difference prints the seed and
 * ends the process.
 */
#ifndef SIM_H
#define SIM_H

#include "ring_memory.h"
#include "ring_read.h"

#define SIM_READERS	3
/* Chances are fractions of this. */
#define SIM_ONE		65536

struct sim_config {
	unsigned long	size;		/* of the ring, bytes */
	u32		pos, idx;	/* initial position and index */
	u64		clock;		/* initial time */
	unsigned int	nest;		/* chance of an interrupt at a step */
	unsigned int	depth;		/* nesting depth */
	unsigned int	burst;		/* most events per interrupt */
	unsigned int	overtake;	/* chance that a reader is overtaken at a step */
	unsigned int	peek;		/* chance that a reader sees an unfinished writer */
	unsigned int	len;		/* longest payload */
	unsigned int	clear;		/* chance of a clear */
};

struct sim_totals {
	u64	events, drops, nested, reads, lost, finds, overtakes, peeks;
};

extern u64 sim_seed;
extern struct sim_totals sim_totals;

/* True in the weak variant of the port: readers may see old values. */
extern const bool sim_weak;

u32 sim_random(u32 n);			/* 0 .. n - 1 */
bool sim_chance(unsigned int of_one);
void sim_random_config(struct sim_config *c, unsigned long size_max);
void sim_run(const struct sim_config *c, unsigned int ops);
bool sim_interrupt(const struct sim_config *c, unsigned int before, unsigned int step,
		   unsigned int burst);
void sim_progress(void);		/* must be called, or the run counts as hung */
void sim_print_totals(void);
void sim_seed_from_env(void);

__attribute__((__noreturn__, __format__(__printf__, 3, 4)))
void sim_fail(const char *file, int line, const char *fmt, ...);

#define sim_check(cond, ...) do {					\
	if (unlikely(!(cond)))						\
		sim_fail(__FILE__, __LINE__, #cond ": " __VA_ARGS__);	\
} while (0)

/* Hooks of weak.c; without effect in the plain variant. */
void weak_begin(struct ring *r);
void weak_end(void);
void weak_free(void);
void weak_drain(void);
void weak_reader(int reader);		/* -1: the writer */

#endif /* SIM_H */
