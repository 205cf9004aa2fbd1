/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dates.h - how exact dates are that one offset makes of the trace clock
 *
 * Viewers place the events of a boot by a single offset: the wall clock minus the trace clock at a
 * CLOCK frame. The error of such a date is the one that the stream states, plus the distance of the
 * date from that of traceinfo, which uses the last CLOCK frame. While the stream states no error,
 * the last one that was known holds, plus DEVTRACE_DRIFT_PPM of the time since: setting the wall
 * clock does not change dates that the trace clock makes.
 */
#ifndef VIEW_DATES_H
#define VIEW_DATES_H

#include <stdbool.h>
#include <stdint.h>
#include <devtrace-decode.h>

/* The dates of a boot. All 0: nothing is known yet. */
struct view_dates {
	bool		known;
	uint64_t	at, error;	/* the last date with a stated error */
};

/* By how much the trace clock may drift from the true time in @ns. */
static inline uint64_t view_dates_drift(uint64_t ns)
{
	return ns / (1000000 / DEVTRACE_DRIFT_PPM);
}

/*
 * Compute the error of the date @ts + @epoch, in ns. Return false if it is not known. The error is
 * at most INT64_MAX, because formats have signed numbers.
 */
bool view_dates_error(struct view_dates *s, const struct devtrace_decoder *d, uint64_t ts,
		      int64_t epoch, uint64_t *error);

#endif
