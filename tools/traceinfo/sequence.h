/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sequence.h - --sequence: a sequence diagram instead of lines of events
 */
#ifndef TRACEINFO_SEQUENCE_H
#define TRACEINFO_SEQUENCE_H

#include "traceinfo.h"

struct ti_sequence;

/*
 * Make a diagram with a lifeline for each object, in the order of @objects, which are names or
 * numbers. On a terminal of @width columns the lifelines are moved closer together if they do not
 * fit otherwise; 0 means that the output is not a terminal.
 */
struct ti_sequence *ti_sequence_new(const struct ti_words *objects, unsigned long width);
void ti_sequence_free(struct ti_sequence *s);
/*
 * Does the diagram show this event? Must be called once for each event, in order, because it
 * remembers expired timers.
 */
bool ti_sequence_wants(struct ti_sequence *s, const struct ti_event *e);
/*
 * Forget timers that have expired but whose signal was not seen yet: after a loss or damage, the
 * signal may be missing.
 */
void ti_sequence_forget(struct ti_sequence *s);
/*
 * Print the event as JSON or as a line of the diagram, and before it, from time to time, the line
 * with the names of the lifelines.
 */
void ti_sequence_event(struct ti_sequence *s, struct out *o, struct ti_printer *printer,
		       const struct ti_event *e);

#endif
