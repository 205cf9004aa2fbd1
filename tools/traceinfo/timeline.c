// SPDX-License-Identifier: GPL-2.0-only
/*
 * timeline.c - --timeline: collect events, bars and losses in cells of equal duration
 *
 * Without a window the duration of a cell begins with 1 ns, and doubles whenever an event is after
 * the last cell. So a stream, also from a pipe, is read only once, and at the end more than half of
 * the cells are used. With a window, as for -f, the duration is fixed.
 *
 * A LOST frame may say that events were lost up to a time that no event has reached yet. Such a
 * loss is kept until the next event, and ends at the time of this event at the latest. So a wrong
 * time in a LOST frame does not stretch the picture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "timeline.h"

#define REDRAW	200	/* ms between two drawings of an unfinished picture */
#define HEAD	8	/* maximum number of lines of a picture that are not rows */

struct ti_timeline *ti_timeline_new(const struct ti_options *opt)
{
	struct ti_timeline *t = ti_alloc(NULL, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->opt = opt;
	t->window = opt->window ? opt->window : opt->follow ? TIMELINE_FOLLOW : 0;
	t->width = t->window ? (t->window + TIMELINE_CELLS - 1) / TIMELINE_CELLS : 1;
	hash_key_init(&t->key);
	out_init(&t->name, -1);
	return t;
}

void ti_timeline_free(struct ti_timeline *t)
{
	unsigned int i;

	for (i = 0; t && i < t->nr_rows; i++) {
		free(t->rows[i]->cells);
		free(t->rows[i]);
	}
	if (t)
		out_free(&t->name);
	free(t);
}

/* Find or add the row of a track. Return NULL if the table is full. */
static struct timeline_row *timeline_row(struct ti_timeline *t, unsigned int kind,
					 struct ti_track *track, const struct devtrace_decoder *d)
{
	const uint64_t words[] = { kind, track->id };
	size_t i = hash_words(&t->key, words, 2) % TIMELINE_HASH;
	struct timeline_row *r;

	for (; t->hash[i]; i = (i + 1) % TIMELINE_HASH) {
		r = t->rows[t->hash[i] - 1];
		if (r->kind != kind || r->track.id != track->id)
			continue;
		/* The event that switches to a thread also has the thread's name. */
		if (*track->name && r->track.name[0] == '?')
			memcpy(r->track.name, track->name, sizeof(r->track.name));
		return r;
	}
	if (t->nr_rows == TIMELINE_ROWS)
		return NULL;
	r = ti_alloc(NULL, sizeof(*r));
	memset(r, 0, sizeof(*r));
	ti_track_name(track, d);
	r->track = *track;
	r->kind = kind;
	r->cells = ti_alloc(NULL, TIMELINE_CELLS * sizeof(*r->cells));
	memset(r->cells, 0, TIMELINE_CELLS * sizeof(*r->cells));
	t->rows[t->nr_rows++] = r;
	t->hash[i] = (uint16_t)t->nr_rows;
	return r;
}

static void add_state(struct timeline_cell *c, uint8_t state, uint64_t ns)
{
	/* If one state takes the majority of the time, this state remains. */
	if (c->state == state) {
		c->v.ns += ns;
	} else if (ns > c->v.ns) {
		c->state = state;
		c->v.ns = ns - c->v.ns;
	} else {
		c->v.ns -= ns;
	}
}

void timeline_join(unsigned int kind, struct timeline_cell *c, const struct timeline_cell *with)
{
	if (kind == TIMELINE_COUNTER) {
		if (with->events && (!c->events || with->v.max > c->v.max))
			c->v.max = with->v.max;
	} else if (kind == TI_TRACK_OBJECT) {
		if (with->state)
			add_state(c, with->state, with->v.ns);
	} else {
		c->v.ns += with->v.ns;
	}
	c->events = c->events > UINT32_MAX - with->events ? UINT32_MAX : c->events + with->events;
	if (with->severity > c->severity)
		c->severity = with->severity;
}

/* Join each 2^@bits cells to one. */
static void join_all(struct ti_timeline *t, unsigned int bits)
{
	unsigned int i, k;

	for (i = 0; i < t->nr_rows; i++) {
		struct timeline_row *r = t->rows[i];

		for (k = 0; k < TIMELINE_CELLS; k++) {
			const struct timeline_cell with = r->cells[k];

			memset(&r->cells[k], 0, sizeof(with));
			if (k >> bits << bits == k)
				r->cells[k >> bits] = with;
			else
				timeline_join(r->kind, &r->cells[k >> bits], &with);
		}
	}
	for (k = 0; k < TIMELINE_CELLS; k++) {
		const bool with = t->is_lost[k];

		t->is_lost[k] = false;
		t->is_lost[k >> bits] |= with;
	}
}

/* Return the cell of a time, at most the last cell. */
static unsigned int cell(const struct ti_timeline *t, uint64_t ts)
{
	const uint64_t i = ts > t->first ? (ts - t->first) / t->width : 0;

	return i < TIMELINE_CELLS ? (unsigned int)i : TIMELINE_CELLS - 1;
}

/* Without a window, double the duration of the cells until one of them contains this time. */
static void reach(struct ti_timeline *t, uint64_t ts)
{
	uint64_t i = ts > t->first ? (ts - t->first) / t->width : 0;
	unsigned int bits = 0;

	for (; i >= TIMELINE_CELLS; i /= 2)
		bits++;
	if (!bits || t->window)
		return;
	t->width <<= bits;
	join_all(t, bits < 10 ? bits : 10);
}

/* Add a bar of a row to the cells from @from to @to. */
static void fill(struct ti_timeline *t, struct timeline_row *r, uint64_t from, uint64_t to)
{
	unsigned int i, last;

	if (from < t->first)
		from = t->first;
	if (to <= from)
		return;
	r->ns += to - from;
	last = cell(t, to - 1);
	for (i = cell(t, from); i <= last; i++) {
		const uint64_t begin = t->first + i * t->width, end = begin + t->width;
		const uint64_t ns = (to < end ? to : end) - (from > begin ? from : begin);

		if (r->kind == TI_TRACK_OBJECT)
			add_state(&r->cells[i], r->state, ns);
		else
			r->cells[i].v.ns += ns;
	}
}

/* Return the index of a state plus 1, or 0 if there are too many. */
static uint8_t state(struct ti_timeline *t, const char *name)
{
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned int i, k;

	for (i = 0; i < t->nr_states; i++)
		if (!strncmp(t->states[i].name, name, sizeof(t->states[i].name) - 1))
			return (uint8_t)(i + 1);
	if (i == TIMELINE_STATES)
		return 0;
	snprintf(t->states[i].name, sizeof(t->states[i].name), "%s", name);
	/* The letter is the first one in the name that no other state uses. */
	for (k = 0; k < 2 && !t->states[i].letter; k++) {
		const char *s;

		for (s = k ? more : name; *s && !t->states[i].letter; s++) {
			unsigned int other = 0;

			while (other < i && t->states[other].letter != *s)
				other++;
			if (other == i && strchr(more, *s))
				t->states[i].letter = *s;
		}
	}
	t->nr_states++;
	return (uint8_t)(i + 1);
}

static struct timeline_open *open_list(struct ti_timeline *t, const struct timeline_row *r)
{
	return r->kind == TI_TRACK_OBJECT ? &t->objects : &t->others;
}

/* End the bar of a row, if it has one. */
static void close_bar(struct ti_timeline *t, struct timeline_row *r, uint64_t ts)
{
	struct timeline_open *o = open_list(t, r);

	if (!r->open)
		return;
	fill(t, r, r->since, ts);
	o->rows[r->open - 1] = o->rows[--o->n];
	o->rows[r->open - 1]->open = r->open;
	r->open = 0;
}

static void open_bar(struct ti_timeline *t, struct timeline_row *r, uint64_t ts)
{
	struct timeline_open *o = open_list(t, r);

	o->rows[o->n++] = r;
	r->open = o->n;
	r->since = ts;
}

static void close_all(struct ti_timeline *t, struct timeline_open *o, uint64_t ts)
{
	while (o->n)
		close_bar(t, o->rows[o->n - 1], ts);
}

/* Context of bar(): the event, and the timeline in which the event's bars begin or end */
struct place {
	struct ti_timeline *t;
	const struct ti_event *e;
	bool		wanted;
	struct timeline_row *cpu;	/* for a switch: the row of the CPU */
};

static void bar(void *ctx, struct ti_track *track, const char *label)
{
	struct place *at = ctx;
	struct ti_timeline *t = at->t;
	struct timeline_row *r = timeline_row(t, track->kind, track, at->e->decoder);

	if (!r)
		return;
	close_bar(t, r, at->e->ev->ts);
	if (track->kind == TI_TRACK_OBJECT && label) {
		r->state = state(t, label);
		r->events++;
	}
	if (label && (track->kind != TI_TRACK_OBJECT || r->state))
		open_bar(t, r, at->e->ev->ts);
	if (track->kind == TI_TRACK_CPU) {
		at->cpu = r;
		r->thread = NULL;
	} else if (track->kind == TI_TRACK_THREAD && label && at->cpu) {
		/* The switch to another thread on its previous CPU may be lost. */
		if (r->cpu && r->cpu->thread == r)
			r->cpu->thread = NULL;
		r->cpu = at->cpu;
		at->cpu->thread = r;
	}
	/* An event of a switch belongs to the previous thread. */
	r->wanted |= at->wanted && track->kind != TI_TRACK_THREAD;
}

static void count(struct ti_timeline *t, struct timeline_row *r, const struct devtrace_event *ev)
{
	struct timeline_cell *c = &r->cells[cell(t, ev->ts)];
	const uint8_t severity = ev->severity & DEVTRACE_SEV_SET ? (ev->severity & 3) + 1 : 0;

	r->events++;
	r->wanted = true;
	if (c->events != UINT32_MAX)
		c->events++;
	if (severity > c->severity)
		c->severity = severity;
}

static void counters(struct ti_timeline *t, const struct ti_event *e, const char *name)
{
	const struct ti_picks *picks = &t->opt->counters;
	struct timeline_row *r;
	struct timeline_cell *c;
	struct ti_track track;
	struct ti_arg a;
	unsigned int i;
	double v;

	for (i = 0; i < picks->n; i++) {
		if (!ti_pick_value(&picks->v[i], name, e, &a))
			continue;
		v = a.kind == TI_ARG_DOUBLE ? a.v.f : a.kind == TI_ARG_INT ? (double)a.v.i :
		    (double)a.v.u;
		track.id = i;
		snprintf(track.name, sizeof(track.name), "%s", picks->v[i].word);
		r = timeline_row(t, TIMELINE_COUNTER, &track, e->decoder);
		if (!r)
			continue;
		c = &r->cells[cell(t, e->ev->ts)];
		if (!c->events || v > c->v.max)
			c->v.max = v;
		if (!r->events || v > r->max)
			r->max = v;
		count(t, r, e->ev);
	}
}

/* Mark the cells of all kept losses. A loss that would end after @ts ends at @ts. */
static void mark_losses(struct ti_timeline *t, uint64_t ts)
{
	unsigned int i, k, last;

	for (i = 0; i < t->nr_losses; i++) {
		const struct timeline_loss *l = &t->losses[i];

		if (l->to < t->first)
			continue;
		last = cell(t, l->to < ts ? l->to : ts);
		for (k = cell(t, l->from); k <= last; k++)
			t->is_lost[k] = true;
	}
	t->nr_losses = 0;
}

static void add_loss(struct ti_timeline *t, uint64_t from, uint64_t to)
{
	struct timeline_loss *l = &t->losses[TIMELINE_LOSSES - 1];

	if (t->nr_losses < TIMELINE_LOSSES) {
		l = &t->losses[t->nr_losses++];
		*l = (struct timeline_loss){ from, to };
		return;
	}
	/* The table is full: extend the last loss by the new loss. */
	l->from = from < l->from ? from : l->from;
	l->to = to > l->to ? to : l->to;
}

/* Begin an empty picture. */
static void turn(struct ti_timeline *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_rows; i++) {
		struct timeline_row *r = t->rows[i];

		if (!r->events && !r->ns && !r->wanted)
			continue;
		memset(r->cells, 0, TIMELINE_CELLS * sizeof(*r->cells));
		r->events = 0;
		r->ns = 0;
		r->wanted = false;
	}
	memset(t->is_lost, 0, sizeof(t->is_lost));
	t->events = 0;
	t->lost = 0;
	t->left_out = 0;
}

/* Fill open bars up to this time. */
static void fill_open(struct ti_timeline *t, const struct timeline_open *o, uint64_t to)
{
	unsigned int i;

	for (i = 0; i < o->n; i++) {
		struct timeline_row *r = o->rows[i];

		fill(t, r, r->since, to);
		r->since = to > r->since ? to : r->since;
	}
}

/* Remove the unfinished picture from the terminal. */
static void erase(struct ti_timeline *t, struct out *o)
{
	if (!t->drawn)
		return;
	OUT_LIT(o, "\033[");
	out_u64(o, t->drawn);
	OUT_LIT(o, "A\r\033[J");
	t->drawn = 0;
}

/* Print the picture, which has ended at @to. */
static void finish(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		   const struct devtrace_decoder *d, const char *input, uint64_t to)
{
	mark_losses(t, to);
	fill_open(t, &t->objects, to);
	fill_open(t, &t->others, to);
	erase(t, o);
	timeline_print(t, o, p, d, input, UINT32_MAX);
	t->explained = true;
	turn(t);
}

void ti_timeline_event(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		       const struct ti_event *e, bool wanted)
{
	const bool picks = t->opt->slices.n || t->opt->counters.n;
	const char *name = picks ? ti_args_name(&t->name, e) : "";
	const uint64_t ts = e->ev->ts;
	struct place at = { .t = t, .e = e, .wanted = wanted };
	struct timeline_row *r;
	struct ti_track track;

	if (!t->begun) {
		t->first = ts;
		t->begun = true;
	} else if (t->window && ts >= t->first && ts - t->first >= t->window) {
		finish(t, o, p, e->decoder, NULL, t->first + t->window);
		/* A window without an event gets no picture. */
		t->first += (ts - t->first) / t->window * t->window;
	}
	reach(t, ts);
	t->last = ts > t->last ? ts : t->last;
	mark_losses(t, ts);
	t->changed = true;
	if (wanted) {
		t->events++;
		ti_track_of(&track, e);
		r = timeline_row(t, track.kind, &track, e->decoder);
		if (r)
			count(t, r, e->ev);
		else
			t->left_out++;
		counters(t, e, name);
	}
	ti_track_bars(e, name, &t->opt->slices, bar, &at);
}

static void lost(struct ti_timeline *t, const struct devtrace_lost *l,
		 const struct devtrace_decoder *d)
{
	const uint64_t to = l->to ? l->to : t->last, from = l->from ? l->from : to;
	const uint64_t end = from < t->last ? from : t->last;
	struct timeline_row *r, *thread;
	unsigned int kind;

	if (!t->begun && l->to)
		t->lost_before += l->count;
	else
		t->lost += l->count;
	add_loss(t, from, to);
	/* The lost event may be a new state, a switch or the end of a handler. */
	close_all(t, &t->objects, end);
	for (kind = TI_TRACK_CPU; kind <= TI_TRACK_SOFTIRQ; kind++) {
		struct ti_track track = { .kind = (enum ti_track_kind)kind, .id = l->source };

		r = t->begun && devtrace_decoder_lane(d, l->source) < 0 ?
		    timeline_row(t, kind, &track, d) : NULL;
		if (!r)
			continue;
		thread = r->thread;
		r->thread = NULL;
		close_bar(t, r, end);
		if (thread)
			close_bar(t, thread, end);
	}
}

/* Add frames that are missing after the last event. The states of all rows are unknown. */
static void missing(struct ti_timeline *t, uint64_t from)
{
	add_loss(t, from, UINT64_MAX);
	close_all(t, &t->objects, from);
	close_all(t, &t->others, from);
}

void ti_timeline_item(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		      const struct devtrace_decoder *d, const struct devtrace_item *item)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		lost(t, &item->u.lost, d);
		break;
	case DEVTRACE_ITEM_GAP:
		t->lost += item->u.gap.count;
		missing(t, item->u.gap.ts_before ? item->u.gap.ts_before : t->last);
		break;
	case DEVTRACE_ITEM_DAMAGE:
		missing(t, t->last);
		break;
	case DEVTRACE_ITEM_INFO:
		if (!t->begun || (item->u.info.reason != DEVTRACE_INFO_OPEN &&
				  item->u.info.reason != DEVTRACE_INFO_SEEK))
			return;
		finish(t, o, p, d, NULL, t->last);
		close_all(t, &t->objects, 0);
		close_all(t, &t->others, 0);
		t->begun = false;
		t->last = 0;
		t->width = t->window ? t->width : 1;
		break;
	default:
		return;
	}
	t->changed = true;
}

void ti_timeline_end(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		     const struct devtrace_decoder *d, const char *input)
{
	finish(t, o, p, d, input, t->last);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/*
 * Print an unfinished picture with fewer lines than the terminal, so that it can be erased later.
 * Return the number of its lines, which is 0 if the terminal is too small.
 */
static unsigned int draw(struct ti_timeline *t, struct out *o, struct ti_printer *p,
			 const struct devtrace_decoder *d, unsigned int height)
{
	unsigned int lines, rows = height - HEAD;
	struct out picture;

	for (;;) {
		out_init(&picture, -1);
		lines = timeline_print(t, &picture, p, d, NULL, rows);
		if (lines < height)
			out_mem(o, picture.buf, picture.len);
		out_free(&picture);
		if (lines < height)
			return lines;
		if (!rows)
			return 0;
		rows -= lines - height + 1 < rows ? lines - height + 1 : rows;
	}
}

int ti_timeline_wait(struct ti_timeline *t, struct out *o, struct ti_printer *p,
		     const struct devtrace_decoder *d)
{
	const char *term = getenv("TERM");
	struct winsize w;
	uint64_t now;

	if (!t || !t->begun || !p->terminal || !term || !strcmp(term, "dumb") ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_row <= HEAD)
		return -1;
	if (t->drawn && (t->terminal_rows != w.ws_row || t->terminal_columns != w.ws_col))
		t->changed = true;
	if (!t->changed)
		return -1;
	now = now_ms();
	if (t->drawn && now - t->drawn_at < REDRAW)
		return (int)(REDRAW - (now - t->drawn_at));
	mark_losses(t, t->last);
	fill_open(t, &t->objects, t->last);
	fill_open(t, &t->others, t->last);
	/*
	 * When a terminal becomes narrower, it may divide the lines of the old picture or cut them
	 * off. The number of lines to erase is unknown then, so the old picture stays.
	 */
	if (w.ws_col < t->terminal_columns)
		t->drawn = 0;
	erase(t, o);
	t->drawn = draw(t, o, p, d, w.ws_row);
	t->terminal_rows = w.ws_row;
	t->terminal_columns = w.ws_col;
	t->drawn_at = now;
	t->changed = false;
	return -1;
}
