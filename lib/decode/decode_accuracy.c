// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decode_accuracy.c - statements about the error of the wall clock
 *
 * A statement is in an EMPTY frame of the kernel. Its text consists of five words; a text in
 * another form is ignored, because a later version may have another one. In the stream of an older
 * module, only tracelogger's note "clock" says how exact the clock was.
 *
 * Invariant: an error that devtrace_decoder_error() returns was stated, and no step of the wall
 * clock is known between the statement and now.
 */
#include <string.h>

#include "decode_priv.h"

/* A larger difference between two CLOCK frames is a step: 1 ms, and DEVTRACE_DRIFT_PPM. */
#define STEP_NS		1000000u
#define LOOK_NS		1000000000u	/* the kernel compares the clocks so often */
#define UNSENT_NS	20000u		/* a smaller difference makes no CLOCK frame */
#define DRIFT(ns)	((ns) / (1000000 / DEVTRACE_DRIFT_PPM))

/* Read a number of base 10 or 16 that ends at @end. Return the place after @end, or NULL. */
static const char *take_number(const char *s, unsigned int base, uint64_t max, char end,
			       uint64_t *v)
{
	const char *begin = s;

	for (*v = 0; *s != end; s++) {
		const unsigned int digit = *s >= '0' && *s <= '9' ? (unsigned int)(*s - '0') :
			base == 16 && *s >= 'a' && *s <= 'f' ? (unsigned int)(*s - 'a') + 10 : base;

		if (digit == base || *v > (max - digit) / base)
			return NULL;
		*v = *v * base + digit;
	}
	return s == begin ? NULL : s + 1;
}

static bool take_source(struct devtrace_statement *a, const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.-");

	if (!n || s[n] || n >= sizeof(a->source))
		return false;
	memcpy(a->source, s, n + 1);
	return true;
}

static bool accuracy_text(struct devtrace_statement *a, const char *text)
{
	uint64_t status;

	memset(a, 0, sizeof(*a));
	text = take_number(text, 10, UINT64_MAX, ' ', &a->ts);
	if (text)
		text = take_number(text, 10, DEVTRACE_ACCURACY_MAX, ' ', &a->max);
	if (text)
		text = take_number(text, 10, DEVTRACE_ACCURACY_MAX, ' ', &a->est);
	if (text)
		text = take_number(text, 16, 0xffff, ' ', &status);
	if (!text)
		return false;
	a->status = (uint32_t)status;
	return take_source(a, text);
}

bool dt_accuracy_parse(struct devtrace_statement *a, const uint8_t *body, size_t len)
{
	const size_t head = sizeof(struct devtrace_wire_accuracy);

	return len > head && body[0] == DEVTRACE_EMPTY_ACCURACY && !body[len - 1] &&
	       accuracy_text(a, (const char *)body + head);
}

void dt_accuracy_learn(struct dt_accuracy *to, const struct devtrace_statement *a)
{
	to->last = *a;
	to->known = true;
	/* The kernel repeats a statement for each reader. It does not hold beyond a step. */
	to->valid = !a->ts || a->ts >= to->step;
	to->noted = false;
	to->synced |= !(a->status & DEVTRACE_ACCURACY_UNSYNC);
}

/* Parse the note "clock", by which tracelogger states the error at the begin of a file. */
static bool accuracy_words(struct devtrace_statement *a, const char *words)
{
	static const char exact[] = "exact to ";
	const char *rest;

	memset(a, 0, sizeof(*a));
	strcpy(a->source, "ntp");
	if (!strcmp(words, "not synchronized")) {
		a->status = DEVTRACE_ACCURACY_UNSYNC;
		return true;
	}
	if (strncmp(words, exact, sizeof(exact) - 1))
		return false;
	rest = take_number(words + sizeof(exact) - 1, 10, DEVTRACE_ACCURACY_MAX / 1000, ' ',
			   &a->max);
	a->max *= 1000;
	a->est = a->max;
	return rest && !strcmp(rest, "us");
}

void dt_accuracy_note(struct dt_accuracy *to, const struct devtrace_note *note)
{
	struct devtrace_statement a;

	if (strcmp(note->name, DEVTRACE_NOTE_CLOCK) || !accuracy_words(&a, note->value))
		return;
	/* A statement of the kernel in the same stream says more. */
	if (to->known && !to->noted)
		return;
	dt_accuracy_learn(to, &a);
	to->noted = true;
	to->fresh = true;
}

void dt_accuracy_clock(struct dt_accuracy *a, const struct devtrace_clock *before,
		       const struct devtrace_clock *c)
{
	uint64_t passed, amount;
	int64_t by;

	/* The note has no time: this is the first known time after it. */
	if (a->noted && !a->last.ts)
		a->last.ts = c->ts;
	a->fresh = false;
	/* The reader has gone back to an earlier time. */
	if (a->step > c->ts)
		a->step = 0;
	if (!before)
		return;
	passed = c->ts - before->ts;
	by = (int64_t)((uint64_t)c->real - (uint64_t)before->real - passed);
	amount = by < 0 ? -(uint64_t)by : (uint64_t)by;
	if (amount <= STEP_NS + DRIFT(passed))
		return;
	a->step = c->ts;
	if (a->last.ts < c->ts)
		a->valid = false;
}

void dt_accuracy_forget(struct dt_accuracy *a)
{
	if (!a->fresh)
		memset(a, 0, sizeof(*a));
	a->fresh = false;
	a->step = 0;
}

/*
 * The kernel compares the clocks once a second, and sends a CLOCK frame if they differ by 20 us
 * from the last one. So a date may be wrong by 20 us, and by the drift since the last comparison.
 * The last two CLOCK frames show the drift.
 */
static uint64_t conversion_error(const struct devtrace_decoder *d, uint64_t ts)
{
	const struct devtrace_clock *c = &d->clocks[(d->next_clock + DT_CLOCKS - 1) % DT_CLOCKS];
	const struct devtrace_clock *b = &d->clocks[(d->next_clock + DT_CLOCKS - 2) % DT_CLOCKS];
	uint64_t since, passed, drift;
	int64_t by;

	if (!d->nr_clocks)
		return 0;
	since = ts > c->ts ? ts - c->ts : c->ts - ts;
	if (since > LOOK_NS)
		since = LOOK_NS;
	if (d->nr_clocks < 2 || c->ts - b->ts < LOOK_NS / 2)
		return UNSENT_NS + DRIFT(since);
	passed = c->ts - b->ts;
	by = (int64_t)((uint64_t)c->real - (uint64_t)b->real - passed);
	drift = by < 0 ? -(uint64_t)by : (uint64_t)by;
	if (drift > DRIFT(passed))
		return UNSENT_NS + DRIFT(since);
	return UNSENT_NS + (uint64_t)((double)drift / (double)passed * (double)since);
}

enum devtrace_sync devtrace_decoder_error(const struct devtrace_decoder *d, uint64_t ts,
					  uint64_t *max)
{
	const struct dt_accuracy *a = &d->accuracy;

	if (!a->known || !a->valid)
		return DEVTRACE_SYNC_UNKNOWN;
	if (a->last.status & DEVTRACE_ACCURACY_UNSYNC)
		return a->synced ? DEVTRACE_SYNC_LOST : DEVTRACE_SYNC_NEVER;
	*max = a->last.max + DRIFT(ts > a->last.ts ? ts - a->last.ts : a->last.ts - ts) +
	       conversion_error(d, ts);
	return DEVTRACE_SYNC_ERROR;
}

const struct devtrace_statement *devtrace_decoder_statement(const struct devtrace_decoder *d)
{
	return d->accuracy.known ? &d->accuracy.last : NULL;
}
