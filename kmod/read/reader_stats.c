// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who reads a stream, and how far each of them is
 *
 * Looked at while they read: numbers are those of a moment ago, each by itself.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/string.h>

#include "core.h"
#include "reader_priv.h"

/* Bytes that it has not read; it may read meanwhile. */
static u64 reader_lag(const struct reader *rd)
{
	u64 lag = 0;
	unsigned int i;

	for (i = 0; i < rd->nr_rings; i++) {
		const struct ring_cursor *c = &rd->cursors[i];
		struct ring_view v;
		u64 pos;

		if (!ring_exists(c->ring))
			continue;
		ring_view(c->ring, &v);
		/* A moment ago is good enough. */
		pos = max(data_race(c->at.pos), v.tail.pos);
		lag += v.commit.pos > pos ? (v.commit.pos - pos) * RING_UNIT : 0;
	}
	return lag + reader_lanes_lag(rd);
}

/* With readers_lock. */
static const struct reader *nth_reader(struct stream *s, unsigned int n)
{
	const struct list_head *at;

	list_for_each(at, &s->readers)
		if (!n--)
			return list_entry(at, struct reader, list);
	return NULL;
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
	const struct reader *rd;

	down_read(&s->layout);
	mutex_lock(&s->readers_lock);
	rd = nth_reader(s, n);
	if (rd) {
		r->pid = rd->pid;
		memcpy(r->comm, rd->comm, sizeof(r->comm));
		/* A moment ago is good enough here too. */
		r->position = READ_ONCE(rd->last);
		r->read = READ_ONCE(rd->given);
		r->lost = READ_ONCE(rd->missed);
		r->lag = reader_lag(rd);
	}
	mutex_unlock(&s->readers_lock);
	up_read(&s->layout);
	return rd;
}
