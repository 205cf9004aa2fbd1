// SPDX-License-Identifier: GPL-2.0-only
/*
 * guess.c - sizes of fields that would fit the frames of a target of QS
 *
 * A frame with a good check and the wrong length has fields of other sizes. All lengths of the
 * predefined records are counted, and all combinations of sizes are tried: those that fit most
 * frames are the answer. If several do, the one that changes the fewest sizes is taken.
 */
#include <string.h>
#include "common/qs.h"
#include "traceconv.h"

#define NR_SIZES	8	/* all but the size of blocks, which only RKH has */
#define COMBINATIONS	6561	/* 3 to the power of NR_SIZES */

void conv_guess_note(struct conv *c, uint8_t record, size_t n)
{
	if (record < CONV_GUESS_RECORDS && n < CONV_GUESS_BYTES)
		c->lengths[record][n]++;
}

/* How often a size is in a layout, for each size; the rest is in *fixed. False: it has a string. */
static bool count_sizes(const char *layout, uint8_t *count, unsigned int *fixed)
{
	static const char letters[] = "TSOFQPEC";

	memset(count, 0, NR_SIZES);
	*fixed = 0;
	for (; *layout; layout++) {
		const char *at = strchr(letters, *layout);

		if (*layout == 's')
			return false;
		if (at)
			count[at - letters]++;
		else
			*fixed += (unsigned int)(*layout - '0');
	}
	return true;
}

/* A record that came, and how often each size is in it. */
struct seen {
	const uint32_t	*lengths;
	uint8_t		count[NR_SIZES];
	unsigned int	fixed;
};

/* Find the records that came. Return their number; *all: that of their frames. */
static size_t records_seen(const struct conv *c, struct seen *seen, uint64_t *all)
{
	unsigned int record, n;
	size_t nr = 0;

	*all = 0;
	for (record = 1; record < CONV_GUESS_RECORDS; record++) {
		const char *layout = qs_layout((uint8_t)record);
		uint64_t frames = 0;

		for (n = 0; n < CONV_GUESS_BYTES; n++)
			frames += c->lengths[record][n];
		if (!frames || !layout || !count_sizes(layout, seen[nr].count, &seen[nr].fixed))
			continue;
		seen[nr++].lengths = c->lengths[record];
		*all += frames;
	}
	return nr;
}

/* The number of frames that have the length which these sizes make. */
static uint64_t fitting(const struct seen *seen, size_t nr, const uint8_t *size)
{
	uint64_t fit = 0;

	for (; nr--; seen++) {
		unsigned int i, n = seen->fixed;

		for (i = 0; i < NR_SIZES; i++)
			n += seen->count[i] * size[i];
		if (n < CONV_GUESS_BYTES)
			fit += seen->lengths[n];
	}
	return fit;
}

/* Changed sizes, and pointers to objects and functions that differ, make a guess less likely. */
static unsigned int unlikely(const uint8_t *size, const uint8_t *now)
{
	unsigned int i, n = size[2] != size[3];

	for (i = 0; i < NR_SIZES; i++)
		n += 2 * (size[i] != now[i]);
	return n;
}

bool conv_guess(const struct conv *c, struct conv_sizes *best, uint64_t *fit, uint64_t *all)
{
	const uint8_t *now = (const uint8_t *)&c->sizes;
	struct seen seen[CONV_GUESS_RECORDS];
	const size_t nr = records_seen(c, seen, all);
	unsigned int code, i, rest, likely = ~0u;
	uint64_t most = fitting(seen, nr, now);
	struct conv_sizes try = c->sizes;
	uint8_t *size = (uint8_t *)&try;
	bool found = false;

	/* The digits of @code choose 1, 2 or 4 bytes, or of pointers 2, 4 or 8. */
	for (code = 0; code < COMBINATIONS; code++) {
		uint64_t fits;

		for (i = 0, rest = code; i < NR_SIZES; i++, rest /= 3)
			size[i] = (uint8_t)((i == 2 || i == 3 ? 2 : 1) << rest % 3);
		fits = fitting(seen, nr, size);
		if (fits < most || (fits == most && (!found || unlikely(size, now) >= likely)))
			continue;
		/* More frames than with the current sizes, or as likely as the best so far */
		found = true;
		most = fits;
		likely = unlikely(size, now);
		*best = try;
	}
	*fit = most;
	return found;
}
