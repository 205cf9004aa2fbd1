/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick.h - events and arguments that the user picks: --counter and --slice
 */
#ifndef TRACEINFO_PICK_H
#define TRACEINFO_PICK_H

#include "args.h"

#define TI_PICKS_MAX	32	/* --counter and --slice, each */

/* --counter EVENT.ARGUMENT, or --slice BEGIN..END */
struct ti_pick {
	const char	*word;		/* as given */
	char		first[2 * FMT_NAME_MAX + 2];	/* EVENT or BEGIN */
	const char	*second;	/* ARGUMENT or END, in @word */
};

struct ti_picks {
	struct ti_pick	v[TI_PICKS_MAX];
	unsigned int	n;
};

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
