// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto_clock.c - how exact the times of a machine are, as tracks of Perfetto
 *
 * Perfetto has no field for the error of a clock. So each machine whose stream states one has a
 * track with the state of its wall clock, and a counter of the error in ns. The counter is for the
 * times as Perfetto shows them, of which one offset places all events of a machine: see dates.h.
 *
 * Invariant: at the time of an event, the counter is not less than the error of this time, and at
 * most an eighth larger. A statement itself is shown exactly. Otherwise the error, which grows all
 * the time, is rounded up, so that there are few samples.
 */
#include <stdlib.h>
#include "perfetto.h"

/* The errors of the clock and of the conversion each grow by DEVTRACE_DRIFT_PPM at most. */
#define CLOCK_GROWS	(1000000 / (2 * DEVTRACE_DRIFT_PPM))	/* ns in which one grows by 1 ns */
#define CLOCK_SLACK_MAX	1000000000000000u

static const char *const clock_words[] = {
	[DEVTRACE_SYNC_UNKNOWN] = "error unknown", [DEVTRACE_SYNC_NEVER] = "never synchronised",
	[DEVTRACE_SYNC_LOST] = "no longer synchronised", [DEVTRACE_SYNC_ERROR] = "synchronised",
};

static struct perfetto_dates *clock_of(struct perfetto *f)
{
	const unsigned int nr = f->view->machine->nr;
	unsigned int i = f->nr_dates;

	if (nr >= i) {
		f->dates = view_alloc(f->dates, (nr + 1) * sizeof(*f->dates));
		f->nr_dates = nr + 1;
		for (; i <= nr; i++)
			f->dates[i] = (struct perfetto_dates){ .sync = -1 };
	}
	return &f->dates[nr];
}

/* The state of the wall clock, with the statement. */
static void clock_state(struct perfetto *f, uint64_t time, enum devtrace_sync sync)
{
	const struct devtrace_statement *a = devtrace_decoder_statement(f->view->decoder);
	const uint64_t track = perfetto_track(f, PERFETTO_TRACK_CLOCK, 0);
	struct pb *p;

	perfetto_track_named(f, track, 0, "Wall clock", true);
	p = perfetto_event_begin(f, time, PERFETTO_STATE, track);
	pb_str(p, TRACK_EVENT_NAME, clock_words[sync]);
	if (sync == DEVTRACE_SYNC_ERROR) {
		perfetto_note(p, "max_error", a->max);
		perfetto_note(p, "estimated_error", a->est);
	}
	perfetto_note(p, "status", a->status);
	perfetto_note_text(p, "source", a->source);
	pb_end(p);
	perfetto_end(f);
}

static void clock_describe(struct perfetto *f, uint64_t track)
{
	struct pb *p = perfetto_begin(f, PERFETTO_EVENTS, 0);

	pb_begin(p, PACKET_TRACK_DESCRIPTOR);
	pb_uint(p, 1, track);
	pb_str(p, 2, "Clock error");
	pb_begin(p, 8);
	pb_uint(p, 3, 1);	/* UNIT_TIME_NS */
	pb_end(p);
	pb_end(p);
	perfetto_end(f);
}

static void clock_count(struct perfetto *f, uint64_t time, uint64_t error)
{
	const uint64_t track = perfetto_track(f, PERFETTO_TRACK_CLOCK, 1);
	uint64_t *seen = view_seen(f->seen, track);
	struct pb *p;

	if (!*seen)
		clock_describe(f, track);
	*seen = 1;
	p = perfetto_event_begin(f, time, PERFETTO_COUNTER, track);
	pb_uint(p, TRACK_EVENT_COUNTER, error);
	pb_end(p);
	perfetto_end(f);
}

/* Round up, so that the error may grow for a while. */
static uint64_t clock_round(uint64_t error)
{
	return error > INT64_MAX - error / 8 ? INT64_MAX : error + error / 8;
}

/* @stated: a statement was made just now. */
static void clock_look(struct perfetto *f, struct perfetto_dates *c, uint64_t ts, bool stated)
{
	const struct view_machine *m = f->view->machine;
	const struct devtrace_decoder *d = f->view->decoder;
	const int64_t epoch = (int64_t)((uint64_t)m->first.real - m->first.ts);
	uint64_t error, slack;
	const enum devtrace_sync sync = devtrace_decoder_error(d, ts, &error);

	if (stated || c->sync != (int)sync)
		clock_state(f, view_time(f->view, ts), sync);
	c->sync = (int)sync;
	if (!view_dates_error(&c->dates, d, ts, epoch, &error))
		return;
	if (stated || error > c->shown || !c->counted) {
		c->shown = stated ? error : clock_round(error);
		c->counted = true;
		clock_count(f, view_time(f->view, ts), c->shown);
	}
	slack = c->shown - error;
	c->next = ts + CLOCK_GROWS * (slack < CLOCK_SLACK_MAX ? slack : CLOCK_SLACK_MAX);
}

void perfetto_clock_event(struct perfetto *f, uint64_t ts)
{
	struct perfetto_dates *c;

	if (!devtrace_decoder_statement(f->view->decoder) || !f->view->machine->dated)
		return;
	c = clock_of(f);
	if (ts >= c->next)
		clock_look(f, c, ts, false);
}

void perfetto_clock_item(struct perfetto *f, const struct devtrace_item *item)
{
	struct perfetto_dates *c;

	if (!devtrace_decoder_statement(f->view->decoder) || !f->view->machine->dated)
		return;
	c = clock_of(f);
	if (item->kind == DEVTRACE_ITEM_ACCURACY && item->u.accuracy.ts >= c->stated) {
		c->stated = item->u.accuracy.ts + 1;
		clock_look(f, c, item->u.accuracy.ts, true);
	} else if (item->kind == DEVTRACE_ITEM_CLOCK) {
		c->next = 0;
	}
}
