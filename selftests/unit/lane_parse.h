/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_parse.h - read a lane of fakedev.h, by the description of its layout alone
 *
 * It is read as it would be when its thread was killed this moment: the last blocks that
 * were handed over, and then what is in the lane. Nothing in here
 * allocates memory, so that it may run in a signal handler between any two instructions
 * of the writer.
 */
#ifndef LANE_PARSE_H
#define LANE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <devtrace/emit.h>
#include "fakedev.h"

/**
 * struct lane_record - an event in a lane
 * @index: events that were written before it
 * @time: trace clock
 * @bytes: that it takes in its block, with what says that the CPU is another
 * @cpu: where it was emitted
 */
struct lane_record {
	uint64_t	index;
	uint64_t	time;
	unsigned int	bytes;
	unsigned int	len;
	uint8_t		type;
	uint8_t		flags;
	uint8_t		severity;
	uint16_t	cpu;
	const uint8_t	*data;
};

/*
 * Call each() with every event that is there, the oldest first, until it returns false.
 * NULL, or what makes no sense. *total: events that were ever written. What was
 * overwritten before it was handed over makes no sense if the lane's thread may call.
 */
const char *lane_parse(const struct fake_lane *lane, uint64_t *total,
		       bool (*each)(const struct lane_record *r, void *arg), void *arg);

/*
 * The events that a test has emitted, and is to find again. The number of an event is
 * also what it looks like: see lane_event(), which makes it.
 */
size_t lane_event(uint64_t seed, uint64_t n, struct devtrace_emit *event);

/*
 * How it is emitted, the same for the same number: some that end in a string by the call
 * that puts strings. Then the string is elsewhere, and is not in the event.
 */
struct lane_call {
	size_t		size;
	const char	*s;
	size_t		len;
};

void lane_prepare(uint64_t seed, uint64_t n, struct devtrace_emit *event, struct lane_call *c);

static inline int lane_emit(struct devtrace_emit *event, const struct lane_call *c)
{
	return c->s ? devtrace_emit_str_((uint8_t *)event, c->size, c->s, c->len) :
		      devtrace_emit_event(event, c->size);
}

/*
 * What is wrong with a lane that is to have the events 0 to total - 1 of this seed, as far
 * as they are kept; NULL if nothing is. *total is set.
 */
const char *lane_verify(const struct fake_lane *lane, uint64_t seed, uint64_t *total);

#endif
