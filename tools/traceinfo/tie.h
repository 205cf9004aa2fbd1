/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tie.h - tie the trace clocks of two boards by events that both saw
 */
#ifndef TRACEINFO_TIE_H
#define TRACEINFO_TIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Two trace clocks drift apart by at most this: each oscillator by 100 ppm. The clocks are not
 * corrected by NTP.
 */
#define TI_TIE_PPM	200

/* A time @y of the board and limits of the offset there, so that @y + offset is the other clock. */
struct ti_knot {
	uint64_t	y;
	int64_t		low, high;
};

struct ti_tie {
	struct ti_knot	*v;
	size_t		n;		/* number of knots, and of pairs */
	uint64_t	misfit;		/* the pairs contradict each other by this, ns */
	bool		has_low, has_high;
};

/* A pair: the other board's time @x and the board's time @y of what both saw. */
enum ti_pair {
	TI_PAIR_BOTH,		/* at the same time, as far as is known */
	TI_PAIR_THERE,		/* @x is the cause, @y the effect */
	TI_PAIR_BACK,		/* @y is the cause, @x the effect */
};

void ti_tie_add(struct ti_tie *t, uint64_t x, uint64_t y, enum ti_pair how);
/* Compute the tie after the last pair. There must be a pair, and both limits. */
void ti_tie_ready(struct ti_tie *t);
/* Convert a time of the board to the other clock. *error: the largest error, ns. */
uint64_t ti_tie_time(const struct ti_tie *t, uint64_t y, uint64_t *error);
void ti_tie_free(struct ti_tie *t);

#endif
