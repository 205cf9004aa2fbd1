// SPDX-License-Identifier: GPL-2.0-only
/*
 * told.c - which losses are new to the receiver
 *
 * Invariants
 * - A loss is told once, also if the logger is restarted. When a reader opens the device, the
 *   kernel reports the losses since the buffer was cleared; told before are those up to the time
 *   @newest, and of causes that are counted since then, the sum that was told.
 * - If events newer than @newest were overwritten, the kernel's count includes events that were
 *   sent. The number of events that the new reader hears of up to @newest, less the number of those
 *   heard of before, is the number of lost ones. So these losses are held until an event is newer.
 * - Only events and losses that had a place in the buffer are heard; other losses are counters.
 * - If the numbers do not fit together, for example because the buffer was cleared, the kernel's
 *   count is told: a loss is never concealed.
 * - Only what the receiver has acknowledged is sure, and saved. While losses are held, the state
 *   before is saved: the next reader hears the same again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "told.h"

static struct told_stream *current(struct told_state *s)
{
	return &s->all[s->current];
}

void told_origin(struct told *t, const char *boot_id, const char *stream)
{
	struct told_state *s = &t->now;
	char id[sizeof(s->past.id)];
	unsigned int i;

	snprintf(id, sizeof(id), "%s %s", boot_id, stream);
	if (!strcmp(current(s)->id, id))
		return;
	for (i = 0; i < 2 && strcmp(s->all[i].id, id); i++)
		;
	if (i == 2) {
		i = *current(s)->id ? !s->current : s->current;
		s->all[i] = (struct told_stream){ 0 };
		strcpy(s->all[i].id, id);
	}
	s->current = i;
	s->past = s->all[i];
	s->nr_held = 0;
	s->mode = s->past.newest ? TOLD_REFED : TOLD_LIVE;
}

void told_open(struct told *t)
{
	t->now.opened = true;
}

/* The first frame after INFO and the number of the module's load. */
static void begin(struct told_state *s, uint32_t load)
{
	struct told_stream *c = current(s);

	if (!s->opened)
		return;
	s->opened = false;
	s->nr_held = 0;
	/* The one before may have been opened only now, and not be read up to @newest. */
	if (s->mode != TOLD_AGAIN)
		s->past = *c;
	if (s->past.load != load)
		s->past = (struct told_stream){ 0 };
	s->left = s->past;
	s->mode = s->past.newest ? TOLD_AGAIN : TOLD_LIVE;
	c->load = load;
	c->newest = s->past.newest;
	c->heard = 0;
	c->nr = 0;
}

static struct told_sum *find_sum(const struct told_stream *c, const struct devtrace_lost *l)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (c->sums[i].source == l->source && c->sums[i].cause == l->cause)
			return (struct told_sum *)&c->sums[i];
	return NULL;
}

static void add_sum(struct told_stream *c, const struct devtrace_lost *l, uint64_t n)
{
	struct told_sum *sum = find_sum(c, l);

	if (!sum && c->nr < TOLD_SUMS) {
		sum = &c->sums[c->nr++];
		*sum = (struct told_sum){ .source = l->source, .cause = l->cause };
	}
	if (sum)
		sum->count += n;
}

/* How many events of this loss were not told as lost? Most of them may have been sent. */
static uint64_t untold(const struct told_state *s, const struct devtrace_lost *l)
{
	const struct told_sum *sum = find_sum(&s->past, l);

	return !sum ? l->count : l->count > sum->count ? l->count - sum->count : 0;
}

/* @left * @mine / @all, where @mine is at most @all. A double rounds large numbers. */
static uint64_t share_of(uint64_t left, uint64_t mine, uint64_t all)
{
	const double share = (double)left * (double)mine / (double)all;

	return mine == all || share >= (double)left ? left : (uint64_t)share;
}

/*
 * All losses up to the reader's place are heard: reduce those held to events that are new. The sum
 * is exact. Sources get shares of it, because an event of a lane does not tell its lane.
 */
static void release(struct told_state *s)
{
	struct told_stream *c = current(s);
	const bool fits = c->heard >= s->past.heard;
	uint64_t left = fits ? c->heard - s->past.heard : 0, all = 0, share, mine;
	unsigned int i;

	for (i = 0; i < s->nr_held; i++)
		all += untold(s, &s->held[i]);
	for (i = 0; i < s->nr_held; i++) {
		struct devtrace_lost *l = &s->held[i];

		mine = untold(s, l);
		share = share_of(left, mine, all);
		all -= mine;
		left -= share;
		if (fits)
			l->count = share;
		if (l->from < s->past.newest)
			l->from = s->past.newest;
	}
	s->due = 0;
	s->mode = TOLD_LIVE;
}

bool told_event(struct told *t, uint64_t ts, uint32_t load)
{
	struct told_state *s = &t->now;
	struct told_stream *c = current(s);
	bool due = false;

	begin(s, load);
	if (s->mode != TOLD_LIVE && ts > s->past.newest) {
		release(s);
		due = s->nr_held;
	}
	if (s->mode == TOLD_REFED)
		return false;
	c->heard++;
	if (ts > c->newest)
		c->newest = ts;
	return due;
}

bool told_due(struct told *t, struct devtrace_lost *l)
{
	struct told_state *s = &t->now;

	while (s->due < s->nr_held) {
		*l = s->held[s->due++];
		if (l->count)
			return true;
	}
	s->nr_held = 0;
	return false;
}

/* Losses of these causes are places in the buffer; the others are counters. */
static bool is_passed(const struct devtrace_lost *l)
{
	return l->cause == DEVTRACE_LOST_OVERWRITTEN || l->cause == DEVTRACE_LOST_CLEARED;
}

/* Reduce a loss of a counter by what was told. */
static bool is_more(struct told_state *s, struct devtrace_lost *l, uint64_t n, bool is_old)
{
	struct told_sum *sum = find_sum(&s->left, l);
	uint64_t before = sum ? sum->count : 0;

	/* Each stop is reported for itself. Another counter that is lower was cleared. */
	if (before > n && l->cause != DEVTRACE_LOST_STOPPED)
		before = 0;
	else if (before > n)
		before = n;
	if (sum)
		sum->count -= before ? before : sum->count;
	if (n == before || (is_old && l->cause == DEVTRACE_LOST_STOPPED))
		return false;
	l->count -= l->count ? before : 0;
	if (l->from < s->past.newest)
		l->from = s->past.newest;
	if (l->to < l->from)
		l->to = l->from;
	return true;
}

bool told_lost(struct told *t, struct devtrace_lost *l, uint32_t load)
{
	struct told_state *s = &t->now;
	struct told_stream *c = current(s);
	/* the number of events in an invalid lane is unknown: count the reports */
	const uint64_t n = l->cause == DEVTRACE_LOST_LANE ? 1 : l->count;
	bool is_old;

	begin(s, load);
	/* The event at @to is not lost. */
	is_old = s->mode != TOLD_LIVE && l->to && l->to - 1 <= s->past.newest;
	if (s->mode == TOLD_REFED && is_old)
		return false;
	if (is_passed(l))
		c->heard += l->count;
	add_sum(c, l, n);
	if (s->mode != TOLD_AGAIN) {
		if (l->to && l->to - 1 > c->newest)
			c->newest = l->to - 1;
		return true;
	}
	if (!is_passed(l))
		return is_more(s, l, n, is_old);
	if (is_old)
		return false;
	if (s->nr_held == TOLD_HELD)
		return true;
	s->held[s->nr_held++] = *l;
	return false;
}

void told_gap(struct told *t, uint64_t frames)
{
	/* Nearly all frames are events. */
	if (t->now.mode != TOLD_REFED)
		current(&t->now)->heard += frames;
}

void told_settle(struct told *t)
{
	t->sure = t->now;
}

void told_rewind(struct told *t)
{
	t->now = t->sure;
}

/* One line a stream: load, newest, heard, number of sums, sums, id. */
size_t told_save(const struct told *t, char out[TOLD_TEXT])
{
	const struct told_state *s = &t->sure;
	size_t n = 0;
	unsigned int i, k;

	/* The current one is first. */
	for (i = 0; i < 2; i++) {
		const struct told_stream *c = &s->all[s->current ^ i];

		if (!i && s->mode != TOLD_LIVE)
			c = &s->past;
		if (!c->newest)
			continue;
		n += (size_t)snprintf(out + n, TOLD_TEXT - n,
				      "%" PRIu32 " %" PRIu64 " %" PRIu64 " %u",
				      c->load, c->newest, c->heard, c->nr);
		for (k = 0; k < c->nr; k++) {
			const struct told_sum *sum = &c->sums[k];

			n += (size_t)snprintf(out + n, TOLD_TEXT - n, " %u %u %" PRIu64,
					      sum->source, sum->cause, sum->count);
		}
		n += (size_t)snprintf(out + n, TOLD_TEXT - n, " %s\n", c->id);
	}
	return n;
}

static bool number(const char **p, uint64_t *v)
{
	char *end;

	*v = strtoull(*p, &end, 10);
	if (end == *p || *end != ' ')
		return false;
	*p = end + 1;
	return true;
}

static bool load_stream(struct told_stream *c, const char *p, size_t len)
{
	uint64_t load, nr, source, cause;
	unsigned int i;

	if (!number(&p, &load) || !number(&p, &c->newest) || !number(&p, &c->heard) ||
	    !number(&p, &nr) || nr > TOLD_SUMS)
		return false;
	c->load = (uint32_t)load;
	c->nr = (unsigned int)nr;
	for (i = 0; i < c->nr; i++) {
		if (!number(&p, &source) || !number(&p, &cause) || !number(&p, &c->sums[i].count))
			return false;
		c->sums[i].source = (uint16_t)source;
		c->sums[i].cause = (uint8_t)cause;
	}
	len = strcspn(p, "\n");
	if (!len || len >= sizeof(c->id))
		return false;
	memcpy(c->id, p, len);
	c->id[len] = 0;
	return true;
}

void told_load(struct told *t, const char *text)
{
	struct told_state *s = &t->now;
	const char *end;
	unsigned int i;

	for (i = 0; i < 2 && (end = strchr(text, '\n')); i++, text = end + 1)
		if (!load_stream(&s->all[i], text, (size_t)(end - text)))
			s->all[i] = (struct told_stream){ 0 };
	/* The first frames may come without their origin. */
	s->past = s->all[0];
	s->mode = s->past.newest ? TOLD_REFED : TOLD_LIVE;
	t->sure = t->now;
}
