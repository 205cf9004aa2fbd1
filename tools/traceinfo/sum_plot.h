/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sum_plot.h - --summary --plot: histograms of durations
 */
#ifndef TRACEINFO_SUM_PLOT_H
#define TRACEINFO_SUM_PLOT_H

#include "sum.h"

/* Number of histograms that are printed for each table, unless -v is given */
#define SUM_PLOTS	3

/*
 * Print the figures of the durations and, below them, the histogram. The figures end the line that
 * the caller has begun with a name. Print nothing if there is no duration.
 */
void sum_plot(struct out *o, const struct ti_printer *p, const struct sum_times *t);
/* If fewer than @n histograms were printed, print a line with the number of the others. */
void sum_plot_more(struct out *o, size_t printed, size_t n);
/* Print the histogram as the member @key of an open JSON object. */
void sum_plot_json(struct out *o, const char *key, const struct sum_times *t);
/* Print the times from a wake-up until the thread has a CPU, as text or as a JSON member. */
void sum_plot_wakeups(struct out *o, const struct ti_printer *p, const struct sum *s);

#endif
