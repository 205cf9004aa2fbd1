// SPDX-License-Identifier: GPL-2.0-only
/*
 * dates.c - how exact dates are that one offset makes of the trace clock
 */
#include "view/dates.h"

/* The distance of the date @ts + @epoch from the date that the last CLOCK frame gives. */
static bool dates_away(const struct devtrace_decoder *d, uint64_t ts, int64_t epoch, uint64_t *away)
{
	int64_t real, by;

	if (!devtrace_decoder_real(d, ts, &real))
		return false;
	by = (int64_t)((uint64_t)real - (uint64_t)epoch - ts);
	*away = by < 0 ? -(uint64_t)by : (uint64_t)by;
	return true;
}

bool view_dates_error(struct view_dates *s, const struct devtrace_decoder *d, uint64_t ts,
		      int64_t epoch, uint64_t *error)
{
	uint64_t away;

	if (devtrace_decoder_error(d, ts, error) == DEVTRACE_SYNC_ERROR &&
	    dates_away(d, ts, epoch, &away)) {
		*error += away;
		s->known = true;
		s->at = ts;
		s->error = *error;
	} else if (s->known) {
		*error = s->error + view_dates_drift(ts > s->at ? ts - s->at : s->at - ts);
	} else {
		return false;
	}
	if (*error > INT64_MAX)
		*error = INT64_MAX;
	return true;
}
