/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * track.h - the rows of a picture of a stream, and the bars in them
 *
 * The HTML page of devtrace-convert and traceinfo --timeline have the same rows: for each CPU, the
 * interrupts of a CPU, each thread, each pair of --slice, and each state machine of QP or RKH.
 */
#ifndef TRACEINFO_TRACK_H
#define TRACEINFO_TRACK_H

#include "pick.h"

/* Kinds of tracks, in the order in which they are shown */
enum ti_track_kind {
	TI_TRACK_CPU, TI_TRACK_IRQ, TI_TRACK_SOFTIRQ, TI_TRACK_THREAD, TI_TRACK_SLICE,
	TI_TRACK_OBJECT,
};

#define TI_TRACK_NAME	(DEVTRACE_NAME_MAX + 2 * FMT_NAME_MAX)

struct ti_track {
	enum ti_track_kind kind;
	uint64_t	id;		/* unique among the tracks of this kind on a machine */
	char		name[TI_TRACK_NAME];	/* empty: see ti_track_name() */
};

/* Find the track of an event: its thread, or the CPU on which a handler or the idle thread ran. */
void ti_track_of(struct ti_track *t, const struct ti_event *e);
/* Return the name of the track. */
const char *ti_track_name(struct ti_track *t, const struct devtrace_decoder *d);

/* A bar begins on the track, and the bar before ends. @label NULL: the bar before only ends. */
typedef void ti_track_fn(void *ctx, struct ti_track *t, const char *label);

/* Call @fn for each bar that begins or ends with the event, whose name is @name. */
void ti_track_bars(const struct ti_event *e, const char *name, const struct ti_picks *slices,
		   ti_track_fn *fn, void *ctx);

#endif
