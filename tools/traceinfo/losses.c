// SPDX-License-Identifier: GPL-2.0-only
/*
 * losses.c - detect that only losses are left to read
 *
 * While programs emit into a stopped stream, a reader always finds another loss; with many CPUs
 * there is a new loss before the reader sees the end. In each round the reader gets one loss for
 * each source and cause that lost something. Which source and cause come in every round is
 * unknown. So one loss is remembered and compared with the later losses, and it is replaced
 * whenever the number of losses has doubled (Brent's cycle detection).
 */
#include "traceinfo.h"

/* An unfinished event may hold back the events of other sources for a few rounds. */
#define ROUNDS	5

bool ti_losses_only(struct ti_losses *l, unsigned int source, unsigned int cause)
{
	if (!(l->n & (l->n - 1))) {
		l->source = source;
		l->cause = cause;
		l->again = 0;
	} else if (source == l->source && cause == l->cause) {
		l->again++;
	}
	l->n++;
	return l->again >= ROUNDS;
}
