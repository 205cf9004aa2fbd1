// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report the events that a stopped stream missed at the right place
 *
 * Events emitted while a stream is stopped are only counted. A reader that is opened later finds
 * the sum of the counts of all stops. So with each change of state, the stream stores how many
 * events each ring and slot had missed so far (see stream_missed() and slots_count_missed()), and
 * the reader reports the losses of each stop between its two changes.
 *
 * Invariants: Losses by a stop are reported after the change that stopped the stream and before the
 * next change, each once. A loss that is not counted at one change is reported at the next, or as
 * soon as no further change is known. Its interval then still ends with its stop: see
 * source_report_stopped().
 */
#include "announce.h"
#include "missed.h"
#include "reader_priv.h"
#include "source.h"
#include "stream/past.h"
#include "stream/stream.h"

static bool missed_at(const struct stream *s, struct source *src, unsigned long n, u64 *missed)
{
	if (!stream_counted(s, n))
		return false;
	*missed = source_missed_before(s, src, n);
	return stream_remembers(s, n);
}

/*
 * Get the number of events that a source missed before change @n. Return false if they are not
 * counted yet, or if the number is forgotten. A stop (@stops) has the counts of the change before
 * it, which are stored before the stop is.
 */
static bool missed_before(const struct stream *s, struct source *src, unsigned long n, bool stops,
			  u64 *missed)
{
	return (stops && missed_at(s, src, n - 1, missed)) || missed_at(s, src, n, missed);
}

/*
 * Report events missed before the change of state to be sent next; announce_is_next() is true.
 * Return false if there is no room for all reports: call it again.
 */
bool missed_tell(struct reader *rd)
{
	const struct announce *a = &rd->told;
	/* Events missed because of this change are reported after it. */
	const bool stops = a->state == DEVTRACE_STATE_RUNNING &&
			   a->past.state != DEVTRACE_STATE_RUNNING;
	const bool starts = a->past.state == DEVTRACE_STATE_RUNNING;
	/* A seek counts earlier missed events as reported, but not those cleared after it. */
	const bool first = a->sought && stops && a->past.ts >= a->since;
	unsigned int i;
	u64 n, to, *told;

	for (i = 0; i < rd->nr; i++) {
		struct source *src = reader_source(rd, i);

		if (!wire_has_room(&rd->wire))
			return false;
		to = a->past.ts;
		if (!missed_before(a->stream, src, a->next_past, stops, &n)) {
			n = source_missed_by_now(src);
			/* Events of the next stop may be among them: wait for the counts. */
			if (stops || (starts && announce_stops_again(a)))
				continue;
			if (!starts)
				to = devtrace_clock_now();
		}
		told = source_missed_told(src);
		if (first)
			*told = n;
		/* Withdrawn records are reported after the change, too. */
		if (n <= *told && stops)
			continue;
		source_missed(rd, src, n, to);
	}
	return true;
}
