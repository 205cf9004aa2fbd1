// SPDX-License-Identifier: GPL-2.0-only
/*
 * choice.c - look up a number or a name among the words of an option
 *
 * Each event is compared with a list of words, for example a list of thousands of processes. To
 * make that fast, numbers and plain names are sorted for a binary search. Patterns are tried in
 * turn.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "choice.h"
#include "traceinfo.h"

/* Is the whole word a decimal or hexadecimal (0x) number? Set *number. */
static bool is_number(const char *word, uint64_t *number)
{
	const bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	char *end;

	if (!isdigit((unsigned char)*word))
		return false;
	*number = strtoull(word, &end, hex ? 16 : 10);
	return !*end;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void ti_choice_make(struct ti_choice *c, const char *const *words, size_t nr)
{
	uint64_t number;
	size_t i;

	ti_choice_free(c);
	if (!nr)
		return;
	c->numbers = ti_alloc(NULL, nr * sizeof(*c->numbers));
	c->names = ti_alloc(NULL, nr * sizeof(*c->names));
	c->patterns = ti_alloc(NULL, nr * sizeof(*c->patterns));
	for (i = 0; i < nr; i++) {
		if (is_number(words[i], &number))
			c->numbers[c->nr_numbers++] = number;
		else if (strpbrk(words[i], "*?[\\"))
			c->patterns[c->nr_patterns++] = words[i];
		else
			c->names[c->nr_names++] = words[i];
	}
	qsort(c->numbers, c->nr_numbers, sizeof(*c->numbers), compare_numbers);
	qsort(c->names, c->nr_names, sizeof(*c->names), compare_names);
}

void ti_choice_free(struct ti_choice *c)
{
	free(c->numbers);
	free(c->names);
	free(c->patterns);
	*c = (struct ti_choice){ 0 };
}

bool ti_choice_has_number(const struct ti_choice *c, uint64_t number)
{
	return c->nr_numbers && bsearch(&number, c->numbers, c->nr_numbers, sizeof(number),
					compare_numbers);
}

bool ti_choice_has_name(const struct ti_choice *c, const char *name)
{
	size_t i;

	if (c->nr_names && bsearch(&name, c->names, c->nr_names, sizeof(name), compare_names))
		return true;
	for (i = 0; i < c->nr_patterns; i++)
		if (!fnmatch(c->patterns[i], name, 0))
			return true;
	return false;
}
