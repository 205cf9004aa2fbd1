/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - what the tests of triggers have in common
 */
#ifndef TRIGGER_H
#define TRIGGER_H

#include <linux/devtrace_netlink.h>
#include "dev.h"

/* Of the events that dtfire.ko emits for us; value is the tag of the tape. */
#define FIRE_TYPE	210

/* Emit one event: context, type, severity byte, first element, text. */
int fire(const char *context, unsigned int type, unsigned int severity, uint32_t value,
	 const char *text);

/* A STATE frame, and how many events came before it. */
struct record_state {
	uint8_t state;
	uint64_t ts, fired;
	char trigger[DEVTRACE_NAME_LEN];
	size_t after;
};

/* What is in a stream now. */
struct record {
	struct tape *t;
	struct record_state *state;
	size_t nstates;
};

struct record *record(const char *stream);
/*
 * The same, of a stream that stops: until it says so and nothing more comes. While
 * somebody emits, a reader may have to wait for that, and is told EAGAIN.
 */
struct record *record_stopped(const char *stream);
void record_free(struct record *r);

#endif /* TRIGGER_H */
