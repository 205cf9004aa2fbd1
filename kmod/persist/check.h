/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checking a region: see check.c
 */
#ifndef DEVTRACE_PERSIST_CHECK_H
#define DEVTRACE_PERSIST_CHECK_H

#include "layout.h"
#include "ring/ring.h"

/* Records from one place to another, all of them whole. */
struct persist_run {
	u64	pos, idx;
	u64	to_pos, to_idx;
	u64	ts, to_ts;	/* of the first and the last one, in 56 bits */
	bool	checked;	/* they have their sum; otherwise they have the form of records */
};

/**
 * struct persist_ring - what is left of a ring
 * @cpu: whose
 * @data: its units
 * @mask: how many, less 1
 * @cleared: index of the event with which counting begins
 * @drops: events that were not stored, by cause
 * @end: index behind the last event, as far as is known
 * @end_known: that is where the writer was
 * @run: in order, none overlaps another
 * @nr: how many
 */
struct persist_ring {
	u32		cpu;
	const u64	*data;
	u32		mask;
	u64		cleared;
	u64		drops[6];
	u64		end;
	bool		end_known;
	struct persist_run *run;
	u32		nr;
};

/* NULL: @h is what it is; otherwise why nothing can be read, for people. */
const char *persist_find(const void *mem, u64 size, struct persist_header *h,
			 unsigned int *copies);

int persist_check_ring(const void *mem, const struct persist_header *h, u32 n,
		       struct persist_ring *r);
void persist_ring_put(struct persist_ring *r);
void persist_check_cause(const void *mem, struct persist_cause *cause);

/* Of an event, or taken back: nobody can emit frames of the transport. */
static inline bool persist_type_ok(u8 type)
{
	return !devtrace_type_is_transport(type) || type == DEVTRACE_T_EMPTY ||
	       type == RING_TYPE_VOID;
}

/* The record at a place of a run; NULL: padding, or no record. @units: how much it takes. */
static inline const struct ring_record *persist_record(const struct persist_ring *r, u64 pos,
						       u32 *units)
{
	const struct ring_record *rec = (const void *)&r->data[pos & r->mask];
	const u32 left = r->mask + 1 - (u32)(pos & r->mask);
	u64 word = rec->word;

	*units = 0;
	if (!(word >> RING_TYPE_SHIFT)) {
		/* To the end of the ring, and shorter than a record. */
		if (word == left && left < RING_UNITS_MAX)
			*units = left;
		return NULL;
	}
	if (left < 2 || !persist_type_ok(word >> RING_TYPE_SHIFT) || rec->len > RING_PAYLOAD_MAX ||
	    ring_units(rec->len) > left)
		return NULL;
	*units = ring_units(rec->len);
	return rec;
}

#endif /* DEVTRACE_PERSIST_CHECK_H */
