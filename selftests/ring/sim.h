/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - one CPU that writes a ring, the CPUs that read it, and the truth
 *
 * The simulation runs in one thread. Before each access that the ring makes,
 * ring_port_step() may interrupt a writer with another, let a reader look at
 * what is half done, or let writers overtake a reader. What happens is drawn
 * from a seed, so every run can be had again.
 *
 * The truth is a plain list of records, appended to when the ring takes a
 * reservation. Whatever the ring does is compared with it at once; the first
 * difference prints the seed and ends the process.
 */
#ifndef SIM_H
#define SIM_H

#include "ring_memory.h"
#include "ring_read.h"

#define SIM_READERS	3
/* Chances are out of this many. */
#define SIM_ONE		65536

struct sim_config {
	unsigned long	size;		/* of the ring, bytes */
	u32		pos, idx;	/* where it starts */
	u64		clock;		/* when */
	unsigned int	nest;		/* chance of an interrupt at a step */
	unsigned int	depth;		/* how deep they nest */
	unsigned int	burst;		/* how many events one brings, at most */
	unsigned int	overtake;	/* chance that a reader is overtaken at a step */
	unsigned int	peek;		/* chance of a look at a half-done writer */
	unsigned int	len;		/* longest payload */
	unsigned int	clear;		/* chance of a clear */
};

struct sim_totals {
	u64	events, drops, nested, reads, lost, finds, overtakes, peeks;
};

extern u64 sim_seed;
extern struct sim_totals sim_totals;

/* The weak flavour of the port is in use: readers may see the past. */
extern const bool sim_weak;

u32 sim_random(u32 n);			/* 0 .. n - 1 */
bool sim_chance(unsigned int of_one);
void sim_random_config(struct sim_config *c, unsigned long size_max);
void sim_run(const struct sim_config *c, unsigned int ops);
bool sim_interrupt(const struct sim_config *c, unsigned int before, unsigned int step,
		   unsigned int burst);
void sim_progress(void);		/* or else it is taken to hang */
void sim_print_totals(void);
void sim_seed_from_env(void);

__attribute__((__noreturn__, __format__(__printf__, 3, 4)))
void sim_fail(const char *file, int line, const char *fmt, ...);

#define sim_check(cond, ...) do {					\
	if (unlikely(!(cond)))						\
		sim_fail(__FILE__, __LINE__, #cond ": " __VA_ARGS__);	\
} while (0)

/* Hooks of weak.c; in the plain flavour they do nothing. */
void weak_begin(struct ring *r);
void weak_end(void);
void weak_free(void);
void weak_drain(void);
void weak_reader(int reader);		/* -1: the writer */

#endif /* SIM_H */
