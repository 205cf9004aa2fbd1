/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A region in the words of read(2): see render.c
 */
#ifndef DEVTRACE_PERSIST_RENDER_H
#define DEVTRACE_PERSIST_RENDER_H

#include "check.h"

/**
 * struct persist_account - what was found
 * @given: events
 * @unchecked: of these, had no sum yet
 * @lost: the others, as far as their number is known
 * @damaged: of these, by damage
 * @open_ends: rings and lanes of which it is not known where the writer was
 * @outside: lanes that had other memory when they were looked at last
 * @bad_lanes: lanes that make no sense
 * @last: time of the newest event, or clock
 * @cause: why the machine went down
 */
struct persist_account {
	u64	given;
	u64	unchecked;
	u64	lost;
	u64	damaged;
	u32	open_ends;
	u32	outside;
	u32	bad_lanes;
	u64	last;
	struct persist_cause cause;
};

/**
 * struct persist_out - where the frames go
 * @buf: they
 * @n: bytes that it has
 * @room: how many it may have
 * @grow: makes room for as many more; false: there is none
 */
struct persist_out {
	u8	*buf;
	u64	n, room;
	bool	(*grow)(struct persist_out *o, u64 more);
};

int persist_render(const void *mem, const struct persist_header *h, const char *name,
		   struct persist_out *o, struct persist_account *a);

#endif /* DEVTRACE_PERSIST_RENDER_H */
