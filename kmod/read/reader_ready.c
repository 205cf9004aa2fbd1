// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a reader would find something, for those who wait
 *
 * What stands in rings and lanes may not be wanted, or may not be given yet. So nobody is
 * told that there is something before a frame of it is made: poll(2) and a read(2) that
 * must not wait say the same.
 */
#include <linux/spinlock.h>

#include "reader.h"
#include "reader_lane.h"
#include "reader_priv.h"
#include "reader_ready.h"
#include "stream/stream.h"
#include "stream/table.h"

/*
 * Whether a ring has so much that this cursor has not read: this part of its size, in
 * percent, and as many units. After a resize nobody knows before it was looked at.
 */
static bool unread(const struct ring_cursor *c, unsigned int percent, u32 most)
{
	struct ring_view v;
	bool moved;
	u64 units;

	if (!ring_exists(c->ring))
		return false;
	raw_spin_lock(&c->ring->lock);
	ring_view(c->ring, &v);
	moved = c->placed && c->moves != c->ring->moves;
	units = min_t(u64, (u64)(c->ring->mask + 1) * percent / 100, most);
	raw_spin_unlock(&c->ring->lock);
	return moved || v.commit.pos - (c->placed ? c->at.pos : v.tail.pos) >= units;
}

/* Whether there may be something to read, and enough. */
static bool may_have(struct reader *rd)
{
	struct stream *s = rd->stream;
	unsigned int percent = READ_ONCE(s->watermark);
	unsigned int i;

	if (!rd->begun || reader_more_names(rd) || reader_more_past(rd) ||
	    rd->clears != stream_clears(s) || (rd->nr_ready && !percent))
		return true;
	for (i = 0; i < rd->nr_rings; i++) {
		const struct ring_cursor *c = &rd->cursors[i];

		if (!percent && cursor_dropped_more(c))
			return true;
		/* A ring never counts as full: room is made ahead. */
		if (percent ? unread(c, min(percent, 95U), U32_MAX) : unread(c, 100, 1))
			return true;
	}
	return reader_lanes_unread(rd, percent);
}

/**
 * reader_ready() - whether there is something to read, and enough
 * @rd: the reader, locked
 *
 * What there may be might not be wanted, or not yet be certain. So a frame is made of it.
 *
 * Return: 1, 0, or what reader_fill() says.
 */
int reader_ready(struct reader *rd)
{
	int err;

	if (wire_staged(&rd->wire) || READ_ONCE(rd->stream->gone))
		return 1;
	if (!may_have(rd))
		return 0;
	err = reader_fill(rd, 1);
	return wire_staged(&rd->wire) ? 1 : err;
}

/* Bytes of one ring that a reader should not leave there for long. */
#define MUCH	65536U

/**
 * reader_much() - whether some ring, or that of lanes, has much that was not read
 * @rd: the reader, locked
 */
bool reader_much(struct reader *rd)
{
	bool much = false;
	unsigned int i;

	for (i = 0; i < rd->nr_rings && !much; i++)
		much = unread(&rd->cursors[i], 50, MUCH / RING_UNIT);
	if (!much && rd->stream == &devtrace_stream0 && slots_bytes())
		much = reader_lanes_lag(rd) >= min_t(u64, slots_bytes() / 2, MUCH);
	return much;
}
