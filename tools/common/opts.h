/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opts.h - command lines of the programs
 *
 * The help text defines the options: "  -n, --last N", "      --raw" for an option without a
 * letter, or "  -m" for one without a name. A word after the name is its argument; [=WORD] is an
 * optional argument.
 */
#ifndef COMMON_OPTS_H
#define COMMON_OPTS_H

#include <getopt.h>
#include <stdbool.h>

#define OPTS_MAX	48
/* Result of opts_next() for the first option without a letter. */
#define OPTS_LONG	256

struct opts {
	struct option	longs[OPTS_MAX + 1];
	char		shorts[3 * OPTS_MAX + 1];	/* a letter and its colons */
	char		names[OPTS_MAX * 20];
};

/*
 * Read the options of a help text. @only: names of the options without a letter, each after a
 * blank, in the order of their numbers from OPTS_LONG on.
 */
void opts_read(struct opts *o, const char *help, const char *only);
/* Return the letter or number of the next option, with its argument in optarg. -1: no more. */
int opts_next(const struct opts *o, int argc, char **argv);

/* An option that only sets a flag or stores its argument. */
struct opts_note {
	int		c;	/* result of opts_next(); 0 ends a table */
	bool		*flag;
	const char	**word;
};

/* Execute an option of the table. Return false if the option is not in the table. */
bool opts_note(const struct opts_note *table, int c);
/* -h, -V and unknown options: print the text, and end the program. */
_Noreturn void opts_end(int c, const char *help, const char *version, const char *unknown);

#endif
