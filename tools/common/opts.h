/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opts.h - what the command lines of the programs have in common
 */
#ifndef COMMON_OPTS_H
#define COMMON_OPTS_H

#include <stdbool.h>

/* An option that is only noted: its flag is set, or its argument is kept. */
struct opts_note {
	int		c;	/* what getopt_long() returns; 0 ends a table */
	bool		*flag;
	const char	**word;
};

/* Note what getopt_long() returned; false: the table does not have it. */
bool opts_note(const struct opts_note *table, int c);
/* -h, -V and what getopt_long() does not know: print the text for it, and end the program. */
_Noreturn void opts_end(int c, const char *help, const char *version, const char *unknown);

#endif
