/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * storm.h - what root does in test_storm
 */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>

#include "dev.h"
#include "nl.h"

#define SIDE		"storm"		/* a stream that comes and goes */
#define SIDE_PATH	DEV_PATH "-" SIDE

/* What was done. */
enum deed {
	LANE, GARBAGE, CLOSED, FORKED, EXECED, EMITTED, RENAMED, NAMED,
	READ, NOWAIT, POLLED, EPOLLED, SOUGHT, URING_READ, URING_POLL,
	KILLED, RESIZED, STATE, FILTERED, SIDE_CAME, SIDE_WENT, CLEARED, STEPPED, SOURCE, DUMPED,
	TRIGGER_CAME, TRIGGER_SET, TRIGGER_WENT, CPU_WENT, CPU_CAME, PROFILE,
	DEEDS
};

extern const char *const deeds[DEEDS];

/* The test's */
void did(enum deed d);
bool may_switch(void);		/* a CPU, now; if so, switched() is to follow */
void switched(void);

static inline bool chance(unsigned int of)
{
	return !(dev_random() % of);
}

/* What root keeps; one of it. */
struct root {
	struct nl	nl;
	int64_t		real;		/* the clock, less the one that is never set */
	char		source[64];	/* the clocksource, or "" */
	char		sources[256], *name[16];	/* all there are */
	int		nsources;
	int		cpu;		/* that goes and comes, or -1 */
	bool		away, side, trigger, profile;
};

extern struct root root;

int root_begin(bool profile);		/* 0, or -1 and errno */
bool root_can(enum deed d);		/* whether this machine has what it takes */
int administrate(void);			/* something at random; 0, or a negative error number */
int root_clear(void);
void root_restore(void);		/* the machine */
int root_end(void);			/* and the module: it runs, without a filter */

#endif /* STORM_H */
