// SPDX-License-Identifier: GPL-2.0-only
/*
 * tie.c - tie the trace clocks of two boards by events that both saw
 *
 * A message limits the offset between two clocks on one side: no effect is before its cause. The
 * message with the least delay limits it most. Messages in both directions limit it on both sides;
 * the estimate is the middle, and the error half of the distance. A limit holds for other times,
 * too, if it is widened by the largest drift: so each limit is the best one of all pairs.
 *
 * An event that both boards saw at once limits the offset on both sides. The delays of such events
 * are not known, so the pairs contradict each other. The error is increased by half of the largest
 * contradiction.
 *
 * Invariants after ti_tie_ready(): The knots are ordered by time. From each knot to the next, a
 * limit changes by no more than the drift. So the estimate increases with time.
 */
#include <stdlib.h>
#include "tie.h"
#include "traceinfo.h"

/* Far enough from any offset, so that subtracting the drift does not overflow. */
#define FAR	(INT64_MAX / 4)

static int64_t drift(uint64_t ns)
{
	const uint64_t d = ns / (1000000 / TI_TIE_PPM) + 1;

	return d < FAR ? (int64_t)d : FAR;
}

void ti_tie_add(struct ti_tie *t, uint64_t x, uint64_t y, enum ti_pair how)
{
	const int64_t d = (int64_t)(x - y);

	/* Offsets beyond 70 years are those of damaged times. */
	if (d < -FAR / 2 || d > FAR / 2)
		return;
	/* Double the array whenever its length reaches a power of two. */
	if (!(t->n & (t->n - 1)))
		t->v = ti_alloc(t->v, (t->n ? 2 * t->n : 1) * sizeof(*t->v));
	t->v[t->n++] = (struct ti_knot){
		.y = y, .low = how == TI_PAIR_BACK ? -FAR : d,
		.high = how == TI_PAIR_THERE ? FAR : d,
	};
	t->has_low |= how != TI_PAIR_BACK;
	t->has_high |= how != TI_PAIR_THERE;
}

static int compare_knots(const void *a, const void *b)
{
	const struct ti_knot *p = a, *q = b;

	return p->y < q->y ? -1 : p->y > q->y;
}

/* Let the limits of knot @from hold for knot @to, too. */
static void carry(const struct ti_knot *from, struct ti_knot *to)
{
	const int64_t d = drift(to->y > from->y ? to->y - from->y : from->y - to->y);

	if (from->low - d > to->low)
		to->low = from->low - d;
	if (from->high + d < to->high)
		to->high = from->high + d;
}

void ti_tie_ready(struct ti_tie *t)
{
	size_t i;

	qsort(t->v, t->n, sizeof(*t->v), compare_knots);
	for (i = 1; i < t->n; i++)
		carry(&t->v[i - 1], &t->v[i]);
	for (i = t->n - 1; i > 0; i--)
		carry(&t->v[i], &t->v[i - 1]);
	t->misfit = 0;
	for (i = 0; i < t->n; i++)
		if (t->v[i].low > t->v[i].high &&
		    (uint64_t)(t->v[i].low - t->v[i].high) > t->misfit)
			t->misfit = (uint64_t)(t->v[i].low - t->v[i].high);
}

/* Return the index of the first knot at @y or later; t->n: there is none. */
static size_t find(const struct ti_tie *t, uint64_t y)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t->v[middle].y < y)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t ti_tie_time(const struct ti_tie *t, uint64_t y, uint64_t *error)
{
	const size_t i = find(t, y);
	struct ti_knot k = { .y = y, .low = -FAR, .high = FAR };

	if (i < t->n)
		carry(&t->v[i], &k);
	if (i)
		carry(&t->v[i - 1], &k);
	*error = (k.high > k.low ? (uint64_t)(k.high - k.low + 1) / 2 : 0) + (t->misfit + 1) / 2;
	return y + (uint64_t)(k.low / 2 + k.high / 2);
}

void ti_tie_free(struct ti_tie *t)
{
	free(t->v);
	t->v = NULL;
	t->n = 0;
}
