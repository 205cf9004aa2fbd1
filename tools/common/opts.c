// SPDX-License-Identifier: GPL-2.0-only
/*
 * opts.c - command lines of the programs
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/opts.h"

/* Find an option in a line of the help text. Return its name, after the "--", or NULL. */
static const char *name_in(const char *line)
{
	const bool letter = !strncmp(line, "  -", 3) && line[3] != '-' &&
			    !strncmp(line + 4, ", --", 4);

	return letter || !strncmp(line, "      --", 8) ? line + 8 : NULL;
}

static bool letter_alone(const char *line)
{
	return !strncmp(line, "  -", 3) && line[3] != '-' &&
	       (line[4] == ' ' || line[4] == '\n');
}

/* Return the number of a long option without a letter: OPTS_LONG plus its position in @only. */
static int number(const char *name, size_t len, const char *only)
{
	int c = OPTS_LONG;

	for (; *only == ' '; c++) {
		const size_t n = strcspn(++only, " ");

		if (n == len && !memcmp(only, name, len))
			return c;
		only += n;
	}
	assert(!"an option of the help text is among the names");
	return 0;
}

/*
 * Does the option take an argument? The help text has "--name", "--name[=WORD]" or "--name WORD".
 * Two blanks come before the description.
 */
static int argument(const char *behind)
{
	if (*behind == '[')
		return optional_argument;
	return *behind == ' ' && behind[1] != ' ' ? required_argument : no_argument;
}

/* Is the option known already? The help text may have several lines for one option. */
static bool known(const struct opts *o, const char *name, size_t len)
{
	const struct option *l = o->longs;

	while (l->name && (strlen(l->name) != len || memcmp(l->name, name, len)))
		l++;
	return l->name;
}

static char *add_letter(char *shorts, char letter, int has_arg)
{
	*shorts++ = letter;
	memset(shorts, ':', (size_t)has_arg);
	return shorts + has_arg;
}

void opts_read(struct opts *o, const char *help, const char *only)
{
	char *shorts = o->shorts, *names = o->names;
	struct option *l = o->longs;
	const char *name;
	size_t len;

	memset(o, 0, sizeof(*o));
	for (; *help; help += strcspn(help, "\n"), help += *help == '\n') {
		if (letter_alone(help)) {
			shorts = add_letter(shorts, help[3], argument(help + 4));
			continue;
		}
		name = name_in(help);
		len = name ? strcspn(name, " [\n") : 0;
		if (!len || known(o, name, len))
			continue;
		assert(l < o->longs + OPTS_MAX);
		assert(len < (size_t)(o->names + sizeof(o->names) - names));
		l->name = memcpy(names, name, len);
		names += len + 1;
		l->has_arg = argument(name + len);
		l->val = help[2] == '-' ? help[3] : number(name, len, only);
		if (help[2] == '-')
			shorts = add_letter(shorts, help[3], l->has_arg);
		l++;
	}
}

void opts_alias(struct opts *o, const char *name, int c)
{
	struct option *l = o->longs;
	int has_arg = no_argument;

	for (; l->name; l++)
		if (l->val == c)
			has_arg = l->has_arg;
	assert(l < o->longs + OPTS_MAX);
	*l = (struct option){ .name = name, .has_arg = has_arg, .val = c };
}

int opts_next(const struct opts *o, int argc, char **argv)
{
	return getopt_long(argc, argv, o->shorts, o->longs, NULL);
}

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
		/* getopt_long() has printed the word. */
		fprintf(stderr, "%s\n", unknown);
		exit(2);
	}
	exit(fflush(stdout) ? 1 : 0);
}
