/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * picked.h - report names of --counter and --slice that no event has
 *
 * A misspelt name draws nothing, which looks as if there were no such events.
 */
#ifndef TRACEINFO_PICKED_H
#define TRACEINFO_PICKED_H

#include "pick.h"

struct ti_picked;

/* Begin with no event. Return NULL if there is neither a counter nor a slice. */
struct ti_picked *ti_picked_new(const struct ti_picks *counters, const struct ti_picks *slices);
void ti_picked_free(struct ti_picked *p);
/* Note the name and the elements of an event. @p may be NULL. */
void ti_picked_event(struct ti_picked *p, const struct ti_event *e);
/*
 * At the end of the input: print a line on standard error for each name that no event had, with
 * the name of an event or argument that is most like it. @p may be NULL.
 */
void ti_picked_say(const struct ti_picked *p, const char *program);

#endif
