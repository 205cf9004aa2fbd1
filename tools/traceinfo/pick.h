/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick.h - events and arguments that the user picks: --counter and --slice
 */
#ifndef TRACEINFO_PICK_H
#define TRACEINFO_PICK_H

#include "args.h"

/*
 * Add a pick from an option's argument. Return NULL, or a text that says why the argument is
 * wrong.
 */
const char *ti_pick_counter(struct ti_picks *p, const char *word);
const char *ti_pick_slice(struct ti_picks *p, const char *word);

/*
 * If the pick selects this event, and its argument is a number, set *@value and return true.
 */
bool ti_pick_value(const struct ti_pick *p, const char *name, const struct ti_event *e,
		   struct ti_arg *value);

#endif
