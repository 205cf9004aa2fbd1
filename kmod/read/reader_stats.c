// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who reads a stream, and how far each of them is
 *
 * Looked at while they read: numbers are those of a moment ago, each by itself.
 */
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "reader.h"
#include "reader_priv.h"
#include "reader_stats.h"
#include "source_lane.h"
#include "source_ring.h"
#include "stream/stream.h"

/* To be kept until reader_put(). */
static struct reader *nth_reader(struct stream *s, unsigned int n)
{
	struct reader *rd, *found = NULL;

	raw_spin_lock(&s->readers_lock);
	list_for_each_entry(rd, &s->readers, list) {
		if (n--)
			continue;
		kref_get(&rd->ref);
		found = rd;
		break;
	}
	raw_spin_unlock(&s->readers_lock);
	return found;
}

/**
 * stream_reader() - who reads a stream
 * @s: the stream
 * @n: the n-th, from 0
 * @r: filled in
 *
 * Return: false if there are not so many.
 */
bool stream_reader(struct stream *s, unsigned int n, struct stream_reader *r)
{
	struct reader *rd = nth_reader(s, n);

	if (!rd)
		return false;
	r->pid = rd->pid;
	memcpy(r->comm, rd->comm, sizeof(r->comm));
	/* A moment ago is good enough here too. */
	r->position = READ_ONCE(rd->last);
	r->read = READ_ONCE(rd->given);
	r->lost = READ_ONCE(rd->missed);
	r->lag = ring_sources_lag(rd) + lane_sources_lag(rd);
	reader_put(rd);
	return true;
}
