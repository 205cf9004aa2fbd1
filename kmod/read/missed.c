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

/* Of one ring, before the change that is told next. */
static void tell_ring(struct reader *rd, struct ring_source *s, bool stops)
{
	struct announce *a = &rd->told;
	u64 to = a->past.ts, n;

	if (!stream_missed(a->stream, a->next_past, s->src.number, &n)) {
		/* Events missed by stopping belong behind the change. */
		if (stops)
			return;
		n = ring_count_read(&s->ring->dropped[DEVTRACE_LOST_STOPPED]);
		to = devtrace_clock_now();
	}
	if (n > s->drops[DEVTRACE_LOST_STOPPED] || (s->voids && !stops))
		ring_source_missed(rd, s, n, to);
}

/* Of one slot, likewise. */
static void tell_lane(struct reader *rd, struct lane_source *s, bool stops)
{
	struct announce *a = &rd->told;
	u64 to = a->past.ts, n = 0;
	bool known = stream_counted(a->stream, a->next_past);
	struct slot_view v;

	if (known) {
		n = slot_missed(s->slot, a->next_past);
		known = stream_remembers(a->stream, a->next_past);
	}
	if (!known) {
		if (stops)
			return;
		slot_view(s->slot, &v);
		n = v.dropped[DEVTRACE_LOST_STOPPED];
		to = devtrace_clock_now();
	}
	lane_source_missed(rd, s, n, to);
}

/**
 * missed_tell() - report what was missed before the change of state that is told next
 * @rd: the reader, announce_past_is_next()
 *
 * Return: false if there is no room for all; another call goes on.
 */
bool missed_tell(struct reader *rd)
{
	const struct announce *a = &rd->told;
	const bool stops = a->state == DEVTRACE_STATE_RUNNING &&
			   a->past.state != DEVTRACE_STATE_RUNNING;
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++) {
		if (!wire_has_room(&rd->wire))
			return false;
		tell_ring(rd, &rd->rings[i], stops);
	}
	for (i = 0; i < reader_nr_lanes(rd); i++) {
		if (!wire_has_room(&rd->wire))
			return false;
		tell_lane(rd, reader_lane(rd, i), stops);
	}
	return true;
}
