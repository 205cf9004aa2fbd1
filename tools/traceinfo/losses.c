// SPDX-License-Identifier: GPL-2.0-only
/*
 * losses.c - detect that only losses are left to read
 *
 * While programs emit into a stopped stream, a reader always finds another loss; with many CPUs
 * there is a new one before it sees the end. In each round the reader gets one loss for each
 * source and cause that lost something. It is unknown which these are and which come only once,
 * so one loss is compared with the later ones, and replaced whenever their number has doubled
 * (Brent's cycle detection).
 */
#include "traceinfo.h"

/* An unfinished event holds back events of others for a few rounds. */
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
