/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * near.h - suggest a known name for an unknown one
 *
 * The caller compares the unknown name with each known name. The most similar one is kept, if it
 * is similar enough.
 */
#ifndef TOOLS_COMMON_NEAR_H
#define TOOLS_COMMON_NEAR_H

#include "common/out.h"

#define NEAR_MAX	96	/* bytes of a name: UART.OVERRUN */

struct near {
	unsigned int	distance;	/* distance of the nearest name */
	char		name[NEAR_MAX];	/* nearest name; "": none */
};

void near_init(struct near *n, const char *word);
void near_try(struct near *n, const char *word, const char *name);
/* Print "; did you mean NAME?" with the name escaped, or nothing if no name was similar. */
void near_put(struct out *o, const struct near *n);

#endif
