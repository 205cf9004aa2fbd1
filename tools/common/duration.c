// SPDX-License-Identifier: GPL-2.0-only
/*
 * duration.c - print a duration in at most seven columns
 *
 * A duration has up to four digits and a unit, for example 250ns, 70.00us, 1.500ms, 12.34s, 4m18s,
 * 3h05m or 12d03h. It is rounded down, so it never looks longer than it is.
 */
#include "duration.h"

static void four_digits(struct out *o, uint64_t ns, uint64_t unit, const char *name)
{
	uint64_t whole = ns / unit;
	unsigned int digits = whole < 10 ? 3 : whole < 100 ? 2 : 1;
	uint64_t rest = ns % unit;
	unsigned int i;

	out_u64(o, whole);
	out_char(o, '.');
	for (i = 0; i < digits; i++) {
		rest *= 10;
		out_char(o, (char)('0' + rest / unit));
		rest %= unit;
	}
	out_str(o, name);
}

static void two_parts(struct out *o, uint64_t major, const char *big, uint64_t minor,
		      const char *small)
{
	out_u64(o, major);
	out_str(o, big);
	out_mem(o, &out_pairs[2 * minor], 2);
	out_str(o, small);
}

void out_duration(struct out *o, uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	if (ns < 1000) {
		out_u64(o, ns);
		OUT_LIT(o, "ns");
	} else if (ns < 1000000) {
		four_digits(o, ns, 1000, "us");
	} else if (ns < 1000000000) {
		four_digits(o, ns, 1000000, "ms");
	} else if (s < 60) {
		four_digits(o, ns, 1000000000, "s");
	} else if (s < 3600) {
		two_parts(o, s / 60, "m", s % 60, "s");
	} else if (s < 86400) {
		two_parts(o, s / 3600, "h", s / 60 % 60, "m");
	} else {
		two_parts(o, s / 86400, "d", s / 3600 % 24, "h");
	}
}

void out_duration_right(struct out *o, uint64_t ns, unsigned int width)
{
	char buf[32];
	struct out text = { .buf = buf, .size = sizeof(buf), .fd = -1 };

	out_duration(&text, ns);
	if (text.len < width)
		out_fill(o, ' ', width - text.len);
	out_mem(o, buf, text.len);
}
