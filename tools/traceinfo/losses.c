// SPDX-License-Identifier: GPL-2.0-only
/*
 * losses.c - detect that only losses are left to read
 *
 * While programs emit into a stopped stream, each event is lost, and the reader always finds
 * another report of losses. The reports come in rounds: a round has one report for each pair of a
 * source and a cause that lost something since the round before. To see that rounds repeat, one
 * report is remembered and compared with later ones. Since this pair may not return, another
 * report is remembered each time the number of reports has doubled (Brent's cycle detection).
 */
#include "traceinfo.h"

/*
 * Number of rounds without an event before reading stops. While one source has an unfinished
 * event, a few rounds may pass before other sources deliver theirs.
 */
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
