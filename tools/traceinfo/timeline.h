/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - --timeline: a picture of the stream, with a row for each CPU, thread, ...
 *
 * timeline.c collects events, bars and losses in cells of equal duration; timeline_print.c prints
 * the cells as the columns of a terminal.
 *
 * Invariants
 * - Memory is bounded for any input: the number of rows, of cells in a row and of names of states
 *   has a limit. If the time of an event is beyond the last cell, each two cells are joined.
 * - The time for n events is at most proportional to n log n: a bar is added to a cell once, and
 *   cells are joined only when their duration doubles.
 * - A line of the picture consists of ASCII characters without control characters, except for the
 *   marks and colors that timeline_print.c chooses. So names from the stream cannot move the cursor
 *   or shift a column.
 */
#ifndef TRACEINFO_TIMELINE_H
#define TRACEINFO_TIMELINE_H

#include "common/hash.h"
#include "track.h"

#define TIMELINE_CELLS	1024
#define TIMELINE_ROWS	1024
#define TIMELINE_HASH	4096	/* a power of two, more than TIMELINE_ROWS */
#define TIMELINE_STATES	62	/* letters and digits */
#define TIMELINE_LOSSES	16
/* Kind of the rows of --counter. Other rows have the kinds of tracks. */
#define TIMELINE_COUNTER (TI_TRACK_OBJECT + 1)
#define TIMELINE_KINDS	(TIMELINE_COUNTER + 1)
#define TIMELINE_FOLLOW	10000000000ull	/* ns in a picture of -f, unless the user gives a time */

struct timeline_cell {
	/*
	 * ns: duration of bars. For a state machine: duration of the state @state minus the
	 * duration of other states. max: the largest value of a counter.
	 */
	union {
		uint64_t ns;
		double	 max;
	} v;
	uint32_t	events;
	uint8_t		severity;	/* highest severity plus 1; 0: none */
	uint8_t		state;		/* index in @states plus 1; 0: none */
};

struct timeline_row {
	struct ti_track	track;
	unsigned int	kind;
	bool		wanted;		/* has an event that the filter passes */
	/* If a bar has begun, at @since: index in the list of open rows plus 1. Otherwise 0. */
	unsigned int	open;
	uint8_t		state;		/* of the open bar, as in a cell */
	uint64_t	since;
	struct timeline_row *thread;	/* of a CPU: the row of the thread that runs */
	struct timeline_row *cpu;	/* of a thread: the row of the CPU that ran it last */
	/* For the current picture: events, duration of the bars, highest value of a counter */
	uint64_t	events, ns;
	double		max;
	struct timeline_cell *cells;
};

/* Rows whose bar has begun. */
struct timeline_open {
	unsigned int	n;
	struct timeline_row *rows[TIMELINE_ROWS];
};

struct timeline_loss {
	uint64_t	from, to;
};

struct ti_timeline {
	const struct ti_options *opt;
	uint64_t	window;		/* ns in a picture; 0: up to the last event */
	uint64_t	width;		/* ns in a cell */
	bool		begun;		/* @first is known */
	uint64_t	first, last;
	struct hash_key	key;
	unsigned int	nr_rows;
	uint16_t	hash[TIMELINE_HASH];	/* index in @rows plus 1 */
	struct timeline_row *rows[TIMELINE_ROWS];
	struct timeline_open objects, others;	/* state machines; other rows */
	uint64_t	left_out;	/* events without a row */
	uint64_t	events, lost, lost_before;
	/* losses that no event has followed yet */
	struct timeline_loss losses[TIMELINE_LOSSES];
	unsigned int	nr_losses;
	bool		is_lost[TIMELINE_CELLS];
	struct {
		char	name[48], letter;
	} states[TIMELINE_STATES];
	unsigned int	nr_states;
	struct out	name;
	/* -f on a terminal: lines of the picture that the next one replaces */
	unsigned int	drawn;
	unsigned int	terminal_rows, terminal_columns;	/* when it was drawn */
	bool		changed;	/* since the last drawing */
	bool		explained;	/* the marks are explained */
	uint64_t	drawn_at;	/* in ms */
};

struct ti_timeline *ti_timeline_new(const struct ti_options *opt);
void ti_timeline_free(struct ti_timeline *t);
/*
 * Add an event. @wanted: the filter passes it. With a window, print the picture before the event if
 * the event is after the end of the window.
 */
void ti_timeline_event(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		       const struct ti_event *e, bool wanted);
/* Add a loss or damage. At the begin of another stream, print the picture and begin another. */
void ti_timeline_item(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		      const struct devtrace_decoder *d, const struct devtrace_item *item);
/* Print the last picture of the input. */
void ti_timeline_end(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		     const struct devtrace_decoder *d, const char *input);
/*
 * -f: before the program waits for events, draw the unfinished picture if the terminal can replace
 * it later. Return how many ms to wait at most, or -1.
 */
int ti_timeline_wait(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		     const struct devtrace_decoder *d);

/*
 * traceinfo/timeline_print.c: print the picture. @input is its name, or NULL. Return the number of
 * lines.
 */
unsigned int timeline_print(struct ti_timeline *t, struct out *o, struct ti_printer *p,
			    const struct devtrace_decoder *d, const char *input,
			    unsigned int rows_max);

/* Join a cell with the next one of its row. */
void timeline_join(unsigned int kind, struct timeline_cell *c, const struct timeline_cell *with);

#endif
