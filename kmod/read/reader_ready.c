// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether read(2) would return something
 *
 * An event in a ring or a lane may be unwanted, or may not be certain yet. So nobody is
 * told that there is something before a frame of it is made: poll(2) and a read(2) that
 * must not wait say the same.
 */
#include <linux/minmax.h>

#include "announce.h"
#include "lane/slot.h"
#include "reader.h"
#include "reader_priv.h"
#include "reader_ready.h"
#include "source_lane.h"
#include "source_ring.h"
#include "stream/stream.h"

/* Whether there may be something to read, and enough. */
static bool may_have(struct reader *rd)
{
	struct stream *s = rd->stream;
	unsigned int percent = READ_ONCE(s->watermark);

	if (!rd->told.begun || announce_has_names(&rd->told, 0) || announce_has_past(&rd->told) ||
	    rd->clears != stream_clears(s) || (rd->nr_ready && !percent))
		return true;
	return ring_sources_unread(rd, percent) || lane_sources_unread(rd, percent);
}

/**
 * reader_ready() - whether there is something to read, and enough
 * @rd: the reader, locked
 *
 * An event may be unwanted, or not certain yet. So this makes a frame of one.
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
	if (ring_sources_much(rd, MUCH))
		return true;
	return reader_has_lanes(rd) && slots_bytes() &&
	       lane_sources_lag(rd) >= min_t(u64, slots_bytes() / 2, MUCH);
}
