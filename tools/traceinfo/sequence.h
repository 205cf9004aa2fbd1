/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sequence.h - --sequence: a sequence diagram in place of lines of events
 */
#ifndef TRACEINFO_SEQUENCE_H
#define TRACEINFO_SEQUENCE_H

#include "traceinfo.h"

struct ti_sequence;

/*
 * A lifeline for each object, by name or number, in this order; nearer to one another if they
 * fit a terminal of @width columns only so. 0: no terminal.
 */
struct ti_sequence *ti_sequence_new(const struct ti_words *objects, unsigned long width);
void ti_sequence_free(struct ti_sequence *s);
/* Is this event in the diagram? Asked once of each event, in order. */
bool ti_sequence_wants(struct ti_sequence *s, const struct ti_event *e);
/* Something was lost or damaged: what is to come of what was told may never come. */
void ti_sequence_forget(struct ti_sequence *s);
/* A line for it, and the names of the lifelines first if it is time; or JSON. */
void ti_sequence_event(struct ti_sequence *s, struct out *o, struct ti_printer *printer,
		       const struct ti_event *e);

#endif
