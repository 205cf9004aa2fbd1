// SPDX-License-Identifier: GPL-2.0-only
/*
 * tally.c - count events and losses without decoding them
 *
 * To save the stream of a device, only the type of each frame and the count in LOST frames are
 * needed, because this stream has no damage and no missing frames. If a time, a severity or a
 * field is needed, the decoder counts instead.
 */
#include <string.h>
#include "run.h"

/* Add the count of a LOST frame. t->body holds the frame's body without escapes. */
static void take_lost(struct tl_tally *t)
{
	const size_t at = offsetof(struct devtrace_wire_lost, count);
	uint64_t n = 0;
	size_t i;

	if (t->have < at + sizeof(uint64_t))
		return;
	for (i = sizeof(uint64_t); i--;)
		n = n << 8 | t->body[at + i];
	t->totals.lost += n;
}

static void end_frame(struct tl_tally *t)
{
	if (t->at < 2)
		return;		/* two consecutive flags */
	t->totals.frames++;
	if (t->type == DEVTRACE_T_LOST)
		take_lost(t);
	else if (!devtrace_type_is_transport(t->type))
		t->totals.events++;
}

static void next_byte(struct tl_tally *t, uint8_t c)
{
	if (c == DEVTRACE_ESCAPE) {
		t->escaped = true;
		return;
	}
	if (t->escaped)
		c ^= DEVTRACE_ESCAPE_XOR;
	t->escaped = false;
	if (t->at == 1)
		t->type = c;
	else if (t->at > 1 && t->have < sizeof(t->body))
		t->body[t->have++] = c;
	t->at++;
}

void tl_tally(struct tl_tally *t, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n, *flag;

	t->totals.bytes += n;
	while (p < end) {
		if (*p == DEVTRACE_FLAG) {
			end_frame(t);
			t->at = 0;
			t->have = 0;
			t->escaped = false;
			p++;
		} else if (t->at < 2 || t->type == DEVTRACE_T_LOST) {
			next_byte(t, *p++);
		} else {
			flag = memchr(p, DEVTRACE_FLAG, (size_t)(end - p));
			p = flag ? flag : end;
		}
	}
}
