/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workers.h - programs that emit by the library as many events as they are told to
 *
 * Each is this test itself, executed anew: the library looks at DEVTRACE_LANE at its
 * start alone. With DEVICE_WORKER=alone in the environment the test is a program of one
 * thread that emits an event a millisecond, until it is killed; for scripts.
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
#define TYPE		DEVTRACE_T_USER		/* of the first program; one more of the next */

/* A thread emits until it has done what is wanted. */
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

int workers_begin(void);			/* there is none; 0 or -1 */
void workers_end(const pid_t pids[PROGRAMS]);	/* kill those that are left */
pid_t start(unsigned int p, bool lanes);	/* without, it emits by system calls */
void go_on(unsigned int p, uint32_t more);	/* each of its threads is to emit so many more */
bool finished(unsigned int p, pid_t pid);	/* wait until they have; false: it died */
uint64_t done_by(unsigned int p);		/* all its threads together */

#endif /* WORKERS_H */
