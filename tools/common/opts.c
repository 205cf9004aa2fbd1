// SPDX-License-Identifier: GPL-2.0-only
/*
 * opts.c - what the command lines of the programs have in common
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/opts.h"

bool opts_note(const struct opts_note *table, int c)
{
	while (table->c && table->c != c)
		table++;
	if (table->flag)
		*table->flag = true;
	if (table->word)
		*table->word = optarg;
	return table->c;
}

_Noreturn void opts_end(int c, const char *help, const char *version, const char *unknown)
{
	if (c == 'h') {
		fputs(help, stdout);
	} else if (c == 'V') {
		puts(version);
	} else {
		/* getopt_long() has named the word. */
		fprintf(stderr, "%s\n", unknown);
		exit(2);
	}
	exit(fflush(stdout) ? 1 : 0);
}
