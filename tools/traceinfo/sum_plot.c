// SPDX-License-Identifier: GPL-2.0-only
/*
 * sum_plot.c - --summary --plot: histograms of durations
 *
 *	read: 8412 times, median 1.9us, 99 % within 30.10us, max 4.100ms
 *	  1.024us       8001 |##########################################
 *	  2.048us        400 |##
 *
 * A bucket has the durations from the time in the first column up to twice this time. The buckets
 * between the shortest and the longest duration are printed, also empty buckets, so a histogram has
 * at most SUM_POWERS lines.
 *
 * Invariants: The length of a bar is proportional to the count of its bucket, rounded down, and the
 * largest bucket has the longest bar. A bucket that is not empty has a bar. A line fits the
 * terminal.
 */
#include "common/duration.h"
#include "layout.h"
#include "sum_plot.h"

#define FROM	9	/* columns of a bucket's begin */
#define COUNT	11	/* columns of a bucket's count */
#define BAR_MIN	10

/* The shortest duration in a bucket of sum_times_powers(). */
static uint64_t from_ns(unsigned int i)
{
	return i ? 1ull << (i - 1) : 0;
}

/* Draw a bar of @parts eighths of a column. */
static void bar(struct out *o, const struct ti_printer *p, uint64_t parts)
{
	static const char *const eighths[] = {
		"", "▏", "▎", "▍", "▌", "▋", "▊", "▉",
	};
	uint64_t i;

	if (!p->unicode) {
		out_fill(o, '#', parts < 8 && parts ? 1 : parts / 8);
		return;
	}
	if (p->color && parts)
		OUT_LIT(o, "\033[36m");
	for (i = 0; i < parts / 8; i++)
		OUT_LIT(o, "█");
	out_str(o, eighths[parts % 8]);
	if (p->color && parts)
		OUT_LIT(o, "\033[0m");
}

void sum_plot(struct out *o, const struct ti_printer *p, const struct sum_times *t)
{
	static const struct out_spec wide = { .width = COUNT, .digits = OUT_NODIGITS };
	const unsigned long columns = ti_columns();
	const unsigned long room = columns < FROM + COUNT + 2 + BAR_MIN ? BAR_MIN :
				   columns - FROM - COUNT - 2;
	uint64_t powers[SUM_POWERS], most = 0;
	unsigned int i, first = SUM_POWERS, last = 0;

	if (!t->n)
		return;
	OUT_LIT(o, ": ");
	out_u64(o, t->n);
	out_str(o, t->n == 1 ? " time, median " : " times, median ");
	out_duration(o, sum_times_median(t));
	OUT_LIT(o, ", 99 % within ");
	out_duration(o, sum_times_percentile(t, 99));
	OUT_LIT(o, ", max ");
	out_duration(o, t->max);
	out_char(o, '\n');
	sum_times_powers(t, powers);
	for (i = 0; i < SUM_POWERS; i++) {
		if (!powers[i])
			continue;
		first = first == SUM_POWERS ? i : first;
		last = i;
		most = powers[i] > most ? powers[i] : most;
	}
	for (i = first; i <= last; i++) {
		/* A double has 53 bits, more than enough for the columns of a terminal. */
		const double share = (double)powers[i] / (double)most;
		uint64_t parts = (uint64_t)(share * (double)room * 8);

		if (powers[i] && !parts)
			parts = 1;
		out_duration_right(o, from_ns(i), FROM);
		out_int(o, powers[i], false, 10, false, 0, &wide);
		OUT_LIT(o, " |");
		bar(o, p, parts);
		out_char(o, '\n');
	}
}

void sum_plot_more(struct out *o, size_t printed, size_t n)
{
	if (printed >= n)
		return;
	OUT_LIT(o, "\nand ");
	out_u64(o, n - printed);
	out_str(o, n - printed == 1 ? " more histogram" : " more histograms");
	OUT_LIT(o, "; -v prints them\n");
}

void sum_plot_json(struct out *o, const char *key, const struct sum_times *t)
{
	uint64_t powers[SUM_POWERS];
	bool some = false;
	unsigned int i;

	sum_times_powers(t, powers);
	OUT_LIT(o, ",\"");
	out_str(o, key);
	OUT_LIT(o, "\":[");
	for (i = 0; i < SUM_POWERS; i++) {
		if (!powers[i])
			continue;
		out_str(o, some ? ",{\"from\":" : "{\"from\":");
		out_u64(o, from_ns(i));
		OUT_LIT(o, ",\"count\":");
		out_u64(o, powers[i]);
		out_char(o, '}');
		some = true;
	}
	out_char(o, ']');
}

void sum_plot_wakeups(struct out *o, const struct ti_printer *p, const struct sum *s)
{
	const struct sum_times *t = &s->wakeups;

	if (!p->opt->plot)
		return;
	if (!p->opt->json) {
		OUT_LIT(o, "\nWake-up to CPU");
		if (!t->n)
			OUT_LIT(o, ": no events\n");
		sum_plot(o, p, t);
		return;
	}
	OUT_LIT(o, ",\"wakeups\":{\"count\":");
	out_u64(o, t->n);
	if (t->n) {
		OUT_LIT(o, ",\"median\":");
		out_u64(o, sum_times_median(t));
		OUT_LIT(o, ",\"max\":");
		out_u64(o, t->max);
	}
	sum_plot_json(o, "histogram", t);
	out_char(o, '}');
}
