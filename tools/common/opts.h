/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opts.h - command lines of the programs
 *
 * The options are read from the help text. A line may have "  -n, --last N" for an option with a
 * letter and a name, "      --raw" for one without a letter, or "  -m" for one without a name. A
 * word after the name is the option's argument; an argument in the form [=WORD] may be omitted.
 */
#ifndef COMMON_OPTS_H
#define COMMON_OPTS_H

#include <getopt.h>
#include <stdbool.h>

#define OPTS_MAX	48
/* Value that opts_next() returns for the first option without a letter. */
#define OPTS_LONG	256

struct opts {
	struct option	longs[OPTS_MAX + 1];
	char		shorts[3 * OPTS_MAX + 1];	/* a letter and its colons */
	char		names[OPTS_MAX * 20];
};

/*
 * Read the options of a help text. @only has the names of the options without a letter, each after
 * a blank. They are numbered in this order, from OPTS_LONG on.
 */
void opts_read(struct opts *o, const char *help, const char *only);
/* Also accept this name, which is not in the help text, for the option with the letter @c. */
void opts_alias(struct opts *o, const char *name, int c);
/*
 * Return the letter or number of the next option, and set optarg to its argument. Return -1 at the
 * end.
 */
int opts_next(const struct opts *o, int argc, char **argv);

/* Describes an option that only sets a flag or stores its argument. */
struct opts_note {
	int		c;	/* result of opts_next(); 0 ends a table */
	bool		*flag;
	const char	**word;
};

/* If the option is in the table, set its flag or store its argument, and return true. */
bool opts_note(const struct opts_note *table, int c);
/* Process -h, -V or an unknown option: print the text for it, and end the program. */
_Noreturn void opts_end(int c, const char *help, const char *version, const char *unknown);

#endif
