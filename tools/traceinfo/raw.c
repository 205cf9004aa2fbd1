// SPDX-License-Identifier: GPL-2.0-only
/*
 * raw.c - --raw: write the stream itself instead of text
 *
 * Without a filter the bytes are copied, including damaged ones. A filter drops frames, so the
 * remaining frames get new numbers, and INFO and CLOCK count only written frames. For frames
 * missing in the input, the output skips as many numbers. Frames are written with CRC-32, because
 * a decoder tries it first if it has not seen INFO. They are never written as compact frames,
 * because a compact frame refers to an earlier frame, which may have been dropped.
 */
#include <stdlib.h>
#include "traceinfo.h"

#define FLAG	DEVTRACE_FLAG
#define ESCAPE	DEVTRACE_ESCAPE
/*
 * Size of the longest frame with its escapes and flag. More bytes without a flag are not a frame.
 */
#define LONGEST	(2 * DEVTRACE_FRAME_MAX + 1)

struct ti_raw {
	bool		copies;		/* there is no filter: copy the bytes */
	uint8_t		*buf;		/* input from offset @base on */
	size_t		len, size;
	uint64_t	base;
	/* begun: offset at which the item begins that ended the input */
	uint64_t	begun;
	bool		ended;
	/* frames: number of frames written and of frames missing in the input */
	uint64_t	frames;
	uint64_t	used;		/* nothing before this offset is needed */
	enum devtrace_check check;	/* kind of the last frame's check */
};

struct ti_raw *ti_raw_new(const struct ti_filter *f)
{
	struct ti_raw *r = ti_alloc(NULL, sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->copies = !f->since.kind && !f->until.kind && !ti_filter_by_event(f);
	return r;
}

void ti_raw_free(struct ti_raw *r)
{
	if (r)
		free(r->buf);
	free(r);
}

void ti_raw_begin(struct ti_raw *r)
{
	r->len = 0;
	r->base = 0;
	r->used = 0;
	r->ended = false;
}

void ti_raw_input(struct ti_raw *r, const void *buf, size_t n)
{
	size_t gone = r->used - r->base;

	/* Only an incomplete frame at the end may still be needed. */
	if (r->copies || gone > r->len)
		gone = r->len;
	else if (r->len - gone > LONGEST)
		gone = r->len - LONGEST;
	r->len -= gone;
	r->base += gone;
	if (gone && r->len)
		memmove(r->buf, r->buf + gone, r->len);
	if (r->size < r->len + n) {
		r->size = r->len + n;
		r->buf = ti_alloc(r->buf, r->size);
	}
	memcpy(r->buf + r->len, buf, n);
	r->len += n;
}

void ti_raw_end(struct ti_raw *r, const struct devtrace_item *item)
{
	r->ended = true;
	r->begun = item->offset;
}

void ti_raw_copy(struct ti_raw *r, struct out *o)
{
	size_t n = r->len;

	if (!r->copies)
		return;
	if (r->ended)
		n = r->begun > r->base ? (size_t)(r->begun - r->base) : 0;
	out_mem(o, r->buf, n < r->len ? n : r->len);
}

/*
 * Copy a frame (seq, type, body, check) without its escapes. Return its length in bytes, or 0 if
 * the bytes are not a frame.
 */
static size_t unescape(const struct ti_raw *r, uint64_t offset, uint8_t *to, size_t size,
		       uint64_t *end)
{
	size_t at, n = 0;

	if (offset < r->base)
		return 0;
	for (at = (size_t)(offset - r->base); at < r->len && r->buf[at] != FLAG; at++) {
		uint8_t c = r->buf[at];

		if (c == ESCAPE && ++at < r->len)
			c = r->buf[at] ^ DEVTRACE_ESCAPE_XOR;
		if (n == size || at == r->len)
			return 0;
		to[n++] = c;
	}
	*end = r->base + at + 1;
	return n;
}

/*
 * Return the size of the frame's check (1, 2 or 4 bytes). The frame does not tell it, so try which
 * check is right.
 */
static size_t check_len(struct ti_raw *r, const uint8_t *frame, size_t n, uint64_t offset,
			uint64_t end)
{
	static const size_t lens[] = { 1, 2, 4 };
	uint8_t again[LONGEST + 1];
	int i, c;

	for (i = 0; i < 4; i++) {
		size_t len;

		/* Try the check of the previous frame first, then the strongest one. */
		c = i ? 3 - i : (int)r->check;
		if (n < 3 + lens[c])
			continue;
		len = devtrace_frame_encode(again, sizeof(again), (enum devtrace_check)c, frame[0],
					    frame[1], frame + 2, n - 2 - lens[c], false);
		if (len != end - offset || memcmp(again, r->buf + (offset - r->base), len))
			continue;
		r->check = (enum devtrace_check)c;
		return lens[c];
	}
	return 0;
}

static void put_frame(struct ti_raw *r, struct out *o, uint8_t type, const uint8_t *body,
		      size_t n, bool add_len)
{
	uint8_t frame[LONGEST + 1];
	size_t len;

	len = devtrace_frame_encode(frame, sizeof(frame), DEVTRACE_CHECK_CRC32,
				    (uint8_t)(r->frames + 1), type, body, n, add_len);
	r->frames++;
	out_mem(o, frame, len);
}

static void put_le(uint8_t *p, uint64_t v, int bytes)
{
	int i;

	for (i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Encode the event as the device did. */
static void put_event(struct ti_raw *r, struct out *o, const struct devtrace_event *e)
{
	uint8_t body[DEVTRACE_FRAME_MAX];
	size_t n = sizeof(struct devtrace_wire_event);

	const bool named = e->number != e->type;
	const uint8_t flags = e->flags | (named ? DEVTRACE_F_CODE : 0);

	body[0] = flags;
	body[1] = e->severity;
	put_le(body + 2, e->source, 2);
	put_le(body + 4, e->tid, 4);
	put_le(body + 8, e->ts, 8);
	if (flags & DEVTRACE_F_CODE) {
		put_le(body + n, named ? e->number : e->code, 4);
		n += 4;
	}
	if (e->flags & DEVTRACE_F_OBJSIG) {
		put_le(body + n, e->object, 2);
		put_le(body + n + 2, e->signal, 2);
		n += 4;
	}
	memcpy(body + n, e->data, e->len);
	put_frame(r, o, e->type, body, n + e->len, true);
}

void ti_raw_item(struct ti_raw *r, struct out *o, const struct devtrace_item *item)
{
	uint8_t frame[DEVTRACE_FRAME_MAX], *body = frame + 2;
	uint64_t end;
	size_t n, check;

	if (r->copies || item->kind == DEVTRACE_ITEM_DAMAGE)
		return;
	if (item->kind == DEVTRACE_ITEM_GAP) {
		r->frames += item->u.gap.count;
		return;
	}
	if (item->kind == DEVTRACE_ITEM_EVENT) {
		put_event(r, o, &item->u.event);
		return;
	}
	n = unescape(r, item->offset, frame, sizeof(frame), &end);
	check = n ? check_len(r, frame, n, item->offset, end) : 0;
	if (!check) {
		/* Drop the frame, but count it, so that a decoder finds one frame missing. */
		r->frames++;
		return;
	}
	if (item->kind == DEVTRACE_ITEM_INFO) {
		/* Another stream begins: count its frames from 0. */
		if (item->u.info.reason == DEVTRACE_INFO_OPEN && !item->u.info.frames)
			r->frames = 0;
		body[1] = DEVTRACE_CHECK_CRC32;
		body[3] &= (uint8_t)~DEVTRACE_INFO_COMPACT;
		put_le(body + 8, r->frames, 8);
	} else if (item->kind == DEVTRACE_ITEM_CLOCK) {
		put_le(body, r->frames, 8);
	}
	put_frame(r, o, frame[1], body, n - 2 - check, false);
}

void ti_raw_used(struct ti_raw *r, uint64_t offset)
{
	r->used = offset;
}

void ti_raw_load(struct ti_raw *r, struct out *o, uint32_t load)
{
	uint8_t body[8] = { 1 };
	int i;

	if (r->copies)
		return;
	for (i = 0; i < 4; i++)
		body[4 + i] = (uint8_t)(load >> 8 * i);
	put_frame(r, o, 0, body, sizeof(body), true);
}
