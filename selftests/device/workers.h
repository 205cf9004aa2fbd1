/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workers.h - programs that emit a given number of events with the library
 *
 * Each is this test program, executed anew, as the library reads DEVTRACE_LANE only at its
 * start. With DEVICE_WORKER=alone the test is a program with one thread that emits an event per
 * millisecond until it is killed; for scripts.
 */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/devtrace.h>

#define PROGRAMS	4
#define THREADS		3
#define TYPE		DEVTRACE_T_USER		/* of the first program; + 1 per program */

/* A thread emits until @done reaches @want. */
struct worker {
	_Atomic uint32_t want, done;
	_Atomic int32_t tid;
	uint32_t	lane;		/* for devtrace_lane(), if not 0 */
};

struct shared {
	atomic_bool	stop;
	struct worker	w[PROGRAMS][THREADS];
};

extern struct shared *sh;

int workers_begin(void);			/* resets the state; 0 or -1 */
void workers_end(const pid_t pids[PROGRAMS]);	/* kill the remaining ones */
pid_t start(unsigned int p, bool lanes);	/* without @lanes, it emits by system call */
void go_on(unsigned int p, uint32_t more);	/* each thread is to emit @more events */
bool finished(unsigned int p, pid_t pid);	/* wait for them; false if the program died */
uint64_t done_by(unsigned int p);		/* sum over its threads */

#endif /* WORKERS_H */
