/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words in the value of a module parameter
 *
 * In the kernel's image, parameters are set before memory can be allocated, so the value is not
 * copied as a whole.
 */
#ifndef DEVTRACE_WORDS_H
#define DEVTRACE_WORDS_H

#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

/* Room for a word. No name is that long, so a word that was truncated is unknown. */
#define WORDS_ROOM	64

/**
 * words_next() - copy the next word of a list
 * @list: words separated by commas or white space; moved behind the word
 * @word: filled in, WORDS_ROOM bytes; a longer word is truncated
 *
 * Return: false if there is no further word.
 */
static inline bool words_next(const char **list, char *word)
{
	const char *s = *list + strspn(*list, ", \t\n");
	const size_t n = strcspn(s, ", \t\n");

	*list = s + n;
	if (!n)
		return false;
	strscpy(word, s, min_t(size_t, n + 1, WORDS_ROOM));
	return true;
}

#endif /* DEVTRACE_WORDS_H */
