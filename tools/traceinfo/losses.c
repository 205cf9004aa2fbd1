// SPDX-License-Identifier: GPL-2.0-only
/*
 * losses.c - when nothing but losses comes any more
 *
 * As long as somebody emits into a stream that is stopped, a reader always finds one more
 * loss; where many CPUs emit, before it has seen that there is nothing else. In each of its
 * rounds it is told one of each source and cause that lost something. Which these are is not
 * known, nor which of them come but once; so one is compared with those behind it, and
 * whenever their number has doubled with a later one (how Brent finds a cycle).
 */
#include "traceinfo.h"

/* A writer that is under way holds back events of others for a few rounds. */
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
