// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock_set.c - detect that the wall clock was set
 *
 * A CLOCK frame contains the trace clock and the wall clock at the same instant. Between two CLOCK
 * frames the wall clock drifts by at most 500 ppm, because NTP does not slew faster. A larger
 * difference means that the wall clock was set. The kernel reports that with two CLOCK frames one
 * nanosecond apart, with the wall clock before and after the step.
 */
#include "traceinfo.h"

/* Largest drift between two CLOCK frames that does not count as a step: 1 ms + 500 ppm. */
#define SET_MIN		1000000u
#define SET_PPM		500u
/*
 * If two CLOCK frames are closer together than this, they are the pair that the kernel emits when
 * the wall clock is set: one with the time before the step, one with the time after it.
 */
#define EXACT_NS	1000u
#define DAY		86400u
#define NSEC		1000000000ull

static uint64_t amount(int64_t by)
{
	return by < 0 ? -(uint64_t)by : (uint64_t)by;
}

bool ti_clock_was_set(const struct devtrace_clock *before, const struct devtrace_clock *c,
		      int64_t *by)
{
	const uint64_t passed = c->ts - before->ts;

	/*
	 * Subtract as unsigned: a damaged clock may be centuries off, and signed overflow is
	 * undefined.
	 */
	*by = (int64_t)((uint64_t)c->real - (uint64_t)before->real - passed);
	return c->ts >= before->ts && amount(*by) > SET_MIN + passed / (1000000 / SET_PPM);
}

void ti_clock_step(struct out *o, int64_t by)
{
	static const struct out_spec two = { .width = 2, .digits = OUT_NODIGITS, .zero = true };
	const uint64_t off = amount(by), seconds = off / NSEC;
	struct out_spec spec = { .digits = OUT_NODIGITS, .plus = true };

	if (seconds < DAY) {
		out_int(o, off / 1000, by < 0, 10, false, 6, &spec);
		OUT_LIT(o, " s");
		return;
	}
	out_int(o, seconds / DAY, by < 0, 10, false, 0, &spec);
	out_str(o, seconds / DAY == 1 ? " day " : " days ");
	out_int(o, seconds % DAY / 3600, false, 10, false, 0, &two);
	out_char(o, ':');
	out_int(o, seconds % 3600 / 60, false, 10, false, 0, &two);
	out_char(o, ':');
	out_int(o, seconds % 60, false, 10, false, 0, &two);
}

bool ti_clock_set(struct ti_clock_last *last, const struct devtrace_clock *c,
		  struct ti_clock_step *step)
{
	const bool set = last->known && ti_clock_was_set(&last->clock, c, &step->by);

	if (set) {
		step->from = last->clock.ts;
		step->to = c->ts;
		step->exact = step->to - step->from < EXACT_NS;
	}
	last->known = true;
	last->clock = *c;
	return set;
}
