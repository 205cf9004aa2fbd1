/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choice.h - a set of numbers, names and patterns of names, made once from words
 */
#ifndef TRACEINFO_CHOICE_H
#define TRACEINFO_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct ti_choice - words of one option, sorted
 * @numbers: the words that are numbers, ascending
 * @names: the words that are neither numbers nor patterns, in the order of strcmp()
 * @patterns: the words with a wildcard of fnmatch(3)
 */
struct ti_choice {
	uint64_t	*numbers;
	const char	**names, **patterns;
	size_t		nr_numbers, nr_names, nr_patterns;
};

/*
 * Sort the words of an option into @c, which points to them, so the words must outlive @c. If
 * there is no memory, the program ends.
 */
void ti_choice_make(struct ti_choice *c, const char *const *words, size_t nr);
void ti_choice_free(struct ti_choice *c);

bool ti_choice_has_number(const struct ti_choice *c, uint64_t number);
bool ti_choice_has_name(const struct ti_choice *c, const char *name);

#endif /* TRACEINFO_CHOICE_H */
