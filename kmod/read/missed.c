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
#include <linux/atomic.h>
#include <linux/compiler.h>

#include "announce.h"
#include "missed.h"
#include "reader_priv.h"
#include "stream/past.h"
#include "stream/stop.h"
#include "stream/stream.h"

/* Has the stream begun to stop without having recorded the change? */
static bool is_about_to_stop(const struct stream *s)
{
	switch (stop_phase(&s->stop)) {
	case STOP_RUN:
		return false;
	case STOP_COUNT:
		return !atomic_read(&s->stop.left);
	default:
		return !READ_ONCE(s->gone);
	}
}

/**
 * missed_waits() - must losses of a stop wait for a change to be sent first?
 * @rd: the reader, which has read the counts
 */
bool missed_waits(struct reader *rd)
{
	struct announce *a = &rd->told;
	bool stops;

	/*
	 * LMM(missed:E): If a count comes from missed:F, then the phase loaded below, or the
	 * history, shows the change. Pairs with missed:F.
	 */
	smp_rmb();
	/* The history has the change before the phase says that it is over. */
	stops = is_about_to_stop(rd->stream);
	return announce_has_past(a) || (a->state == DEVTRACE_STATE_RUNNING && stops);
}

/* Events that a source missed before change @n; false if not counted yet, or forgotten. */
static bool missed_before(const struct reader *rd, struct source *src, unsigned long n,
			  u64 *missed)
{
	const struct stream *s = rd->told.stream;

	if (!stream_counted(s, n))
		return false;
	*missed = src->kind == SOURCE_RING ? stream_missed(s, n, src->number) :
					     slot_missed(lane_source(src)->slot, n);
	return stream_remembers(s, n);
}

/* How many of them were reported to the reader. */
static u64 *missed_told(struct source *src)
{
	return src->kind == SOURCE_RING ? &ring_source(src)->drops[DEVTRACE_LOST_STOPPED] :
					  &lane_source(src)->drops[DEVTRACE_LOST_STOPPED];
}

/* Events that a source has missed up to now. */
static u64 missed_by_now(struct source *src)
{
	struct slot_view v;

	if (src->kind == SOURCE_RING)
		return ring_count_read(&ring_source(src)->ring->dropped[DEVTRACE_LOST_STOPPED]);
	slot_view(lane_source(src)->slot, &v);
	return v.dropped[DEVTRACE_LOST_STOPPED];
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
		if (!missed_before(rd, src, a->next_past, &n)) {
			if (stops)
				continue;
			n = missed_by_now(src);
			to = devtrace_clock_now();
		}
		told = missed_told(src);
		if (first)
			*told = n;
		/* Withdrawn records are reported after the change, too. */
		if (n <= *told && stops)
			continue;
		if (src->kind == SOURCE_RING)
			ring_source_missed(rd, ring_source(src), n, to);
		else
			lane_source_missed(rd, lane_source(src), n, to);
	}
	return true;
}
