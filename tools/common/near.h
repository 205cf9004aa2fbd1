/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * near.h - which name was meant by one that nobody knows
 *
 * Every name that there is, is held against the word; the nearest one stays, if it is
 * not too far away to be what was meant.
 */
#ifndef TOOLS_COMMON_NEAR_H
#define TOOLS_COMMON_NEAR_H

#include "common/out.h"

#define NEAR_MAX	96	/* of a name: UART.OVERRUN */

struct near {
	unsigned int	distance;	/* of the nearest */
	char		name[NEAR_MAX];	/* empty: none */
};

void near_init(struct near *n, const char *word);
void near_try(struct near *n, const char *word, const char *name);
/* "; did you mean NAME?", safe to print; nothing if there is none. */
void near_put(struct out *o, const struct near *n);

#endif
