// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that a stopped stream missed, reported at their place in the stream
 *
 * Events that come while a stream is stopped have no record; they are counted. A reader
 * that comes later finds the counts of all stops added up. With each change of state the
 * stream keeps how many events each ring, and each slot of lanes, had missed by then, see
 * stream_missed() and slots_count_missed(); so the reader tells the losses of each stop
 * between its two changes.
 *
 * Invariants. Losses with the cause "stopped" are told behind the change that stopped the
 * stream, and before the next one. Each is told once: what one change does not have is told
 * at the next one, or as soon as no further change is known.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>

#include "announce.h"
#include "missed.h"
#include "reader_priv.h"
#include "stream/past.h"
#include "stream/stop.h"
#include "stream/stream.h"

/* Whether it has begun to stop and has not said so yet. */
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
 * missed_waits() - whether losses of a stop have to wait for a change to be told
 * @rd: the reader, which has read how many there are
 */
bool missed_waits(struct reader *rd)
{
	struct announce *a = &rd->told;
	bool stops;

	/* LMM(missed:E): the counts before the phase; pairs with missed:F. */
	smp_rmb();
	/* A change is in the past before the phase says that it is over. */
	stops = is_about_to_stop(rd->stream);
	return announce_has_past(a) || (a->state == DEVTRACE_STATE_RUNNING && stops);
}

/* How many a source had missed before a change; false: it is not counted yet, or forgotten. */
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

/* How many of them the reader was told of. */
static u64 *missed_told(struct source *src)
{
	return src->kind == SOURCE_RING ? &ring_source(src)->drops[DEVTRACE_LOST_STOPPED] :
					  &lane_source(src)->drops[DEVTRACE_LOST_STOPPED];
}

/* As many as there are by now. */
static u64 missed_by_now(struct source *src)
{
	struct slot_view v;

	if (src->kind == SOURCE_RING)
		return ring_count_read(&ring_source(src)->ring->dropped[DEVTRACE_LOST_STOPPED]);
	slot_view(lane_source(src)->slot, &v);
	return v.dropped[DEVTRACE_LOST_STOPPED];
}

/**
 * missed_tell() - report what was missed before the change of state that is told next
 * @rd: the reader, announce_is_next()
 *
 * Return: false if there is no room for all; another call goes on.
 */
bool missed_tell(struct reader *rd)
{
	const struct announce *a = &rd->told;
	/* Events missed by stopping belong behind the change. */
	const bool stops = a->state == DEVTRACE_STATE_RUNNING &&
			   a->past.state != DEVTRACE_STATE_RUNNING;
	/* A seek took all that was missed by then for told. Not what was cleared since. */
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
		/* What was taken back is told behind the change, too. */
		if (n <= *told && stops)
			continue;
		if (src->kind == SOURCE_RING)
			ring_source_missed(rd, ring_source(src), n, to);
		else
			lane_source_missed(rd, lane_source(src), n, to);
	}
	return true;
}
