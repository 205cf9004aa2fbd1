// SPDX-License-Identifier: GPL-2.0-only
/*
 * Would read(2) return something?
 *
 * An event in a ring or a lane may be filtered, or may have to wait for older events. So only a
 * frame counts as readable, and poll(2) agrees with a nonblocking read(2).
 */
#include <linux/minmax.h>

#include "announce.h"
#include "lane/slot.h"
#include "reader.h"
#include "reader_priv.h"
#include "reader_ready.h"
#include "source_lane.h"
#include "source_ring.h"
#include "sources.h"
#include "stream/stream.h"

/* May there be something to read, and enough for the watermark? */
static bool may_have(struct reader *rd)
{
	struct stream *s = rd->stream;
	unsigned int percent = READ_ONCE(s->watermark);

	if (!rd->told.begun || announce_has_names(&rd->told, 0) || announce_has_past(&rd->told) ||
	    rd->clears != stream_clears(s) || (rd->nr_ready && !percent))
		return true;
	if (ring_sources_unread(rd, percent))
		return true;
	sources_look(rd);
	return lane_sources_unread(rd, percent);
}

/*
 * Make a frame if none is staged. Return 1 if there is enough for the watermark, otherwise 0 or
 * the error of reader_fill().
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

/* Number of unread bytes in one ring that should not wait for long. */
#define MUCH	65536U

/*
 * Are more than MUCH bytes of a ring, or of the lanes' ring of blocks, unread? The reader is
 * locked.
 */
bool reader_much(struct reader *rd)
{
	u64 bytes;

	if (ring_sources_much(rd, MUCH))
		return true;
	bytes = slots_bytes(reader_slots(rd));
	return bytes && lane_sources_lag(rd) >= min_t(u64, bytes / 2, MUCH);
}
