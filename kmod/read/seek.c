// SPDX-License-Identifier: GPL-2.0-only
/* The position of a reader, and moving it: lseek(2) */
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "announce.h"
#include "heap.h"
#include "lane/take.h"
#include "reader.h"
#include "reader_priv.h"
#include "seek.h"
#include "source.h"
#include "sources.h"
#include "stream/stream.h"

/* Upper limit for the duration of a search: 18 minutes. */
#define SEEK_AHEAD_NS	BIT_ULL(40)

/* Move each source: see source_seek(). */
static void seek_go(struct reader *rd, u64 ts, u64 now)
{
	unsigned int i;

	rd->clears = stream_clears(rd->stream);
	for (i = 0; i < rd->nr; i++) {
		source_seek(rd, reader_source(rd, i), ts, now);
		cond_resched();
	}
	sources_restart(rd);
	WRITE_ONCE(rd->last, 0);
	announce_rewind(&rd->told);
}

/*
 * Return the time of the next event; if there is none, a time just after the last one. An event
 * whose last byte the program has not read counts as the next one.
 */
static loff_t reader_tell(struct reader *rd)
{
	u64 next = rd->idle;
	bool ready = false;
	unsigned int i;

	if (rd->last && rd->wire.bytes - wire_staged(&rd->wire) < rd->last_end)
		return rd->last;
	for (i = 0; i < rd->nr_heap; i++) {
		ready |= rd->heap[i].src->ready;
		next = min(next, rd->heap[i].src->key);
	}
	/*
	 * A ring without an event at hand may have got one meanwhile, but not an older one than
	 * its bound.
	 */
	if (ready)
		return max(next, rd->last);
	return rd->last ? rd->last + 1 : rd->place;
}

/**
 * reader_seek() - move the reader to another place
 * @rd: the reader, locked
 * @off: ns, see trace(4)
 * @whence: SEEK_SET, SEEK_CUR, SEEK_END or SEEK_DATA
 *
 * Return: the new place in trace clock ns, or -EINVAL, -ENOMEM.
 */
loff_t reader_seek(struct reader *rd, loff_t off, int whence)
{
	u64 now = devtrace_clock_now();
	u64 ts = U64_MAX;
	int err;

	switch (whence) {
	case SEEK_SET:
		if (off < 0)
			return -EINVAL;
		ts = off;
		break;
	case SEEK_CUR:
		if (off)
			return -EINVAL;
		return reader_tell(rd);
	case SEEK_END:
		if (off > 0)
			return -EINVAL;
		/* Negate as unsigned, since the smallest signed value cannot be negated. */
		if (off)
			ts = -(u64)off < now ? now + (u64)off : 0;
		break;
	case SEEK_DATA:
		if (off)
			return -EINVAL;
		ts = 0;
		break;
	default:
		return -EINVAL;
	}

	rd->turn++;
	slots_take_all();
	err = sources_follow(rd);
	/* Allocate first, so that a seek moves all sources or none. */
	if (!err && ts)
		err = ring_sources_prepare_seek(rd);
	if (err)
		return err;
	/* The search may also find records that are stored after @now was read. */
	seek_go(rd, ts, now + SEEK_AHEAD_NS);
	rd->place = ts == U64_MAX ? now : ts;
	announce_seek(&rd->told, rd->place, wire_restart(&rd->wire));
	return rd->place;
}

/* Go to the oldest event, like lseek(fd, 0, SEEK_SET). */
void reader_oldest(struct reader *rd)
{
	seek_go(rd, 0, 0);
}
