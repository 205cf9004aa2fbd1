/* SPDX-License-Identifier: GPL-2.0-only */
/* storm.h - administrator actions of test_storm.c */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>

#include "dev.h"
#include "nl.h"

#define SIDE		"storm"		/* a stream that is made and removed */
#define SIDE_PATH	DEV_PATH "-" SIDE

/* Counted actions. */
enum deed {
	LANE, GARBAGE, CLOSED, FORKED, EXECED, EMITTED, RENAMED, NAMED,
	READ, NOWAIT, POLLED, EPOLLED, SOUGHT, URING_READ, URING_POLL,
	KILLED, RESIZED, STATE, FILTERED, SIDE_CAME, SIDE_WENT, CLEARED, STEPPED, SOURCE, DUMPED,
	TRIGGER_CAME, TRIGGER_SET, TRIGGER_WENT, CPU_WENT, CPU_CAME, PROFILE,
	DEEDS
};

extern const char *const deeds[DEEDS];

/* In the test: */
void did(enum deed d);
bool may_switch(void);		/* a CPU, now; then call switched() */
void switched(void);

static inline bool chance(unsigned int of)
{
	return !(dev_random() % of);
}

/* State of the administrator; a single instance. */
struct root {
	struct nl	nl;
	int64_t		real;		/* wall clock minus the clock that cannot be set, ns */
	char		source[64];	/* the original clocksource, or "" */
	char		sources[256], *name[16];	/* all available ones */
	int		nsources;
	int		cpu;		/* CPU to switch off and on, or -1 */
	bool		away, side, trigger, profile;
};

extern struct root root;

int root_begin(bool profile);		/* 0, or -1 and errno */
bool root_can(enum deed d);		/* this machine supports it */
int administrate(void);			/* a random action; 0 or a negative error number */
int root_clear(void);
void root_restore(void);		/* restore the machine */
int root_end(void);			/* also restore the module: running, without a filter */

#endif /* STORM_H */
