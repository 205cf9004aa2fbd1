// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame.c - find frames in the bytes of a target, and gaps between them
 *
 * Invariants
 * - The output depends on the bytes and their arrival times, not on how read(2) split them.
 * - A frame is either converted as a whole, or copied to the output as a whole, as damage.
 * - If numbered frames of the target are missing between two intact ones, the numbers of the
 *   output skip the same number of frames, unless the target was restarted.
 */
#include <string.h>
#include "traceconv.h"

/* Remove the escapes. Return -1 if a byte 7D is not followed by 5D or 5E. */
static int unescape(uint8_t *out, const uint8_t *raw, size_t n)
{
	size_t len = 0, i;

	for (i = 0; i < n; i++) {
		uint8_t byte = raw[i];

		if (byte == DEVTRACE_ESCAPE) {
			if (++i == n || (raw[i] != (DEVTRACE_ESCAPE ^ DEVTRACE_ESCAPE_XOR) &&
					 raw[i] != (DEVTRACE_FLAG ^ DEVTRACE_ESCAPE_XOR)))
				return -1;
			byte = raw[i] ^ DEVTRACE_ESCAPE_XOR;
		}
		out[len++] = byte;
	}
	return (int)len;
}

static void damage(struct conv *c)
{
	static const uint8_t flag = DEVTRACE_FLAG;

	conv_announce(c, c->clock.last);
	c->damaged++;
	c->damaged_bytes += c->raw_len + 1;
	conv_raw(c, c->raw, c->raw_len);
	conv_raw(c, &flag, 1);
}

/*
 * Convert an intact frame. The gap before it must be written first. If record() then rejects the
 * frame's layout, the gap is taken back, and the gap before the next intact frame includes this
 * one.
 */
static void whole(struct conv *c, const uint8_t *p, size_t n)
{
	const bool begins = c->dialect->begins(c, p, n);
	const int seq = c->dialect->seq(c, p, n);
	const struct conv before = { .out_seq = c->out_seq, .out_frames = c->out_frames,
				     .missing = c->missing };

	if (begins)
		c->hole = c->configured && seq > 0 ? (unsigned int)seq : 0;
	else
		c->hole = seq >= 0 && c->have_seq ? (uint8_t)(seq - c->seq - 1) : 0;
	conv_skip(c, c->hole);
	if (begins && c->have_seq)
		c->resets++;
	if (begins)
		conv_clock_reset(&c->clock);
	if (!c->dialect->record(c, p, n)) {
		c->out_seq = before.out_seq;
		c->out_frames = before.out_frames;
		c->missing = before.missing;
		c->len = 0;
		c->pointers = c->too_large = false;
		c->layout++;
		damage(c);
		return;
	}
	if (c->clock.restarted) {
		c->clock.restarted = false;
		c->resets++;
		conv_note(c, "target", "its clock began again, so it must have been restarted");
	}
	if (seq >= 0) {
		c->seq = (uint8_t)seq;
		c->have_seq = true;
		c->configured = false;
	}
	c->frames++;
}

static void frame(struct conv *c)
{
	uint8_t p[CONV_RAW_MAX];
	int len = unescape(p, c->raw, c->raw_len);
	size_t n = len < 0 ? 0 : (size_t)len;

	if (c->too_long || !n || !c->dialect->intact(c, p, &n))
		damage(c);
	else
		whole(c, p, n);
	c->raw_len = 0;
	c->too_long = false;
}

int conv_feed(struct conv *c, const uint8_t *p, size_t n, uint64_t arrival)
{
	c->arrival = arrival;
	for (; n && !c->err; n--, p++) {
		if (*p == DEVTRACE_FLAG) {
			if (c->raw_len || c->too_long)
				frame(c);
			continue;
		}
		if (c->raw_len == sizeof(c->raw)) {
			conv_announce(c, c->clock.last);
			conv_raw(c, c->raw, c->raw_len);
			c->damaged_bytes += c->raw_len;
			c->raw_len = 0;
			c->too_long = true;
		}
		c->raw[c->raw_len++] = *p;
	}
	return c->err;
}

int conv_end(struct conv *c)
{
	if (c->raw_len || c->too_long) {
		conv_announce(c, c->clock.last);
		c->damaged++;
		c->damaged_bytes += c->raw_len;
		conv_raw(c, c->raw, c->raw_len);
	}
	c->raw_len = 0;
	c->too_long = false;
	return c->err;
}

void conv_begin(struct conv *c, const struct conv_dialect *dialect)
{
	const uint8_t *own = (const uint8_t *)&dialect->sizes;
	uint8_t *size = (uint8_t *)&c->sizes;
	size_t i;

	c->dialect = dialect;
	for (i = 0; i < sizeof(c->sizes); i++)
		if (!size[i])
			size[i] = own[i];
	c->rkh_flags = dialect->rkh_flags;
	c->clock.bits = 8u * c->sizes.time;
	c->out_seq = 1;
	if (!c->name)
		c->name = dialect->name;
}
