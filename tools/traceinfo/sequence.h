/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sequence.h - --sequence: a sequence diagram instead of lines of events
 */
#ifndef TRACEINFO_SEQUENCE_H
#define TRACEINFO_SEQUENCE_H

#include "traceinfo.h"

struct ti_sequence;

/*
 * Make a lifeline for each object, given by name or number, in this order. The lifelines are
 * closer together if only then they fit a terminal of @width columns. @width 0: no terminal.
 */
struct ti_sequence *ti_sequence_new(const struct ti_words *objects, unsigned long width);
void ti_sequence_free(struct ti_sequence *s);
/* Is this event in the diagram? Call this once for each event, in order. */
bool ti_sequence_wants(struct ti_sequence *s, const struct ti_event *e);
/* After a loss or damage: forget pending timeouts. */
void ti_sequence_forget(struct ti_sequence *s);
/*
 * Print the event as JSON or as a line. If it is time to repeat the names of the lifelines, print
 * them first.
 */
void ti_sequence_event(struct ti_sequence *s, struct out *o, struct ti_printer *printer,
		       const struct ti_event *e);

#endif
