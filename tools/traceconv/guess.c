// SPDX-License-Identifier: GPL-2.0-only
/*
 * guess.c - guess sizes of fields that would fit the frames of a target of QS
 *
 * If a frame has a correct check and a wrong length, the sizes of the target's fields are not
 * those that were assumed. So the lengths of all predefined records are counted, and all
 * combinations of sizes are tried. The result is the combination that fits the most frames; of
 * several, the one that changes the fewest sizes.
 */
#include <string.h>
#include "common/qs.h"
#include "traceconv.h"

/* number of sizes, without that of blocks, which only RKH has */
#define NR_SIZES	8
#define COMBINATIONS	6561	/* 3 to the power of NR_SIZES */

void conv_guess_note(struct conv *c, uint8_t record, size_t n)
{
	if (record < CONV_GUESS_RECORDS && n < CONV_GUESS_BYTES)
		c->lengths[record][n]++;
}

/*
 * Count how often each size occurs in a layout, and add the bytes of other fields to *fixed.
 * Return false if the layout contains a string.
 */
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

/* A record that was received, and how often its layout contains each size. */
struct seen {
	const uint32_t	*lengths;
	uint8_t		count[NR_SIZES];
	unsigned int	fixed;
};

/*
 * Find all records that were received. Return their number, and in *all the number of their
 * frames.
 */
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

/* Return the number of frames that have the length which these sizes make. */
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

/*
 * Return how unlikely a guess is: the number of sizes that it changes, plus 1 if pointers to
 * objects and to functions would have different sizes.
 */
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

	/*
	 * Each digit of @code, in base 3, chooses one of 1, 2 and 4 bytes, for pointers of 2, 4
	 * and 8.
	 */
	for (code = 0; code < COMBINATIONS; code++) {
		uint64_t fits;

		for (i = 0, rest = code; i < NR_SIZES; i++, rest /= 3)
			size[i] = (uint8_t)((i == 2 || i == 3 ? 2 : 1) << rest % 3);
		fits = fitting(seen, nr, size);
		if (fits < most || (fits == most && (!found || unlikely(size, now) >= likely)))
			continue;
		/*
		 * This guess fits more frames than the current sizes, or as many as the best guess
		 * so far, but is likelier.
		 */
		found = true;
		most = fits;
		likely = unlikely(size, now);
		*best = try;
	}
	*fit = most;
	return found;
}
