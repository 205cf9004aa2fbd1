/* SPDX-License-Identifier: GPL-2.0-only */
/* trigger.h - common code for the tests of triggers */
#ifndef TRIGGER_H
#define TRIGGER_H

#include <linux/devtrace_netlink.h>
#include "dev.h"

/* Type of the events that dtfire.ko emits for us; their value is the tag of the tape. */
#define FIRE_TYPE	210

/* Emit one event: context, type, severity byte, first element, text. */
int fire(const char *context, unsigned int type, unsigned int severity, uint32_t value,
	 const char *text);

/* A STATE frame, and the number of events before it. */
struct record_state {
	uint8_t state;
	uint64_t ts, fired;
	char trigger[DEVTRACE_NAME_LEN];
	size_t after;
};

/* The contents of a stream. */
struct record {
	struct tape *t;
	struct record_state *state;
	size_t nstates;
};

struct record *record(const char *stream);
/*
 * The same for a stream that stops: read until its STATE frame, and until nothing more comes.
 * While others emit, the reader may get EAGAIN and has to wait.
 */
struct record *record_stopped(const char *stream);
void record_free(struct record *r);

#endif /* TRIGGER_H */
