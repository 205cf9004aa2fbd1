// SPDX-License-Identifier: GPL-2.0-only
/*
 * time.c - print times of the trace clock
 *
 * strftime() is called once for each second; only the fraction is formatted for each event. An
 * event before the first CLOCK frame is dated by that frame, if the caller has searched for it.
 * Otherwise the trace clock is printed, in square brackets.
 */
#include <time.h>
#include "traceinfo.h"

#define NSEC	1000000000

/* The first CLOCK frame of the input, by which events before it are dated. */
static struct devtrace_clock first;
static bool first_known;

/* With --align, this function computes dates. */
static ti_clock_align_fn *align;
static void *align_arg;

void ti_clock_first(const struct devtrace_clock *c)
{
	first_known = c;
	if (c)
		first = *c;
}

void ti_clock_align(ti_clock_align_fn *fn, void *arg)
{
	align = fn;
	align_arg = arg;
}

bool ti_clock_real(const struct devtrace_decoder *d, uint64_t ts, int64_t *real)
{
	if (align)
		return align(align_arg, ts, real);
	if (devtrace_decoder_real(d, ts, real))
		return true;
	*real = (int64_t)((uint64_t)first.real + (ts - first.ts));
	return first_known;
}

static bool mono_of(const struct devtrace_decoder *d, uint64_t ts, uint64_t *mono)
{
	if (devtrace_decoder_mono(d, ts, mono))
		return true;
	*mono = first.mono + (ts - first.ts);
	return first_known;
}

static void print_seconds(struct out *o, uint64_t ns, unsigned int width, unsigned int digits)
{
	struct out_spec s = { .width = width, .digits = OUT_NODIGITS };

	out_int(o, digits == 6 ? ns / 1000 : ns, false, 10, false, digits, &s);
}

static const char *second_words(struct ti_clock *c, int64_t second, const char *format)
{
	time_t t = second;
	struct tm tm;

	if (c->valid && c->second == second)
		return c->words;
	c->valid = true;
	c->second = second;
	c->len = 0;
	if (localtime_r(&t, &tm))
		c->len = strftime(c->words, sizeof(c->words), format, &tm);
	return c->words;
}

static void split_real(int64_t real, int64_t *second, uint32_t *ns)
{
	*second = real / NSEC;
	if (real < 0 && real % NSEC)
		--*second;
	*ns = (uint32_t)(real - *second * NSEC);
}

static bool split(const struct devtrace_decoder *d, uint64_t ts, int64_t *second, uint32_t *ns)
{
	int64_t real;

	if (!ti_clock_real(d, ts, &real))
		return false;
	split_real(real, second, ns);
	return true;
}

/* Print @v with exactly @n digits; it must be smaller than 10^n. */
static void fraction(struct out *o, uint32_t v, unsigned int n)
{
	char *p;

	if (!out_room(o, n))
		return;
	o->len += n;
	for (p = o->buf + o->len; n >= 2; n -= 2) {
		p -= 2;
		memcpy(p, out_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (n)
		*--p = '0' + v;
}

bool ti_clock_iso_real(struct out *o, struct ti_clock *c, int64_t real)
{
	int64_t second;
	uint32_t ns;
	const char *w;

	split_real(real, &second, &ns);
	/*
	 * From "2026-11-21T03:15:46+0100", copy the part before the zone; the fraction follows it.
	 */
	w = second_words(c, second, "%Y-%m-%dT%H:%M:%S%z");
	if (c->len < 5)
		return false;
	out_mem(o, w, c->len - 5);
	out_char(o, '.');
	fraction(o, ns, 9);
	out_mem(o, w + c->len - 5, 3);
	out_char(o, ':');
	out_mem(o, w + c->len - 2, 2);
	return true;
}

bool ti_clock_iso(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		  uint64_t ts)
{
	int64_t real;

	return ti_clock_real(d, ts, &real) && ti_clock_iso_real(o, c, real);
}

static bool print_date(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		       uint64_t ts)
{
	int64_t second;
	uint32_t ns;
	const char *w;

	if (!split(d, ts, &second, &ns))
		return false;
	w = second_words(c, second, c->date);
	out_mem(o, w, c->len);
	if (c->mode == TI_TIME_MS) {
		out_char(o, '.');
		fraction(o, ns / 1000000, 3);
	} else if (c->mode == TI_TIME_US || c->mode == TI_TIME_REL) {
		out_char(o, '.');
		fraction(o, ns / 1000, 6);
	}
	return true;
}

/* Return the time to compare with other events: the wall clock if boards are merged. */
static uint64_t common(const struct ti_clock *c, const struct devtrace_decoder *d, uint64_t ts)
{
	int64_t real;

	return c->wall && ti_clock_real(d, ts, &real) ? (uint64_t)real : ts;
}

static void print_delta(struct out *o, struct ti_clock *c, uint64_t ts)
{
	uint64_t before = c->have_before ? c->before : ts;
	uint64_t d = ts >= before ? ts - before : before - ts;

	out_char(o, ts >= before ? '+' : '-');
	print_seconds(o, d, 13, 9);
	c->before = ts;
	c->have_before = true;
}

/*
 * Print the difference to the previous event's time. The text is as wide as a date with
 * microseconds, so that columns stay aligned.
 */
static bool print_relative(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
			   uint64_t ts)
{
	struct out_spec s = { .digits = OUT_NODIGITS, .plus = true };
	uint64_t moment = common(c, d, ts), us = moment / 1000, before = c->before / 1000;
	int64_t second, minute;
	uint32_t ns;

	if (!split(d, ts, &second, &ns))
		return false;
	minute = second / 60;
	if (!c->have_before || minute != c->minute || !c->valid) {
		print_date(o, c, d, ts);
	} else {
		s.width = c->len + 7 < 100 ? c->len + 7 : 100;
		out_int(o, us >= before ? us - before : before - us, us < before, 10, false, 6, &s);
	}
	c->before = moment;
	c->have_before = true;
	c->minute = minute;
	return true;
}

void ti_clock_moment(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		     uint64_t ts)
{
	uint64_t mono;

	switch (c->mode) {
	case TI_TIME_NONE:
	case TI_TIME_DELTA:
	case TI_TIME_RAW:
		print_seconds(o, ts, 0, 9);
		break;
	case TI_TIME_MONO:
		if (mono_of(d, ts, &mono)) {
			out_char(o, '[');
			print_seconds(o, mono, 0, 6);
			out_char(o, ']');
			break;
		}
		ti_clock_print(o, c, d, ts);
		break;
	case TI_TIME_REL:
		if (print_date(o, c, d, ts))
			break;
		out_char(o, '[');
		print_seconds(o, ts, 0, 9);
		out_char(o, ']');
		break;
	default:
		ti_clock_print(o, c, d, ts);
	}
}

size_t ti_clock_width(struct ti_clock *c)
{
	switch (c->mode) {
	case TI_TIME_NONE:
		return 0;
	case TI_TIME_RAW:
		return 15;
	case TI_TIME_DELTA:
	case TI_TIME_MONO:
		return 14;
	case TI_TIME_ISO:
		return strlen("2026-11-21T03:15:46.123456789+00:00");
	default:
		break;
	}
	/* Nearly all seconds have the same width. */
	second_words(c, 0, c->date);
	return c->len + (c->mode == TI_TIME_DATE ? 0 : c->mode == TI_TIME_MS ? 4 : 7);
}

void ti_clock_print(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		    uint64_t ts)
{
	uint64_t mono;

	switch (c->mode) {
	case TI_TIME_NONE:
		return;
	case TI_TIME_DELTA:
		print_delta(o, c, common(c, d, ts));
		return;
	case TI_TIME_REL:
		if (print_relative(o, c, d, ts))
			return;
		break;
	case TI_TIME_RAW:
		print_seconds(o, ts, 15, 9);
		return;
	case TI_TIME_MONO:
		if (mono_of(d, ts, &mono)) {
			out_char(o, '[');
			print_seconds(o, mono, 12, 6);
			out_char(o, ']');
			return;
		}
		break;
	case TI_TIME_ISO:
		if (ti_clock_iso(o, c, d, ts))
			return;
		break;
	default:
		if (print_date(o, c, d, ts))
			return;
	}
	out_char(o, '[');
	print_seconds(o, ts, 0, 9);
	out_char(o, ']');
}
