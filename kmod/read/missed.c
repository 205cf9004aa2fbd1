// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report the events that a stopped stream missed at the right place
 *
 * Events that come while a stream is stopped have no record; they are only counted. A reader
 * that comes later finds the counts of all stops added up. So the stream stores, with each
 * change of state, how many events each ring and each slot had missed by then (see
 * stream_missed() and slots_count_missed()), and the reader reports the losses of each stop
 * between its two changes.
 *
 * Invariants: Losses with the cause "stopped" are reported after the change that stopped the
 * stream and before the next change. Each is reported once: losses that are not counted at one
 * change are reported at the next, or as soon as no further change is known.
 */
#include "announce.h"
#include "missed.h"
#include "reader_priv.h"
#include "source.h"
#include "stream/past.h"
#include "stream/stream.h"

/* Events that a source missed before change @n; false if not counted yet, or forgotten. */
static bool missed_before(const struct stream *s, struct source *src, unsigned long n, u64 *missed)
{
	if (!stream_counted(s, n))
		return false;
	*missed = source_missed_before(s, src, n);
	return stream_remembers(s, n);
}

/**
 * missed_tell() - report events missed before the change of state to be sent next
 * @rd: the reader, announce_is_next() is true
 *
 * Return: false if there is no room for all; call it again.
 */
bool missed_tell(struct reader *rd)
{
	const struct announce *a = &rd->told;
	/* Events missed by stopping belong after the change. */
	const bool stops = a->state == DEVTRACE_STATE_RUNNING &&
			   a->past.state != DEVTRACE_STATE_RUNNING;
	/*
	 * A seek counted all that was missed by then as reported, but not what was cleared
	 * since.
	 */
	const bool first = a->sought && stops && a->past.ts >= a->since;
	unsigned int i;
	u64 n, to, *told;

	for (i = 0; i < rd->nr; i++) {
		struct source *src = reader_source(rd, i);

		if (!wire_has_room(&rd->wire))
			return false;
		to = a->past.ts;
		if (!missed_before(a->stream, src, a->next_past, &n)) {
			if (stops)
				continue;
			n = source_missed_by_now(src);
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
