// SPDX-License-Identifier: GPL-2.0-only
/*
 * near.c - suggest a known name for an unknown name
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "near.h"

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Return how many letters must be inserted, removed, changed or swapped to turn @a into @b,
 * without regard to case.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][NEAR_MAX], *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la >= NEAR_MAX || lb >= NEAR_MAX)
		return UINT32_MAX;
	for (j = 0; j <= lb; j++)
		last[j] = j;
	for (i = 1; i <= la; i++) {
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);

			row[j] = least(last[j - 1] + (x != y), least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[lb];
}

void near_init(struct near *n, const char *word)
{
	size_t length = strlen(word);

	/* With two other letters a word of four letters is another word: "text" is not BEAT. */
	n->distance = length < 5 ? 1 : (unsigned int)length / 3 + 1;
	*n->name = '\0';
}

void near_try(struct near *n, const char *word, const char *name)
{
	const char *dot = strchr(name, '.');
	unsigned int d = distance(word, name);

	/* OVERRUN means SENS.OVERRUN. */
	if (dot && !strcasecmp(dot + 1, word))
		d = 0;

	if (d < n->distance || (d == n->distance && !*n->name)) {
		n->distance = d;
		snprintf(n->name, sizeof(n->name), "%s", name);
	}
}

void near_put(struct out *o, const struct near *n)
{
	if (!*n->name)
		return;
	OUT_LIT(o, "; did you mean ");
	out_safe(o, n->name, strlen(n->name));
	out_char(o, '?');
}
