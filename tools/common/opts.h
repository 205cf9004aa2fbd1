/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opts.h - what the command lines of the programs have in common
 *
 * An option is written once, in the help text: "  -n, --last N", or "      --raw" for one that
 * has no letter. A word behind the name is its argument; [=WORD] is one that may be left out.
 */
#ifndef COMMON_OPTS_H
#define COMMON_OPTS_H

#include <getopt.h>
#include <stdbool.h>

#define OPTS_MAX	48
/* What opts_next() returns for the first option without a letter. */
#define OPTS_LONG	256

struct opts {
	struct option	longs[OPTS_MAX + 1];
	char		shorts[3 * OPTS_MAX + 1];	/* a letter, and its colons */
	char		names[OPTS_MAX * 20];
};

/*
 * The options of a help text. @only: the names of those without a letter, each behind a blank,
 * in the order of the numbers from OPTS_LONG on.
 */
void opts_read(struct opts *o, const char *help, const char *only);
/* The letter or the number of the next option; its argument is in optarg. -1: the end. */
int opts_next(const struct opts *o, int argc, char **argv);

/* An option that is only noted: its flag is set, or its argument is kept. */
struct opts_note {
	int		c;	/* what opts_next() returns; 0 ends a table */
	bool		*flag;
	const char	**word;
};

/* Note what opts_next() returned; false: the table does not have it. */
bool opts_note(const struct opts_note *table, int c);
/* -h, -V and what opts_next() does not know: print the text for it, and end the program. */
_Noreturn void opts_end(int c, const char *help, const char *version, const char *unknown);

#endif
