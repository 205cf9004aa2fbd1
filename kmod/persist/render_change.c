// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert changes of the stream's state to STATE frames, and report the events missed between them
 *
 * Events emitted while the stream is stopped are only counted. With each change of state, the
 * region records how many of them each ring and each slot had missed so far. So the losses of a
 * stop are reported between its two changes, as in read/missed.c.
 *
 * Invariant: each loss is reported once. If a change lacks a count, its losses are reported at the
 * next change with a count, or at the end, as lost since the first stop without a count.
 */
#include "render_priv.h"

static const struct persist_change *next_change(const struct render *r)
{
	return &r->change_at[r->change];
}

/* Return the time of the newest clear. */
static u64 cleared_at(const struct render *r)
{
	u64 since = 0;
	u32 i;

	for (i = 0; i < r->h->nr_rings; i++)
		since = max(since, r->cursor[i].ring.stops.since);
	return since;
}

/* Skip changes before the last clear; keep the last one if it left the stream stopped. */
static void skip_cleared(struct render *r)
{
	u32 state = DEVTRACE_STATE_RUNNING;

	while (r->change < r->changes && next_change(r)->ts < r->since)
		state = r->change_at[r->change++].state;
	if (state != DEVTRACE_STATE_RUNNING)
		r->change--;
}

/* Find the changes of state, and sort them. Called after the rings were checked. */
void render_changes_begin(struct render *r)
{
	const struct persist_change *all = r->mem + PERSIST_CHANGES_AT;
	u32 i, k;

	for (i = 0; i < PERSIST_CHANGES; i++) {
		if (!PERSIST_OK(&all[i]) || all[i].n % PERSIST_CHANGES != i ||
		    all[i].state > DEVTRACE_STATE_FROZEN)
			continue;
		for (k = r->changes++; k && r->change_at[k - 1].n > all[i].n; k--)
			r->change_at[k] = r->change_at[k - 1];
		r->change_at[k] = all[i];
	}
	r->state = DEVTRACE_STATE_RUNNING;
	r->since = cleared_at(r);
	skip_cleared(r);
}

/*
 * Set @missed to the number of events that a source had missed at change @n. Return false if the
 * change has no count.
 */
static bool missed_by(const struct persist_stops *s, u64 n, u64 *missed)
{
	if (!s->counts || n >= s->counts->nr || s->counts->nr - n > PERSIST_COUNTED)
		return false;
	*missed = s->counts->missed[n % PERSIST_CHANGES];
	return true;
}

/*
 * Return the earliest time of a source's missed events: that of the first stop without a count, if
 * there is one.
 */
static u64 missed_since(const struct render *r, const struct told *t, u64 last)
{
	return t->open ?: r->early ? r->began : max(last, r->began);
}

static void send_missed(struct render *r, u16 number, struct told *t, u64 from, u64 n, u64 to)
{
	render_lost(r, number, from, DEVTRACE_LOST_STOPPED, n + t->voids, max(from, to));
	t->missed += n;
	t->voids = 0;
}

/*
 * Report the events that a source missed before the next change of state. If the change is a stop
 * without a count, report nothing.
 */
static void tell_source(struct render *r, u16 number, const struct persist_stops *s,
			struct told *t, u64 last)
{
	const struct persist_change *c = next_change(r);
	const bool stops = r->state == DEVTRACE_STATE_RUNNING &&
			   c->state != DEVTRACE_STATE_RUNNING;
	u64 n = 0;
	const bool known = missed_by(s, c->n, &n);

	/* Records that the stop withdraws are reported when the stop ends. */
	if (!stops || (known && n > t->missed))
		send_missed(r, number, t, missed_since(r, t, last),
			    known && n > t->missed ? n - t->missed : 0, c->ts);
	if (known)
		t->open = 0;
	else if (!stops && !t->open)
		t->open = r->began;
}

static void send_state(struct render *r, const struct persist_change *c)
{
	u8 *p = render_body(r);
	u32 n = strnlen(c->trigger, sizeof(c->trigger) - 1);

	*p++ = c->state;
	*p++ = !!n;
	p = put_le(p, 0, 6);
	p = put_le(p, c->ts, 8);
	p = put_le(p, c->fired_at, 8);
	memcpy(p, c->trigger, n);
	p[n] = 0;
	render_send(r, DEVTRACE_T_STATE, p + n + 1);
}

/* Report the events missed before the next change of state, and send the change. */
void render_change(struct render *r)
{
	const struct persist_change *c = next_change(r);
	u32 i;

	for (i = 0; i < r->h->nr_rings; i++) {
		struct cursor *ring = &r->cursor[i];

		tell_source(r, ring->ring.cpu, &ring->ring.stops, &ring->told, ring->last);
	}
	for (i = 0; i < r->nr_lanes; i++) {
		struct lane_cursor *lane = &r->lane[i];

		tell_source(r, r->h->nr_cpus + lane->slot, &lane->left->stops, &lane->told,
			    lane->last);
	}
	send_state(r, c);
	r->state = c->state;
	r->began = c->state == DEVTRACE_STATE_RUNNING ? 0 : max(c->began, r->since);
	r->early = c->state != DEVTRACE_STATE_RUNNING && c->early;
	r->change++;
}

/**
 * render_missed_end() - report missed events that were not reported at a change
 * @r: the conversion, which has sent all changes
 * @number: number of the source
 * @stops: events that the source missed because of stops
 * @t: missed events that were already reported
 * @last: time of its last event
 * @drops: number of events that it missed since the last clear
 */
void render_missed_end(struct render *r, u16 number, const struct persist_stops *stops,
		       struct told *t, u64 last, u64 drops)
{
	const u64 all = stops->before + drops, n = all > t->missed ? all - t->missed : 0;

	u64 from = missed_since(r, t, last);

	/* A running stream misses none: the n events belong to a stop without a count. */
	if (r->state == DEVTRACE_STATE_RUNNING && !t->open)
		from = r->since;
	send_missed(r, number, t, from, n, r->a->last);
}
