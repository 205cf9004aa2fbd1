/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lane_parse.h - read a lane of fakedev.h from the description of its layout alone
 *
 * It reads the lane as if its thread were killed now: the last blocks handed over, then the
 * contents of the lane. Nothing here allocates memory, so it may run in a signal handler between
 * any two instructions of the writer.
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
 * @index: number of events written before it
 * @time: trace clock, ns
 * @bytes: size in its block, including words that change the CPU
 * @cpu: CPU on which it was emitted
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
 * Call @each with each event, oldest first, until it returns false. Returns NULL or an error
 * text. *@total: events ever written. Blocks overwritten before they were handed over are an
 * error if the lane's thread may make calls.
 */
const char *lane_parse(const struct fake_lane *lane, uint64_t *total,
		       bool (*each)(const struct lane_record *r, void *arg), void *arg);

/*
 * Make event number @n of a test; its contents follow from the number. Returns its size.
 */
size_t lane_event(uint64_t seed, uint64_t n, struct devtrace_emit *event);

/*
 * How event @n is emitted, which also follows from its number: some events that end in a string
 * are emitted by the call for strings. Such a string is stored here, not in the event.
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
 * Check that the lane has the events 0 to *@total - 1 of this seed, as far as they are kept.
 * Returns NULL or an error text; sets *@total.
 */
const char *lane_verify(const struct fake_lane *lane, uint64_t seed, uint64_t *total);

#endif
