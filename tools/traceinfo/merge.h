/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merge.h - the state of merging several boards
 *
 * merge.c reads the boards and prints their events; merge_head.c prints the lines about a board.
 */
#ifndef TRACEINFO_MERGE_H
#define TRACEINFO_MERGE_H

#include "board.h"
#include "common/dial.h"
#include "common/link.h"

struct ti_align;

/* A printed event with a known error, if there is one. */
struct ti_printed {
	bool		valid;
	int64_t		key;
	uint64_t	error;
};

struct ti_source {
	struct ti_merge	*merge;
	struct ti_board	*board;
	size_t		next;		/* index of its next file */
	const char	*path;
	struct ti_input	in;
	struct link	link;
	/* dial: link whose connection is being opened; NULL: no link, or it is open */
	struct dial	*dial;
	/*
	 * @linked: the input is a link. @live: it is a device; without -f, its end is where a read
	 * would wait.
	 */
	bool		linked, live;
	int		fd;		/* -1: not open */
	struct stat	st;
	struct ti_pids	*pids;		/* translates the IDs of a live device */
	char		*buf;
	size_t		at, len;
	int64_t		arrived;	/* time when this block arrived */
	bool		announced, held, finishing, stopped, done;
	struct devtrace_item item;	/* valid if held */
	uint8_t		data[DEVTRACE_PAYLOAD_MAX];
	/*
	 * key: wall-clock time, in ns, of the held event, or else of the last event; with --align,
	 * its time on the first board's trace clock
	 */
	int64_t		key;
	/* clock: text of the note that says how accurate the board's wall clock is */
	char		clock[TI_BOARD_NAME];
	enum devtrace_sync sync;	/* as printed last */
	/* error: of @key, if it is known */
	bool		has_error;
	uint64_t	error;
	/*
	 * Printed events with a known error: the last one, and the one with the largest sum of key
	 * and error. If the error is no longer known, they may still be near to events of others.
	 */
	struct ti_printed printed, farthest;
	bool		clocked;
	struct devtrace_clock before;	/* its last CLOCK frame */
	/* ahead: @first is the first CLOCK frame, which the decoder has not reached yet */
	bool		ahead;
	struct devtrace_clock first;
	struct devtrace_totals totals;
	uint64_t	late;		/* late events */
	uint64_t	late_by;	/* largest delay, ns */
};

struct ti_merge {
	struct ti_run	*run;
	struct ti_align	*align;		/* NULL: no --align */
	struct ti_source	*v;
	size_t		n;
	int64_t		key;		/* of the newest printed event */
	int		ret;
};

/* The number of the board, from 0. */
static inline size_t ti_merge_nr(const struct ti_source *s)
{
	return (size_t)(s - s->merge->v);
}

/* Switch the output to this board. */
struct out *ti_merge_turn(struct ti_source *s);

/* Print the name of the board and of its input, and how exact its wall clock is. */
void ti_merge_announce_now(struct ti_source *s, const struct devtrace_item *item);
/*
 * Announce the board once its input is known to be a stream, and before the first other line. A
 * statement about the wall clock precedes the first event.
 */
void ti_merge_announce(struct ti_source *s, const struct devtrace_item *item);
/* If the wall clock was set since the previous CLOCK frame, report it. */
void ti_merge_clock(struct ti_source *s, const struct devtrace_clock *c);
/*
 * Compute the error at the time of an event. If the error of the wall clock became known, or is no
 * longer known, report it.
 */
void ti_merge_sync(struct ti_source *s, uint64_t ts);
/* Print how much of this input was lost, damaged or late. In text, print it if anything was. */
void ti_merge_end_json(struct out *o, const struct ti_source *s);
void ti_merge_end_text(struct out *o, const struct ti_source *s);

#endif
