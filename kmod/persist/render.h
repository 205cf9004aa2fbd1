/* SPDX-License-Identifier: GPL-2.0-only */
/* Convert a region to frames, in the format of read(2): see render.c */
#ifndef DEVTRACE_PERSIST_RENDER_H
#define DEVTRACE_PERSIST_RENDER_H

#include "check.h"

/**
 * struct persist_account - what was found in a region
 * @given: number of events converted into frames
 * @left_out: number of events left out for lack of memory
 * @unchecked: part of @given that no checksum covered yet
 * @lost: number of missing events, as far as known
 * @damaged: part of @lost that is missing because of damage
 * @open_ends: number of rings and lanes with an unknown number of lost events
 * @outside: number of lanes that had memory outside the region
 * @bad_lanes: number of lanes with an invalid entry or invalid content
 * @last: newest time of all events, clocks and @cause
 * @cause: why the machine went down
 */
struct persist_account {
	u64	given;
	u64	left_out;
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
 * struct persist_out - buffer for the frames
 * @buf: the frames
 * @n: bytes of frames
 * @room: size of @buf, bytes
 * @grow: make room for @more bytes after the first @n; return false if there is no memory
 * @part: convert only the newest 1/2^@part of each ring and each lane
 */
struct persist_out {
	u8	*buf;
	u64	n, room;
	bool	(*grow)(struct persist_out *o, u64 more);
	u32	part;
};

int persist_render(const void *mem, const struct persist_header *h, const char *name,
		   struct persist_out *o, struct persist_account *a);

#endif /* DEVTRACE_PERSIST_RENDER_H */
