// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report the events that were not stored because the stream was stopped, between the right frames
 *
 * While a stream is stopped, events are only counted, so a reader that is opened later finds one
 * sum for all stops. To report the losses of each stop between the stop and the next start, the
 * stream stores at each change of state how many events each ring and slot had missed until then:
 * see stream_missed() and slots_count_missed().
 *
 * Invariants: The losses of a stop are reported once, after the STATE frame of the stop and before
 * the next STATE frame. A loss that was not counted at one change is reported at the next one, or
 * as soon as no further change is known. The interval in the report still ends with the stop: see
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
 * counted yet or the number is no longer known. If change @n is a stop (@stops), the numbers at
 * the change before it are used: no event was missed in between.
 */
static bool missed_before(const struct stream *s, struct source *src, unsigned long n, bool stops,
			  u64 *missed)
{
	return (stops && missed_at(s, src, n - 1, missed)) || missed_at(s, src, n, missed);
}

/*
 * Report events missed before the change of state that is sent next; announce_is_next() is true.
 * Return false if there is no room for all reports: then call it again.
 */
bool missed_tell(struct reader *rd)
{
	const struct announce *a = &rd->told;
	/* Events that are missed because of this change are reported after it. */
	const bool stops = a->state == DEVTRACE_STATE_RUNNING &&
			   a->past.state != DEVTRACE_STATE_RUNNING;
	const bool starts = a->past.state == DEVTRACE_STATE_RUNNING;
	/*
	 * A seek marks earlier missed events as reported, but not those missed after the last
	 * clear.
	 */
	const bool first = a->sought && stops && a->past.ts >= a->since;
	unsigned int i;
	u64 n, to, *told;

	for (i = 0; i < rd->nr; i++) {
		struct source *src = reader_source(rd, i);

		if (!wire_has_room(&rd->wire))
			return false;
		to = a->past.ts;
		if (!missed_before(a->stream, src, a->next_past, stops, &n)) {
			n = source_missed_by_now(a->stream, src);
			/*
			 * The number may include events of the next stop: wait for the count at
			 * that stop.
			 */
			if (stops || (starts && announce_stops_again(a)))
				continue;
			if (!starts)
				to = devtrace_clock_now();
		}
		told = source_missed_told(src);
		if (first)
			*told = n;
		/* Records that this stop withdrew are reported after the change, too. */
		if (n <= *told && stops)
			continue;
		source_missed(rd, src, n, to);
	}
	return true;
}
