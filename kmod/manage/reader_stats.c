// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of the readers of a stream
 *
 * The numbers may be slightly old, and they belong to slightly different instants.
 */
#include <linux/kref.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "read/reader.h"
#include "read/reader_priv.h"
#include "read/source_lane.h"
#include "read/source_ring.h"
#include "reader_stats.h"
#include "ring/ring_read.h"
#include "stream/stream.h"

/*
 * Return the reader with the lowest serial number above @serial, or NULL. The caller drops the
 * reference with reader_put().
 */
static struct reader *reader_after(struct stream *s, u64 serial)
{
	struct reader *found = NULL;
	struct rb_node *node;

	raw_spin_lock(&s->readers_lock);
	node = s->readers.rb_node;
	while (node) {
		struct reader *rd = rb_entry(node, struct reader, node);

		if (rd->serial > serial) {
			found = rd;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (found)
		kref_get(&found->ref);
	raw_spin_unlock(&s->readers_lock);
	return found;
}

/* Return the number of bytes in all rings that the reader has not read. */
static u64 rings_lag(const struct reader *rd)
{
	u64 lag = 0;
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++) {
		const struct ring_source *s = &rd->rings[i];
		struct ring_view v;
		u64 pos;

		if (!ring_exists(s->ring))
			continue;
		raw_spin_lock(&s->ring->lock);
		ring_view(s->ring, &v);
		raw_spin_unlock(&s->ring->lock);
		/* A slightly old value suffices. */
		pos = max(data_race(s->at.pos), v.tail.pos);
		lag += v.commit.pos > pos ? (v.commit.pos - pos) * RING_UNIT : 0;
	}
	return lag;
}

/*
 * Describe the next reader after the serial number @serial, which is 0 in the first call. Return
 * its serial number; 0: there are no more readers.
 */
u64 stream_reader(struct stream *s, u64 serial, struct stream_reader *r)
{
	struct reader *rd = reader_after(s, serial);

	if (!rd)
		return 0;
	serial = rd->serial;
	r->pid = rd->pid;
	memcpy(r->comm, rd->comm, sizeof(r->comm));
	/* Slightly old values suffice here, too. */
	r->position = READ_ONCE(rd->last);
	r->read = READ_ONCE(rd->given);
	r->lost = READ_ONCE(rd->missed);
	r->lag = rings_lag(rd) + lane_sources_lag(rd);
	reader_put(rd);
	return serial;
}
