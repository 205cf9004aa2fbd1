/* SPDX-License-Identifier: GPL-2.0-only */
/* Check a region: see check.c */
#ifndef DEVTRACE_PERSIST_CHECK_H
#define DEVTRACE_PERSIST_CHECK_H

#include "layout.h"
#include "ring/ring.h"

/**
 * struct persist_stops - events that a ring or slot missed because of stops
 * @since: time of the last clear, ns, or 0
 * @before: number of events missed before @since
 * @counts: number of events missed at each change of state; NULL: not known
 */
struct persist_stops {
	u64	since;
	u64	before;
	const struct persist_missed *counts;
};

/* Valid records between two places. */
struct persist_run {
	u64	pos, idx;
	u64	to_pos, to_idx;
	u64	ts, to_ts;	/* times of the first and the last record, 56 bits */
	bool	checked;	/* true: checksum is right; false: no sum, but well-formed */
};

/**
 * struct persist_ring - what is left of a ring
 * @cpu: CPU of the ring
 * @data: units of the ring
 * @mask: number of units - 1
 * @cleared: index of the oldest event that was not cleared
 * @drops: number of events dropped since the last clear, by cause
 * @stops: events missed because of stops
 * @end: index after the last event, as far as known
 * @end_known: @end is the place of the writer
 * @run: runs of valid records, in order, without overlap
 * @nr: number of runs
 */
struct persist_ring {
	u32		cpu;
	const u64	*data;
	u32		mask;
	u64		cleared;
	u64		drops[6];
	struct persist_stops stops;
	u64		end;
	bool		end_known;
	struct persist_run *run;
	u32		nr;
};

/*
 * Fill in @h and return NULL; or return the reason why nothing can be read, as a text for the log.
 */
const char *persist_find(const void *mem, u64 size, struct persist_header *h,
			 unsigned int *copies);

int persist_check_ring(const void *mem, const struct persist_header *h, u32 n,
		       struct persist_ring *r);
void persist_ring_put(struct persist_ring *r);
void persist_check_cause(const void *mem, u64 last, struct persist_cause *cause);

/* Can a record have this type? Types of events and RING_TYPE_VOID are possible. */
static inline bool persist_type_ok(u8 type)
{
	return !devtrace_type_is_transport(type) || type == RING_TYPE_VOID;
}

/*
 * Return the record at @pos; NULL: there is padding, or an invalid record. Set @units to the size
 * of the record or padding; 0: it is invalid.
 */
static inline const struct ring_record *persist_record(const struct persist_ring *r, u64 pos,
						       u32 *units)
{
	const struct ring_record *rec = (const void *)&r->data[pos & r->mask];
	const u32 left = r->mask + 1 - (u32)(pos & r->mask);
	u64 word = rec->word;

	*units = 0;
	if (!(word >> RING_TYPE_SHIFT)) {
		/* Padding ends at the end of the ring, and is shorter than the longest record. */
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
